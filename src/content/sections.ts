import type { Place } from '../source-text.ts';
import { placeAt } from '../source-text.ts';

export const sectionNames = ['INPUT', 'RULES', 'OUTPUT'] as const;
export type SectionName = (typeof sectionNames)[number];

/** A section of a prompt: from its heading line to the next section or the end. Offsets are UTF-16 units. */
export interface Section {
  name: SectionName;
  start: number;
  end: number;
  /** The text after the heading line. */
  body: string;
}

/** Every section heading of a prompt with its section, in order of appearance. Lines in code fences do not count. */
export function sectionsOf(prompt: string): Section[] {
  const headings: { name: SectionName; start: number; bodyStart: number }[] = [];
  let fence = '';
  let offset = 0;
  for (const line of prompt.split('\n')) {
    const mark = /^ {0,3}(`{3,}|~{3,})/.exec(line)?.[1];
    if (mark !== undefined && fence === '') fence = mark;
    else if (mark?.startsWith(fence) && line.trim() === mark) fence = '';
    else if (fence === '') {
      const name = /^(?:#{1,6} )?(INPUT|RULES|OUTPUT)\b/.exec(line)?.[1] as SectionName | undefined;
      if (name !== undefined) headings.push({ name, start: offset, bodyStart: offset + line.length + 1 });
    }
    offset += line.length + 1;
  }
  return headings.map(({ name, start, bodyStart }, index) => {
    const end = headings[index + 1]?.start ?? prompt.length;
    return { name, start, end, body: prompt.slice(Math.min(bodyStart, end), end) };
  });
}

/** What keeps a prompt from having INPUT, RULES and OUTPUT, each once, in that order; null when nothing does. */
export function sectionFault(prompt: string): { place: Place; message: string; hint: string } | null {
  const sections = sectionsOf(prompt);
  const hint =
    'Start a line with INPUT, one with RULES and one with OUTPUT, in that order, each once, outside code fences.';
  for (const name of sectionNames) {
    const [first, second] = sections.filter((section) => section.name === name);
    if (first === undefined) {
      return { place: placeAt(prompt, 0), message: `The prompt has no section ${name}.`, hint };
    }
    if (second !== undefined) {
      const place = placeAt(prompt, second.start, name.length);
      return { place, message: `The prompt has the section ${name} twice.`, hint };
    }
  }
  const misplaced = sections.find((section, index) => section.name !== sectionNames[index]);
  if (misplaced !== undefined) {
    const place = placeAt(prompt, misplaced.start, misplaced.name.length);
    return { place, message: `The section ${misplaced.name} stands in the wrong order.`, hint };
  }
  return null;
}
