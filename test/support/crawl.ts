/** Follows every internal link of a served site, as a reader or a robot would. */

export interface Crawled {
  /** Every page that was reached, by its path. */
  pages: Map<string, string>;
  /** What led nowhere: "<page>: <link> <reason>". */
  broken: string[];
}

/**
 * Crawls from `address` (with a slash at its end). Absolute addresses below `baseUrl` count as internal: they are what
 * readers of the published site follow, and are asked of the server here.
 */
export async function crawl(address: string, baseUrl: string): Promise<Crawled> {
  const root = new URL(address);
  const pages = new Map<string, string>();
  const anchors: { from: string; path: string; id: string; link: string }[] = [];
  const broken: string[] = [];
  const seen = new Set<string>([root.pathname]);
  const queue: { path: string; from: string; link: string }[] = [{ path: root.pathname, from: '(start)', link: '/' }];

  for (let next = queue.shift(); next !== undefined; next = queue.shift()) {
    const { path, from, link } = next;
    // To compress a file takes the server longer than to send it.
    const headers = { 'accept-encoding': 'identity' };
    const response = await fetch(new URL(path, root).href, { redirect: 'manual', headers });
    const body = await response.text();
    if (response.status !== 200) {
      broken.push(`${from}: ${link} is ${response.status}`);
      continue;
    }
    const isPage = (response.headers.get('content-type') ?? '').startsWith('text/html');
    pages.set(path, body);
    for (const target of linksIn(body, isPage, baseUrl)) {
      const here = new URL(path, root);
      const inside =
        target.startsWith(`${baseUrl}/`) || target === baseUrl
          ? target.replace(baseUrl, root.href.replace(/\/$/, ''))
          : target;
      if (!URL.canParse(inside, here.href)) {
        broken.push(`${path}: ${target} is no address`);
        continue;
      }
      const url = new URL(inside, here.href);
      if (url.origin !== root.origin) continue;
      if (!url.pathname.startsWith(root.pathname) && `${url.pathname}/` !== root.pathname)
        broken.push(`${path}: ${target} leaves the base path`);
      if (url.hash !== '')
        anchors.push({ from: path, path: url.pathname, id: decodeURIComponent(url.hash.slice(1)), link: target });
      if (!seen.has(url.pathname)) queue.push({ path: url.pathname, from: path, link: target });
      seen.add(url.pathname);
    }
  }
  for (const { from, path, id, link } of anchors) {
    if (!(pages.get(path) ?? '').includes(` id="${id}"`)) broken.push(`${from}: ${link} names no part of the page`);
  }
  return { pages, broken };
}

/**
 * The links of a page; in any other text every address below the base URL. `content="…"` holds descriptions and policies too;
 * only addresses count.
 */
function linksIn(body: string, isPage: boolean, baseUrl: string): string[] {
  const found = isPage
    ? [...body.matchAll(/\s(href|src|content)="([^"]*)"/g)]
        .filter(([, name, link = '']) => (name === 'content' ? /^https?:\/\// : /^(?!mailto:|tel:|data:)/).test(link))
        .map(([, , link = '']) => link)
    : [...body.matchAll(new RegExp(`${baseUrl.replace(/[.]/g, '\\.')}[^\\s"'<>)\\\\\\]\`]*`, 'g'))].map(([link]) =>
        link.replace(/[.,;:]+$/, ''),
      );
  return found.map((link) => link.replaceAll('&amp;', '&').replaceAll('&#x3D;', '='));
}
