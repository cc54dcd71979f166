import { createReadStream } from 'node:fs';
import * as fs from 'node:fs/promises';
import { basename, dirname, extname, join } from 'node:path';
import { createGunzip } from 'node:zlib';
import * as z from 'zod';
import { parseJsonLine } from '../lib/bounded.ts';
import { OperationError, orElse } from '../lib/errors.ts';
import { compareText } from '../lib/text.ts';
import { type Disk, hasCode, ifMissing, realPath, syncFolder, writeAll } from './disk.ts';

/** The byte that ends a line. */
export const newline = 0x0a;

/**
 * Reads a file line by line, as bytes. Each line includes its newline, which the last may lack. A missing file has no
 * lines. A file whose name ends in .gz is decompressed. `start` is the byte to begin at.
 */
export async function* readLines(file: string, start = 0): AsyncGenerator<Buffer> {
  // Not node:readline, which also splits at U+2028: JSON does not escape that character.
  let rest: Buffer[] = [];
  try {
    for await (const chunk of bytesOf(file, start)) {
      let from = 0;
      for (let end = chunk.indexOf(newline); end >= 0; end = chunk.indexOf(newline, from)) {
        const line = chunk.subarray(from, end + 1);
        yield rest.length > 0 ? Buffer.concat([...rest, line]) : line;
        rest = [];
        from = end + 1;
      }
      if (from < chunk.length) rest.push(chunk.subarray(from));
    }
  } catch (error) {
    if (hasCode(error, 'Z_BUF_ERROR', 'Z_DATA_ERROR'))
      throw new OperationError(`${file} is not a whole gzip file. Restore it from a backup, or move it elsewhere.`);
    // The system names no file if a read fails, as on a folder.
    if (!hasCode(error, 'ENOENT')) throw Object.assign(error as Error, { path: file });
  }
  if (rest.length > 0) yield Buffer.concat(rest);
}

/** Parses a line of JSON; undefined if it is torn or does not have the shape. */
export function parseLine<Value>(line: Buffer | string, shape: z.ZodType<Value>): Value | undefined {
  return orElse(() => shape.safeParse(parseJsonLine(line.toString('utf8'))).data, undefined);
}

/**
 * Called with the number, from 1, of a line that cannot be read, its file, and whether it is torn: a last line without its newline,
 * which is being written, or was cut off by a crash.
 */
export type OnMalformed = (line: number, file: string, isTorn: boolean) => void;

/**
 * Reads the lines of JSON in a file that have the shape, as `readLines` does. `onMalformed` is called for each other line that is
 * not empty.
 */
export async function* readParsed<Value>(file: string, shape: z.ZodType<Value>, onMalformed?: OnMalformed) {
  let number = 0;
  for await (const line of readLines(file)) {
    number += 1;
    const value = parseLine(line, shape);
    if (value !== undefined) yield value;
    else if (line.toString('utf8').trim() !== '') onMalformed?.(number, file, line.at(-1) !== newline);
  }
}

function bytesOf(file: string, start: number): AsyncIterable<Buffer> {
  const stream = createReadStream(file, { start });
  if (!file.endsWith('.gz')) return stream;
  const unpacked = createGunzip();
  stream.on('error', (error) => unpacked.destroy(error));
  return stream.pipe(unpacked);
}

/**
 * Lists the rotated files of a log, by name: votes.jsonl.1, votes.jsonl-20261201, votes-20261201.jsonl and the like,
 * also compressed. They are next to the real file if the path is a link. Empty if the folder does not exist.
 */
export async function rotatedFiles(path: string): Promise<string[]> {
  const file = await realPath(fs, path).catch(ifMissing(null));
  if (file === null) return [];
  const folder = dirname(file);
  const name = basename(file);
  const stem = basename(file, extname(file));
  const isRotated = (other: string) => {
    if (/\.(?:torn|erasing|redacting|lock|secret)(?:\.|$)/.test(other)) return false;
    if (other.startsWith(name)) return /^[.-]\d[\w.-]*$/.test(other.slice(name.length));
    return other.startsWith(stem) && /^[.-]\d[\d_T-]*$/.test(withoutEndings(other, extname(file)).slice(stem.length));
  };
  return (await fs.readdir(folder))
    .filter((other) => other !== name && isRotated(other))
    .sort()
    .map((other) => join(folder, other));
}

