import { constants, createReadStream } from 'node:fs';
import type { FileHandle } from 'node:fs/promises';
import { dirname } from 'node:path';
import { createGunzip } from 'node:zlib';
import { OperationError } from '../lib/errors.ts';
import { closeToOthers, createFile, type Disk, hasCode, reasonOf, syncFolder, writeAll } from './disk.ts';

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
    if (!hasCode(error, 'ENOENT')) throw error;
  }
  if (rest.length > 0) yield Buffer.concat(rest);
}

function bytesOf(file: string, start: number): AsyncIterable<Buffer> {
  const stream = createReadStream(file, { start });
  if (!file.endsWith('.gz')) return stream;
  const unpacked = createGunzip();
  stream.on('error', (error) => unpacked.destroy(error));
  return stream.pipe(unpacked);
}

export interface TailOptions {
  path: string;
  disk: Disk;
  warn(message: string): void;
  /** See JournalOptions. */
  ownerOnly?: boolean | undefined;
}

/**
 * The file next to a log that keeps what a crash left of its last line. One file for all crashes, so that it can be
 * searched.
 */
export function tornPath(path: string): string {
  return `${path}.torn`;
}

/**
 * Makes a log of JSON lines end with a whole line, even after a crash, and returns its new length.
 *
 * If the last line is not a whole JSON object, it is moved to the file that tornPath names, durably and with a warning.
 * If it only lacks its newline, the newline is added. Earlier lines are not checked. `handle` must be open for reading
 * and appending; changes to it are not synced.
 */
export async function repairTail(handle: FileHandle, options: TailOptions): Promise<number> {
  const { path, warn } = options;
  const { size } = await handle.stat();
  const start = await startOfLastLine(handle, size);
  const last = await readExactly(handle, start, size);
  const text = last.toString('utf8');
  if (text === '' || text === '\n') return size;
  if (isObject(text)) {
    if (last.at(-1) === newline) return size;
    await writeAll(handle, Buffer.from('\n'));
    return size + 1;
  }
  await setAside(last, options);
  await handle.truncate(start);
  warn(`The last line of ${path} was incomplete. Its ${last.length} bytes were moved to ${tornPath(path)}.`);
  return start;
}

const chunkBytes = 65_536;

/** Where the last line starts, whether or not it ends with a newline. */
async function startOfLastLine(handle: FileHandle, size: number): Promise<number> {
  // The newline at the very end belongs to the last line.
  for (let end = size - 1; end > 0; ) {
    const from = Math.max(0, end - chunkBytes);
    const found = (await readExactly(handle, from, end)).lastIndexOf(newline);
    if (found >= 0) return from + found + 1;
    end = from;
  }
  return 0;
}

async function readExactly(handle: FileHandle, from: number, to: number): Promise<Buffer> {
  const bytes = Buffer.alloc(to - from);
  for (let done = 0; done < bytes.length; ) {
    const { bytesRead } = await handle.read(bytes, done, bytes.length - done, from + done);
    if (bytesRead === 0) throw new Error('The log became shorter while it was read.');
    done += bytesRead;
  }
  return bytes;
}

/** Only an object is certain to be whole: the beginning of a number is a number too. */
function isObject(text: string): boolean {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null && !Array.isArray(value);
  } catch {
    return false;
  }
}

/**
 * Saves the bytes as a line next to the log, durably, before they are cut off. If that fails, nothing is left there.
 */
async function setAside(bytes: Buffer, { path, disk, ownerOnly = false }: TailOptions): Promise<void> {
  const aside = tornPath(path);
  const handle = await disk.open(aside, 'a', 0o600);
  try {
    if (ownerOnly) await closeToOthers(handle);
    const { size } = await handle.stat();
    try {
      await writeAll(handle, bytes.at(-1) === newline ? bytes : Buffer.concat([bytes, Buffer.from('\n')]));
      await handle.datasync();
    } catch (error) {
      await (size === 0 ? disk.unlink(aside) : handle.truncate(size)).catch(() => {});
      throw error;
    }
  } finally {
    await handle.close();
  }
  await syncFolder(disk, dirname(path));
}

