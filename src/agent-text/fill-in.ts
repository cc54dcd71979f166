import { sectionsOf } from './prompt-sections.ts';

/**
 * Adds a reader's input to the end of a prompt's INPUT section, between the lines `<input>` and `</input>`. If the
 * input contains such tags, the lines are `<input-2>` and `</input-2>`, or have the next number that is not in the
 * input.
 *
 * Pages and MCP share this. The rest of the prompt stays the same. If the input is blank or the prompt has no INPUT
 * section, the whole prompt does. Line endings of the input become LF.
 */
export function fillIn(prompt: string, input: string): string {
  // Not /\s+$/, whose time is quadratic in the number of blanks within the text.
  const text = input.replace(/\r\n?/g, '\n').replace(/^\n+/, '').trimEnd();
  const section = sectionsOf(prompt).find(({ name }) => name === 'INPUT');
  if (text === '' || section === undefined) return prompt;
  const before = prompt.slice(0, section.end).trimEnd();
  const after = prompt.slice(section.end);
  const tag = unusedTag(text);
  return `${before}\n\n<${tag}>\n${text}\n</${tag}>\n${after === '' ? '' : '\n'}${after}`;
}

/** `input`, `input-2`, `input-3` …: the first tag that even a lenient parser does not find in the text. */
function unusedTag(text: string): string {
  const used = new Set([...text.matchAll(/<[\s/]*input(?:-(\d+))?\s*>/gi)].map(([, number]) => Number(number ?? 1)));
  let number = 1;
  while (used.has(number)) number += 1;
  return number === 1 ? 'input' : `input-${number}`;
}
