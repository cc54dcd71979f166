import { createInterface } from 'node:readline/promises';
import { painter } from '../../diagnostics/report.ts';
import { OperationError, UsageError } from '../../errors.ts';
import type { Given } from '../../scaffold/answer-checks.ts';
import { printable } from '../../text-safety/printable.ts';
import type { Console } from '../console.ts';

/** Thrown when the person cancels. */
export class Cancelled extends Error {
  override readonly name = 'Cancelled';
}

/** One question. */
export interface Question<Value> {
  /** The name of the answer. */
  name: string;
  /** The question in a sentence, with the choices or limits. */
  about: string;
  /** The value of an empty answer; null if there is none. */
  fallback: Given | null;
  /** Whether the answer is a list, separated by commas. */
  list?: boolean;
  /**
   * What an empty answer means if there is no fallback. Its value is then null. Without `empty`, an answer is required.
   */
  empty?: string;
  /** Returns the value of an answer. Throws UsageError or OperationError for an invalid one; the message is shown. */
  check(name: string, given: Given): Value;
}

/** Asks one question until the answer is valid, showing what is wrong, and returns the value. */
export type Ask = <Value>(question: Question<Value>) => Promise<Value | null>;

/** Whether a person can answer: stdin, stderr and stdout are all a terminal. */
export function canAsk(): boolean {
  return process.stdin.isTTY === true && process.stdout.isTTY === true && process.stderr.isTTY === true;
}

/**
 * Runs a dialogue in the terminal. `hold` asks its questions and returns the result. Each question shows its fallback
 * in brackets. Throws Cancelled on Ctrl-C and at the end of the input.
 */
export async function dialogue<Result>(terminal: Console, hold: (ask: Ask) => Promise<Result>): Promise<Result> {
  const lines = createInterface({ input: process.stdin, output: process.stderr, terminal: true });
  const leaving = new AbortController();
  lines.on('SIGINT', () => leaving.abort());
  lines.on('close', () => leaving.abort());
  const paint = painter(terminal.color);

  const ask: Ask = async ({ name, about, fallback, list = false, empty, check }) => {
    terminal.say(`\n${about}\n`);
    const shown = typeof fallback === 'string' ? fallback : (fallback?.join(', ') ?? empty ?? '');
    const prompt = `${paint('bold', name)}${shown === '' ? '' : paint('dim', ` [${shown}]`)}: `;
    for (;;) {
      const line = (await lines.question(printable(prompt, terminal), { signal: leaving.signal })).trim();
      if (line === '' && fallback === null && empty !== undefined) return null;
      const answer = line === '' ? fallback : list ? line.split(',').map((item) => item.trim()) : line;
      try {
        if (answer !== null && answer.length > 0) return check(name, answer);
        terminal.say(`  ${paint('red', 'This question needs an answer.')}\n`);
      } catch (error) {
        if (!(error instanceof UsageError || error instanceof OperationError)) throw error;
        terminal.say(`  ${paint('red', error.message)}\n`);
      }
    }
  };

  try {
    const result = await hold(ask);
    terminal.say('\n');
    return result;
  } catch (error) {
    if (leaving.signal.aborted) throw new Cancelled('The dialog was cancelled.', { cause: error });
    throw error;
  } finally {
    lines.close();
  }
}

/**
 * Returns the result of `work`. If the person cancels, says that nothing was written, sets exit code 130 and returns
 * null.
 */
export async function unlessCancelled<Result>(terminal: Console, work: () => Promise<Result>): Promise<Result | null> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof Cancelled)) throw error;
    terminal.say('\nNothing was written.\n');
    terminal.exitCode = 130;
    return null;
  }
}
