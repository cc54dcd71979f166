import { isMap, isPair, isScalar, isSeq, type Node, parseDocument } from 'yaml';
import { type Location, locationAt } from './source-location.ts';

/** Keys and indexes from the root of a document. */
export type Path = readonly (string | number)[];

/** The deepest YAML that is parsed. The YAML library recurses, so a deeper document could overflow the stack. */
const maxDepth = 100;

/** Returns the offset at which YAML is nested too deeply to be parsed, or -1. It counts brackets in quotes too. */
export function tooDeepAt(source: string): number {
  let depth = 0;
  for (const { index, 0: mark } of source.matchAll(/[[{\]}]|^ {200}|(?:[-?:][ \t]+){100}/gm)) {
    if (mark.length > 1) return index;
    depth = '[{'.includes(mark) ? depth + 1 : Math.max(0, depth - 1);
    if (depth > maxDepth) return index;
  }
  return -1;
}

/**
 * Returns the location of the value at a path or, with `key: true`, of its key.
 *
 * If the value does not exist, this is the location of the nearest existing parent: a list item or the start of the
 * document.
 */
export type LocationOf = (path: Path, options?: { key?: boolean }) => Location;

/** Returns a function that finds locations in the front matter of `text`. The first call parses it. */
export function locationsInFrontMatter(text: string): LocationOf {
  return locationsWithin(text, 4, text.indexOf('\n---', 3));
}

/** Returns a function that finds locations in a YAML text, which JSON is too. */
export function locationsInYaml(text: string): LocationOf {
  return locationsWithin(text, 0, text.length);
}

/** Returns the location of one value in the front matter of `text`. */
export function locationInFrontMatter(text: string, path: Path, options: { key?: boolean } = {}): Location {
  return locationsInFrontMatter(text)(path, options);
}

function locationsWithin(text: string, start: number, end: number): LocationOf {
  let root: unknown;
  return (path, { key = false } = {}) => {
    root ??= parsed(text.slice(start, end));
    return locationIn(root, { text, start, path, key });
  };
}

/** Returns the root of the document; null if it is nested too deeply for the YAML library. */
function parsed(source: string): unknown {
  if (tooDeepAt(source) !== -1) return null;
  try {
    return parseDocument(source, { uniqueKeys: false, prettyErrors: false }).contents;
  } catch {
    return null;
  }
}

function locationIn(
  root: unknown,
  { text, start, path, key }: { text: string; start: number; path: Path; key: boolean },
): Location {
  let node = root;
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
  return locationAt(text, start + from, to - from);
}

function rangeOf(node: unknown): readonly number[] | undefined {
  return (node as Node | null | undefined)?.range ?? undefined;
}

function isEmpty(value: unknown): boolean {
  return value === null || (isScalar(value) && (value.source === '' || value.source === undefined));
}
