import { isScalar, isSeq, type Node, parseDocument, type YAMLSeq } from 'yaml';
import { splitFrontMatter } from '../../catalog/parse/front-matter.ts';

/**
 * Adds `add` to the end of `formerSlugs` in an agent.md, and removes `drop`. All other bytes stay the same. Returns
 * null if the front matter cannot be edited this way.
 */
export function withFormerSlug(text: string, add: string, drop: string): string | null {
  const before = frontMatter(text);
  if (before === null) return null;
  const former = Array.isArray(before.formerSlugs) ? before.formerSlugs : [];
  const wanted = [...former.filter((slug) => slug !== drop && slug !== add), add];
  const changed = edit(text, add, drop, wanted);
  // js-yaml accepts a key after a mapping in braces, which is invalid YAML.
  if (changed === null || parseFrontMatter(changed).errors.length > 0) return null;
  const expected = JSON.stringify(sorted({ ...before, formerSlugs: wanted }));
  return JSON.stringify(sorted(frontMatter(changed) ?? {})) === expected ? changed : null;
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

function sorted(data: Record<string, unknown>): [string, unknown][] {
  return Object.entries(data).sort(([a], [b]) => (a < b ? -1 : 1));
}
