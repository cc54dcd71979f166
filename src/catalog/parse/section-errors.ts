import {
  headingOf,
  linesOf,
  type Section,
  type SectionName,
  sectionNames,
  sectionsOf,
} from '../../agent-text/prompt-text.ts';
import type { Wording } from '../../diagnostics/diagnostic.ts';
import {
  fenceNotClosed,
  notAHeading,
  sectionMisplaced,
  sectionsMissing,
  sectionTwice,
} from '../../diagnostics/messages/prompt-sections.ts';
import { type Location, locationAt } from '../../diagnostics/source-location.ts';
import { nearest } from '../../diagnostics/suggestions.ts';

/** A problem with the sections of a prompt. */
export interface SectionFault extends Wording {
  location: Location;
}

/** Checks that a prompt has INPUT, RULES and OUTPUT, each once and in that order. */
export function sectionFaults(prompt: string): SectionFault[] {
  const sections = sectionsOf(prompt);
  const count = (name: SectionName) => sections.filter((section) => section.name === name).length;
  const missing = sectionNames.filter((name) => count(name) === 0);
  const faults = [...missingFaults(prompt, missing), ...repeatedFaults(prompt, sections)];
  if (faults.length > 0) return faults;
  const misplaced = sections.find((section, index) => section.name !== sectionNames[index]);
  if (misplaced === undefined) return [];
  return [
    {
      location: locationAt(prompt, misplaced.start, misplaced.name.length),
      ...sectionMisplaced(misplaced.name),
    },
  ];
}

function repeatedFaults(prompt: string, sections: readonly Section[]): SectionFault[] {
  return sectionNames.flatMap((name) => {
    const [, second] = sections.filter((section) => section.name === name);
    if (second === undefined) return [];
    return [
      {
        location: locationAt(prompt, second.start, name.length),
        ...sectionTwice(name),
      },
    ];
  });
}

function missingFaults(prompt: string, missing: readonly SectionName[]): SectionFault[] {
  if (missing.length === 0) return [];
  const { lines, openFence } = linesOf(prompt);
  const fenced = openFence === null ? [] : prompt.slice(openFence.offset).split('\n').map(headingOf);
  const swallowed = missing.filter((name) => fenced.includes(name));
  const absent = missing.filter((name) => !swallowed.includes(name));
  const near = absent.map((name) => ({
    name,
    line: lines.find(({ text, fenced }) => !fenced && isNearly(text, name)),
  }));
  const faults = near.flatMap(({ name, line: at }): SectionFault[] => {
    if (at === undefined) return [];
    return [
      {
        location: locationAt(prompt, at.offset, at.text.length),
        ...notAHeading(at.text.trimEnd(), name),
      },
    ];
  });
  if (openFence !== null && swallowed.length > 0) {
    faults.push({
      location: locationAt(prompt, openFence.offset, openFence.text.length),
      ...fenceNotClosed(swallowed),
    });
  }
  const rest = near.filter(({ line }) => line === undefined).map(({ name }) => name);
  if (rest.length > 0) {
    faults.push({ location: locationAt(prompt, 0), ...sectionsMissing(rest) });
  }
  return faults;
}

/** The names of the sections in other languages, and similar words. */
const otherWords: Record<SectionName, readonly string[]> = {
  INPUT: ['inputs', 'eingabe', 'entree', 'entrada', 'entradas', 'ingresso', 'invoer', 'wejscie', '输入', '入力'],
  RULES: ['rule', 'regeln', 'regles', 'reglas', 'regole', 'regras', 'regels', 'zasady', '规则', 'ルール'],
  OUTPUT: ['outputs', 'ausgabe', 'sortie', 'salida', 'saida', 'uscita', 'uitvoer', 'wyjscie', '输出', '出力'],
};

/**
 * Whether a line was probably meant to be the heading of a section, in other case, with other marks, or in another
 * language.
 */
function isNearly(line: string, name: SectionName): boolean {
  const [, word = '', rest = ''] = /^[\s#*_>[(<\d.)-]*([\p{L}\p{M}]+)[*_\])>]*(.*)$/u.exec(line) ?? [];
  if (!/^\s*(?:$|[:(\u2013\u2014-])/.test(rest)) return false;
  const plain = word.normalize('NFKD').replace(/\p{M}/gu, '').toLowerCase();
  if (plain === name.toLowerCase() || otherWords[name].includes(plain)) return true;
  return word === word.toUpperCase() && nearest(plain, [name]) === name;
}
