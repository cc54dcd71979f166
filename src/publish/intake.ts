import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'yaml';
import * as z from 'zod';
import { checkCatalog } from '../build/validate.ts';
import type { Calendar } from '../content/check/calendar.ts';
import {
  type Answers,
  agentFiles,
  answerChecks,
  checkAnswers,
  checkFiles,
  complete,
  writeAgent,
} from '../content/new/agent.ts';
import { editorialFindings } from '../content/rules/index.ts';
import { OperationError, UsageError } from '../lib/errors.ts';
import { ContentError } from '../schema/diagnostics/content-error.ts';
import type { Diagnostic } from '../schema/diagnostics/diagnostic.ts';
import { explain } from '../schema/messages/values.ts';
import { withRules } from '../schema/rules.ts';
import type { Settings } from '../schema/settings.ts';
import { fenced, GitHubRefusal, type GitHubRepository, markdownText } from './github.ts';

/** The path of the form in the repository. */
const formPath = '.github/ISSUE_TEMPLATE/propose-an-agent.yml';

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
type FormField = ReturnType<typeof readFormFields>[number];

/**
 * Reads the fields of the form "Propose an agent" in the folder of a repository, none if there is no such form. Throws
 * OperationError if it is malformed or lacks a field that an agent needs.
 */
function readFormFields(repository: string) {
  let source: unknown;
  try {
    source = parse(readFileSync(join(repository, formPath), 'utf8'));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return [];
    throw new OperationError(`${formPath} cannot be read: ${(error as Error).message}`, { cause: error });
  }
  const [problem] = explain(form, source);
  if (problem !== undefined) throw new OperationError(`${formPath} is not an issue form: ${problem.message}`);
  const fields = form
    .parse(source)
    .body.filter(({ type }) => type !== 'markdown')
    .map(({ id = '', attributes: { label = '', render, options = [] }, validations }) => ({
      id,
      label,
      /** Whether the answer is in a code fence. */
      isFenced: render !== undefined,
      isRequired: validations?.required === true,
      /** The labels of the boxes that must be ticked. */
      boxes: options.flatMap((option) =>
        typeof option !== 'string' && option.required === true ? [option.label] : [],
      ),
    }));
  const missing = required.filter((id) => !fields.some((field) => field.id === id));
  if (missing.length === 0) return fields;
  throw new OperationError(`${formPath} has no field with the id ${missing.join(', ')}, which an agent needs.`);
}

/**
 * Takes the answers out of the text of a GitHub issue. Every field must occur once, in the order of the form, since a
 * text could otherwise pass itself off as another field. Returns the answers by id, without optional fields that have none, or
 * else what is wrong, as sentences.
 */
