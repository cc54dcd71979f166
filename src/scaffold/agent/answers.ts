import * as z from 'zod';
import { type Calendar, firstFreeDate, lastNumberedDate } from '../../catalog/consistency/calendar-rules.ts';
import { OperationError, UsageError } from '../../errors.ts';
import { configExtensions } from '../../schema/config-files.ts';
import { reservedSlug, slug as slugSchema } from '../../schema/fields.ts';
import { frontMatterSchema } from '../../schema/front-matter.ts';
import type { Vocabulary } from '../../schema/settings.ts';
import { slugFrom, tagsFrom, titleFrom } from '../../schema/slugs.ts';
import { type ChecksOf, demand, type Given, oneLine } from '../answer-checks.ts';

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

export type Checks = ChecksOf<Answers>;

export function answerChecks({ vocabulary, calendar, today }: Surroundings): Checks {
  const { shape } = frontMatterSchema(vocabulary);
  const text = (schema: z.ZodType<string>) => (name: string, given: Given) => {
    demand(schema, name, given);
    return oneLine(name, String(given));
  };
  const oneOf = (schema: z.ZodType<string>, known: readonly string[]) => (name: string, given: Given) =>
    demand(schema, name, asWritten(String(given), known));

  return {
    title: text(shape.title),
    excerpt: text(shape.excerpt),
    problem: text(shape.problem),
    category: oneOf(shape.category, Object.keys(vocabulary.categories)),
    difficulty: oneOf(shape.difficulty, vocabulary.difficulties),
    runtimes: (name, given) =>
      demand(
        shape.runtimes,
        name,
        asList(given).map((runtime) => asWritten(runtime, vocabulary.runtimes)),
      ),
    tags: (name, given) => demand(shape.tags, name, asList(given)),
    keywords: (name, given) =>
      demand(shape.keywords.unwrap().unwrap(), name, asList(given)).map((words) => oneLine(name, words)),
    slug: (name, given) => freeSlug(demand(slugSchema, name, given, slugExample(String(given))), calendar),
    date: (name, given) => freeDate(demand(shape.date, name, given), calendar, today),
    config: (name, given) => demand(extension, name, String(given).replace(/^\.(?=\w)/, '')),
  };
}

/** Fills in missing answers. Throws UsageError if there is neither a slug nor a title. */
export function complete(given: Partial<Answers>, surroundings: Surroundings, checks: Checks): Answers {
  if (given.slug === undefined && given.title === undefined) {
    throw new UsageError(
      'A new agent needs a slug or a title, for example: catalog new release-notes --title "Release Note Translator"',
    );
  }
  const slug = given.slug ?? slugOfTitle(given.title ?? '', checks);
  return { ...defaults({ ...given, slug }, surroundings), ...given, slug };
}

/** Returns the default of each answer, derived from the given ones. */
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

/** Returns the name in `known` that equals `given` in any case, or else `given`. */
function asWritten(given: string, known: readonly string[]): string {
  if (known.includes(given)) return given;
  return known.find((word) => word.toLowerCase() === given.toLowerCase()) ?? given;
}

function asList(given: Given): string[] {
  return typeof given === 'string' ? [given] : [...given];
}

function slugExample(given: string): string {
  if (reservedSlug(given) !== null) return `For example: ${given}-agent.`;
  const slug = slugFrom(given);
  return slug === '' || slug === given ? '' : `For example: ${slug}.`;
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
