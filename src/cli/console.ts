import type { WriteStream } from 'node:tty';
import { systemReason } from '../lib/errors.ts';
import { groupBy } from '../lib/groups.ts';
import { printable, printableJson } from '../lib/text.ts';

/** Where commands write: results to stdout, messages to stderr. */
export class Console {
  /** Whether messages may have colors: stderr is a terminal and NO_COLOR is not set (no-color.org). */
  readonly color: boolean;
  /** Whether results may have colors: stdout is a terminal and NO_COLOR is not set. */
  readonly colorData: boolean;
  /** The exit code of a command that returned normally; 1 if it found errors, or if its output cannot be written. */
  exitCode = 0;
  /** Whether an output, such as a file on a full disk, did not take everything. */
  #hasLost = false;
  readonly #out: NodeJS.WritableStream;
  readonly #error: NodeJS.WritableStream;
  /** Whether stderr is a terminal that can clear a line. The one of Emacs, whose TERM is dumb, shows the codes as text. */
  readonly #isTerminal: boolean;
  readonly #now: () => number;
  /** The task in progress, the time from which its progress is shown again, in milliseconds, and whether it is on the screen. */
  #task: { name: string; begun: number } | undefined;
  #nextProgress: number;
  #shown = false;

  /** `now` is the time in milliseconds from any start, for `progress`. */
  constructor(
    out: NodeJS.WritableStream,
    error: NodeJS.WritableStream,
    environment: NodeJS.ProcessEnv,
    now = () => performance.now(),
  ) {
    this.#now = now;
    this.#nextProgress = now() + 1_000;
    this.#out = out;
    this.#error = error;
    out.on('error', (failure) => this.#lose(failure, 'The results cannot be written to stdout'));
    error.on('error', (failure) => this.#lose(failure));
    const isTerminal = (stream: NodeJS.WritableStream) =>
      (stream as WriteStream).isTTY === true && environment.TERM !== 'dumb';
    this.#isTerminal = isTerminal(error);
    const allowed = (environment.NO_COLOR ?? '') === '';
    this.color = allowed && this.#isTerminal;
    this.colorData = allowed && isTerminal(out);
  }

  /** Explains once, on stderr, that an output cannot be written. Nothing can be said about stderr itself. */
  #lose(failure: NodeJS.ErrnoException, what = ''): void {
    // A reader such as `head` may close the pipe early; that is not an error.
    if (failure.code === 'EPIPE') return;
    if (what !== '' && !this.#hasLost) this.say(`error: ${what}: ${systemReason(failure.code ?? failure.message)}.\n`);
    this.#hasLost = true;
    this.exitCode ||= 1;
    // Streams report errors late, perhaps after the exit code was returned.
    process.exitCode ||= 1;
  }

  /** Writes results to stdout, made safe by `printable`. */
  print(text: string): void {
    this.#clearProgress();
    this.#out.write(printable(text, { color: this.colorData }));
  }

  /** Writes a value to stdout as JSON. */
  printJson(value: unknown): void {
    this.#clearProgress();
    this.#out.write(`${printableJson(value)}\n`);
  }

  /** Writes values to stdout as JSON, one on each line. Resolves once the reader can take more. */
  async printLines(values: readonly object[]): Promise<void> {
    this.#clearProgress();
    const text = values.map((value) => `${printableJson(value, 0)}\n`).join('');
    await new Promise<void>((done) => this.#out.write(text, () => done()));
  }

  /** Writes commands of GitHub Actions to stdout. Each must be one line, escaped as `githubReport` does. */
  printCommands(lines: string): void {
    this.#clearProgress();
    this.#out.write(printable(lines, { commands: true }));
  }

  /** Writes messages to stderr, made safe by `printable`. */
  say(text: string): void {
    this.#clearProgress();
    this.#error.write(printable(text, { color: this.color }));
  }

  /**
   * Shows the progress of a command that takes more than a second, and the time left: in a terminal at most ten times a
   * second, on a line that the next message clears; elsewhere every ten seconds, for logs. The `total` is null if it is unknown.
   */
  progress(task: string, done: number, total: number | null): void {
    const now = this.#now();
    if (this.#task?.name !== task) this.#task = { name: task, begun: now };
    if (now < this.#nextProgress) return;
    this.#nextProgress = now + (this.#isTerminal ? 100 : 10_000);
    const msLeft = total === null || done === 0 ? 0 : ((now - this.#task.begun) / done) * (total - done);
    const line = printable(`${task}: ${done}${total === null ? '' : ` of ${total}`}${timeLeft(msLeft)}`);
    this.#error.write(this.#isTerminal ? `\r${line}\u001b[K` : `${line}\n`);
    this.#shown = this.#isTerminal;
  }

  /** Clears the line of `progress`, if there is one. */
  #clearProgress(): void {
    if (this.#shown) this.#error.write('\r\u001b[K');
    this.#shown = false;
  }
}

/** The time left in words, such as `, 12 s left`; empty below a second. */
function timeLeft(ms: number): string {
  if (ms < 1_000) return '';
  const seconds = Math.round(ms / 1_000);
  return seconds < 120 ? `, ${seconds} s left` : `, ${Math.round(seconds / 60)} min left`;
}

/** Quotes a path as one word of a shell command that is not taken for an option. */
export function shellWord(path: string): string {
  const text = path.replace(/^-/, './-');
  if (/^[\w./\\:-]+$/.test(text)) return text;
  // Windows only knows double quotes, in which a POSIX shell would run commands.
  return /["$`!]/.test(text) ? `'${text.replaceAll("'", "'\\''")}'` : `"${text}"`;
}

/** Colors the lines of a unified diff. `paint` does nothing where there are no colors. */
export function paintedDiff(diff: string, paint: (style: 'bold' | 'red', text: string) => string): string {
  const styleOf = (line: string) => (line.startsWith('-') ? 'red' : 'bold');
  return diff.replace(/^[+-].*/gm, (line) => paint(styleOf(line), line));
}

/** How many line numbers are listed before the rest is only counted. */
const listed = 10;

/** Says which lines of files of JSON lines were skipped, in a message for each file. Lines are numbered from 1. */
export function skippedLines(lines: readonly { file: string; line: number }[]): string[] {
  return [...groupBy(lines, ({ file }) => [file])].map(([file, skipped]) => {
    const numbers = skipped.slice(0, listed).map(({ line }) => line);
    const more = skipped.length > listed ? ` and ${skipped.length - listed} more` : '';
    return `Skipped ${skipped.length === 1 ? 'line' : 'lines'} ${numbers.join(', ')}${more} of ${file}: incomplete or invalid.\n`;
  });
}
