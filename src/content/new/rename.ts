import { lstatSync, renameSync } from 'node:fs';
import { join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { isScalar, isSeq, type Node, parseDocument, type YAMLSeq } from 'yaml';
import { OperationError, systemReason, UsageError } from '../../lib/errors.ts';
import { replaceFile } from '../../lib/files.ts';
import { visible } from '../../lib/text.ts';
import { nearest } from '../../schema/diagnostics/suggestions.ts';
import { slug as slugSchema } from '../../schema/fields.ts';
import type { Calendar } from '../check/calendar.ts';
import { pathOf } from '../parse/files.ts';
import { splitFrontMatter } from '../parse/front-matter.ts';
import type { ParsedFolder } from '../parse/parse.ts';
import { demand, freeSlug } from './agent.ts';

/**
 * Adds `add` to the end of `formerSlugs` in an agent.md, and removes `drop`. All other bytes stay the same. Returns
 * null if the front matter cannot be edited this way.
 */
export function withFormerSlug(text: string, add: string, drop: string): string | null {
  const before = frontMatter(text);
  if (before === null) return null;
  const former = Array.isArray(before.formerSlugs) ? before.formerSlugs : [];
  const formerSlugs = [...former.filter((slug) => slug !== drop && slug !== add), add];
  const changed = edit(text, add, drop, formerSlugs);
  // js-yaml accepts a key after a mapping in braces, which is invalid YAML.
  if (changed === null || parseFrontMatter(changed).errors.length > 0) return null;
  return isDeepStrictEqual(frontMatter(changed), { ...before, formerSlugs: formerSlugs }) ? changed : null;
}

function parseFrontMatter(text: string) {
  return parseDocument(text.slice(yamlStart, text.indexOf('\n---', 3) + 1), { uniqueKeys: false });
}

const yamlStart = 4;

function edit(text: string, add: string, drop: string, wanted: readonly string[]): string | null {
  const document = parseFrontMatter(text);
  const node = document.get('formerSlugs', true) as Node | undefined;
  if (node === undefined) return afterLine(text, lineOf(document, ['issue', 'date']), `formerSlugs: [${add}]\n`);
  if (isSeq(node) && node.flow !== true && node.items.length > 0) return editLines(text, node, add, drop);
  const [start, end] = node.range ?? [];
  if (start === undefined || end === undefined) return null;
  // The value is a list in brackets, or empty.
  const space = isSeq(node) || text[yamlStart + start - 1] === ' ' ? '' : ' ';
  return `${text.slice(0, yamlStart + start)}${space}[${wanted.join(', ')}]${text.slice(yamlStart + end)}`;
}

/** Returns the end of the value of the first existing key in `keys`, as an offset in the front matter. */
function lineOf(document: ReturnType<typeof parseDocument>, keys: readonly string[]): number | null {
  for (const key of keys) {
    const node = document.get(key, true);
    if (isScalar(node) && node.range != null) return node.range[1];
  }
  return null;
}

function afterLine(text: string, offset: number | null, line: string): string | null {
  if (offset === null) return null;
  const end = text.indexOf('\n', yamlStart + offset) + 1;
  return text.slice(0, end) + line + text.slice(end);
}

/** Edits a list that has one item on each line. */
function editLines(text: string, list: YAMLSeq, add: string, drop: string): string {
  const lines = list.items.map((item) => {
    const [start = 0, end = 0] = (item as Node).range ?? [];
    const from = text.lastIndexOf('\n', yamlStart + start - 1) + 1;
    return { value: isScalar(item) ? item.value : null, from, to: text.indexOf('\n', yamlStart + end) + 1, start };
  });
  const last = lines.at(-1) as (typeof lines)[number];
  const dash = text.slice(last.from, yamlStart + last.start);
  const gone = lines.filter(({ value }) => value === drop || value === add);
  let changed = `${text.slice(0, last.to)}${dash}${add}\n${text.slice(last.to)}`;
  for (const { from, to } of gone.reverse()) changed = changed.slice(0, from) + changed.slice(to);
  return changed;
}

function frontMatter(text: string): Record<string, unknown> | null {
  const split = splitFrontMatter(text, '', '');
  if ('code' in split || typeof split.data !== 'object' || split.data === null) return null;
  return split.data as Record<string, unknown>;
}

/** The result of renaming a folder. */
export interface Renamed {
  from: string;
  to: string;
  /** The number of the agent, whose old address redirects to the new one; null if it is not published. */
  issue: number | null;
  /** Whether the agent is withdrawn, so that neither address has a page. */
  withdrawn: boolean;
}

/**
 * Renames the folder of an agent in the catalog `cwd`. If the agent is published, its old name is added to the end of
 * `formerSlugs`.
 *
 * Throws UsageError if `to` is not a slug, and OperationError if there is no agent `from`, if `to` belongs to another
 * agent, or if a file cannot be written. The catalog is then unchanged.
 */
export function renameAgent(cwd: string, calendar: Calendar, from: string, to: string): Renamed {
  const folder = calendar.folders.find(({ slug }) => slug === from);
  if (folder === undefined) throw unknownAgent(from, calendar);
  demand(slugSchema, 'new', to);
  if (from === to) throw new UsageError(`The agent is already called ${to}.`);
  freeSlug(to, { ...calendar, folders: calendar.folders.filter((other) => other !== folder) });
  const { issue, withdrawn } = folder.schedule;
  const renamed = { from, to, issue, withdrawn };
  const text = issue === null ? null : withOldName(folder, from, to);

  const [old, wanted] = [join(cwd, pathOf(from, '')), join(cwd, pathOf(to, ''))];
  if (exists(wanted) && !sameFile(old, wanted)) {
    throw new OperationError(`${pathOf(to, '')} already exists; choose another name, or remove it first.`);
  }
  try {
    renameSync(old, wanted);
    if (text === null) return renamed;
    try {
      replaceFile(join(wanted, 'agent.md'), text);
    } catch (error) {
      renameSync(wanted, old);
      throw error;
    }
  } catch (error) {
    const reason = systemReason((error as NodeJS.ErrnoException).code ?? 'unknown');
    throw new OperationError(`${pathOf(from, '')} cannot be renamed: ${reason}.`, { cause: error });
  }
  return renamed;
}

function unknownAgent(slug: string, { folders, reserved }: Calendar): OperationError {
  const moved = folders.find(({ schedule }) => schedule.formerSlugs.includes(slug));
  const slip = nearest(
    slug,
    folders.map((folder) => folder.slug),
  );
  const advice =
    moved !== undefined
      ? ` It is now called ${moved.slug}.`
      : reserved.some((published) => published.slug === slug)
        ? ' It was published and then deleted. Restore it first; npx --no daily-agent-catalog validate says how.'
        : slip === undefined
          ? ''
          : ` Did you mean ${slip}?`;
  return new OperationError(`There is no agent ${visible(slug)} in agents/.${advice}`);
}

/** Returns the agent.md of a published agent with its old name in `formerSlugs`. */
function withOldName({ texts, schedule }: ParsedFolder, from: string, to: string): string {
  const text = texts().get('agent.md');
  const changed = text === undefined ? null : withFormerSlug(text, from, to);
  if (changed !== null) return changed;
  const former = [...schedule.formerSlugs.filter((slug) => slug !== to), from].join(', ');
  throw new OperationError(
    `Cannot add the line \`formerSlugs: [${former}]\` to ${pathOf(from, 'agent.md')}: write its front matter with one \`key: value\` per line. Nothing has changed.`,
  );
}

function exists(path: string): boolean {
  return lstatSync(path, { throwIfNoEntry: false }) !== undefined;
}

/** Whether two paths are the same folder. On some systems, this is the case if they differ only in case. */
function sameFile(one: string, other: string): boolean {
  const [a, b] = [lstatSync(one), lstatSync(other)];
  return a.ino === b.ino && a.dev === b.dev;
}
