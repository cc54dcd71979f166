import { spawnSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import * as fs from 'node:fs/promises';
import { basename } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { acquireLock, type LockOptions, withLock } from '../../src/journal/lock.ts';
import type { LockOwner } from '../../src/journal/lock-owner.ts';
import { thisProcess } from '../../src/journal/process-identity.ts';
import { linesIn, rejection, shimDisk, systemError, withFolder, withJournal } from '../support/journal.ts';
import { soon, until } from '../support/until.ts';

const options = (file: string, rest: Partial<LockOptions> = {}): LockOptions => ({
  file,
  disk: fs,
  now: () => new Date(),
  random: randomBytes,
  warn: () => {},
  beatMs: 20,
  patienceMs: 200,
  ...rest,
});

/** Another owner's lock, by default like the one of this process. */
async function putLock(file: string, rest: Partial<LockOwner> = {}): Promise<LockOwner> {
  const time = '2026-11-20T00:00:00.000Z';
  const owner = { token: 'other', file, ...(await thisProcess()), since: time, heartbeat: time, ...rest };
  await fs.writeFile(`${file}.lock`, `${JSON.stringify(owner)}\n`);
  return owner;
}

async function ownerOf(file: string): Promise<LockOwner> {
  return JSON.parse(await fs.readFile(`${file}.lock`, 'utf8'));
}

/** The pid of a process that has ended. */
const gonePid = (): number => spawnSync(process.execPath, ['--version']).pid;

test('a lock names its owner, and is removed at the end', () =>
  withFolder(async (file, folder) => {
    const lock = await acquireLock(options(file, { now: () => new Date('2026-11-21T00:00:00Z') }));
    const { token, ...owner } = await ownerOf(file);
    const time = '2026-11-21T00:00:00.000Z';
    assert.equal(owner, { file, ...(await thisProcess()), since: time, heartbeat: time });
    assert.is(token.length, 32);
    await lock.confirm();
    await lock.release();
    assert.equal(await fs.readdir(folder), []);
  }));

test('a second owner is refused with the name of the first', () =>
  withFolder(async (file) => {
    await withJournal({ file }, async ({ journal }) => {
      const error = await rejection(withJournal({ file }, async () => {}));
      assert.is(error?.name, 'OperationError');
      assert.match(error?.message ?? '', `process ${process.pid} on ${(await thisProcess()).host}`);
      await journal.append({ client: 1 });
    });
    await withJournal({ file }, async () => {});
  }));

test('a second owner is refused through a symbolic link too', () =>
  withFolder(async (file, folder) => {
    await withJournal({ file }, async () => {
      await fs.symlink(file, `${folder}/link.jsonl`);
      const error = await rejection(withJournal({ file: `${folder}/link.jsonl` }, async () => {}));
      assert.is(error?.name, 'OperationError');
    });
  }));

test('with a lock: it is held during the work and released after it, even if the work fails', () =>
  withFolder(async (file, folder) => {
    const done = await withLock(options(file), async () => (await ownerOf(file)).pid);
    assert.is(done, process.pid);
    const fails = withLock(options(file), async () => Promise.reject(new Error('no work today')));
    assert.is((await rejection(fails))?.message, 'no work today');
    assert.equal(await fs.readdir(folder), []);
    await withJournal({ file }, async () => {
      const begin = async () => assert.unreachable('the work was begun without the lock');
      assert.is((await rejection(withLock(options(file), begin)))?.name, 'OperationError');
    });
  }));

const stale: { name: string; rest: () => Partial<LockOwner> }[] = [
  { name: 'a process that is gone', rest: () => ({ pid: gonePid() }) },
  { name: 'this pid, with another start', rest: () => ({ started: '1' }) },
];
if (process.platform === 'linux') {
  stale.push({ name: 'a pid that a later process has', rest: () => ({ pid: process.ppid, started: '1' }) });
}

for (const { name, rest } of stale) {
  test(`the lock of ${name} is taken over at once`, () =>
    withFolder(async (file, folder) => {
      await putLock(file, rest());
      // It would never end, did it wait for the heartbeat.
      const lock = await soon(acquireLock(options(file, { patienceMs: Number.POSITIVE_INFINITY })));
      assert.is((await ownerOf(file)).pid, process.pid);
      assert.equal(await fs.readdir(folder), [`${basename(file)}.lock`]);
      await lock.release();
    }));
}

const elsewhere: { name: string; rest: Partial<LockOwner> }[] = [
  { name: 'on another machine', rest: { host: 'elsewhere' } },
  { name: 'of another boot', rest: { boot: 'before' } },
  // Both processes have the same number in their containers, and this one is sure to run here.
  { name: 'in another container with the same host name', rest: { namespace: 'pid:[1]', pid: process.pid } },
  { name: 'that is gone by this count, in another container', rest: { namespace: 'pid:[1]', started: '1' } },
  { name: 'of another file, whose lock was copied here', rest: { file: '/elsewhere/log.jsonl' } },
];

for (const { name, rest } of elsewhere) {
  test(`an owner ${name} whose heartbeat stops loses the lock`, () =>
    withFolder(async (file) => {
      await putLock(file, { ...rest, heartbeat: '2999-01-01T00:00:00.000Z' });
      const lock = await acquireLock(options(file));
      assert.is((await ownerOf(file)).pid, process.pid);
      await lock.release();
    }));

  test(`an owner ${name} whose heartbeat continues keeps the lock, whatever its clock says`, () =>
    withFolder(async (file) => {
      const owner = await putLock(file, rest);
      let refused: Error | undefined;
      const acquiring = acquireLock(options(file, { patienceMs: Number.POSITIVE_INFINITY })).catch((error: Error) => {
        refused = error;
      });
      let beats = 0;
      await until(async () => {
        await putLock(file, { ...owner, heartbeat: new Date(beats++ * 1000).toISOString() });
        return refused !== undefined;
      });
      await acquiring;
      assert.is(refused?.name, 'OperationError');
      assert.match(refused?.message ?? '', `process ${owner.pid} on ${owner.host}`);
    }));
}

test('drafts of killed processes are removed, and those of running processes stay', () =>
  withFolder(async (file, folder) => {
    const name = basename(file);
    const token = 'a'.repeat(32);
    const drafts = ['.erasing', '.torn.erasing', '.redacting', '.probe', '.secret.0123456789ab'];
    const oldLocks = [`.lock.${token}`, `.lock.takeover.${token}`];
    for (const ending of [...drafts, ...oldLocks]) await fs.writeFile(file + ending, 'ada@example.org\n');
    for (const ending of oldLocks) await fs.utimes(file + ending, 1, 1);
    const others = [
      `${name}.1`,
      `${name}.1.erasing`,
      `${name}.lock.${'b'.repeat(32)}`,
      `${name}.secret`,
      `${name}.torn`,
    ];
    for (const other of others) await fs.writeFile(`${folder}/${other}`, '');
    await withLock(options(file), async () => {});
    assert.equal((await fs.readdir(folder)).sort(), others.sort());
  }));

test('an unreadable lock is taken over if it does not change', () =>
  withFolder(async (file) => {
    await fs.writeFile(`${file}.lock`, '');
    const lock = await acquireLock(options(file));
    assert.is((await ownerOf(file)).pid, process.pid);
    await lock.release();
  }));

test('the takeover of a killed process is taken over too', () =>
  withFolder(async (file, folder) => {
    await putLock(file, { pid: gonePid() });
    await fs.copyFile(`${file}.lock`, `${file}.lock.takeover`);
    const lock = await soon(acquireLock(options(file, { patienceMs: Number.POSITIVE_INFINITY })));
    assert.equal(await fs.readdir(folder), [`${basename(file)}.lock`]);
    await lock.release();
  }));

test('works without hard links', () =>
  withFolder(async (file) => {
    const disk = shimDisk(async ({ op, run }) => {
      if (op === 'link') throw systemError('EPERM');
      return run();
    });
    const lock = await acquireLock(options(file, { disk }));
    assert.is((await rejection(acquireLock(options(file, { disk }))))?.name, 'OperationError');
    await lock.release();
  }));

test('the heartbeat continues', () =>
  withFolder(async (file) => {
    let seconds = 0;
    const now = () => new Date(Date.UTC(2026, 10, 21, 0, 0, seconds++));
    const lock = await acquireLock(options(file, { now }));
    const { heartbeat } = await ownerOf(file);
    await until(async () => (await ownerOf(file)).heartbeat > heartbeat);
    await lock.release();
  }));

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

test('a removed lock is created again', () =>
  withFolder(async (file) => {
    await withJournal({ file, beatMs: 5 }, async ({ journal }) => {
      const { token } = await ownerOf(file);
      await fs.rm(`${file}.lock`);
      await until(async () => (await ownerOf(file).catch(() => null))?.token === token);
      await journal.append({ client: 1 });
    });
  }));

/** Runs `use` with a clock that only `to` moves. */
async function withClock(use: (to: (ms: number) => void) => Promise<void>): Promise<void> {
  let time = 0;
  performance.now = () => time;
  try {
    await use((ms) => {
      time = ms;
    });
  } finally {
    Reflect.deleteProperty(performance, 'now');
  }
}

test('an owner that missed two heartbeats checks its lock before it writes', () =>
  withClock((to) =>
    withFolder(async (file) => {
      let away = false;
      const disk = shimDisk(async ({ op, path, run }) => {
        if (away && op === 'open' && path === `${file}.lock`) throw systemError('EIO');
        return run();
      });
      // No beat of its own comes while this runs.
      const beatMs = 1_000_000;
      await withJournal({ file, disk, beatMs }, async ({ journal }) => {
        away = true;
        to(2 * beatMs);
        await journal.append({ client: 1 });
        to(2 * beatMs + 1);
        for (const client of [2, 3]) assert.ok(await rejection(journal.append({ client })));
        assert.is((await linesIn(file)).length, 1);
        away = false;
        await journal.append({ client: 4 });
        // It has just looked: it need not again.
        away = true;
        to(4 * beatMs + 1);
        await journal.append({ client: 5 });
        assert.equal(
          (await linesIn(file)).map(({ client }) => client),
          [1, 4, 5],
        );
      });
    }),
  ));

test('an owner that was suspended while another process took its lock writes nothing afterward', () =>
  withClock((to) =>
    withFolder(async (file) => {
      const beatMs = 1_000_000;
      await withJournal({ file, beatMs }, async ({ journal }) => {
        await journal.append({ client: 1 });
        const taken = await putLock(file, { host: 'elsewhere' });
        to(2 * beatMs + 1);
        for (const client of [2, 3]) {
          assert.match(String(await rejection(journal.append({ client }))), 'elsewhere');
          assert.match(String(await rejection(journal.check())), 'elsewhere');
        }
        assert.is((await linesIn(file)).length, 1);
        assert.equal(await ownerOf(file), taken);
      });
    }),
  ));

test('an unchanged lock is taken over after four seconds, later than its owner checks it', () =>
  withClock((to) =>
    withFolder(async (file) => {
      await putLock(file, { host: 'elsewhere' });
      let looks = 0;
      const disk = shimDisk(async ({ op, path, run }) => {
        if (op === 'readFile' && path === `${file}.lock`) looks += 1;
        return run();
      });
      const { patienceMs: _, ...usual } = options(file, { disk });
      const taking = acquireLock(usual);
      for (const ms of [0, 3999]) {
        to(ms);
        const before = looks;
        await until(() => looks > before + 1);
        assert.is((await ownerOf(file)).host, 'elsewhere');
      }
      to(4000);
      const lock = await soon(taking);
      assert.is((await ownerOf(file)).pid, process.pid);
      await lock.release();
    }),
  ));

test.run();
