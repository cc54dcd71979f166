import { type Answers, type Checks, defaults, type Surroundings } from '../../scaffold/agent/answers.ts';
import type { Console } from '../console.ts';
import { dialogue, type Question } from './dialog.ts';

/** Asks for missing answers, one question at a time. Throws Cancelled when the person cancels. */
export function askForAnswers(
  given: Partial<Answers>,
  surroundings: Surroundings,
  checks: Checks,
  terminal: Console,
): Promise<Answers> {
  return dialogue(terminal, async (ask) => {
    terminal.say('Start a new agent. Press Enter to accept the default in brackets, or Ctrl-C to cancel.\n');
    let answers = given;
    for (const { key, ...question } of questions(surroundings)) {
      if (answers[key] !== undefined) continue;
      const fallback = defaults(answers, surroundings)[key];
      answers = { ...answers, [key]: await ask<unknown>({ ...question, name: key, fallback, check: checks[key] }) };
    }
    return { ...defaults(answers, surroundings), ...answers };
  });
}

type AboutAnswer = Pick<Question<unknown>, 'about' | 'list' | 'empty'> & { key: keyof Answers };

function questions({ vocabulary, today }: Surroundings): AboutAnswer[] {
  const { categories, difficulties, runtimes } = vocabulary;
  const later = 'write it later';
  return [
    { key: 'title', about: 'The title that readers see, such as Release Note Translator.' },
    { key: 'slug', about: 'The slug: the name of its folder and the last part of its address.' },
    { key: 'category', about: `The category: one of ${Object.keys(categories).join(', ')}.` },
    { key: 'difficulty', about: `How hard it is to use: one of ${difficulties.join(', ')}.` },
    {
      key: 'runtimes',
      about: `The assistants it works with, separated by commas. Choose from ${runtimes.join(', ')}.`,
      list: true,
    },
    {
      key: 'tags',
      about: 'Two to six tags, separated by commas. A tag is lowercase words joined by hyphens.',
      list: true,
    },
    {
      key: 'date',
      about: `The publication date, as YYYY-MM-DD. Today is ${today}; only one agent is published per day.`,
    },
    {
      key: 'excerpt',
      about: 'What the reader gets: one sentence of 60 to 160 characters that starts with a verb.',
      empty: later,
    },
    {
      key: 'problem',
      about: 'The problem: who is stuck, with what, and what it costs them, in 40 to 400 characters.',
      empty: later,
    },
    {
      key: 'config',
      about: 'The extension of the config file that the reader saves, such as json or md, if there is one.',
      empty: 'none',
    },
  ];
}
