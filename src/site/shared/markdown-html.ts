import {
  absoluteTarget,
  headingIds,
  headingOfHash,
  type LinkBase,
  markdownParser,
  type Token,
} from '../../text/markdown.ts';
import { linesOf } from '../../text/prompt-text.ts';

interface Environment {
  pageUrl: string;
  use: 'page' | 'feed' | 'answer' | 'mail';
}

const mailCell =
  'padding: 4px 8px 4px 0; border-bottom: 1px solid #d9d3c5; font-size: 14px; text-align: start; vertical-align: top; word-break: break-word;';

const mailLabel = 'display: none; color: #615b50;';

/** How many columns are too many for a phone. */
const manyColumns = 5;
/** The width of a table on a small phone and in the column of an email, and the gap beside each cell, in pixels. */
const [phoneWidth, columnWidth, cellGap] = [280, 568, 8];

/** A noncharacter, which no text of an agent has. It is removed from the HTML. */
const mark = '\uFDD0';

const mailPre = 'white-space: pre-wrap; word-break: break-word;';

/**
 * Makes the Markdown renderer of a site. It renders an agent's Markdown as HTML: raw HTML becomes text, images become links,
 * links with other schemes become text. `pageUrl` is the base of relative links.
 */
export function markdownRenderer(url: { absolute(): string }) {
  const markdown = markdownParser();
  const root = url.absolute().replace(/\/$/, '');

  markdown.core.ruler.push('site', (state) => {
    const { tokens, env } = state;
    const { environment } = env as unknown as { environment: Environment };
    const isAbsolute = environment.use === 'feed' || environment.use === 'mail';
    const isAnswer = environment.use === 'answer' || environment.use === 'mail';
    const headings = adaptHeadings(tokens, environment.use);
    const base: LinkBase = { page: environment.pageUrl, root, headings };
    for (const token of tokens) {
      if (token.children?.some(({ type }) => type === 'image'))
        token.children = linkImages(token.children, state.Token);
      // The site has neither the headings of an answer at an address, nor the files of the reader: such links become text.
      let isText = false;
      for (const child of token.children ?? []) {
        const target = child.type === 'link_open' ? String(child.attrGet('href')) : null;
        if (target !== null) isText = isAnswer && !/^[a-z]+:/i.test(target);
        if (isText && child.type.startsWith('link_')) child.hidden = true;
        if (target !== null) child.attrSet('href', resolve(target, base, isAbsolute));
      }
    }
    const hasTables = tokens.some(({ type }) => type === 'table_open');
    if (hasTables && environment.use !== 'feed') state.tokens = withAdaptedTables(tokens, state.Token);
    if (environment.use === 'mail') styleMailTables(state.tokens, state.Token);
    if (isAnswer && /^ {2}/m.test(state.src))
      state.tokens = withIndentedLines(state.tokens, state.src.split('\n'), state.Token);
  });
  markdown.renderer.rules.softbreak = (_tokens, _index, _options, env) =>
    /answer|mail/.test((env as { environment?: Environment } | undefined)?.environment?.use ?? '') ? '<br>\n' : '\n';

  function resolve(target: string, base: LinkBase, absolute: boolean): string {
    if (target.startsWith('#') && !absolute) {
      const heading = headingOfHash(target, base.headings);
      return heading === null ? target : `#${encodeURI(heading)}`;
    }
    const full = absoluteTarget(target, base);
    const inside = `${full}/`.startsWith(url.absolute());
    return absolute || !inside ? full : full.slice(new URL(full).origin.length);
  }

  const render = (source: string, pageUrl: string, use: Environment['use']): string =>
    markdown.render(source, { environment: { pageUrl, use } satisfies Environment }).replaceAll(mark, '');
  return {
    /**
     * Renders for a page: headings start at level 3 and have ids, tables are in boxes that scroll, and links within the
     * site start with its path.
     */
    forPage: (source: string, pageUrl: string) => render(source, pageUrl, 'page'),
    /**
     * Renders an assistant's answer for a page: as `forPage`, but headings have no ids, lines stay lines, and a part whose
     * lines are indented, such as a tree, stays as it is.
     */
    forAnswer: (source: string, pageUrl: string) => render(withLinesOfAnswer(source), pageUrl, 'answer'),
    /** Renders the same for an email: cells have their styles, and all links are absolute. */
    forMail: (source: string, pageUrl: string) =>
      render(withLinesOfAnswer(source), pageUrl, 'mail').replaceAll('<pre>', `<pre style="${mailPre}">`),
    /** Renders for a feed: headings start at level 4 without ids, and all links are absolute. */
    forFeed: (source: string, pageUrl: string) => render(source, pageUrl, 'feed'),
  };
}

