import { isUtf8 } from 'node:buffer';
import { type Dirent, lstatSync, readdirSync, readFileSync, type Stats } from 'node:fs';
import { join } from 'node:path';
import { digestOf, forEachStamp, noStamps, type Stamps, sourceStamps, statsOf } from '../lib/files.ts';
import { onceForLast } from '../lib/lazy.ts';
import { compareText, visible } from '../lib/text.ts';
import { requiredFiles } from '../schema/agent.ts';
import { ContentError } from '../schema/diagnostics/content-error.ts';
import { type Diagnostic, diagnose, type Finding, locationAt, type Wording } from '../schema/diagnostics/diagnostic.ts';
import { nearest } from '../schema/diagnostics/suggestions.ts';
import { maxSlugLength, reservedSlug, slugPattern } from '../schema/fields.ts';
import { fileMessages } from '../schema/messages/files.ts';
import { configExtensions, slugFrom } from '../schema/slugs.ts';

/** An entry of agents/ as read from disk, not yet parsed. */
export interface SourceFolder {
  slug: string;
  files: SourceFile[];
  /** Why the folder could not be read, or null. */
  problem: ReadProblem | null;
  /** A hash of the names and stamps of everything in it (see lib/files.ts); null if a file is too new. Absent if not on the disk. */
  stamp?: string | null;
}

interface SourceFile {
  /** Its path in the folder of the agent, such as `prompt.txt` or `evals/checks.yaml`. */
  name: string;
  /** Null if the file could not be read. */
  bytes: Buffer | null;
  problem: ReadProblem | null;
}

/**
 * Why a file or folder could not be read. `reason` depends on the kind: `unreadable` has the code of the system error,
 * such as EACCES; `too-large` has the size in bytes; and `not-a-file` has `folder` if it is one.
 */
interface ReadProblem {
  kind: 'unreadable' | 'symlink' | 'not-a-folder' | 'not-a-file' | 'too-large';
  reason: string;
}

/** The largest file that is read, in bytes. */
export const maxFileBytes = 256 * 1024;

/**
 * Lists every entry of agents/ in the folder `catalog`. The entries and their files are sorted by name. The files of a
 * folder are read when they are used, and only the files of the last folder are kept: together they would take more memory
 * than what is made of them.
 *
 * Hidden entries, such as .gitkeep and .DS_Store, are ignored. If agents/ is missing, there are no entries. `sources`
 * are the stamps of everything in agents/, if they are known. Throws ContentError if agents/ cannot be read.
 */
export function readAgents(catalog: string, sources: Stamps = noStamps): SourceFolder[] {
  const root = join(catalog, 'agents');
  const stamps = stampsByFolder(root, sources);
  const read = onceForLast(readFolder);
  return listEntries(root, catalog).map((entry) =>
    readEntry(root, entry.name, entry, { read, stamp: stamps.get(entry.name) }),
  );
}

/** Returns a folder that is not on the disk, with these texts by file name. */
export function folderOf(slug: string, texts: ReadonlyMap<string, string>): SourceFolder {
  const files = [...texts].map(([name, text]) => ({ name, bytes: Buffer.from(text), problem: null }));
  return { slug, files, problem: null };
}

/** Reads the entry of agents/ with this name, as `readAgents` does; null if there is none. */
export function readAgent(catalog: string, name: string): SourceFolder | null {
  const root = join(catalog, 'agents');
  const stats = statsOf(join(root, name));
  return stats === undefined ? null : readEntry(root, name, stats, { read: onceForLast(readFolder) });
}

/** Returns a folder whose files are listed and read with `read` when they are used. */
function readEntry(
  root: string,
  name: string,
  type: Pick<Stats, 'isSymbolicLink' | 'isDirectory'>,
  { read, stamp }: { read: typeof readFolder; stamp?: string | null | undefined },
): SourceFolder {
  if (type.isSymbolicLink()) return { slug: name, files: [], problem: { kind: 'symlink', reason: '' } };
  if (!type.isDirectory()) return { slug: name, files: [], problem: { kind: 'not-a-folder', reason: '' } };
  return new ReadableFolder(root, name, read, stamp);
}

/** A class: getters of an object literal take 700 bytes for each folder. */
class ReadableFolder implements SourceFolder {
  readonly slug: string;
  readonly #root: string;
  readonly #read: typeof readFolder;
  readonly #stamp: string | null | undefined;

  constructor(root: string, slug: string, read: typeof readFolder, stamp: string | null | undefined) {
    this.slug = slug;
    this.#root = root;
    this.#read = read;
    this.#stamp = stamp;
  }

  get files() {
    return this.#read(this.#path).files;
  }

