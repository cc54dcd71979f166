import type { FileHandle } from 'node:fs/promises';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { type LogFiles, realFiles } from '../../src/signups/log-files.ts';

/** What was done to the disk, in order: `write signups.jsonl`, `datasync signups.jsonl`, `sync data` … */
export type Step = string;

export interface ShimmedDisk {
  files: LogFiles;
  steps: Step[];
  /** Runs before each step; what it throws or rejects with is the step's failure. */
  before: (step: Step, bytes?: Buffer) => unknown;
}

const watched = ['write', 'datasync', 'sync', 'truncate', 'chmod', 'chown', 'close'] as const;

/** The real disk, with every step that matters for durability recorded, and open to failures and delays. */
export function shimDisk(): ShimmedDisk {
  const disk: ShimmedDisk = { steps: [], before: () => {}, files: { ...realFiles, open, rename, rm: remove } };
  async function note(what: string, path: string, bytes?: Buffer): Promise<void> {
    const step = `${what} ${basename(path)}`;
    await disk.before(step, bytes);
    disk.steps.push(step);
  }
  async function open(path: string, flags: string, mode?: number): Promise<FileHandle> {
    await note('open', path);
    const handle = await realFiles.open(path, flags, mode);
    return new Proxy(handle, {
      get(target, key) {
        const method = Reflect.get(target, key) as unknown;
        if (typeof method !== 'function') return method;
        return async (...given: unknown[]) => {
          const name = String(key);
          if ((watched as readonly string[]).includes(name)) {
            const [bytes, from = 0, count = 0] = given as [unknown, number?, number?];
            const part = Buffer.isBuffer(bytes) ? bytes.subarray(from, from + count) : undefined;
            await note(name, path, part);
          }
          return Reflect.apply(method, target, given);
        };
      },
    });
  }
  async function rename(from: string, to: string): Promise<void> {
    await note('rename', to);
    await realFiles.rename(from, to);
  }
  async function remove(path: string, options: { force: true }): Promise<void> {
    await note('rm', path);
    await realFiles.rm(path, options);
  }
  return disk;
}

export function systemError(code: string): NodeJS.ErrnoException {
  return Object.assign(new Error(`${code}: as on a disk that fails`), { code });
}

/** Runs `work` with the path of a file in a folder of its own, which is removed after. */
export async function withFolder(work: (path: string, folder: string) => Promise<void>): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'catalog-signups-'));
  try {
    await work(join(folder, 'data', 'signups.jsonl'), folder);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}
