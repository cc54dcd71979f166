import { randomBytes } from 'node:crypto';
import { syncBuiltinESMExports } from 'node:module';
import { connect, createServer, type Server, type Socket } from 'node:net';
import timers from 'node:timers/promises';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { DatabaseUnavailable } from '../../../src/storage/database.ts';
import { openDatabaseVotes, sharedSecret } from '../../../src/storage/database-votes.ts';
import { type Database, grantServer, openDatabase } from '../../../src/storage/postgres.ts';
import { type VoteStore, VotesUnavailable } from '../../../src/storage/vote.ts';
import { rejection } from '../../support/journal.ts';
import { loud } from '../../support/loud.ts';
import { withMinuteTasks } from '../../support/minute-tasks.ts';
import { execSql, type Postgres, startPostgres } from '../../support/postgres.ts';
import { isSoonSettled, patienceMs, until, withStillClock } from '../../support/until.ts';
import { voteBy } from '../../support/votes.ts';

/** Votes in PostgreSQL: what is stored, in which batches, and what happens if the database or a connection fails. */

let postgres: Postgres;
test.before(
  loud(async () => {
    postgres = await startPostgres();
  }),
);
test.after(loud(() => postgres?.stop()));

interface Opened {
  url: string;
  store: VoteStore;
  database: Database;
  warnings: string[];
}

interface Options {
  now?: () => Date;
  statementMs?: number;
  /** Returns the URI to connect to, for the URI of the database. */
  over?: (url: string) => string;
}

async function withVotes(
  { now = () => new Date(), statementMs, over }: Options,
  use: (opened: Opened) => Promise<void>,
) {
  const url = await postgres.database();
  const warnings: string[] = [];
  const database = openDatabase({
    url: over?.(url) ?? url,
    warn: (message) => void warnings.push(message),
    ...(statementMs !== undefined && { statementMs }),
  });
  const store = openDatabaseVotes({ database, now, random: randomBytes });
  try {
    await use({ url, store, database, warnings });
  } finally {
    await store.close();
    await database.close();
  }
}

const isStored = (vote: Promise<unknown>) =>
  vote.then(
    () => true,
    () => false,
  );

const count = async (url: string) => Number((await execSql(url, 'SELECT count(*) AS n FROM catalog_votes'))[0]?.n);

test('stores the vote that it returns, and nothing of the address', () =>
  withVotes({ now: () => new Date('2026-11-21T08:09:10.123Z') }, async ({ url, store }) => {
    const given = [
      await store.append(voteBy(7, { vote: 'no', note: 'line\nbreak "quoted" 😀' })),
      await store.append(voteBy(7, { slug: 'other', note: '' })),
      await store.append(voteBy(8, { note: 'a\0b' })),
    ];
    const rows = await execSql(url, 'SELECT * FROM catalog_votes ORDER BY position');
    assert.equal(
      rows.map(({ position, time, ...rest }) => ({ ...rest, time: (time as Date).toISOString() })),
      given.map(({ note, ...rest }) => ({ ...rest, note: note?.replace('\0', '\uFFFD') ?? null })),
    );
    assert.is(given[0]?.time, '2026-11-21T08:09:10.123Z');
    assert.is(given[0]?.voter, given[1]?.voter);
    assert.is.not(given[0]?.voter, given[2]?.voter);
    assert.not.match(JSON.stringify(rows), '192.0.2');
  }));

test('simultaneous votes are stored in their order, in batches of one statement each', () =>
  withVotes({}, async ({ url, store }) => {
    const notes = Array.from({ length: 64 }, (_, index) => `${index}`);
    await Promise.all(notes.map((note, index) => store.append(voteBy(index, { note }))));
    const rows = await execSql(url, 'SELECT note, xmin::text AS transaction FROM catalog_votes ORDER BY position');
    assert.equal(
      rows.map(({ note }) => note),
      notes,
    );
    assert.is(new Set(rows.map(({ transaction }) => transaction)).size, 1);
  }));

test('servers share the pseudonyms of a day, and the first vote of the next day deletes its secret', async () => {
  let now = new Date('2026-11-21T23:59:59Z');
  await withVotes({ now: () => now }, async ({ url, store, database }) => {
    const other = openDatabaseVotes({ database, now: () => now, random: randomBytes });
    const days = async () => (await execSql(url, 'SELECT day::text FROM catalog_voter_secrets')).map(({ day }) => day);
    const votes = await Promise.all([store.append(voteBy(1)), other.append(voteBy(1))]);
    assert.is(votes[0]?.voter, votes[1]?.voter);
    assert.equal(await days(), ['2026-11-21']);
    now = new Date('2026-11-22T00:00:01Z');
    assert.is.not((await other.append(voteBy(1))).voter, votes[0]?.voter);
    assert.equal(await days(), ['2026-11-22']);
    await other.close();
  });
});

