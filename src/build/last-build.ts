import { createHash } from 'node:crypto';
import {
  closeSync,
  existsSync,
  openSync,
  readdirSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';
import type { ContentMemory } from '../content/load.ts';
import { addDays, zone } from '../lib/calendar.ts';
import { orElse, succeeds } from '../lib/errors.ts';
import {
  areSettled,
  currentOutputStamps,
  digestOf,
  makeFolder,
  outputStamps,
  removeUnused,
  type Stamps,
  sha256Of,
  sourceStamps,
} from '../lib/files.ts';
import { gitFiles, gitStamp, isInRepository } from '../lib/git.ts';
import { entry } from '../lib/groups.ts';
import { programFiles, programVersion } from '../program.ts';
import type { AgentHead } from '../schema/agent.ts';
import type { BuildInfo } from '../schema/documents.ts';
import type { KnownVersions, Related, Site } from '../site/site.ts';
import type { BuildWriter, BuiltFile } from './write.ts';

/** The state that a build keeps in the cache for the next build into the same folder. */
interface Remembered {
  /** A hash of what all files depend on: settings, templates, program. If it differs, nothing is used. */
  common: string;
  /** The agents in folders without errors, with the stamps of the folders. */
  agents: [slug: string, { stamp: string; head: AgentHead }][];
  /** The files of the build. */
  files: [path: string, BuiltFile][];
  /** Which agents are related, and a hash of what decides it. */
  related: Related | null;
  versions: KnownVersions;
  /** Results of Git commands, and a stamp of the commits and branches. */
  git: { stamp: string | null; said: Record<string, unknown> };
}

/**
 * The state of the last build into a folder. It only saves time: if the cache is missing, damaged or from other settings,
 * everything is rendered again, with the same bytes.
 */
export class BuildMemory implements ContentMemory {
  readonly #file: string | null;
  readonly #agents: ReadonlyMap<string, Remembered['agents'][number][1]>;
  readonly #said: Remembered['git']['said'];
  readonly #next: Pick<Remembered, 'common' | 'agents' | 'git'>;
  readonly #inRepository: boolean;
  /** Whether the last build succeeded with the same settings, templates and program. */
  readonly isKnown: boolean;
  /** The files that the last build left. */
  readonly files: ReadonlyMap<string, BuiltFile>;
  /** Which agents were related in the last build. */
  readonly related: Related | null;
  /** The versions of plugins in the last build. */
  readonly versions: KnownVersions;

  /**
   * `cache` is the cache folder, or null. `cwd` is the catalog folder, `out` the build folder, and `common` a hash of what
   * all files depend on.
   */
  constructor(cache: string | null, { cwd, out, common }: { cwd: string; out: string; common: string }) {
    this.#file = cache === null ? null : memoryFile(cache, out, 'files');
    // Without the build, every file has to be rendered, and every agent read.
    const read = this.#file === null || !existsSync(out) ? null : readChecked<Remembered>(this.#file);
    const usable = read?.common === common ? read : null;
    this.isKnown = usable !== null;
    this.#agents = new Map(usable?.agents);
    this.files = new Map(usable?.files);
    this.related = usable?.related ?? null;
    this.versions = usable?.versions ?? [];
    const stamp = cache === null ? null : gitStamp(cwd);
    this.#inRepository = isInRepository(cwd);
    this.#next = { common, agents: [], git: { stamp, said: {} } };
    this.#said = stamp !== null && usable?.git.stamp === stamp ? usable.git.said : {};
  }

  recall(slug: string, stamp: string): AgentHead | undefined {
    const cached = this.#agents.get(slug);
    return cached?.stamp === stamp ? cached.head : undefined;
  }

  remember(stamp: string, head: AgentHead): void {
    this.#next.agents.push([head.slug, { stamp, head }]);
  }

  ofGit<Value>(name: string, read: () => Value, isComplete: (value: Value) => boolean): Value {
    const value = name in this.#said ? (this.#said[name] as Value) : read();
    if (isComplete(value) || !this.#inRepository) this.#next.git.said[name] = value;
    return value;
  }

  /** Leaves what the next build needs. Nothing is thrown: without it, the next build takes longer. */
  save({ files }: Pick<BuildWriter, 'files'>, { related, plugins }: Pick<Site, 'related' | 'plugins'>): void {
    if (this.#file === null) return;
    const build = { files: [...files], related, versions: plugins.known };
    writeChecked(this.#file, { ...this.#next, ...build } satisfies Remembered);
  }
}

/** The cache file for one kind of data about the build in `out`. */
export function memoryFile(cache: string, out: string, what: string): string {
  const name = sha256Of(resolve(out)).slice(0, 32);
  return join(cache, 'builds', `${name}-${what}.json`);
}

/** Reads a file of writeChecked. Returns null if it is missing or damaged. */
export function readChecked<Value>(file: string): Value | null {
  return orElse(() => {
    const bytes = readFileSync(file);
    const body = bytes.subarray(0, bytes.lastIndexOf('\n'));
    const isWhole = bytes.toString('latin1', body.length) === `\n${digestOf(body)}`;
    return isWhole ? (JSON.parse(body.toString()) as Value) : null;
  }, null);
}

/** Writes an object as JSON and then its hash, and replaces the file in one step. Nothing is thrown. */
export function writeChecked(file: string, value: object): void {
  const draft = `${file}.${process.pid}`;
  const isWritten = succeeds(() => {
    makeFolder(dirname(file));
    const hash = createHash('sha256');
    const target = openSync(draft, 'w', 0o600);
    try {
      for (const piece of jsonOf(value)) {
        hash.update(piece);
        writeFileSync(target, piece);
      }
      writeFileSync(target, `\n${hash.digest('base64url')}`);
    } finally {
      closeSync(target);
    }
    renameSync(draft, file);
    // Such as the memory of a folder that no longer exists.
    removeUnused(dirname(file));
  });
  // It fails if the folder of the cache is a file, for example.
  if (!isWritten) orElse(() => rmSync(draft, { force: true }), undefined);
}

/** The JSON of an object, with its lists in pieces: as one text, the lists of 10,000 agents would take 100 MiB. */
function* jsonOf(value: object): Generator<string> {
  yield '{';
  let separator = '';
  for (const [name, field] of Object.entries(value)) {
    yield `${separator}${JSON.stringify(name)}:`;
    separator = ',';
    if (!Array.isArray(field) || field.length === 0) yield JSON.stringify(field);
    else {
      for (let start = 0; start < field.length; start += 1000) {
        yield `${start === 0 ? '[' : ','}${JSON.stringify(field.slice(start, start + 1000)).slice(1, -1)}`;
      }
      yield ']';
    }
  }
  yield '}';
}

/** Where a build reads and writes, and what else decides its bytes. */
interface Place {
  /** The catalog folder. */
  cwd: string;
  out: string;
  /** The cache folder. */
  cache: string;
  /** The command's options and environment variables, except the day. */
  options: readonly unknown[];
}

/** The printed facts of a build. */
interface Outcome {
  /** The day for which it was built. */
  day: string;
  info: BuildInfo;
  historyMissing: string | null;
}

type Built = Pick<BuildWriter, 'files' | 'folders'>;

interface LastBuild<Saved> extends Outcome {
  options: string;
  /** When the day begins and ends in the catalog's time zone, in milliseconds since 1970. */
  begin: number;
  end: number;
  inputs: Saved;
  /** The build folder with links resolved. */
  root: string;
  outputs: Saved;
}

/** Stamps as JSON. Numbers in base64 are read twenty times faster than decimals, and one text faster than thousands. */
interface SavedStamps {
  /** With a NUL between them, which no path contains. */
  paths: string;
  numbers: string;
}

/**
 * Finds the last build into a folder if another build would be the same. It compares the stamps (see lib/files.ts) of
 * everything that builds read and wrote, without loading the code that renders. `today` is the day to build for, by default the
 * current one. `inputs` are the stamps of everything that a build reads, or null if they cannot tell whether it changed, or if no
 * build is remembered, because `place` is null. `remember` is called after a build of these inputs without warnings.
 */
export function checkUnchanged(place: Place | null, today: string | undefined) {
  const git = place === null ? null : gitFiles(place.cwd);
  if (place === null || git === null) return { unchanged: null, inputs: null, remember: () => {} };
  const last = readLast(place);
  const own = ['agents', 'templates', 'catalog.config.json'].map((name) => join(place.cwd, name));
  const inputs = sourceStamps([...own, ...programFiles, ...git], last?.inputs);
  return {
    unchanged: last !== null && areSame(last.inputs, inputs) && isSame(last, place, today) ? (last as Outcome) : null,
    inputs,
    remember: (outcome: Outcome, timezone: string, build: Built) => remember(place, inputs, outcome, timezone, build),
  };
}

/** Whether the same paths have the same stamps, and none of them can hide a change. */
function areSame(left: Stamps, right: Stamps): boolean {
  return (
    left.paths.length === right.paths.length &&
    left.numbers.every((number, index) => number === right.numbers[index]) &&
    left.paths.every((path, index) => path === right.paths[index])
  );
}

/** Whether a build of the same inputs as the last would write the same files. */
function isSame(last: LastBuild<Stamps>, place: Place, today: string | undefined): boolean {
  const { root } = last;
  if (!existsSync(place.out) || realpathSync(place.out) !== root) return false;
  // A killed build may have left something next to the folder, such as new files that a server already reads.
  if (readdirSync(dirname(root)).some((name) => name.startsWith(`.${basename(root)}.`))) return false;
  const now = Date.now();
  const isDay = today === undefined ? last.begin <= now && now < last.end : today === last.day;
  return isDay && areSame(last.outputs, currentOutputStamps(last.outputs.paths));
}

/** Remembers a build for which git did not fail. `inputs` are those before it. */
function remember(place: Place, inputs: Stamps, outcome: Outcome, timezone: string, { files, folders }: Built): void {
  if (!existsSync(place.out) || !areSettled(inputs)) return;
  // Git may have failed for a reason that no stamp shows.
  if (outcome.historyMissing !== null && isInRepository(place.cwd)) return;
  const root = realpathSync(place.out);
  const { startOfDay } = zone(timezone);
  const last: LastBuild<SavedStamps> = {
    ...outcome,
    options: optionsOf(place),
    begin: startOfDay(outcome.day).getTime(),
    end: startOfDay(addDays(outcome.day, 1)).getTime(),
    inputs: savedOf(inputs),
    root,
    outputs: savedOf(outputsIn(root, { files, folders })),
  };
  writeChecked(memoryFile(place.cache, place.out, 'unchanged'), last);
}

/** The stamps of a build. A file with several names has one of them: as long as its folders stay, so do the other names. */
function outputsIn(root: string, { files, folders }: Built): Stamps {
  const once = new Map<string, string>();
  for (const [path, { stamp }] of files) once.set(stamp, path);
  const paths = [...once.values(), ...folders.keys()].map((path) => (path === '' ? root : `${root}/${path}`));
  return outputStamps(paths, once.keys(), folders.values());
}

function savedOf({ paths, numbers }: Stamps): SavedStamps {
  return { paths: paths.join('\0'), numbers: Buffer.from(numbers.buffer).toString('base64') };
}

/** Reads the last build with these options. Returns null if there is none that this version of the program remembered. */
function readLast(place: Place): LastBuild<Stamps> | null {
  const saved = readChecked<LastBuild<SavedStamps>>(memoryFile(place.cache, place.out, 'unchanged'));
  if (saved?.options !== optionsOf(place)) return null;
  return { ...saved, inputs: restored(saved.inputs), outputs: restored(saved.outputs) };
}

function restored({ paths, numbers }: SavedStamps): Stamps {
  const bytes = new Uint8Array(Buffer.from(numbers, 'base64'));
  return { paths: paths.split('\0'), numbers: new Float64Array(bytes.buffer) };
}

function optionsOf({ cwd, options }: Place): string {
  return JSON.stringify([programVersion, cwd, options, process.versions]);
}

/** Keeps what Git said until commits or branches change. */
export function gitMemory(cwd: string) {
  let stamp: string | null = null;
  const said = new Map<string, unknown>();
  return {
    /** Whether Git still says the same. */
    isCurrent: () => stamp !== null && gitStamp(cwd) === stamp,
    /** Begins an update: forgets what may not be so any more. */
    begin(): void {
      const now = gitStamp(cwd);
      if (now === null || now !== stamp) said.clear();
      stamp = now;
    },
    ofGit: <Value>(name: string, read: () => Value) => entry(said, name, read) as Value,
  };
}
