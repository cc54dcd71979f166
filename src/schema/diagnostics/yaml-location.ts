import { isMap, isPair, isScalar, isSeq, type Node, parseDocument } from 'yaml';
import { orElse } from '../../lib/errors.ts';
import { type Location, locationAt } from './diagnostic.ts';

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

/**
 * Returns a function that finds locations in a YAML text, which JSON is too. `source` is the text to parse, if it is not
 * the text itself but one of the same length without its mistakes.
 */
export function locationsInYaml(text: string, source = text): LocationOf {
  return locationsWithin(text, 0, text.length, source);
}

function locationsWithin(text: string, start: number, end: number, source = text): LocationOf {
  let parts: ReturnType<typeof partsOf> | undefined;
  return (path, { key = false } = {}) => {
    parts ??= partsOf(source.slice(start, end), start);
    const part = parts.find(({ root }) => pairOf(root, path[0]) !== undefined) ?? parts.at(-1);
    const range = part === undefined ? undefined : rangeAt(part.root, path, key);
    if (part === undefined || range === undefined) return locationAt(text, 0, start === 0 ? 1 : start - 1);
    const [from = 0, to = from + 1] = range;
    return locationAt(text, part.start + from, to - from);
  };
}

/**
 * Parses YAML; nothing if it is nested too deeply for the library. If it is malformed, each key at the top is a part of its
 * own, so that one mistake does not move the locations of the others. `start`: the offset of a part in the text.
 */
function partsOf(source: string, start: number) {
  if (tooDeepAt(source) !== -1) return [];
  const parse = (text: string) => parseDocument(text, { uniqueKeys: false, prettyErrors: false });
  return orElse(() => {
    const whole = parse(source);
    const blocks = whole.errors.length === 0 ? [] : topLevelBlocks(source);
    return [
      ...blocks.map((block) => ({ root: parse(block.text).contents, start: start + block.start })),
      { root: whole.contents, start },
    ];
  }, []);
}

/** Splits YAML at the lines that start in the first column. Each part is a key with its value. */
export function topLevelBlocks(source: string): { text: string; start: number }[] {
  const blocks: { text: string; start: number }[] = [];
  let offset = 0;
  for (const line of source.split('\n')) {
    const last = blocks.at(-1);
    if (last === undefined || /^(?:[^\s#-]|-[^\s-])/.test(line)) blocks.push({ text: line, start: offset });
    else last.text += `\n${line}`;
    offset += line.length + 1;
  }
  return blocks;
}

/** The range of a value or, if it does not exist, of its nearest parent; undefined if that is the root. */
function rangeAt(root: unknown, path: Path, key: boolean): readonly number[] | undefined {
  let node = root;
  let range: readonly number[] | undefined;
  for (const [depth, step] of path.entries()) {
    const last = depth === path.length - 1;
    if (isMap(node)) {
      const pair = pairOf(node, step);
      if (pair === undefined) break;
      node = pair.value;
      range = rangeOf((last && key) || isEmpty(pair.value) ? pair.key : pair.value) ?? range;
    } else if (isSeq(node) && typeof step === 'number') {
      node = node.items[step];
      range = rangeOf(node) ?? range;
    } else break;
  }
  return range;
}

function pairOf(node: unknown, key: string | number | undefined) {
  if (!isMap(node)) return undefined;
  return node.items.find((item) => isPair(item) && isScalar(item.key) && item.key.value === key);
}

function rangeOf(node: unknown): readonly number[] | undefined {
  return (node as Node | null | undefined)?.range ?? undefined;
}

function isEmpty(value: unknown): boolean {
  return value === null || (isScalar(value) && (value.source === '' || value.source === undefined));
}
