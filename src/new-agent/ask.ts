import { createInterface } from 'node:readline/promises';
import type { Console } from '../console.ts';
import { OperationError, UsageError } from '../diagnostics.ts';
import { painter } from '../report.ts';
import { type Answers, type Checks, defaults, type Given, type Surroundings } from './answers.ts';

/** Thrown when the person leaves in place of answering. */
export class Cancelled extends Error {
  override readonly name = 'Cancelled';
}

interface Question {
  key: keyof Answers;
  /** What is asked for, with the choices or limits. */
  about: string;
  /** Whether the answer is a list, parted by commas. */
  list?: boolean;
  /** What an empty answer means where there is no default. */
  empty?: string;
}

/**
 * Asks on the terminal for what is not given, one question at a time, each with its default in brackets, and asks
 * again with the reason when an answer is wrong. Throws Cancelled at Ctrl-C or at the end of the input.
 */
export async function askForAnswers(
  given: Partial<Answers>,
  surroundings: Surroundings,
  checks: Checks,
  terminal: Console,
): Promise<Answers> {
  const lines = createInterface({ input: process.stdin, output: process.stderr, terminal: true });
  const leaving = new AbortController();
  lines.on('SIGINT', () => leaving.abort());
  lines.on('close', () => leaving.abort());
  const paint = painter(terminal.color);

  async function ask({ key, about, list = false, empty }: Question, fallback: Given | null) {
    terminal.say(`\n${about}\n`);
    const shown = typeof fallback === 'string' ? fallback : (fallback?.join(', ') ?? empty ?? '');
    const prompt = `${paint('bold', key)}${shown === '' ? '' : paint('dim', ` [${shown}]`)}: `;
    for (;;) {
      const line = (await lines.question(prompt, { signal: leaving.signal })).trim();
      if (line === '' && fallback === null && empty !== undefined) return null;
      const answer = line === '' ? fallback : list ? line.split(',').map((item) => item.trim()) : line;
      try {
        if (answer !== null && answer.length > 0) return checks[key](key, answer);
        terminal.say(`  ${paint('red', 'An answer is needed here.')}\n`);
      } catch (error) {
        if (!(error instanceof UsageError || error instanceof OperationError)) throw error;
        terminal.say(`  ${paint('red', error.message)}\n`);
      }
    }
  }

  try {
    terminal.say('A new agent. Enter takes what stands in brackets, Ctrl-C leaves without writing anything.\n');
    let answers = given;
    for (const question of questions(surroundings)) {
      if (answers[question.key] !== undefined) continue;
      const fallback = defaults(answers, surroundings)[question.key];
      answers = { ...answers, [question.key]: await ask(question, fallback) };
    }
    terminal.say('\n');
    return { ...defaults(answers, surroundings), ...answers };
  } catch (error) {
    if (leaving.signal.aborted) throw new Cancelled('The person left.', { cause: error });
    throw error;
  } finally {
    lines.close();
  }
}

function questions({ vocabulary, today }: Surroundings): Question[] {
  const { categories, difficulties, runtimes } = vocabulary;
  const later = 'write it later';
  return [
    { key: 'title', about: 'Its title, as readers see it, such as Release Note Translator.' },
    { key: 'slug', about: 'Its slug: the name of its folder and the end of its address.' },
    { key: 'category', about: `Its category, one of ${Object.keys(categories).join(', ')}.` },
    { key: 'difficulty', about: `How hard it is to use, one of ${difficulties.join(', ')}.` },
    { key: 'runtimes', about: `What it runs in, parted by commas, of ${runtimes.join(', ')}.`, list: true },
    {
      key: 'tags',
      about: 'Two to six tags, parted by commas, each of lower-case words joined by hyphens.',
      list: true,
    },
    { key: 'date', about: `The day on which it comes out, YYYY-MM-DD. Today is ${today}; one agent comes out a day.` },
    {
      key: 'excerpt',
      about: 'What the reader gets: one sentence of 60 to 160 characters that starts with a verb.',
      empty: later,
    },
    {
      key: 'problem',
      about: 'The problem: one person, one situation, one pain, in 40 to 400 characters.',
      empty: later,
    },
    {
      key: 'config',
      about: 'The extension of a file that the reader saves beside their work, such as json or md, if there is one.',
      empty: 'none',
    },
  ];
}
