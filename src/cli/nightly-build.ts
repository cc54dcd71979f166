import type { ChildProcess } from 'node:child_process';
import type { Logger } from 'pino';
import { build } from '../build/build.ts';
import { checkSettings, givenBaseUrl, loadSettings } from '../content/settings.ts';
import { addDays, zone } from '../lib/calendar.ts';
import { runChild, stopChild } from '../lib/children.ts';
import { orElse, succeeds } from '../lib/errors.ts';
import { ContentError } from '../schema/diagnostics/content-error.ts';
import type { Diagnostic } from '../schema/diagnostics/diagnostic.ts';
import { prettyReport } from '../schema/diagnostics/report.ts';
import type { Settings } from '../schema/settings.ts';
import { asOnlyBuild, readBuildInfo } from '../storage/build-folder.ts';
import type { Console } from './console.ts';
import { cacheFolder } from './options.ts';

/** A task that runs once a day. */
interface DailyOptions {
  /** Today, as YYYY-MM-DD. */
  today(): string;
  /** How long it is until the next day begins, in milliseconds. */
  untilTomorrow(): number;
  /** Runs the task. If it rejects, the task is retried. */
  task(): Promise<void>;
  /** The day for which the task has run; null if it must run soon. */
  done: string | null;
  /** How long to wait after a first failure, in milliseconds. The wait doubles with each further one, up to half an hour. @default 5000 */
  retryMs?: number;
}

/** How long to wait at most before looking at the clock again, in milliseconds: clocks change and machines sleep. */
const longestWaitMs = 60_000;
const longestRetryMs = 30 * 60_000;
/** The shortest wait before the clock is checked again, in milliseconds. */
const shortestWaitMs = 100;

/**
 * Runs a task whenever the date differs from the date of the last run: after midnight, and after the clock was set back.
 * Failed tasks are retried.
 *
 * Returns a function that stops it.
 */
export function daily({ today, untilTomorrow, task, done, retryMs = 5_000 }: DailyOptions): () => void {
  let timer: NodeJS.Timeout | undefined;
  let ended = false;
  let failures = done === null ? 1 : 0;

  function wait(): void {
    const longest = failures === 0 ? longestWaitMs : Math.min(retryMs * 2 ** (failures - 1), longestRetryMs);
    timer = setTimeout(look, Math.max(Math.min(untilTomorrow(), longest), shortestWaitMs));
    timer.unref();
  }

  async function look(): Promise<void> {
    const day = today();
    if (day !== done) {
      try {
        await task();
        done = day;
        failures = 0;
      } catch {
        done = null;
        failures += 1;
      }
    }
    if (!ended) wait();
  }

  wait();
  return () => {
    ended = true;
    clearTimeout(timer);
  };
}

interface BuilderOptions {
  cwd: string;
  dist: string;
  flags: { baseUrl?: string; runtimeUrl?: string };
  environment: NodeJS.ProcessEnv;
  terminal: Console;
  log: Logger;
}

const failed = 'the catalog cannot be built; still serving the last good build';
const skippedAgents = 'skipped agents that have errors';

/**
 * Builds a catalog that the same process serves, whenever a new day begins in the time zone of the settings.
 *
 * Agents that are due but have an error and no number are skipped. If the catalog cannot be built for another reason,
 * the last good build stays, and the reason is logged.
 */
export class CatalogBuilder {
  readonly #options: BuilderOptions;
  #port = 0;
  #timezone = 'UTC';
  #end = () => {};
  #child: ChildProcess | undefined;
  #stopped = false;

  /**
   * Checks the addresses in flags and variables, and the settings unless there is an earlier build to serve.
   *
   * Throws UsageError or ContentError.
   */
  constructor(options: BuilderOptions) {
    this.#options = options;
    const { cwd, dist, flags, environment } = options;
    const { diagnostics } = checkSettings(cwd, flags, environment);
    if (diagnostics.length > 0 && !holdsBuild(dist)) throw new ContentError(diagnostics);
  }

