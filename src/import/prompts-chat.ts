import { pipeline } from 'node:stream';
import { CsvError, parse } from 'csv-parse';
import { maxFileBytes } from '../catalog/read.ts';
import { OperationError } from '../errors.ts';
import type { Found, Skipped } from './formats.ts';

/**
 * Reads the rows of a CSV in the format of prompts.chat, one at a time.
 *
 * Throws OperationError, naming row and line, at a row with broken quotes or another number of cells, and at text that is
 * not UTF-8. Rows shortly before it may be lost then.
 */
export async function* readPromptsChat(chunks: AsyncIterable<Buffer>): AsyncGenerator<Found | Skipped> {
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
      } else yield { where, reason: `Its type is ${type}; only prompts of the type TEXT can be agents.` };
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
      return 'it has a different number of cells than the first line. Put cells with commas or line breaks in quotes.';
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
      `The CSV is not UTF-8 text: the first invalid character is on line ${line} or after it. Save it in UTF-8.`,
      { cause: error },
    );
  }
}
