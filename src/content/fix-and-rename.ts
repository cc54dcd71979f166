import { isUtf8 } from 'node:buffer';
import { lstatSync, readFileSync, renameSync } from 'node:fs';
import { join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { createTwoFilesPatch } from 'diff';
import { isMap, isScalar, isSeq, type Node, parseDocument, type YAMLMap, type YAMLSeq } from 'yaml';
import { OperationError, orElse, prevented, UsageError } from '../lib/errors.ts';
import { replaceFile, replaceFiles } from '../lib/files.ts';
import { maskSecrets } from '../lib/secrets.ts';
import { visible, yamlList, yamlText } from '../lib/text.ts';
import { frontMatterSchema } from '../schema/agent.ts';
import { nearest } from '../schema/diagnostics/suggestions.ts';
import { slugPattern, slug as slugSchema } from '../schema/fields.ts';
import { linesOf } from '../text/prompt-text.ts';
import type { Calendar } from './check/calendar.ts';
import { demand, freeSlug } from './new/agent.ts';
import { frontMatterIn, valuesIn } from './parse/front-matter.ts';
import type { ParsedFolder } from './parse/parse.ts';
import { conflictFinding } from './parse/placeholders.ts';
import { evalsFolder, pathOf, readAgents, type SourceFolder } from './read.ts';

/** The most changed lines that are shown of a file. Finding them takes the square of that time. */
const mostEdits = 1_000;

/** Returns the changes of a text as a unified diff without secrets; empty if there are none. */
export function diffOf(file: string, before: string, after: string): string {
  if (before === after) return '';
  const options = { context: 2, maxEditLength: mostEdits };
  const patch = createTwoFilesPatch(file, file, before, after, undefined, undefined, options);
  return patch === undefined ? '(too many changes to show)\n' : maskSecrets(patch.slice(patch.indexOf('\n--- ') + 1));
}

/**
 * Mechanical changes to texts. None of them changes what an agent means: code fences, code spans and line breaks of
 * Markdown stay as they are.
 */

function withLineFeeds(text: string): string {
  return text.replace(/\r\n?/g, '\n');
}

/** Ends a text with exactly one newline, without blank lines before it. */
function withFinalNewline(text: string): string {
  const lineEnd = text.indexOf('\n', text.trimEnd().length);
  return `${lineEnd === -1 ? text : text.slice(0, lineEnd)}\n`;
}

/** Removes spaces at the ends of lines. With `markdown`, it keeps those that break a line: two or more before more text. */
function withoutTrailingSpaces(text: string, { markdown = false } = {}): string {
  const { lines } = linesOf(text);
  return lines
    .map(({ text: line, fenced }, index) => {
      const breaks = markdown && /\S {2,}$/.test(line) && (lines[index + 1]?.text ?? '').trim() !== '';
      return fenced || breaks ? line : line.replace(/(?<![ \t])[ \t]+$/, '');
    })
    .join('\n');
}

/**
 * Replaces curly quotes by straight ones where they are an apostrophe within a word, or enclose text on one line.
 * Others may be meant, and so may all of them in a text about quotes.
 */
function withStraightQuotes(text: string): string {
  if (/curly|typograph|smart quote/i.test(text)) return text;
  const lines = linesOf(text).lines.map(({ text: line, fenced }) => {
    if (fenced) return line;
    // Parts at odd indexes are code spans.
    const parts = line.split(/(`[^`]*`)/);
    return parts.map((part, index) => (index % 2 === 1 ? part : straight(part))).join('');
  });
  return lines.join('\n');
}

function straight(text: string): string {
  const enclosed = (mark: string) => (all: string, text: string) =>
    /[\p{L}\p{N}]/u.test(text) ? mark + text + mark : all;
  return text
    .replace(/(?<=[\p{L}\p{N}])’(?=\p{L})/gu, "'")
    .replace(/“([^“”"]*)”/g, enclosed('"'))
    .replace(/‘([^‘’']*)’/g, enclosed("'"));
}

/**
 * Changes to agent.md. They move or replace pieces of the text, so comments and layout stay. A change is dropped if the
 * values would then differ in any other way than intended.
 */

type Values = Record<string, unknown>;

/**
 * Removes blank lines before the `---` that opens the front matter, spaces around it, and spaces after the `---` that closes
 * it. This comes first, since nothing else in front matter that cannot be read is fixed.
 */
function withPlainHyphens(text: string): string {
  const opened = text.replace(/^\s*---[^\S\n]*\n/, '---\n');
  if (!opened.startsWith('---\n') || valuesIn(opened) !== null) return opened;
  return opened.replace(/(?<=\n)---[^\S\n]*(?=\n|$)/, '---');
}

/** Removes spaces at the ends of lines, except where they are part of a value or break a line of the Markdown. */
function withoutSpacesInMarkdown(text: string): string {
  const split = frontMatterIn(text);
  if (split === null) return text;
  const [front, body] = [text.slice(0, split.bodyOffset), text.slice(split.bodyOffset)];
  const stripped = front.replace(/(?<![ \t])[ \t]+$/gm, '');
  const same = isDeepStrictEqual(valuesIn(stripped + body), split.data) ? stripped : front;
  return same + withoutTrailingSpaces(body, { markdown: true });
}

const keyOrder = Object.keys(frontMatterSchema({ categories: null, difficulties: null, runtimes: null }).shape);

/** Puts the keys in the order of docs/agents.md. An unknown key stays after the key that it follows. */
function withOrderedKeys(text: string): string {
  return changed(text, (source, root, values) => {
    const blocks = keyBlocksOf(source, root);
    let rank = -1;
    const ranked = root.items.map(({ key }, index) => {
      const position = isScalar(key) ? keyOrder.indexOf(String(key.value)) : -1;
      rank = position === -1 ? rank : position;
      return { rank, text: blocks.parts[index] as string };
    });
    ranked.sort((a, b) => a.rank - b.rank);
    return { source: blocks.head + ranked.map((block) => block.text).join('') + blocks.tail, values };
  });
}

/** Puts the points of the demo in order of time. */
function withOrderedDemo(text: string): string {
  return changed(text, (source, root, values) => {
    const points = values.demo;
    const list = root.get('demo', true);
    if (!Array.isArray(points) || !isSeq(list) || list.flow === true) return null;
    const seconds = points.map((point) => (point as { second?: unknown } | null)?.second);
    if (!seconds.every(Number.isInteger)) return null;
    const order = [...seconds.keys()].sort((a, b) => Number(seconds[a]) - Number(seconds[b]));
    const index = root.items.findIndex(({ value }) => value === list);
    const { head, parts, tail } = keyBlocksOf(source, root);
    const before = head + parts.slice(0, index).join('');
    const starts = list.items.map((item) => startOf(item) - before.length);
    const items = blocksOf(parts[index] as string, starts);
    const sorted = items.head + order.map((at) => items.parts[at]).join('') + items.tail;
    return {
      source: before + sorted + parts.slice(index + 1).join('') + tail,
      values: { ...values, demo: order.map((at) => points[at]) },
    };
  });
}

/** Writes tags in lowercase words joined by hyphens, if nothing but case, spaces and underscores has to change. */
function withLowercaseTags(text: string): string {
  return changed(text, (source, root, values) => {
    const list = root.get('tags', true);
    if (!isSeq(list) || !Array.isArray(values.tags)) return null;
    let result = source;
    const tags = [...values.tags];
    for (const [index, item] of [...list.items.entries()].reverse()) {
      const tag = tags[index];
      const [start = 0, end = 0] = (item as Node).range ?? [];
      const slug = typeof tag === 'string' ? tag.toLowerCase().replace(/[\s_]+/g, '-') : '';
      if (!slugPattern.test(slug) || tags.includes(slug)) continue;
      result = result.slice(0, start) + source.slice(start, end).replace(tag, slug) + result.slice(end);
      tags[index] = slug;
    }
    return { source: result, values: { ...values, tags } };
  });
}

type Change = (source: string, root: YAMLMap, values: Values) => { source: string; values: Values } | null;

/** Applies a change to the front matter. Returns the text unchanged if its values would not be those that it says. */
function changed(text: string, change: Change): string {
  const values = valuesIn(text);
  if (values === null) return text;
  const end = text.indexOf('\n---', 3) + 1;
  const root = parseDocument(text.slice(yamlStart, end), { prettyErrors: false }).contents;
  const made = isMap(root) && root.flow !== true ? change(text.slice(yamlStart, end), root as YAMLMap, values) : null;
  if (made === null) return text;
  const result = text.slice(0, yamlStart) + made.source + text.slice(end);
  return isDeepStrictEqual(valuesIn(result), made.values) ? result : text;
}

const yamlStart = 4;

function startOf(node: unknown): number {
  return (node as Node | null)?.range?.[0] ?? 0;
}

/** Cuts front matter into its keys, as `blocksOf` does. */
function keyBlocksOf(source: string, { items }: YAMLMap): ReturnType<typeof blocksOf> {
  const starts = items.map(({ key }) => startOf(key));
  return blocksOf(source, starts);
}

/**
 * Cuts a text into the lines of its entries, which start at `starts`. The comments directly above an entry belong to it, if
 * they are indented like it; `head` is what precedes the first one, and `tail` the comments after the last.
 */
function blocksOf(text: string, starts: readonly number[]): { head: string; parts: string[]; tail: string } {
  const lines = starts.map((start) => text.lastIndexOf('\n', start - 1) + 1);
  const indent = /^ */.exec(text.slice(lines[0]))?.[0] ?? '';
  const comments = new RegExp(`(?:(?<![^\\n])${indent}#.*\\n)+$`);
  const withComments = (offset: number) => offset - (comments.exec(text.slice(0, offset))?.[0].length ?? 0);
  const cuts = lines.map(withComments);
  const end = withComments(text.length);
  const parts = cuts.map((cut, index) => text.slice(cut, cuts[index + 1] ?? end));
  return { head: text.slice(0, cuts[0]), parts, tail: text.slice(end) };
}

type Step = [name: string, apply: (text: string) => string];

const encoding: Step[] = [
  ['byte-order mark', (text) => text.replace(/^\uFEFF+/, '')],
  ['line endings', withLineFeeds],
];
const finalNewline: Step = ['final newline', withFinalNewline];
/**
 * Returns the changes that `catalog fix` makes to a file, in order. A published prompt keeps its text, since readers and
 * digests rely on it, and changes only where a build would fail. Samples, configs and the files in evals/ are data: their
 * lines keep their spaces and quotes.
 */
function stepsFor(name: string, isPublished: boolean): Step[] {
  switch (name) {
    case 'agent.md':
      return [
        ...encoding,
        ['hyphens', withPlainHyphens],
        ['trailing spaces', withoutSpacesInMarkdown],
        ['order of keys', withOrderedKeys],
        ['order of the demo', withOrderedDemo],
        ['tags', withLowercaseTags],
        finalNewline,
      ];
    case 'prompt.txt': {
      const wording: Step[] = [
        ['trailing spaces', withoutTrailingSpaces],
        ['curly quotes', withStraightQuotes],
      ];
      return [...encoding, ...(isPublished ? [] : wording), finalNewline];
    }
    case 'sample-input.txt':
    case 'sample-output.txt':
      return [...encoding, finalNewline];
    default:
      return /^config\.[A-Za-z0-9]+$/.test(name) || name.startsWith(evalsFolder) ? encoding : [];
  }
}

/**
 * Returns the mechanical changes to the files of a folder. Files that are no text, are empty, or have a merge conflict
 * are left to a person. Only the input of a case may be empty, and its line endings are fixed then too.
 *
 * `file` is a path from the catalog folder, with slashes; `fixes` says what changes, such as `line endings`; the unified `diff`
 * is empty if only the line endings change.
 */
export function fixesOf({ slug, files }: SourceFolder, isPublished: boolean) {
  return files.flatMap(({ name, bytes }) => {
    if (bytes === null || !isUtf8(bytes) || bytes.includes(0)) return [];
    const before = bytes.toString('utf8');
    const isEmpty = before.trim() === '' && !name.startsWith(evalsFolder);
    if (isEmpty || conflictFinding(withLineFeeds(before)) !== null) return [];
    const fixes: string[] = [];
    let after = before;
    for (const [fix, apply] of stepsFor(name, isPublished)) {
      const next = apply(after);
      if (next !== after) fixes.push(fix);
      after = next;
    }
    if (fixes.length === 0) return [];
    const file = pathOf(slug, name);
    return [{ file, fixes, diff: diffOf(file, withLineFeeds(before), after), before: bytes, after }];
  });
}

/** Returns a folder as `catalog fix` would leave it. */
export function fixed(folder: SourceFolder, isPublished: boolean): SourceFolder {
  const { slug, problem } = folder;
  const fixes = new Map(fixesOf(folder, isPublished).map(({ file, after }) => [file, Buffer.from(after)]));
  const files = folder.files.map((file) => ({ ...file, bytes: fixes.get(pathOf(slug, file.name)) ?? file.bytes }));
  return { slug, files, problem };
}

/**
 * Returns the mechanical changes to the named agents, or all if none is named, and makes them if `write` is true. Throws
 * OperationError as `writeFixes` does.
 */
export function fixAgents(cwd: string, { folders }: Calendar, named: readonly string[], write: boolean) {
  const published = new Set(folders.filter(({ schedule }) => schedule.issue !== null).map(({ slug }) => slug));
  const fixes = readAgents(cwd)
    .filter(({ slug }) => named.length === 0 || named.includes(slug))
    .flatMap((folder) => fixesOf(folder, published.has(folder.slug)));
  if (write) writeFixes(cwd, fixes);
  return fixes;
}

/** Writes the changes. Throws OperationError, before the first change, if a file is no longer as it was read. */
export function writeFixes(cwd: string, fixes: ReturnType<typeof fixesOf>): void {
  for (const { file, before } of fixes) {
    if (readFileSync(join(cwd, file)).equals(before)) continue;
    throw new OperationError(
      `${file} changed while it was being fixed. Nothing was written: run npx --no daily-agent-catalog fix again.`,
    );
  }
  replaceFiles(fixes.map(({ file, after }) => [join(cwd, file), after]));
}

/**
 * Adds `add` to the end of `formerSlugs` in an agent.md, and removes `drop`. All other bytes stay the same. Returns
 * null if the front matter cannot be edited this way.
 */
export function withFormerSlug(text: string, add: string, drop: string): string | null {
  const before = frontMatterIn(text)?.data;
  if (before === undefined) return null;
  const former = Array.isArray(before.formerSlugs) ? before.formerSlugs : [];
  const formerSlugs = [...former.filter((slug) => slug !== drop && slug !== add), add];
  const changed = edit(text, add, drop, formerSlugs);
  // js-yaml accepts a key after a mapping in braces, which is invalid YAML.
  if (changed === null || parseFrontMatter(changed).errors.length > 0) return null;
  return isDeepStrictEqual(frontMatterIn(changed)?.data, { ...before, formerSlugs }) ? changed : null;
}

function parseFrontMatter(text: string) {
  return parseDocument(text.slice(yamlStart, text.indexOf('\n---', 3) + 1), { uniqueKeys: false });
}

function edit(text: string, add: string, drop: string, formerSlugs: readonly string[]): string | null {
  const document = parseFrontMatter(text);
  const node = document.get('formerSlugs', true) as Node | undefined;
  if (node === undefined) {
    // The line goes below the number or, without one, below the date.
    const [above] = [document.get('issue', true), document.get('date', true)].filter(isScalar);
    if (above?.range == null) return null;
    const at = text.indexOf('\n', yamlStart + above.range[1]) + 1;
    return `${text.slice(0, at)}formerSlugs: ${yamlList([add])}\n${text.slice(at)}`;
  }
  if (isSeq(node) && node.flow !== true && node.items.length > 0) return editLines(text, node, add, drop);
  const [start, end] = node.range ?? [];
  if (start === undefined || end === undefined) return null;
  // The value is a list in brackets, or empty.
  const space = isSeq(node) || text[yamlStart + start - 1] === ' ' ? '' : ' ';
  return `${text.slice(0, yamlStart + start)}${space}${yamlList(formerSlugs)}${text.slice(yamlStart + end)}`;
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
  let changed = `${text.slice(0, last.to)}${dash}${yamlText(add)}\n${text.slice(last.to)}`;
  for (const { from, to } of gone.reverse()) changed = changed.slice(0, from) + changed.slice(to);
  return changed;
}

/**
 * Renames the folder of an agent in the catalog `cwd`. If the agent is published, its old name is added to the end of
 * `formerSlugs`.
 *
 * Throws UsageError if `to` is not a slug, and OperationError if there is no agent `from`, if `to` belongs to another
 * agent, or if a file cannot be written. The catalog is then unchanged.
 *
 * Returns what the front matter says of the agent. The old address of an agent with a number (`issue`) redirects to the new one;
 * if it is withdrawn, neither address has a page. The number is null if the agent is not published.
 */
export function renameAgent(cwd: string, calendar: Calendar, from: string, to: string) {
  const folder = calendar.folders.find(({ slug }) => slug === from);
  if (folder === undefined) throw unknownAgent(from, calendar);
  demand(slugSchema, 'new', to);
  if (from === to) throw new UsageError(`The agent is already called ${to}.`);
  freeSlug(to, { ...calendar, folders: calendar.folders.filter((other) => other !== folder) });
  const text = folder.schedule.issue === null ? null : withOldName(folder, from, to);

  const [old, renamedPath] = [join(cwd, pathOf(from, '')), join(cwd, pathOf(to, ''))];
  if (lstatSync(renamedPath, { throwIfNoEntry: false }) !== undefined && !sameFile(old, renamedPath)) {
    throw new OperationError(`${pathOf(to, '')} already exists; choose another name, or remove it first.`);
  }
  const file = join(old, 'agent.md');
  const before = text === null ? null : readFileSync(file);
  try {
    // First the line, then the folder: if the command is killed in between, it can be run again.
    if (text !== null) replaceFile(file, text);
    renameSync(old, renamedPath);
  } catch (error) {
    if (before !== null) orElse(() => replaceFile(file, before), undefined);
    throw prevented(`${pathOf(from, '')} cannot be renamed`, error);
  }
  return { from, to, ...folder.schedule };
}

function unknownAgent(slug: string, { folders, reserved }: Calendar): OperationError {
  const refused = (advice: string) => new OperationError(`There is no agent ${visible(slug)} in agents/.${advice}`);
  const moved = folders.find(({ schedule }) => schedule.formerSlugs.includes(slug));
  if (moved !== undefined) return refused(` It is now called ${moved.slug}.`);
  if (reserved.some((published) => published.slug === slug))
    return refused(
      ' It was published and then deleted. Restore it first; npx --no daily-agent-catalog validate says how.',
    );
  const slugs = folders.map((folder) => folder.slug);
  const slip = nearest(slug, slugs);
  return refused(slip === undefined ? '' : ` Did you mean ${slip}?`);
}

/** Returns the agent.md of a published agent with its old name in `formerSlugs`. */
function withOldName({ texts, schedule }: ParsedFolder, from: string, to: string): string {
  const text = texts().get('agent.md');
  if (text === undefined) {
    throw new OperationError(
      `${pathOf(from, 'agent.md')} cannot be read. Run npx --no daily-agent-catalog validate, which says why.`,
    );
  }
  const changed = withFormerSlug(text, from, to);
  if (changed !== null) return changed;
  const former = yamlList([...schedule.formerSlugs.filter((slug) => slug !== to), from]);
  throw new OperationError(
    `Cannot add the line \`formerSlugs: ${former}\` to ${pathOf(from, 'agent.md')}: write its front matter with one \`key: value\` per line. Nothing has changed.`,
  );
}

/** Whether two paths are the same folder. On some systems, this is the case if they differ only in case. */
function sameFile(path: string, other: string): boolean {
  const [a, b] = [lstatSync(path), lstatSync(other)];
  return a.ino === b.ino && a.dev === b.dev;
}
