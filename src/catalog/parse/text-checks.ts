import MarkdownIt from 'markdown-it';
import type { Finding } from '../../diagnostics/diagnostic.ts';
import { type Location, locationAt } from '../../diagnostics/source-location.ts';
import type { LocationOf, Path } from '../../diagnostics/yaml-location.ts';
import { findSecrets } from '../../text-safety/find-secrets.ts';
import { hiddenCharacter } from '../../text-safety/hidden-characters.ts';

/** What is wrong with a text, and where in its file. */
export type TextFinding = Pick<Finding, 'code' | 'message' | 'hint'> & {
  location: Location;
  /** Whether it is written as an escape, so that the file does not show it. */
  escaped: boolean;
};

/** How many findings of one kind are reported of a text: each may take as long as reading it. */
const maxReported = 10;

/**
 * What the text of a file may not hold as it is: characters that hide, the first of them, and what looks like a secret.
 *
 * Values and rendered text are checked by valueFindings and renderedFindings: escapes may bring in what the file does
 * not show. Together they are the gate for every string that a catalog publishes.
 */
export function textFindings(text: string): TextFinding[] {
  const hidden = hiddenCharacter(text);
  return [
    ...(hidden === null
      ? []
      : [
          {
            code: 'text/hidden-character' as const,
            location: locationAt(text, hidden.offset, hidden.length),
            message: hidden.message,
            hint: 'Delete it: it does not show in most editors, so delete the characters around it too and type them again.',
            escaped: false,
          },
        ]),
    ...findSecrets(text)
      .slice(0, maxReported)
      .map(({ offset, length, name }) => secretFinding(name, locationAt(text, offset, length), false)),
  ];
}

/** The same for the keys and values of what a file says, which `locationOf` finds in the file. */
export function valueFindings(data: unknown, locationOf: LocationOf): TextFinding[] {
  const findings: TextFinding[] = [];
  const waiting: Node[] = [{ value: data, key: null, parent: null }];
  for (let node = waiting.pop(); node !== undefined && findings.length < maxReported; node = waiting.pop()) {
    const { value, key } = node;
    if (typeof key === 'string') findings.push(...escapedFindings(key, at(node, locationOf, true)));
    if (typeof value === 'string') findings.push(...escapedFindings(value, at(node, locationOf, false)));
    if (typeof value !== 'object' || value === null) continue;
    const entries = Array.isArray(value) ? [...value.entries()] : Object.entries(value);
    for (const [step, item] of entries.reverse()) waiting.push({ value: item, key: step, parent: node });
  }
  return findings;
}

/** A value within data. Parents instead of paths: data may be as deep as its file is long. */
interface Node {
  value: unknown;
  key: string | number | null;
  parent: Node | null;
}

function at(node: Node, locationOf: LocationOf, key: boolean): () => Location {
  return () => {
    const path: (string | number)[] = [];
    for (let it: Node | null = node; it !== null && it.key !== null; it = it.parent) path.unshift(it.key);
    return locationOf(path as Path, { key });
  };
}

const markdown = new MarkdownIt({ html: false, linkify: false, typographer: false });
markdown.validateLink = () => true;

/**
 * The same for what readers see of a Markdown text, and for the targets of its links: entities, escapes and percent
 * signs are decoded. `offset` is where the Markdown starts in the text of the file.
 */
export function renderedFindings(text: string, offset: number): TextFinding[] {
  const source = text.slice(offset);
  if (!/[\\&%]/.test(source)) return [];
  let tokens: ReturnType<typeof markdown.parse>;
  try {
    tokens = markdown.parse(source, {});
  } catch {
    return []; // It cannot be rendered either, which is reported where it is tried.
  }
  const findings: TextFinding[] = [];
  for (const { type, content, info, map, children } of tokens) {
    if (findings.length >= maxReported) break;
    const shown = [type === 'inline' ? '' : content, markdown.utils.unescapeAll(info), ...inlineTexts(children ?? [])];
    const location = () => locationAt(text, offset + startOfLine(source, map?.[0] ?? 0), source.length);
    const found = shown.flatMap((piece) => escapedFindings(piece, location));
    findings.push(...new Map(found.map((finding) => [finding.code, finding])).values());
  }
  return findings;
}

type Inline = NonNullable<ReturnType<typeof markdown.parse>[number]['children']>;

/** The text of a line of Markdown as it is read, also across emphasis, and the attributes of its links and images. */
function inlineTexts(tokens: Inline): string[] {
  const attributes = tokens.flatMap(({ attrs }) => (attrs ?? []).map(([, value]) => decoded(String(value))));
  const read = tokens.map(({ type, content }) => (type === 'softbreak' || type === 'hardbreak' ? '\n' : content));
  return [read.join(''), ...attributes, ...tokens.flatMap(({ children }) => inlineTexts(children ?? []))];
}

/** A link target without its percent signs; line ends are usual in mailto: links. */
function decoded(target: string): string {
  try {
    return decodeURIComponent(target).replaceAll('\r\n', '\n');
  } catch {
    return target;
  }
}

function startOfLine(text: string, line: number): number {
  let start = 0;
  for (let left = line; left > 0; left -= 1) start = text.indexOf('\n', start) + 1;
  return start;
}

function escapedFindings(text: string, location: () => Location): TextFinding[] {
  const hidden = hiddenCharacter(text);
  const [secret] = findSecrets(text);
  return [
    ...(hidden === null
      ? []
      : [
          {
            code: 'text/hidden-character' as const,
            location: location(),
            message: hidden.message,
            hint: 'If you cannot see it here, it is written as an escape, such as \\u202E, &#x202E; or %E2%80%AE. Delete the escape.',
            escaped: true,
          },
        ]),
    ...(secret === undefined ? [] : [secretFinding(secret.name, location(), true)]),
  ];
}

function secretFinding(name: string, location: Location, escaped: boolean): TextFinding {
  return {
    code: 'text/secret',
    location,
    message: `This looks like ${name}.`,
    hint: 'If it is real, revoke it first: it may already be in the history of git. Then write a placeholder such as <API_KEY>.',
    escaped,
  };
}
