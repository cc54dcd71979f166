import { execFileSync } from 'node:child_process';
import { readdir, readFile, rm, truncate, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { type Call, rejection, shimDisk, systemError, voteBy, votesIn, withFolder, withLog } from './support.ts';

/** Fails the calls on the log for which `when` gives a code, after doing half of them where they write. */
function failing(file: string, when: (call: Call) => string | undefined) {
  return shimDisk(async (call) => {
    const code = call.path === file ? when(call) : undefined;
    if (code === undefined) return call.run();
    if (call.op === 'write') {
      const [bytes] = call.args as [Buffer];
      (call.args as unknown[])[2] = bytes.length >> 1;
      await call.run();
    }
    throw systemError(code);
  });
}

const faults = [
  { name: 'a write that fails half-way', op: 'write', code: 'ENOSPC' },
  { name: 'a sync that fails', op: 'datasync', code: 'EIO' },
];

for (const { name, op, code } of faults) {
  test(`${name} refuses the votes of its pass, and those alone`, () =>
    withFolder(async (file) => {
      let fails = false;
      const disk = failing(file, (call) => {
        if (!fails || call.op !== op) return undefined;
        fails = false;
        return code;
      });
      await withLog({ file, disk }, async ({ store }) => {
        const before = await store.append(voteBy(1));
        fails = true;
        const refused = await Promise.all([2, 3, 4].map((client) => rejection(store.append(voteBy(client)))));
        for (const error of refused) {
          assert.is(error?.name, 'VotesUnavailable');
          assert.is((error?.cause as NodeJS.ErrnoException | undefined)?.code, code);
        }
        assert.equal(await votesIn(file), [before]);
        const after = await store.append(voteBy(5));
        assert.equal(await votesIn(file), [before, after]);
      });
      await withLog({ file }, async ({ warnings }) => {
        assert.is((await votesIn(file)).length, 2);
        assert.equal(warnings, []);
      });
    }));
}

test('a failed sync is not tried again on the same bytes or the same descriptor', () =>
  withFolder(async (file) => {
    let fails = false;
    const events: string[] = [];
    const disk = failing(file, ({ op }) => {
      if (['open', 'write', 'truncate', 'datasync'].includes(op)) events.push(op);
      if (!fails || op !== 'datasync') return undefined;
      fails = false;
      return 'EIO';
    });
    await withLog({ file, disk }, async ({ store }) => {
      fails = true;
      events.length = 0;
      assert.ok(await rejection(store.append(voteBy(1))));
      assert.equal(events, ['write', 'datasync', 'open', 'truncate', 'datasync']);
    });
  }));

test('while the log cannot be cut all votes are refused, and once it can they are taken', () =>
  withFolder(async (file) => {
    let broken = false;
    const disk = failing(file, ({ op }) => (broken && ['datasync', 'truncate'].includes(op) ? 'EIO' : undefined));
    await withLog({ file, disk }, async ({ store, warnings }) => {
      const before = await store.append(voteBy(1));
      broken = true;
      for (const client of [2, 3]) assert.is((await rejection(store.append(voteBy(client))))?.name, 'VotesUnavailable');
      assert.is(warnings.length, 1);
      broken = false;
      const after = await store.append(voteBy(4));
      assert.equal(await votesIn(file), [before, after]);
    });
  }));

test('a refused vote is gone after a restart too, when the disk recovers before the end only', () =>
  withFolder(async (file) => {
    let broken = false;
    const disk = failing(file, ({ op }) => (broken && ['datasync', 'truncate'].includes(op) ? 'EIO' : undefined));
    await withLog({ file, disk }, async ({ store }) => {
      await store.append(voteBy(1));
      broken = true;
      assert.ok(await rejection(store.append(voteBy(2))));
      assert.is((await votesIn(file)).length, 2);
      broken = false;
    });
    assert.is((await votesIn(file)).length, 1);
  }));

test('a log that became shorter from outside is not filled up with zeros', () =>
  withFolder(async (file, folder) => {
    let fails = false;
    const disk = shimDisk(async ({ op, path, run }) => {
      if (!fails || path !== file || op !== 'datasync') return run();
      fails = false;
      await truncate(file, 0);
      throw systemError('EIO');
    });
    await withLog({ file, disk }, async ({ store }) => {
      await store.append(voteBy(1));
      fails = true;
      assert.ok(await rejection(store.append(voteBy(2))));
      const third = await store.append(voteBy(3));
      assert.is(await readFile(file, 'utf8'), `${JSON.stringify(third)}\n`);
      assert.not.match((await readdir(folder)).join(), 'torn');
    });
  }));

test('votes go on after a log was cut to nothing, as a rotation by copying does', () =>
  withFolder(async (file) => {
    await withLog({ file }, async ({ store }) => {
      await store.append(voteBy(1));
      await truncate(file, 0);
      const second = await store.append(voteBy(2));
      assert.is(await readFile(file, 'utf8'), `${JSON.stringify(second)}\n`);
    });
  }));

test('a secret that cannot be kept refuses the vote', () =>
  withFolder(async (file) => {
    let day = 21;
    let full = false;
    const disk = shimDisk(async ({ op, path, run }) => {
      if (full && op === 'write' && path.includes('.secret')) throw systemError('ENOSPC');
      return run();
    });
    await withLog({ file, disk, now: () => new Date(Date.UTC(2026, 10, day)) }, async ({ store }) => {
      await store.append(voteBy(1));
      [day, full] = [22, true];
      assert.is((await rejection(store.append(voteBy(1))))?.name, 'VotesUnavailable');
      full = false;
      await store.append(voteBy(1));
      assert.is((await votesIn(file)).length, 2);
    });
  }));

test('a disk that is really full refuses votes, keeps those it took, and takes new ones when there is space', () =>
  withFolder(async (_file, folder) => {
    const unmount = mountTmpfs(folder);
    if (unmount === null) return;
    try {
      const file = join(folder, 'votes.jsonl');
      await withLog({ file }, async ({ store }) => {
        const ballast = join(folder, 'ballast');
        await writeFile(ballast, Buffer.alloc(16_384));
        const kept: string[] = [];
        for (let refused = 0; refused < 3; ) {
          const votes = [1, 2, 3, 4].map((client) => store.append(voteBy(client, { note: 'n'.repeat(400) })));
          for (const outcome of await Promise.allSettled(votes)) {
            if (outcome.status === 'fulfilled') kept.push(outcome.value.id);
            else refused += 1;
          }
        }
        assert.equal(await idsIn(file), kept);
        await rm(ballast);
        kept.push((await store.append(voteBy(5))).id);
        assert.equal(await idsIn(file), kept);
      });
      await withLog({ file }, async ({ warnings }) => assert.equal(warnings, []));
    } finally {
      unmount();
    }
  }));

async function idsIn(file: string): Promise<string[]> {
  return (await votesIn(file)).map(({ id }) => id);
}

/** Mounts a small disk in memory, where this process may; the tests above do without. */
function mountTmpfs(folder: string): (() => void) | null {
  if (process.platform !== 'linux' || process.getuid?.() !== 0) return null;
  try {
    execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=64k', 'tmpfs', folder], { stdio: 'ignore' });
  } catch {
    return null;
  }
  return () => void execFileSync('umount', [folder]);
}

test.run();
