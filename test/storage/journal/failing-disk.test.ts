import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmdirSync } from 'node:fs';
import { readdir, readFile, rename, rm, truncate, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import {
  type Call,
  linesIn,
  rejection,
  shimDisk,
  systemError,
  withFolder,
  withJournal,
} from '../../support/journal.ts';
import { testUnless } from '../../support/skip.ts';

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
  test(`${name} refuses only the lines of its pass`, () =>
    withFolder(async (file) => {
      let fails = false;
      const disk = failing(file, (call) => {
        if (!fails || call.op !== op) return undefined;
        fails = false;
        return code;
      });
      await withJournal({ file, disk }, async ({ journal }) => {
        const before = await journal.append({ client: 1 });
        fails = true;
        const refused = await Promise.all([2, 3, 4].map((client) => rejection(journal.append({ client }))));
        for (const error of refused) {
          assert.is((error as NodeJS.ErrnoException | undefined)?.code, code);
        }
        assert.equal(await linesIn(file), [before]);
        const after = await journal.append({ client: 5 });
        assert.equal(await linesIn(file), [before, after]);
      });
      await withJournal({ file }, async ({ warnings }) => {
        assert.is((await linesIn(file)).length, 2);
        assert.equal(warnings, []);
      });
    }));
}

test('a failed sync is not repeated for the same bytes or the same descriptor', () =>
  withFolder(async (file) => {
    let fails = false;
    const events: string[] = [];
    const disk = failing(file, ({ op }) => {
      if (['open', 'write', 'truncate', 'datasync'].includes(op)) events.push(op);
      if (!fails || op !== 'datasync') return undefined;
      fails = false;
      return 'EIO';
    });
    await withJournal({ file, disk }, async ({ journal }) => {
      fails = true;
      events.length = 0;
      assert.ok(await rejection(journal.append({ client: 1 })));
      assert.equal(events, ['write', 'datasync', 'open', 'truncate', 'datasync']);
    });
  }));

const outages: { name: string; fails: (op: string) => boolean; warned: number }[] = [
  { name: 'the log cannot be cut', fails: (op) => ['datasync', 'truncate'].includes(op), warned: 1 },
  { name: 'nothing but writing works', fails: (op) => !['write', 'stat', 'close'].includes(op), warned: 1 },
  // Nothing was written, and the refused callers report that.
  { name: 'nothing works', fails: (op) => op !== 'close', warned: 0 },
];

test('a log that cannot be looked at refuses the line, without a claim that another program has renamed it', () =>
  withFolder(async (file) => {
    let broken = false;
    const disk = failing(file, ({ op, args }) => (broken && op === 'stat' && args[0] === file ? 'EIO' : undefined));
    await withJournal({ file, disk }, async ({ journal, warnings }) => {
      broken = true;
      const refused: NodeJS.ErrnoException | undefined = await rejection(journal.append({ client: 1 }));
      assert.equal([refused?.code, warnings], ['EIO', []]);
    });
  }));

for (const { name, fails, warned } of outages) {
  test(`while ${name} all lines are refused; they are accepted once it works again`, () =>
    withFolder(async (file) => {
      let broken = false;
      const disk = failing(file, ({ op }) => (broken && fails(op) ? 'EIO' : undefined));
      await withJournal({ file, disk }, async ({ journal, warnings }) => {
        const before = await journal.append({ client: 1 });
        broken = true;
        for (const client of [2, 3]) {
          const refused: NodeJS.ErrnoException | undefined = await rejection(journal.append({ client }));
          assert.is(refused?.code, 'EIO');
        }
        assert.is(warnings.length, warned);
        broken = false;
        const after = await journal.append({ client: 4 });
        assert.equal(await linesIn(file), [before, after]);
      });
    }));
}

test('a refused line is gone after a restart, even if the disk recovers only at the end', () =>
  withFolder(async (file) => {
    let broken = false;
    const disk = failing(file, ({ op }) => (broken && ['datasync', 'truncate'].includes(op) ? 'EIO' : undefined));
    await withJournal({ file, disk }, async ({ journal }) => {
      await journal.append({ client: 1 });
      broken = true;
      assert.ok(await rejection(journal.append({ client: 2 })));
      assert.is((await linesIn(file)).length, 2);
      broken = false;
    });
    assert.is((await linesIn(file)).length, 1);
  }));

