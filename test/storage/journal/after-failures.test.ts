import { randomBytes } from 'node:crypto';
import * as fs from 'node:fs/promises';
import { basename, join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { MailKey } from '../../../src/mail/consent.ts';
import { dailySecret } from '../../../src/storage/file-votes.ts';
import { openLastingJournal } from '../../../src/storage/journal.ts';
import { acquireLock, lifeOf, thisProcess } from '../../../src/storage/lock.ts';
import {
  type Call,
  linesIn,
  openTestJournal,
  rejection,
  shimDisk,
  systemError,
  withFolder,
} from '../../support/journal.ts';
import { lockOptions, ownerOf, putLock } from '../../support/lock.ts';
import { soon, until } from '../../support/until.ts';

/** What remains after a failure, and what a journal does once it is closed. */

const failing = (code: string, when: (call: Call) => boolean) =>
  shimDisk(async (call) => {
    if (when(call)) throw systemError(code);
    return call.run();
  });

test('a check on a full disk leaves no file', () =>
  withFolder(async (file, folder) => {
    const disk = failing('ENOSPC', ({ op, path }) => op === 'write' && path.endsWith('.probe'));
    const journal = await openTestJournal({ file, disk });
    assert.is(((await rejection(journal.check())) as NodeJS.ErrnoException).code, 'ENOSPC');
    await journal.close();
    assert.equal(await fs.readdir(folder), [basename(file)]);
  }));

test('a key or a secret that cannot be stored leaves no draft', () =>
  withFolder(async (_file, folder) => {
    const keyDisk = failing('EIO', ({ op, path }) => op === 'sync' && path !== folder);
    const noKey = await rejection(MailKey.open({ environment: {}, folder, random: randomBytes, disk: keyDisk }));
    assert.match(noKey?.message ?? '', 'mail.key cannot be made');
    const disk = failing('EACCES', ({ op }) => op === 'rename');
    const secrets = dailySecret({ path: join(folder, 'secret'), disk, random: randomBytes, warn: () => {} });
    assert.is(((await rejection(secrets('2026-11-22'))) as NodeJS.ErrnoException).code, 'EACCES');
    assert.equal(await fs.readdir(folder), []);
  }));

test('a closed journal checks nothing, and opens no new file', () =>
  withFolder(async (file, folder) => {
    const journal = await openTestJournal({ file });
    await journal.close();
    await fs.unlink(file);
    for (const refused of [journal.check(), journal.append({ client: 1 })])
      assert.is((await rejection(refused))?.message, 'The log is closed.');
    await journal.reopen();
    assert.equal(await fs.readdir(folder), []);
  }));

test('lines are refused with the reason of the latest attempt', () =>
  withFolder(async (file) => {
    const codes = ['EIO', 'EIO', 'ENOSPC', 'ENOSPC'];
    const disk = failing('EIO', () => false);
    const open: typeof disk.open = (...args) => {
      const code = codes[0];
      return code === undefined ? fs.open(...args) : Promise.reject(systemError(code));
    };
    const seen: (string | undefined)[] = [];
    const wait = async () => {
      seen.push(((await rejection(journal.check())) as NodeJS.ErrnoException).code);
      codes.shift();
    };
    const options = { prepare: (items: readonly object[]) => items, now: () => new Date(), random: randomBytes };
    const journal = await openLastingJournal({ file, disk: { ...disk, open }, warn: () => {}, wait, ...options });
    await until(journal.isOpen);
    await journal.close();
    assert.equal(seen, ['EIO', 'EIO', 'ENOSPC', 'ENOSPC']);
  }));

test('after two failed syncs in a row, the file is opened and synced again before the next line', () =>
  withFolder(async (file) => {
    let fails = 0;
    const events: string[] = [];
    const disk = shimDisk(async ({ op, path, run }) => {
      if (path === file && ['open', 'write', 'datasync'].includes(op)) events.push(op);
      if (path === file && op === 'datasync' && fails > 0) {
        fails -= 1;
        throw systemError('EIO');
      }
      return run();
    });
    const journal = await openTestJournal({ file, disk });
    fails = 2;
    assert.ok(await rejection(journal.append({ client: 1 })));
    events.length = 0;
    await journal.append({ client: 2 });
    assert.equal(events, ['open', 'datasync', 'write', 'datasync']);
    await journal.close();
    assert.equal(
      (await linesIn(file)).map(({ client }) => client),
      [2],
    );
  }));

test('a line is refused if another program removes the log each time it is written', () =>
  withFolder(async (file) => {
    let writes = 0;
    const disk = shimDisk(async ({ op, path, run }) => {
      const result = await run();
      if (op === 'write' && path === file) {
        writes += 1;
        await fs.unlink(file);
      }
      return result;
    });
    const journal = await openTestJournal({ file, disk });
    assert.is((await rejection(journal.append({ client: 1 })))?.message, `Another program keeps removing ${file}.`);
    assert.is(writes, 3);
    await journal.close();
  }));

test('each beat writes the whole lock in place, also in pieces, with the time since which it is held', () =>
  withFolder(async (file) => {
    const disk = shimDisk(async ({ op, path, args, run }) => {
      if (op === 'write' && path === `${file}.lock`) args[2] = Math.min(args[2] as number, 50);
      return run();
    });
    let seconds = 0;
    const now = () => new Date(Date.parse('2026-11-22T00:00:00Z') + 1_000 * seconds++);
    const lock = await acquireLock(lockOptions(file, { disk, now, beatMs: 5 }));
    const first = await ownerOf(file);
    const latest = () => ownerOf(file).catch(() => first);
    await until(async () => (await latest()).heartbeat > '2026-11-22T00:00:04');
    const { since } = await latest();
    await lock.release();
    assert.equal([first.since, since], ['2026-11-22T00:00:00.000Z', '2026-11-22T00:00:00.000Z']);
  }));

test('a lock that another process creates after it was removed is lost', () =>
  withFolder(async (file) => {
    let isRemoved = false;
    const disk = shimDisk(async ({ op, path, args, run }) => {
      if (isRemoved && op === 'open' && path === `${file}.lock` && args[1] === 'r+') throw systemError('ENOENT');
      return run();
    });
    const lock = await acquireLock(lockOptions(file, { disk, beatMs: 5 }));
    await putLock(file, { host: 'elsewhere' });
    isRemoved = true;
    assert.match((await soon(lock.lost)).message, 'elsewhere');
    await lock.release();
    assert.is((await ownerOf(file)).host, 'elsewhere');
  }));

test('a process of another user, which cannot get a signal, is running', async () => {
  const self = await thisProcess();
  const { kill } = process;
  process.kill = () => {
    throw systemError('EPERM');
  };
  try {
    // Its start is not known here, so only a heartbeat could tell whether it is another process by now.
    assert.is(await lifeOf({ ...self, pid: 2 ** 22 + 1 }, self), 'unknown');
  } finally {
    process.kill = kill;
  }
});

test.run();
