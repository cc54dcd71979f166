import { randomBytes } from 'node:crypto';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { DatabaseUnavailable } from '../../../src/storage/database.ts';
import { databaseVotes, openDatabaseVotes, sharedSecret } from '../../../src/storage/database-votes.ts';
import type { Database } from '../../../src/storage/postgres.ts';
import type { StoredVote } from '../../../src/storage/vote.ts';
import { rejection } from '../../support/journal.ts';
import { until, withStillClock } from '../../support/until.ts';
import { voteBy } from '../../support/votes.ts';

/** Which statements votes cause, on a database that is only simulated: batches, and further attempts after a failure. */

/** A database that runs a statement with votes by calling `insert` with their number, and knows one secret. */
function simulated(insert: (votes: number) => void, isBack = true): Database {
  const query = async (text: string, values: unknown[][] = []) => {
    if (text.startsWith('SELECT secret')) return [{ secret: Buffer.alloc(32) }];
    if (!text.includes('INSERT INTO catalog_votes')) return [];
    insert(values[0]?.length ?? 0);
    return values[0] ?? [];
  };
  return { query, failure: () => null, available: async () => isBack, close: async () => {} } as unknown as Database;
}

const away = new DatabaseUnavailable('a reason');
const denied = new Error('permission denied');
const failing: [name: string, failures: Error[], isBack: boolean, attempts: number, isStored: boolean][] = [
  ['is stored at the third attempt', [away, away], true, 3, true],
  ['is refused after three attempts', Array(9).fill(away), true, 3, false],
  ['is refused if the database does not come back', [away], false, 1, false],
  ['is refused at once if the statement is', [denied], true, 1, false],
];
for (const [name, failures, isBack, attempts, isStored] of failing) {
  test(`a vote ${name}`, async () => {
    let count = 0;
    const passes: number[] = [];
    const insert = () => {
      const failure = failures[count++];
      if (failure !== undefined) throw failure;
    };
    const database = simulated(insert, isBack);
    const onPass = (votes: number) => passes.push(votes);
    const store = openDatabaseVotes({ database, now: () => new Date(), random: randomBytes, onPass });
    const refused = await withStillClock(() => rejection(store.append(voteBy(1))));
    await store.close();
    assert.equal([count, refused?.cause], [attempts, isStored ? undefined : failures[0]]);
    assert.equal(passes, isStored ? [1] : []);
  });
}

test('while a batch waits for the database, a later vote is refused at once; after a long wait, none is repeated', async () => {
  let failure: DatabaseUnavailable | null = null;
  let comeBack = (_: boolean) => {};
  let attempts = 0;
  const database = simulated(() => {
    attempts += 1;
    failure = away;
    throw away;
  });
  const available = () =>
    new Promise<boolean>((done) => {
      comeBack = done;
    });
  const store = openDatabaseVotes({
    database: { ...database, failure: () => failure, available },
    now: () => new Date(),
    random: randomBytes,
  });
  await withStillClock(async (later) => {
    const first = rejection(store.append(voteBy(1)));
    await until(() => failure !== null);
    assert.is((await rejection(store.append(voteBy(2))))?.cause, away);
    // The second attempt ends later than a reader should wait for a third one.
    later(1_500);
    comeBack(true);
    assert.is((await first)?.cause, away);
  });
  assert.is(attempts, 2);
  await store.close();
});

test('an import adds at most 2,000 votes with one statement', async () => {
  const batches: number[] = [];
  async function* votes(): AsyncGenerator<StoredVote> {
    for (let index = 0; index < 4_001; index += 1) {
      const time = `2026-11-${21 - Math.floor(index / 2_000)}T00:00:00.000Z`;
      yield { id: `${index}`, time, slug: 'one', vote: 'yes', voter: '0'.repeat(32) };
    }
  }
  const database = simulated((size) => batches.push(size));
  const counts = await databaseVotes(database).import(votes());
  assert.equal([batches, counts], [[2_000, 2_000, 1], { added: 4_001, existing: 0 }]);
});

test('a secret that another server has already deleted is an error that names the clocks', async () => {
  const database = { query: async () => [] } as unknown as Database;
  const error = await rejection(sharedSecret(database, randomBytes)('2026-11-21'));
  assert.is(error?.message, 'Another server has deleted the secret of 2026-11-21; compare the clocks.');
});

test.run();
