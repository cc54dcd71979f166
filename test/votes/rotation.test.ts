import { link, mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import type { VoteRecord, VoteStore } from '../../src/votes/store.ts';
import { rejection, shimDisk, voteBy, votesIn, withFolder, withLog } from './support.ts';

test('a renamed log is followed by a new one after reopen', () =>
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

test('rotation under load loses no vote and doubles none', () =>
  withFolder(async (file) => {
    const logs = [file];
    await withLog({ file }, async ({ store }) => {
      const load = startLoad(store);
      for (let round = 1; round <= 10; round += 1) {
        await store.append(voteBy(200));
        logs.push(`${file}.${round}`);
        await rename(file, `${file}.${round}`);
        await store.append(voteBy(201));
        await store.reopen();
      }
      const acknowledged = await load.stop();
      const found = (await Promise.all(logs.map(votesIn))).flat().map(({ id }) => id);
      assert.is(new Set(found).size, found.length);
      const missing = acknowledged.filter(({ id }) => !found.includes(id));
      assert.equal(missing, []);
    });
  }));

test('a log that was renamed is followed by a new one even without reopen', () =>
  withFolder(async (file) => {
    await withLog({ file }, async ({ store, warnings }) => {
      const before = await store.append(voteBy(1));
      await rename(file, `${file}.1`);
      const after = await store.append(voteBy(2));
      assert.equal(await votesIn(`${file}.1`), [before]);
      assert.equal(await votesIn(file), [after]);
      assert.is(warnings.length, 1);
    });
  }));

test('a log that was removed is followed by a new one, made with mode 0600', () =>
  withFolder(async (file) => {
    await withLog({ file }, async ({ store, warnings }) => {
      await store.append(voteBy(1));
      await rm(file);
      const after = await store.append(voteBy(2));
      assert.equal(await votesIn(file), [after]);
      assert.match(warnings[0] ?? '', 'removed');
    });
  }));

test('votes that were written to a log just removed are written to the new one before they are acknowledged', () =>
  withFolder(async (file) => {
    let remove = false;
    const disk = shimDisk(async ({ op, path, run }) => {
      if (remove && path === file && op === 'datasync') {
        remove = false;
        await rm(file);
      }
      return run();
    });
    await withLog({ file, disk }, async ({ store }) => {
      remove = true;
      const records = await Promise.all([1, 2].map((client) => store.append(voteBy(client))));
      assert.equal(await votesIn(file), records);
    });
  }));

test('votes that were written to a log just renamed stay there, and are not doubled', () =>
  withFolder(async (file) => {
    let move = false;
    const disk = shimDisk(async ({ op, path, run }) => {
      if (move && path === file && op === 'datasync') {
        move = false;
        await rename(file, `${file}.1`);
      }
      return run();
    });
    await withLog({ file, disk }, async ({ store }) => {
      move = true;
      const first = await store.append(voteBy(1));
      const second = await store.append(voteBy(2));
      assert.equal(await votesIn(`${file}.1`), [first]);
      assert.equal(await votesIn(file), [second]);
    });
  }));

test('a removed log that another name still holds is not written twice', () =>
  withFolder(async (file) => {
    let remove = false;
    const disk = shimDisk(async ({ op, path, run }) => {
      if (remove && path === file && op === 'datasync') {
        remove = false;
        await link(file, `${file}.backup`);
        await rm(file);
      }
      return run();
    });
    await withLog({ file, disk }, async ({ store }) => {
      remove = true;
      const first = await store.append(voteBy(1));
      const second = await store.append(voteBy(2));
      assert.equal(await votesIn(`${file}.backup`), [first]);
      assert.equal(await votesIn(file), [second]);
    });
  }));

test('a log that somebody put in the place of the open one is mended and added to', () =>
  withFolder(async (file) => {
    await withLog({ file }, async ({ store }) => {
      const first = await store.append(voteBy(1));
      await rename(file, `${file}.1`);
      await writeFile(file, `${JSON.stringify(first)}\n{"torn`);
      const second = await store.append(voteBy(2));
      assert.equal(await votesIn(file), [first, second]);
    });
  }));

test('a line that somebody adds by hand without a newline does not swallow the next vote', () =>
  withFolder(async (file) => {
    await withLog({ file }, async ({ store }) => {
      const first = await store.append(voteBy(1));
      await writeFile(file, '{"by":"hand"}', { flag: 'a' });
      const second = await store.append(voteBy(2));
      assert.equal(await votesIn(file), [first, second]);
      assert.match(await readFile(file, 'utf8'), '{"by":"hand"}\n');
    });
  }));

test('without its folder votes are refused, and with it they are taken again', () =>
  withFolder(async (_file, folder) => {
    const file = `${folder}/data/votes.jsonl`;
    await withLog({ file }, async ({ store }) => {
      await store.append(voteBy(1));
      await rename(`${folder}/data`, `${folder}/away`);
      assert.is((await rejection(store.append(voteBy(2))))?.name, 'VotesUnavailable');
      await mkdir(`${folder}/data`);
      const after = await store.append(voteBy(3));
      assert.equal(await votesIn(file), [after]);
    });
  }));

/** Votes from ten clients at once, until it is stopped. */
function startLoad(store: VoteStore) {
  let going = true;
  const acknowledged: VoteRecord[] = [];
  const clients = Array.from({ length: 10 }, async (_, client) => {
    while (going) acknowledged.push(await store.append(voteBy(client)));
  });
  return {
    async stop() {
      going = false;
      await Promise.all(clients);
      return acknowledged;
    },
  };
}

test.run();
