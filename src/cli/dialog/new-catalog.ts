import { type Answers, answerChecks, complete } from '../../content/new/catalog.ts';
import type { Questions } from './dialog.ts';

const questions: { key: keyof Answers; question: string }[] = [
  { key: 'title', question: 'Title: the name of the publication' },
  {
    key: 'baseUrl',
    question: 'Base URL: where readers find it, such as https://<owner>.github.io/<repository>',
  },
  { key: 'publisher', question: 'Publisher: a person or a group' },
  { key: 'publisherUrl', question: 'Publisher URL: the address of the publisher' },
  { key: 'timezone', question: 'Time zone: decides when a day begins, such as America/New_York or UTC' },
];

/** Asks for missing answers. Throws Cancelled when the person cancels. */
export async function askForAnswers(given: Partial<Answers>, folder: string, ask: Questions): Promise<Answers> {
  ask.begin(`Start a new catalog in ${folder}. Enter accepts the proposed answer, Ctrl-C cancels.`);
  let answers = given;
  for (const { key, question } of questions) {
    if (answers[key] !== undefined) continue;
    const fallback = key === 'timezone' ? ownTimeZone() : complete(answers, folder)[key];
    answers = { ...answers, [key]: await ask.line(question, fallback, (answer) => answerChecks[key](key, answer)) };
  }
  return complete(answers, folder);
}

/** The time zone of this machine, if it has one. */
function ownTimeZone(): string {
  return new Intl.DateTimeFormat().resolvedOptions().timeZone ?? 'UTC';
}
