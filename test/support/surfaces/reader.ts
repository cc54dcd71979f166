import { type CheerioAPI, load } from 'cheerio';
import MarkdownIt from 'markdown-it';

/** What a surface has to show: where, as a selector of its reader, and what. Several texts are in the order of the surface. */
export type Expected = Record<string, string | readonly string[]>;

/** Gives the texts that are at a place of a surface, in order; none where there is no such place. */
export type Reader = (place: string) => string[];

/**
 * Reads a page as a person does: a place is a CSS selector, and the texts are the texts of the elements that it matches,
 * without the white space that a browser folds. `selector @attribute` reads an attribute instead, and `selector
 * @textContent` the text to the last space. Text in `pre` is kept as it is.
 */
export function readHtml(html: string): Reader {
  const document = load(html);
  return (place) => {
    const [selector = '', attribute] = place.split(' @');
    const elements = document(selector).toArray();
    if (attribute === 'textContent') return elements.map((element) => document(element).text());
    if (attribute !== undefined) return elements.flatMap((element) => document(element).attr(attribute) ?? []);
    return elements.map((element) => {
      const text = document(element).text();
      return document(element).closest('pre').length > 0 ? text : text.replace(/\s+/g, ' ').trim();
    });
  };
}

type Node = ReturnType<ReturnType<CheerioAPI>['contents']>[number];

/** Elements whose text is on the line of the text around them. */
const inline = new Set('a b bdi code em i option span strong time tspan wbr'.split(' '));

/**
 * Everything that a page or a picture says, a line for each block: its texts, and in brackets what only some readers
 * get, such as labels for screen readers. Parts that `except` matches are left out.
 */
export function textOf(markup: string, except = ''): string {
  const document = load(markup, { scriptingEnabled: false });
  document(`script, style, meta, link, input[type=hidden]${except === '' ? '' : `, ${except}`}`).remove();
  let text = '';
  const read = (node: Node, isPre: boolean) => {
    if (node.type === 'text') text += isPre ? node.data : node.data.replace(/\s+/g, ' ');
    if (node.type !== 'tag') return;
    const { name, attribs, children } = node;
    const isBlock = !inline.has(name);
    if (isBlock) text += '\n';
    for (const key of ['title', 'alt', 'aria-label', 'placeholder', 'value']) {
      if (attribs[key]) text += ` [${key}: ${attribs[key]}] `;
    }
    for (const child of children) read(child, isPre || name === 'pre');
    if (isBlock) text += '\n';
  };
  for (const node of document('title, body').toArray()) read(node, false);
  return text
    .replace(/ *\n\s*/g, '\n')
    .replace(/ +/g, ' ')
    .trim();
}

/** Reads Markdown as the page that it renders to. Some programs treat markup in it as text, others do not. */
export function readMarkdown(text: string): Reader {
  return readHtml(new MarkdownIt({ html: true }).render(text));
}

/**
 * Reads JSON: a place is keys and indexes joined by dots, `*` for each element of a list. Numbers, null and objects are
 * given as JSON.
 */
export function readJson(text: string): Reader {
  const root: unknown = JSON.parse(text);
  return (place) =>
    place
      .split('.')
      .reduce<unknown[]>(
        (values, key) =>
          values.flatMap((value) =>
            key === '*'
              ? Object.values(value as object)
              : typeof value === 'object' && value !== null && key in value
                ? [(value as Record<string, unknown>)[key]]
                : [],
          ),
        [root],
      )
      .map((value) => (typeof value === 'string' ? value : JSON.stringify(value)));
}

/** Reads XML with libxml2, which refuses what is not well-formed: a place is an XPath expression. */
export async function xmlReader(namespaces: Record<string, string>): Promise<(xml: string) => Reader> {
  const { XmlDocument } = await import('libxml2-wasm');
  return (xml) => (place) => {
    using document = XmlDocument.fromString(xml);
    return document.find(place, namespaces).map((node) => node.content);
  };
}

/** What a surface shows otherwise than expected, as sentences; none where all is as it has to be. */
export function differences(read: Reader, expected: Expected): string[] {
  return Object.entries(expected).flatMap(([place, value]) => {
    const wanted = typeof value === 'string' ? [value] : value;
    const found = read(place);
    return JSON.stringify(found) === JSON.stringify(wanted)
      ? []
      : [`${place} is ${JSON.stringify(found)}, and has to be ${JSON.stringify(wanted)}`];
  });
}
