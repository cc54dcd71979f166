import type { ContentMemory } from '../catalog/load.ts';
import { gitStamp } from '../git/stamp.ts';

/** Keeps what Git said until commits or branches change. */
export class GitMemory {
  readonly #cwd: string;
  #stamp: string | null = null;
  #said = new Map<string, unknown>();

  constructor(cwd: string) {
    this.#cwd = cwd;
  }

  /** Whether Git still says the same. */
  isCurrent(): boolean {
    return this.#stamp !== null && gitStamp(this.#cwd) === this.#stamp;
  }

  /** Returns the memory for one update. */
  now(): { ofGit<Value>(name: string, read: () => Value): Value } & Pick<ContentMemory, 'ofGit'> {
    const stamp = gitStamp(this.#cwd);
    if (stamp === null || stamp !== this.#stamp) this.#said = new Map();
    this.#stamp = stamp;
    const said = this.#said;
    return {
      ofGit<Value>(name: string, read: () => Value): Value {
        if (!said.has(name)) said.set(name, read());
        return said.get(name) as Value;
      },
    };
  }
}
