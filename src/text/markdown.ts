import MarkdownIt from 'markdown-it';
import type { Finding } from '../schema/diagnostics/diagnostic.ts';
import { isWebAddress } from '../schema/fields.ts';
import { markdownMessages } from '../schema/messages/formats.ts';

export type Token = ReturnType<InstanceType<typeof MarkdownIt>['parse']>[number];

/** Makes the parser of agents' Markdown for pages and feeds: raw HTML is text, and isLinkTarget decides about links. */
export function markdownParser(): InstanceType<typeof MarkdownIt> {
  const parser = new MarkdownIt({ html: false, linkify: false, typographer: false });
  parser.validateLink = isLinkTarget;
  return parser;
}

/**
 * Whether a link may have this target: a web address, an email address, or a path in the catalog (`/archive`,
 * `other-agent`, `#part`). Every other scheme starts a program on the reader's machine or runs a script. `//host` is
 * refused because it looks like a path.
 */
function isLinkTarget(target: string): boolean {
  if (/[\s\p{Cc}\\]/u.test(target) || target.startsWith('//')) return false;
  if (/^https?:/i.test(target)) return isWebAddress(target);
  return /^mailto:/i.test(target) || !/^[^/?#]*:/.test(target);
}

/** An error in the Markdown of an agent. Offsets are UTF-16 units of the Markdown. */
type MarkdownFinding = Pick<Finding, 'code' | 'message' | 'hint'> & { offset: number; length: number };

/** The most characters and headings, and the deepest nesting of lists and quotes, in an agent's Markdown. */
const maxLength = 65_536;
const maxHeadings = 100;
const maxNesting = 20;

/**
 * Finds what Markdown must not have: links to other schemes, images, HTML with attributes, too many headings or levels.
 */
export function markdownFindings(source: string): MarkdownFinding[] {
  const { length } = source;
  if (length > maxLength)
    return [{ code: 'markdown/size', offset: maxLength, length: 1, ...markdownMessages.tooLong(length, maxLength) }];
  if (isPlain(source)) return [];
  const tokens = checker(false).parse(source, {});
  const lines = lineOffsets(source);
  return [
    ...sizeFindings(tokens, lines),
    ...linkFindings(source, tokens, lines),
    ...(/<[a-z][^<>]*=/i.test(source) ? htmlFindings(source, lines) : []),
  ];
}

/** Whether a text is certain to have no errors. This saves parsing most texts, which have no links and few headings. */
function isPlain(source: string): boolean {
  if (/[[<]|^[ \t>*+.)\d-]{20}/m.test(source)) return false;
  return (source.match(/^ {0,3}(?:#|[=-]+ *$)/gm)?.length ?? 0) <= maxHeadings;
}

/** A parser that accepts every target and does not change it. */
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
  const findings: MarkdownFinding[] = [];
  if (headings.length > maxHeadings) {
    const wording = markdownMessages.tooManyHeadings(headings.length, maxHeadings);
    findings.push({ code: 'markdown/size', ...at(headings[maxHeadings]), ...wording });
  }
  if (deep !== undefined) {
    findings.push({ code: 'markdown/size', ...at(deep), ...markdownMessages.nestedTooDeeply(maxNesting) });
  }
  return findings;
}

/** The first list or quote that is nested too deep. */
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
    const position = source.indexOf(target, Math.max(block, from));
    // A target that is written with entities or escapes, or in an earlier definition, cannot be located. Its block is
    // reported instead.
    const offset = target === '' || position === -1 ? block : position;
    if (offset === position) from = offset + target.length;
    const length = offset === position ? target.length : 1;
    return { ...(image ? imageFinding : linkFinding), offset, length };
  });
}

/** The most links that are reported for a text. */
const mostFindings = 20;

const imageFinding = { code: 'markdown/image', ...markdownMessages.image } as const;
const linkFinding = { code: 'markdown/link', ...markdownMessages.linkTarget } as const;

/** Finds HTML that other programs would render. Our pages show it as text, but the Markdown is published too. */
function htmlFindings(source: string, lines: readonly number[]): MarkdownFinding[] {
  const html = checker(true)
    .parse(source, {})
    .flatMap((token) => [token, ...(token.children ?? [])].map((part) => ({ part, map: token.map })))
    .find(({ part }) => /^html_/.test(part.type) && /<[a-z][^<>]*=/i.test(part.content));
  if (html === undefined) return [];
  const block = lines[html.map?.[0] ?? 0] ?? 0;
  const tag = /<[a-z][^<>]*=/i.exec(html.part.content)?.[0] ?? '';
  return [
    {
      code: 'markdown/html',
      offset: Math.max(block, source.indexOf(tag, block)),
      length: tag.length,
      ...markdownMessages.htmlWithAttributes,
    },
  ];
}

/** The offset at which each line of a text starts. */
export function lineOffsets(source: string): number[] {
  const offsets = [0];
  for (let at = source.indexOf('\n'); at !== -1; at = source.indexOf('\n', at + 1)) offsets.push(at + 1);
  return offsets;
}

/** The start of the ids of headings in an agent's text. No other id on a page starts with it. */
const prefix = 'how-it-works-';

/**
 * Gives an id to each heading of an agent's text: the prefix and the words of its title, and a number if they repeat.
 * `tokens` are the blocks of the text.
 */
export function headingIds(tokens: readonly Token[]): string[] {
  const titles = tokens.filter((_, index) => tokens[index - 1]?.type === 'heading_open');
  const ids = new Set<string>();
  // A recorded answer can repeat one heading thousands of times.
  const next = new Map<string, number>();
  for (const { content } of titles) {
    const words = content.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? ['section'];
    const first = prefix + words.join('-');
    let [id, count] = [first, next.get(first) ?? 2];
    for (; ids.has(id); count += 1) id = `${first}-${count}`;
    next.set(first, count);
    ids.add(id);
  }
  return [...ids];
}

/**
 * The id of the heading that a link in the same text means, or null. Authors write the words of a title, as in
 * `#when-not-to-use-it`. `hash` is the part of an address from `#` on.
 */
export function headingOfHash(hash: string, ids: readonly string[]): string | null {
  return ids.find((id) => encodeURI(id) === prefix + hash.slice(1)) ?? null;
}

/** Where the links of an agent's text start from. */
export interface LinkBase {
  /** The address of the agent's page. */
  page: string;
  /** The base URL. */
  root: string;
  /** The ids of the headings in the text. */
  headings: readonly string[];
}

/**
 * Makes the target of a link in an agent's text absolute. A leading slash means the root of the catalog, which may be
 * below the root of the host.
 */
export function absoluteTarget(target: string, { page, root, headings }: LinkBase): string {
  const rooted = target.startsWith('/') ? root + target : target;
  if (!URL.canParse(rooted, page)) return target;
  const { href, hash } = new URL(rooted, page);
  const heading = hash !== '' && href === page + hash ? headingOfHash(hash, headings) : null;
  return heading === null ? href : `${page}#${encodeURI(heading)}`;
}
