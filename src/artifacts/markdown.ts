import MarkdownIt from 'markdown-it';
import type { Addresses } from './urls.ts';

/** Renders an agent's Markdown to HTML. Raw HTML comes out as text, and links that would run code are not made. */
export interface MarkdownRenderer {
  /**
   * For a page: headings start at level 3 and have ids, links within the site start with its path.
   *
   * `pageUrl` is the address that relative links start from.
   */
  forPage(source: string, pageUrl: string): string;
  /** For a feed: the same without ids, with absolute links only. */
  forFeed(source: string, pageUrl: string): string;
}

interface Environment {
  pageUrl: string;
  absolute: boolean;
  shift: number;
  ids: Set<string>;
}

type Token = ReturnType<InstanceType<typeof MarkdownIt>['parse']>[number];

/** A Markdown renderer for a site. markdown-it's defaults escape raw HTML and refuse javascript:, vbscript:, file: and data: links. */
export function markdownRenderer(url: Addresses): MarkdownRenderer {
  const markdown = new MarkdownIt({ html: false, linkify: false, typographer: false });

  markdown.core.ruler.push('site', ({ tokens, env }) => {
    const { environment } = env as unknown as { environment: Environment };
    environment.shift = 3 - Math.min(...tokens.filter(isHeading).map(levelOf), 3);
    for (const [index, token] of tokens.entries()) {
      if (isHeading(token)) adaptHeading(token, tokens[index + 1]?.content ?? '', environment);
      for (const child of token.children ?? []) adaptLink(child, environment);
    }
  });

  function adaptLink(token: Token, { pageUrl, absolute }: Environment): void {
    const name = token.type === 'link_open' ? 'href' : token.type === 'image' ? 'src' : null;
    const target = name === null ? null : token.attrGet(name);
    if (name !== null && target !== null) token.attrSet(name, resolve(String(target), pageUrl, absolute));
  }

  /** A leading slash means the root of the catalog, which may be below that of the host. */
  function resolve(target: string, pageUrl: string, absolute: boolean): string {
    if (target.startsWith('#') && !absolute) return target;
    const rooted = target.startsWith('/') && !target.startsWith('//') ? url.absolute(target.slice(1)) : target;
    if (!URL.canParse(rooted, pageUrl)) return target;
    const full = new URL(rooted, pageUrl);
    const inside = `${full.href}/`.startsWith(url.absolute());
    return absolute || !inside ? full.href : full.pathname + full.search + full.hash;
  }

  const render = (source: string, pageUrl: string, absolute: boolean) => {
    const environment: Environment = { pageUrl, absolute, shift: 0, ids: new Set() };
    return markdown.render(source, { environment });
  };
  return {
    forPage: (source, pageUrl) => render(source, pageUrl, false),
    forFeed: (source, pageUrl) => render(source, pageUrl, true),
  };
}

function isHeading({ type }: Token): boolean {
  return type === 'heading_open' || type === 'heading_close';
}

function levelOf({ tag }: Token): number {
  return Number(tag.slice(1));
}

function adaptHeading(token: Token, text: string, { shift, absolute, ids }: Environment): void {
  token.tag = `h${Math.min(6, levelOf(token) + shift)}`;
  if (token.type !== 'heading_open' || absolute) return;
  const words = text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? ['section'];
  let id = words.join('-');
  for (let count = 2; ids.has(id); count += 1) id = `${words.join('-')}-${count}`;
  ids.add(id);
  token.attrSet('id', id);
}