/** An open file of lines. */
export interface OpenFile {
  handle: FileHandle;
  dev: bigint;
  ino: bigint;
  /** How far the file is known to be durable, in bytes. Bytes past this point were never acknowledged. */
  length: number;
}

const flags = constants.O_CREAT | constants.O_RDWR | constants.O_APPEND;

/** Opens a file for reading and appending. Creates it with mode 0600 if it does not exist. */
export async function openFile({ path, disk, warn, ownerOnly = false }: TailOptions): Promise<OpenFile> {
  const handle = await disk.open(path, flags, 0o600);
  try {
    const { dev, ino, size } = await handle.stat({ bigint: true });
    if (ownerOnly && (await closeToOthers(handle))) {
      warn(`${path} was open to other users of this machine; now only its owner can read it.`);
    }
    return { handle, dev, ino, length: Number(size) };
  } catch (error) {
    await handle.close();
    throw error;
  }
}

/**
 * Repairs the end of an open file, and makes the file durable, so that lines can be appended. Closes it if that fails.
 */
export async function prepareFile(opened: OpenFile, options: TailOptions): Promise<OpenFile> {
  try {
    const length = await repairTail(opened.handle, options);
    await opened.handle.datasync();
    await syncFolder(options.disk, dirname(options.path));
    return { ...opened, length };
  } catch (error) {
    await opened.handle.close();
    throw error;
  }
}

/** What happened to an open file: its path still names it, unchanged or changed, or it was renamed or removed. */
export async function statusOf(
  file: OpenFile,
  { path, disk }: TailOptions,
): Promise<'unchanged' | 'changed' | 'renamed' | 'removed'> {
  try {
    const { dev, ino, size } = await disk.stat(path, { bigint: true });
    if (isSame(file, { dev, ino })) return Number(size) === file.length ? 'unchanged' : 'changed';
  } catch (error) {
    if (!hasCode(error, 'ENOENT', 'ENOTDIR')) throw error;
  }
  return (await file.handle.stat({ bigint: true })).nlink > 0n ? 'renamed' : 'removed';
}

/** Whether two descriptors are of one file. */
export function isSame(one: Pick<OpenFile, 'dev' | 'ino'>, other: Pick<OpenFile, 'dev' | 'ino'>): boolean {
  return one.dev === other.dev && one.ino === other.ino;
}

export interface LineFileOptions extends TailOptions {
  /** Called before the file is changed; rejects if another process owns it. */
  mayWrite(): Promise<void>;
}

/** How much check() writes, in bytes: a block of most file systems, and more than any line. */
const probeBytes = 4096;

/**
 * A file of lines that only grows. The caller makes one call at a time.
 *
 * If a write or a sync fails, the lines are cut off and the file is opened again: at once or, if that fails too, before
 * the next lines. Until then, all lines are refused. The same bytes are never synced twice, because after a failed sync
 * Linux may drop them and report success the second time. If the file was renamed in the meantime and can no longer be
 * cut, the operator gets a warning, and the new file is used.
 *
 * Before lines are appended, ready() checks that the path still names the open file, with the length it had. If it was
 * renamed or removed, a new one is opened, even without reopen(). Lines are written again, before they are acknowledged, if the file was
 * removed during the write; if it was renamed during the write, they stay in the renamed file.
 */
export class LineFile {
  readonly #options: LineFileOptions;
  #file: OpenFile;
  /** Whether refused lines may still be in the file. */
  #broken = false;

  private constructor(options: LineFileOptions, file: OpenFile) {
    this.#options = options;
    this.#file = file;
  }

  /** Opens a file, creates it with mode 0600 if it does not exist, and repairs its end (see repairTail). */
  static async open(options: LineFileOptions): Promise<LineFile> {
    return new LineFile(options, await prepareFile(await openFile(options), options));
  }

  /** Repairs the file, and follows its path, if necessary. The caller awaits it right before each append(). */
  async ready(): Promise<void> {
    await this.#beReady();
    await this.#followPath();
  }

