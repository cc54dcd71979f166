import { sectionsOf } from './prompt-sections.ts';

/** What a reader gives for an input of a prompt, or for the prompt as a whole. */
export interface GivenInput {
  /** The name of an input that the prompt declares (see prompt-inputs.ts); undefined for the prompt as a whole. */
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
export function fillIn(prompt: string, given: readonly GivenInput[]): string {
  const parts = given
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