function withoutEndings(name: string, extension: string): string {
  const plain = name.replace(packed, '');
  return extension !== '' && plain.endsWith(extension) ? plain.slice(0, -extension.length) : '';
}

const packed = /\.(?:gz|bz2|xz|zst|zip)$/;

/** Whether a file is compressed, by its name. */
export function isPacked(file: string): boolean {
  return packed.test(file);
}

/**
 * Finds the files of a log, those with the oldest lines first, even if only rotated ones are left. `isReadable` says of which
 * rotated files; the others are `unreadable`. A compressed one is readable by default if it is in gzip.
 */
export async function findLogs(
  file: string,
  isReadable = (name: string) => !isPacked(name) || name.endsWith('.gz'),
): Promise<{ files: string[]; unreadable: string[] }> {
  const rotated = await rotatedFiles(file);
  // A file that is being compressed exists twice.
  const once = rotated.filter((name) => !(isPacked(name) && rotated.includes(name.replace(/\.\w+$/, ''))));
  const readable = once.filter(isReadable);
  // By name, the tenth file would come before the second, and newer ones before older ones.
  const byTime = await Promise.all(readable.map(async (name) => ({ name, time: await firstTime(name) })));
  byTime.sort((a, b) => compareText(a.time, b.time));
  return {
    files: [...byTime.map(({ name }) => name), file],
    unreadable: once.filter((name) => !readable.includes(name)),
  };
}

const dated = z.object({ time: z.string() });

/** The time of the first line that has one; empty if none has. */
async function firstTime(file: string): Promise<string> {
  for await (const { time } of readParsed(file, dated)) return time;
  return '';
}

interface RewriteOptions {
  /** The file, which this process owns (see withLock). */
  file: string;
  /** A path next to the file that is free to use. A draft that a crash left there is removed. */
  draft: string;
  disk: Disk;
  /** The permissions of the new file. @default the permissions of the old one */
  mode?: number;
  /** Returns the replacement of a line, with its newline, or null to remove the line. */
  change(line: Buffer): Buffer | null;
}

/**
 * Replaces a file with a changed copy that has the same owner. After a crash, either the old or the new one is there.
 *
 * If it fails, the old file stays and the draft is removed. Rejects with an OperationError if a program that ignores
 * the lock changed the file in the meantime.
 */
export async function rewriteLines({ file, draft, disk, mode, change }: RewriteOptions): Promise<void> {
  const before = await disk.stat(file);
  await disk.unlink(draft).catch(ifMissing(undefined));
  try {
    const handle = await disk.open(draft, 'wx', 0o600);
    try {
      // Even when root runs this, the file must belong to the user that the server runs as.
      const { uid, gid } = await handle.stat();
      if (uid !== before.uid || gid !== before.gid) await handle.chown(before.uid, before.gid);
      await handle.chmod(mode ?? before.mode & 0o777);
      let read = 0;
      const changed = (line: Buffer) => {
        read += line.length;
        return change(line);
      };
      for await (const block of blocks(readLines(file), changed)) await writeAll(handle, block);
      const after = await disk.stat(file);
      if (read !== before.size || after.size !== before.size || after.ino !== before.ino) {
        throw new OperationError(`Another program changed ${file} at the same time. Stop the server, then try again.`);
      }
      await handle.sync();
    } finally {
      await handle.close();
    }
    await disk.rename(draft, file);
  } catch (error) {
    await disk.unlink(draft).catch(() => {});
    throw error;
  }
  await syncFolder(disk, dirname(file));
}

const blockBytes = 1_048_576;

/** Collects lines into blocks, so that there are fewer writes. */
async function* blocks(lines: AsyncIterable<Buffer>, change: (line: Buffer) => Buffer | null): AsyncGenerator<Buffer> {
  let waiting: Buffer[] = [];
  let bytes = 0;
  for await (const line of lines) {
    const changed = change(line);
    if (changed === null) continue;
    waiting.push(changed);
    bytes += changed.length;
    if (bytes < blockBytes) continue;
    yield Buffer.concat(waiting);
    [waiting, bytes] = [[], 0];
  }
  yield Buffer.concat(waiting);
}
