import { closeSync, copyFileSync, fstatSync, linkSync, mkdirSync, openSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { digestOf, outputStampOf } from '../lib/files.ts';
import { programFolder } from '../program.ts';
import { JobThreads } from '../site/threads.ts';

/** What is known of a staged file: the digest of its bytes, and its stamp, which stays when it is moved into place. */
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
    const target = openSync(this.#place(path), 'w');
    try {
      writeFileSync(target, bytes);
      file.stamp = outputStampOf(fstatSync(target));
      file.digest ||= digestOf(bytes);
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

/** A file for the staging thread: its content, or the path of the file whose bytes it gets. */
export type StagingJob = { path: string; content: string | Uint8Array } | { path: string; from: string };

/** How many files and how much content, in UTF-16 units or bytes, make a message. A message for each file would take longer. */
const perMessage = { files: 64, size: 256 * 1024 };

/** Stages files in the folder `root` by another thread, while this one renders the next. */
export class StagingThread implements Staging {
  readonly #thread: JobThreads<StagingJob[], StagedFile[]>;
  #jobs: StagingJob[] = [];
  #onStaged: ((staged: StagedFile) => void)[] = [];
  #size = 0;

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
    // A message contains the whole buffer of which an array is a part.
    const isPart = typeof content === 'object' && content.byteLength < content.buffer.byteLength;
    const whole = isPart ? Uint8Array.prototype.slice.call(content) : content;
    this.#add({ path, content: whole }, content.length, (staged) => Object.assign(file, staged));
  }

  link(path: string, from: string, source: StagedFile, file: StagedFile): void {
    this.#add({ path, from }, 0, ({ stamp }) => Object.assign(file, { stamp, digest: source.digest }));
  }

  settle(): void {
    this.#send();
    this.#thread.finish();
  }

  close(): void {
    this.#thread.close();
  }

  #add(job: StagingJob, size: number, onStaged: (staged: StagedFile) => void): void {
    this.#jobs.push(job);
    this.#onStaged.push(onStaged);
    this.#size += size;
    if (this.#jobs.length >= perMessage.files || this.#size >= perMessage.size) this.#send();
  }

  #send(): void {
    if (this.#jobs.length === 0) return;
    const onStaged = this.#onStaged;
    this.#thread.send(this.#jobs, (staged) => {
      for (const [index, file] of staged.entries()) onStaged[index]?.(file);
    });
    this.#jobs = [];
    this.#onStaged = [];
    this.#size = 0;
  }
}
