import { isDeepStrictEqual } from 'node:util';
import { isMap, isScalar, isSeq, type Node, parseDocument, type YAMLMap } from 'yaml';
import { splitFrontMatter } from '../catalog/parse/front-matter.ts';
import { slugPattern } from '../schema/fields.ts';
import { frontMatterSchema } from '../schema/front-matter.ts';
import { withoutTrailingSpaces } from './texts.ts';

/**
 * Changes to agent.md. They move or replace pieces of the text, so comments and layout stay. A change is dropped if the
 * values would then differ in any other way than intended.
 */

type Values = Record<string, unknown>;

/**
 * Removes blank lines before the `---` that opens the front matter, spaces around it, and spaces after the `---` that closes
 * it. This comes first, since nothing else in front matter that cannot be read is fixed.
 */
export function withPlainHyphens(text: string): string {
  const opened = text.replace(/^\s*---[^\S\n]*\n/, '---\n');
  if (!opened.startsWith('---\n')) return text;
  return opened.replace(/(?<=\n)---[^\S\n]*(?=\n|$)/, '---');
}

/** Removes spaces at the ends of lines, except where they are part of a value or break a line of the Markdown. */
export function withoutSpacesInMarkdown(text: string): string {
  const split = splitFrontMatter(text, '', '');
  if ('code' in split) return text;
  const [front, body] = [text.slice(0, split.bodyOffset), text.slice(split.bodyOffset)];
  const stripped = front.replace(/(?<![ \t])[ \t]+$/gm, '');
  const same = isDeepStrictEqual(valuesIn(stripped + body), split.data) ? stripped : front;
  return same + withoutTrailingSpaces(body, { markdown: true });
}

const keyOrder = Object.keys(frontMatterSchema({ categories: null, difficulties: null, runtimes: null }).shape);

/** Puts the keys in the order of docs/agents.md. An unknown key stays after the key that it follows. */
export function withOrderedKeys(text: string): string {
  return changed(text, (source, root, values) => {
    const blocks = blocksOf(
      source,
      root.items.map(({ key }) => startOf(key)),
    );
    let rank = -1;
    const ranked = root.items.map(({ key }, index) => {
      const known = isScalar(key) ? keyOrder.indexOf(String(key.value)) : -1;
      rank = known === -1 ? rank : known;
      return { rank, text: blocks.parts[index] as string };
    });
    ranked.sort((a, b) => a.rank - b.rank);
    return { source: blocks.head + ranked.map((block) => block.text).join('') + blocks.tail, values };
  });
}

/** Puts the points of the demo in order of time. */
export function withOrderedDemo(text: string): string {
  return changed(text, (source, root, values) => {
    const points = values.demo;
    const list = root.get('demo', true);
    if (!Array.isArray(points) || !isSeq(list) || list.flow === true) return null;
    const seconds = points.map((point) => (point as { second?: unknown } | null)?.second);
    if (!seconds.every(Number.isInteger)) return null;
    const order = [...seconds.keys()].sort((a, b) => Number(seconds[a]) - Number(seconds[b]));
    const index = root.items.findIndex(({ value }) => value === list);
    const { head, parts, tail } = blocksOf(
      source,
      root.items.map(({ key }) => startOf(key)),
    );
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
export function withLowercaseTags(text: string): string {
  return changed(text, (source, root, values) => {
    const list = root.get('tags', true);
    if (!isSeq(list) || !Array.isArray(values.tags)) return null;
    let result = source;
    const tags = [...values.tags];
    for (const [index, item] of [...list.items.entries()].reverse()) {
      const tag = tags[index];
      const [start = 0, end = 0] = (item as Node).range ?? [];
      const wanted = typeof tag === 'string' ? tag.toLowerCase().replace(/[\s_]+/g, '-') : '';
      if (!slugPattern.test(wanted) || tags.includes(wanted)) continue;
      result = result.slice(0, start) + source.slice(start, end).replace(tag, wanted) + result.slice(end);
      tags[index] = wanted;
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
