import { readFileSync } from 'node:fs';
import type { Diagnostic } from '../../src/diagnostics/diagnostic.ts';

const table = readFileSync(new URL('../fixtures/messages.txt', import.meta.url), 'utf8')
  .split('\n')
  .filter((line) => line.includes(' | ') && !line.startsWith('#'));

/** The lines that the table of messages has for a mistake; none for one whose message is in another table. */
export function messagesFor(mistake: string): string[] {
  return table.filter((line) => line.split(' | ')[1] === mistake);
}

/** What is reported of a mistake, as the table has it. */
export function messageLine(mistake: string, { code, message, hint }: Diagnostic): string {
  return [code, mistake, message, hint].join(' | ').replaceAll('\n', '↵');
}
