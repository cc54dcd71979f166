import { appendFileSync, renameSync, truncateSync, writeFileSync } from 'node:fs';
import * as fs from 'node:fs/promises';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { rewriteLines } from '../../../src/storage/line-file.ts';
import { rejection, withFolder } from '../../support/journal.ts';

/** Programs that ignore the lock may change a file while it is rewritten. Their changes must not be lost. */

const changes: [name: string, change: (file: string) => void, expected: string][] = [
  ['gets a line more', (file) => appendFileSync(file, 'three\n'), 'one\ntwo\nthree\n'],
  ['loses a line', (file) => truncateSync(file, 4), 'one\n'],
  [
    'is replaced by one of the same length',
    (file) => {
      writeFileSync(`${file}.new`, 'six\nten\n');
      renameSync(`${file}.new`, file);
    },
    'six\nten\n',
  ],
];

for (const [name, change, expected] of changes) {
  test(`a file that ${name} while it is rewritten keeps that change`, () =>
    withFolder(async (file, folder) => {
      await fs.writeFile(file, 'one\ntwo\n');
      let changed = false;
      const rewriting = rewriteLines({
        file,
        draft: `${file}.draft`,
        disk: fs,
        change: (line) => {
          if (!changed) change(file);
          changed = true;
          return line.toString() === 'one\n' ? null : line;
        },
      });
      const error = await rejection(rewriting);
      assert.is(error?.message, `Another program changed ${file} at the same time. Stop the server, then try again.`);
      assert.is(await fs.readFile(file, 'utf8'), expected);
      assert.equal(await fs.readdir(folder), ['log.jsonl']);
    }));
}

test.run();
