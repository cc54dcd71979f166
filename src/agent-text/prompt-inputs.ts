import { type Line, linesOf, sectionsOf } from './prompt-sections.ts';

/** One thing that a prompt asks for, as a line such as `- NOTES (optional): release notes.` in INPUT declares it. */
export interface PromptInput {
  /** Letters, digits, and single spaces, hyphens and underscores between them: nothing that a tag or a form would misread. */
  name: string;
  required: boolean;
  /** What to paste, in one line. */
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
  const found: (PromptInput & { line: Line })[] = [];
  let open = false;
  for (const line of linesOf(section.body).lines) {
    const [, name, kind, hint] = line.fenced ? [] : (form.exec(line.text.trimEnd()) ?? []);
    const last = found.at(-1);
    const rest = line.text.trim();
    if (name !== undefined && hint !== undefined && isInputName(name)) {
      const required = kind?.toLowerCase() === 'required';
      found.push({ name, required, hint, line: { ...line, offset: bodyStart + line.offset } });
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
  return found;
}
