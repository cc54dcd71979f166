import { readdirSync } from 'node:fs';
import pg from 'pg';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { grantServer, migrate } from '../../../src/storage/postgres.ts';
import { bundled } from '../../support/catalog.ts';
import { loud } from '../../support/loud.ts';
import { execSql, type Postgres, startPostgres } from '../../support/postgres.ts';
import { catalog } from '../../support/process.ts';
import { until } from '../../support/until.ts';

/** `catalog db migrate`, and what the role of a server may do afterward. */

let postgres: Postgres;
test.before(
  loud(async () => {
    postgres = await startPostgres();
  }),
);
test.after(loud(() => postgres?.stop()));

const names = readdirSync(new URL('../../../migrations', import.meta.url)).sort();

test('migrations are numbered without gaps', () => {
  assert.equal(
    names.map((name) => Number(/^(\d{3})-[\w-]+\.sql$/.exec(name)?.[1])),
    names.map((_, index) => index + 1),
  );
});

test('of several runs at once, each migration is applied by one', async () => {
  const url = await postgres.emptyDatabase();
  const runs = await Promise.all(Array.from({ length: 6 }, () => migrate(url)));
  assert.equal(runs.flat().sort(), names);
  const rows = await execSql(url, 'SELECT name FROM catalog_migrations ORDER BY number');
  assert.equal(
    rows.map(({ name }) => name),
    names,
  );
});

test('a run that collides with another one is repeated, and PostgreSQL knows it as catalog', async () => {
  const url = await postgres.emptyDatabase();
  const other = new pg.Client({ connectionString: url });
  await other.connect();
  try {
    await other.query('BEGIN; CREATE TABLE catalog_migrations (number integer PRIMARY KEY, name text NOT NULL)');
    const run = migrate(url);
    const waiting =
      'SELECT application_name FROM pg_stat_activity WHERE pid IN (SELECT pid FROM pg_locks WHERE NOT granted)';
    let seen: unknown[] = [];
    await until(async () => {
      await other.query('SELECT pg_stat_clear_snapshot()');
      seen = (await other.query(waiting)).rows;
      return seen.length > 0;
    });
    assert.equal(seen, [{ application_name: 'catalog' }]);
    await other.query('COMMIT');
    assert.equal(await run, names);
  } finally {
    await other.end();
  }
});

test('catalog db migrate creates the tables, and says so when they are up to date', async () => {
  const env = { DATABASE_URL: await postgres.emptyDatabase() };
  const first = await catalog(['db', 'migrate'], { cwd: bundled, env });
  assert.equal([first.code, first.stdout, first.stderr], [0, '', `Applied ${names.join(', ')}.\n`]);
  const second = await catalog(['db', 'migrate'], { cwd: bundled, env });
  assert.equal([second.code, second.stderr], [0, 'The tables are up to date.\n']);
});

test('a command names the migrations that a database lacks', async () => {
  const DATABASE_URL = await postgres.database();
  await execSql(DATABASE_URL, 'DELETE FROM catalog_migrations WHERE number > 2');
  const { code, stderr } = await catalog(['votes', 'export'], { env: { DATABASE_URL } });
  const lacking = names.slice(2).join(', ');
  assert.equal(
    [code, stderr],
    [1, `error: The database lacks ${lacking}. Run npx --no daily-agent-catalog db migrate first.\n`],
  );
});

test('the table of votes takes yes and no, and no id twice', async () => {
  const url = await postgres.database();
  const insert = (id: string, vote: string) =>
    execSql(
      url,
      `INSERT INTO catalog_votes (id, time, slug, vote, voter) VALUES ('${id}', now(), 'one', '${vote}', 'x')`,
    ).then(
      () => 'stored',
      ({ code }) => code,
    );
  // 23514: a check failed; 23505: a key exists.
  assert.equal(
    [await insert('a', 'yes'), await insert('b', 'no'), await insert('c', 'maybe'), await insert('a', 'no')],
    ['stored', 'stored', '23514', '23505'],
  );
});

const wrongUris: [name: string, url: string][] = [
  ['no URI', ''],
  ['the URI of another protocol', 'https://user:secret@db.example'],
  ['a text that is no URI', 'db.example password=secret'],
];
for (const [name, url] of wrongUris) {
  test(`${name} is wrong usage, and is not repeated`, async () => {
    const { code, stderr } = await catalog(['db', 'migrate'], { env: { DATABASE_URL: url } });
    assert.is(code, 2);
    assert.match(stderr, 'DATABASE_URL');
    assert.not.match(stderr, 'secret');
  });
}

