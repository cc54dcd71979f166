import { sectionsOf } from './sections.ts';

/**
 * A prompt with a reader's own input at the end of its INPUT section, between a line `<input>` and a line `</input>`.
 *
 * The page and MCP share it. The rest of the prompt stays as it is; blank input gives the prompt back unchanged, and so
 * does a prompt without that section. Line ends of the input become LF.
 */
export function fillIn(prompt: string, input: string): string {
  const text = input.replace(/\r\n?/g, '\n').replace(/^\n+|\s+$/g, '');
  const section = sectionsOf(prompt).find(({ name }) => name === 'INPUT');
  if (text === '' || section === undefined) return prompt;
  const before = prompt.slice(0, section.end).trimEnd();
  const after = prompt.slice(section.end);
  return `${before}\n\n<input>\n${text}\n</input>\n${after === '' ? '' : '\n'}${after}`;
}
