import { type Answers, answerChecks, complete } from '../../scaffold/catalog/answers.ts';
import type { Console } from '../console.ts';
import { dialogue } from './dialog.ts';

const questions: { key: keyof Answers; name: string; about: string }[] = [
  { key: 'title', name: 'title', about: 'The name of the publication.' },
  {
    key: 'baseUrl',
    name: 'base URL',
    about: 'Where readers will find it, such as https://agents.example.org or https://<owner>.github.io/<repository>.',
  },
  { key: 'publisher', name: 'publisher', about: 'Who publishes it: a person or a group.' },
  { key: 'publisherUrl', name: 'publisher URL', about: "The publisher's address." },
  {
    key: 'timezone',
    name: 'time zone',
    about: 'The time zone that decides when a day begins, such as America/New_York, Europe/Berlin, or UTC.',
  },
];

/** Asks for missing answers. Throws Cancelled when the person cancels. */
export function askForAnswers(given: Partial<Answers>, folder: string, terminal: Console): Promise<Answers> {
  return dialogue(terminal, async (ask) => {
    terminal.say(
      `Start a new catalog in ${folder}. Press Enter to accept the default in brackets, or Ctrl-C to cancel.\n`,
    );
    let answers = given;
    for (const { key, name, about } of questions) {
      if (answers[key] !== undefined) continue;
      const fallback = key === 'timezone' ? ownTimeZone() : complete(answers, folder)[key];
      answers = { ...answers, [key]: await ask({ name, about, fallback, check: answerChecks[key] }) };
    }
    return complete(answers, folder);
  });
}

/** The time zone of this machine, if it has one. */
function ownTimeZone(): string {
  return new Intl.DateTimeFormat().resolvedOptions().timeZone ?? 'UTC';
}
