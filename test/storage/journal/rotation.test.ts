import { copyFile, link, mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import type { Journal } from '../../../src/storage/journal.ts';
import {
  type Item,
  linesIn,
  rejection,
  type Stored,
  shimDisk,
  withFolder,
  withJournal,
} from '../../support/journal.ts';

test('a renamed log is followed by a new one after reopen', () =>
  withFolder(async (file) => {
    await withJournal({ file }, async ({ journal }) => {
      const before = await journal.append({ client: 1 });
      await rename(file, `${file}.1`);
      await journal.reopen();
      assert.is(await readFile(file, 'utf8'), '');
      const after = await journal.append({ client: 2 });
      assert.equal(await linesIn(`${file}.1`), [before]);
      assert.equal(await linesIn(file), [after]);
    });
  }));

test('lines in any script are the length that they have on the disk', () =>
  withFolder(async (file) => {
    await withJournal({ file }, async ({ journal, warnings }) => {
      const stored = [await journal.append({ client: 1, note: 'Grüße 規則 🎈' }), await journal.append({ client: 2 })];
      assert.equal(await linesIn(file), stored);
      assert.equal(warnings, []);
    });
  }));

test('rotation under load neither loses nor duplicates a line', () =>
  withFolder(async (file) => {
    const logs = [file];
    await withJournal({ file }, async ({ journal }) => {
      const load = startLoad(journal);
      for (let round = 1; round <= 10; round += 1) {
        await journal.append({ client: 200 });
        logs.push(`${file}.${round}`);
        await rename(file, `${file}.${round}`);
        await journal.append({ client: 201 });
        await journal.reopen();
      }
      const acknowledged = await load.stop();
      const found = (await Promise.all(logs.map(linesIn))).flat().map(({ id }) => id);
      assert.is(new Set(found).size, found.length);
      const missing = acknowledged.filter(({ id }) => !found.includes(id));
      assert.equal(missing, []);
    });
  }));

/** What the operator reads if the path no longer names the open file. */
const followed = (file: string, what: string) =>
  `${file} was ${what} by another program while it was open. New lines go to the file that now has this name.`;

test('a log that was renamed is followed by a new one even without reopen', () =>
  withFolder(async (file) => {
    await withJournal({ file }, async ({ journal, warnings }) => {
      const before = await journal.append({ client: 1 });
      await rename(file, `${file}.1`);
      const after = await journal.append({ client: 2 });
      assert.equal(await linesIn(`${file}.1`), [before]);
      assert.equal(await linesIn(file), [after]);
      assert.equal(warnings, [followed(file, 'renamed')]);
    });
  }));

test('a log that was removed is followed by a new one, made with mode 0600', () =>
  withFolder(async (file) => {
    await withJournal({ file }, async ({ journal, warnings }) => {
      await journal.append({ client: 1 });
      await rm(file);
      const after = await journal.append({ client: 2 });
      assert.equal(await linesIn(file), [after]);
      assert.equal(warnings, [followed(file, 'removed')]);
    });
  }));

test('lines in a log that was just removed are written to the new one before they are acknowledged', () =>
  withFolder(async (file) => {
    let remove = false;
    const disk = shimDisk(async ({ op, path, run }) => {
      if (remove && path === file && op === 'datasync') {
        remove = false;
        await rm(file);
      }
      return run();
    });
    await withJournal({ file, disk }, async ({ journal, warnings }) => {
      remove = true;
      const records = await Promise.all([1, 2].map((client) => journal.append({ client })));
      assert.equal(await linesIn(file), records);
      const end = 'was removed by another program while lines were written. They were written to a new file.';
      assert.equal(warnings, [`${file} ${end}`]);
    });
  }));

test('lines in a log that was just renamed stay there and are not duplicated', () =>
  withFolder(async (file) => {
    let move = false;
    const disk = shimDisk(async ({ op, path, run }) => {
      if (move && path === file && op === 'datasync') {
        move = false;
        await rename(file, `${file}.1`);
      }
      return run();
    });
    await withJournal({ file, disk }, async ({ journal }) => {
      move = true;
      const first = await journal.append({ client: 1 });
      const second = await journal.append({ client: 2 });
      assert.equal(await linesIn(`${file}.1`), [first]);
      assert.equal(await linesIn(file), [second]);
    });
  }));

test('lines in a removed log that still has another name are not written twice', () =>
  withFolder(async (file) => {
    let remove = false;
    const disk = shimDisk(async ({ op, path, run }) => {
      if (remove && path === file && op === 'datasync') {
        remove = false;
        await link(file, `${file}.backup`);
        await rm(file);
      }
      return run();
    });
    await withJournal({ file, disk }, async ({ journal }) => {
      remove = true;
      const first = await journal.append({ client: 1 });
      const second = await journal.append({ client: 2 });
      assert.equal(await linesIn(`${file}.backup`), [first]);
      assert.equal(await linesIn(file), [second]);
    });
  }));

test('a log that replaced the open one is repaired and continued', () =>
  withFolder(async (file) => {
    await withJournal({ file }, async ({ journal }) => {
      const first = await journal.append({ client: 1 });
      await rename(file, `${file}.1`);
      await writeFile(file, `${JSON.stringify(first)}\n{"torn`);
      const second = await journal.append({ client: 2 });
      assert.equal(await linesIn(file), [first, second]);
    });
  }));

test('a copy of the open log in its place is continued, and not the log itself', () =>
  withFolder(async (file) => {
    await withJournal({ file }, async ({ journal }) => {
      const first = await journal.append({ client: 1 });
      await rename(file, `${file}.1`);
      await copyFile(`${file}.1`, file);
      const second = await journal.append({ client: 2 });
      assert.equal([await linesIn(`${file}.1`), await linesIn(file)], [[first], [first, second]]);
    });
  }));

test('a line added by hand without a newline does not swallow the next line', () =>
  withFolder(async (file) => {
    await withJournal({ file }, async ({ journal, warnings }) => {
      const first = await journal.append({ client: 1 });
      await writeFile(file, '{"by":"hand"}', { flag: 'a' });
      const second = await journal.append({ client: 2 });
      assert.equal(await linesIn(file), [first, { by: 'hand' }, second]);
      assert.match(await readFile(file, 'utf8'), '{"by":"hand"}\n');
      assert.equal(warnings, [followed(file, 'changed')]);
    });
  }));

test('lines are refused while the folder is missing, and accepted once it is back', () =>
  withFolder(async (_file, folder) => {
    const file = `${folder}/data/log.jsonl`;
    await withJournal({ file }, async ({ journal }) => {
      await journal.append({ client: 1 });
      await rename(`${folder}/data`, `${folder}/away`);
      assert.ok(await rejection(journal.append({ client: 2 })));
      await mkdir(`${folder}/data`);
      const after = await journal.append({ client: 3 });
      assert.equal(await linesIn(file), [after]);
    });
  }));

test('reopen waits for pending lines', () =>
  withFolder(async (file) => {
    let syncing = () => {};
    let release = () => {};
    const reached = new Promise<void>((resolve) => {
      syncing = resolve;
    });
    const gate = new Promise<void>((resolve) => {
      release = resolve;
    });
    let gated = false;
    const disk = shimDisk(async ({ op, path, run }) => {
      if (gated && path === file && op === 'datasync') {
        syncing();
        await gate;
      }
      return run();
    });
    await withJournal({ file, disk }, async ({ journal }) => {
      gated = true;
      const first = journal.append({ client: 1 });
      await reached;
      await rename(file, `${file}.1`);
      const reopened = journal.reopen();
      const second = journal.append({ client: 2 });
      release();
      await reopened;
      assert.equal(await linesIn(`${file}.1`), [await first]);
      assert.equal(await linesIn(file), [await second]);
    });
  }));

/** Lines from ten clients at once, until it is stopped. */
function startLoad(journal: Journal<Item, Stored>) {
  let going = true;
  const acknowledged: Stored[] = [];
  const clients = Array.from({ length: 10 }, async (_, client) => {
    while (going) acknowledged.push(await journal.append({ client }));
  });
  return {
    async stop() {
      going = false;
      await Promise.all(clients);
      return acknowledged;
    },
  };
}

test.run();
