import { readFileSync } from 'node:fs';
import type { Diagnostic } from '../../src/schema/diagnostics/diagnostic.ts';

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

/** A doubled or stray period, a sentence without its subject or reason, and a number with the wrong form of the verb or noun. */
const slips =
  /[\w)\]`'"]\.\.(?=\s|$)|^\s*\.$|[a-z] \.$|: \.(?=\s|$)|\(\)(?=\.)|\bundefined\b|\bNaN\b|\b1 (?:agent|answer|error|file|line|warning)s\b|\b1 [a-z]+s (?:are|were|have|need)\b|(?:^|\s)(?:[2-9]|\d\d+) [a-z]+s (?:is|was|has|needs)\b/m;

/** The slips of language in what people read; null if there is none. */
export function slipIn(text: string): string | null {
  const { index, 0: slip } = slips.exec(text) ?? { index: -1, 0: '' };
  return index === -1 ? null : `${text.slice(Math.max(0, index - 60), index)}>>>${slip}<<<`;
}

/** Every message and hint of the tables. */
export function allMessages(): string[] {
  const single = readFileSync(new URL('../fixtures/single-mistakes.txt', import.meta.url), 'utf8')
    .split('\n')
    .filter((line) => line.includes(' | ') && !line.startsWith('#'));
  return [
    ...table.map((line) => line.split(' | ').slice(2)),
    ...single.map((line) => line.split(' | ').slice(5)),
  ].flat();
}
