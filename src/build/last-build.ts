import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import type { ContentMemory } from '../content/load.ts';
import { digestOf, makeFolder } from '../lib/files.ts';
import type { AgentHead } from '../schema/agent.ts';
import type { KnownVersions, Related, Site } from '../site/site.ts';
import { gitStamp, isInRepository } from './git-stamp.ts';
import type { BuildWriter, BuiltFile } from './write.ts';

interface KnownAgent {
  stamp: string;
  head: AgentHead;
}

/** What a build keeps in the cache for the next build into the same folder. */
interface Remembered {
  /** A hash of what all files depend on: settings, templates, program. If it differs, nothing is used. */
  common: string;
  /** The agents in folders without errors, with the stamps of the folders. */
  agents: [slug: string, KnownAgent][];
  /** The files of the build. */
  files: [path: string, BuiltFile][];
  /** Which agents are related, and a hash of what decides it. */
  related: Related | null;
  versions: KnownVersions;
  /** Results of Git commands, and a stamp of the commits and branches. */
  git: { stamp: string | null; said: Record<string, unknown> };
}

/**
 * What the last build into a folder knew. It only saves time: if the cache is missing, damaged or from other settings,
 * everything is rendered again, with the same bytes.
 */
export class BuildMemory implements ContentMemory {
  readonly #file: string | null;
  readonly #common: string;
  readonly #agents: ReadonlyMap<string, KnownAgent>;
  readonly #next: Remembered['agents'] = [];
  readonly #inRepository: boolean;
  readonly #git: Remembered['git'];
  readonly #said: Remembered['git']['said'];
  /** Whether the last build succeeded with the same settings, templates and program. */
  readonly isKnown: boolean;
  /** The files that the last build left. */
  readonly files: ReadonlyMap<string, BuiltFile>;
  /** Which agents were related in the last build. The current build replaces it. */
  related: Related | null;
  /** The versions of plugins in the last build. The current build replaces them. */
  versions: KnownVersions;

  /**
   * `cache` is the cache folder, or null. `cwd` is the catalog folder, `out` the build folder, and `common` a hash of what
   * all files depend on.
   */
  constructor(cache: string | null, { cwd, out, common }: { cwd: string; out: string; common: string }) {
    this.#file = cache === null ? null : memoryFile(cache, out, 'files');
    this.#common = common;
    // Without the build, every file has to be rendered, and every agent read.
    const read = this.#file === null || !existsSync(out) ? null : readChecked<Remembered>(this.#file);
    const known = read?.common === common ? read : null;
    this.isKnown = known !== null;
    this.#agents = new Map(known?.agents);
    this.files = new Map(known?.files);
    this.related = known?.related ?? null;
    this.versions = known?.versions ?? [];
    const stamp = cache === null ? null : gitStamp(cwd);
    this.#inRepository = isInRepository(cwd);
    this.#git = { stamp, said: {} };
    this.#said = stamp !== null && known?.git.stamp === stamp ? known.git.said : {};
  }

  recall(slug: string, stamp: string): AgentHead | undefined {
    const known = this.#agents.get(slug);
    return known?.stamp === stamp ? known.head : undefined;
  }

  remember(stamp: string, head: AgentHead): void {
    this.#next.push([head.slug, { stamp, head }]);
  }

  ofGit<Value>(name: string, read: () => Value, isComplete: (value: Value) => boolean): Value {
    const value = name in this.#said ? (this.#said[name] as Value) : read();
    if (isComplete(value) || !this.#inRepository) this.#git.said[name] = value;
    return value;
  }

  /** Keeps what was found out about a site. */
  keep({ related, plugins }: Pick<Site, 'related' | 'plugins'>): void {
    this.related = related;
    this.versions = plugins.known;
  }

  /** Leaves what the next build needs. Nothing is thrown: without it, the next build takes longer. */
  save({ files }: Pick<BuildWriter, 'files'>): void {
    if (this.#file === null) return;
    const remembered: Remembered = {
      common: this.#common,
      agents: this.#next,
      files: [...files],
      related: this.related,
      versions: this.versions,
      git: this.#git,
    };
    writeChecked(this.#file, remembered);
  }
}

/** The cache file for one kind of data about the build in `out`. */
export function memoryFile(cache: string, out: string, what: string): string {
  const name = createHash('sha256').update(resolve(out)).digest('hex').slice(0, 32);
  return join(cache, 'builds', `${name}-${what}.json`);
}

/** Reads a file of writeChecked. Returns null if it is missing or damaged. */
export function readChecked<Value>(file: string): Value | null {
  try {
    const bytes = readFileSync(file);
    const body = bytes.subarray(0, bytes.lastIndexOf('\n'));
    const isWhole = bytes.toString('latin1', body.length) === `\n${digestOf(body)}`;
    return isWhole ? (JSON.parse(body.toString()) as Value) : null;
  } catch {
    return null;
  }
}

/** Writes an object as JSON and then its hash, and replaces the file in one step. Nothing is thrown. */
export function writeChecked(file: string, value: object): void {
  const draft = `${file}.${process.pid}`;
  try {
    makeFolder(dirname(file));
    const body = JSON.stringify(value);
    writeFileSync(draft, `${body}\n${digestOf(body)}`, { mode: 0o600 });
    renameSync(draft, file);
    removeOld(dirname(file));
  } catch {
    try {
      rmSync(draft, { force: true });
    } catch {
      // The folder of the cache is a file, for example.
    }
  }
}

/** Removes what no build has used for 60 days, such as the memory of a folder that no longer exists. */
function removeOld(folder: string): void {
  const oldest = Date.now() - 60 * 86_400_000;
  for (const name of readdirSync(folder)) {
    const path = join(folder, name);
    if (statSync(path).mtimeMs < oldest) rmSync(path);
  }
}
