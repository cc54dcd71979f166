import { isDay } from '../../calendar.ts';
import { type SplitSource, splitFrontMatter } from './front-matter.ts';

/** The title, date, number and exceptions in the front matter. A field is null if it is missing or invalid. */
export interface Schedule {
  title: string | null;
  date: string | null;
  issue: number | null;
  draft: boolean;
  withdrawn: boolean;
  formerSlugs: readonly string[];
}

/** The most former slugs that are read. The schema allows no more. */
const mostFormerSlugs = 50;

export function readSchedule(data: unknown): Schedule {
  const { title, date, issue, draft, withdrawn, formerSlugs } = (
    typeof data === 'object' && data !== null ? data : {}
  ) as Record<string, unknown>;
  return {
    title: typeof title === 'string' ? title : null,
    date: typeof date === 'string' && isDay(date) ? date : null,
    issue: typeof issue === 'number' && Number.isInteger(issue) && issue > 0 ? issue : null,
    draft: draft === true,
    // An empty reason is a mistake, which must not withdraw a published agent.
    withdrawn: typeof withdrawn === 'string' && withdrawn !== '',
    formerSlugs:
      Array.isArray(formerSlugs) && formerSlugs.length <= mostFormerSlugs
        ? formerSlugs.filter((slug) => typeof slug === 'string')
        : [],
  };
}

/** Reads the schedule in an agent.md, even if other parts of the file are invalid. */
export function scheduleIn(text: string): Schedule {
  const source = splitFrontMatter(text, '', '');
  return 'code' in source ? guessSchedule(text) : scheduleOf(source, text);
}

/** Reads the schedule in front matter. Values that cannot be parsed are guessed from its lines. */
export function scheduleOf({ data, unread }: SplitSource, text: string): Schedule {
  return readSchedule(unread.size > 0 ? { ...guess(text), ...(data as object) } : data);
}

/**
 * Guesses the schedule from the lines of malformed front matter, so that the number of a published agent is still
 * known.
 */
export function guessSchedule(text: string): Schedule {
  return readSchedule(guess(text));
}

function guess(text: string): Record<string, unknown> {
  const value = (key: string) => new RegExp(`^${key}:[ \\t]*["']?([^"'\\n#]*)`, 'm').exec(text)?.[1]?.trim();
  return {
    date: value('date'),
    issue: Number(value('issue')),
    draft: value('draft') === 'true',
    withdrawn: value('withdrawn'),
  };
}
