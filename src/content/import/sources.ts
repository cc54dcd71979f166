import { isUtf8 } from 'node:buffer';
import { createReadStream, readdirSync, readFileSync, statSync } from 'node:fs';
import { basename, dirname, join, relative, resolve, sep } from 'node:path';
import { pipeline, Readable } from 'node:stream';
import { CsvError, parse } from 'csv-parse';
import { OperationError, orElse, prevented } from '../../lib/errors.ts';
import { sha256Of } from '../../lib/files.ts';
import { compareText, servedText } from '../../lib/text.ts';
import { line } from '../../schema/fields.ts';
import { slugFrom } from '../../schema/slugs.ts';
import { isInputName, reservedName } from '../../text/prompt-text.ts';
import { splitFrontMatter } from '../parse/front-matter.ts';
import { maxFileBytes } from '../read.ts';
import { download } from './download.ts';
import { fileFormats } from './formats.ts';

/** A prompt in another format. */
export interface ForeignPrompt {
  /** Where it is, such as `row 3 (line 9)` or the path of a file. */
  where: string;
  /** Its name, from which the slug is made. */
  name: string;
  /** Its title; null if it only has a name. */
  title: string | null;
  text: string;
  /** The line on which the text starts, from 1. */
  line: number;
  /** Lines of INPUT that declare the inputs which the text names. */
  inputs?: string[];
  /** Its subject, in a line; null if it does not say so. */
  about: string | null;
  /** Its own license, or null. */
  license: string | null;
  /** The parts that are not imported, as sentences. */
  notes: string[];
}

/** Something that cannot be imported because of an error. */
export interface Unusable {
  where: string;
  problem: string;
}

/** Something that is left out by design, because it is not a prompt for text. */
export interface Skipped {
  where: string;
  reason: string;
}

/** Reads the prompt in a file. `path` names it, with slashes. `beside` are the names of the other files in its folder. */
function readPromptFile(
  format: string,
  path: string,
  bytes: Buffer,
  beside: readonly string[],
): ForeignPrompt | Unusable {
  const unusable = (problem: string) => ({ where: path, problem });
  if (bytes.length > maxFileBytes)
    return unusable(`It has ${bytes.length} bytes; at most ${maxFileBytes} are allowed.`);
  if (!isUtf8(bytes) || bytes.includes(0)) return unusable('It is not UTF-8 text.');
  const served = servedText(bytes.toString('utf8'));
  // Cursor does not quote patterns, which YAML would take for aliases.
  const file = format === 'cursor' ? served.replace(/^globs:[ \t]*(\*.*)$/m, "globs: '$1'") : served;
  if (format === 'claude-agent' && !file.startsWith('---\n'))
    return unusable('It has no front matter, so it is not a subagent.');
  const split = file.startsWith('---\n') ? splitFrontMatter(file, path, '') : { data: {}, body: file, diagnostics: [] };
  if ('code' in split) return unusable(`${split.message} ${split.hint}`);
  const data: Record<string, unknown> = split.data;
  const published = publishedPrompt(split.body, data.metadata);
  const written = published ?? split.body;
  const { text, inputs, notes } = withInputs(written, format);
  const lineOf = (key: string) => (typeof data[key] === 'string' ? data[key].trim().replace(/\s+/g, ' ') : null);
  const own = fileFormats[format]?.nameIn === 'folder' ? basename(dirname(path)) : basename(path).replace(/\..*$/, '');
  const about = line(300).safeParse(lineOf('description')).data ?? null;
  // Other keys say how an assistant runs a prompt: an agent has no place for them.
  const imported = new Map(['name', 'title', 'license'].map((key) => [key, lineOf(key)])).set('description', about);
  const dropped = Object.keys(data).filter((key) => (data[key] ?? '') !== '' && !imported.get(key));
  const [unread, ...more] = split.diagnostics;
  const left = format === 'skill' || format === 'fabric' ? beside : [];
  return {
    where: path,
    name: lineOf('name') ?? own,
    title: lineOf('title'),
    text,
    line: file.slice(0, file.lastIndexOf(written)).split('\n').length,
    inputs,
    about,
    license: lineOf('license'),
    notes: [
      unread &&
        `Line ${unread.line} of its front matter ${more.length === 0 ? 'was' : `and ${more.length} more were`} not read: ${unread.message}`,
      dropped.length > 0 && `Not imported: ${dropped.join(', ')}.`,
      published !== null && 'Not imported: the text around its prompt.',
      ...notes,
      left.length > 0 && `Not imported: the ${left.length === 1 ? 'file' : 'files'} ${left.join(', ')} next to it.`,
    ].filter((note) => typeof note === 'string'),
  };
}