/** Moves headings below the page's own, and gives them ids on pages. Returns the ids that they have on the page. */
function adaptHeadings(tokens: readonly Token[], use: Environment['use']): string[] {
  const highest = use === 'feed' ? 4 : 3;
  const ids = headingIds(tokens);
  const headings = tokens.filter(({ type }) => /^heading_/.test(type));
  const shift = headings.reduce((shift, token) => Math.max(shift, highest - levelOf(token)), 0);
  for (const token of headings) token.tag = `h${Math.min(6, levelOf(token) + shift)}`;
  const opening = headings.filter(({ nesting }) => nesting === 1);
  if (use === 'page') for (const [index, token] of opening.entries()) token.attrSet('id', ids[index] ?? '');
  return ids;
}

function levelOf({ tag }: Token): number {
  return Number(tag.slice(1));
}

type MakeToken = new (type: string, tag: string, nesting: -1 | 0 | 1) => Token;

/**
 * Puts tables into boxes that a reader can scroll, named after their columns, and replaces the inline styles of cells, which
 * the security policy of pages blocks, with classes.
 */
function withAdaptedTables(tokens: readonly Token[], Made: MakeToken): Token[] {
  let box: Token | undefined;
  let columns: string[] = [];
  return tokens.flatMap((token, at) => {
    if (token.type === 'table_open') {
      box = tableBox('table_box_open', 1, Made);
      columns = [];
      return [box, token];
    }
    if (token.type === 'table_close') return [token, tableBox('table_box_close', -1, Made)];
    if (token.type === 'inline') columns.push(textOf(token));
    if (token.type === 'thead_close') {
      const names = columns.filter((name) => name !== '').join(', ');
      const name = names === '' ? 'Table' : `Table: ${names}`;
      box?.attrs?.push(['class', 'scroll'], ['role', 'group'], ['aria-label', name], ['tabindex', '0']);
    }
    const [, side] = /^text-align:(\w+)$/.exec(String(token.attrGet('style'))) ?? [];
    if (side !== undefined) token.attrs = [['class', `align-${side}`]];
    // A corner without a text is the header of nothing.
    if (token.type === 'th_close' && tokens[at - 1]?.content === '') token.tag = 'td';
    if (token.type === 'th_open') {
      if (tokens[at + 1]?.content === '') token.tag = 'td';
      else token.attrSet('scope', 'col');
    }
    return [token];
  });
}

/**
 * Gives tables in an email their styles, since email programs drop stylesheets. Each cell of a table that is too wide for a
 * phone has the name of its column, which only phones show: there, each row is a list.
 */
function styleMailTables(tokens: readonly Token[], Made: MakeToken): void {
  let [columns, column]: [ReturnType<typeof columnsOf>, number] = [columnsOf([]), 0];
  for (const [at, token] of tokens.entries()) {
    if (token.type === 'table_open') {
      columns = columnsOf(tokens.slice(at));
      token.attrSet('style', 'border-collapse: collapse;');
      if (columns.isWide) token.attrSet('class', 'wide');
    }
    if (token.type === 'tr_open') column = 0;
    if (!/^t[dh]_open$/.test(token.type)) continue;
    token.attrSet('style', `${mailCell} min-width: ${columns.widths[column]}px;`);
    const text = tokens[at + 1];
    const name = columns.names[column++] ?? '';
    if (token.type === 'th_open' || !columns.isWide || name === '' || text?.content === '') continue;
    const open = new Made('label_open', 'span', 1);
    open.attrs = Object.entries({ class: 'label quiet', style: mailLabel });
    const label = Object.assign(new Made('text', '', 0), { content: `${name}: ` });
    text?.children?.unshift(open, label, new Made('label_close', 'span', -1));
  }
}