test('the secret of a day is deleted at its end, even without votes', () =>
  withMinuteTasks(async (tasks) => {
    let now = new Date('2026-11-21T12:00:00Z');
    await withVotes({ now: () => now }, async ({ url, store }) => {
      await store.append(voteBy(1));
      now = new Date('2026-11-22T00:00:30Z');
      for (const task of tasks) task();
      await until(async () => {
        const days = await execSql(url, 'SELECT day::text FROM catalog_voter_secrets');
        return days.length === 1 && days[0]?.day === '2026-11-22';
      });
    });
  }));

test('while the database is away, votes are refused at once; then they are stored again, without a restart', () =>
  withVotes({}, async ({ url, store, warnings }) => {
    await store.append(voteBy(1, { note: 'before' }));
    await postgres.kill();
    const refused = await rejection(store.append(voteBy(1, { note: 'refused' })));
    assert.instance(refused, VotesUnavailable);
    for (let round = 0; round < 100; round += 1) {
      const vote = rejection(store.append(voteBy(1, { note: 'refused' })));
      assert.ok(await isSoonSettled(vote), 'waited for a database that is known to be away');
      assert.instance(await vote, VotesUnavailable);
    }
    const check = rejection(store.check());
    assert.ok(await isSoonSettled(check), 'waited for a database that is known to be away');
    assert.ok(await check);
    await postgres.start();
    await until(() => isStored(store.append(voteBy(1, { note: 'after' }))));
    assert.equal(
      (await execSql(url, 'SELECT note FROM catalog_votes ORDER BY position')).map(({ note }) => note),
      ['before', 'after'],
    );
    await until(() => warnings.length === 2);
    assert.match(warnings[0] ?? '', /The database is unavailable \(\w+\)/);
    assert.is(warnings[1], 'The database is available again.');
    await store.check();
  }));

/**
 * Runs `use` while waits of a second take twenty, for what may take longer on a busy machine. An idle connection is closed
 * after thirty.
 */
async function withLongSeconds<Result>(use: () => Promise<Result>): Promise<Result> {
  const own = { global: globalThis.setTimeout, promised: timers.setTimeout };
  const longer = (ms: number | undefined) => (ms === 1_000 ? 20_000 : ms);
  globalThis.setTimeout = ((work: () => void, ms?: number, ...rest: unknown[]) =>
    own.global(work, longer(ms), ...rest)) as typeof setTimeout;
  timers.setTimeout = ((ms, ...rest) => own.promised(longer(ms), ...rest)) as typeof timers.setTimeout;
  syncBuiltinESMExports();
  try {
    return await use();
  } finally {
    globalThis.setTimeout = own.global;
    timers.setTimeout = own.promised;
    syncBuiltinESMExports();
  }
}

test('a restart within a second is not noticed by votes in progress', () =>
  withVotes({}, async ({ url, store }) => {
    await store.append(voteBy(1));
    await postgres.kill();
    const restart = async () => {
      const isPending = isStored(store.append(voteBy(2)));
      await postgres.start();
      return isPending;
    };
    assert.ok(await withLongSeconds(() => withStillClock(restart)));
    assert.is(await count(url), 2);
  }));

/** Passes connections on to PostgreSQL, until it is told to break off once the answer to a statement arrives. */
async function withBreakingProxy(
  use: (over: (url: string) => string, breakNext: () => void, isBroken: () => boolean) => Promise<void>,
) {
  let target = 0;
  let isBreaking = false;
  const sockets = new Set<Socket>();
  const proxy: Server = createServer((client) => {
    const server = connect(target, '127.0.0.1');
    for (const socket of [client, server]) sockets.add(socket.on('error', () => {}));
    client.on('data', (chunk) => server.write(chunk)).on('close', () => server.destroy());
    server
      .on('data', (chunk) => {
        // C: CommandComplete of the INSERT. It was committed, and the client never learns of it.
        if (!isBreaking || !chunk.includes('INSERT 0 1')) return void client.write(chunk);
        isBreaking = false;
        client.destroy();
      })
      .on('close', () => client.destroy());
  });
  await new Promise<void>((done) => proxy.listen(0, '127.0.0.1', done));
  const { port } = proxy.address() as { port: number };
  try {
    await use(
      (url) => {
        target = Number(new URL(url).port);
        return url.replace(`:${target}/`, `:${port}/`);
      },
      () => {
        isBreaking = true;
      },
      () => !isBreaking,
    );
  } finally {
    for (const socket of sockets) socket.destroy();
    await new Promise((done) => proxy.close(done));
  }
}

test('a connection that is lost after the commit, before the answer, neither loses nor doubles the vote', () =>
  withBreakingProxy((over, breakNext, isBroken) =>
    withVotes({ over }, async ({ url, store, warnings }) => {
      await store.append(voteBy(1));
      breakNext();
      const { id } = await store.append(voteBy(2, { note: 'once' }));
      assert.ok(isBroken(), 'the connection was not lost');
      assert.equal(warnings, [], 'one lost connection is no outage');
      const rows = await execSql(url, "SELECT id FROM catalog_votes WHERE note = 'once'");
      assert.equal(rows, [{ id }]);
    }),
  ));

