import { existsSync } from 'node:fs';
import { appendFile, readdir, readFile, rename, writeFile } from 'node:fs/promises';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import type { Disk } from '../../../src/storage/disk.ts';
import type { Journal } from '../../../src/storage/journal.ts';
import {
  type Item,
  linesIn,
  openTestJournal,
  rejection,
  type Stored,
  shimDisk,
  systemError,
  withFolder,
  withJournal,
} from '../../support/journal.ts';
import { soon } from '../../support/until.ts';

/** After a failed sync, refused lines are cut off: durably, in the file that has them, and only by its owner. */

interface Failing {
  disk: Disk;
  /** While this is true, the log can be neither synced nor cut. */
  broken: boolean;
  /** The changes to the log that a crash could undo, and the syncs that prevent it. */
  steps: string[];
}

function failing(file: string): Failing {
  const state: Failing = { broken: false, steps: [], disk: shimDisk(around) };
  async function around({ op, path, run }: { op: string; path: string; run(): Promise<unknown> }) {
    if (path !== file) return run();
    if (state.broken && ['datasync', 'truncate'].includes(op)) throw systemError('EIO');
    if (['open', 'write', 'truncate', 'datasync'].includes(op)) state.steps.push(op);
    return run();
  }
  return state;
}

/** Adds a line, breaks the disk, and fails unless the next line is refused. The disk stays broken. */
async function refuseSecond(journal: Journal<Item, Stored>, state: Failing): Promise<void> {
  await journal.append({ client: 1 });
  state.broken = true;
  assert.ok(await rejection(journal.append({ client: 2 })));
}

/** Gives a journal's lock to another owner, which adds a line, and waits until the journal notices. */
async function takeOver(file: string, journal: Journal<Item, Stored>): Promise<void> {
  const owner = JSON.parse(await readFile(`${file}.lock`, 'utf8'));
  await writeFile(`${file}.other`, JSON.stringify({ ...owner, token: 'other', host: 'elsewhere' }));
  await rename(`${file}.other`, `${file}.lock`);
  await soon(journal.lost);
  await appendFile(file, '{"client":9}\n');
}

const clientsIn = async (file: string) => (await linesIn(file)).map(({ client }) => client);

test('a renamed log is synced after refused lines are cut from it, before the next line is written', () =>
  withFolder(async (file) => {
    const state = failing(file);
    await withJournal({ file, disk: state.disk }, async ({ journal }) => {
      await refuseSecond(journal, state);
      await rename(file, `${file}.1`);
      state.broken = false;
      state.steps = [];
      await journal.append({ client: 3 });
      // The first sync is of the renamed log, the second of the new one.
      assert.equal(state.steps, ['open', 'truncate', 'datasync', 'datasync', 'write', 'datasync']);
      assert.equal([await clientsIn(`${file}.1`), await clientsIn(file)], [[1], [3]]);
    });
  }));

test('a journal that loses its lock during a write cuts nothing off the log', () =>
  withFolder(async (file) => {
    let opened: Journal<Item, Stored> | undefined;
    const disk = shimDisk(async ({ op, path, run }) => {
      if (opened === undefined || path !== file || op !== 'datasync') return run();
      await takeOver(file, opened);
      throw systemError('EIO');
    });
    await withJournal({ file, disk, beatMs: 5 }, async ({ journal }) => {
      await journal.append({ client: 1 });
      opened = journal;
      assert.match(String(await rejection(journal.append({ client: 2 }))), 'EIO');
    });
    assert.equal(await clientsIn(file), [1, 2, 9]);
  }));

test('a journal that lost its lock after a failed write cuts nothing off the log when it is closed', () =>
  withFolder(async (file) => {
    const state = failing(file);
    await withJournal({ file, disk: state.disk, beatMs: 5 }, async ({ journal }) => {
      await refuseSecond(journal, state);
      await takeOver(file, journal);
      state.broken = false;
    });
    assert.equal(await clientsIn(file), [1, 2, 9]);
  }));

test('reopening cuts refused lines from the log that was renamed', () =>
  withFolder(async (file) => {
    const state = failing(file);
    await withJournal({ file, disk: state.disk }, async ({ journal }) => {
      await refuseSecond(journal, state);
      await rename(file, `${file}.1`);
      state.broken = false;
      await journal.reopen();
      assert.equal([await clientsIn(`${file}.1`), await clientsIn(file)], [[1], []]);
    });
  }));

test('a log that closes before refused lines could be cut off says that it may contain them', () =>
  withFolder(async (file) => {
    const state = failing(file);
    let warned: string[] = [];
    await withJournal({ file, disk: state.disk }, async ({ journal, warnings }) => {
      warned = warnings;
      await refuseSecond(journal, state);
    });
    assert.is(warned.at(-1), `${file} may contain lines that were not accepted: EIO`);
  }));

test('the check fails while refused lines cannot be cut off, then cuts them', () =>
  withFolder(async (file) => {
    const state = failing(file);
    await withJournal({ file, disk: state.disk }, async ({ journal }) => {
      await refuseSecond(journal, state);
      assert.match(String(await rejection(journal.check())), 'EIO');
      state.broken = false;
      await journal.check();
      assert.equal(await clientsIn(file), [1]);
    });
  }));

test('the check succeeds after one that was interrupted', () =>
  withFolder(async (file) => {
    await withJournal({ file }, async ({ journal }) => {
      await journal.check();
      await writeFile(`${file}.probe`, 'left');
      await journal.check();
      assert.not(existsSync(`${file}.probe`));
    });
  }));

const leaks: [name: string, harm: (file: string, fail: (...ops: string[]) => void) => unknown][] = [
  ['is renamed', (file) => rename(file, `${file}.1`)],
  ['cannot be synced', (_file, fail) => fail('datasync')],
  ['can neither be synced nor cut', (_file, fail) => fail('datasync', 'truncate')],
  [
    'is renamed and its successor cannot be synced',
    async (file, fail) => {
      await rename(file, `${file}.1`);
      fail('datasync');
    },
  ],
];

for (const [name, harm] of leaks) {
  test(`no descriptor stays open when a log ${name}`, () =>
    withFolder(async (file) => {
      const failures: string[] = [];
      let open = 0;
      const disk = shimDisk(async ({ op, path, run }) => {
        if (path === file && failures.includes(op)) {
          failures.splice(failures.indexOf(op), 1);
          throw systemError('EIO');
        }
        const result = await run();
        if (path === file) open += op === 'open' ? 1 : op === 'close' ? -1 : 0;
        return result;
      });
      await withJournal({ file, disk }, async ({ journal }) => {
        await journal.append({ client: 1 });
        await harm(file, (...ops) => failures.push(...ops));
        await rejection(journal.append({ client: 2 }));
        await journal.append({ client: 3 });
        assert.equal(failures, []);
        assert.is(open, 1);
      });
      assert.is(open, 0);
    }));
}

test('the lock is released even if the log cannot be closed', () =>
  withFolder(async (file, folder) => {
    const disk = shimDisk(async ({ op, path, run }) => {
      const result = await run();
      if (path === file && op === 'close') throw systemError('EIO');
      return result;
    });
    const journal = await openTestJournal({ file, disk });
    assert.match(String(await rejection(journal.close())), 'EIO');
    assert.equal(await readdir(folder), ['log.jsonl']);
  }));

test.run();
