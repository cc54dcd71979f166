import { isUtf8 } from 'node:buffer';
import { pipeline } from 'node:stream';
import { CsvError, parse } from 'csv-parse';
import { splitFrontMatter } from '../catalog/parse/front-matter.ts';
import { maxFileBytes } from '../catalog/read.ts';
import { OperationError } from '../errors.ts';
import { line } from '../schema/fields.ts';

/** A prompt in another format. */
export interface Found {
  /** Where it is, such as `row 3 (line 9)` or the path of a file. */
  where: string;
  /** Its name, from which the slug is made. */
  name: string;
  /** Its title; null if it only has a name. */
  title: string | null;
  text: string;
  /** What it is about, in a line; null if it does not say so. */
  about: string | null;
  /** Its own license, or null. */
  license: string | null;
  /** What of it is not imported, as sentences. */
  notes: string[];
}

/** Something that cannot be imported. */
export interface Unusable {
  where: string;
  problem: string;
}

/** The formats that keep a prompt in a file: which files have one, and where its name is. */
export const fileFormats: Record<string, { files: RegExp; nameIn: 'folder' | 'file' }> = {
  skill: { files: /^SKILL\.md$/, nameIn: 'folder' },
  fabric: { files: /^system\.md$/, nameIn: 'folder' },
  copilot: { files: /\.(?:prompt|agent|chatmode)\.md$/, nameIn: 'file' },
  'claude-agent': { files: /^(?!README)[^.]+\.md$/i, nameIn: 'file' },
};

export const formats = ['prompts-chat', ...Object.keys(fileFormats)];

/** Keys of front matter that say how an assistant runs a prompt. An agent has no place for them. */
const settingKeys = ['tools', 'allowed-tools', 'model', 'agent', 'mode', 'mcp-servers', 'hooks'];

/** Reads the prompt in a file. `path` names it, with slashes. `beside` are the names of the other files in its folder. */
export function readPromptFile(
  format: string,
  path: string,
  bytes: Buffer,
  beside: readonly string[],
): Found | Unusable {
  const unusable = (problem: string) => ({ where: path, problem });
  if (bytes.length > maxFileBytes)
    return unusable(`It has ${bytes.length} bytes; at most ${maxFileBytes} are allowed.`);
  if (!isUtf8(bytes) || bytes.includes(0)) return unusable('It is not UTF-8 text.');
  const text = bytes
    .toString('utf8')
    .replace(/^\uFEFF/, '')
    .replace(/\r\n?/g, '\n');
  if (format === 'claude-agent' && !text.startsWith('---\n'))
    return unusable('It has no front matter, so it is no subagent.');
  const split = text.startsWith('---\n') ? splitFrontMatter(text, path, '') : { data: {}, body: text, diagnostics: [] };
  if ('code' in split) return unusable(`${split.message} ${split.hint}`);
  const data = split.data as Record<string, unknown>;
  const written = (key: string) => (typeof data[key] === 'string' ? data[key].trim().replace(/\s+/g, ' ') : null);
  const segments = path.split('/');
  const own = fileFormats[format]?.nameIn === 'folder' ? segments.at(-2) : segments.at(-1)?.replace(/\..*$/, '');
  const about = written('description');
  const dropped = settingKeys.filter((key) => Object.hasOwn(data, key));
  const left = format === 'skill' || format === 'fabric' ? beside : [];
  return {
    where: path,
    name: written('name') ?? own ?? '',
    title: null,
    text: split.body,
    about: about !== null && line(300).safeParse(about).success ? about : null,
    license: written('license'),
    notes: [
      ...split.diagnostics.map(({ line, message }) => `Line ${line} of its front matter was not read: ${message}`),
      ...(dropped.length === 0 ? [] : [`Not imported: ${dropped.join(', ')}.`]),
      ...(left.length === 0
        ? []
        : [`Not imported: ${left.length === 1 ? 'the file' : 'the files'} ${left.join(', ')} next to it.`]),
    ],
  };
}

/**
 * Reads the rows of a CSV in the format of prompts.chat, one at a time.
 *
 * Throws OperationError, naming row and line, at a row with broken quotes or another number of cells, and at text that is
 * not UTF-8. Rows shortly before it may be lost then.
 */
export async function* readPromptsChat(chunks: AsyncIterable<Buffer>): AsyncGenerator<Found | Unusable> {
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
        yield { where, name: act, title: act, text: prompt, about: null, license: null, notes: [] };
      } else yield { where, problem: `Its type is ${type}; only prompts of the type TEXT can be agents.` };
    }
  } catch (error) {
    if (!(error instanceof CsvError)) throw error;
    const row = `Row ${Number(error.records ?? 0) + 1} of the CSV, which starts in line ${next},`;
    throw new OperationError(`${row} cannot be read: ${reasonOf(error)}`, { cause: error });
  }
}

/** A row, and the line in which it starts. */
type Row = { act: string; prompt: string; type?: string; line: number };

function header(names: string[]): string[] {
  const missing = ['act', 'prompt'].filter((name) => !names.includes(name));
  if (missing.length === 0) return names;
  throw new OperationError(
    `The CSV has no column ${missing.join(' and no column ')}. Its first line has to name the columns act and prompt.`,
  );
}

function reasonOf({ code }: CsvError): string {
  switch (code) {
    case 'CSV_QUOTE_NOT_CLOSED':
    case 'CSV_MAX_RECORD_SIZE':
      return 'it has a quote that is never closed, or more than 256 KiB. Close the quote, and write each quote within a cell twice.';
    case 'CSV_RECORD_INCONSISTENT_COLUMNS':
    case 'CSV_RECORD_INCONSISTENT_FIELDS_LENGTH':
      return 'it has another number of cells than the first line. Put cells with commas or line breaks in quotes.';
    default:
      return 'it has a quote in the middle of a cell. Put the whole cell in quotes, and write each quote within it twice.';
  }
}

/** Decodes a stream of bytes. Throws OperationError if they are not UTF-8. */
async function* utf8(chunks: AsyncIterable<Buffer>): AsyncGenerator<string> {
  const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });
  let line = 1;
  try {
    for await (const chunk of chunks) {
      const text = decoder.decode(chunk, { stream: true });
      line += text.split('\n').length - 1;
      yield text;
    }
    yield decoder.decode();
  } catch (error) {
    if (!(error instanceof TypeError)) throw error;
    throw new OperationError(
      `The CSV is not UTF-8 text: the first wrong character is in line ${line} or after it. Save it in UTF-8.`,
      { cause: error },
    );
  }
}
