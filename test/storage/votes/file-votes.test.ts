import { mkdir, readdir, readFile, rename, stat, symlink, writeFile } from 'node:fs/promises';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { stamp } from '../../../src/storage/vote.ts';
import { rejection, shimDisk, systemError, withFolder } from '../../support/journal.ts';
import { withMinuteTasks } from '../../support/minute-tasks.ts';
import { testUnless } from '../../support/skip.ts';
import { until } from '../../support/until.ts';
import { voteBy, votesIn, withLog } from '../../support/votes.ts';

test('stores the vote that it returns, and nothing of the address', () =>
  withFolder(async (file) => {
    const now = () => new Date('2026-11-21T08:09:10.123Z');
    await withLog({ file, now }, async ({ store }) => {
      const note = 'line\nbreak\u2028"quoted" \ud83d\ude00 \ud800';
      const given = [
        await store.append(voteBy(7, { vote: 'no', note })),
        await store.append(voteBy(8, { note: '' })),
        await store.append(voteBy(9)),
      ];
      const text = await readFile(file, 'utf8');
      assert.equal(
        text
          .trimEnd()
          .split('\n')
          .map((line) => JSON.parse(line)),
        given,
      );
      assert.equal(await votesIn(file), given);
      assert.equal(Object.keys(given[0] ?? {}), ['id', 'time', 'slug', 'vote', 'note', 'voter']);
      assert.equal(Object.keys(given[1] ?? {}), ['id', 'time', 'slug', 'vote', 'voter']);
      assert.is(given[0]?.time, '2026-11-21T08:09:10.123Z');
      assert.not.match(text, '192.0.2');
    });
  }));

test('an id is a UUID of version 7: the milliseconds, then random bytes that no other vote has', () => {
  const random = (bytes: number) => Buffer.from(Array.from({ length: bytes }, (_, index) => (index < 16 ? 255 : 0)));
  const at = new Date('2026-11-21T08:09:10.123Z');
  const records = stamp([voteBy(1), voteBy(2)], { at, secret: Buffer.alloc(32), random });
  assert.equal(
    records.map(({ id }) => id),
    ['01a1fd26-f0eb-7fff-bfff-ffffffffffff', '01a1fd26-f0eb-7000-8000-000000000000'],
  );
});

test('a vote just before midnight keeps its day, even if its secret is made after midnight', () =>
  withFolder(async (file) => {
    let time = '2026-11-20T12:00:00.000Z';
    const disk = shimDisk(async ({ op, path, args, run }) => {
      if (time.startsWith('2026-11-21') && op === 'rename' && String(args[1] ?? path).endsWith('.secret'))
        time = '2026-11-22T00:00:00.001Z';
      return run();
    });
    await withLog({ file, disk, now: () => new Date(time) }, async ({ store }) => {
      time = '2026-11-21T23:59:59.999Z';
      assert.is((await store.append(voteBy(1))).time, '2026-11-21T23:59:59.999Z');
      assert.is(time, '2026-11-22T00:00:00.001Z');
    });
  }));

test('keeps 64 simultaneous votes in order, with one sync for each pass', () =>
  withFolder(async (file) => {
    let syncs = 0;
    const disk = shimDisk(async ({ op, path, run }) => {
      if (path === file && op === 'datasync') syncs += 1;
      return run();
    });
    await withLog({ file, disk }, async ({ store }) => {
      syncs = 0;
      const records = await Promise.all(Array.from({ length: 64 }, (_, client) => store.append(voteBy(client))));
      assert.is(syncs, 1);
      assert.equal(await votesIn(file), records);
      assert.is(new Set(records.map(({ id }) => id)).size, 64);
      assert.equal(
        records.map(({ id }) => id.slice(0, 8)).sort(),
        records.map(({ id }) => id.slice(0, 8)),
      );
    });
  }));

test('refuses votes with VotesUnavailable while the disk fails, and accepts them again', () =>
  withFolder(async (file) => {
    let fails = false;
    const disk = shimDisk(async ({ op, path, run }) => {
      if (fails && path === file && op === 'datasync') throw systemError('EIO');
      return run();
    });
    await withLog({ file, disk }, async ({ store }) => {
      const before = await store.append(voteBy(1));
      fails = true;
      for (const client of [2, 3]) {
        const refused = await rejection(store.append(voteBy(client)));
        assert.is(refused?.name, 'VotesUnavailable');
        assert.is((refused?.cause as NodeJS.ErrnoException | undefined)?.code, 'EIO');
      }
      assert.is(((await rejection(store.check())) as NodeJS.ErrnoException | undefined)?.code, 'EIO');
      fails = false;
      await store.check();
      const after = await store.append(voteBy(4));
      assert.equal(await votesIn(file), [before, after]);
    });
  }));

