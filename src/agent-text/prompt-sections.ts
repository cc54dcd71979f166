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
  const headings = linesOf(prompt).lines.flatMap(({ line, start }) => {
    const name = headingOf(line);
    return name === undefined ? [] : [{ name, start, bodyStart: start + line.length + 1 }];
  });
  return headings.map(({ name, start, bodyStart }, index) => {
    const end = headings[index + 1]?.start ?? prompt.length;
    return { name, start, end, body: prompt.slice(Math.min(bodyStart, end), end) };
  });
}

/** The section whose heading a line is, or undefined. */
export function headingOf(line: string): SectionName | undefined {
  return /^(?:#{1,6} )?(INPUT|RULES|OUTPUT)\b/.exec(line)?.[1] as SectionName | undefined;
}

interface Line {
  line: string;
  start: number;
}

/** The lines outside code fences. `openFence` is the line of a fence that is never closed, or null. */
export function linesOf(prompt: string): { lines: Line[]; openFence: Line | null } {
  const lines: Line[] = [];
  let fence = '';
  let openFence: Line | null = null;
  let start = 0;
  for (const line of prompt.split('\n')) {
    const mark = /^ {0,3}(`{3,}|~{3,})/.exec(line)?.[1];
    if (mark !== undefined && fence === '') {
      fence = mark;
      openFence = { line, start };
    } else if (mark?.startsWith(fence) && line.trim() === mark) {
      fence = '';
      openFence = null;
    } else if (fence === '') lines.push({ line, start });
    start += line.length + 1;
  }
  return { lines, openFence };
}
