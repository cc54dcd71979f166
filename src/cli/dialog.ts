import type { WriteStream } from 'node:tty';
import {
  type CANCEL_SYMBOL,
  cancel,
  confirm,
  intro,
  isCancel,
  multiselect,
  select,
  text,
  updateSettings,
} from '@clack/prompts';
import { OperationError, UsageError } from '../lib/errors.ts';
import { visible } from '../lib/text.ts';
import type { Console } from './console.ts';

/** Something to choose. */
interface Choice {
  value: string;
  label?: string;
  hint?: string;
}

/** Asks questions in the terminal. */
export type Questions = ReturnType<typeof questions>;

/** Thrown when the person cancels. */
class Cancelled extends Error {
  override readonly name = 'Cancelled';
}

/** Whether a person can answer: stdin, stderr and stdout are all a terminal that can move its cursor. */
export function canAsk(): boolean {
  return [process.stdin, process.stdout, process.stderr].every(({ isTTY }) => isTTY) && process.env.TERM !== 'dumb';
}

/**
 * Returns the result of `work`, which may ask questions. If the person cancels, says that nothing was written, sets the
 * exit code (130 for Ctrl-C, Ctrl-D and Escape, 143 for SIGTERM) and returns null.
 *
 * Signals wait for the next question, so that they cannot interrupt `work` while it writes files.
 */
export async function conversation<Result>(
  terminal: Console,
  work: (ask: Questions) => Promise<Result>,
): Promise<Result | null> {
  const leaving = new AbortController();
  let exitCode = 130;
  const interrupt = () => leaving.abort();
  const terminate = () => {
    exitCode = 143;
    leaving.abort();
  };
  process.on('SIGINT', interrupt).on('SIGTERM', terminate);
  try {
    return await work(questions(outputOf(terminal), leaving.signal));
  } catch (error) {
    if (!(error instanceof Cancelled)) throw error;
    cancel('Nothing was written.', { output: outputOf(terminal) });
    terminal.exitCode = exitCode;
    return null;
  } finally {
    process.off('SIGINT', interrupt).off('SIGTERM', terminate);
  }
}

/**
 * Questions go to stderr, since results go to stdout; without colors if the person turned them off. A terminal without a
 * size, such as the one of a program that reads the questions, counts as 80 columns wide and 24 rows high.
 */
function outputOf({ color }: Console): WriteStream {
  return new Proxy(process.stderr, {
    get(target, key) {
      if (key === 'columns') return target.columns || 80;
      if (key === 'rows') return target.rows || 24;
      // styleText of Node 20, which the prompts use, does not read NO_COLOR.
      // biome-ignore lint/suspicious/noControlCharactersInRegex: colors start with the escape character.
      if (key === 'write' && !color) return (text: string) => target.write(text.replace(/\u001b\[[\d;]*m/g, ''));
      const value = Reflect.get(target, key);
      return typeof value === 'function' ? value.bind(target) : value;
    },
  });
}

/** Returns functions that ask. All of them throw Cancelled when the person cancels. */
function questions(output: WriteStream, signal: AbortSignal) {
  updateSettings({ aliases: { '\u0004': 'cancel' } });
  const common = { output, signal };
  const answered = async <Value>(answer: Promise<Value | typeof CANCEL_SYMBOL>): Promise<Value> => {
    const value = await answer;
    if (isCancel(value)) throw new Cancelled('The person cancelled.');
    return value;
  };
  return {
    /** Says what the questions are for. */
    begin: (title: string) => intro(visible(title), { output }),
    /**
     * Asks for a line of text until `check` accepts it. `check` throws UsageError or OperationError, whose message is shown.
     * An empty answer means `fallback`, which is shown until something is typed.
     */
    async line<Value>(question: string, fallback: string, check: (answer: string) => Value): Promise<Value> {
      const typed = (answer = '') => answer.trim() || fallback;
      const answer = await answered(
        text({
          ...common,
          message: visible(question),
          placeholder: visible(fallback),
          defaultValue: fallback,
          validate: (answer) => objection(() => check(typed(answer))),
        }),
      );
      return check(typed(answer));
    },
    /** Asks for yes or no. Enter means yes. */
    whether: (question: string) => answered(confirm({ ...common, message: visible(question) })),
    /** Asks for one of the choices. */
    one: (question: string, choices: readonly Choice[], initialValue: string) =>
      answered(select({ ...common, message: visible(question), options: shown(choices), initialValue })),
    /** Asks for any number of choices, or at least one if `required`. */
    some(question: string, choices: readonly Choice[], initialValues: string[], required: boolean) {
      const options = shown(choices);
      return answered(
        multiselect({ ...common, message: visible(question), options, initialValues, required, maxItems: 12 }),
      );
    },
  };
}

/** The problem of an answer. */
function objection(check: () => unknown): string | undefined {
  try {
    check();
    return undefined;
  } catch (error) {
    if (error instanceof UsageError || error instanceof OperationError) return visible(error.message);
    throw error;
  }
}

function shown(choices: readonly Choice[]) {
  return choices.map(({ value, label = value, hint }) => ({
    value,
    label: visible(label),
    ...(hint === undefined ? {} : { hint: visible(hint) }),
  }));
}