test('a vote is refused if the secret cannot be stored', () =>
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

test('a log that was renamed is followed by a new one after reopen', () =>
  withFolder(async (file) => {
    await withLog({ file }, async ({ store }) => {
      const before = await store.append(voteBy(1));
      await rename(file, `${file}.1`);
      await store.reopen();
      assert.is(await readFile(file, 'utf8'), '');
      const after = await store.append(voteBy(2));
      assert.equal(await votesIn(`${file}.1`), [before]);
      assert.equal(await votesIn(file), [after]);
    });
  }));

test('a second store on one log is refused, naming the owner', () =>
  withFolder(async (file) => {
    await withLog({ file }, async () => {
      const error = await rejection(withLog({ file }, async () => {}));
      assert.is(error?.name, 'OperationError');
      assert.match(error?.message ?? '', `in use by process ${process.pid} `);
    });
    await withLog({ file }, async () => {});
  }));

/** Makes a process elsewhere the owner of a log. */
async function takeLog(file: string): Promise<void> {
  const owner = { ...JSON.parse(await readFile(`${file}.lock`, 'utf8')), token: 'other', host: 'elsewhere' };
  await writeFile(`${file}.other`, JSON.stringify(owner));
  await rename(`${file}.other`, `${file}.lock`);
}

test('a store that lost its log to another process refuses votes, naming it in the cause', () =>
  withFolder(async (file) => {
    await withLog({ file, beatMs: 5 }, async ({ store, warnings }) => {
      await takeLog(file);
      await until(() => warnings.length > 0);
      const refused = await rejection(store.append(voteBy(1)));
      assert.is(refused?.name, 'VotesUnavailable');
      assert.match(String(refused?.cause), 'elsewhere');
    });
    assert.equal(await votesIn(file), []);
  }));

test('a store that lost its log to another process leaves the secret to it', () =>
  withMinuteTasks((tasks) =>
    withFolder(async (file) => {
      let day = 21;
      await withLog({ file, beatMs: 5, now: () => new Date(Date.UTC(2026, 10, day)) }, async ({ warnings }) => {
        const secret = await readFile(`${file}.secret`, 'utf8');
        await takeLog(file);
        await until(() => warnings.length > 0);
        day = 22;
        for (const task of tasks) await task();
        assert.is(await readFile(`${file}.secret`, 'utf8'), secret);
      });
    }),
  ));

test('an unusable log is named, with the system error', () =>
  withFolder(async (_file, folder) => {
    const error = await rejection(withLog({ file: folder }, async () => {}));
    assert.is(error?.name, 'OperationError');
    assert.match(error?.message ?? '', `The vote log ${folder} cannot be used: `);
    assert.match(error?.message ?? '', 'EISDIR');
    assert.is((error?.cause as NodeJS.ErrnoException | undefined)?.code, 'EISDIR');
  }));

testUnless(process.platform === 'win32' && 'creating links takes a privilege on Windows')(
  'a log that is a link keeps its secret next to the real file',
  () =>
    withFolder(async (file, folder) => {
      await mkdir(`${folder}/linked`);
      await writeFile(file, '');
      await symlink(file, `${folder}/linked/votes.jsonl`);
      await withLog({ file: `${folder}/linked/votes.jsonl` }, async ({ store }) => {
        const vote = await store.append(voteBy(1));
        assert.equal(await votesIn(file), [vote]);
        assert.is((await stat(`${file}.secret`)).isFile(), true);
      });
      assert.equal(await readdir(`${folder}/linked`), ['votes.jsonl']);
    }),
);

testUnless(process.platform === 'win32' && 'Windows has no file modes')('the log is readable by its owner alone', () =>
  withFolder(async (file) => {
    await withLog({ file }, async () => {
      assert.is((await stat(file)).mode & 0o777, 0o600);
    });
  }),
);

test('closing waits for pending votes and refuses later ones', () =>
  withFolder(async (file) => {
    await withLog({ file }, async ({ store }) => {
      const pending = [1, 2, 3].map((client) => store.append(voteBy(client)));
      const closing = store.close();
      const late = store.append(voteBy(4)).catch((error: Error) => error.name);
      await Promise.all([closing, store.close()]);
      assert.is(await late, 'VotesUnavailable');
      assert.is((await Promise.all(pending)).length, 3);
      assert.is((await votesIn(file)).length, 3);
    });
  }));

test.run();
