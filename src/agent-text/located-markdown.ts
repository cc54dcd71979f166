import { once } from '../once.ts';
import { markdownParser, type Token } from './markdown.ts';

/** The target of a link or a definition. All offsets are UTF-16 units of the source. */
export interface LocatedTarget {
  from: number;
  to: number;
  /** The target as markdown-it normalizes it. */
  target: string;
}

/** The text of a paragraph, a heading or a cell of a table. */
export interface LocatedText {
  /** The token before it, which says what it is the text of. */
  opening: Token;
  /** The text without the marks of lists and quotes around it. */
  content: string;
  /** The offset in the source of an offset in the content. */
  at(offset: number): number;
  targets: LocatedTarget[];
  /** The offsets in the content of each `<` that starts no link and is in no code: other parsers may read HTML. */
  tags: ReadonlySet<number>;
}

/** Markdown as pages understand it, with the places of what is in it. */
export interface LocatedMarkdown {
  lines: Lines;
  /** The blocks, including definitions. */
  tokens: Token[];
  texts: LocatedText[];
  /** The targets of the definitions of links. */
  definitions: LocatedTarget[];
}

/** Parses Markdown as pages do, and finds out where its links and tags are. */
export function locateMarkdown(source: string): LocatedMarkdown {
  const environment: Environment = { content: '', tags: new Set() };
  const tokens = parser.parse(source, environment);
  const lines = linesOf(source);
  const texts = locateTexts(tokens, lines).map(({ opening, content, at }): LocatedText => {
    const tags = new Set<number>();
    if (!/[[<]/.test(content)) return { opening, content, at, targets: [], tags };
    const children: Token[] = [];
    Object.assign(environment, { content, tags });
    parser.inline.parse(content, parser, environment, children);
    const targets = children
      .filter(({ meta }) => meta?.label === undefined)
      .flatMap((child) => readMarked(child.attrGet('href') ?? child.attrGet('src')) ?? [])
      .map(({ from, to, target }) => ({ from: at(from), to: at(to), target }));
    return { opening, content, at, targets, tags };
  });
  const references = Object.values(environment.references ?? {});
  return { lines, tokens, texts, definitions: references.flatMap(({ href }) => readMarked(href) ?? []) };
}

/** The lines of a text. */
export interface Lines {
  /** The offset of a line. */
  start(line: number): number;
  /** The text of a line. */
  text(line: number): string;
}

function linesOf(source: string): Lines {
  const texts = source.split('\n');
  const starts: number[] = [];
  let start = 0;
  for (const text of texts) {
    starts.push(start);
    start += text.length + 1;
  }
  return { start: (line) => starts[line] ?? source.length, text: (line) => texts[line] ?? '' };
}

/** The state of a parse. */
type Environment = {
  references?: Record<string, { href: string; title: string }>;
  /** The text whose tags are collected. Texts within it, such as those of images, are parsed again on their own. */
  content: string;
  tags: Set<number>;
};

const parser = positionedParser();

/** A parser of blocks that puts offsets before the targets of links. The caller parses their texts. */
function positionedParser(): ReturnType<typeof markdownParser> {
  const parser = markdownParser();
  const { normalizeLink, validateLink } = parser;
  const { parseLinkDestination } = parser.helpers;
  parser.core.ruler.disable(['inline', 'strip_references']);
  parser.helpers.parseLinkDestination = (text, start, max) => {
    const found = parseLinkDestination(text, start, max);
    return found.ok ? { ...found, str: `${start} ${found.pos} ${found.str}` } : found;
  };
  parser.normalizeLink = (marked) => {
    const [whole, offsets = '', target = marked] = marking.exec(marked) ?? [];
    return whole === undefined ? normalizeLink.call(parser, marked) : offsets + normalizeLink.call(parser, target);
  };
  parser.validateLink = (marked) => validateLink.call(parser, marked.replace(marking, '$2'));
  // The last rule is only called where no other one applies.
  parser.inline.ruler.push('tag', ({ src, pos, env }, silent) => {
    const { content, tags } = env as unknown as Environment;
    if (!silent && src === content && /^<[a-z/!?]/i.test(src.slice(pos, pos + 2))) tags.add(pos);
    return false;
  });
  return parser;
}

const marking = /^(\d+ \d+ )(.*)$/s;

function readMarked(marked: unknown): LocatedTarget | null {
  const [, offsets, target] = marking.exec(String(marked)) ?? [];
  if (offsets === undefined || target === undefined) return null;
  const [from = 0, to = 0] = offsets.split(' ').map(Number);
  return { from, to, target };
}

function locateTexts(tokens: readonly Token[], lines: Lines): Pick<LocatedText, 'opening' | 'content' | 'at'>[] {
  let row = 0;
  let end = 0;
  return tokens.flatMap(({ type, content, map }, index) => {
    const opening = tokens[index - 1];
    if (type === 'tr_open') {
      row = map?.[0] ?? 0;
      end = 0;
    }
    if (type !== 'inline' || opening === undefined) return [];
    if (map !== null) {
      // Most texts have nothing to locate.
      const locate = once(() => inLines(content, map[0], lines));
      return { opening, content, at: (offset: number) => locate()(offset) };
    }
    const cell = content.replaceAll('|', '\\|');
    const start = lines.text(row).indexOf(cell, end);
    end = start + cell.length;
    return { opening, content, at: inCell(content, lines.start(row) + start) };
  });
}

/** A paragraph or heading. Only marks of lists and quotes are before its text in a line, and white space after it. */
function inLines(content: string, first: number, lines: Lines): LocatedText['at'] {
  const own = linesOf(content);
  const shifts = content.split('\n').map((line, index) => {
    const words = line.trimStart();
    const end = lines.text(first + index).lastIndexOf(words) + words.length;
    return lines.start(first + index) + end - own.start(index) - line.length;
  });
  return (offset) => {
    let [least, most] = [0, shifts.length];
    while (most - least > 1) {
      const middle = (least + most) >> 1;
      if (own.start(middle) <= offset) least = middle;
      else most = middle;
    }
    return offset + (shifts[least] ?? 0);
  };
}

/** A cell of a table, in which a vertical bar has a backslash. */
function inCell(content: string, start: number): LocatedText['at'] {
  const bars = [...content.matchAll(/\|/g)].map(({ index }) => index);
  return (offset) => start + offset + bars.filter((bar) => bar < offset).length;
}
