import MarkdownIt from 'markdown-it';
import type { Finding } from '../../diagnostics/diagnostic.ts';
import { hiddenCharacterFound, secretFound } from '../../diagnostics/messages/text.ts';
import { type Location, locationAt } from '../../diagnostics/source-location.ts';
import type { LocationOf, Path } from '../../diagnostics/yaml-location.ts';
import { findSecrets } from '../../text-safety/find-secrets.ts';
import { type HiddenCharacter, hiddenCharacter, withoutHidden } from '../../text-safety/hidden-characters.ts';

/** A problem in a text, and its location in the file. */
export type TextFinding = Pick<Finding, 'code' | 'message' | 'hint'> & {
  location: Location;
  /** Whether the file writes it as an escape, so that it is not visible there. */
  escaped: boolean;
};

/**
 * The most findings of one kind that are reported for a text. Locating one can take as long as reading the whole text.
 */
const maxReported = 10;

/**
 * Finds the first hidden character in the text of a file, and everything that looks like a secret.
 *
 * Escapes can produce text that the file does not show, so valueFindings checks the parsed values and renderedFindings
 * the rendered text. Together, the three functions check every string that a catalog publishes.
 */
export function textFindings(text: string): TextFinding[] {
  const hidden = hiddenCharacter(text);
  const secrets = findSecrets(text)
    .slice(0, maxReported)
    .map(({ offset, length, name }) => secretFinding(name, locationAt(text, offset, length), false));
  if (hidden === null) return secrets;
  return [hiddenFinding(hidden, locationAt(text, hidden.offset, hidden.length), false), ...secrets];
}

/**
 * Returns the text for further checks: without hidden characters if `textFindings` found one, which would otherwise be
 * reported again, as a wrong key or a missing section.
 */
export function withoutFound(text: string, findings: readonly TextFinding[]): string {
  return findings.some(({ code }) => code === 'text/hidden-character') ? withoutHidden(text) : text;
}

/** Checks parsed keys and values. `locationOf` returns their locations in the file. */
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

/**
 * A value within parsed data. It has a parent instead of a path, since paths in deeply nested data would take too much
 * memory.
 */
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
 * Checks what readers see of a Markdown text, and the targets of its links, after decoding entities, escapes and
 * percent-encoding. `offset` is where the Markdown starts in `text`.
 */
export function renderedFindings(text: string, offset: number): TextFinding[] {
  const source = text.slice(offset);
  if (!/[\\&%]/.test(source)) return [];
  let tokens: ReturnType<typeof markdown.parse>;
  try {
    tokens = markdown.parse(source, {});
  } catch {
    return []; // Rendering it fails too, and reports the error.
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

/**
 * Returns the text of a line of Markdown as readers see it, joined across emphasis, and the attributes of its links and
 * images.
 */
function inlineTexts(tokens: Inline): string[] {
  const attributes = tokens.flatMap(({ attrs }) => (attrs ?? []).map(([, value]) => decoded(String(value))));
  const read = tokens.map(({ type, content }) => (type === 'softbreak' || type === 'hardbreak' ? '\n' : content));
  return [read.join(''), ...attributes, ...tokens.flatMap(({ children }) => inlineTexts(children ?? []))];
}

/** Decodes a link target. CRLF is normal in mailto: links, so it becomes LF. */
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
    ...(hidden === null ? [] : [hiddenFinding(hidden, location(), true)]),
    ...(secret === undefined ? [] : [secretFinding(secret.name, location(), true)]),
  ];
}

function hiddenFinding({ name, most }: HiddenCharacter, location: Location, escaped: boolean): TextFinding {
  return { code: 'text/hidden-character', location, ...hiddenCharacterFound(name, most, escaped), escaped };
}

function secretFinding(name: string, location: Location, escaped: boolean): TextFinding {
  return { code: 'text/secret', location, ...secretFound(name), escaped };
}
