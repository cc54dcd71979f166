import { UsageError } from '../diagnostics.ts';

/** The settings of the runtime, from flags and environment variables. */
export interface ServerSettings {
  /** 0 lets the system choose. */
  port: number;
  host: string;
  /** The folder of the build. */
  dist: string;
  /** How much is logged: a level of pino's. */
  logLevel: string;
}

/** What the command line gives of them, all as text. */
export interface ServerFlags {
  port?: string;
  host?: string;
  dist?: string;
  logLevel?: string;
}

const logLevels = ['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'];

/** Checks the settings; a flag wins over its environment variable. Throws UsageError that names the one that is wrong. */
export function serverSettings(flags: ServerFlags, environment: NodeJS.ProcessEnv): ServerSettings {
  const given = (flag: keyof ServerFlags, name: string, variable: string, fallback: string) => {
    const value = flags[flag];
    if (value !== undefined) return { name, value };
    const inherited = environment[variable];
    return inherited !== undefined && inherited !== ''
      ? { name: variable, value: inherited }
      : { name, value: fallback };
  };
  const port = given('port', '--port', 'PORT', '3000');
  if (!/^\d{1,5}$/.test(port.value) || Number(port.value) > 65_535) {
    throw new UsageError(`${port.name} is "${port.value}"; it has to be a port from 0 to 65535 (0: any free one).`);
  }
  const logLevel = given('logLevel', '--log-level', 'LOG_LEVEL', 'info');
  if (!logLevels.includes(logLevel.value)) {
    throw new UsageError(`${logLevel.name} is "${logLevel.value}"; it has to be one of ${logLevels.join(', ')}.`);
  }
  return {
    port: Number(port.value),
    host: given('host', '--host', 'HOST', '127.0.0.1').value,
    dist: given('dist', '--dist', 'CATALOG_DIST', 'dist').value,
    logLevel: logLevel.value,
  };
}