  /** Adds whole lines, and resolves once they are durable. If it rejects, none of them is in the file, now or later. */
  async append(lines: string): Promise<void> {
    const { path, warn, mayWrite } = this.#options;
    await mayWrite();
    const bytes = Buffer.from(lines);
    for (let attempt = 1; ; attempt += 1) {
      await this.#write(bytes);
      // The lines are durable by now, so an error while checking the path must not refuse them.
      if ((await statusOf(this.#file, this.#options).catch(() => 'unchanged')) !== 'removed') return;
      if (attempt === 3) throw new Error(`Another program keeps removing ${path}.`);
      await this.#openAgain();
      warn(`${path} was removed by another program while lines were written. They were written to a new file.`);
    }
  }

  /** Resolves if lines could be added now. To find out, it writes a file next to this one and removes it. */
  async check(): Promise<void> {
    const { path, disk } = this.#options;
    await this.#beReady();
    const probe = `${path}.probe`;
    // A process that was killed during a check leaves such a file.
    await disk.unlink(probe).catch(() => {});
    await createFile(disk, probe, Buffer.alloc(probeBytes));
    await disk.unlink(probe);
  }

  /** Starts a new file if the old one was renamed. */
  async reopen(): Promise<void> {
    await this.#beReady();
    await this.#openAgain();
  }

  async close(): Promise<void> {
    const { path, warn } = this.#options;
    if (this.#broken) {
      await this.#repair().catch((cause) =>
        warn(`${path} may contain lines that were not accepted: ${reasonOf(cause)}`),
      );
    }
    await this.#file.handle.close();
  }

  async #beReady(): Promise<void> {
    await this.#options.mayWrite();
    if (this.#broken) await this.#repair();
  }

  async #openAgain(): Promise<void> {
    await this.#use(await openFile(this.#options));
  }

  /** Uses a newly opened file from now on. */
  async #use(opened: OpenFile): Promise<void> {
    const old = this.#file;
    this.#file = await prepareFile(opened, this.#options);
    await old.handle.close().catch(() => {});
  }

  /** Opens the path again if another program changed, renamed or removed the file since the last append. */
  async #followPath(): Promise<void> {
    const { path, warn } = this.#options;
    const status = await statusOf(this.#file, this.#options);
    if (status === 'unchanged') return;
    await this.#openAgain();
    warn(
      `${path} was ${status} by another program while it was open. New lines go to the file that now has this name.`,
    );
  }

  async #write(bytes: Buffer): Promise<void> {
    const { path, warn } = this.#options;
    try {
      await writeAll(this.#file.handle, bytes);
      await this.#file.handle.datasync();
    } catch (error) {
      this.#broken = true;
      await this.#repair().catch((cause) =>
        warn(`${path} cannot be repaired yet, so nothing is stored in it: ${reasonOf(cause)}`),
      );
      throw error;
    }
    this.#file.length += bytes.length;
  }

  /** Cuts off what a failed write or sync left, and opens the path again. */
  async #repair(): Promise<void> {
    await this.#options.mayWrite();
    const opened = await openFile(this.#options);
    try {
      await this.#cutBack(opened);
    } catch (error) {
      await opened.handle.close();
      throw error;
    }
    await this.#use(opened);
    this.#broken = false;
  }

  /** Cuts with the new descriptor if the path still names the file, otherwise with the old one. */
  async #cutBack(opened: OpenFile): Promise<void> {
    const { path, warn } = this.#options;
    const same = isSame(opened, this.#file);
    const { handle } = same ? opened : this.#file;
    try {
      // If another program shortened the file, truncate() would fill it up with zeros.
      if ((await handle.stat()).size > this.#file.length) await handle.truncate(this.#file.length);
      // prepareFile() syncs the new descriptor.
      if (!same) await handle.datasync();
    } catch (error) {
      if (same) throw error;
      warn(
        `${path} was replaced after a failed write. The old file may end with lines that were not accepted (${reasonOf(error)}).`,
      );
    }
  }
}

export interface RewriteOptions {
  /** The file, which this process owns (see withLock). */
  file: string;
  /** A path next to the file that is free to use. A draft that a crash left there is removed. */
  draft: string;
  disk: Disk;
  /** The permissions of the new file. @default those of the old one */
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
  await disk.unlink(draft).catch((error) => {
    if (!hasCode(error, 'ENOENT')) throw error;
  });
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
