import { existsSync, lstatSync, mkdtempSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative, sep } from 'node:path';
import { type FSWatcher, watch } from 'chokidar';
import { forEachStamp, noStamps, type Stamps, sourceStamps, stampOf } from '../../lib/files.ts';
import { programFolder } from '../../program.ts';
import type { Diagnostic } from '../../schema/diagnostics/diagnostic.ts';
import { startServer } from '../../server/app.ts';
import type { ServerLog } from '../../server/log.ts';
import { serverSettings } from '../../server/settings.ts';
import { type CatalogOptions, type Changes, everything, nothing } from './edited-catalog.ts';
import { devRules, PreviewServer } from './preview.ts';

interface WatchOptions extends Pick<DevOptions, 'cwd' | 'poll' | 'onFallback'> {
  /** The files as `lookAt` saw them before they were first read. */
  since: Stamps;
  onChange(changes: Changes): void;
  /** Is called with an error that may have hidden changes. */
  onError(error: Error): void;
}

/** How long changes are collected, in milliseconds: editors and Git write several files at once. */
const collectMs = 10;
const pollMs = 1_000;
/** How long after a change the file is looked at again, in milliseconds. */
const settleMs = 100;

/** The program's own templates and scripts, which change for those who work on it. */
const programParts = ['templates', 'lib/browser'].map((path) => join(programFolder, path));

/** Returns the stamps of all files of a catalog that a preview depends on. `last` are earlier ones, which make it quicker. */
function lookAt(cwd: string, last = noStamps): Stamps {
  return sourceStamps(partsOf(cwd).files, last);
}

/**
 * Reports changes of agents, settings and templates. When all files are watched, they are compared with `since`, because the
 * system does not report earlier changes. Returns a function that ends it.
 */
function watchCatalog({ cwd, since, poll, onChange, onFallback, onError }: WatchOptions): () => Promise<void> {
  const parts = partsOf(cwd);
  let last = since;
  let agents: Set<string> | 'all' = new Set();
  let settings = false;
  let templates = false;
  let paths = new Set<string>();
  let timer: NodeJS.Timeout | undefined;
  let watcher: FSWatcher | undefined;
  let polling: NodeJS.Timeout | undefined;
  let ended = false;

  function report(): void {
    const changes = { agents, settings, templates };
    const reported = new Map([...paths].map((path) => [path, stampAt(path)]));
    [agents, settings, templates, paths, timer] = [new Set(), false, false, new Set(), undefined];
    onChange(changes);
    // chokidar drops a second change within 50 ms, such as the rest of a file that was half saved.
    setTimeout(() => {
      for (const [path, stamp] of reported) if (!ended && stampAt(path) !== stamp) note(path);
    }, settleMs).unref();
  }

  function note(path: string): void {
    const { part, name } = parts.of(path);
    if (part === null) return;
    if (part === 'agents' && agents !== 'all') {
      if (name === '') agents = 'all';
      else agents.add(name);
    }
    settings ||= part === 'catalog.config.json';
    templates ||= part === 'templates';
    paths.add(path);
    timer ??= setTimeout(report, collectMs);
  }

  /** Notes every file that changed since the last time. A stamp that can hide a change counts as one. */
  function compare(): void {
    const before = new Map<string, string>();
    forEachStamp(last, (path, stamp) => stamp !== null && before.set(path, stamp));
    try {
      last = lookAt(cwd, last);
    } catch (error) {
      // Said once: nothing is known then, so everything counts as changed as soon as the files can be read again.
      if (last !== noStamps) onError(error as Error);
      last = noStamps;
      return;
    }
    forEachStamp(last, (path, stamp) => {
      if (stamp === null || before.get(path) !== stamp) note(path);
      before.delete(path);
    });
    for (const path of before.keys()) note(path);
  }

  /** Reports what changed before all files were watched, or that nothing did. */
  function begin(): void {
    agents = 'all';
    compare();
    timer ??= setTimeout(report, collectMs);
  }

  /** chokidar could do this too, but would miss a change before its own first look at a file, which may be late. */
  function startPolling(): void {
    if (ended) return;
    begin();
    polling = setInterval(compare, pollMs);
  }

  function open(): void {
    watcher = watch(parts.roots, {
      ignoreInitial: true,
      followSymlinks: false,
      ignored: (path) => parts.of(path).part === null,
    });
    watcher.on('all', (_event, path) => note(path));
    watcher.on('ready', begin);
    watcher.on('error', (error) => {
      const { code = '' } = error as NodeJS.ErrnoException;
      const isLimit = ['ENOSPC', 'EMFILE', 'ENFILE'].includes(code);
      if (ended || watcher === undefined || !isLimit) return isLimit ? undefined : onError(error as Error);
      onFallback(code);
      watcher.close().then(startPolling);
      watcher = undefined;
    });
  }

  if (poll) startPolling();
  else open();
  return async () => {
    ended = true;
    clearTimeout(timer);
    clearInterval(polling);
    await watcher?.close();
  };
}

