import { existsSync, lstatSync, realpathSync } from 'node:fs';
import { join, relative, sep } from 'node:path';
import { type FSWatcher, watch } from 'chokidar';
import { programFolder } from '../program.ts';
import { forEachStamp, noStamps, type Stamps, sourceStamps, stampOf } from '../stamps.ts';
import type { Changes } from './changes.ts';

export interface WatchOptions {
  /** The catalog folder. */
  cwd: string;
  /** The files as `lookAt` saw them before they were first read. */
  since: Stamps;
  /** Whether to compare the files every second, instead of asking the system for changes. */
  poll: boolean;
  onChange(changes: Changes): void;
  /** Is called if the system cannot report changes, so that files are compared every second. */
  onFallback(code: string): void;
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
export function lookAt(cwd: string, last = noStamps): Stamps {
  return sourceStamps(partsOf(cwd).files, last);
}

/**
 * Reports changes of agents, settings and templates. When all files are watched, they are compared with `since`, because the
 * system does not report earlier changes. Returns a function that ends it.
 */
export function watchCatalog({ cwd, since, poll, onChange, onFallback, onError }: WatchOptions): () => Promise<void> {
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

/** Tells the parts of a catalog apart by path. Links to folders outside of it count where they are. */
function partsOf(cwd: string) {
  const root = realpathSync(cwd);
  const linked = ['agents', 'templates'].flatMap((part) => {
    const path = join(root, part);
    const real = existsSync(path) ? realpathSync(path) : path;
    return real === path ? [] : [{ root: real, prefix: [part] }];
  });
  const own = programParts.filter((path) => existsSync(path)).map((path) => ({ root: path, prefix: ['templates'] }));
  const bases = [{ root, prefix: [] as string[] }, ...linked, ...own];
  return {
    roots: bases.map((base) => base.root),
    files: [
      ...['agents', 'templates', 'catalog.config.json'].map((part) => join(root, part)),
      ...[...linked, ...own].map((base) => base.root),
    ],
    of(path: string): { part: string | null; name: string } {
      for (const base of bases) {
        const below = relative(base.root, path);
        const names = [...base.prefix, ...below.split(sep).filter((name) => name !== '')];
        if (names[0] === '..') continue;
        const [part = '', name = ''] = names;
        const isPart = part === '' || ['agents', 'templates', 'catalog.config.json'].includes(part);
        if (isPart && !names.some((each) => each.startsWith('.'))) return { part, name };
      }
      return { part: null, name: '' };
    },
  };
}
