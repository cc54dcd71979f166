import { readFile, stat } from 'node:fs/promises';
import { relative } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import {
  type Item,
  linesIn,
  rejection,
  type Stored,
  shimDisk,
  withFolder,
  withJournal,
} from '../../support/journal.ts';
import { testUnless } from '../../support/skip.ts';
import { until } from '../../support/until.ts';

test('writes a line, syncs it, and only then acknowledges it', () =>
  withFolder(async (file) => {
    const events: string[] = [];
    let watching = false;
    const disk = shimDisk(async ({ op, path, run }) => {
      const result = await run();
      if (watching && path === file && ['write', 'datasync'].includes(op)) events.push(op);
      return result;
    });
    await withJournal({ file, disk }, async ({ journal }) => {
      watching = true;
      for (const client of [1, 2]) {
        await journal.append({ client });
        events.push('acknowledged');
      }
      watching = false;
    });
    assert.equal(events, ['write', 'datasync', 'acknowledged', 'write', 'datasync', 'acknowledged']);
  }));

test('acknowledges no line before it is synced', () =>
  withFolder(async (file) => {
    let synced = '';
    const disk = shimDisk(async ({ op, path, run }) => {
      if (path !== file || op !== 'datasync') return run();
      const before = await readFile(file, 'utf8');
      await sleep(1);
      await run();
      synced = before;
      return undefined;
    });
    await withJournal({ file, disk }, async ({ journal }) => {
      const clients = Array.from({ length: 40 }, async (_, client) => {
        for (let round = 0; round < 5; round += 1) {
          await sleep((client * 7 + round) % 5);
          const { id } = await journal.append({ client });
          assert.ok(synced.includes(`"${id}"`), 'the sync came after the line');
        }
      });
      await Promise.all(clients);
    });
    assert.is((await linesIn(file)).length, 200);
  }));

test('shares one sync among the lines that wait for it', () =>
  withFolder(async (file) => {
    let syncs = 0;
    const disk = shimDisk(async ({ op, path, run }) => {
      if (path === file && op === 'datasync') {
        syncs += 1;
        await sleep(5);
      }
      return run();
    });
    await withJournal({ file, disk }, async ({ journal }) => {
      await journal.append({ client: 0 });
      syncs = 0;
      const first = journal.append({ client: 1 });
      await until(() => syncs > 0);
      await Promise.all([first, ...Array.from({ length: 63 }, (_, client) => journal.append({ client: client + 2 }))]);
      assert.is(syncs, 2);
    });
  }));

test('shares one sync among the lines that arrive while the path is checked', () =>
  withFolder(async (file) => {
    let syncs = 0;
    const checks: (() => void)[] = [];
    let held = false;
    const disk = shimDisk(async ({ op, path, run }) => {
      if (path === file && op === 'datasync') syncs += 1;
      if (held && path === file && op === 'stat') await new Promise<void>((resolve) => checks.push(resolve));
      return run();
    });
    await withJournal({ file, disk }, async ({ journal }) => {
      held = true;
      syncs = 0;
      const first = journal.append({ client: 1 });
      await until(() => checks.length === 1);
      const rest = [2, 3].map((client) => journal.append({ client }));
      held = false;
      checks[0]?.();
      await Promise.all([first, ...rest]);
      assert.is(syncs, 1);
    });
  }));

test('keeps lines in the order of the calls', () =>
  withFolder(async (file) => {
    await withJournal({ file }, async ({ journal }) => {
      const pending: Promise<Stored>[] = [];
      for (let number = 0; number < 500; number += 1) {
        pending.push(journal.append({ client: 1, note: `note ${number}` }));
        if (number % 50 === 0) await sleep(0);
      }
      const records = await Promise.all(pending);
      assert.is(new Set(records.map(({ id }) => id)).size, 500);
      assert.equal(
        (await linesIn(file)).map(({ note }) => note),
        records.map((_, number) => `note ${number}`),
      );
    });
  }));

