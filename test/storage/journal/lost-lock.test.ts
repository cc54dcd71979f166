import * as fs from 'node:fs/promises';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { acquireLock } from '../../../src/storage/lock.ts';
import {
  type Item,
  linesIn,
  rejection,
  type Stored,
  shimDisk,
  systemError,
  withFolder,
  withJournal,
} from '../../support/journal.ts';
import { lockOptions, ownerOf, putLock } from '../../support/lock.ts';
import { soon, until, withStillClock } from '../../support/until.ts';

/**
 * An owner whose lock was removed or taken while it was suspended writes nothing that could be lost or written twice.
 */

test('a journal whose lock another process has refuses lines and does not touch that lock', () =>
  withFolder(async (file) => {
    await withJournal({ file, beatMs: 5 }, async ({ journal, warnings }) => {
      await journal.append({ client: 1 });
      await putLock(`${file}.other`, { host: 'elsewhere' });
      await fs.rename(`${file}.other.lock`, `${file}.lock`);
      await until(() => warnings.length > 0);
      const refused = await rejection(journal.append({ client: 2 }));
      assert.is(refused?.name, 'OperationError');
      assert.match(String(refused), 'elsewhere');
    });
    assert.is((await linesIn(file)).length, 1);
    assert.is((await ownerOf(file)).host, 'elsewhere');
  }));

test('a journal whose lock another process has does not repair the log when it is reopened', () =>
  withFolder(async (file) => {
    await withJournal({ file, beatMs: 5 }, async ({ journal, warnings }) => {
      await putLock(`${file}.other`, { host: 'elsewhere' });
      await fs.rename(`${file}.other.lock`, `${file}.lock`);
      await until(() => warnings.length > 0);
      await fs.writeFile(file, '{"half');
      assert.match(String(await rejection(journal.reopen())), 'elsewhere');
      assert.is(await fs.readFile(file, 'utf8'), '{"half');
    });
  }));

test('a lock that was overwritten with something else is lost too', () =>
  withFolder(async (file) => {
    await withJournal({ file, beatMs: 5 }, async ({ journal, warnings }) => {
      await fs.writeFile(`${file}.lock`, 'nothing that we wrote');
      await until(() => warnings.length > 0);
      assert.match(
        String(await rejection(journal.append({ client: 1 }))),
        `${file} is in use by another process. Stop`,
      );
    });
  }));

test('a removed lock is created again', () =>
  withFolder(async (file) => {
    await withJournal({ file, beatMs: 5 }, async ({ journal, warnings }) => {
      const { token } = await ownerOf(file);
      await fs.rm(`${file}.lock`);
      await until(async () => (await ownerOf(file).catch(() => null))?.token === token);
      await journal.append({ client: 1 });
      const what = `${file}.lock was removed by another program while this process owns ${file}. It was created again.`;
      assert.equal(warnings, [what]);
    });
  }));

test('an owner that missed two heartbeats checks its lock before it writes', () =>
  withStillClock((later) =>
    withFolder(async (file) => {
      let away = false;
      const disk = shimDisk(async ({ op, path, run }) => {
        if (away && op === 'open' && path === `${file}.lock`) throw systemError('EIO');
        return run();
      });
      // No heartbeat happens while this runs.
      const beatMs = 1_000_000;
      await withJournal({ file, disk, beatMs }, async ({ journal }) => {
        away = true;
        later(2 * beatMs);
        await journal.append({ client: 1 });
        later(1);
        for (const client of [2, 3]) assert.ok(await rejection(journal.append({ client })));
        assert.is((await linesIn(file)).length, 1);
        away = false;
        await journal.append({ client: 4 });
        // The owner has just checked, so it does not check again.
        away = true;
        later(2 * beatMs);
        await journal.append({ client: 5 });
        assert.equal(
          (await linesIn(file)).map(({ client }) => client),
          [1, 4, 5],
        );
      });
    }),
  ));

test('an owner that was suspended while another process took its lock writes nothing afterward', () =>
  withStillClock((later) =>
    withFolder(async (file) => {
      const beatMs = 1_000_000;
      await withJournal({ file, beatMs }, async ({ journal }) => {
        await journal.append({ client: 1 });
        const taken = await putLock(file, { host: 'elsewhere' });
        later(2 * beatMs + 1);
        for (const client of [2, 3]) {
          assert.match(String(await rejection(journal.append({ client }))), 'elsewhere');
          assert.match(String(await rejection(journal.check())), 'elsewhere');
        }
        assert.is((await linesIn(file)).length, 1);
        assert.equal(await ownerOf(file), taken);
      });
    }),
  ));

test('an owner that was suspended right before a write writes nothing afterward', () =>
  withStillClock((later) =>
    withFolder(async (file) => {
      const beatMs = 1_000_000;
      const prepare = async (items: readonly Item[]): Promise<Stored[]> => {
        await putLock(file, { host: 'elsewhere' });
        later(2 * beatMs + 1);
        return items.map((item) => ({ id: 'late', ...item }));
      };
      await withJournal({ file, beatMs, prepare }, async ({ journal }) => {
        assert.match(String(await rejection(journal.append({ client: 1 }))), 'elsewhere');
      });
      assert.equal(await linesIn(file), []);
    }),
  ));

test('an unchanged lock is taken over after four seconds, later than its owner checks it', () =>
  withStillClock((later) =>
    withFolder(async (file) => {
      await putLock(file, { host: 'elsewhere' });
      let looks = 0;
      const disk = shimDisk(async ({ op, path, run }) => {
        if (op === 'readFile' && path === `${file}.lock`) looks += 1;
        return run();
      });
      const { patienceMs: _, ...usual } = lockOptions(file, { disk });
      const taking = acquireLock(usual);
      for (const ms of [0, 3999]) {
        later(ms);
        const before = looks;
        await until(() => looks > before + 1);
        assert.is((await ownerOf(file)).host, 'elsewhere');
      }
      later(1);
      const lock = await soon(taking);
      assert.is((await ownerOf(file)).pid, process.pid);
      await lock.release();
    }),
  ));

test.run();
