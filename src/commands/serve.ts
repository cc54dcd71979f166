import { resolve } from 'node:path';
import type { Command } from 'commander';
import type { Console } from '../console.ts';
import type { ServerFlags } from '../server/settings.ts';
import { baseUrlOption, type CommonFlags, cwdOption, runtimeUrlOption } from './options.ts';

interface Flags extends ServerFlags, Pick<CommonFlags, 'cwd' | 'baseUrl' | 'runtimeUrl'> {
  build?: boolean;
}

export function addServe(program: Command, terminal: Console): void {
  program
    .command('serve')
    .description('serve a build')
    .addOption(cwdOption())
    .option('--build', 'build first, and again at each midnight of the time zone in the settings')
    .option('--port <port>', 'the port to listen on; 0: any free one (or PORT; default: 3000)')
    .option('--host <host>', 'the address to listen on (or HOST; default: 127.0.0.1)')
    .option('--dist <dir>', 'the folder of the build (or CATALOG_DIST; default: dist)')
    .option('--log-level <level>', 'fatal, error, warn, info, debug, trace or silent (or LOG_LEVEL; default: info)')
    .addOption(baseUrlOption())
    .addOption(runtimeUrlOption())
    .addHelpText(
      'after',
      '\nWith --build, the base URL is --base-url, then CATALOG_BASE_URL, else http://localhost:<port>.\n' +
        '\nExamples:\n  $ catalog serve --build\n  $ catalog serve --dist dist --port 8080\n',
    )
    .action((flags: Flags) => serve(flags, terminal));
}

async function serve(flags: Flags, terminal: Console): Promise<void> {
  const { serverSettings } = await import('../server/settings.ts');
  const { startServer } = await import('../server/start.ts');
  const { catalogBuilder } = await import('../server/builder.ts');
  const { default: pino } = await import('pino');
  const cwd = resolve(flags.cwd);
  const settings = serverSettings(flags, process.env);
  const dist = resolve(cwd, settings.dist);
  const log = pino({ level: settings.logLevel });
  const builder =
    flags.build === true ? catalogBuilder({ cwd, dist, flags, environment: process.env, terminal, log }) : null;
  const running = await startServer({ ...settings, dist }, log, (port) => builder?.start(port));
  terminal.say(`Serving the catalog at ${running.address}\n`);

  const signal = await new Promise<NodeJS.Signals>((received) => {
    for (const name of ['SIGTERM', 'SIGINT'] as const) process.once(name, received);
  });
  log.info({ signal }, 'stopping');
  builder?.stop();
  await running.close();
}
