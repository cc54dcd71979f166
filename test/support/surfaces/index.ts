import { load } from 'cheerio';
import { strFromU8, unzipSync } from 'fflate';
import yaml from 'js-yaml';
import { bareJson, bareTexts, bareXml } from './bare.ts';
import { jsonFiles } from './files/json.ts';
import { markdown } from './files/markdown.ts';
import { largeData, structuredData } from './files/structured-data.ts';
import { archives, frontMatter, skillText, verbatim } from './files/texts.ts';
import { feedContent, namespaces, xmlFiles } from './files/xml.ts';
import { largePages, largeXml } from './large.ts';
import { barePages } from './pages/bare.ts';
import { pagesOf } from './pages/index.ts';
import { sentMails } from './pages/mail.ts';
import { differences, readHtml, readJson, readMarkdown, xmlReader } from './reader.ts';

/** The outputs whose texts are checked, by the path of one file of each, and by what of it is read. */
export const shown: readonly string[] = [
  ...[barePages, bareXml, bareJson, bareTexts].flatMap(Object.keys).map((path) => `${path} (bare)`),
  ...Object.keys(largePages).map((path) => `${path} (large)`),
  ...Object.keys(largeXml).map((path) => `${path} (large)`),
  ...Object.keys(largeData).map((path) => `${path} (large, JSON-LD)`),
  ...Object.keys(sentMails).map((path) => `${path} (sent)`),
  ...Object.keys(pagesOf(new Map())),
  ...Object.keys(structuredData).map((path) => `${path} (JSON-LD)`),
  ...Object.keys(markdown),
  ...Object.keys(jsonFiles),
  ...Object.keys(xmlFiles),
  ...Object.keys(verbatim),
  ...Object.keys(frontMatter),
  ...Object.keys(archives),
  ...['feed.xml', 'atom.xml', 'feeds/coding.xml', 'feed.json'].map((path) => `${path} (content)`),
];

/** A build of the rich catalog, one of the large one, a preview of one without agents and server, and mails as they are sent. */
export interface Builds {
  files: ReadonlyMap<string, Buffer>;
  large: ReadonlyMap<string, Buffer>;
  bare: ReadonlyMap<string, Buffer>;
  sent: ReadonlyMap<string, Buffer>;
}

/** What each of them shows otherwise than the texts of the catalogs ask for. */
export async function findings({ files, large, bare, sent }: Builds): Promise<Map<string, string[]>> {
  const text = (path: string) => files.get(path)?.toString('utf8') ?? '';
  const bareText = (path: string) => bare.get(path)?.toString('utf8') ?? '';
  const readXml = await xmlReader(namespaces);
  const found = new Map<string, string[]>();
  for (const [path, expected] of Object.entries(largePages)) {
    found.set(`${path} (large)`, differences(readHtml(large.get(path)?.toString('utf8') ?? ''), expected));
  }
  for (const [path, expected] of Object.entries(largeXml)) {
    found.set(`${path} (large)`, differences(readXml(large.get(path)?.toString('utf8') ?? ''), expected));
  }
  for (const [path, expected] of Object.entries(barePages)) {
    const read = path.endsWith('.html') ? readHtml : readMarkdown;
    found.set(`${path} (bare)`, differences(read(bareText(path)), expected));
  }
  for (const [path, expected] of Object.entries(sentMails)) {
    found.set(`${path} (sent)`, differences(readHtml(sent.get(path)?.toString('utf8') ?? ''), expected));
  }
  for (const [path, expected] of Object.entries(bareXml)) {
    found.set(`${path} (bare)`, differences(readXml(bareText(path)), expected));
  }
  for (const [path, expected] of Object.entries(bareJson)) {
    found.set(`${path} (bare)`, differences(readJson(bareText(path)), expected));
  }
  for (const [path, expected] of Object.entries(bareTexts)) {
    found.set(`${path} (bare)`, bareText(path) === expected ? [] : [`it is ${JSON.stringify(bareText(path))}`]);
  }
  for (const [path, expected] of Object.entries(pagesOf(files))) {
    found.set(path, differences(readHtml(text(path)), expected));
  }
  const readData = (html: string) => readJson(load(html)('script[type="application/ld+json"]').text() || '{}');
  for (const [path, expected] of Object.entries(structuredData)) {
    found.set(`${path} (JSON-LD)`, differences(readData(text(path)), expected));
  }
  for (const [path, expected] of Object.entries(largeData)) {
    const html = large.get(path)?.toString('utf8') ?? '';
    found.set(`${path} (large, JSON-LD)`, differences(readData(html), expected));
  }
  for (const [path, expected] of Object.entries(markdown)) {
    found.set(path, differences(readMarkdown(text(path)), expected));
  }
  for (const [path, expected] of Object.entries(jsonFiles))
    found.set(path, differences(readJson(text(path)), expected));
  for (const [path, expected] of Object.entries(xmlFiles)) found.set(path, differences(readXml(text(path)), expected));
  for (const [path, expected] of Object.entries(verbatim)) {
    found.set(path, files.has(path) && text(path) === expected ? [] : [`it is ${JSON.stringify(text(path))}`]);
  }
  for (const [path, expected] of Object.entries(frontMatter)) {
    const [, head = '', body = ''] = /^---\n([\s\S]*?)\n---\n([\s\S]*)$/.exec(text(path)) ?? [];
    const front = JSON.stringify(yaml.load(head));
    const rest = body === skillText ? [] : [`its text is ${JSON.stringify(body)}`];
    found.set(path, [...differences(readJson(front), expected), ...rest]);
  }
  for (const [path, expected] of Object.entries(archives)) {
    const packed = Object.entries(unzipSync(files.get(path) ?? new Uint8Array()));
    const unpacked = JSON.stringify(
      packed.map(([name, bytes]) => [name, strFromU8(bytes)]),
      null,
      1,
    );
    found.set(path, unpacked === JSON.stringify(Object.entries(expected), null, 1) ? [] : [`it has ${unpacked}`]);
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
