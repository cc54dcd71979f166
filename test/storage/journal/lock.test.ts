import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import * as fs from 'node:fs/promises';
import { basename } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import type { LockOwner } from '../../../src/storage/lock.ts';
import { acquireLock, thisProcess, withLock } from '../../../src/storage/lock.ts';
import { rejection, shimDisk, systemError, withFolder, withJournal } from '../../support/journal.ts';
import { lockOptions, ownerOf, putLock } from '../../support/lock.ts';
import { testUnless } from '../../support/skip.ts';
import { soon, until } from '../../support/until.ts';

/** A lock has one owner at a time. The next process gets it once that owner has ended. */

/** When a process started, as Linux says it. */
const startOf = async (pid: number) =>
  (await fs.readFile(`/proc/${pid}/stat`, 'utf8')).split(') ')[1]?.split(' ')[19] ?? '';

/** The pid of a process that has ended. */
const gonePid = (): number => spawnSync(process.execPath, ['--version']).pid;

test('a lock names its owner, and is removed at the end', () =>
  withFolder(async (file, folder) => {
    const lock = await acquireLock(lockOptions(file, { now: () => new Date('2026-11-21T00:00:00Z') }));
    const { token, ...owner } = await ownerOf(file);
    const time = '2026-11-21T00:00:00.000Z';
    assert.equal(owner, { file, ...(await thisProcess()), since: time, heartbeat: time });
    assert.is(token.length, 32);
    if (process.platform === 'linux') {
      const boot = await fs.readFile('/proc/sys/kernel/random/boot_id', 'utf8');
      assert.equal([owner.boot, owner.started], [boot.trim(), await startOf(process.pid)]);
    }
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
    const done = await withLock(lockOptions(file), async () => (await ownerOf(file)).pid);
    assert.is(done, process.pid);
    const fails = withLock(lockOptions(file), async () => Promise.reject(new Error('no work today')));
    assert.is((await rejection(fails))?.message, 'no work today');
    assert.equal(await fs.readdir(folder), []);
    await withJournal({ file }, async () => {
      const begin = async () => assert.unreachable('the work was begun without the lock');
      assert.is((await rejection(withLock(lockOptions(file), begin)))?.name, 'OperationError');
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
      // This would never end if it waited for the heartbeat.
      const lock = await soon(acquireLock(lockOptions(file, { patienceMs: Number.POSITIVE_INFINITY })));
      assert.is((await ownerOf(file)).pid, process.pid);
      assert.equal(await fs.readdir(folder), [`${basename(file)}.lock`]);
      await lock.release();
    }));
}

testUnless(process.platform !== 'linux' && 'only Linux has /proc')(
  'a process that is running keeps its lock without a heartbeat, and one that ended but was not collected does not',
  () =>
    withFolder(async (file) => {
      const patient = lockOptions(file, { patienceMs: Number.POSITIVE_INFINITY });
      const parent = await putLock(file, { pid: process.ppid, started: await startOf(process.ppid) });
      const refused = await soon(rejection(acquireLock(patient)));
      assert.match(
        refused?.message ?? '',
        `is in use by process ${parent.pid} on ${parent.host}, since ${parent.since}.`,
      );
      // The shell becomes a program that never collects the child that it started.
      const neglectful = spawn('sh', ['-c', 'sleep 0.1 & echo $!; exec sleep 60'], {
        stdio: ['ignore', 'pipe', 'ignore'],
      });
      try {
        const pid = Number(String((await once(neglectful.stdout, 'data'))[0]));
        await until(async () => /\) Z /.test(await fs.readFile(`/proc/${pid}/stat`, 'utf8')));
        await putLock(file, { pid, started: await startOf(pid) });
        await (await soon(acquireLock(patient))).release();
      } finally {
        neglectful.kill('SIGKILL');
      }
    }),
);

const elsewhere: { name: string; rest: Partial<LockOwner> }[] = [
  { name: 'on another machine', rest: { host: 'elsewhere' } },
  { name: 'of another boot', rest: { boot: 'before' } },
  // Both processes have the same pid in their containers, and on this machine that pid is certain to exist.
  { name: 'in another container with the same host name', rest: { namespace: 'pid:[1]', pid: process.pid } },
  { name: 'that is gone by this count, in another container', rest: { namespace: 'pid:[1]', started: '1' } },
  { name: 'of another file, whose lock was copied here', rest: { file: '/elsewhere/log.jsonl' } },
];

