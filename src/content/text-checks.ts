import MarkdownIt from 'markdown-it';
import { orElse } from '../lib/errors.ts';
import { once } from '../lib/lazy.ts';
import { findSecrets } from '../lib/secrets.ts';
import { type Finding, type Location, locationAt } from '../schema/diagnostics/diagnostic.ts';
import type { LocationOf, Path } from '../schema/diagnostics/yaml-location.ts';
import { textMessages } from '../schema/messages/texts.ts';
import { lineOffsets } from '../text/markdown.ts';

/**
 * Finds the first hidden character of a text, or returns null. `offset` and `length` are in UTF-16 units; `name` is its number
 * and, for most, what it is: "U+00AD, a soft hyphen"; `most` is how many like it the text may have, if it is allowed where
 * it is, otherwise null.
 *
 * Hidden characters are control characters except tab and newline, noncharacters, lone surrogates, and all characters
 * that Unicode calls ignorable or format characters. Scripts and emoji need some of them next to certain characters
 * (see `uses`). A text may contain a few there, but not enough to encode a message.
 */
export function hiddenCharacter(text: string) {
  if (plainCharacters.test(text)) return null;
  const left = new Map<Use, number>();
  for (const { 0: character, index: offset } of text.matchAll(suspicious)) {
    const finding = { offset, length: character.length, name: `${codePoint(character)}${nameOf(character)}` };
    const before = text.slice(Math.max(0, offset - reach), offset);
    const after = text.slice(offset + character.length, offset + reach);
    const use = uses.find((it) => it.characters.test(character) && it.isNeeded(before, after, character));
    if (use === undefined) return { ...finding, most: null };
    const rest = (left.get(use) ?? mostAllowed(text, use)) - 1;
    left.set(use, rest);
    if (rest < 0) return { ...finding, most: mostAllowed(text, use) };
  }
  return null;
}

/** Most texts have only these visible characters. Checking this first saves the slower search. */
const plainCharacters = /^[\t\n\x20-\x7E]*$/;

/** All invisible characters. U+2800 and U+1D159 are blank; the number signs of Arabic are visible. */
const suspicious =
  /(?![\t\n\u0600-\u0605\u06DD\u070F\u0890\u0891\u08E2\u{110BD}\u{110CD}])[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}\p{Noncharacter_Code_Point}\u2800\u{1D159}\u{13440}]/gu;

/** How far neighbors are checked, in UTF-16 units. */
const reach = 40;

/** How many hidden characters of one use are allowed in any text. */
const allowance = 8;

/** A valid use of hidden characters. */
interface Use {
  characters: RegExp;
  /** `before` and `after` are the neighboring text, up to `reach`. */
  isNeeded(before: string, after: string, character: string): boolean;
  /** A text may have one hidden character for every `each` of these, and at least `allowance`. */
  carriers: RegExp;
  each: number;
}

function mostAllowed(text: string, { carriers, each }: Use): number {
  return Math.max(allowance, Math.floor((text.match(carriers)?.length ?? 0) / each));
}

const rightToLeft = /[\p{Script=Arabic}\p{Script=Hebrew}\p{Script=Syriac}\p{Script=Thaana}\p{Script=Nko}]/u;
const joining = '\\p{Script=Arabic}\\p{Script=Syriac}\\p{Script=Mongolian}\\p{Script=Nko}\\p{Script=Phags_Pa}';
const joiningLetters = new RegExp(`[${joining}]`, 'gu');
const afterJoining = new RegExp(`[${joining}]\\p{M}{0,4}$`, 'u');
const beforeJoining = new RegExp(`^[${joining}]`, 'u');
/** Signs that join the letters around them into a conjunct, in scripts of South and Southeast Asia. */
const viramas =
  '\\u094D\\u09CD\\u0A4D\\u0ACD\\u0B4D\\u0BCD\\u0C4D\\u0CCD\\u0D4D\\u0DCA\\u1039\\u103A\\u17D2\\u1BAB\\uA8C4\\uA953\\uA9C0\\u{11046}\\u{1134D}\\u{11442}\\u{114C2}\\u{115BF}\\u{1163F}';
// V8 14 (Node.js 26) finds no letter above U+FFFF for a class in brackets before `$`, unless the pattern has the flag v.
const nextToVirama = [new RegExp(`[${viramas}]$`, 'v'), new RegExp(`^[${viramas}]`, 'u')] as const;
const indicLetters =
  /[\p{Script=Devanagari}\p{Script=Bengali}\p{Script=Gurmukhi}\p{Script=Gujarati}\p{Script=Oriya}\p{Script=Tamil}\p{Script=Telugu}\p{Script=Kannada}\p{Script=Malayalam}\p{Script=Sinhala}\p{Script=Myanmar}\p{Script=Khmer}]/gu;

