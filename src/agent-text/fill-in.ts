import { sectionsOf } from './prompt-sections.ts';

/**
 * A prompt with a reader's own input at the end of its INPUT section, between a line `<input>` and a line `</input>`;
 * where the input has such tags itself, between `<input-2>` and `</input-2>`, or the next number that it lacks.
 *
 * The page and MCP share it. The rest of the prompt stays as it is; blank input gives the prompt back unchanged, and so
 * does a prompt without that section. Line ends of the input become LF.
 */
export function fillIn(prompt: string, input: string): string {
  // Not /\s+$/, which takes time quadratic in the blanks within the text.
  const text = input.replace(/\r\n?/g, '\n').replace(/^\n+/, '').trimEnd();
  const section = sectionsOf(prompt).find(({ name }) => name === 'INPUT');
  if (text === '' || section === undefined) return prompt;
  const before = prompt.slice(0, section.end).trimEnd();
  const after = prompt.slice(section.end);
  const tag = unusedTag(text);
  return `${before}\n\n<${tag}>\n${text}\n</${tag}>\n${after === '' ? '' : '\n'}${after}`;
}

/** `input`, or `input-2`, `input-3` …: the first that a reader of tags, however lenient, does not find in the text. */
function unusedTag(text: string): string {
  const used = new Set([...text.matchAll(/<[\s/]*input(?:-(\d+))?\s*>/gi)].map(([, number]) => Number(number ?? 1)));
  let number = 1;
  while (used.has(number)) number += 1;
  return number === 1 ? 'input' : `input-${number}`;
}