for (const { name, rest } of elsewhere) {
  test(`an owner ${name} whose heartbeat stops loses the lock`, () =>
    withFolder(async (file) => {
      await putLock(file, { ...rest, heartbeat: '2999-01-01T00:00:00.000Z' });
      const lock = await acquireLock(lockOptions(file));
      assert.is((await ownerOf(file)).pid, process.pid);
      await lock.release();
    }));

  test(`an owner ${name} whose heartbeat continues keeps the lock, whatever its clock says`, () =>
    withFolder(async (file) => {
      const owner = await putLock(file, rest);
      let refused: Error | undefined;
      const acquiring = acquireLock(lockOptions(file, { patienceMs: Number.POSITIVE_INFINITY })).catch(
        (error: Error) => {
          refused = error;
        },
      );
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

test('a lock that gets another owner while it is watched is judged again', () =>
  withFolder(async (file) => {
    await putLock(file, { host: 'elsewhere' });
    let looks = 0;
    const disk = shimDisk(async ({ op, path, run }) => {
      const text = await run();
      if (op === 'readFile' && path === `${file}.lock` && looks++ === 0)
        await putLock(file, { token: 'next', pid: gonePid() });
      return text;
    });
    await (await acquireLock(lockOptions(file, { disk }))).release();
  }));

test('drafts of killed processes are removed, and drafts of running processes stay', () =>
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
      `${name}.1.redacting`,
      `${name}.lock.${'b'.repeat(32)}`,
      `${name}.lock.${'c'.repeat(33)}`,
      `${name}.probe.1`,
      `${name}.secret.0123456789abc`,
      `${name}.secret`,
      `${name}.torn`,
    ];
    for (const other of others) await fs.writeFile(`${folder}/${other}`, '');
    await fs.utimes(`${file}.lock.${'c'.repeat(33)}`, 1, 1);
    // Another process may remove its own draft meanwhile.
    const readdir = (async (path: string) => [
      `${name}.lock.${'d'.repeat(32)}`,
      ...(await fs.readdir(path)),
    ]) as unknown as typeof fs.readdir;
    await withLock(lockOptions(file, { disk: { ...fs, readdir }, warn: assert.unreachable }), async () => {});
    assert.equal((await fs.readdir(folder)).sort(), others.sort());
  }));

test('an unreadable lock is taken over if it does not change', () =>
  withFolder(async (file) => {
    await fs.writeFile(`${file}.lock`, '');
    const lock = await acquireLock(lockOptions(file));
    assert.is((await ownerOf(file)).pid, process.pid);
    await lock.release();
  }));

test('the takeover of a killed process is taken over too', () =>
  withFolder(async (file, folder) => {
    await putLock(file, { pid: gonePid() });
    await fs.copyFile(`${file}.lock`, `${file}.lock.takeover`);
    const lock = await soon(acquireLock(lockOptions(file, { patienceMs: Number.POSITIVE_INFINITY })));
    assert.equal(await fs.readdir(folder), [`${basename(file)}.lock`]);
    await lock.release();
  }));

test('works without hard links, and reports other errors', () =>
  withFolder(async (file) => {
    let code = '';
    const disk = shimDisk(async ({ op, run }) => {
      if (op === 'link') throw systemError(code);
      return run();
    });
    for (code of ['EPERM', 'ENOSYS', 'ENOTSUP', 'EOPNOTSUPP', 'EINVAL']) {
      const lock = await acquireLock(lockOptions(file, { disk }));
      assert.is((await rejection(acquireLock(lockOptions(file, { disk }))))?.name, 'OperationError', code);
      await lock.release();
    }
    code = 'EIO';
    assert.match(String(await rejection(acquireLock(lockOptions(file, { disk })))), 'EIO');
  }));

test('the heartbeat continues', () =>
  withFolder(async (file) => {
    let seconds = 0;
    const now = () => new Date(Date.UTC(2026, 10, 21, 0, 0, seconds++));
    const lock = await acquireLock(lockOptions(file, { now }));
    const { heartbeat } = await ownerOf(file);
    await until(async () => (await ownerOf(file)).heartbeat > heartbeat);
    await lock.release();
  }));

test.run();
