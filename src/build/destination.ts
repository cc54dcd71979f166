import { digestOf } from '../digest.ts';
import type { Part } from '../outputs/output.ts';
import { joinParts } from './parts.ts';

/** Where a build goes: a folder, or memory. */
export interface Destination {
  /**
   * Whether the destination already has the file, made from the same inputs. If not, the file is rendered and passed to
   * `write`.
   */
  keep(path: string, inputs: readonly string[]): boolean;
  /** Puts a file next in the order of the build. Its bytes may come earlier or later. */
  reserve(path: string): void;
  write(path: string, inputs: readonly string[], content: string | Uint8Array): void;
  /** Writes a file that consists of parts. Parts that the destination already has are not rendered. */
  writeParts(path: string, inputs: readonly string[], parts: readonly Part[]): void;
  /** Gives a path the bytes of another path, which was kept or written before. */
  copy(path: string, from: string): void;
  /** Returns the digest of a file that was kept or written. */
  digest(path: string): string;
  /** Removes everything that was written, because the build failed. */
  discard(): void;
}

/** A build in memory: every file by its path. */
export class MemoryDestination implements Destination {
  readonly files = new Map<string, Buffer>();

  keep(): boolean {
    return false;
  }

  reserve(path: string): void {
    const bytes = this.files.get(path) ?? Buffer.alloc(0);
    this.files.delete(path);
    this.files.set(path, bytes);
  }

  write(path: string, _inputs: readonly string[], content: string | Uint8Array): void {
    const bytes = typeof content === 'string' ? Buffer.from(content) : content;
    this.files.set(path, Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength));
  }

  writeParts(path: string, inputs: readonly string[], parts: readonly Part[]): void {
    this.write(path, inputs, joinParts(parts, null).bytes);
  }

  copy(path: string, from: string): void {
    this.files.set(path, this.#file(from));
  }

  digest(path: string): string {
    return digestOf(this.#file(path));
  }

  discard(): void {
    this.files.clear();
  }

  #file(path: string): Buffer {
    const file = this.files.get(path);
    if (file === undefined) throw new Error(`${path} was not written.`);
    return file;
  }
}
