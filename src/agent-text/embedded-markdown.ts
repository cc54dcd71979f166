import { headingIds } from './heading-ids.ts';
import { absoluteTarget, type LinkBase } from './link-target.ts';
import { type Lines, type LocatedTarget, type LocatedText, locateMarkdown } from './located-markdown.ts';
import type { Token } from './markdown.ts';

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
