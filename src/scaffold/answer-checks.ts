import * as z from 'zod';
import { textFindings } from '../catalog/parse/text-checks.ts';
import { explain } from '../diagnostics/zod-messages.ts';
import { OperationError, UsageError } from '../errors.ts';

/** An answer as given by a flag or a person: a text, or a list of texts. */
export type Given = string | readonly string[];

/**
 * A check for every answer. It takes the name of the flag or question, for the message, and the answer. It returns the
 * value, or throws UsageError for an invalid answer and OperationError for a value that is already in use.
 */
export type ChecksOf<Answers> = {
  [Key in keyof Answers]-?: (name: string, given: Given) => Exclude<Answers[Key], null>;
};

/** Checks answers, and leaves out those that are not given. `faults` are the errors that the checks throw. */
export function checkAnswers<Answers>(
  given: readonly (readonly [key: keyof Answers, name: string, given: Given | undefined])[],
  checks: ChecksOf<Answers>,
): { answers: Partial<Answers>; faults: (UsageError | OperationError)[] } {
  const faults: (UsageError | OperationError)[] = [];
  const answers: Partial<Answers> = {};
  for (const [key, name, value] of given) {
    if (value === undefined) continue;
    try {
      answers[key] = checks[key](name, value);
    } catch (error) {
      if (!(error instanceof UsageError || error instanceof OperationError)) throw error;
      faults.push(error);
    }
  }
  return { answers, faults };
}

/** Checks the answers given by flags. Throws one error with all problems. */
export function checkFlags<Answers>(
  flagged: Parameters<typeof checkAnswers<Answers>>[0],
  checks: ChecksOf<Answers>,
): Partial<Answers> {
  const { answers, faults } = checkAnswers(flagged, checks);
  const message = faults.map((fault) => fault.message).join('\nerror: ');
  if (faults.some((fault) => fault instanceof UsageError)) throw new UsageError(message);
  if (faults.length > 0) throw new OperationError(message);
  return answers;
}

/** Parses an answer with `schema`. Throws one UsageError with all problems. */
export function demand<Schema extends z.ZodType>(
  schema: Schema,
  name: string,
  given: unknown,
  example = '',
): z.output<Schema> {
  const faults = explain(z.strictObject({ [name]: schema }), { [name]: given });
  if (faults.length > 0) {
    throw new UsageError(
      faults
        .map(({ message, hint }) =>
          // Nobody counts the entries of a list that they typed: the message quotes the wrong one.
          [message.replace(/\[\d+\](?=`)/, ''), hint, example].filter((part) => part !== '').join(' '),
        )
        .join(' '),
    );
  }
  return schema.parse(given);
}

/** Accepts one line of visible, valid text, and throws UsageError for any other. */
export function oneLine(name: string, text: string): string {
  if (/[\n\r\u0085\u2028\u2029]/.test(text)) {
    throw new UsageError(`\`${name}\` has a line break; it has to be one line of text.`);
  }
  if (/[\p{Cs}\p{Noncharacter_Code_Point}\uFFFD]/u.test(text)) {
    throw new UsageError(`\`${name}\` has a character that is not text; it has to be valid UTF-8.`);
  }
  const [finding] = textFindings(text);
  if (finding !== undefined) {
    throw new UsageError(
      `\`${name}\` cannot be used, column ${finding.location.column}: ${finding.message} ${finding.hint}`,
    );
  }
  return text;
}
