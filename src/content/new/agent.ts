import { randomUUID } from 'node:crypto';
import { renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import * as z from 'zod';
import { OperationError, prevented, UsageError } from '../../lib/errors.ts';
import { makeFolder } from '../../lib/files.ts';
import { yamlList, yamlText } from '../../lib/text.ts';
import { type Agent, frontMatterSchema } from '../../schema/agent.ts';
import { ContentError, identityOf } from '../../schema/diagnostics/content-error.ts';
import type { Diagnostic } from '../../schema/diagnostics/diagnostic.ts';
import { pathName, reservedSlug, slug as slugSchema } from '../../schema/fields.ts';
import { explain } from '../../schema/messages/values.ts';
import type { KnownVocabulary, Vocabulary } from '../../schema/settings.ts';
import { configExtensions, fillerTags, slugFrom, titleFrom } from '../../schema/slugs.ts';
import { type Calendar, firstFreeDate, lastNumberedDate, plainTitle } from '../check/calendar.ts';
import { checkFolders, parseSafely } from '../load.ts';
import type { ParsedFolder } from '../parse/parse.ts';
import * as placeholders from '../parse/placeholders.ts';
import { folderOf } from '../read.ts';
import { textFindings } from '../text-checks.ts';

/** An answer as given by a flag or a person: a text, or a list of texts. */
export type Answer = string | readonly string[];

/**
 * A check for every answer. It takes the name of the flag or question, for the message, and the answer. It returns the
 * value, or throws UsageError for an invalid answer and OperationError for a value that is already in use.
 */
export type ChecksOf<Answers> = {
  [Key in keyof Answers]-?: (name: string, answer: Answer) => Exclude<Answers[Key], null>;
};

/** Checks answers, and leaves out those that are not given. `problems` are the errors that the checks throw. */
export function checkAnswers<Answers>(
  typed: readonly (readonly [key: keyof Answers, name: string, answer: Answer | undefined])[],
  checks: ChecksOf<Answers>,
): { answers: Partial<Answers>; problems: (UsageError | OperationError)[] } {
  const problems: (UsageError | OperationError)[] = [];
  const answers: Partial<Answers> = {};
  for (const [key, name, value] of typed) {
    if (value === undefined) continue;
    try {
      answers[key] = checks[key](name, value);
    } catch (error) {
      if (!(error instanceof UsageError || error instanceof OperationError)) throw error;
      problems.push(error);
    }
  }
  return { answers, problems };
}

/** Checks the answers given by flags. Throws one error with all problems. */
export function checkFlags<Answers>(
  flagged: Parameters<typeof checkAnswers<Answers>>[0],
  checks: ChecksOf<Answers>,
): Partial<Answers> {
  const { answers, problems } = checkAnswers(flagged, checks);
  const message = problems.map((problem) => problem.message).join('\nerror: ');
  if (problems.some((problem) => problem instanceof UsageError)) throw new UsageError(message);
  if (problems.length > 0) throw new OperationError(message);
  return answers;
}

/** Parses an answer with `schema`. Throws one UsageError with all problems. */
export function demand<Schema extends z.ZodType>(
  schema: Schema,
  name: string,
  answer: unknown,
  example = '',
): z.output<Schema> {
  const problems = explain(z.strictObject({ [name]: schema }), { [name]: answer });
  if (problems.length > 0) {
    throw new UsageError(
      problems
        .map(({ message, hint }) =>
          // Nobody counts the entries of a list that they typed: the message quotes the wrong one.
          [message.replace(/\[\d+\](?=`)/, ''), hint, example].filter((part) => part !== '').join(' '),
        )
        .join(' '),
    );
  }
  return schema.parse(answer);
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

/**
 * The answers that the files of a new agent are made from. Null means a placeholder or, for config and keywords, none.
 */
export interface Answers {
  title: string;
  slug: string;
  category: string;
  difficulty: string;
  runtimes: string[];
  tags: string[];
  keywords: string[] | null;
  date: string;
  excerpt: string | null;
  problem: string | null;
  /** The extension of the config, such as `json`. */
  config: string | null;
}

/** The catalog that the new agent is for. */
export interface Surroundings {
  vocabulary: Vocabulary;
  calendar: Calendar;
  today: string;
}

type Checks = ChecksOf<Answers>;

export function answerChecks({ vocabulary, calendar, today }: Surroundings): Checks {
  const { shape } = frontMatterSchema(vocabulary);
  const text = (schema: z.ZodType<string>) => (name: string, answer: Answer) => {
    demand(schema, name, answer);
    return oneLine(name, String(answer));
  };
  const oneOf = (schema: z.ZodType<string>, names: readonly string[]) => (name: string, answer: Answer) =>
    demand(schema, name, asWritten(String(answer), names));
  const { runtimes } = vocabulary;

  return {
    title: (name, answer) => freeTitle(text(shape.title)(name, answer), calendar),
    excerpt: text(shape.excerpt),
    problem: text(shape.problem),
    category: oneOf(shape.category, Object.keys(vocabulary.categories)),
    difficulty: oneOf(shape.difficulty, vocabulary.difficulties),
    runtimes(name, answer) {
      const names = asList(answer).map((runtime) => asWritten(runtime, runtimes));
      return demand(shape.runtimes, name, names);
    },
    tags: (name, answer) => demand(shape.tags, name, asList(answer)),
    keywords: (name, answer) =>
      demand(shape.keywords.unwrap().unwrap(), name, asList(answer)).map((words) => oneLine(name, words)),
    slug: (name, answer) => freeSlug(demand(slugSchema, name, answer, slugExample(String(answer))), calendar),
    date: (name, answer) => freeDate(demand(shape.date, name, answer), calendar, today),
    config: (name, answer) => demand(extension, name, String(answer).replace(/^\.(?=\w)/, '')),
  };
}

/** Fills in missing answers. Throws UsageError if there is neither a slug nor a title. */
export function complete(partial: Partial<Answers>, surroundings: Surroundings, checks: Checks): Answers {
  if (partial.slug === undefined && partial.title === undefined) {
    throw new UsageError(
      'A new agent needs a slug or a title, for example: npx --no daily-agent-catalog new release-notes --title "Release Note Translator"',
    );
  }
  const slug = partial.slug ?? slugOfTitle(partial.title ?? '', checks);
  return { ...defaults({ ...partial, slug }, surroundings), ...partial, slug };
}

/** Returns the default of each answer, derived from the title and the slug. */
export function defaults({ title, slug }: Partial<Answers>, { vocabulary, calendar, today }: Surroundings): Answers {
  const { categories, difficulties, runtimes } = vocabulary;
  const own = slug ?? slugFrom(title ?? '');
  return {
    title: titleFrom(own),
    slug: own,
    category: Object.keys(categories)[0] ?? '',
    difficulty: difficulties[0] ?? '',
    runtimes: runtimes.slice(0, 1),
    tags: tagsFrom(own, Object.keys(categories)),
    keywords: null,
    date: firstFreeDate(calendar, today),
    excerpt: null,
    problem: null,
    config: null,
  };
}

/** Suggests two or three tags: the longer words of the slug that are not categories and can be tags. */
function tagsFrom(slug: string, categories: readonly string[]): string[] {
  const words = new Set(slug.split('-').filter((word) => word.length > 3 && !categories.includes(word)));
  const tags = [...words].filter((word) => pathName.safeParse(word).success).slice(0, 3);
  const fill = fillerTags.filter((word) => !categories.includes(word) && !tags.includes(word));
  return tags.length < 2 ? [...tags, ...fill].slice(0, 2) : tags;
}

const extension = z.enum(configExtensions);

function slugOfTitle(title: string, checks: Checks): string {
  const slug = slugFrom(title);
  if (slug === '') {
    throw new UsageError(
      `The title ${JSON.stringify(title)} has no letter from a to z and no digit, so no slug can be made from it. Give the slug too.`,
    );
  }
  return checks.slug('slug', slug);
}

/** Returns the one of `names` that equals `name` in any case, or else `name`. */
function asWritten(name: string, names: readonly string[]): string {
  if (names.includes(name)) return name;
  return names.find((other) => other.toLowerCase() === name.toLowerCase()) ?? name;
}

function asList(answer: Answer): string[] {
  return typeof answer === 'string' ? [answer] : [...answer];
}

function slugExample(answer: string): string {
  return reservedSlug(answer) === null ? '' : `For example: ${answer}-agent.`;
}

/** Returns the title. Throws OperationError if an agent has it. */
function freeTitle(title: string, { folders }: Calendar): string {
  const [plain, others] = [plainTitle(title), folders.filter(({ schedule }) => !schedule.withdrawn)];
  const owner = others.find(({ schedule }) => plainTitle(schedule.title ?? '') === plain);
  if (owner === undefined) return title;
  throw new OperationError(`${owner.slug} already has the title ${JSON.stringify(title)}; choose another title.`);
}

/** Returns the slug. Throws OperationError if it belongs or once belonged to an agent. */
export function freeSlug(slug: string, { folders, reserved }: Calendar): string {
  const owner = folders.find((folder) => folder.slug.toLowerCase() === slug);
  if (owner !== undefined) throw new OperationError(`agents/${owner.slug} already exists; choose another slug.`);
  const former = folders.find(({ schedule }) => schedule.formerSlugs.includes(slug));
  if (former !== undefined) {
    throw new OperationError(
      `"${slug}" is a former slug of ${former.slug}, and its old address redirects there; choose another slug.`,
    );
  }
  const published = reserved.find((number) => number.slug === slug);
  if (published !== undefined) {
    throw new OperationError(`"${slug}" was published as No. ${published.issue}; choose another slug.`);
  }
  return slug;
}

function freeDate(date: string, calendar: Calendar, today: string): string {
  const { folders, reserved } = calendar;
  const free = `the first free date is ${firstFreeDate(calendar, today)}`;
  const owner =
    folders.find(({ schedule }) => schedule.date === date) ?? reserved.find((published) => published.date === date);
  if (owner !== undefined) {
    throw new OperationError(
      `${owner.slug} already has the date ${date}, and only one agent is published per day; ${free}.`,
    );
  }
  const last = lastNumberedDate(calendar);
  if (last !== null && date < last) {
    throw new OperationError(
      `${date} is before ${last}, the date of the last numbered agent, so an agent with this date could not get a number; ${free}.`,
    );
  }
  return date;
}

/** Where an imported prompt comes from: `source` in the front matter. */
export type Origin = NonNullable<Agent['source']>;

/** The files of a new agent by name, in the order in which an editor fills them in. */
export function agentFiles(answers: Answers, source: Origin | null = null): Map<string, string> {
  const config = answers.config === null ? null : `config.${answers.config}`;
  const files = new Map([
    ['agent.md', agentMarkdown(answers, source)],
    ['prompt.txt', placeholders.prompt(config)],
    ['sample-input.txt', placeholders.sampleInput(config)],
    ['sample-output.txt', placeholders.sampleOutput],
  ]);
  if (config !== null) files.set(config, placeholders.config(answers.config ?? ''));
  return files;
}

/** Returns agent.md. It is a draft, so that its placeholders are not published automatically on its date. */
function agentMarkdown(
  { title, date, category, tags, keywords, difficulty, runtimes, excerpt, problem }: Answers,
  source: Origin | null,
): string {
  const origin = Object.entries({ ...source }).map(([key, value]) => `\n  ${key}: ${yamlText(String(value))}`);
  return `---
title: ${yamlText(title)}
date: ${date}
draft: true
category: ${yamlText(category)}
tags: ${yamlList(tags)}${keywords === null ? '' : `\nkeywords: ${yamlList(keywords)}`}
difficulty: ${yamlText(difficulty)}
runtimes: ${yamlList(runtimes)}
excerpt: ${yamlText(excerpt ?? placeholders.excerpt)}
problem: ${yamlText(problem ?? placeholders.problem)}${origin.length === 0 ? '' : `\nsource:${origin.join('')}`}
steps:
${placeholders.steps.map(({ name, text }) => `  - name: ${yamlText(name)}\n    text: ${yamlText(text)}`).join('\n')}
demo:
${placeholders.demo
  .map(
    ({ second, label, detail }) =>
      `  - second: ${second}\n    label: ${yamlText(label)}\n    detail: ${yamlText(detail)}`,
  )
  .join('\n')}
---
${placeholders.howItWorks}`;
}

/**
 * Writes the files of a new agent to agents/<slug> in the catalog `cwd`: all of them or none. Never overwrites a file.
 *
 * Throws ContentError if `catalog validate` would report a new error with these files, and OperationError if the disk
 * refuses. Nothing is written then.
 */
export function writeAgent(cwd: string, ...[slug, files, surroundings]: Parameters<typeof checkFiles>): void {
  const { errors } = checkFiles(slug, files, surroundings);
  if (errors.length > 0) throw new ContentError(errors);
  writeFolder(cwd, slug, files);
}

/**
 * Writes the files of a new agent, all or none, without checking them. Throws OperationError if the folder exists or the disk
 * refuses.
 */
export function writeFolder(cwd: string, slug: string, files: ReadonlyMap<string, string>): void {
  const agents = join(cwd, 'agents');
  const staging = join(agents, `.${slug}.new-${randomUUID()}`);
  try {
    makeFolder(staging);
    for (const [name, text] of files) writeFileSync(join(staging, name), Buffer.from(text), { flag: 'wx' });
    renameSync(staging, join(agents, slug));
  } catch (error) {
    throw notWritten(error, cwd, slug);
  } finally {
    rmSync(staging, { recursive: true, force: true });
  }
}

/** Whether this is the name of a folder that a killed `writeFolder` may have left. */
export function isStagedName(name: string): boolean {
  return /^\..+\.new-[\da-f-]{36}$/.test(name);
}

/** Returns the errors that a catalog with these folders would have only with this agent, and the agent's folder as it is parsed. */
export function checkFiles(
  slug: string,
  files: ReadonlyMap<string, string>,
  { vocabulary, calendar: { folders }, today }: Surroundings & { vocabulary: KnownVocabulary },
): { errors: Diagnostic[]; folder: ParsedFolder } {
  const folder = parseSafely(folderOf(slug, files), frontMatterSchema(vocabulary), vocabulary.rules);
  const before = new Set(checkFolders(folders, vocabulary, today).diagnostics.map(identityOf));
  const { diagnostics } = checkFolders([...folders, folder], vocabulary, today);
  const errors = diagnostics.filter(({ severity }) => severity === 'error');
  return { errors: errors.filter((diagnostic) => !before.has(identityOf(diagnostic))), folder };
}

function notWritten(error: unknown, cwd: string, slug: string): unknown {
  const { code } = error as NodeJS.ErrnoException;
  if (code === undefined) return error;
  if (['EEXIST', 'ENOTEMPTY', 'ENOTDIR'].includes(code)) {
    return new OperationError(`agents/${slug} already exists; choose another slug.`, { cause: error });
  }
  return prevented(`${join(cwd, 'agents', slug)} cannot be written`, error);
}
