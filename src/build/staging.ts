import { closeSync, copyFileSync, fstatSync, linkSync, mkdirSync, openSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { digestOf, outputStampOf } from '../lib/files.ts';
import { programFolder } from '../program.ts';
import { JobThreads } from '../site/threads.ts';

/** A staged file: the digest of its bytes, and its stamp, which stays when it is moved into place. */
export interface StagedFile {
  digest: string;
  stamp: string;
}

/** Where new files of a build are written, before all of them are moved into place. */
export interface Staging {
  /** Writes a file. `file` gets its digest and stamp, at the latest when `settle` returns. */
  write(path: string, content: string | Uint8Array, file: StagedFile): void;
  /** The same for a file with the bytes of the file `source` at `from`: one more name for it, where the file system has such. */
  link(path: string, from: string, source: StagedFile, file: StagedFile): void;
  /** Waits until everything is written. Throws the error of a file that could not be written; `write` and `link` may too. */
  settle(): void;
  /** Gives up what is not written yet. When it returns, nothing more is written. */
  close(): void;
}

/** Stages files in the folder `root`. */
export class StagingFolder implements Staging {
  readonly #root: string;
  readonly #folders = new Set<string>();

  constructor(root: string) {
    this.#root = root;
  }

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

  settle(): void {}

  close(): void {}

  /** Where a file of that path is staged; its folder exists. */
  #place(path: string): string {
    const folder = path.slice(0, Math.max(0, path.lastIndexOf('/')));
    if (!this.#folders.has(folder)) {
      mkdirSync(`${this.#root}/${folder}`, { recursive: true });
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

/** Stages files in the folder `root` by another thread, while this one renders the next. */
export class StagingThread implements Staging {
  readonly #thread: JobThreads<StagingJob, StagedFile[]>;
  #bytes: Buffer<ArrayBuffer> = Buffer.alloc(0);
  #end = 0;
  #files: StagingJob['files'] = [];
  #onStaged: ((staged: StagedFile) => void)[] = [];

  constructor(root: string) {
    this.#thread = new JobThreads({
      script: join(programFolder, 'lib/build/staging-worker.js'),
      input: root,
      most: 1,
      each: 6,
      late: 'Files of the build were not written',
    });
  }

  write(path: string, content: string | Uint8Array, file: StagedFile): void {
    // A UTF-16 unit has at most three bytes of UTF-8.
    const most = content.length * (typeof content === 'string' ? 3 : 1);
    if (this.#end + most > this.#bytes.length) {
      this.#send();
      this.#bytes = Buffer.allocUnsafeSlow(Math.max(most, perMessage));
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

  link(path: string, from: string, source: StagedFile, file: StagedFile): void {
    this.#files.push({ path, end: this.#end, from });
    this.#onStaged.push(({ stamp }) => {
      file.digest = source.digest;
      file.stamp = stamp;
    });
  }

  settle(): void {
    this.#send();
    this.#thread.finish();
  }

  close(): void {
    this.#thread.close();
  }

  #send(): void {
    if (this.#files.length === 0) return;
    const onStaged = this.#onStaged;
    const job = { bytes: this.#bytes, files: this.#files };
    const onAnswer = (staged: StagedFile[]) => {
      for (const [index, file] of staged.entries()) onStaged[index]?.(file);
    };
    this.#thread.send(job, onAnswer, [this.#bytes.buffer]);
    this.#bytes = Buffer.alloc(0);
    this.#end = 0;
    this.#files = [];
    this.#onStaged = [];
  }
}