/**
 * Returns the names of the columns of a table, whether it is too wide for a phone, and the width that each column needs for
 * its longest word, in pixels: since words may break, a column could be as narrow as a letter.
 */
function columnsOf(table: readonly Token[]): { names: string[]; widths: number[]; isWide: boolean } {
  const end = table.findIndex(({ type }) => type === 'table_close');
  const texts = table.slice(0, end).flatMap((token) => (token.type === 'inline' ? textOf(token) : []));
  const names = texts.slice(0, table.filter(({ type }, at) => type === 'th_open' && at < end).length);
  const wanted = names.map((_, column) => {
    const words = texts.filter((_, at) => at % names.length === column).flatMap((text) => text.split(/\s+/));
    return 8.5 * Math.min(14, Math.max(...words.map((word) => word.length))) + 6;
  });
  const sum = wanted.reduce((total, width) => total + width + cellGap, 0);
  const isWide = names.length >= manyColumns || sum > phoneWidth;
  const share = Math.min(1, (isWide ? columnWidth : phoneWidth) / sum);
  return { names, widths: wanted.map((width) => Math.floor(width * share)), isWide };
}

function textOf(inline: Token | undefined): string {
  return inline?.children?.map(({ content }) => content).join('') ?? '';
}

function tableBox(type: string, nesting: -1 | 1, Made: MakeToken): Token {
  return Object.assign(new Made(type, 'div', nesting), { block: true, attrs: [] });
}

/**
 * Ends each list and table before a line that is no part of it: Markdown would add the line to the last item or row. It
 * would also drop a line such as `[Cost]: unknown`, a definition, which stays a text unless a link has this name.
 */
function withLinesOfAnswer(source: string): string {
  const names = new Set(source.toLowerCase().match(/\[[^[\]\n]+\](?!:)/g));
  let [inList, inTable] = [false, false];
  return linesOf(source)
    .lines.map(({ text, fenced }) => {
      const isItem = !fenced && /^\s*(?:[-*+]|\d+[.)]) /.test(text);
      const ends = (inList && !isItem && /^\S/.test(text)) || (inTable && text !== '' && !text.includes('|'));
      inList = isItem || (inList && !ends && text !== '');
      // The line below the names of the columns.
      const isRule = !fenced && /^(?=.*-)[\s:-]*\|[\s|:-]*$/.test(text);
      inTable = isRule || (inTable && !ends && text !== '');
      const label = /^(?:[\s>]|(?:[-*+]|\d+[.)])\s)*(\[[^[\]]+\]):/.exec(text)?.[1];
      const isLink = label !== undefined && names.has(label.toLowerCase()) && /\]:\s*<?[a-z]+:/i.test(text);
      const shown = label === undefined || isLink ? text : text.replace('[', `${mark}[`);
      return ends ? `\n${shown}` : shown;
    })
    .join('\n');
}

/** Replaces each paragraph that has indented lines with these lines: Markdown would drop their indentation. */
function withIndentedLines(tokens: readonly Token[], lines: readonly string[], Made: MakeToken): Token[] {
  let last = -1;
  return tokens.flatMap((token, index) => {
    if (index <= last) return [];
    const [start = 0, end = 0] = token.map ?? [];
    const text = lines.slice(start, end);
    if (token.type !== 'paragraph_open' || token.level > 0 || !text.slice(1).some((line) => /^ {2}/.test(line)))
      return [token];
    // The paragraph is three tokens: its start, its text and its end.
    last = index + 2;
    return [Object.assign(new Made('code_block', 'code', 0), { block: true, content: `${text.join('\n')}\n` })];
  });
}

/** Replaces each image with a link to it or, within another link, with its text. */
function linkImages(tokens: readonly Token[], Made: MakeToken): Token[] {
  let links = 0;
  return tokens.flatMap((token) => {
    if (token.type === 'link_open' || token.type === 'link_close') links += token.nesting;
    if (token.type !== 'image') return [token];
    const target = String(token.attrGet('src'));
    const text = Object.assign(new Made('text', '', 0), { content: token.content || target });
    if (links > 0) return [text];
    const open = new Made('link_open', 'a', 1);
    open.attrSet('href', target);
    return [open, text, new Made('link_close', 'a', -1)];
  });
}
