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
    // Text after backticks must not have any, or they are inline code (CommonMark, section 4.5).
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

/** One thing that a prompt asks for, as a line such as `- NOTES (optional): release notes.` in INPUT declares it. */
export interface PromptInput {
  /** Letters, digits, and single spaces, hyphens and underscores between them: nothing that a tag or a form would misread. */
  name: string;
  required: boolean;
  /** The text to paste, described in one line. */
  hint: string;
}

/** Everything that a prompt's INPUT section declares, in order. Fields of a page and arguments of MCP are made from it. */
export function inputsOf(prompt: string): PromptInput[] {
  const taken = new Set([reservedName]);
  return inputLines(prompt).flatMap(({ name, required, hint }) => {
    const key = inputKey(name);
    if (taken.has(key)) return [];
    taken.add(key);
    return [{ name, required, hint }];
  });
}

/** The name of the argument for input that belongs to no declared one. No declared input can have it. */
export const reservedName = 'input';

/** Two names are the same if their keys are: case makes no difference. */
export function inputKey(name: string): string {
  return name.normalize('NFKC').toLowerCase();
}

/** Whether a text can be the name of an input. */
export function isInputName(text: string): boolean {
  return text.length <= longestName && wholeName.test(text);
}

/** The most UTF-16 units of a name. */
export const longestName = 40;

const bullet = '(?:[-*+•]|\\d{1,3}[.)])[ \\t]+';
const name = '\\p{L}[\\p{L}\\p{M}\\p{N}]*(?:[ _-][\\p{L}\\p{M}\\p{N}]+)*';
const wholeName = new RegExp(`^${name}$`, 'u');
const form = new RegExp(`^ ?${bullet}(${name}) *\\((required|optional)\\) *:\\s*(\\S.*)$`, 'iu');
const item = new RegExp(`^${bullet}`);

/** The lines of INPUT that declare an input, including names that are repeated or reserved. Their offsets are in the prompt. */
export function inputLines(prompt: string): (PromptInput & { line: Line })[] {
  const section = sectionsOf(prompt).find((section) => section.name === 'INPUT');
  if (section === undefined) return [];
  const bodyStart = section.end - section.body.length;
  const inputs: (PromptInput & { line: Line })[] = [];
  let open = false;
  for (const line of linesOf(section.body).lines) {
    const [, name, kind, hint] = line.fenced ? [] : (form.exec(line.text.trimEnd()) ?? []);
    const last = inputs.at(-1);
    const rest = line.text.trim();
    if (name !== undefined && hint !== undefined && isInputName(name)) {
      const required = kind?.toLowerCase() === 'required';
      inputs.push({ name, required, hint, line: { ...line, offset: bodyStart + line.offset } });
      open = true;
    } else if (
      open &&
      last !== undefined &&
      !line.fenced &&
      /^(?: {2}|\t)/.test(line.text) &&
      rest !== '' &&
      !item.test(rest)
    ) {
      last.hint += ` ${rest}`;
    } else open = false;
  }
  return inputs;
}

/**
 * Divides a sample into the texts of inputs. Each starts at the first line that begins with its name, as in `NOTES` or
 * `TODAY: 2026-11-15`. A text before the first name belongs to none. Without any name in
 * it, the whole sample is for the first input. The name of a prompt as a whole is empty.
 */
export function dividedSample(sample: string, names: readonly string[]): Map<string, string> {
  const starts = names.flatMap((name) => {
    const match = name === '' ? null : new RegExp(`^${name}(?=[ :]|$)(?: *:)? *\\n?`, 'mu').exec(sample);
    return match === null ? [] : [{ name, start: match.index, text: match.index + match[0].length }];
  });
  if (starts.length === 0) return new Map(names.slice(0, 1).map((name) => [name, sample.trim()]));
  starts.sort((a, b) => a.start - b.start);
  return new Map(starts.map(({ name, text }, index) => [name, sample.slice(text, starts[index + 1]?.start).trimEnd()]));
}

/** A reader's text for an input of a prompt, or for the prompt as a whole. */
interface GivenInput {
  /** The name of an input that the prompt declares; undefined for the prompt as a whole. */
  name?: string | undefined;
  text: string;
}

/**
 * Adds a reader's input to the end of a prompt's INPUT section. Each text is between the lines `<input>` and `</input>`;
 * the first is `<input name="…">` if the text is for a declared input. If a text contains such tags, the lines are
 * `<input-2>` and `</input-2>`, or have the next number that is in none of the texts. So no text can end its own part, or
 * pretend to be another one.
 *
 * Pages and MCP share this. The rest of the prompt stays the same. Blank texts are left out; if all are, or the prompt
 * has no INPUT section, the whole prompt stays the same. Line endings of the texts become LF.
 */
export function fillIn(prompt: string, inputs: readonly GivenInput[]): string {
  const parts = inputs
    // Not /\s+$/, whose time is quadratic in the number of blanks within the text.
    .map(({ name, text }) => ({ name, text: text.replace(/\r\n?/g, '\n').replace(/^\n+/, '').trimEnd() }))
    .filter(({ text }) => text !== '');
  const section = sectionsOf(prompt).find(({ name }) => name === 'INPUT');
  if (parts.length === 0 || section === undefined) return prompt;
  const before = prompt.slice(0, section.end).trimEnd();
  const after = prompt.slice(section.end);
  const tag = unusedTag(parts.map(({ text }) => text).join('\n'));
  const filled = parts.map(
    ({ name, text }) => `<${tag}${name === undefined ? '' : ` name="${name}"`}>\n${text}\n</${tag}>\n`,
  );
  return `${before}\n\n${filled.join('\n')}${after === '' ? '' : '\n'}${after}`;
}

/** `input`, `input-2`, `input-3` …: the first tag that even a lenient parser does not find in the text. */
function unusedTag(text: string): string {
  const used = new Set(
    [...text.matchAll(/<[\s/]*input(?:-(\d+))?(?![\w-])/gi)].map(([, number]) => Number(number ?? 1)),
  );
  let number = 1;
  while (used.has(number)) number += 1;
  return number === 1 ? 'input' : `input-${number}`;
}
