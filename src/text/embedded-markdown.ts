import { once } from '../lib/lazy.ts';
import { absoluteTarget, headingIds, type LinkBase, lineOffsets, markdownParser, type Token } from './markdown.ts';

/**
 * Writes an agent's Markdown into a section of a Markdown document. There it has to mean the same as on the agent's page,
 * wherever the document is read: headings start at level 3, links are absolute, HTML is text, and nothing runs on into the
 * next section. The rest stays as the author wrote it.
 *
 * `slug` and `url` say where the agent is published.
 */
export function embeddedMarkdown(source: string, { slug, url }: { slug: string; url: string }): string {
  if (hasPlainHeadings(source)) return withLowerHeadings(source);
  const { lines, tokens, texts, definitions } = locateMarkdown(source);
  const base = { page: url, root: url.slice(0, -`/agents/${slug}`.length), headings: headingIds(tokens) };
  const marked = texts.filter(({ content }) => /[[<]/.test(content));
  const linkEdit = (target: LocatedTarget) => targetEdit(source, target, base);
  return edited(source, [
    ...headingEdits(texts, lines),
    ...marked.flatMap((text) => [...tagEdits(text), ...text.targets.flatMap(linkEdit)]),
    ...definitions.flatMap(linkEdit),
    ...tokens.flatMap((token) => definitionEdits(token, lines)),
    ...fenceEdits(source, tokens.at(-1), lines),
  ]);
}

/** The level of the highest heading. */
const highest = 3;

/** Whether nothing but headings at the start of a line may have to change. This saves parsing most texts. */
function hasPlainHeadings(source: string): boolean {
  return !/[[<]|`{3}|~{3}|^[ \t>]*(?:=+|-+)[ \t]*$|^[ \t>*+\d.)-]+#/m.test(source);
}

function withLowerHeadings(source: string): string {
  const marks = /^#{1,6}(?=[ \t]|$)/gm;
  const shift = shiftOf((source.match(marks) ?? []).map(({ length }) => length));
  return shift === 0 ? source : source.replace(marks, (mark) => markOf(mark.length + shift));
}

/** By how many levels all headings move down. */
function shiftOf(levels: readonly number[]): number {
  return highest - Math.min(highest, ...levels);
}

function markOf(level: number): string {
  return '#'.repeat(Math.min(6, level));
}

/** A text for what is between two offsets of the source. */
interface Edit {
  from: number;
  to: number;
  text: string;
}

function edited(source: string, edits: Edit[]): string {
  let at = 0;
  const parts = edits
    .sort((a, b) => a.from - b.from)
    .map(({ from, to, text }) => {
      const part = source.slice(at, from) + text;
      at = to;
      return part;
    });
  return parts.join('') + source.slice(at);
}

/** Moves headings down, all by the same number of levels. Underlined ones get number signs, since they are too high. */
function headingEdits(texts: readonly LocatedText[], lines: Lines): Edit[] {
  const headings = texts.filter(({ opening }) => opening.type === 'heading_open');
  const levels = headings.map(({ opening }) => Number(opening.tag.slice(1)));
  const shift = shiftOf(levels);
  if (shift === 0) return [];
  return headings.flatMap((heading, index) => {
    const { markup, map } = heading.opening;
    const marks = markOf((levels[index] ?? 0) + shift);
    if (!markup.startsWith('#')) return underlinedEdits(heading, marks, lines);
    const line = map?.[0] ?? 0;
    const from = lines.start(line) + lines.text(line).indexOf('#');
    return [{ from, to: from + markup.length, text: marks }];
  });
}

/** Makes one line of an underlined heading, without the line below it. */
function underlinedEdits(text: LocatedText, marks: string, lines: Lines): Edit[] {
  const { opening, content, at } = text;
  const underline = (opening.map?.[1] ?? 0) - 1;
  const closing = /(?<=^|[ \t\n])#+$/.exec(content)?.index;
  return [
    { from: at(0), to: at(0), text: `${marks} ` },
    // A backslash at the end of a line would break it.
    ...joins(text, /(?<![ \t])[ \t]*\\?\n[ \t]*/g),
    // Number signs at the end would not be shown.
    ...(closing === undefined ? [] : [escapeAt(at(closing))]),
    { from: at(content.length), to: lines.start(underline) + lines.text(underline).length, text: '' },
  ];
}

function escapeAt(offset: number): Edit {
  return { from: offset, to: offset, text: '\\' };
}

/** Joins lines by a space. */
function joins({ content, at }: LocatedText, gaps: RegExp, isMeant = (_end: number) => true): Edit[] {
  return [...content.matchAll(gaps)]
    .map(({ 0: gap, index }) => ({ start: index, end: index + gap.length }))
    .filter(({ end }) => isMeant(end))
    .map(({ start, end }) => ({ from: at(start), to: at(end), text: ' ' }));
}

/**
 * Makes text of what would be HTML. A `<` in code or in the title of a link cannot be escaped; at the start of a line it
 * would begin a block of HTML all the same, so its line is joined to the one before.
 */
function tagEdits(text: LocatedText): Edit[] {
  const { opening, content, at, tags } = text;
  // A text that is no definition or link on the page could be one with these changes, or to a parser that accepts its target.
  const colon = /^\[(?:[^[\]\\]|\\.)+\](?=:)/s.exec(content)?.[0].length;
  const brackets = [...content.matchAll(/(?<=\])\([ \t\n]*(?=<)/g)]
    .filter(({ 0: gap, index }) => tags.has(index + gap.length))
    .map(({ index }) => index);
  const offsets = [...tags, ...brackets, ...(colon === undefined ? [] : [colon])];
  const escapes = offsets.map((offset) => escapeAt(at(offset)));
  if (opening.type !== 'paragraph_open') return escapes;
  return [
    ...escapes,
    ...joins(text, /(?<![ \t])[ \t]*\n[ \t]*(?=<(?:[a-z][a-z\d]*(?:[ \t/>]|$)|[/!?]))/gim, (end) => !tags.has(end)),
  ];
}

/** The same for the definition of a link, whose lines may be in lists and quotes. */
function definitionEdits({ type, map }: Token, lines: Lines): Edit[] {
  if (type !== 'reference_definition' || map === null) return [];
  const edits: Edit[] = [];
  for (let line = map[0] + 1; line < map[1]; line += 1) {
    const marks = /^[ \t>]*(?=<(?:[a-z][a-z\d]*(?:[ \t/>]|$)|[/!?]))/i.exec(lines.text(line));
    if (marks === null) continue;
    edits.push({ from: lines.start(line) - 1, to: lines.start(line) + marks[0].length, text: ' ' });
  }
  return edits;
}

function targetEdit(source: string, { from, to, target }: LocatedTarget, base: LinkBase): Edit[] {
  const absolute = absoluteTarget(target, base);
  // Other absolute targets stay as they are written.
  if (URL.canParse(target) && new URL(target).href === absolute) return [];
  const text = absolute.replace(/&(?=#?\w+;)/g, '\\&');
  return [{ from, to, text: source[from] === '<' || /[()]/.test(text) ? `<${text}>` : text }];
}

/** Closes a fence that is open at the end. One in a list or a quote ends with it. */
function fenceEdits(source: string, last: Token | undefined, lines: Lines): Edit[] {
  if (last?.type !== 'fence' || last.level > 0 || last.map === null) return [];
  const { markup, map } = last;
  const closing = /^ {0,3}(`+|~+)[ \t]*$/.exec(lines.text(map[1] - 1))?.[1] ?? '';
  if (map[1] - map[0] > 1 && closing.startsWith(markup)) return [];
  return [{ from: source.length, to: source.length, text: `${source.endsWith('\n') ? '' : '\n'}${markup}` }];
}

/** The target of a link or a definition. All offsets are UTF-16 units of the source. */
interface LocatedTarget {
  from: number;
  to: number;
  /** The target as markdown-it normalizes it. */
  target: string;
}

/** The text of a paragraph, a heading or a cell of a table. */
interface LocatedText {
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

/**
 * Parses Markdown as pages do, and finds out where its links and tags are. `tokens` are its blocks, and `definitions` the
 * targets of the definitions of links.
 */
function locateMarkdown(source: string) {
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

type Lines = ReturnType<typeof linesOf>;

/** Gives the offset and the text of each line of a text. */
function linesOf(source: string) {
  const texts = source.split('\n');
  const starts = lineOffsets(source);
  return { start: (line: number) => starts[line] ?? source.length, text: (line: number) => texts[line] ?? '' };
}

/** The state of a parse. */
type Environment = {
  references?: Record<string, { href: string; title: string }>;
  /** The text whose tags are collected. Texts within it, such as the texts of images, are parsed again on their own. */
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
    const destination = parseLinkDestination(text, start, max);
    return destination.ok ? { ...destination, str: `${start} ${destination.pos} ${destination.str}` } : destination;
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
