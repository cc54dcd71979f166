import { createFile, reasonOf, writeAll } from './disk.ts';
import { isSame, type OpenFile, openFile, prepareFile, statusOf } from './open-file.ts';
import type { TailOptions } from './torn-tail.ts';

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