/** The prompt in a skill that a catalog published: the part with the digest in its front matter. Null in other texts. */
function publishedPrompt(text: string, metadata: unknown): string | null {
  const prompt = /\n## Prompt\n\n(.*\n)\n## How it works\n/s.exec(text)?.[1] ?? '';
  // A skill has a space or a backslash where Claude Code would run or replace a part of the prompt.
  const original = prompt.replace(/(?<=!) (?=`)|(?<=```) (?=!)|\\(?=\$(?:\d|ARGUMENTS))/g, '');
  const digest = (metadata as { sha256?: unknown } | null)?.sha256;
  return [prompt, original].find((each) => sha256Of(each) === digest) ?? null;
}

/** The variables of a format, with a name and, for Copilot, a placeholder or, for prompts.chat, a default value. */
const variables: Record<string, RegExp> = {
  copilot: /\$\{input:([\w.-]{1,40})(?::([^}\n]{0,300}))?\}/g,
  'prompts-chat': /\$\{([a-z_][\w ]{0,39}?)(?::([^}\n]{0,300}))?\}/gi,
};

/** Replaces the variables of a format with named inputs. Others stay, and the notes name them. */
function withInputs(body: string, format: string): Pick<ForeignPrompt, 'text' | 'notes'> & { inputs: string[] } {
  const form = variables[format];
  if (form === undefined) return { text: body, inputs: [], notes: [] };
  const declared = new Map<string, string>();
  const text = body.replace(form, (whole, written: string, detail = '') => {
    const words = slugFrom(written.replace(/([a-z0-9])([A-Z])/g, '$1 $2')).replaceAll('-', ' ');
    const name = words === reservedName ? 'TEXT' : words.toUpperCase();
    if (!isInputName(name)) return whole;
    const hint = detail.trim();
    const about = `the ${name.toLowerCase()}`;
    if (hint === '') declared.set(name, declared.get(name) ?? `- ${name} (required): ${about}`);
    else if (format === 'copilot') declared.set(name, `- ${name} (required): ${hint}`);
    else declared.set(name, `- ${name} (optional): ${about}. Without it, use "${hint}".`);
    return name;
  });
  const left = [...new Set(text.match(/\$\{[^{}\n]{1,100}\}/g) ?? [])];
  const notes = left.length === 0 ? [] : [`Left in its text for you to replace: ${left.join(', ')}.`];
  return { text, inputs: [...declared.values()], notes };
}

/**
 * Reads the rows of a CSV in the format of prompts.chat, one at a time.
 *
 * Throws OperationError, naming row and line, at a row with broken quotes or another number of cells, and at text that is
 * not UTF-8. Rows shortly before it may be lost then.
 */
export async function* readPromptsChat(chunks: AsyncIterable<Buffer>): AsyncGenerator<ForeignPrompt | Skipped> {
  let next = 2;
  const parser = parse({
    columns: header,
    bom: true,
    skip_empty_lines: true,
    max_record_size: maxFileBytes,
    on_record(row: Omit<Row, 'line'>, { lines }): Row {
      const line = next;
      next = lines + 1;
      return { ...row, line };
    },
  });
  pipeline(utf8(chunks), parser, () => {});
  let count = 0;
  try {
    for await (const { act, prompt, type = '', line } of parser as AsyncIterable<Row>) {
      count += 1;
      const where = `row ${count} (line ${line})`;
      if (type === '' || type === 'TEXT') {
        yield { where, name: act, title: act, line, about: null, license: null, ...withInputs(prompt, 'prompts-chat') };
      } else yield { where, reason: `Its type is ${type}; only prompts of the type TEXT can be agents.` };
    }
  } catch (error) {
    if (!(error instanceof CsvError)) throw error;
    const row = `Row ${Number(error.records ?? 0) + 1} of the CSV, which starts in line ${next},`;
    throw new OperationError(`${row} cannot be read: ${reasonOf(error)}`, { cause: error });
  }
  if (count === 0) throw new OperationError(`The CSV has no row. ${form} Each row below it is a prompt.`);
}

const form = 'Its first line has to name the columns act and prompt.';

/** A row, and the line in which it starts. */
type Row = { act: string; prompt: string; type?: string; line: number };

function header(names: string[]): string[] {
  const missing = ['act', 'prompt'].filter((name) => !names.includes(name));
  if (missing.length === 0) return names;
  throw new OperationError(`The CSV has no column ${missing.join(' and no column ')}. ${form}`);
}

function reasonOf({ code }: CsvError): string {
  if (['CSV_QUOTE_NOT_CLOSED', 'CSV_MAX_RECORD_SIZE'].includes(code))
    return 'it has a quote that is never closed, or more than 256 KiB. Close the quote, and write each quote within a cell twice.';
  if (code.startsWith('CSV_RECORD_INCONSISTENT'))
    return 'it has a different number of cells than the first line. Put cells with commas or line breaks in quotes.';
  return 'it has a quote in the middle of a cell. Put the whole cell in quotes, and write each quote within it twice.';
}

