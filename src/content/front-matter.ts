import matter from 'gray-matter';
import yaml from 'js-yaml';
import { isAlias, parseDocument, visit } from 'yaml';
import { type Diagnostic, diagnose } from '../diagnostics.ts';
import { type Place, placeAt } from '../source-text.ts';

/** The front matter and the body of an agent.md that could be read. */
export interface SplitSource {
  data: unknown;
  /** The Markdown after the front matter. */
  body: string;
  /** Where that body starts in the file, in UTF-16 units. */
  bodyOffset: number;
}

/**
 * Splits agent.md into its YAML front matter and its body; a Diagnostic says why it can't.
 *
 * Dates stay text (YAML core schema). Nothing but YAML is ever parsed, and no code is run.
 */
export function splitFrontMatter(text: string, file: string, slug: string): SplitSource | Diagnostic {
  const refuse = (code: Diagnostic['code'], place: Place, message: string, hint: string) =>
    diagnose({ code, file, text, place, message, hint, slug });
  const opening = text.slice(0, text.indexOf('\n') === -1 ? text.length : text.indexOf('\n'));
  if (!opening.startsWith('---')) {
    return refuse(
      'front-matter/missing',
      placeAt(text, 0, opening.length),
      'agent.md does not start with front matter.',
      'Make `---` the first line, then the keys, then another line `---`.',
    );
  }
  if (opening !== '---') {
    return refuse(
      'front-matter/language',
      placeAt(text, 3, opening.length - 3),
      `The front matter opens with \`${opening.trimEnd()}\`; it has to be YAML after a bare \`---\`.`,
      'Leave nothing after the three hyphens, and write the keys as YAML.',
    );
  }
  const close = /\n---(?:\n|$)/.exec(text);
  if (close === null) {
    return refuse(
      'front-matter/missing',
      placeAt(text, 0, 3),
      'The front matter is opened but never closed.',
      'Add a line `---` after its last key.',
    );
  }
  const bodyOffset = close.index + close[0].length;
  try {
    const { data } = matter(text.slice(0, bodyOffset), { engines });
    return { data, body: text.slice(bodyOffset), bodyOffset };
  } catch {
    return explainYaml(text, close.index, refuse);
  }
}

/** js-yaml 4 with its core schema; anchors are refused by its (undocumented) listener. */
function parseYaml(source: string): object {
  const data = yaml.load(source, {
    schema: yaml.CORE_SCHEMA,
    listener(_event, state) {
      if ((state as { anchor?: string | null }).anchor != null) throw new Error('anchor');
    },
  });
  return data as object;
}

function refuseLanguage(): never {
  throw new Error('Front matter is YAML only.');
}

const engines = {
  yaml: parseYaml,
  json: refuseLanguage,
  javascript: refuseLanguage,
  js: refuseLanguage,
  coffee: refuseLanguage,
  toml: refuseLanguage,
};

/** Says what is wrong with YAML that js-yaml refused, with the parser that knows positions. */
function explainYaml(
  text: string,
  end: number,
  refuse: (code: Diagnostic['code'], place: Place, message: string, hint: string) => Diagnostic,
): Diagnostic {
  const start = 4;
  const source = text.slice(start, Math.max(start, end));
  const document = parseDocument(source, { prettyErrors: false });
  const at = (offset: number, length: number) => placeAt(text, start + offset, length);

  const anchored = findAnchor(document, source);
  if (anchored !== undefined) {
    return refuse(
      'front-matter/anchor',
      at(anchored.offset, anchored.name.length),
      `\`${anchored.name}\` is a YAML anchor or alias, which front matter must not have.`,
      'Write the text out at each place, or put it in quotes if it is meant as text.',
    );
  }
  const fault = document.errors[0];
  if (fault?.code === 'DUPLICATE_KEY') {
    const name = /^[^:\s]+/.exec(source.slice(fault.pos[0]))?.[0] ?? 'A key';
    return refuse(
      'front-matter/duplicate-key',
      at(fault.pos[0], name.length),
      `\`${name}\` stands twice.`,
      'Keep one of the two lines.',
    );
  }
  const open = unclosedQuote(source);
  if (fault?.code === 'MISSING_CHAR' && open !== null) {
    return refuse(
      'front-matter/yaml',
      at(open, 1),
      `The quote that opens here is never closed.`,
      'Add the closing quote at the end of the text.',
    );
  }
  const mark = markOf(source);
  const offset = fault?.pos[0] ?? mark.offset;
  const { message, hint } = words[fault?.code ?? ''] ?? {
    message: `The front matter is not well-formed YAML here: ${firstSentence(fault?.message ?? mark.reason)}.`,
    hint: 'Check the indentation and the quotes of this line and the one before it.',
  };
  return refuse('front-matter/yaml', at(offset, (fault?.pos[1] ?? offset + 1) - offset), message, hint);
}

/** The usual slips in plain words, by the parser's code for them. */
const words: Record<string, { message: string; hint: string }> = {
  BLOCK_AS_IMPLICIT_KEY: {
    message: 'This text holds a colon and a space, which YAML takes for another key.',
    hint: "Put the whole text in quotes: 'like: this'.",
  },
  BAD_INDENT: {
    message: 'This line is indented in another way than the ones that it belongs to.',
    hint: 'Keys of one level start in the same column; the entries of a list start with two spaces, a hyphen and a space.',
  },
  TAB_AS_INDENT: { message: 'This line is indented with a tab.', hint: 'Use spaces.' },
  BAD_SCALAR_START: {
    message: 'This text starts with a character that means something in YAML.',
    hint: 'Put the whole text in quotes.',
  },
};

/** Where the first quote opens that its line does not close, or null. Texts over several lines are rare here. */
function unclosedQuote(source: string): number | null {
  for (const match of source.matchAll(/^(?: *- )? *(?:\w+: +)(["'])(.*)$/gm)) {
    const [line, quote = '', rest = ''] = match;
    if (!(quote === '"' ? /^(?:[^"\\]|\\.)*"/ : /^(?:[^']|'')*'/).test(rest)) {
      return match.index + line.length - rest.length - 1;
    }
  }
  return null;
}

/** The first anchor or alias of a document. */
function findAnchor(document: ReturnType<typeof parseDocument>, source: string) {
  let found: { offset: number; name: string } | undefined;
  visit(document, {
    Node(_key, node) {
      if (isAlias(node)) found = { offset: node.range?.[0] ?? 0, name: `*${node.source}` };
      else if (node.anchor !== undefined)
        found = { offset: source.indexOf(`&${node.anchor}`), name: `&${node.anchor}` };
      return found === undefined ? undefined : visit.BREAK;
    },
  });
  return found;
}

function markOf(source: string): { offset: number; reason: string } {
  try {
    parseYaml(source);
  } catch (error) {
    const { mark, reason } = error as { mark?: { position: number }; reason?: string };
    return { offset: mark?.position ?? 0, reason: reason ?? 'it cannot be read' };
  }
  return { offset: 0, reason: 'it cannot be read' };
}

function firstSentence(message: string): string {
  const sentence = (message.split('\n')[0] ?? message).replace(/ at line \d+, column \d+.*$/, '').replace(/[.:]$/, '');
  return sentence === '' ? 'it cannot be read' : sentence[0]?.toLowerCase() + sentence.slice(1);
}