test('a database that cannot be used exits with 1 and the reason, without the password', async () => {
  const url = await postgres.emptyDatabase();
  const rows: [url: string, reason: RegExp][] = [
    [url.replace('postgres@', 'nobody:secret@'), /role "nobody" does not exist \(28000\)/],
    [
      url.replace(/:\d+/, ':1'),
      /failed: connect ECONNREFUSED \S+:1\. Check DATABASE_URL, and whether the database runs\.\n/,
    ],
    [url.replace(/test\d+/, 'none'), /database "none" does not exist \(3D000\)/],
  ];
  for (const [DATABASE_URL, reason] of rows) {
    const { code, stderr } = await catalog(['db', 'migrate'], { env: { DATABASE_URL } });
    assert.is(code, 1);
    assert.match(stderr, reason);
    assert.not.match(stderr, /secret|bug/);
  }
});

/** What a role may do after `--grant`: the server stores votes, and changes none. */
const rights: [statement: string, isAllowed: boolean][] = [
  ["INSERT INTO catalog_votes (id, time, slug, vote, voter) VALUES ('v', now(), 'one', 'yes', 'x')", true],
  ['SELECT * FROM catalog_votes', true],
  ["UPDATE catalog_votes SET vote = 'no'", false],
  ['DELETE FROM catalog_votes', false],
  ['TRUNCATE catalog_votes', false],
  ['DROP TABLE catalog_votes', false],
  ['SELECT * FROM catalog_migrations', true],
  ["INSERT INTO catalog_migrations VALUES (999, 'x')", false],
];

test('--grant gives a role the rights of a server, and no others', async () => {
  const url = await postgres.database();
  await execSql(url, 'CREATE ROLE "a ""server""" LOGIN');
  await execSql(url, 'GRANT ALL ON catalog_votes TO "a ""server"""');
  const { code, stderr } = await catalog(['db', 'migrate', '--grant', 'a "server"'], { env: { DATABASE_URL: url } });
  assert.equal([code, stderr], [0, 'The tables are up to date.\na "server" has the rights of a server.\n']);
  const restricted = url.replace('postgres@', `${encodeURIComponent('a "server"')}@`);
  for (const [statement, isAllowed] of rights) {
    const answer = await execSql(restricted, statement).then(
      () => true,
      ({ code }) => code,
    );
    // 42501: insufficient privilege.
    assert.is(answer, isAllowed || '42501', statement);
  }
});

/** The rights that a server needs on each table, by what it does with it. */
const needed: Record<string, string[]> = {
  catalog_migrations: ['SELECT'],
  // Votes, and events of an announcement, are only ever added.
  catalog_votes: ['SELECT', 'INSERT'],
  catalog_announcements: ['SELECT', 'INSERT'],
  // The secret of yesterday and totals that are counted again are deleted.
  catalog_voter_secrets: ['SELECT', 'INSERT', 'DELETE'],
  catalog_vote_days: ['SELECT', 'INSERT', 'DELETE'],
  catalog_limits: ['SELECT', 'INSERT', 'UPDATE', 'DELETE'],
  catalog_announcement_claims: ['SELECT', 'INSERT', 'UPDATE', 'DELETE'],
  // Subscriptions are confirmed and ended. Only an operator erases them.
  catalog_subscriptions: ['SELECT', 'INSERT', 'UPDATE'],
  catalog_suppressions: ['SELECT', 'INSERT', 'UPDATE'],
};

test('--grant gives the rights that a server needs on every table', async () => {
  const url = await postgres.database();
  await execSql(url, 'CREATE ROLE needy LOGIN');
  await grantServer(url, 'needy');
  const tables = await execSql(url, "SELECT tablename FROM pg_tables WHERE schemaname = 'public'");
  assert.equal(tables.map(({ tablename }) => tablename).sort(), Object.keys(needed).sort());
  for (const [table, rights] of Object.entries(needed)) {
    for (const right of ['SELECT', 'INSERT', 'UPDATE', 'DELETE', 'TRUNCATE']) {
      const [row] = await execSql(url, `SELECT has_table_privilege('needy', '${table}', '${right}') AS has`);
      assert.is(row?.has, rights.includes(right), `${right} on ${table}`);
    }
  }
});

test('several runs with --grant at once succeed', async () => {
  const url = await postgres.database();
  await execSql(url, 'CREATE ROLE concurrent LOGIN');
  await Promise.all(Array.from({ length: 6 }, () => grantServer(url, 'concurrent')));
});

test('rights change all at once or not at all, so that a running server never lacks one', async () => {
  const url = await postgres.database();
  await execSql(url, 'CREATE ROLE running LOGIN; GRANT SELECT ON catalog_votes TO running');
  await execSql(url, 'DROP TABLE catalog_announcement_claims');
  const refusal = await grantServer(url, 'running').catch((error) => error);
  assert.match(refusal.message, 'catalog_announcement_claims');
  const running = url.replace('postgres@', 'running@');
  await execSql(running, 'SELECT * FROM catalog_votes');
  const answer = await execSql(running, 'INSERT INTO catalog_votes SELECT WHERE false').catch(({ code }) => code);
  assert.is(answer, '42501');
});

test.run();