function stampAt(path: string): string {
  const stats = lstatSync(path, { throwIfNoEntry: false });
  return stats === undefined ? '' : stampOf(stats);
}

/** The files and folders of a catalog that a preview depends on. */
const catalogParts = ['agents', 'templates', 'catalog.config.json'];

/** Tells the parts of a catalog apart by path. Those that are links count where they lead. */
function partsOf(cwd: string) {
  const root = realpathSync(cwd);
  const linked = catalogParts.flatMap((part) => {
    const path = join(root, part);
    const real = existsSync(path) ? realpathSync(path) : path;
    return real === path ? [] : [{ root: real, prefix: [part] }];
  });
  const own = programParts.filter((path) => existsSync(path)).map((path) => ({ root: path, prefix: ['templates'] }));
  const bases = [{ root, prefix: [] as string[] }, ...linked, ...own];
  return {
    roots: bases.map((base) => base.root),
    files: [...catalogParts.map((part) => join(root, part)), ...own.map((base) => base.root)],
    of(path: string): { part: string | null; name: string } {
      for (const base of bases) {
        const below = relative(base.root, path).split(sep);
        const names = [...base.prefix, ...below.filter((name) => name !== '')];
        if (names[0] === '..') continue;
        const [part = '', name = ''] = names;
        if (['', ...catalogParts].includes(part) && !names.some((each) => each.startsWith('.'))) return { part, name };
      }
      return { part: null, name: '' };
    },
  };
}

interface DevOptions extends Omit<CatalogOptions, 'baseUrl'> {
  /** The port, as text; `0` for any free one. */
  port?: string | undefined;
  environment: NodeJS.ProcessEnv;
  log: ServerLog;
  /** Whether to compare files every second instead of asking the system for changes. */
  poll: boolean;
  /**
   * Is called after each update, with its errors and how long it took. `changes` is null for the first one. If not
   * `isComplete`, some checks follow in an update without changes.
   */
  onUpdate(update: { changes: Changes | null; errors: readonly Diagnostic[]; isComplete: boolean; ms: number }): void;
  /** Is called if the system cannot report changes, so that files are compared every second. */
  onFallback(code: string): void;
}

export type RunningDev = Awaited<ReturnType<typeof startDev>>;

/** How long nothing may change before what depends on all agents is checked and found again, in milliseconds. */
const idleMs = 1_000;

/**
 * Serves a catalog with its drafts and scheduled agents on this machine alone, and updates open pages when its files
 * change. Everything is rendered in memory. Votes and subscriptions are stored in a temporary folder.
 *
 * Rejects with UsageError if the port is none, and with OperationError if it is taken.
 */
export async function startDev(options: DevOptions) {
  const { port, environment, log, onUpdate } = options;
  const { PORT } = environment;
  const settingsIn = (folder: string) => serverSettings(port === undefined ? {} : { port }, { PORT }, folder);
  // A wrong port is an error before the folder exists.
  settingsIn(tmpdir());
  const data = mkdtempSync(join(tmpdir(), 'catalog-dev-'));
  const settings = settingsIn(data);
  let preview: PreviewServer | undefined;
  let timer: NodeJS.Timeout | undefined;

  function update(changes: Changes, isFirst = false): void {
    const begun = performance.now();
    try {
      const errors = preview?.update(changes) ?? [];
      const isComplete = preview?.catalog.isBehind !== true;
      onUpdate({ changes: isFirst ? null : changes, errors, isComplete, ms: performance.now() - begun });
    } catch (error) {
      // The next change may fix it, such as a file that was removed while it was read.
      log.log.error({ err: error }, 'the preview was not updated');
    }
    clearTimeout(timer);
    // Only an update without changes tells all errors then.
    if (preview?.catalog.isBehind) timer = setTimeout(() => update(nothing), idleMs);
  }

  try {
    const since = lookAt(options.cwd);
    const server = await startServer(settings, {
      log,
      rules: devRules,
      follow: async (portInUse) => {
        preview = new PreviewServer({ ...options, baseUrl: `http://localhost:${portInUse}` });
        update(everything, true);
        return preview;
      },
      wrap: (handle) => (preview as PreviewServer).wrap(handle),
    });
    const endWatching = watchCatalog({
      ...options,
      since,
      onChange: (changes) => update(changes),
      onError: (error) => log.log.error({ err: error }, 'changes of some files may not be noticed'),
    });
    return {
      /** The address of the preview, with a slash at its end. */
      address: server.address,
      async close() {
        await endWatching();
        clearTimeout(timer);
        preview?.stop();
        await server.close();
        rmSync(data, { recursive: true, force: true });
      },
    };
  } catch (error) {
    rmSync(data, { recursive: true, force: true });
    throw error;
  }
}
