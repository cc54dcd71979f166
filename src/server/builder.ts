import { type ChildProcessByStdio, spawn } from 'node:child_process';
import { once } from 'node:events';
import type { Readable } from 'node:stream';
import type { Logger } from 'pino';
import { build } from '../build/build.ts';
import { cacheFolder } from '../build/picture-cache.ts';
import { addDays, zone } from '../calendar.ts';
import type { Console } from '../console.ts';
import { prettyReport } from '../report.ts';
import { givenBaseUrl, loadSettings, type Settings } from '../settings.ts';

interface BuilderOptions {
  cwd: string;
  dist: string;
  flags: { baseUrl?: string; runtimeUrl?: string };
  environment: NodeJS.ProcessEnv;
  terminal: Console;
  log: Logger;
}

/** Builds a catalog that the same process serves. */
export interface CatalogBuilder {
  /** Builds now, for the server at `port`, and again at each midnight. Throws what build throws. */
  start(port: number): void;
  /** Ends the wait for the next midnight. */
  stop(): void;
}

/** How long to sleep at most before looking at the clock again, in milliseconds: clocks change and machines sleep. */
const longestSleepMs = 60_000;

/**
 * A builder that follows the calendar: at midnight of the settings' time zone tomorrow's agent becomes due.
 *
 * A catalog that cannot be built at midnight leaves the last good build in place; its diagnostics are logged.
 */
export function catalogBuilder({ cwd, dist, flags, environment, terminal, log }: BuilderOptions): CatalogBuilder {
  let timer: NodeJS.Timeout | undefined;
  let child: ChildProcessByStdio<null, Readable, Readable> | undefined;
  let stopped = false;

  const baseUrlFor = (port: number) => givenBaseUrl(flags.baseUrl, environment) ?? `http://localhost:${port}`;

  function buildNow(port: number): Settings {
    const settings = loadSettings(cwd, { ...flags, baseUrl: baseUrlFor(port) }, environment);
    const today = zone(settings.timezone).today(new Date());
    const result = build({ cwd, out: dist, settings, cache: cacheFolder(environment), today });
    if (result.warnings.length > 0) terminal.say(`${prettyReport(result.warnings, { color: terminal.color })}\n\n`);
    if (result.historyMissing !== null) log.warn(result.historyMissing);
    log.info({ build: result.info.id, ...result.info.counts, ...result.written }, 'built');
    return settings;
  }

  function waitFor(midnight: Date, port: number, timezone: string): void {
    const left = midnight.getTime() - Date.now();
    timer = setTimeout(
      async () => {
        const now = Date.now() >= midnight.getTime();
        if (now) await rebuild(port);
        if (!stopped) waitFor(now ? nextMidnight(timezone) : midnight, port, timezone);
      },
      Math.min(Math.max(left, 0), longestSleepMs),
    );
    timer.unref();
  }

  /** Builds in a process of its own, so that requests are answered meanwhile. The server takes up what it wrote. */
  async function rebuild(port: number): Promise<void> {
    const urls = [
      '--base-url',
      baseUrlFor(port),
      ...(flags.runtimeUrl === undefined ? [] : ['--runtime-url', flags.runtimeUrl]),
    ];
    const args = [process.argv[1] ?? '', 'build', '--json', '--cwd', cwd, '--out', dist, ...urls];
    child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'pipe'], env: environment });
    const [output, talk] = await Promise.all([textOf(child.stdout), textOf(child.stderr), once(child, 'close')]);
    const { exitCode } = child;
    child = undefined;
    if (stopped) return;
    if (exitCode === 0) log.info({ ...JSON.parse(output), warnings: undefined }, 'built at midnight');
    else log.error({ exitCode, output: output || talk }, 'the catalog cannot be built; the last good build stays');
  }

  return {
    start(port) {
      const { timezone } = buildNow(port);
      waitFor(nextMidnight(timezone), port, timezone);
    },
    stop() {
      stopped = true;
      clearTimeout(timer);
      child?.kill();
    },
  };
}

async function textOf(stream: NodeJS.ReadableStream): Promise<string> {
  let text = '';
  for await (const chunk of stream) text += chunk;
  return text;
}

function nextMidnight(timezone: string): Date {
  const { today, startOfDay } = zone(timezone);
  return startOfDay(addDays(today(new Date()), 1));
}
