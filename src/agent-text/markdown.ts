import MarkdownIt from 'markdown-it';
import type { Finding } from '../diagnostics/diagnostic.ts';
import { isWebAddress } from '../schema/fields.ts';

export type Token = ReturnType<InstanceType<typeof MarkdownIt>['parse']>[number];

/** A parser of an agent's Markdown as pages and feeds show it: raw HTML is text, and a link leads where isLinkTarget says. */
export function markdownParser(): InstanceType<typeof MarkdownIt> {
  const parser = new MarkdownIt({ html: false, linkify: false, typographer: false });
  parser.validateLink = isLinkTarget;
  return parser;
}

/**
 * Whether a link may lead there: to a web address, a mail address, or a place in the catalog (`/archive`, `other-agent`,
 * `#part`). Every other scheme starts a program on the reader's machine, or runs a script. `//host` is refused since it
 * looks like a path.
 */
export function isLinkTarget(target: string): boolean {
  if (/[\s\p{Cc}\\]/u.test(target) || target.startsWith('//')) return false;
  if (/^https?:/i.test(target)) return isWebAddress(target);
  return /^mailto:/i.test(target) || !/^[^/?#]*:/.test(target);
}

/** What is wrong with the Markdown of an agent. Offsets are UTF-16 units of the Markdown. */
export type MarkdownFinding = Pick<Finding, 'code' | 'message' | 'hint'> & { offset: number; length: number };

/** The most characters and headings, and the deepest nesting of lists and quotes, that an agent's Markdown can have. */
const maxLength = 65_536;
const maxHeadings = 100;
const maxNesting = 20;

/**
 * What Markdown must not have: links to other schemes, images, HTML with attributes, and more headings or levels than a
 * page can show.
 */
export function markdownFindings(source: string): MarkdownFinding[] {
  if (source.length > maxLength) return [tooLong(source.length)];
  if (isPlain(source)) return [];
  const tokens = checker(false).parse(source, {});
  const lines = lineOffsets(source);
  return [
    ...sizeFindings(tokens, lines),
    ...linkFindings(source, tokens, lines),
    ...(/<[a-z][^<>]*=/i.test(source) ? htmlFindings(source, lines) : []),
  ];
}

/** Whether nothing can be wrong with a text, told without parsing it: most have no link, and few headings. */
function isPlain(source: string): boolean {
  if (/[[<]|^[ \t>*+.)\d-]{20}/m.test(source)) return false;
  return (source.match(/^ {0,3}(?:#|[=-]+ *$)/gm)?.length ?? 0) <= maxHeadings;
}

/** A parser that takes every target, and leaves it as it is written. */
function checker(html: boolean): InstanceType<typeof MarkdownIt> {
  const parser = new MarkdownIt({ html });
  parser.validateLink = () => true;
  parser.normalizeLink = (target) => target;
  return parser;
}

function sizeFindings(tokens: readonly Token[], lines: readonly number[]): MarkdownFinding[] {
  const headings = tokens.filter(({ type }) => type === 'heading_open');
  const deep = tooDeep(tokens);
  const at = (token: Token | undefined) => ({ offset: lines[token?.map?.[0] ?? 0] ?? 0, length: 1 });
  const found: MarkdownFinding[] = [];
  if (headings.length > maxHeadings) {
    found.push({
      code: 'markdown/size',
      ...at(headings[maxHeadings]),
      message: `The Markdown has ${headings.length} headings; at most ${maxHeadings} are allowed.`,
      hint: 'Remove the headings from here on, or make them plain paragraphs.',
    });
  }
  if (deep !== undefined) {
    found.push({
      code: 'markdown/size',
      ...at(deep),
      message: `Lists and quotes are nested more than ${maxNesting} levels deep.`,
      hint: 'Write the inner levels as lists or paragraphs of their own.',
    });
  }
  return found;
}

function tooLong(length: number): MarkdownFinding {
  return {
    code: 'markdown/size',
    offset: maxLength,
    length: 1,
    message: `The Markdown has ${length} characters; at most ${maxLength} are allowed.`,
    hint: 'Shorten it: readers want to know how the prompt works, and when to leave it aside.',
  };
}

/** The first list or quote below too many others. */
function tooDeep(tokens: readonly Token[]): Token | undefined {
  let depth = 0;
  return tokens.find(({ type, nesting }) => {
    if (/^(?:bullet_list|ordered_list|blockquote)_/.test(type)) depth += nesting;
    return depth > maxNesting;
  });
}

function linkFindings(source: string, tokens: readonly Token[], lines: readonly number[]): MarkdownFinding[] {
  const targets = tokens.flatMap(({ map, children }) =>
    (children ?? []).flatMap((child) => {
      if (child.type === 'image') return [{ map, image: true, target: String(child.attrGet('src')) }];
      const target = child.type === 'link_open' ? String(child.attrGet('href')) : '';
      return target === '' || isLinkTarget(target) ? [] : [{ map, image: false, target }];
    }),
  );
  let from = 0;
  return targets.slice(0, mostFindings).map(({ map, image, target }) => {
    const block = lines[map?.[0] ?? 0] ?? 0;
    const found = source.indexOf(target, Math.max(block, from));
    // A target written with entities or escapes, or in a definition before the text: its block has to do.
    const offset = target === '' || found === -1 ? block : found;
    if (offset === found) from = offset + target.length;
    const length = offset === found ? target.length : 1;
    return image ? imageFinding(offset, length) : linkFinding(offset, length);
  });
}

/** How many links of one text are reported. */
const mostFindings = 20;

function imageFinding(offset: number, length: number): MarkdownFinding {
  return {
    code: 'markdown/image',
    offset,
    length,
    message: 'Markdown of an agent has no images: the host of an image learns who reads the page or the feed.',
    hint: 'Describe what it shows, or link to a page that has it: [the text](https://…), without the exclamation mark.',
  };
}

function linkFinding(offset: number, length: number): MarkdownFinding {
  return {
    code: 'markdown/link',
    offset,
    length,
    message: 'A link leads to an http, https or mail address, or to a path in this catalog; this one does not.',
    hint: 'Write the whole address, without a user name, spaces or backslashes, or put the text in backticks.',
  };
}

/** HTML that other programs would render: our pages show it as text, but the Markdown is published too. */
function htmlFindings(source: string, lines: readonly number[]): MarkdownFinding[] {
  const found = checker(true)
    .parse(source, {})
    .flatMap((token) => [token, ...(token.children ?? [])].map((part) => ({ part, map: token.map })))
    .find(({ part }) => /^html_/.test(part.type) && /<[a-z][^<>]*=/i.test(part.content));
  if (found === undefined) return [];
  const block = lines[found.map?.[0] ?? 0] ?? 0;
  const tag = /<[a-z][^<>]*=/i.exec(found.part.content)?.[0] ?? '';
  return [
    {
      code: 'markdown/html',
      offset: Math.max(block, source.indexOf(tag, block)),
      length: tag.length,
      message: 'This is HTML with attributes, which pages show as text and other readers of the Markdown run.',
      hint: 'Write it as Markdown, or put it in backticks if it is meant as text.',
    },
  ];
}

function lineOffsets(source: string): number[] {
  const offsets = [0];
  for (let at = source.indexOf('\n'); at !== -1; at = source.indexOf('\n', at + 1)) offsets.push(at + 1);
  return offsets;
}
