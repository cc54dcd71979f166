import { isUtf8 } from 'node:buffer';
import { join } from 'node:path';
import { visible } from '../../lib/text.ts';
import { requiredFiles } from '../../schema/agent.ts';
import { type Diagnostic, diagnose, type Finding, type Wording } from '../../schema/diagnostics/diagnostic.ts';
import { locationAt } from '../../schema/diagnostics/location.ts';
import { nearest } from '../../schema/diagnostics/suggestions.ts';
import { maxSlugLength, reservedSlug, slugPattern } from '../../schema/fields.ts';
import { fileMessages } from '../../schema/messages/files.ts';
import { configExtensions, slugFrom } from '../../schema/slugs.ts';
import { maxFileBytes, type ReadProblem, type SourceFile, type SourceFolder } from '../read.ts';

/**
 * Decodes a file of an agent, with LF line endings. Returns null if it is not UTF-8 or is empty. Only the input of a case
 * can be empty. Reports problems with its encoding.
 */
function decode(name: string, bytes: Buffer, report: (finding: Omit<Finding, 'slug' | 'file'>) => void): string | null {
  const at = (text: string, offset: number, code: Diagnostic['code'], wording: Wording) =>
    report({ code, text, location: locationAt(text, offset), ...wording });
  if (!isUtf8(bytes) || isUtf16(bytes)) {
    const text = bytes.toString('utf8');
    at(
      text,
      isUtf16(bytes) ? 0 : firstInvalid(bytes, text),
      'file/encoding',
      fileMessages.notUtf8(name, isUtf16(bytes)),
    );
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

/** The readable texts of a folder, by file name, and the problems with the folder and its files. */
interface FolderTexts {
  texts: ReadonlyMap<string, string>;
  /** The name of the config file, or null. */
  config: string | null;
  diagnostics: Diagnostic[];
}

/** Checks the name and the files of a folder and decodes them as UTF-8. */
export function decodeFolder(folder: SourceFolder): FolderTexts {
  const diagnostics: Diagnostic[] = [];
  const report = (finding: Omit<Finding, 'slug' | 'file'>, name = '') =>
    diagnostics.push(diagnose({ ...finding, slug: folder.slug, file: pathOf(folder.slug, name) }));

  if (folder.problem?.kind !== 'not-a-folder') checkName(folder.slug, report);
  if (folder.problem !== null) {
    report(explainProblem(folder.problem, `agents/${folder.slug}`));
    return { texts: new Map(), config: null, diagnostics };
  }
  const configs = folder.files.filter(({ name }) => /^config\.[A-Za-z0-9]+$/.test(name)).map(({ name }) => name);
  const isKnown = (name: string) => [...requiredFiles, ...configs].includes(name) || name.startsWith(evalsFolder);
  checkNames(folder, configs, report);

  const texts = new Map<string, string>();
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

/** Returns the path of a file of an agent, relative to the catalog folder. Without a name, that of the agent folder. */
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
  const strangers = names.filter((name) => ![...requiredFiles, ...configs, ...folders, ...evals].includes(name));
  const missing: (typeof requiredFiles)[number][] = [];
  for (const name of requiredFiles.filter((required) => !names.includes(required))) {
    const slip = strangers.find((other) => plainStem(other) === plainStem(name)) ?? nearest(name, strangers);
    if (slip === undefined) missing.push(name);
    else {
      report({ code: 'folder/missing-file', ...fileMessages.misnamedFile(slip, name) }, slip);
      strangers.splice(strangers.indexOf(slip), 1);
    }
  }
  const isGroup = missing.length === requiredFiles.length && folders.length > 0;
  if (isGroup) {
    report({ code: 'folder/unknown-file', ...fileMessages.folderOfFolders(folders) });
  } else {
    if (missing.length === requiredFiles.length) {
      report({ code: 'folder/missing-file', ...fileMessages.allFilesMissing(missing) });
    } else for (const name of missing) report({ code: 'folder/missing-file', ...fileMessages.fileMissing(name) });
    for (const { name, problem } of files) {
      const isKnown = [...requiredFiles, ...configs].includes(name);
      if (problem?.kind === 'not-a-file' && !isKnown) report(explainProblem(problem, name), name);
    }
  }
  for (const name of strangers) {
    report({ code: 'folder/unknown-file', ...explainStranger(name, [...requiredFiles, ...configs]) }, name);
  }
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
function explainStranger(name: string, known: readonly string[]): Wording {
  const original = known.find((file) => isCopyOf(name, file));
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
  return diagnose({
    code: 'agent/unprocessable',
    slug,
    file: pathOf(slug, 'agent.md'),
    ...fileMessages.unprocessableAgent(what, visible(String(error)).slice(0, 120)),
  });
}

/** The diagnostic of a folder agents/ that cannot be read. */
export function unreadable(cwd: string, error: unknown): Diagnostic {
  const reason = (error as NodeJS.ErrnoException).code ?? String(error);
  return diagnose({ code: 'agents/unreadable', file: 'agents', ...fileMessages.unreadableAgents(join(cwd), reason) });
}