test('a log that another program shortened is not filled up with zeros', () =>
  withFolder(async (file, folder) => {
    let fails = false;
    const disk = shimDisk(async ({ op, path, run }) => {
      if (!fails || path !== file || op !== 'datasync') return run();
      fails = false;
      await truncate(file, 0);
      throw systemError('EIO');
    });
    await withJournal({ file, disk }, async ({ journal }) => {
      await journal.append({ client: 1 });
      fails = true;
      assert.ok(await rejection(journal.append({ client: 2 })));
      const third = await journal.append({ client: 3 });
      assert.is(await readFile(file, 'utf8'), `${JSON.stringify(third)}\n`);
      assert.not.match((await readdir(folder)).join(), 'torn');
    });
  }));

test('lines are stored after a log was truncated, as rotation by copying does', () =>
  withFolder(async (file) => {
    await withJournal({ file }, async ({ journal }) => {
      await journal.append({ client: 1 });
      await truncate(file, 0);
      const second = await journal.append({ client: 2 });
      assert.is(await readFile(file, 'utf8'), `${JSON.stringify(second)}\n`);
    });
  }));

test('refused lines are cut from a log that was renamed before the disk recovered', () =>
  withFolder(async (file) => {
    let broken = false;
    const disk = failing(file, ({ op }) => (broken && ['datasync', 'truncate'].includes(op) ? 'EIO' : undefined));
    await withJournal({ file, disk }, async ({ journal }) => {
      const before = await journal.append({ client: 1 });
      broken = true;
      assert.ok(await rejection(journal.append({ client: 2 })));
      assert.is((await linesIn(file)).length, 2);
      await rename(file, `${file}.1`);
      broken = false;
      const after = await journal.append({ client: 3 });
      assert.equal(await linesIn(`${file}.1`), [before]);
      assert.equal(await linesIn(file), [after]);
    });
  }));

test('a renamed log that cannot be cut does not block the new one, and the operator gets a warning', () =>
  withFolder(async (file) => {
    let [broken, stuck] = [false, false];
    const disk = failing(file, ({ op }) =>
      (broken && ['datasync', 'truncate'].includes(op)) || (stuck && op === 'truncate') ? 'EIO' : undefined,
    );
    await withJournal({ file, disk }, async ({ journal, warnings }) => {
      await journal.append({ client: 1 });
      broken = true;
      assert.ok(await rejection(journal.append({ client: 2 })));
      await rename(file, `${file}.1`);
      // The renamed file is cut now: the new one is empty.
      [broken, stuck] = [false, true];
      const after = await journal.append({ client: 3 });
      assert.equal(await linesIn(file), [after]);
      assert.match(warnings.at(-1) ?? '', 'The old file may end with lines that were not accepted');
    });
  }));

testUnless(!canMount() && 'only root may mount a disk; the tests above let the calls fail')(
  'a disk that is really full refuses lines, keeps those it took, and takes new ones when there is space',
  () =>
    withFolder(async (_file, folder) => {
      const unmount = mountTmpfs(folder);
      try {
        const file = join(folder, 'log.jsonl');
        await withJournal({ file }, async ({ journal }) => {
          const ballast = join(folder, 'ballast');
          await writeFile(ballast, Buffer.alloc(16_384));
          const kept: string[] = [];
          for (let refused = 0; refused < 3; ) {
            const all = [1, 2, 3, 4].map((client) => journal.append({ client, note: 'n'.repeat(400) }));
            for (const outcome of await Promise.allSettled(all)) {
              if (outcome.status === 'fulfilled') kept.push(outcome.value.id);
              else refused += 1;
            }
          }
          assert.equal(await idsIn(file), kept);
          await rm(ballast);
          kept.push((await journal.append({ client: 5 })).id);
          assert.equal(await idsIn(file), kept);
        });
        await withJournal({ file }, async ({ warnings }) => assert.equal(warnings, []));
      } finally {
        unmount();
      }
    }),
);

async function idsIn(file: string): Promise<string[]> {
  return (await linesIn(file)).map(({ id }) => id);
}

/** Whether this process can mount a disk. In some containers, not even root can. */
function canMount(): boolean {
  if (process.platform !== 'linux' || process.getuid?.() !== 0) return false;
  const folder = mkdtempSync(join(tmpdir(), 'mount-'));
  try {
    mountTmpfs(folder)();
    return true;
  } catch {
    return false;
  } finally {
    rmdirSync(folder);
  }
}

/** Mounts a small disk in memory. */
function mountTmpfs(folder: string): () => void {
  execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=64k', 'tmpfs', folder], { stdio: 'ignore' });
  return () => void execFileSync('umount', [folder]);
}

test.run();