/** Decodes a stream of bytes. Throws OperationError if they are not UTF-8. */
async function* utf8(chunks: AsyncIterable<Buffer>): AsyncGenerator<string> {
  const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });
  const linesOf = (bytes: Buffer) => bytes.toString('latin1').split('\n');
  let line = 1;
  let last: Buffer = Buffer.alloc(0);
  try {
    for await (const chunk of chunks) {
      [line, last] = [line + linesOf(last).length - 1, chunk];
      yield decoder.decode(chunk, { stream: true });
    }
    yield decoder.decode();
  } catch (error) {
    if (!(error instanceof TypeError)) throw error;
    // The first line of a part of the file may begin within a character.
    const index = linesOf(last).findIndex((text) => !isUtf8(Buffer.from(text, 'latin1')));
    const place = `the first invalid character is on line ${line + Math.max(0, index)} or after it`;
    throw new OperationError(`The CSV is not UTF-8 text: ${place}. Save it in UTF-8.`, { cause: error });
  }
}

/** The format of a file with this name, or null. Subagents are read like any Markdown, and only --from demands their form. */
function formatOf(name: string): string | null {
  const isOfName = (format: string) => format !== 'claude-agent' && fileFormats[format]?.files.test(name) === true;
  return /\.csv$/i.test(name) ? 'prompts-chat' : (Object.keys(fileFormats).find(isOfName) ?? null);
}

export function isAddress(from: string): boolean {
  return /^[a-z][a-z\d+.-]+:\/\//i.test(from);
}

/**
 * Reads the prompts in a file, a folder or at an address, one at a time. Without a format, names say which one a file has.
 * Folders are searched for the files of the format, in the order of their paths; symbolic links, .git and node_modules
 * within them are left out.
 *
 * Throws OperationError if nothing can be read there.
 */
export async function* readPrompts(
  onlyFormat: string | undefined,
  from: string,
): AsyncGenerator<ForeignPrompt | Skipped | Unusable> {
  const name = isAddress(from) ? pathIn(from) : from;
  const formatFor = (path: string) => onlyFormat ?? formatOf(basename(path)) ?? 'text';
  const format = formatFor(name);
  if (format === 'prompts-chat') {
    const chunks = isAddress(from) ? await Readable.from(download(from)).toArray() : null;
    if (chunks === null && kindOf(from) !== 'file')
      throw new OperationError(`${from} is not a file. Name the CSV itself.`);
    const open = () => (chunks === null ? createReadStream(from) : Readable.from(chunks));
    // A broken CSV is refused before anything of it is imported.
    for await (const _ of readPromptsChat(open()));
    return yield* readPromptsChat(open());
  }
  if (isAddress(from)) {
    const chunks = await Readable.from(download(from)).toArray();
    return yield readPromptFile(format, name, Buffer.concat(chunks), []);
  }
  const root = resolve(from);
  const files = promptFiles(onlyFormat, root);
  if (files.length === 0) {
    const kind = onlyFormat === undefined ? 'a format that can be imported' : `the format ${onlyFormat}`;
    throw new OperationError(`${from} has no files of ${kind}.`);
  }
  // The folder of a file can be its name.
  const base = files[0] === root ? dirname(dirname(root)) : dirname(root);
  for (const path of files) {
    const beside = readdirSync(dirname(path)).filter((name) => name !== basename(path) && !name.startsWith('.'));
    const shown = relative(base, path).split(sep).join('/');
    yield readPromptFile(formatFor(path), shown, readFileSync(path), beside.sort(compareText));
  }
}

/** The path of an address, without percent-encoding. */
function pathIn(address: string): string {
  const { pathname } = new URL(address);
  return orElse(() => decodeURIComponent(pathname), pathname);
}

function promptFiles(format: string | undefined, path: string): string[] {
  if (kindOf(path) === 'file') return [path];
  const isPrompt = (name: string) =>
    format === undefined ? (formatOf(name) ?? '') in fileFormats : fileFormats[format]?.files.test(name);
  const files = readdirSync(path, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && isPrompt(entry.name))
    .filter(({ parentPath }) => !/(?:^|[\\/])(?:\.git|node_modules)(?:[\\/]|$)/.test(relative(path, parentPath)))
    .map((entry) => join(entry.parentPath, entry.name))
    .sort(compareText);
  if (format !== undefined) return files;
  // Other texts in the folder of a skill or pattern are its files, not prompts.
  const owners = files.filter((file) => /^(?:SKILL|system)\.md$/.test(basename(file)));
  return files.filter(
    (file) => owners.includes(file) || !owners.some((owner) => file.startsWith(`${dirname(owner)}${sep}`)),
  );
}

function kindOf(path: string): 'file' | 'folder' {
  try {
    const stats = statSync(path);
    if (stats.isDirectory()) return 'folder';
    if (stats.isFile()) return 'file';
  } catch (error) {
    throw prevented(`${path} cannot be read`, error);
  }
  throw new OperationError(`${path} is neither a file nor a folder.`);
}
