import { isMap, isPair, isScalar, isSeq, type Node, parseDocument } from 'yaml';
import { type Place, placeAt } from './source-text.ts';

/** Keys and indexes from the root of a document. */
export type Path = readonly (string | number)[];

/**
 * The place of the value that `path` leads to in the front matter of `text`; of its key with `key: true`.
 *
 * Where the path ends early: the nearest thing above it, which is a list item or the opening `---`.
 */
export function placeInFrontMatter(text: string, path: Path, options: { key?: boolean } = {}): Place {
  return placeInYaml(text, 4, text.indexOf('\n---', 3), path, options);
}

/** The same for a whole JSON text, which is YAML too. */
export function placeInJson(text: string, path: Path, options: { key?: boolean } = {}): Place {
  return placeInYaml(text, 0, text.length, path, options);
}

function placeInYaml(text: string, start: number, end: number, path: Path, { key = false }: { key?: boolean }): Place {
  let node: unknown = parseDocument(text.slice(start, end), { uniqueKeys: false }).contents;
  let range: readonly number[] = start === 0 ? [0, 1] : [-start, -1];
  for (const [depth, step] of path.entries()) {
    const last = depth === path.length - 1;
    if (isMap(node)) {
      const pair = node.items.find((item) => isPair(item) && isScalar(item.key) && item.key.value === step);
      if (pair === undefined) break;
      node = pair.value;
      range = rangeOf((last && key) || isEmpty(pair.value) ? pair.key : pair.value) ?? range;
    } else if (isSeq(node) && typeof step === 'number') {
      node = node.items[step];
      range = rangeOf(node) ?? range;
    } else break;
  }
  const [from = 0, to = from + 1] = range;
  return placeAt(text, start + from, to - from);
}

function rangeOf(node: unknown): readonly number[] | undefined {
  return (node as Node | null | undefined)?.range ?? undefined;
}

function isEmpty(value: unknown): boolean {
  return value === null || (isScalar(value) && (value.source === '' || value.source === undefined));
}
