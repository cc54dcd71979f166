import { writeFile } from 'node:fs/promises';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { readLines } from '../../../src/storage/line-file.ts';
import { withFolder } from '../../support/journal.ts';

const long = 'x'.repeat(70_000);

const rows: { name: string; lines: string[] }[] = [
  { name: 'nothing', lines: [] },
  { name: 'lines, each with its newline', lines: ['a\n', 'b\n'] },
  { name: 'a last line without one', lines: ['a\n', 'b'] },
  { name: 'blank lines', lines: ['\n', 'a\n', '\n'] },
  { name: 'other separators as they are', lines: ['a\r\n', 'b\u2028c\u2029d\n', '\0\n'] },
  { name: 'lines longer than what is read at once', lines: [`${long}\n`, `${long}${long}\n`, long] },
  { name: 'a newline at the very end of what is read at once', lines: [`${'y'.repeat(65_535)}\n`, 'z\n'] },
];

async function linesOf(file: string): Promise<string[]> {
  const lines: string[] = [];
  for await (const line of readLines(file)) lines.push(line.toString('utf8'));
  return lines;
}

for (const { name, lines } of rows) {
  test(`reads ${name}`, () =>
    withFolder(async (file) => {
      await writeFile(file, lines.join(''));
      assert.equal(await linesOf(file), lines);
    }));
}

test('reads no lines from a missing file', () =>
  withFolder(async (file) => {
    assert.equal(await linesOf(file), []);
    assert.equal(await linesOf(`${file}.gz`), []);
  }));

test.run();
