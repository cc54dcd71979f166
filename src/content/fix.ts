import { isUtf8 } from 'node:buffer';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { createTwoFilesPatch } from 'diff';
import { isMap, isScalar, isSeq, type Node, parseDocument, type YAMLMap } from 'yaml';
import { OperationError } from '../lib/errors.ts';
import { replaceFiles } from '../lib/files.ts';
import { maskSecrets } from '../lib/secrets.ts';
import { frontMatterSchema } from '../schema/agent.ts';
import { slugPattern } from '../schema/fields.ts';
import { linesOf } from '../text/prompt-text.ts';
import { evalsFolder, pathOf } from './parse/files.ts';
import { splitFrontMatter } from './parse/front-matter.ts';
import { conflictFinding } from './parse/placeholders.ts';
import type { SourceFolder } from './read.ts';

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

function withoutByteOrderMark(text: string): string {
  return text.replace(/^\uFEFF/, '');
}

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
  return linesOf(text)
    .lines.map(({ text: line, fenced }) =>
      fenced
        ? line
        : line
            .split(/(`[^`]*`)/)
            .map(straight)
            .join(''),
    )
    .join('\n');
}

/** `index` is odd for code spans. */
function straight(part: string, index: number): string {
  if (index % 2 === 1) return part;
  const enclosed = (mark: string) => (all: string, text: string) =>
    /[\p{L}\p{N}]/u.test(text) ? mark + text + mark : all;
  return part
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
  if (!opened.startsWith('---\n')) return text;
  return opened.replace(/(?<=\n)---[^\S\n]*(?=\n|$)/, '---');
}

/** Removes spaces at the ends of lines, except where they are part of a value or break a line of the Markdown. */
function withoutSpacesInMarkdown(text: string): string {
  const split = splitFrontMatter(text, '', '');
  if ('code' in split) return text;
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
    const block = parts[index] as string;
    const items = blocksOf(
      block,
      list.items.map((item) => startOf(item) - before.length),
    );
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

/** The values of the front matter of a text, or null if it is malformed. */
function valuesIn(text: string): Values | null {
  const split = splitFrontMatter(text, '', '');
  return 'code' in split || split.diagnostics.length > 0 ? null : (split.data as Values);
}

function startOf(node: unknown): number {
  return (node as Node | null)?.range?.[0] ?? 0;
}

/** Cuts front matter into its keys, as `blocksOf` does. */
function keyBlocksOf(source: string, { items }: YAMLMap): ReturnType<typeof blocksOf> {
  return blocksOf(
    source,
    items.map(({ key }) => startOf(key)),
  );
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

/** The mechanical changes to one file. */
export interface FileFix {
  /** Path from the catalog folder, with slashes. */
  file: string;
  /** What changes, such as `line endings`. */
  fixes: string[];
  /** The changes as a unified diff; empty if only the line endings change. */
  diff: string;
  before: Buffer;
  after: string;
}

type Step = [name: string, apply: (text: string) => string];

const encoding: Step[] = [
  ['byte-order mark', withoutByteOrderMark],
  ['line endings', withLineFeeds],
];
const finalNewline: Step = ['final newline', withFinalNewline];
const sample: Step[] = [...encoding, finalNewline];

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
      return sample;
    default:
      return /^config\.[A-Za-z0-9]+$/.test(name) || name.startsWith(evalsFolder) ? encoding : [];
  }
}

/**
 * Returns the mechanical changes to the files of a folder. Files that are no text, are empty, or have a merge conflict
 * are left to a person. Only the input of a case may be empty, and its line endings are fixed then too.
 */
export function fixesOf({ slug, files }: SourceFolder, isPublished: boolean): FileFix[] {
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

/** Writes the changes. Throws OperationError, before the first change, if a file is no longer as it was read. */
export function writeFixes(cwd: string, fixes: readonly FileFix[]): void {
  for (const { file, before } of fixes) {
    if (readFileSync(join(cwd, file)).equals(before)) continue;
    throw new OperationError(
      `${file} changed while it was being fixed. Nothing was written: run npx --no daily-agent-catalog fix again.`,
    );
  }
  replaceFiles(fixes.map(({ file, after }) => [join(cwd, file), after]));
}