test('a database that hangs counts as away after the time limit of a statement', () =>
  withVotes({ statementMs: 100 }, async ({ store, database }) => {
    // On a busy machine, a statement can take longer.
    await until(() => isStored(store.append(voteBy(1))));
    postgres.suspend(true);
    try {
      assert.instance(await rejection(store.append(voteBy(2))), VotesUnavailable);
      await until(() => database.failure() !== null);
      const refused = rejection(store.append(voteBy(2)));
      assert.ok(await isSoonSettled(refused), 'waited for a database that is known to be away');
      assert.instance(await refused, VotesUnavailable);
    } finally {
      postgres.suspend(false);
    }
    await until(() => isStored(store.append(voteBy(3))));
  }));

test('a closed store refuses votes', () =>
  withVotes({}, async ({ store }) => {
    await store.close();
    const refused = await rejection(store.append(voteBy(1)));
    assert.instance(refused, VotesUnavailable);
    assert.match(String(refused?.cause), 'The store is closed.');
  }));

test('a server whose clock is slow leaves the secret of the next day to the others', () =>
  withVotes({}, async ({ database }) => {
    const secretOf = (day: string) => sharedSecret(database, randomBytes)(day);
    const first = await secretOf('2026-11-22');
    await secretOf('2026-11-21');
    assert.equal(await secretOf('2026-11-22'), first);
  }));

/** What a server has of the database. */
interface Part {
  database: Database;
  warnings: string[];
}

/** Runs `use` with servers to which PostgreSQL gives `most` connections in all. `later` moves their clock. */
async function withFew(
  { servers: count, most }: { servers: number; most: number },
  use: (servers: Part[], later: (ms: number) => void, sql: (text: string) => Promise<unknown[]>) => Promise<void>,
): Promise<void> {
  const owner = await postgres.database();
  await execSql(owner, `CREATE ROLE few${most} LOGIN CONNECTION LIMIT ${most}`);
  await grantServer(owner, `few${most}`);
  const url = owner.replace('postgres@', `few${most}@`);
  const servers = Array.from({ length: count }, () => {
    const warnings: string[] = [];
    return { database: openDatabase({ url, warn: (message) => void warnings.push(message) }), warnings };
  });
  try {
    await withStillClock((later) => use(servers, later, (text) => execSql(owner, text)));
  } finally {
    for (const { database } of servers) await database.close();
  }
}

const wait = 'SELECT pg_sleep(0.02)';

test('while PostgreSQL has too few connections, no vote is refused, and each server says so once', () =>
  withFew({ servers: 3, most: 4 }, async (servers, later) => {
    const load = (times: number) =>
      Promise.all(servers.flatMap(({ database }) => Array.from({ length: times }, () => database.query(wait))));
    const now = () => new Date();
    const votes = servers.map(({ database }) => openDatabaseVotes({ database, now, random: randomBytes }));
    const sent = Promise.all(votes.flatMap((store) => [1, 2, 3].map((index) => store.append(voteBy(index)))));
    await load(30);
    assert.is((await sent).length, 9);
    const said = () => servers.map(({ warnings }) => warnings.length);
    assert.equal(said(), [0, 0, 0]);
    await until(async () => {
      later(6_000);
      await load(30);
      return said().every((lines) => lines > 0);
    });
    await load(30);
    assert.equal(said(), [1, 1, 1]);
    for (const { warnings } of servers) {
      const expected =
        /^Statements wait for a connection .* has \d of 10 \(CATALOG_DATABASE_CONNECTIONS\) .*: 53300\.$/;
      assert.match(warnings[0] ?? '', expected);
    }
    later(61_000);
    await until(() => said().every((lines) => lines === 2));
    for (const { warnings } of servers) {
      assert.is(warnings[1], 'Statements no longer wait for a connection to the database.');
    }
    for (const store of votes) await store.close();
  }));

test('a server that starts while others have all connections soon gets one: they leave theirs after a minute', () =>
  withFew({ servers: 2, most: 2 }, async ([early, late], later, sql) => {
    assert.ok(early && late);
    await until(async () => {
      await Promise.all([1, 2, 3].map(() => early.database.query(wait)));
      return (await sql("SELECT 1 FROM pg_stat_activity WHERE usename = 'few2'")).length === 2;
    });
    await withLongSeconds(async () => {
      const isServed = late.database.query(wait).then(() => true);
      later(61_000);
      await early.database.query(wait);
      assert.ok(await isServed);
    });
    assert.equal([early.warnings, late.warnings], [[], []]);
  }));

test('a server that gets no connection refuses votes after a second, says so once, and works when it gets one', () =>
  withFew({ servers: 2, most: 1 }, async ([one, other], _later, sql) => {
    assert.ok(one && other);
    await one.database.query(wait);
    const refused = await rejection(other.database.query(wait));
    assert.instance(refused, DatabaseUnavailable);
    assert.is(other.database.failure(), refused);
    await sql("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE usename = 'few1'");
    assert.ok(await other.database.available(patienceMs));
    await other.database.query(wait);
    await until(() => other.warnings.length === 2);
    assert.equal(other.warnings, [
      'The database is unavailable (53300). The server keeps trying to reach it.',
      'The database is available again.',
    ]);
    assert.equal(one.warnings, []);
  }));

test.run();