  /**
   * Builds now, for the server at `port`, and again whenever a new day begins. Failed builds are retried.
   *
   * If the first build fails and there is no earlier build to serve, throws the error of the build.
   */
  async start(port: number): Promise<void> {
    this.#port = port;
    this.#end = daily({
      done: await this.#buildNow(),
      today: () => this.#calendar().today(new Date()),
      untilTomorrow: () => {
        const { today, startOfDay } = zone(this.#timezone);
        const now = new Date();
        return startOfDay(addDays(today(now), 1)).getTime() - now.getTime();
      },
      task: () => this.#rebuild(),
    });
  }

  /** Stops waiting for the next day. */
  stop(): void {
    this.#stopped = true;
    this.#end();
    if (this.#child !== undefined) stopChild(this.#child, 'SIGTERM');
  }

  #baseUrl(): string {
    const { flags, environment } = this.#options;
    return givenBaseUrl(flags.baseUrl, environment) ?? `http://localhost:${this.#port}`;
  }

  #settings(): Settings {
    const { cwd, flags, environment } = this.#options;
    return loadSettings(cwd, { ...flags, baseUrl: this.#baseUrl() }, environment);
  }

  /** Builds in this process. Returns the date that the build is for; null if it failed but there is an earlier one to serve. */
  async #buildNow(): Promise<string | null> {
    const { cwd, dist, environment, terminal, log } = this.#options;
    const report = (diagnostics: readonly Diagnostic[]) =>
      terminal.say(`${prettyReport(diagnostics, { color: terminal.color })}\n\n`);
    try {
      const settings = this.#settings();
      this.#timezone = settings.timezone;
      const today = zone(settings.timezone).today(new Date());
      const options = { cwd, out: dist, settings, cache: cacheFolder(environment), today, skipInvalid: true };
      const say = (message: string) => terminal.say(message);
      const result = await asOnlyBuild([[dist, '--out']], say, (onProgress) => build({ ...options, onProgress }));
      const { info, written, warnings, skipped, historyMissing } = result;
      if (warnings.length > 0) report(warnings);
      if (historyMissing !== null) log.warn(historyMissing);
      if (skipped.length > 0) log.warn({ agents: skipped }, skippedAgents);
      log.info({ build: info.id, ...info.counts, ...written }, 'built');
      return today;
    } catch (error) {
      if (!holdsBuild(dist)) throw error;
      if (error instanceof ContentError) report(error.diagnostics);
      log.error({ err: error }, failed);
      return null;
    }
  }

  /** Builds in another process, so that requests are answered meanwhile. The server then switches to the new build. */
  async #rebuild(): Promise<void> {
    const { cwd, dist, flags, environment, log } = this.#options;
    const urls = ['--base-url', this.#baseUrl()];
    if (flags.runtimeUrl !== undefined) urls.push('--runtime-url', flags.runtimeUrl);
    const program = process.argv[1] ?? '';
    const args = [program, 'build', '--format', 'json', '--skip-invalid', '--cwd', cwd, '--out', dist, ...urls];
    const started = (child: ChildProcess) => {
      this.#child = child;
    };
    const options = { env: environment, maxBytes: maxOutputBytes, started };
    const { code, failure, ...printed } = await runChild(process.execPath, args, options);
    const [stdout, stderr] = [printed.stdout.toString('utf8'), printed.stderr.toString('utf8')];
    this.#child = undefined;
    if (this.#stopped) return;
    try {
      if (code !== 0)
        throw failure instanceof Error ? failure : new Error(`catalog build ended with ${failure ?? code}`);
      const { skipped, ...built } = JSON.parse(stdout) as { skipped: string[]; warnings?: unknown };
      if (skipped.length > 0) log.warn({ agents: skipped }, skippedAgents);
      log.info({ ...built, warnings: undefined }, 'built for a new day');
    } catch (error) {
      log.error({ err: error, output: stdout || stderr }, failed);
      throw error;
    }
  }

  /** Returns the calendar for the current settings or, if they are invalid, for the last valid ones. */
  #calendar() {
    // The build reports the error.
    this.#timezone = orElse(() => this.#settings().timezone, this.#timezone);
    return zone(this.#timezone);
  }
}

function holdsBuild(dist: string): boolean {
  return succeeds(() => readBuildInfo(dist));
}

/** The most output of a build that is kept, in bytes. */
const maxOutputBytes = 64 * 1024 * 1024;
