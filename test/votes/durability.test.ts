import { readFile, stat } from 'node:fs/promises';
import { relative } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { makeFolder } from '../../src/votes/disk.ts';
import { openJournal } from '../../src/votes/journal.ts';
import type { VoteRecord } from '../../src/votes/store.ts';
import { all, shimDisk, until, voteBy, votesIn, withFolder, withLog } from './support.ts';

test('writes a vote, syncs it, and only then acknowledges it', () =>
  withFolder(async (file) => {
    const events: string[] = [];
    let watching = false;
    const disk = shimDisk(async ({ op, path, run }) => {
      const result = await run();
      if (watching && path === file && ['write', 'datasync'].includes(op)) events.push(op);
      return result;
    });
    await withLog({ file, disk }, async ({ store }) => {
      watching = true;
      for (const client of [1, 2]) {
        await store.append(voteBy(client));
        events.push('acknowledged');
      }
      watching = false;
    });
    assert.equal(events, ['write', 'datasync', 'acknowledged', 'write', 'datasync', 'acknowledged']);
  }));

test('acknowledges no vote whose line the sync did not cover', () =>
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
    await withLog({ file, disk }, async ({ store }) => {
      const clients = Array.from({ length: 40 }, async (_, client) => {
        for (let round = 0; round < 5; round += 1) {
          await sleep((client * 7 + round) % 5);
          const { id } = await store.append(voteBy(client));
          assert.ok(synced.includes(`"${id}"`), 'the sync came after the line');
        }
      });
      await Promise.all(clients);
    });
    assert.is((await votesIn(file)).length, 200);
  }));

test('shares one sync among the votes that wait for it', () =>
  withFolder(async (file) => {
    let syncs = 0;
    const disk = shimDisk(async ({ op, path, run }) => {
      if (path === file && op === 'datasync') {
        syncs += 1;
        await sleep(5);
      }
      return run();
    });
    await withLog({ file, disk }, async ({ store }) => {
      await store.append(voteBy(0));
      syncs = 0;
      const first = store.append(voteBy(1));
      await until(() => syncs > 0);
      await Promise.all([first, ...Array.from({ length: 63 }, (_, client) => store.append(voteBy(client + 2)))]);
      assert.is(syncs, 2);
    });
  }));

test('keeps votes in the order in which they came', () =>
  withFolder(async (file) => {
    await withLog({ file }, async ({ store }) => {
      const pending: Promise<VoteRecord>[] = [];
      for (let number = 0; number < 500; number += 1) {
        pending.push(store.append(voteBy(1, { note: `note ${number}` })));
        if (number % 50 === 0) await sleep(0);
      }
      const records = await Promise.all(pending);
      assert.is(new Set(records.map(({ id }) => id)).size, 500);
      assert.equal(
        (await votesIn(file)).map(({ note }) => note),
        records.map((_, number) => `note ${number}`),
      );
    });
  }));

test('stores the record that it gives back, and nothing of the address', () =>
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
      assert.equal(await all(store.read()), given);
      assert.equal(Object.keys(given[0] ?? {}), ['id', 'time', 'slug', 'vote', 'note', 'voter']);
      assert.equal(Object.keys(given[1] ?? {}), ['id', 'time', 'slug', 'vote', 'voter']);
      assert.is(given[0]?.time, '2026-11-21T08:09:10.123Z');
      assert.not.match(text, '192.0.2');
    });
  }));

test('makes the log and its folders readable by their owner alone', () =>
  withFolder(async (_file, folder) => {
    await withLog({ file: `${folder}/new/data/votes.jsonl` }, async () => {
      if (process.platform === 'win32') return;
      assert.is((await stat(`${folder}/new/data/votes.jsonl`)).mode & 0o777, 0o600);
      for (const path of ['new', 'new/data']) assert.is((await stat(`${folder}/${path}`)).mode & 0o777, 0o700);
    });
  }));

test('syncs the folder of a log that it makes, and the one above of a folder that it makes', () =>
  withFolder(async (_file, folder) => {
    const events: string[] = [];
    const disk = shimDisk(async ({ op, path, run }) => {
      const result = await run();
      if (['mkdir', 'sync'].includes(op) || path.endsWith('votes.jsonl'))
        events.push(`${op} ${relative(folder, path)}`);
      return result;
    });
    await makeFolder(disk, `${folder}/new/data`);
    const file = `${folder}/new/data/votes.jsonl`;
    const quiet = { now: () => new Date(), warn: () => {}, mayWrite: async () => {} };
    const journal = await openJournal({ ...quiet, path: file, disk });
    await journal.close();
    assert.equal(
      events.filter((event) => !/stat|datasync|close/.test(event)),
      ['mkdir new/data', 'sync new', 'sync ', 'open new/data/votes.jsonl', 'sync new/data'],
    );
  }));

test('waits at closing for the votes under way, and refuses later ones', () =>
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
