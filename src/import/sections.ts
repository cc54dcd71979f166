import { headingOf, linesOf, type SectionName, sectionNames } from '../agent-text/prompt-text.ts';
import * as placeholders from '../catalog/parse/placeholders.ts';

/** The headings that other formats have for a section. Everything else is left to the editor. */
const headings: Record<SectionName, RegExp> = {
  INPUT: /^inputs?$/,
  RULES: /^rules$/,
  OUTPUT: /^outputs?(?: (?:format|instructions|sections))?$/,
};

/** What an editor has to write in each section. */
const guidance = placeholders.prompt(null).match(/^\[.*\]$/gm) ?? [];

interface Part {
  section: SectionName | null;
  /** The level of its heading. */
  level: number;
  lines: string[];
}

/** A prompt with the sections of an agent. */
export interface Sectioned {
  prompt: string;
  /** The sections that the text had. The others contain guidance. */
  found: SectionName[];
}

/**
 * Moves the parts of a text under INPUT, RULES and OUTPUT if their headings match. The rest comes before them, unchanged,
 * except that a line that would read as one of these headings is indented by a space. `inputs` are lines for INPUT.
 */
export function withSections(text: string, inputs: readonly string[] = []): Sectioned {
  const parts = partsOf(text.trim());
  const rest = parts.filter(({ section }) => section === null).map(joined);
  const found: SectionName[] = [];
  const sections = sectionNames.map((name, index) => {
    const own = name === 'INPUT' ? [inputs.join('\n')] : [];
    const body = [...own, ...parts.filter(({ section }) => section === name).map(joined)];
    const written = body.filter((each) => each !== '').join('\n\n');
    if (written !== '') found.push(name);
    return `${name}\n${written === '' ? guidance[index] : written}`;
  });
  const before = rest.filter((each) => each !== '').join('\n\n');
  return { prompt: `${[...(before === '' ? [] : [before]), ...sections].join('\n\n')}\n`, found };
}

function partsOf(text: string): Part[] {
  const parts: Part[] = [{ section: null, level: 0, lines: [] }];
  const { lines, openFence } = linesOf(text);
  for (const { text: line, fenced } of lines) {
    const last = parts.at(-1) as Part;
    const heading = fenced ? null : readHeading(line);
    if (heading === null) last.lines.push(!fenced && headingOf(line) !== undefined ? ` ${line}` : line);
    else if (heading.section === null && last.section !== null && heading.level > last.level) last.lines.push(line);
    else if (heading.section === null) parts.push({ ...heading, lines: [line] });
    else {
      // A heading that says more than the name of its section stays as a line.
      const more = heading.title === heading.section.toLowerCase() ? [] : [`${capitalized(heading.title)}:`];
      parts.push({ section: heading.section, level: heading.level, lines: more });
    }
  }
  const mark = /^ {0,3}(`+|~+)/.exec(openFence?.text ?? '')?.[1];
  // A fence that is never closed would take in the sections after it.
  if (mark !== undefined) parts.at(-1)?.lines.push(mark);
  return parts;
}

/** Reads a line as a heading: of Markdown, or the bare name of a section. */
function readHeading(line: string): { section: SectionName | null; level: number; title: string } | null {
  const [, marks = '', words = ''] = /^(#{1,6}) +(\S.*)$/.exec(line) ?? [];
  const title = (marks === '' ? line : words)
    .replace(/[\s#:*_]+$/, '')
    .replace(/^[*_]+/, '')
    .toLowerCase();
  const section = sectionNames.find((name) => headings[name].test(title)) ?? null;
  if (marks === '' && (section === null || headingOf(line) === undefined)) return null;
  return { section, level: marks === '' ? 1 : marks.length, title };
}

function joined({ lines }: Part): string {
  // Without the empty lines around it. The first line keeps its indent, which may keep it from being a heading.
  const text = lines
    .join('\n')
    .replace(/^\s*\n/, '')
    .trimEnd();
  // A heading without text below it says nothing.
  return /^(?:In|Out)puts?(?: \w+)?:$/.test(text) ? '' : text;
}

function capitalized(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}
