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

/** Finds the sections of a prompt, in order. Headings in code fences do not count. */
export function sectionsOf(prompt: string): Section[] {
  const headings = linesOf(prompt).lines.flatMap(({ text, offset, fenced }) => {
    const name = fenced ? undefined : headingOf(text);
    return name === undefined ? [] : [{ name, start: offset, bodyStart: offset + text.length + 1 }];
  });
  return headings.map(({ name, start, bodyStart }, index) => {
    const end = headings[index + 1]?.start ?? prompt.length;
    return { name, start, end, body: prompt.slice(bodyStart, end) };
  });
}

/** Returns the name of the section that a line is the heading of, or undefined. */
export function headingOf(line: string): SectionName | undefined {
  return /^(?:#{1,6} )?(INPUT|RULES|OUTPUT)\b/.exec(line)?.[1] as SectionName | undefined;
}

/** A line of a text. Its offset is in UTF-16 units. */
export interface Line {
  text: string;
  offset: number;
  /** Whether it is in a code fence, or opens or closes one. */
  fenced: boolean;
}

/** The lines of a text. `openFence` is the line of a fence that is never closed, or null. */
export function linesOf(text: string): { lines: Line[]; openFence: Line | null } {
  let fence = '';
  let openFence: Line | null = null;
  let offset = 0;
  const lines = text.split('\n').map((text) => {
    // What follows backticks must not have any, or they are inline code (CommonMark, section 4.5).
    const mark = /^ {0,3}(`{3,}(?=[^`]*$)|~{3,})/.exec(text)?.[1];
    const line = { text, offset, fenced: fence !== '' || mark !== undefined };
    if (mark !== undefined && fence === '') {
      fence = mark;
      openFence = line;
    } else if (mark?.startsWith(fence) && text.trim() === mark) {
      fence = '';
      openFence = null;
    }
    offset += text.length + 1;
    return line;
  });
  return { lines, openFence };
}
