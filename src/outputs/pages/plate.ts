import { type SectionName, sectionsOf } from '../../agent-text/prompt-sections.ts';

/** A prompt as pages show it: line by line, with its three sections marked. */
export interface Plate {
  /** Every line with its newline, so that together they are the prompt, byte for byte. */
  lines: { text: string; heading: boolean }[];
  /** Where its sections start, for the margin. */
  sections: { name: SectionName; line: number; meaning: string }[];
  words: number;
}

const meanings: Record<SectionName, string> = {
  INPUT: 'what you give',
  RULES: 'how it works',
  OUTPUT: 'what comes back',
};

/** Divides a prompt into a plate. */
export function plateOf(prompt: string): Plate {
  const sections = sectionsOf(prompt).map(({ name, start }) => ({
    name,
    line: prompt.slice(0, start).split('\n').length,
    meaning: meanings[name],
  }));
  const headings = new Set(sections.map(({ line }) => line));
  const lines = prompt.match(/[^\n]*\n|[^\n]+$/g) ?? [];
  return {
    lines: lines.map((text, index) => ({ text, heading: headings.has(index + 1) })),
    sections,
    words: prompt.match(/\S+/g)?.length ?? 0,
  };
}
