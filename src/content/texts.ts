import type { Finding } from '../diagnostics.ts';
import { findSecrets } from '../secrets.ts';
import { placeAt } from '../source-text.ts';

type TextFinding = Pick<Finding, 'code' | 'message' | 'hint'> & { place: ReturnType<typeof placeAt> };

/** What no text of an agent may hold: characters that hide, and what looks like a secret. */
export function textFindings(text: string): TextFinding[] {
  const hidden = hiddenCharacter(text);
  return [...(hidden === null ? [] : [hidden]), ...secretFindings(text)];
}

/**
 * Controls, zero-width and formatting characters, bidi controls (Unicode UAX #9), tags and variation selectors: what
 * may hide text from a reader or show it in another order than a model reads it.
 */
const suspicious =
  // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what is looked for.
  // biome-ignore lint/suspicious/noMisleadingCharacterClass: each character is looked for by itself.
  /[\0-\x08\x0B\x0C\x0E-\x1F\x7F-\x9F\u00AD\u034F\u061C\u115F\u1160\u17B4\u17B5\u180B-\u180F\u200B-\u200F\u2028-\u202E\u2060-\u206F\u3164\uFE00-\uFE0F\uFEFF\uFFA0\uFFF9-\uFFFB\u{1D173}-\u{1D17A}\u{E0000}-\u{E0FFF}]/gu;

/** What most texts consist of: nothing in it can hide. Asking this first saves the slower search. */
const plainCharacters = /^[\t\n\x20-\x7E]*$/;

function hiddenCharacter(text: string): TextFinding | null {
  if (plainCharacters.test(text)) return null;
  for (const match of text.matchAll(suspicious)) {
    if (isLegitimate(match[0], text.slice(Math.max(0, match.index - 32), match.index), text.slice(match.index)))
      continue;
    const codePoint = (match[0].codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0');
    return {
      code: 'text/hidden-character',
      place: placeAt(text, match.index, match[0].length),
      message: `Here is the hidden character U+${codePoint}${nameOf(match[0])}.`,
      hint: 'Delete it: it does not show in most editors, so delete the characters around it too and type them again.',
    };
  }
  return null;
}

const rightToLeft = /[\p{Script=Arabic}\p{Script=Hebrew}\p{Script=Syriac}\p{Script=Thaana}\p{Script=Nko}]/u;
const joining =
  /[\p{Script=Arabic}\p{Script=Syriac}\p{Script=Mongolian}\p{Script=Devanagari}\p{Script=Bengali}\p{Script=Gurmukhi}\p{Script=Gujarati}\p{Script=Oriya}\p{Script=Tamil}\p{Script=Telugu}\p{Script=Kannada}\p{Script=Malayalam}\p{Script=Sinhala}\p{Script=Khmer}\p{Script=Myanmar}]$/u;

/** Whether a suspicious character is used as its standard means it: in an emoji, or in a script that needs it. */
function isLegitimate(character: string, before: string, from: string): boolean {
  const after = from.slice(character.length);
  switch (character) {
    case '\u200D':
      return (
        (/\p{Extended_Pictographic}[\uFE0F\u{1F3FB}-\u{1F3FF}]?$/u.test(before) &&
          /^\p{Extended_Pictographic}/u.test(after)) ||
        joining.test(before)
      );
    case '\u200C':
      return joining.test(before);
    case '\u200E':
    case '\u200F':
    case '\u061C':
      return rightToLeft.test(before) || rightToLeft.test(after.slice(0, 32));
    case '\uFE0E':
    case '\uFE0F':
      return /[\p{Extended_Pictographic}\p{S}\p{P}0-9]$/u.test(before);
    default:
      if (/^[\uFE00-\uFE0D]$/u.test(character)) return /[\p{Script=Han}\p{Sm}\p{Script=Myanmar}]$/u.test(before);
      if (/^[\u{E0100}-\u{E01EF}]$/u.test(character)) return /\p{Script=Han}$/u.test(before);
      if (/^[\u{E0020}-\u{E007F}]$/u.test(character)) {
        return (
          /\u{1F3F4}[\u{E0030}-\u{E0039}\u{E0061}-\u{E007A}]{0,6}$/u.test(before) &&
          /^[\u{E0030}-\u{E0039}\u{E0061}-\u{E007A}]{0,6}\u{E007F}/u.test(from)
        );
      }
      return false;
  }
}

function nameOf(character: string): string {
  const names: [RegExp, string][] = [
    [/[\u200B\u2060\uFEFF]/u, ', a zero-width space or byte-order mark'],
    [/[\u200C\u200D]/u, ', a zero-width joiner'],
    [/[\u061C\u200E\u200F\u202A-\u202E\u2066-\u2069]/u, ', which changes the direction of text'],
    [/[\u{E0000}-\u{E007F}]/u, ', a Unicode tag'],
    [/[\u00AD]/u, ', a soft hyphen'],
    [/[\uFE00-\uFE0F\u{E0100}-\u{E01EF}]/u, ', a variation selector'],
    [/\p{Cc}/u, ', a control character'],
  ];
  return names.find(([pattern]) => pattern.test(character))?.[1] ?? '';
}

/** How many secrets of a text are reported; those after them are masked all the same. */
const maxReported = 10;

function secretFindings(text: string): TextFinding[] {
  return findSecrets(text)
    .slice(0, maxReported)
    .map(({ offset, length, name }) => ({
      code: 'text/secret',
      place: placeAt(text, offset, length),
      message: `This looks like ${name}.`,
      hint: 'If it is real, revoke it first: it may already be in the history of git. Then write a placeholder such as <API_KEY>.',
    }));
}
