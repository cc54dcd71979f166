import matter from 'gray-matter';
import { isDay } from '../../lib/calendar.ts';
import { orElse } from '../../lib/errors.ts';
import {
  type Diagnostic,
  diagnose,
  type Location,
  locationAt,
  type Wording,
} from '../../schema/diagnostics/diagnostic.ts';
import { frontMatterMessages } from '../../schema/messages/formats.ts';
import { parseYaml, recoverYaml } from './yaml.ts';

/** The front matter and the body of an agent.md. Parts of the front matter may be unreadable. */
export interface SplitSource {
  data: Record<string, unknown>;
  /** Keys that exist but could not be read. `diagnostics` says why. */
  unread: ReadonlySet<string>;
  /** The Markdown after the front matter. */
  body: string;
  /** Where the body starts in the file, in UTF-16 units. */
  bodyOffset: number;
  /** The schedule. Values that cannot be parsed are guessed from the lines of the front matter. */
  schedule: Schedule;
  /** The problems in the YAML. */
  diagnostics: Diagnostic[];
}

type Refuse = (code: Diagnostic['code'], location: Location, wording: Wording) => Diagnostic;

/**
 * Splits agent.md into its YAML front matter and its body. Returns a Diagnostic if that is impossible.
 *
 * Dates stay text (YAML core schema). Nothing but YAML is parsed, and no code is run.
 */
export function splitFrontMatter(text: string, file: string, slug: string): SplitSource | Diagnostic {
  const refuse: Refuse = (code, location, wording) => diagnose({ code, file, text, location, ...wording, slug });
  const [opening = ''] = text.split('\n', 1);
  if (opening !== '---') return explainOpening(text, opening, refuse);
  // A file may end right after the closing line without a newline, so one is added.
  const { matter: cut, content } = matter(`${text}\n`, splitOnly);
  const end = opening.length + cut.length;
  if (end > text.length) {
    return (
      explainClosing(text, refuse) ??
      refuse('front-matter/missing', locationAt(text, 0, 3), frontMatterMessages.notClosed)
    );
  }
  if (end > maxLength) {
    return refuse('front-matter/yaml', locationAt(text, maxLength), frontMatterMessages.tooLong(end, maxLength));
  }
  const body = content.slice(0, -1);
  const rest = { body, bodyOffset: text.length - body.length };
  const source = cut.slice(1);
  const whole = readMapping(source);
  if (whole !== null)
    return { data: whole, unread: new Set(), schedule: readSchedule(whole), diagnostics: [], ...rest };
  const misspelled = explainClosing(text.slice(0, end), refuse);
  if (misspelled !== null) return misspelled;
  const { data, unread, problems } = recoverYaml(source);
  const start = opening.length + 1;
  const diagnostics = problems.map(({ code, offset, length, ...wording }) =>
    refuse(code, locationAt(text, start + offset, length), wording),
  );
  const schedule = readSchedule(unread.size > 0 ? { ...guess(text), ...data } : data);
  return { data, unread, schedule, diagnostics, ...rest };
}

/** Splits an agent.md whose errors are not reported. Returns null if that is impossible. */
export function frontMatterIn(text: string): SplitSource | null {
  const source = splitFrontMatter(text, '', '');
  return 'code' in source ? null : source;
}

/** Returns the values of the front matter of a text; null if it is malformed. */
export function valuesIn(text: string): SplitSource['data'] | null {
  const source = frontMatterIn(text);
  return source === null || source.diagnostics.length > 0 ? null : source.data;
}

/** gray-matter only splits the file. We parse the YAML ourselves to know where in the file its errors are. */
const splitOnly = { delimiters: ['---', '---\n'] as [string, string], engines: { yaml: () => ({}) } };

/** The longest front matter that is parsed, in characters. */
const maxLength = 65_536;

/** Returns the keys and values of well-formed YAML, of which there may be none; null for anything else. */
function readMapping(source: string): SplitSource['data'] | null {
  const data = orElse(() => parseYaml(source) ?? {}, null);
  return typeof data === 'object' && !Array.isArray(data) ? (data as SplitSource['data'] | null) : null;
}

/** Says why a first line does not open front matter. */
function explainOpening(text: string, opening: string, refuse: Refuse): Diagnostic {
  const line = locationAt(text, 0, opening.length);
  const shown = opening.trimEnd();
  const other = /^\+\+\+/.test(shown) ? 'TOML' : /^(?:\{|;;;)/.test(shown) ? 'JSON' : null;
  if (other !== null) return refuse('front-matter/language', line, frontMatterMessages.notYaml(other));
  if (shown === '---')
    return refuse('front-matter/language', locationAt(text, 3), frontMatterMessages.spaceAfterHyphens);
  if (/^---[^-]/.test(shown)) {
    const rest = locationAt(text, 3, opening.length);
    return refuse('front-matter/language', rest, frontMatterMessages.wordAfterHyphens(shown));
  }
  if (isNearlyFence(shown)) return wrongFence(line, shown, refuse);
  if (/^(?:```|~~~)/.test(shown)) return refuse('front-matter/missing', line, frontMatterMessages.inCodeBlock);
  if (/^\s*\n---\n/.test(text)) return refuse('front-matter/missing', line, frontMatterMessages.blankLineBefore);
  return refuse('front-matter/missing', line, frontMatterMessages.missing);
}

/**
 * Whether a line was probably meant to be `---`: it has other hyphens, more or fewer of them, or spaces around them.
 */
function isNearlyFence(line: string): boolean {
  return line !== '---' && /^\s*(?:[-\u2010-\u2015\u2212]{2,}|[\u2010-\u2015\u2212]|\.\.\.)\s*$/.test(line);
}

function wrongFence(location: Location, line: string, refuse: Refuse): Diagnostic {
  return refuse('front-matter/missing', location, frontMatterMessages.wrongHyphens(line));
}

/** Reports the line that was probably meant to close the front matter, or returns null. */
function explainClosing(text: string, refuse: Refuse): Diagnostic | null {
  let offset = 0;
  for (const line of text.split('\n')) {
    if (offset > 0 && isNearlyFence(line)) return wrongFence(locationAt(text, offset, line.length), line, refuse);
    offset += line.length + 1;
  }
  return null;
}

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

export function readSchedule(data: { readonly [Key in keyof Schedule]?: unknown }): Schedule {
  const { title, date, issue, draft, withdrawn, formerSlugs } = data;
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
  return frontMatterIn(text)?.schedule ?? guessSchedule(text);
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
