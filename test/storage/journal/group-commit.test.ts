import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { groupCommit } from '../../../src/storage/group-commit.ts';
import { rejection } from '../../support/journal.ts';
import { until } from '../../support/until.ts';

/** A flush that ends on demand and records its items. */
function heldFlush() {
  const passes: number[][] = [];
  let release: () => void = () => {};
  const flush = async (items: readonly number[]) => {
    passes.push([...items]);
    await new Promise<void>((resolve) => {
      release = resolve;
    });
    return items.map((item) => item * 10);
  };
  return { passes, flush, release: () => release() };
}

test('puts all items that arrived during a pass into the next one, in order', async () => {
  const { passes, flush, release } = heldFlush();
  const commit = groupCommit(flush);
  const first = commit.add(1);
  await until(() => passes.length === 1);
  const rest = [2, 3, 4].map((item) => commit.add(item));
  release();
  assert.is(await first, 10);
  await until(() => passes.length === 2);
  release();
  assert.equal(await Promise.all(rest), [20, 30, 40]);
  assert.equal(passes, [[1], [2, 3, 4]]);
});

test('puts all items of one turn of the event loop into one pass', async () => {
  const passes: number[][] = [];
  const commit = groupCommit(async (items: readonly number[]) => {
    passes.push([...items]);
    return items;
  });
  await Promise.all([1, 2, 3].map((item) => commit.add(item)));
  assert.equal(passes, [[1, 2, 3]]);
});

test('puts all items that arrive until a pass is ready into that pass', async () => {
  const passes: number[][] = [];
  let prepared = () => {};
  const ready = () =>
    new Promise<void>((resolve) => {
      prepared = resolve;
    });
  const flush = async (items: readonly number[]) => {
    passes.push([...items]);
    return items;
  };
  const commit = groupCommit(flush, { ready });
  const first = commit.add(1);
  await new Promise(setImmediate);
  const second = commit.add(2);
  assert.equal(passes, []);
  prepared();
  await Promise.all([first, second]);
  assert.equal(passes, [[1, 2]]);
});

test('rejects the items of a pass that cannot be made ready, and no others', async () => {
  let calls = 0;
  const ready = async () => {
    calls += 1;
    if (calls === 1) throw new Error('no disk');
  };
  const commit = groupCommit(async (items: readonly number[]) => items, { ready });
  const failed = await Promise.all([1, 2].map((item) => rejection(commit.add(item))));
  assert.equal(
    failed.map((error) => error?.message),
    ['no disk', 'no disk'],
  );
  assert.is(await commit.add(3), 3);
});

test('rejects the items of a pass that fails, and no others', async () => {
  let calls = 0;
  const commit = groupCommit(async (items: readonly number[]) => {
    calls += 1;
    if (calls === 1) throw new Error('full');
    return items;
  });
  const failed = await Promise.all([1, 2].map((item) => rejection(commit.add(item))));
  assert.equal(
    failed.map((error) => error?.message),
    ['full', 'full'],
  );
  assert.is(await commit.add(3), 3);
});

test('stores an item that waits while the pass before it fails', async () => {
  const commit = groupCommit(
    async ([item]: readonly number[]) => {
      if (item === 1) throw new Error('full');
      return [item];
    },
    { maxPerPass: 1 },
  );
  const [failed, stored] = await Promise.allSettled([commit.add(1), commit.add(2)]);
  assert.equal([failed?.status, stored], ['rejected', { status: 'fulfilled', value: 2 }]);
});

test('splits more items than a pass may have', async () => {
  const passes: number[][] = [];
  const commit = groupCommit(
    async (items: readonly number[]) => {
      passes.push([...items]);
      return items;
    },
    { maxPerPass: 2 },
  );
  await Promise.all([1, 2, 3, 4, 5].map((item) => commit.add(item)));
  assert.equal(passes, [[1, 2], [3, 4], [5]]);
});

test('refuses items if too many are waiting', async () => {
  const { passes, flush, release } = heldFlush();
  const commit = groupCommit(flush, { maxWaiting: 2 });
  const kept = [commit.add(1)];
  await until(() => passes.length === 1);
  kept.push(commit.add(2), commit.add(3));
  assert.match((await rejection(commit.add(4)))?.message ?? '', '2 items are already waiting');
  release();
  await until(() => passes.length === 2);
  release();
  assert.equal(await Promise.all(kept), [10, 20, 30]);
});

test('is idle once the last pass ended', async () => {
  const { passes, flush, release } = heldFlush();
  const commit = groupCommit(flush);
  await commit.idle();
  let idle = false;
  const added = commit.add(1);
  const waiting = commit.idle().then(() => {
    idle = true;
  });
  await until(() => passes.length === 1);
  assert.is(idle, false);
  release();
  await Promise.all([added, waiting]);
});

test.run();
