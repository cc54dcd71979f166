import { load } from 'cheerio';
import { feedContent, jsonFiles, markdown, namespaces, structuredData, verbatim, xmlFiles } from './files.ts';
import { pagesOf } from './pages.ts';
import { differences, readHtml, readJson, readMarkdown, xmlReader } from './reader.ts';

/** The outputs whose texts are checked, by the path of one file of each, and by what of it is read. */
export const shown: readonly string[] = [
  ...Object.keys(pagesOf(new Map())),
  ...Object.keys(structuredData).map((path) => `${path} (JSON-LD)`),
  ...Object.keys(markdown),
  ...Object.keys(jsonFiles),
  ...Object.keys(xmlFiles),
  ...Object.keys(verbatim),
  ...['feed.xml', 'atom.xml', 'feeds/coding.xml', 'feed.json'].map((path) => `${path} (content)`),
];

/** What each of them shows otherwise than the texts of the rich catalog ask for. */
export async function findings(files: ReadonlyMap<string, Buffer>): Promise<Map<string, string[]>> {
  const text = (path: string) => files.get(path)?.toString('utf8') ?? '';
  const readXml = await xmlReader(namespaces);
  const found = new Map<string, string[]>();
  for (const [path, expected] of Object.entries(pagesOf(files))) {
    found.set(path, differences(readHtml(text(path)), expected));
  }
  for (const [path, expected] of Object.entries(structuredData)) {
    const block = load(text(path))('script[type="application/ld+json"]').text();
    found.set(`${path} (JSON-LD)`, differences(readJson(block), expected));
  }
  for (const [path, expected] of Object.entries(markdown)) {
    found.set(path, differences(readMarkdown(text(path)), expected));
  }
  for (const [path, expected] of Object.entries(jsonFiles))
    found.set(path, differences(readJson(text(path)), expected));
  for (const [path, expected] of Object.entries(xmlFiles)) found.set(path, differences(readXml(text(path)), expected));
  for (const [path, expected] of Object.entries(verbatim)) {
    found.set(path, text(path) === expected ? [] : [`it is ${JSON.stringify(text(path))}`]);
  }
  const atomContent = '/a:feed/a:entry[2]/a:content';
  const contents: Record<string, string[]> = {
    'feed.xml': readXml(text('feed.xml'))('/rss/channel/item[2]/content:encoded'),
    'atom.xml': readXml(text('atom.xml'))(atomContent),
    'feeds/coding.xml': readXml(text('feeds/coding.xml'))(atomContent),
    'feed.json': readJson(text('feed.json'))('items.1.content_html'),
  };
  for (const [path, [html = '']] of Object.entries(contents)) {
    found.set(`${path} (content)`, differences(readHtml(html), feedContent));
  }
  return found;
}