function readAnswers(body: string, fields: readonly FormField[]) {
  const lines = linesOf(body);
  const starts: number[] = [];
  const answers = new Map<string, string>();
  for (const [index, field] of fields.entries()) {
    const from = (starts.at(-1) ?? -1) + 1;
    const places = lines.flatMap((line, at) =>
      at >= from && line === heading(field) && mayFollow(fields[index - 1], lines.slice(from, at)) ? [at] : [],
    );
    const [place, another] = places;
    if (place === undefined) return { answers, problems: [lost(field)] };
    const repeated = `The line \`${heading(field)}\` occurs more than once. Keep the first one.`;
    if (another !== undefined) return { answers, problems: [repeated] };
    starts.push(place);
  }
  const problems: string[] = [];
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
/** GitHub's text for a field without an answer. */
const noResponse = '_No response_';

function answerOf({ label, isFenced, isRequired, boxes }: FormField, lines: readonly string[]) {
  const text = trimmed(lines);
  const unticked = boxes.filter((box) => !text.some((line) => line.toLowerCase() === `- [x] ${box.toLowerCase()}`));
  if (unticked.length > 0) return { problem: `\`${label}\`: check every box whose sentence is true.` };
  const content = isFenced ? withoutFence(text) : text;
  if (content === null)
    return {
      problem: `\`${label}\` has lost its code block. Put a line \`\`\`text before it and a line \`\`\` after it.`,
    };
  const isEmpty = content.length === 0 || (content.length === 1 && content[0]?.trim() === noResponse);
  if (isEmpty && isRequired) return { problem: `\`${label}\` has no answer.` };
  return { text: isEmpty ? '' : content.join('\n') };
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

/** The outcome of a filled-in form. */
interface Intake {
  /** The draft that was written; null if the problems prevent it. */
  draft: { slug: string; title: string } | null;
  /** The problems that its author has to fix before it can be a draft, as sentences. */
  problems: string[];
  /** Improvements for its author, as sentences. */
  advice: string[];
  /** The author's notes for the editors. */
  notes: string;
}

/** The most bytes of a form. The text of a pull request can have 65,536 characters, and repeats the notes of the form. */
const maxFormBytes = 60_000;

/** The files that are made from answers, and the ids of these. */
const textFields: Record<string, string> = {
  'prompt.txt': 'prompt',
  'sample-input.txt': 'sample-input',
  'sample-output.txt': 'sample-output',
};
/** The keys of the front matter that are made from answers, and the ids of these. */
const frontMatterFields: Record<string, string> = {
  title: 'agent-title',
  category: 'category',
  problem: 'problem',
  excerpt: 'excerpt',
  runtimes: 'runtimes',
  difficulty: 'difficulty',
};

/** The key of a category that is given by its label, in any case; or else what was given. */
function categoryKey(label: string | undefined, { categories }: Settings): string | undefined {
  const name = label?.trim().toLowerCase();
  const match = Object.entries(categories).find(([, { label }]) => name === label.toLowerCase());
  return match?.[0] ?? label?.trim();
}

/** Fills in what the form does not ask for. Adds a problem if the title is valid and no slug can be made from it. */
function completed(answers: Partial<Answers>, fill: () => Answers, problems: string[]): Answers | null {
  if (answers.title === undefined) return null;
  try {
    return fill();
  } catch (error) {
    if (!(error instanceof OperationError || error instanceof UsageError)) throw error;
    const reason = error.message.replace('; choose another slug.', '.').replace(/ Give the slug too\.$/, '');
    problems.push(`${reason} The address of an agent is made from its title, so change the title.`);
    return null;
  }
}

/** A diagnostic in the words of the form: the label of the answer and the line in it instead of a file and its line. */
function sentence(
  { file, line, message, hint }: Diagnostic,
  files: ReadonlyMap<string, string>,
  labels: ReadonlyMap<string, string>,
): string {
  const name = file.slice(file.lastIndexOf('/') + 1);
  const text = labels.get(textFields[name] ?? '');
  const key = keyAt(files.get(name) ?? '', line);
  const located =
    text !== undefined
      ? `\`${text}\`, line ${line}: ${message}`
      : message.replace(`\`${key}\``, `\`${labels.get(frontMatterFields[key] ?? '') ?? key}\``);
  return hint === '' ? located : `${located} ${hint}`;
}

/** The key of the front matter that a line belongs to. */
function keyAt(text: string, line: number): string {
  const rows = text.split('\n').slice(0, line);
  return rows.findLast((row) => /^\w+:/.test(row))?.split(':')[0] ?? '';
}

/**
 * Whether the draft is on its branch: `pushed` now, or not, because somebody else `changed` the branch before or because
 * the push `failed`.
 */
export type Push = 'pushed' | 'changed' | 'failed';

/** The first line of our comment, which identifies it. */
const mark = '<!-- daily-agent-catalog: intake -->';

/** The line of a pull request that ends our text. Below it are the boxes that reviewers tick. */
const end = '<!-- daily-agent-catalog: the workflow writes what is above -->';

const pulls = z.array(
  z.object({ number: z.int(), html_url: z.url({ protocol: /^https?$/ }), body: z.string().nullish() }),
);
const comments = z.array(
  z.object({ id: z.int(), body: z.string().nullish(), user: z.object({ type: z.string() }).nullable() }),
);

/** The answer to the author. */
function answer({ draft, problems, advice }: Intake, push: Push, pull: string | null): string {
  const edit = 'To change your answers, choose **Edit** in the menu (⋯) at the top right of your text.';
  if (draft === null) {
    return [
      'Thank you for proposing an agent. It cannot become a draft yet. Please fix this:',
      list(problems),
      ...(advice.length === 0 ? [] : ['This would make it better:', list(advice)]),
      `${edit} Your form is then checked again.${pull === null ? '' : ' Until then, the pull request keeps your previous answers.'}`,
    ].join('\n\n');
  }
  if (push === 'changed') {
    return `An editor has already changed the draft in ${pull ?? 'its branch'}, so your edit was not copied there. Please write a comment that says what you changed.`;
  }
  if (push === 'failed') {
    return 'Thank you for proposing an agent. Your answers are complete, but the draft could not be saved. You do not have to do anything: the maintainers can see why in the log of the workflow “Intake”.';
  }
  const where =
    pull === 'refused'
      ? 'A draft of your agent is ready, but workflows may not open pull requests in this repository. A maintainer can allow it under Settings → Actions → General, or open the pull request from the branch.'
      : `A draft of your agent is in ${pull}. An editor now adds the tags, the steps and the walkthrough, checks the date, and reviews it.`;
  return [
    `Thank you for proposing an agent. ${where}`,
    ...(advice.length === 0
      ? ['Your answers follow all rules that a program can check.']
      : ['You can already make it better:', list(advice)]),
    `${edit} The draft then changes too, until an editor starts to work on it.`,
  ].join('\n\n');
}

/** The text of the pull request, for editors. */
function pullText(number: number, slug: string, advice: readonly string[], notes: string): string {
  return [
    `The draft of \`agents/${slug}\`, proposed in #${number} and written by the workflow “Intake”. Closes #${number}.`,
    'The form does not ask for everything. Replace the placeholders in `agent.md`: `steps`, `demo`, `tags`, and the text below the front matter. Then run `npx --no daily-agent-catalog validate` and remove `draft: true`. Once you push to this branch, further edits of the GitHub issue do not change it.',
    ...(advice.length === 0 ? [] : ['`catalog validate` reports:', list(advice)]),
    ...(notes === '' ? [] : ['The author writes:', fenced(notes)]),
  ].join('\n\n');
}

/** At most 50 sentences, since GitHub refuses a comment of more than 65,536 characters. */
function list(sentences: readonly string[]): string {
  const shown = sentences.slice(0, 50).map((sentence) => `- ${markdownText(sentence)}`);
  if (sentences.length > shown.length) shown.push(`- …and ${sentences.length - shown.length} more.`);
  return shown.join('\n');
}

/** A GitHub issue that may propose an agent for the catalog in the folder `cwd`. */
export class Proposal {
  readonly number: number;
  readonly #body: string;
  /** The branch that a pull request is merged into. */
  readonly #base: string;
  readonly #cwd: string;
  readonly #fields: readonly FormField[];

  /** Reads the event that started the workflow. Throws OperationError if it is not about a GitHub issue, or the form is malformed. */
  constructor(event: unknown, cwd: string) {
    const parsed = z
      .object({
        issue: z.object({ number: z.int().positive(), body: z.string().nullish() }),
        repository: z.object({ default_branch: z.string().min(1) }),
      })
      .safeParse(event);
    if (!parsed.success) throw new OperationError('The event in GITHUB_EVENT_PATH is not about a GitHub issue.');
    const { issue, repository } = parsed.data;
    this.number = issue.number;
    this.#body = issue.body ?? '';
    this.#base = repository.default_branch;
    this.#cwd = cwd;
    this.#fields = readFormFields(cwd);
  }

  /** Whether its text was written with the form. */
  isFromForm(): boolean {
    const [first] = this.#fields;
    return first !== undefined && linesOf(this.#body).find((line) => line.trim() !== '') === heading(first);
  }

  /**
   * Writes its answers as a draft into the catalog, and checks it. All answers are data: they become texts of the agent, and its slug
   * consists of letters, digits and hyphens of the title.
   *
   * Throws OperationError if a file cannot be written.
   */
  async takeIn({
    settings,
    today,
    calendar,
  }: {
    settings: Settings;
    today: string;
    calendar: Calendar;
  }): Promise<Intake> {
    const [cwd, body, fields] = [this.#cwd, this.#body, this.#fields];
    const refused = (problems: string[]): Intake => ({ draft: null, problems, advice: [], notes: '' });
    if (Buffer.byteLength(body) > maxFormBytes) {
      return refused([`The form has more than ${maxFormBytes} bytes. Shorten the longest answers.`]);
    }
    const form = readAnswers(body, fields);
    if (form.problems.length > 0) return refused(form.problems);

    const surroundings = { vocabulary: settings, calendar, today };
    const checks = answerChecks(surroundings);
    const labels = new Map(fields.map(({ id, label }) => [id, label]));
    const answerTo = (key: keyof Answers) => form.answers.get(frontMatterFields[key] ?? '');
    const flagged = (key: keyof Answers, value: string | string[] | undefined) =>
      [key, labels.get(frontMatterFields[key] ?? '') ?? key, value] as const;
    const line = (key: keyof Answers) => flagged(key, answerTo(key)?.replace(/\s+/g, ' '));
    const { answers, problems: refusals } = checkAnswers<Answers>(
      [
        line('title'),
        flagged('category', categoryKey(answerTo('category'), settings)),
        line('difficulty'),
        flagged(
          'runtimes',
          answerTo('runtimes')
            ?.split(/[,\n]/)
            .map((name) => name.trim())
            .filter((name) => name !== ''),
        ),
        line('excerpt'),
        line('problem'),
      ],
      checks,
    );
    // The author can change their answers, but not the settings.
    const problems = refusals.map(({ message }) => message.replace(/, or change your list: .*json(?=\.)/, ''));
    const whole = completed(answers, () => complete(answers, surroundings, checks), problems);
    if (whole === null) return refused(problems);

    const files = agentFiles(whole);
    for (const [name, id] of Object.entries(textFields)) files.set(name, `${form.answers.get(id)}\n`);
    const inForm = (diagnostics: readonly Diagnostic[]) => diagnostics.map((each) => sentence(each, files, labels));
    if (problems.length > 0) {
      // Valid values replace the invalid answers, so that the author reads everything about the others at once.
      const { errors, folder } = checkFiles(whole.slug, files, surroundings);
      const remarks = editorialFindings(folder, settings.language);
      return { ...refused([...problems, ...inForm(errors)]), advice: inForm(withRules(remarks, settings.rules)) };
    }
    try {
      writeAgent(cwd, whole.slug, files, surroundings);
    } catch (error) {
      if (error instanceof ContentError) return refused(inForm(error.diagnostics));
      throw error;
    }
    const { diagnostics } = await checkCatalog(cwd, { today }, {});
    return {
      draft: { slug: whole.slug, title: whole.title },
      problems: [],
      advice: inForm(diagnostics.filter(({ slug }) => slug === whole.slug)),
      notes: form.answers.get('notes') ?? '',
    };
  }

  /**
   * Answers in the GitHub issue, in one comment that is updated after each edit. If its draft was pushed, opens a pull request first,
   * or brings the title and our part of the open one up to date. `checklist` is the text for reviewers.
   *
   * Throws OperationError if GitHub refuses or does not answer.
   */
  async reply(intake: Intake, push: Push, github: GitHubRepository, checklist: string): Promise<void> {
    const pull = await this.#pullRequest(intake, push, github, checklist);
    const body = `${mark}\n${answer(intake, push, pull)}`;
    const own = await this.#ownComment(github);
    const path = own === null ? `issues/${this.number}/comments` : `issues/comments/${own}`;
    await github.call(path, z.unknown(), { method: own === null ? 'POST' : 'PATCH', body: { body } });
  }

  /** The address of the pull request; null if there is none; `refused` if GitHub does not let workflows open any. */
  async #pullRequest({ draft, advice, notes }: Intake, push: Push, github: GitHubRepository, checklist: string) {
    const [owner] = github.name.split('/');
    // As in intake.yml.
    const head = `intake/${this.number}`;
    const [open] = await github.call(`pulls?state=open&head=${owner}:${encodeURIComponent(head)}`, pulls);
    if (draft === null || push !== 'pushed') return open?.html_url ?? null;
    const title = `Draft: ${draft.title}`;
    const text = pullText(this.number, draft.slug, advice, notes);
    if (open !== undefined) {
      const at = open.body?.lastIndexOf(end) ?? -1;
      const body = at === -1 ? undefined : `${text}\n\n${open.body?.slice(at)}`;
      await github.call(`pulls/${open.number}`, z.unknown(), { method: 'PATCH', body: { title, body } });
      return open.html_url;
    }
    try {
      const content = { title, head, base: this.#base, body: `${text}\n\n${end}\n${checklist}` };
      return (await github.call('pulls', pulls.element, { method: 'POST', body: content })).html_url;
    } catch (error) {
      if (error instanceof GitHubRefusal && error.status === 403) return 'refused';
      throw error;
    }
  }

  async #ownComment(github: GitHubRepository): Promise<number | null> {
    for await (const { id, body, user } of github.list(`issues/${this.number}/comments`, comments)) {
      // Anyone can write a comment that starts with the mark, and it must not be overwritten.
      if (user?.type === 'Bot' && body?.startsWith(mark) === true) return id;
    }
    return null;
  }
}
