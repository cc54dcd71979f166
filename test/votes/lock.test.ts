import { spawnSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import * as fs from 'node:fs/promises';
import { basename } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { acquireLock, type LockOptions } from '../../src/votes/lock.ts';
import type { LockOwner } from '../../src/votes/lock-owner.ts';
import { thisProcess } from '../../src/votes/process-identity.ts';
import { rejection, shimDisk, soon, systemError, until, voteBy, votesIn, withFolder, withLog } from './support.ts';

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

/** Another owner's lock: by default one like that of this process. */
async function putLock(file: string, rest: Partial<LockOwner> = {}): Promise<LockOwner> {
  const time = '2026-11-20T00:00:00.000Z';
  const owner = { token: 'other', ...(await thisProcess()), since: time, heartbeat: time, ...rest };
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
    assert.equal(owner, { ...(await thisProcess()), since: time, heartbeat: time });
    assert.is(token.length, 32);
    await lock.confirm();
    await lock.release();
    assert.equal(await fs.readdir(folder), []);
  }));

test('a second owner is refused, and told who the first is', () =>
  withFolder(async (file) => {
    await withLog({ file }, async ({ store }) => {
      const error = await rejection(withLog({ file }, async () => {}));
      assert.is(error?.name, 'OperationError');
      assert.match(error?.message ?? '', `process ${process.pid} on ${(await thisProcess()).host}`);
      await store.append(voteBy(1));
    });
    await withLog({ file }, async () => {});
  }));

test('a second owner is refused by way of a symbolic link too', () =>
  withFolder(async (file, folder) => {
    await withLog({ file }, async () => {
      await fs.symlink(file, `${folder}/link.jsonl`);
      const error = await rejection(withLog({ file: `${folder}/link.jsonl` }, async () => {}));
      assert.is(error?.name, 'OperationError');
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
];

for (const { name, rest } of elsewhere) {
  test(`an owner ${name} whose heartbeat stands still loses the lock`, () =>
    withFolder(async (file) => {
      await putLock(file, { ...rest, heartbeat: '2999-01-01T00:00:00.000Z' });
      const lock = await acquireLock(options(file));
      assert.is((await ownerOf(file)).pid, process.pid);
      await lock.release();
    }));

  test(`an owner ${name} whose heartbeat goes on keeps the lock, whatever its clock says`, () =>
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
      assert.match(refused?.message ?? '', owner.host);
    }));
}

test('a lock that nobody can read is taken over when it stands still', () =>
  withFolder(async (file) => {
    await fs.writeFile(`${file}.lock`, '');
    const lock = await acquireLock(options(file));
    assert.is((await ownerOf(file)).pid, process.pid);
    await lock.release();
  }));

test('a takeover that its process did not survive is taken over too', () =>
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

test('the heartbeat goes on', () =>
  withFolder(async (file) => {
    let seconds = 0;
    const now = () => new Date(Date.UTC(2026, 10, 21, 0, 0, seconds++));
    const lock = await acquireLock(options(file, { now }));
    const { heartbeat } = await ownerOf(file);
    await until(async () => (await ownerOf(file)).heartbeat > heartbeat);
    await lock.release();
  }));

test('a store whose lock somebody else has refuses votes from then on, and leaves that lock alone', () =>
  withFolder(async (file) => {
    await withLog({ file, beatMs: 5 }, async ({ store, warnings }) => {
      await store.append(voteBy(1));
      await putLock(`${file}.other`, { host: 'elsewhere' });
      await fs.rename(`${file}.other.lock`, `${file}.lock`);
      await until(() => warnings.length > 0);
      const refused = await rejection(store.append(voteBy(2)));
      assert.is(refused?.name, 'VotesUnavailable');
      assert.match(String(refused?.cause), 'elsewhere');
    });
    assert.is((await votesIn(file)).length, 1);
    assert.is((await ownerOf(file)).host, 'elsewhere');
  }));

test('a lock that was removed is made again', () =>
  withFolder(async (file) => {
    await withLog({ file, beatMs: 5 }, async ({ store }) => {
      const { token } = await ownerOf(file);
      await fs.rm(`${file}.lock`);
      await until(async () => (await ownerOf(file).catch(() => null))?.token === token);
      await store.append(voteBy(1));
    });
  }));

test('an owner that could not show its heartbeat looks at its lock before it writes', () =>
  withFolder(async (file) => {
    let away = false;
    const disk = shimDisk(async ({ op, path, run }) => {
      if (away && op === 'open' && path === `${file}.lock`) throw systemError('EIO');
      return run();
    });
    await withLog({ file, disk, beatMs: 10 }, async ({ store }) => {
      away = true;
      await until(async () => (await rejection(store.append(voteBy(1)))) !== undefined);
      const stored = (await votesIn(file)).length;
      assert.ok(await rejection(store.append(voteBy(1))));
      assert.is((await votesIn(file)).length, stored);
      away = false;
      await store.append(voteBy(1));
    });
  }));

test.run();
