import { readFileSync, writeFileSync } from 'node:fs';
import * as assert from 'uvu/assert';
import type { Diagnostic } from '../../src/schema/diagnostics/diagnostic.ts';

const fixture = (name: string) => new URL(`../fixtures/${name}`, import.meta.url);
const rowsOf = (text: string) => text.split('\n').filter((line) => line.includes(' | ') && !line.startsWith('#'));
const table = rowsOf(readFileSync(fixture('messages.txt'), 'utf8'));
const isUpdate = process.env.UPDATE === '1';

/** Whether the table of messages has a mistake; the message of another one is in another table. */
export function hasMessages(mistake: string): boolean {
  return table.some((line) => line.split(' | ')[1] === mistake);
}

/** Compares what is reported of a mistake with the table of messages. UPDATE=1 writes it there instead. */
export function assertMessages(mistake: string, reported: readonly Diagnostic[]): void {
  const ofMistake = (line: string) => line.split(' | ')[1] === mistake;
  const lines = reported.map(({ code, message, hint }) =>
    [code, mistake, message, hint].join(' | ').replaceAll('\n', '↵'),
  );
  if (isUpdate) {
    const all = readFileSync(fixture('messages.txt'), 'utf8').split('\n');
    const at = all.findIndex(ofMistake);
    const rest = all.filter((line) => !ofMistake(line));
    rest.splice(at === -1 ? rest.length - 1 : at, 0, ...lines);
    writeFileSync(fixture('messages.txt'), rest.join('\n'));
  } else assert.equal(lines, table.filter(ofMistake));
}

/** Compares a message with its row in the table of single mistakes. UPDATE=1 writes its words there instead. */
export function assertSingleMessage(
  name: string,
  { code, message, hint }: Diagnostic,
  expected: { code: string; message: string; hint: string },
): void {
  if (!isUpdate) {
    assert.equal({ code, message, hint }, expected);
    return;
  }
  const cell = (text: string) => text.replaceAll('\n', '↵').replaceAll('\t', '⇥').replaceAll('\x07', '␇');
  const words = (texts: string[]) => texts.map(cell).join(' | ');
  const end = ` | ${words([expected.message, expected.hint])}`;
  const lines = readFileSync(fixture('single-mistakes.txt'), 'utf8').split('\n');
  const written = lines.map((line) =>
    line.includes(` | ${name} | `) && line.endsWith(end)
      ? `${line.slice(0, -end.length)} | ${words([message, hint])}`
      : line,
  );
  writeFileSync(fixture('single-mistakes.txt'), written.join('\n'));
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
  const single = rowsOf(readFileSync(fixture('single-mistakes.txt'), 'utf8'));
  return [
    ...table.map((line) => line.split(' | ').slice(2)),
    ...single.map((line) => line.split(' | ').slice(5)),
  ].flat();
}
