import type { Logger } from 'pino';
import { build } from '../build/build.ts';
import { addDays, zone } from '../calendar.ts';
import type { Console } from '../console.ts';
import { ContentError } from '../diagnostics.ts';
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

  function buildNow(port: number): Settings {
    const baseUrl = givenBaseUrl(flags.baseUrl, environment) ?? `http://localhost:${port}`;
    const settings = loadSettings(cwd, { ...flags, baseUrl }, environment);
    const result = build({ cwd, out: dist, settings, today: zone(settings.timezone).today(new Date()) });
    if (result.warnings.length > 0) terminal.say(`${prettyReport(result.warnings, { color: terminal.color })}\n\n`);
    log.info({ build: result.info.id, ...result.info.counts, ...result.written }, 'built');
    return settings;
  }

  function waitFor(midnight: Date, port: number, timezone: string): void {
    const left = midnight.getTime() - Date.now();
    timer = setTimeout(
      () => {
        if (Date.now() < midnight.getTime()) waitFor(midnight, port, timezone);
        else waitFor(nextMidnight(rebuild(port, timezone)), port, timezone);
      },
      Math.min(Math.max(left, 0), longestSleepMs),
    );
    timer.unref();
  }

  function rebuild(port: number, timezone: string): string {
    try {
      return buildNow(port).timezone;
    } catch (error) {
      if (error instanceof ContentError) {
        log.error({ diagnostics: error.diagnostics }, 'the catalog has errors; the last good build stays');
      } else log.error({ err: error }, 'the build failed; the last good build stays');
      return timezone;
    }
  }

  return {
    start(port) {
      const { timezone } = buildNow(port);
      waitFor(nextMidnight(timezone), port, timezone);
    },
    stop: () => clearTimeout(timer),
  };
}

function nextMidnight(timezone: string): Date {
  const { today, startOfDay } = zone(timezone);
  return startOfDay(addDays(today(new Date()), 1));
}
