import { XmlDocument, XmlElement } from 'libxml2-wasm';

/**
 * Parses an XML document with libxml2, and throws where it is not well-formed or a namespace is missing.
 *
 * An element becomes its text, or, where it has attributes or elements, an object of both by their names: an array where a
 * name is there several times, and its text, if any, under `#text`.
 */
export function readXml(xml: string): ReturnType<typeof JSON.parse> {
  using document = XmlDocument.fromString(xml);
  return { [nameOf(document.root)]: contentOf(document.root) };
}

/** The content of each processing instruction with this name. */
export function instructions(xml: string, name: string): string[] {
  using document = XmlDocument.fromString(xml);
  return document.find(`//processing-instruction('${name}')`).map(({ content }) => content);
}

function nameOf({ prefix, name }: { prefix: string; name: string }): string {
  return prefix === '' ? name : `${prefix}:${name}`;
}

function contentOf(element: XmlElement): unknown {
  const value: Record<string, unknown> = {};
  for (const [prefix, uri] of Object.entries(element.nsDeclarations)) value[prefix ? `xmlns:${prefix}` : 'xmlns'] = uri;
  for (const attribute of element.attrs) value[nameOf(attribute)] = attribute.value;
  let text = '';
  for (let node = element.firstChild; node !== null; node = node.next) {
    if (!(node instanceof XmlElement)) {
      text += node.content;
      continue;
    }
    const name = nameOf(node);
    const before = value[name];
    const own = contentOf(node);
    value[name] = before === undefined ? own : Array.isArray(before) ? [...before, own] : [before, own];
  }
  if (Object.keys(value).length === 0) return text;
  return text.trim() === '' ? value : { ...value, '#text': text };
}
