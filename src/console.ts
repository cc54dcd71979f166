import type { WriteStream } from 'node:tty';

/** Where commands write: data to stdout, talk to stderr. */
export class Console {
  /** Whether talk may be coloured: stderr is a terminal and NO_COLOR is not set (no-color.org). */
  readonly color: boolean;
  /** The same for data: stdout is a terminal. */
  readonly colorData: boolean;
  /** The exit code of a command that ends well by itself but found something wrong. */
  exitCode = 0;
  readonly #out: NodeJS.WritableStream;
  readonly #error: NodeJS.WritableStream;

  constructor(out: NodeJS.WritableStream, error: NodeJS.WritableStream, environment: NodeJS.ProcessEnv) {
    this.#out = out;
    this.#error = error;
    // A reader such as `head` may leave before the end, and has then what it wants.
    for (const stream of [out, error]) {
      stream.on('error', (failure: NodeJS.ErrnoException) => {
        if (failure.code !== 'EPIPE') throw failure;
      });
    }
    const allowed = (environment.NO_COLOR ?? '') === '' && environment.TERM !== 'dumb';
    this.color = allowed && (error as WriteStream).isTTY === true;
    this.colorData = allowed && (out as WriteStream).isTTY === true;
  }

  /** Writes data to stdout, as it is. */
  print(text: string): void {
    this.#out.write(text);
  }

  /** Writes talk to stderr, as it is. */
  say(text: string): void {
    this.#error.write(text);
  }
}

/** A text as one word of a command that a person pastes into a shell. */
export function shellWord(text: string): string {
  return /^[\w./\\:-]+$/.test(text) ? text : JSON.stringify(text);
}
