import { randomBytes } from 'node:crypto';
import { pino } from 'pino';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { rateLimit, sharedLimits } from '../../src/server/limits.ts';
import { openDatabaseVotes } from '../../src/storage/database-votes.ts';
import { openDatabase } from '../../src/storage/postgres.ts';
import { inFolder } from '../support/catalog.ts';
import { loud } from '../support/loud.ts';
import { execSql, type Postgres, startPostgres } from '../support/postgres.ts';
import { assertError, postJson } from '../support/requests.ts';
import { builtCatalog, type ServerHere, startRuntime } from '../support/server.ts';
import { until } from '../support/until.ts';
import { voteBy } from '../support/votes.ts';
import { vote } from '../support/voting.ts';

/** Limits that servers share, and what they do while the database is away. */

let postgres: Postgres;
test.before(
  loud(async () => {
    postgres = await startPostgres();
  }),
);
test.after(loud(() => postgres?.stop()));

type Servers = { url: string; one: ServerHere; two: ServerHere };

/** Runs `use` with two servers that have one database. */
async function withServers(flags: Record<string, string>, use: (servers: Servers) => Promise<void>): Promise<void> {
  await inFolder(async (folder) => {
    builtCatalog(folder);
    const url = await postgres.database();
    const start = (data: string) => startRuntime(folder, { flags: { ...flags, data }, env: { DATABASE_URL: url } });
    const servers = [await start('a'), await start('b')] as const;
    try {
      await use({ url, one: servers[0], two: servers[1] });
    } finally {
      for (const server of servers) await server.stop();
    }
  });
}

const subscribe = ({ address }: ServerHere) =>
  postJson(address, '/api/subscribe', { email: 'ann@example.com', list: 'daily' });

test('servers share limits, each limit with its own count, and store no address', () =>
  withServers(
    { voteRate: '3/60', subscribeRate: '1/60', refusedRate: '2/60', mcpRate: '1/60' },
    async ({ url, one, two }) => {
      const votes = [
        await vote(one.address, 'a'),
        await vote(two.address, 'b'),
        await vote(one.address, 'c'),
        await vote(two.address, 'd'),
        await vote(one.address, 'e'),
      ];
      assert.equal(
        votes.map(({ status, headers }) => `${status} ${headers.ratelimit}`.replace(/t=\d+/, 't=')),
        ['200 "votes";r=2;t=', '200 "votes";r=1;t=', '200 "votes";r=0;t=', '429 "votes";r=0;t=', '429 "votes";r=0;t='],
      );
      assert.equal([(await subscribe(two)).status, (await subscribe(one)).status], [200, 429]);
      const refused = [one, two, one].map((server) => () => postJson(server.address, '/api/feedback', {}));
      const statuses: number[] = [];
      for (const ask of refused) statuses.push((await ask()).status);
      assert.equal(statuses, [400, 400, 429]);
      // Reading needs no database, so each server counts its own messages.
      const ping = { jsonrpc: '2.0', id: 1, method: 'ping' };
      const pings: number[] = [];
      for (const { address } of [one, two, one]) pings.push((await postJson(address, '/api/mcp', ping)).status);
      assert.equal(pings, [200, 200, 429]);
      const keys = (await execSql(url, 'SELECT key FROM catalog_limits ORDER BY key')).map(({ key }) => String(key));
      assert.equal(
        keys.map((key) => key.replace(/[0-9a-f]{32}$/, '…')),
        ['refused:…', 'subscriptions:…', 'votes:…'],
      );
      assert.is(new Set(keys.map((key) => key.split(':')[1])).size, 3, 'a pseudonym is the same in two limits');
    },
  ));

test('two servers together allow exactly the count of a window, and as many in the next one', async () => {
  const database = openDatabase({ url: await postgres.database(), warn: () => {} });
  const real = Date.now;
  let now = real();
  Date.now = () => now;
  try {
    const rate = { count: 3, seconds: 60 };
    const servers = [1, 2].map(() =>
      rateLimit('votes', rate, sharedLimits(database, 'closed', pino({ level: 'silent' }))),
    );
    const taken = async () => {
      const takings = servers.flatMap((limit) => [1, 2, 3].map(() => limit.take('192.0.2.1')));
      return (await Promise.allSettled(takings)).filter(({ status }) => status === 'fulfilled').length;
    };
    assert.is(await taken(), 3);
    now += 59_000;
    assert.is(await taken(), 0);
    now += 1_000;
    assert.is(await taken(), 3);
  } finally {
    Date.now = real;
    await database.close();
  }
});

test('a vote leaves no prepared statement on a connection, which a pooler may give to another server', async () => {
  const database = openDatabase({ url: await postgres.database(), warn: () => {}, connections: 1 });
  const store = openDatabaseVotes({ database, now: () => new Date(), random: randomBytes });
  try {
    const limits = sharedLimits(database, 'closed', pino({ level: 'silent' }));
    await rateLimit('votes', { count: 3, seconds: 60 }, limits).take('192.0.2.1');
    await store.append(voteBy(1));
    assert.equal(await database.query('SELECT name FROM pg_prepared_statements'), []);
  } finally {
    await store.close();
    await database.close();
  }
});

/** Subscriptions that pass the limit are 502 then, since they cannot be stored. */
const modes: [mode: string, statuses: number[], says: RegExp][] = [
  ['open', [502, 502, 429], /each server counts alone/],
  ['closed', [429, 429, 429], /requests are refused/],
];
for (const [limitFailure, statuses, says] of modes) {
  test(`while the database is away, ${limitFailure} limits answer ${statuses.join(', ')}, and the log says why once`, () =>
    withServers({ subscribeRate: '2/60', voteRate: '9999/60', limitFailure }, async ({ one }) => {
      await postgres.kill();
      const answers = [await subscribe(one), await subscribe(one), await subscribe(one)];
      assert.equal(
        answers.map(({ status }) => status),
        statuses,
      );
      const last = answers[2];
      assert.ok(last);
      assertError(last, 429, 'rate_limited');
      assert.match(last.headers['retry-after'] ?? '', /^[1-9]\d*$/);
      const reasons = one.logged().match(/limits cannot be shared[^"]*/g) ?? [];
      assert.is(reasons.length, 1);
      assert.match(reasons[0] ?? '', says);
      await postgres.start();
      await until(async () => {
        const { status } = await vote(one.address, 'x');
        return status === 200 && one.logged().includes('limits are shared again');
      });
      await subscribe(one);
      assert.is(one.logged().match(/limits are shared again/g)?.length, 1);
    }));
}

test.run();
