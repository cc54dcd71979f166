import { closeSync, copyFileSync, fstatSync, linkSync, openSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { digestOf, makeFolder, outputStampOf } from '../lib/files.ts';
import { programFolder } from '../program.ts';
import { JobThreads } from '../site/threads.ts';

/** A staged file: the digest of its bytes, and its stamp, which stays when it is moved into place. */
export interface StagedFile {
  digest: string;
  stamp: string;
}

/** Writes new files of a build to the folder `root`, before all of them are moved into place. */
export class StagingFolder {
  readonly #root: string;
  readonly #folders = new Set<string>();

  constructor(root: string) {
    this.#root = root;
  }

  /** Writes a file. `file` gets its digest and stamp, at the latest when `settle` returns. */
  write(path: string, content: string | Uint8Array, file: StagedFile): void {
    const bytes = typeof content === 'string' ? Buffer.from(content) : content;
    const place = this.#place(path);
    const target = openSync(place, 'w');
    try {
      writeFileSync(target, bytes);
      file.stamp = outputStampOf(fstatSync(target));
      file.digest ||= digestOf(bytes);
    } catch (error) {
      // The system names no file if the disk is full.
      throw Object.assign(error as Error, { path: place });
    } finally {
      closeSync(target);
    }
  }

  /** The same for a file with the bytes of the file `source` at `from`: one more name for it, where the file system has such. */
  link(path: string, from: string, source: StagedFile, file: StagedFile): void {
    const target = this.#place(path);
    try {
      linkSync(from, target);
    } catch {
      copyFileSync(from, target);
    }
    file.stamp = outputStampOf(statSync(target));
    file.digest = source.digest;
  }

  /** Waits until everything is written. Throws the error of a file that could not be written; `write` and `link` may too. */
  settle(): void {}

  /** Gives up what is not written yet. When it returns, nothing more is written. */
  close(): void {}

  /** Where a file of that path is staged; its folder exists. */
  #place(path: string): string {
    const folder = path.slice(0, Math.max(0, path.lastIndexOf('/')));
    if (!this.#folders.has(folder)) {
      makeFolder(`${this.#root}/${folder}`);
      this.#folders.add(folder);
    }
    return `${this.#root}/${path}`;
  }
}

/** Files for the staging thread: the content of each ends where the next one's begins, or is copied from the file `from`. */
export interface StagingJob {
  bytes: Uint8Array;
  files: { path: string; end: number; from?: string }[];
}

/** How many bytes of content make a message. A message for each file would take longer. */
const perMessage = 512 * 1024;

const noBytes = Buffer.alloc(0);

/** Stages files in the folder `root` by another thread, while this one renders the next. */
export class StagingThread extends StagingFolder {
  readonly #thread: JobThreads<StagingJob, StagedFile[]>;
  #bytes: Buffer = noBytes;
  /** Buffers of messages that were answered. New ones would only be freed when the thread collects garbage: up to 64 MiB. */
  readonly #free: Buffer[] = [];
  #end = 0;
  #files: StagingJob['files'] = [];
  #onStaged: ((staged: StagedFile) => void)[] = [];

  constructor(root: string) {
    super(root);
    this.#thread = new JobThreads({
      script: join(programFolder, 'lib/build/staging-worker.js'),
      input: root,
      most: 1,
      each: 6,
      late: 'Files of the build were not written',
    });
  }

  override write(path: string, content: string | Uint8Array, file: StagedFile): void {
    // A UTF-16 unit has at most three bytes of UTF-8.
    const most = content.length * (typeof content === 'string' ? 3 : 1);
    // Such a file would be in memory twice.
    if (most > perMessage) {
      super.write(path, content, file);
      return;
    }
    if (this.#end + most > this.#bytes.length) {
      this.#send();
      this.#bytes = this.#free.pop() ?? Buffer.from(new SharedArrayBuffer(perMessage));
    }
    if (typeof content === 'string') this.#end += this.#bytes.write(content, this.#end);
    else {
      this.#bytes.set(content, this.#end);
      this.#end += content.length;
    }
    this.#files.push({ path, end: this.#end });
    this.#onStaged.push(({ digest, stamp }) => {
      file.digest = digest;
      file.stamp = stamp;
    });
  }

  override link(path: string, from: string, source: StagedFile, file: StagedFile): void {
    this.#files.push({ path, end: this.#end, from });
    this.#onStaged.push(({ stamp }) => {
      file.digest = source.digest;
      file.stamp = stamp;
    });
  }

  override settle(): void {
    this.#send();
    this.#thread.finish();
  }

  override close(): void {
    this.#thread.close();
  }

  #send(): void {
    if (this.#files.length === 0) return;
    const onStaged = this.#onStaged;
    const bytes = this.#bytes;
    const onAnswer = (staged: StagedFile[]) => {
      for (const [index, file] of staged.entries()) onStaged[index]?.(file);
      if (bytes !== noBytes) this.#free.push(bytes);
    };
    this.#thread.send({ bytes, files: this.#files }, onAnswer);
    this.#bytes = noBytes;
    this.#end = 0;
    this.#files = [];
    this.#onStaged = [];
  }
}