const isIndic = (before: string, after: string) =>
  (nextToVirama[0].test(before) && /^[^\p{Cf}]/u.test(`${after} `)) ||
  (nextToVirama[1].test(after) && /[\p{L}\p{M}]$/v.test(before));

const uses: readonly Use[] = [
  // U+200D in emoji: only in sequences that Unicode recommends for general interchange.
  {
    characters: /\u200D/,
    isNeeded: isInEmoji,
    carriers: /\p{Extended_Pictographic}/gu,
    each: 1,
  },
  // U+200C and U+200D in scripts of South Asia.
  { characters: /[\u200C\u200D]/, isNeeded: isIndic, carriers: indicLetters, each: 8 },
  // Persian and others: U+200C within a word, U+200D to show the form of a letter at the end or start of a word.
  {
    characters: /\u200C/,
    isNeeded: (before, after) => afterJoining.test(before) && beforeJoining.test(after),
    carriers: joiningLetters,
    each: 8,
  },
  {
    characters: /\u200D/,
    isNeeded: (before, after) =>
      afterJoining.test(before)
        ? !/^[\p{L}\p{M}\p{Cf}]/u.test(after)
        : beforeJoining.test(after) && !/[\p{L}\p{M}\p{Cf}]$/v.test(before),
    carriers: joiningLetters,
    each: 40,
  },
  // Direction marks: near right-to-left letters, next to characters without a direction.
  {
    characters: /[\u061C\u200E\u200F]/,
    isNeeded: (before, after) =>
      (rightToLeft.test(before) || rightToLeft.test(after)) &&
      !/\p{Cf}$/u.test(before) &&
      !/^\p{Cf}/u.test(after) &&
      !(/[\p{L}\p{M}]$/v.test(before) && /^[\p{L}\p{M}]/u.test(after)),
    carriers: new RegExp(rightToLeft, 'gu'),
    each: 40,
  },
  // The presentation of an emoji that is not its default. Digits, # and * have it only on keycaps.
  {
    characters: /[\uFE0E\uFE0F]/,
    isNeeded: (before, after, character) =>
      /[0-9#*]$/.test(before)
        ? character === '\uFE0F' && after.startsWith('\u20E3')
        : /\p{Emoji}$/u.test(before) && /\p{Emoji_Presentation}$/u.test(before) === (character === '\uFE0E'),
    carriers: /\p{Emoji}/gu,
    each: 1,
  },
  // The default presentation of an emoji, which some keyboards add.
  {
    characters: /[\uFE0E\uFE0F]/,
    isNeeded: (before) => /(?![0-9#*])\p{Emoji}$/u.test(before),
    carriers: /\S/gu,
    each: 40,
  },
  // Standardized variants of ideographs, their punctuation, operators and Myanmar letters.
  {
    characters: /[\uFE00-\uFE02]/,
    isNeeded: (before, _after, character) =>
      character === '\uFE00'
        ? /[\p{Script=Han}\p{Sm}\p{Script=Myanmar}\p{Script=Phags_Pa}、。，．！：；？]$/v.test(before)
        : /[\p{Script=Han}、。，．！：；？]$/v.test(before),
    carriers: /[\p{Script=Han}\p{Sm}\p{Script=Myanmar}\p{Script=Phags_Pa}]/gu,
    each: 40,
  },
  // Variants of ideographs, mostly in names. Unicode has registered at most 32 for an ideograph.
  {
    characters: /[\u{E0100}-\u{E011F}]/u,
    isNeeded: (before) => /\p{Script=Han}$/u.test(before),
    carriers: /\p{Script=Han}/gu,
    each: 40,
  },
  // Mongolian: variants of letters, and the separator before a final vowel.
  {
    characters: /[\u180B-\u180F]/,
    isNeeded: (before, after, character) =>
      /[\u1820-\u18AA]$/.test(before) && (character !== '\u180E' || /^[\u1820\u1821]/.test(after)),
    carriers: /[\u1820-\u18AA]/g,
    each: 4,
  },
  // Tags: only the exact flags of England, Scotland and Wales.
  { characters: /[\u{E0020}-\u{E007F}]/u, isNeeded: isInFlag, carriers: /\u{1F3F4}/gu, each: 1 / 6 },
];

/** Preparing it takes as long as starting Node.js, and few texts have such a sequence. */
const recommendedEmoji = once(() => /^\p{RGI_Emoji}$/v);
const part = '[\\p{Emoji}--[0-9#*]]\\uFE0F?\\p{Emoji_Modifier}?';
const joinedBefore = new RegExp(`(?:${part}\\u200D)*${part}$`, 'v');
const joinedAfter = new RegExp(`^${part}(?:\\u200D${part})*`, 'v');

function isInEmoji(before: string, after: string): boolean {
  const [first] = joinedBefore.exec(before) ?? [];
  const [rest] = joinedAfter.exec(after) ?? [];
  if (first === undefined || rest === undefined) return false;
  const sequence = `${first}\u200D${rest}`;
  // Many programs leave out the variation selectors of a full sequence.
  return [sequence, sequence.replace(incomplete, '$&\uFE0F')].some((text) => recommendedEmoji().test(text));
}

const incomplete = /(?!\p{Emoji_Presentation}|\p{Emoji_Modifier})\p{Emoji}(?!\uFE0F|\p{Emoji_Modifier})/gu;

const flags = ['gbeng', 'gbsct', 'gbwls'].map((region) =>
  [...'\u{1F3F4}', ...region, '\u{7F}']
    .map((letter, index) => (index === 0 ? letter : String.fromCodePoint(0xe0000 + (letter.codePointAt(0) ?? 0))))
    .join(''),
);

function isInFlag(before: string, after: string, character: string): boolean {
  const start = before.lastIndexOf('\u{1F3F4}');
  const sequence = before.slice(start) + character + after;
  return start !== -1 && flags.some((flag) => sequence.startsWith(flag) && flag.length > before.length - start);
}

/** A character as U+ and its number. */
function codePoint(character: string): string {
  return `U+${(character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0')}`;
}

function nameOf(character: string): string {
  const names: [RegExp, string][] = [
    [/[\u200B\u2060\uFEFF]/u, ', a zero-width space or byte-order mark'],
    [/\u200C/u, ', a zero-width non-joiner'],
    [/\u200D/u, ', a zero-width joiner'],
    [/[\u061C\u200E\u200F\u202A-\u202E\u2066-\u2069]/u, ', which changes the direction of text'],
    [/[\u{E0000}-\u{E007F}]/u, ', a Unicode tag'],
    [/[\u00AD]/u, ', a soft hyphen'],
    [/[\u180B-\u180F\uFE00-\uFE0F\u{E0100}-\u{E01EF}]/u, ', a variation selector'],
    [/[\u115F\u1160\u2800\u3164\uFFA0]/u, ', a blank'],
    [/\p{Noncharacter_Code_Point}/u, ', which is not a character'],
    [/\p{Cs}/u, ', half of a character'],
    [/\p{Cc}/u, ', a control character'],
  ];
  return names.find(([pattern]) => pattern.test(character))?.[1] ?? '';
}

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
  return findings.some(({ code }) => code === 'text/hidden-character') ? text.replace(suspicious, '') : text;
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
  // If this fails, rendering fails too, and reports the error.
  const tokens = orElse(() => markdown.parse(source, {}), []);
  const findings: TextFinding[] = [];
  for (const { type, content, info, map, children } of tokens) {
    if (findings.length >= maxReported) break;
    const shown = [type === 'inline' ? '' : content, markdown.utils.unescapeAll(info), ...inlineTexts(children ?? [])];
    const location = () => locationAt(text, offset + (lineOffsets(source)[map?.[0] ?? 0] ?? 0), source.length);
    const escaped = shown.flatMap((piece) => escapedFindings(piece, location));
    findings.push(...new Map(escaped.map((finding) => [finding.code, finding])).values());
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
  return orElse(() => decodeURIComponent(target).replaceAll('\r\n', '\n'), target);
}

function escapedFindings(text: string, location: () => Location): TextFinding[] {
  const hidden = hiddenCharacter(text);
  const [secret] = findSecrets(text);
  return [
    ...(hidden === null ? [] : [hiddenFinding(hidden, location(), true)]),
    ...(secret === undefined ? [] : [secretFinding(secret.name, location(), true)]),
  ];
}

function hiddenFinding(
  { name, most }: { name: string; most: number | null },
  location: Location,
  escaped: boolean,
): TextFinding {
  return { code: 'text/hidden-character', location, ...textMessages.hiddenCharacter(name, most, escaped), escaped };
}

function secretFinding(name: string, location: Location, escaped: boolean): TextFinding {
  return { code: 'text/secret', location, ...textMessages.secret(name), escaped };
}