  get problem() {
    return this.#read(this.#path).problem;
  }

  get stamp() {
    if (this.#stamp !== undefined) return this.#stamp;
    return stampsByFolder(this.#root, sourceStamps([this.#path])).get(this.slug) ?? null;
  }

  get #path() {
    return `${this.#root}/${this.slug}`;
  }
}

function listEntries(root: string, catalog: string) {
  try {
    return visibleEntries(root);
  } catch (error) {
    const reason = systemCode(error);
    if (reason === 'ENOENT') return [];
    const wording = fileMessages.unreadableAgents(join(catalog), reason);
    throw new ContentError([diagnose({ code: 'agents/unreadable', file: 'agents', ...wording })]);
  }
}

function readFolder(path: string): Pick<SourceFolder, 'files' | 'problem'> {
  try {
    return { files: readFiles(path), problem: null };
  } catch (error) {
    return { files: [], problem: { kind: 'unreadable', reason: systemCode(error) } };
  }
}

/** A hash of the stamps of everything in each folder below `root`, by its name; null if one of them is null. */
function stampsByFolder(root: string, sources: Stamps): Map<string, string | null> {
  const stamps = new Map<string, string | null>();
  forEachStamp(sources, (path, stamp) => {
    if (!path.startsWith(`${root}/`)) return;
    const inside = path.slice(root.length + 1);
    const [slug = ''] = inside.split('/', 1);
    const before = stamps.get(slug) ?? (stamps.has(slug) ? null : '');
    stamps.set(slug, before === null || stamp === null ? null : `${before}${inside} ${stamp}\n`);
  });
  for (const [slug, stamp] of stamps) if (stamp !== null) stamps.set(slug, digestOf(stamp));
  return stamps;
}

/** The folders of an agent that can contain more files: its cases, wrong answers, and the recorded ones of each model. */
const nested = /^evals(?:\/counterexamples|\/recordings(?:\/[^/]+)?)?$/;

/** Reads the files of a folder. `inside` is the path from the agent's folder, and starts the names of the files. */
function readFiles(path: string, inside = ''): SourceFile[] {
  return visibleEntries(path).flatMap((entry) => readFilesAt(`${path}/${entry.name}`, `${inside}${entry.name}`, entry));
}

function readFilesAt(path: string, name: string, entry: Dirent): SourceFile[] {
  if (entry.isSymbolicLink()) return [problem(name, 'symlink')];
  try {
    if (entry.isDirectory() && nested.test(name)) return readFiles(path, `${name}/`);
    if (!entry.isFile()) return [problem(name, 'not-a-file', entry.isDirectory() ? 'folder' : '')];
    const { size } = lstatSync(path);
    if (size > maxFileBytes) return [problem(name, 'too-large', String(size))];
    return [{ name, bytes: readFileSync(path), problem: null }];
  } catch (error) {
    return [problem(name, 'unreadable', systemCode(error))];
  }
}

function visibleEntries(path: string) {
  return readdirSync(path, { withFileTypes: true })
    .filter(({ name }) => !name.startsWith('.'))
    .sort((a, b) => compareText(a.name, b.name));
}

function problem(name: string, kind: ReadProblem['kind'], reason = ''): SourceFile {
  return { name, bytes: null, problem: { kind, reason } };
}

function systemCode(error: unknown): string {
  return (error as NodeJS.ErrnoException).code ?? 'unknown';
}

/**
 * Decodes a file of an agent, with LF line endings. Returns null if it is not UTF-8 or is empty. Only the input of a case
 * can be empty. Reports problems with its encoding.
 */
function decode(name: string, bytes: Buffer, report: (finding: Omit<Finding, 'slug' | 'file'>) => void): string | null {
  const at = (text: string, offset: number, code: Diagnostic['code'], wording: Wording) =>
    report({ code, text, location: locationAt(text, offset), ...wording });
  const wrong = wrongEncoding(name, bytes);
  if (wrong !== null) {
    report({ code: 'file/encoding', ...wrong });
    return null;
  }
  const marked = bytes.toString('utf8');
  const text = marked.replace(/^\uFEFF/, '');
  if (text !== marked) at(text, 0, 'text/hidden-character', fileMessages.byteOrderMark(name));
  const carriageReturn = text.indexOf('\r');
  if (carriageReturn !== -1) at(text, carriageReturn, 'file/line-ends', fileMessages.carriageReturns(name));
  if (text.trim() === '' && !/^evals\/[^/]+\.txt$/.test(name)) {
    report({ code: 'file/empty', ...fileMessages.emptyFile(name) });
    return null;
  }
  return text.replace(/\r\n?/g, '\n');
}

/** Says where and why bytes are not UTF-8, with the text that they seem to be; null if they are. */
export function wrongEncoding(name: string, bytes: Buffer) {
  const hasWrongUnits = isUtf16(bytes);
  if (isUtf8(bytes) && !hasWrongUnits) return null;
  const text = bytes.toString('utf8');
  const location = locationAt(text, hasWrongUnits ? 0 : firstInvalid(bytes, text));
  return { text, location, ...fileMessages.notUtf8(name, hasWrongUnits) };
}

/** Decodes a file that does not belong in an agent folder, to search it for secrets. Returns null if it is not text. */
export function textOf(bytes: Buffer): string | null {
  if (!isUtf8(bytes) || bytes.includes(0)) return null;
  return bytes.toString('utf8').replace(/\r\n?/g, '\n');
}

/** Whether bytes look like UTF-16: they start with its byte-order mark, or with alternating zero bytes. */
function isUtf16(bytes: Buffer): boolean {
  const [first, second, third, fourth] = bytes;
  if ((first === 0xff && second === 0xfe) || (first === 0xfe && second === 0xff)) return true;
  return bytes.length >= 4 && ((first === 0 && third === 0) || (second === 0 && fourth === 0));
}

/** Returns the position in `text`, the decoded bytes, of the first character that replaces bytes which are not UTF-8. */
function firstInvalid(bytes: Buffer, text: string): number {
  let offset = 0;
  let from = 0;
  for (;;) {
    const at = text.indexOf('\uFFFD', from);
    offset += Buffer.byteLength(text.slice(from, at));
    // The file itself can contain this character.
    if (bytes.toString('hex', offset, offset + 3) !== 'efbfbd') return at;
    offset += 3;
    from = at + 1;
  }
}

/**
 * Checks the name and the files of a folder and decodes them as UTF-8. Returns its readable texts by file name, the name of
 * its config file, and the problems with the folder and its files.
 */
export function decodeFolder(folder: SourceFolder) {
  const texts = new Map<string, string>();
  const diagnostics: Diagnostic[] = [];
  const report = (finding: Omit<Finding, 'slug' | 'file'>, name = '') =>
    diagnostics.push(diagnose({ ...finding, slug: folder.slug, file: pathOf(folder.slug, name) }));

  if (folder.problem?.kind !== 'not-a-folder') checkName(folder.slug, report);
  if (folder.problem !== null) {
    report(explainProblem(folder.problem, `agents/${folder.slug}`));
    return { texts, config: null, diagnostics };
  }
  const configs = folder.files.filter(({ name }) => /^config\.[A-Za-z0-9]+$/.test(name)).map(({ name }) => name);
  const isKnown = (name: string) => [...requiredFiles, ...configs].includes(name) || name.startsWith(evalsFolder);
  checkNames(folder, configs, report);

  for (const file of folder.files) {
    const { name, bytes, problem } = file;
    if (problem !== null && (isKnown(name) || isEvals(file))) report(explainProblem(problem, name), name);
    if (problem !== null || bytes === null) continue;
    const text = isKnown(name) ? decode(name, bytes, (finding) => report(finding, name)) : textOf(bytes);
    if (text !== null) texts.set(name, text);
  }
  return { texts, config: configs[0] ?? null, diagnostics };
}

/** The start of the names of files in the folder evals/, which ./evals.ts checks. */
export const evalsFolder = 'evals/';

/** Whether this is the folder evals/ itself, which cannot be read or is a symbolic link. */
function isEvals({ name, problem }: SourceFile): boolean {
  return `${name}/` === evalsFolder && (problem?.kind === 'unreadable' || problem?.kind === 'symlink');
}

/** Returns the path of a file of an agent, relative to the catalog folder. Without a name, the path of the agent folder. */
export function pathOf(slug: string, name: string): string {
  return name === '' ? `agents/${slug}` : `agents/${slug}/${name}`;
}

type Report = (finding: Omit<Finding, 'slug' | 'file'>, name?: string) => void;

function checkName(slug: string, report: Report): void {
  if (!slugPattern.test(slug) || slug.length > maxSlugLength) {
    report({ code: 'folder/name', ...fileMessages.wrongFolderName(slug, maxSlugLength, slugFrom(slug)) });
    return;
  }
  const reserved = reservedSlug(slug);
  if (reserved !== null) report({ code: 'folder/reserved-name', ...fileMessages.reservedFolderName(slug, reserved) });
}

function checkNames(folder: SourceFolder, configs: string[], report: Report): void {
  const files = folder.files.filter(({ name }) => !name.startsWith(evalsFolder));
  const names = files.map(({ name }) => name);
  const folders = files.filter(({ problem }) => problem?.kind === 'not-a-file').map(({ name }) => name);
  const evals = files.filter(isEvals).map(({ name }) => name);
  const agentFiles = [...requiredFiles, ...configs];
  const strangers = names.filter((name) => ![...agentFiles, ...folders, ...evals].includes(name));
  const missing: (typeof requiredFiles)[number][] = [];
  for (const name of requiredFiles.filter((required) => !names.includes(required))) {
    const slip = strangers.find((other) => plainStem(other) === plainStem(name)) ?? nearest(name, strangers);
    if (slip === undefined) missing.push(name);
    else {
      report({ code: 'folder/missing-file', ...fileMessages.misnamedFile(slip, name) }, slip);
      strangers.splice(strangers.indexOf(slip), 1);
    }
  }
  const hasNone = missing.length === requiredFiles.length;
  const isGroup = hasNone && folders.length > 0;
  if (isGroup) report({ code: 'folder/unknown-file', ...fileMessages.folderOfFolders(folders) });
  else if (hasNone) report({ code: 'folder/missing-file', ...fileMessages.allFilesMissing(missing) });
  else for (const name of missing) report({ code: 'folder/missing-file', ...fileMessages.fileMissing(name) });
  for (const { name, problem } of isGroup ? [] : files)
    if (problem?.kind === 'not-a-file' && !agentFiles.includes(name)) report(explainProblem(problem, name), name);
  for (const name of strangers) report({ code: 'folder/unknown-file', ...explainStranger(name, agentFiles) }, name);
  for (const name of configs) {
    const extension = name.slice('config.'.length);
    if (configExtensions.includes(extension)) continue;
    report({ code: 'config/extension', ...fileMessages.configExtension(extension, configExtensions) }, name);
  }
  for (const name of configs.slice(1))
    report({ code: 'folder/two-configs', ...fileMessages.severalConfigs(configs) }, name);
}

/** Returns the file name up to its first dot, in a canonical form for comparison. */
function plainStem(name: string): string {
  return name.toLowerCase().replace(/\..*$/, '').replace(/[_ ]/g, '-');
}

/** Explains a file that does not belong to an agent. */
function explainStranger(name: string, ownFiles: readonly string[]): Wording {
  const original = ownFiles.find((file) => isCopyOf(name, file));
  if (original !== undefined) return fileMessages.backupCopy(name, original);
  if (/^(?:thumbs\.db|ehthumbs\.db|desktop\.ini|icon\r)$/i.test(name)) return fileMessages.systemFile(name);
  if (/\.(?:png|jpe?g|gif|webp|avif|svg|heic|bmp|tiff?|pdf)$/i.test(name)) return fileMessages.picture(name);
  if (/^config\.[a-z0-9]+$/i.test(name)) return fileMessages.configInCapitals(name);
  return fileMessages.unknownFile(name, requiredFiles);
}

/**
 * Whether a name looks like a copy of `file` made by an editor or file manager: agent.md~, agent.md.bak, agent
 * (copy).md.
 */
function isCopyOf(name: string, file: string): boolean {
  const dot = file.lastIndexOf('.');
  const lower = name.toLowerCase();
  if (!lower.includes(file.slice(0, dot))) return false;
  const rest = lower.replace(file.slice(0, dot), '').replace(file.slice(dot), '');
  return /^[\s#~._-]*(?:\(?(?:copy of|copy|copie|kopie|kopia|copia|backup|bak|old|orig|rej|save|sw[a-p]|tmp|\d+)\)?[\s#~()\d._-]*)?$/.test(
    rest,
  );
}

function explainProblem({ kind, reason }: ReadProblem, name: string): Omit<Finding, 'slug' | 'file'> {
  switch (kind) {
    case 'symlink':
      return { code: 'folder/symlink', ...fileMessages.symbolicLink(name) };
    case 'not-a-folder':
      return { code: 'folder/not-a-folder', ...fileMessages.fileAmongFolders(name) };
    case 'not-a-file':
      return { code: 'folder/unknown-file', ...fileMessages.notAFile(name, reason === 'folder') };
    case 'too-large':
      return { code: 'file/too-large', ...fileMessages.fileTooLarge(name, reason, maxFileBytes) };
    case 'unreadable':
      return { code: 'folder/unreadable', ...fileMessages.unreadableFile(name, reason) };
  }
}

/**
 * Returns the diagnostic of an agent that the program fails on. `what` is the verb for the failed step, such as "read".
 */
export function unprocessable(slug: string, what: string, error: unknown): Diagnostic {
  const wording = fileMessages.unprocessableAgent(what, visible(String(error)).slice(0, 120));
  return diagnose({ code: 'agent/unprocessable', slug, file: pathOf(slug, 'agent.md'), ...wording });
}