test('stores the prepared item in one line, whatever it contains, and returns it', () =>
  withFolder(async (file) => {
    await withJournal({ file }, async ({ journal }) => {
      const note = 'line\nbreak\u2028"quoted" \ud83d\ude00 \ud800';
      const given = [await journal.append({ client: 7, note }), await journal.append({ client: 8 })];
      const text = await readFile(file, 'utf8');
      assert.is(text, given.map((stored) => `${JSON.stringify(stored)}\n`).join(''));
      assert.equal(Object.keys(given[0] ?? {}), ['id', 'client', 'note']);
      assert.equal(given[0]?.note, note);
    });
  }));

test('an item that cannot be prepared is refused with its whole pass, and nothing is written', () =>
  withFolder(async (file) => {
    let fails = true;
    const prepare = async (items: readonly Item[]): Promise<Stored[]> => {
      if (fails) throw new Error('no id today');
      return items.map((item) => ({ id: 'today', ...item }));
    };
    await withJournal({ file, prepare }, async ({ journal }) => {
      const refused = await Promise.all([1, 2].map((client) => rejection(journal.append({ client }))));
      assert.equal(
        refused.map((error) => error?.message),
        ['no id today', 'no id today'],
      );
      fails = false;
      const kept = await journal.append({ client: 3 });
      assert.equal(await linesIn(file), [kept]);
    });
  }));

test('a disk that takes no bytes refuses the line instead of trying endlessly', () =>
  withFolder(async (file) => {
    let full = true;
    const disk = shimDisk(async ({ op, path, run }) =>
      full && path === file && op === 'write' ? { bytesWritten: 0 } : run(),
    );
    await withJournal({ file, disk }, async ({ journal }) => {
      assert.is(((await rejection(journal.append({ client: 1 }))) as NodeJS.ErrnoException | undefined)?.code, 'EIO');
      full = false;
      const stored = await journal.append({ client: 2 });
      assert.equal(await linesIn(file), [stored]);
    });
  }));

test('a partial write is completed', () =>
  withFolder(async (file) => {
    const disk = shimDisk(async ({ op, path, args, run }) => {
      if (path === file && op === 'write') args[2] = Math.min(3, args[2] as number);
      return run();
    });
    await withJournal({ file, disk }, async ({ journal }) => {
      const stored = await Promise.all([1, 2].map((client) => journal.append({ client })));
      assert.equal(await linesIn(file), stored);
    });
  }));

testUnless(process.platform === 'win32' && 'Windows has no file modes')(
  'makes the log and its folders readable by their owner alone',
  () =>
    withFolder(async (_file, folder) => {
      await withJournal({ file: `${folder}/new/data/log.jsonl` }, async () => {
        assert.is((await stat(`${folder}/new/data/log.jsonl`)).mode & 0o777, 0o600);
        for (const path of ['new', 'new/data']) assert.is((await stat(`${folder}/${path}`)).mode & 0o777, 0o700);
      });
    }),
);

test('syncs the folder of a new log, and the parent of a new folder', () =>
  withFolder(async (_file, folder) => {
    const events: string[] = [];
    const disk = shimDisk(async ({ op, path, run }) => {
      const result = await run();
      if (!path.includes('.lock') && (['mkdir', 'sync'].includes(op) || path.endsWith('log.jsonl')))
        events.push(`${op} ${relative(folder, path)}`);
      return result;
    });
    const file = `${folder}/new/data/log.jsonl`;
    await withJournal({ file, disk }, async () => {});
    assert.equal(
      events.filter((event) => !/stat|datasync|close/.test(event)),
      ['mkdir new/data', 'sync new', 'sync ', 'open new/data/log.jsonl', 'sync new/data'],
    );
  }));

test('closing waits for pending lines and refuses later ones', () =>
  withFolder(async (file) => {
    await withJournal({ file }, async ({ journal }) => {
      const pending = [1, 2, 3].map((client) => journal.append({ client }));
      const closing = journal.close();
      const late = journal.append({ client: 4 }).catch((error: Error) => error.message);
      await Promise.all([closing, journal.close()]);
      assert.is(await late, 'The log is closed.');
      assert.is((await Promise.all(pending)).length, 3);
      assert.is((await linesIn(file)).length, 3);
    });
  }));

test.run();
