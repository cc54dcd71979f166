import { XmlDocument, XmlElement, XmlParseError } from 'libxml2-wasm';

/**
 * Parses an XML document with libxml2. Throws if it is malformed or lacks a namespace.
 *
 * An element becomes its text or, if it has attributes or child elements, an object with them by name. A repeated name
 * becomes an array, and the text, if any, is under `#text`.
 */
export function readXml(xml: string): ReturnType<typeof JSON.parse> {
  using document = parse(xml);
  return { [nameOf(document.root)]: contentOf(document.root) };
}

/** The content of each processing instruction with this name. */
export function instructions(xml: string, name: string): string[] {
  using document = parse(xml);
  return document.find(`//processing-instruction('${name}')`).map(({ content }) => content);
}

/** Throws an error that uvu can print: the parser's own has `details` that are no text, which uvu fails on. */
function parse(xml: string): XmlDocument {
  try {
    return XmlDocument.fromString(xml);
  } catch (error) {
    if (!(error instanceof XmlParseError)) throw error;
    const lines = xml.split('\n');
    const found = error.details.map(({ message, line, col }) => {
      const near = lines[line - 1]?.slice(Math.max(0, col - 60), col + 20);
      return `line ${line}, column ${col}: ${message.trim()}: ${near}`;
    });
    throw new Error(`This XML is not well-formed. ${found.join('; ')}`, { cause: error.message });
  }
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
