import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'yaml';
import * as z from 'zod';
import { explain } from '../../diagnostics/zod-messages.ts';
import { OperationError } from '../../errors.ts';

/** The path of the form in the repository. */
export const formPath = '.github/ISSUE_TEMPLATE/propose-an-agent.yml';

/** The ids of the fields that an agent is made from. The form may have others. */
const required = [
  'agent-title',
  'category',
  'problem',
  'excerpt',
  'prompt',
  'sample-input',
  'sample-output',
  'runtimes',
];

const element = z.object({
  type: z.string(),
  id: z.string().optional(),
  attributes: z.object({
    label: z.string().optional(),
    render: z.string().optional(),
    options: z
      .array(z.union([z.string(), z.object({ label: z.string(), required: z.boolean().optional() })]))
      .optional(),
  }),
  validations: z.object({ required: z.boolean().optional() }).optional(),
});
const form = z.object({ body: z.array(element) });

/** A field of the form, as GitHub writes it into the issue: its label as a heading, then the answer. */
export interface FormField {
  id: string;
  label: string;
  /** Whether the answer is in a code fence. */
  isFenced: boolean;
  isRequired: boolean;
  /** The labels of the boxes that must be ticked. */
  boxes: string[];
}

/** The answers of a form by id; an optional field without an answer is missing. Otherwise what is wrong, as sentences. */
export interface FormAnswers {
  answers: ReadonlyMap<string, string>;
  problems: string[];
}

/**
 * Reads the fields of the form "Propose an agent" in the folder of a repository, none if there is no such form. Throws
 * OperationError if it is malformed or lacks a field that an agent needs.
 */
export function readFormFields(repository: string): FormField[] {
  let source: unknown;
  try {
    source = parse(readFileSync(join(repository, formPath), 'utf8'));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return [];
    throw new OperationError(`${formPath} cannot be read: ${(error as Error).message}`, { cause: error });
  }
  const [fault] = explain(form, source);
  if (fault !== undefined) throw new OperationError(`${formPath} is not an issue form: ${fault.message}`);
  const fields = form
    .parse(source)
    .body.filter(({ type }) => type !== 'markdown')
    .map(({ id = '', attributes: { label = '', render, options = [] }, validations }) => ({
      id,
      label,
      isFenced: render !== undefined,
      isRequired: validations?.required === true,
      boxes: options.flatMap((option) =>
        typeof option !== 'string' && option.required === true ? [option.label] : [],
      ),
    }));
  const missing = required.filter((id) => !fields.some((field) => field.id === id));
  if (missing.length === 0) return fields;
  throw new OperationError(`${formPath} has no field with the id ${missing.join(', ')}, which an agent needs.`);
}

/** Whether the text of a GitHub issue was written with the form. */
export function isFromForm(body: string, [first]: readonly FormField[]): boolean {
  return first !== undefined && linesOf(body).find((line) => line.trim() !== '') === heading(first);
}

/**
 * Takes the answers out of the text of a GitHub issue. Every field must occur once, in the order of the form, since a
 * text could otherwise pass itself off as another field.
 */
export function readAnswers(body: string, fields: readonly FormField[]): FormAnswers {
  const lines = linesOf(body);
  const starts: number[] = [];
  const problems: string[] = [];
  for (const [index, field] of fields.entries()) {
    const from = (starts.at(-1) ?? -1) + 1;
    const found = lines.flatMap((line, at) =>
      at >= from && line === heading(field) && mayFollow(fields[index - 1], lines.slice(from, at)) ? [at] : [],
    );
    if (found.length === 1) starts.push(found[0] ?? 0);
    else
      problems.push(
        found.length === 0 ? lost(field) : `The line \`${heading(field)}\` occurs more than once. Keep the first one.`,
      );
    if (found.length !== 1) return { answers: new Map(), problems };
  }
  const answers = new Map<string, string>();
  for (const [index, field] of fields.entries()) {
    const answer = answerOf(field, lines.slice((starts[index] ?? 0) + 1, starts[index + 1]));
    if ('problem' in answer) problems.push(answer.problem);
    else if (answer.text !== '') answers.set(field.id, answer.text);
  }
  return { answers, problems };
}

function linesOf(body: string): string[] {
  return body.replaceAll('\r\n', '\n').split('\n');
}

function heading({ label }: FormField): string {
  return `### ${label}`;
}

function lost(field: FormField): string {
  const fence = field.isFenced ? ' The line above it has to end the code block of the previous answer.' : '';
  return `The heading \`${heading(field)}\` is missing or in the wrong place. Restore it, or fill in the form again.${fence}`;
}

/** Whether a heading after these lines can end the field before: a fenced answer ends with its fence. */
function mayFollow(before: FormField | undefined, lines: readonly string[]): boolean {
  const last = lines.findLast((line) => line.trim() !== '');
  if (before === undefined) return last === undefined;
  return !before.isFenced || last === undefined || fence.test(last) || last.trim() === noResponse;
}

const fence = /^(`{3,})\s*$/;
/** What GitHub writes for a field without an answer. */
const noResponse = '_No response_';

function answerOf({ label, isFenced, isRequired, boxes }: FormField, lines: readonly string[]) {
  const text = trimmed(lines);
  const unticked = boxes.filter((box) => !text.some((line) => line.toLowerCase() === `- [x] ${box.toLowerCase()}`));
  if (unticked.length > 0) return { problem: `\`${label}\`: check every box whose sentence is true.` };
  const given = isFenced ? withoutFence(text) : text;
  if (given === null)
    return {
      problem: `\`${label}\` has lost its code block. Put a line \`\`\`text before it and a line \`\`\` after it.`,
    };
  const isEmpty = given.length === 0 || (given.length === 1 && given[0]?.trim() === noResponse);
  if (isEmpty && isRequired) return { problem: `\`${label}\` has no answer.` };
  return { text: isEmpty ? '' : given.join('\n') };
}

function withoutFence(lines: readonly string[]): string[] | null {
  const [first = '', ...rest] = lines;
  if (lines.length === 0 || (rest.length === 0 && first.trim() === noResponse)) return [];
  const [, opening] = /^(`{3,})\w*\s*$/.exec(first) ?? [];
  const [, closing] = fence.exec(rest.at(-1) ?? '') ?? [];
  return opening === undefined || opening !== closing ? null : trimmed(rest.slice(0, -1));
}

/** Leaves out the empty lines at the start and the end. */
function trimmed(lines: readonly string[]): string[] {
  const start = lines.findIndex((line) => line.trim() !== '');
  return start === -1 ? [] : lines.slice(start, lines.findLastIndex((line) => line.trim() !== '') + 1);
}
