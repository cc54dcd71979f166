import { randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { databaseVotes, insertVotes } from '../../../src/storage/database-votes.ts';
import { openVoteLog } from '../../../src/storage/file-votes.ts';
import { openDatabase } from '../../../src/storage/postgres.ts';
import { inFolder, writeFiles } from '../../support/catalog.ts';
import { loud } from '../../support/loud.ts';
import { execSql, type Postgres, startPostgres } from '../../support/postgres.ts';
import { catalog } from '../../support/process.ts';
import { line, log, withLog, writeBuild } from '../../support/vote-log.ts';

/** `catalog votes` with a database: the report, the totals, and moving votes from and to logs. */

let postgres: Postgres;
test.before(
  loud(async () => {
    postgres = await startPostgres();
  }),
);
test.after(loud(() => postgres?.stop()));

/** Runs `use` in a folder with a vote log and a build, and with a database that has the same votes. */
function withBoth(use: (folder: string, env: { DATABASE_URL: string }) => Promise<void>): Promise<void> {
  return withLog(async (folder) => {
    const env = { DATABASE_URL: await postgres.database() };
    const { code, stderr } = await catalog(['votes', 'import', '--cwd', folder], { env });
    assert.is(code, 0, stderr);
    await use(folder, env);
  });
}

const formats: string[][] = [[], ['--format', 'csv'], ['--notes', '--format', 'csv'], ['--since', '2026-11-02']];
for (const args of formats) {
  test(`the report is the same from a log and from a database: ${args.join(' ')}`, () =>
    withBoth(async (folder, env) => {
      const fromLog = await catalog(['votes', '--cwd', folder, ...args]);
      const fromDatabase = await catalog(['votes', '--cwd', folder, ...args], { env });
      // The database has no lines, so none is malformed.
      const votes = fromLog.stdout.replace(/\n1 line is not a vote and was left out\.\n/, '');
      assert.equal([fromDatabase.code, fromDatabase.stdout, fromDatabase.stderr], [0, votes, '']);
    }));
}

test('--file reads a log in spite of DATABASE_URL', () =>
  withLog(async (folder) => {
    const env = { DATABASE_URL: await postgres.database() };
    const args = ['votes', '--cwd', folder, '--file', 'data/votes.jsonl', '--format', 'csv'];
    assert.match((await catalog(args, { env })).stdout, /^one,4,/m);
  }));

test('a log that is imported later changes neither the latest notes nor the totals after a way back to files', () =>
  inFolder(async (folder) => {
    const at = (day: number, hour: number, rest: object) =>
      line({ id: `${day}-${hour}`, time: `2026-11-0${day}T${hour}:00:00.000Z`, ...rest });
    writeFiles(folder, {
      'new.jsonl': at(5, 10, { note: 'first', voter: 1 }) + at(6, 10, { note: 'last', voter: 2 }),
      'old.jsonl': at(1, 10, { note: 'old', voter: 3 }) + at(5, 12, { vote: 'no', voter: 1 }),
    });
    const env = { DATABASE_URL: await postgres.database() };
    const run = (...args: string[]) => catalog(['votes', ...args, '--cwd', folder], { env });
    for (const name of ['new', 'old']) assert.is((await run('import', `${name}.jsonl`)).code, 0);
    const { notes } = JSON.parse((await run('--format', 'json')).stdout) as { notes: { note: string }[] };
    assert.equal(
      notes.map(({ note }) => note),
      ['last', 'first', 'old'],
    );
    writeFiles(folder, { 'data/votes.jsonl': (await run('export')).stdout });
    const file = join(folder, 'data/votes.jsonl');
    const store = await openVoteLog({ file, now: () => new Date(), random: randomBytes, warn: () => {} });
    assert.equal(await store.totals().finally(() => store.close()), [{ slug: 'one', yes: 2, no: 1 }]);
  }));

// More than ten batches of an import, and four pages of an export, with a part of one at the end.
test('20,500 votes are the same after an import and an export, and none is added twice', () =>
  inFolder(async (folder) => {
    const votes = Array.from({ length: 20_500 }, (_, index) => {
      const time = new Date(Date.UTC(2026, 10, 1) + index * 100_000).toISOString();
      const note = index % 10 === 0 ? `note ${index} "quoted" 😀\u2028` : undefined;
      const id = `${String(index).padStart(8, '0')}-0000-7000-8000-000000000000`;
      return line({
        id,
        time,
        slug: `agent-${index % 7}`,
        vote: index % 3 === 0 ? 'no' : 'yes',
        voter: index % 1000,
        ...(note && { note }),
      });
    });
    writeFiles(folder, { 'votes.jsonl': votes.join(''), 'start.jsonl': votes.slice(0, 5_000).join('') });
    const env = { DATABASE_URL: await postgres.database() };
    const move = (...args: string[]) => catalog(['votes', ...args, '--cwd', folder], { env });
    assert.is((await move('import', 'start.jsonl')).stderr, 'Imported 5000 votes.\n');
    assert.is((await move('import', 'votes.jsonl')).stderr, 'Imported 15500 votes. The database already had 5000.\n');
    const { code, stdout } = await move('export');
    assert.is(code, 0);
    // What could control a terminal is escaped, which changes nothing for a program.
    assert.not.ok(stdout.includes('\u2028'));
    assert.ok(stdout.replaceAll('\\u2028', '\u2028') === votes.join(''), 'the export differs from the log');
  }));

/** The totals of the database, as lines of CSV without shares. */
async function totalsOf(DATABASE_URL: string): Promise<string[]> {
  const { stdout } = await catalog(['votes', 'totals', '--format', 'csv'], { env: { DATABASE_URL } });
  const [head, ...rows] = stdout.trimEnd().split('\r\n');
  assert.is(head, 'slug,votes,yes,no');
  return rows;
}

test('lines that are no votes are reported by an import and left out', () =>
  withLog(async (folder) => {
    const env = { DATABASE_URL: await postgres.database() };
    const { code, stderr } = await catalog(['votes', 'import', '--cwd', folder], { env });
    assert.is(code, 0);
    const file = join(folder, 'data/votes.jsonl');
    assert.is(stderr, `Skipped line 4 of ${file}: incomplete or invalid.\nImported 6 votes.\n`);
    const exported = await catalog(['votes', 'export'], { env });
    const lines = log.split('\n').filter((each) => /^\{.*\}$/.test(each));
    assert.equal(
      exported.stdout
        .trimEnd()
        .split('\n')
        .map((each) => JSON.parse(each)),
      lines.map((each) => JSON.parse(each)),
    );
  }));

test('an import of a named log that does not exist is an error, and imports nothing of the others', () =>
  withLog(async (folder) => {
    const env = { DATABASE_URL: await postgres.database() };
    const args = ['votes', 'import', '--cwd', folder, 'data/votes.jsonl', 'wrong.jsonl'];
    const { code, stderr } = await catalog(args, { env });
    assert.equal([code, stderr], [1, `error: There is no vote log ${join(folder, 'wrong.jsonl')}.\n`]);
    assert.equal(await execSql(env.DATABASE_URL, 'SELECT id FROM catalog_votes'), []);
  }));

test('an export without a database is the log', () =>
  withLog(async (folder) => {
    const { stdout, stderr } = await catalog(['votes', 'export', '--cwd', folder]);
    assert.is(stdout.split('\n').length, 7);
    assert.match(stderr, 'Skipped line 4');
    assert.is(readFileSync(join(folder, 'data/votes.jsonl'), 'utf8'), log);
  }));

test('totals count the last vote of a reader per agent and day, and past days are counted once', async () => {
  const url = await postgres.database();
  const database = openDatabase({ url, warn: () => {} });
  const add = (id: string, time: string, slug: string, vote: string, voter = 'a') =>
    execSql(
      url,
      `INSERT INTO catalog_votes (id, time, slug, vote, voter) VALUES ('${id}', '${time}', '${slug}', '${vote}', '${voter}')`,
    );
  const totals = async (now: string) =>
    (await databaseVotes(database).totals(new Date(now))).map(({ slug, yes, no }) => `${slug} ${yes} ${no}`);
  const days = async () =>
    (await execSql(url, 'SELECT DISTINCT day::text FROM catalog_vote_days ORDER BY day')).map(({ day }) => day);
  try {
    assert.equal(await totals('2026-11-02T12:00:00Z'), []);
    await add('1', '2026-11-01T10:00:00Z', 'one', 'no');
    await add('2', '2026-11-01T11:00:00Z', 'one', 'yes');
    await add('3', '2026-11-01T23:59:59.999Z', 'two', 'no');
    await add('4', '2026-11-02T00:00:00Z', 'one', 'no');
    assert.equal(await totals('2026-11-02T00:09:59Z'), ['one 1 1', 'two 0 1']);
    assert.equal(await days(), [], 'a day is open for ten more minutes');
    assert.equal(await totals('2026-11-02T00:10:00Z'), ['one 1 1', 'two 0 1']);
    assert.equal(await days(), ['2026-11-01']);
    await add('5', '2026-11-02T09:00:00Z', 'two', 'yes', 'b');
    await add('6', '2026-11-02T09:00:01Z', 'one', 'yes', 'b');
    assert.equal(await totals('2026-11-04T12:00:00Z'), ['one 2 1', 'two 1 1']);
    assert.equal(await days(), ['2026-11-01', '2026-11-02']);
    for (const slug of ['b', 'a']) await add(slug, '2026-11-03T09:00:00Z', slug, 'no');
    assert.equal(await totals('2026-11-04T12:00:00Z'), ['one 2 1', 'two 1 1', 'a 0 1', 'b 0 1']);
    // A machine whose clock is behind counts no day twice.
    assert.equal(await totals('2026-11-02T12:00:00Z'), ['one 2 1', 'two 1 1', 'a 0 1', 'b 0 1']);
    // What was counted is not counted again.
    await execSql(url, 'DELETE FROM catalog_votes');
    assert.equal(await totals('2026-11-04T12:00:00Z'), ['one 2 1', 'two 1 1', 'a 0 1', 'b 0 1']);
  } finally {
    await database.close();
  }
});

test('an import of older votes counts their days again, and totals are printed as a table', () =>
  inFolder(async (folder) => {
    const env = { DATABASE_URL: await postgres.database() };
    const imported = (votes: string) => {
      writeFiles(folder, { 'votes.jsonl': votes });
      return catalog(['votes', 'import', 'votes.jsonl', '--cwd', folder], { env });
    };
    await imported(line({ id: 'b', time: '2026-11-05T10:00:00.000Z' }));
    assert.equal(await totalsOf(env.DATABASE_URL), ['one,1,1,0']);
    await imported(line({ id: 'a', time: '2026-11-01T10:00:00.000Z', vote: 'no' }));
    assert.equal(await totalsOf(env.DATABASE_URL), ['one,2,1,1']);
    await imported(line({ id: 'c', time: '2026-11-01T10:00:00.000Z', vote: 'no', voter: 2 }));
    const { stdout } = await catalog(['votes', 'totals'], { env });
    assert.is(stdout, 'agent  votes  yes  no\none        3    1   2\n');
    // A log of several days, all of which were counted before.
    const days = ['2026-11-03', '2026-11-01', '2026-11-05'];
    await imported(days.map((day, at) => line({ id: `d${at}`, time: `${day}T10:00:00.000Z`, voter: 3 })).join(''));
    assert.equal(await totalsOf(env.DATABASE_URL), ['one,6,4,2']);
    // The reader changed this vote later on the same day, in a vote that was imported before.
    await imported(line({ id: 'e', time: '2026-11-05T09:00:00.000Z', vote: 'no' }));
    assert.equal(await totalsOf(env.DATABASE_URL), ['one,6,4,2']);
  }));

test('votes that are stored after their day was counted, since a clock was ahead, still count', async () => {
  const url = await postgres.database();
  const database = openDatabase({ url, warn: () => {} });
  const vote = (id: string, time: string) =>
    insertVotes(database, [{ id, time, slug: 'one', vote: 'yes', voter: id.repeat(32) }]);
  const totals = async (now: string) => (await databaseVotes(database).totals(new Date(now))).map(({ yes }) => yes);
  try {
    await vote('a', '2026-11-01T09:00:00Z');
    await vote('b', '2026-11-02T09:00:00Z');
    assert.equal(await totals('2026-11-09T09:00:00Z'), [2]);
    await vote('c', '2026-11-02T10:00:00Z');
    await vote('d', '2026-11-02T11:00:00Z');
    assert.equal(await totals('2026-11-03T09:00:00Z'), [4]);
  } finally {
    await database.close();
  }
});

test('redact blanks the note of one vote in the database, for a role that may', () =>
  withBoth(async (folder, env) => {
    const redact = (id: string, url = env.DATABASE_URL) =>
      catalog(['votes', 'redact', id, '--cwd', folder], { env: { DATABASE_URL: url } });
    assert.equal(
      [(await redact('v1')).stderr, (await redact('v1')).stderr],
      ['Deleted the note of vote v1.\n', 'Vote v1 has no note; nothing was changed.\n'],
    );
    assert.is((await redact('v3')).stderr, 'Vote v3 has no note; nothing was changed.\n');
    const unknown = await redact('v9');
    assert.equal([unknown.code, unknown.stderr], [1, 'error: No vote in the database has the id v9.\n']);
    const rows = await execSql(env.DATABASE_URL, "SELECT id, note FROM catalog_votes WHERE note <> '' ORDER BY id");
    assert.equal(
      rows.map(({ id }) => id),
      ['v2', 'v6'],
    );
    await execSql(env.DATABASE_URL, 'CREATE ROLE catalog_redact_test LOGIN');
    await catalog(['db', 'migrate', '--grant', 'catalog_redact_test'], { env });
    const refused = await redact('v2', env.DATABASE_URL.replace('postgres@', 'catalog_redact_test@'));
    assert.is(refused.code, 1);
    assert.match(refused.stderr, /permission denied .* \(42501\)\. Use the role that owns the tables\./);
  }));

test('a note that was blanked in the log after an import is blanked by the next one', () =>
  inFolder(async (folder) => {
    const env = { DATABASE_URL: await postgres.database() };
    const ids = [1, 2].map((digit) => `0000000${digit}-0000-7000-8000-000000000000`);
    const importing = async (notes: string[]) => {
      const votes = ids.map((id, index) => line({ id, note: notes[index] ?? '' }));
      writeFiles(folder, { 'data/votes.jsonl': votes.join('') });
      assert.is((await catalog(['votes', 'import', '--cwd', folder], { env })).code, 0);
      const rows = await execSql(env.DATABASE_URL, 'SELECT note FROM catalog_votes ORDER BY id');
      return rows.map(({ note }) => note);
    };
    assert.equal(await importing(['call me: 555-0100', 'useful']), ['call me: 555-0100', 'useful']);
    assert.equal(await importing(['', 'useful']), ['', 'useful']);
  }));

test('commands that need a database say so, and a database without tables is an error', async () => {
  for (const command of ['import', 'totals']) {
    const { code, stderr } = await catalog(['votes', command]);
    assert.equal([code, stderr], [2, 'error: Set DATABASE_URL to a connection URI of the database.\n']);
  }
  const none = await catalog(['votes', 'totals'], { env: { DATABASE_URL: await postgres.database() } });
  assert.equal([none.code, none.stdout], [0, 'No votes.\n']);
  const env = { DATABASE_URL: await postgres.emptyDatabase() };
  const { code, stderr } = await catalog(['votes', 'export'], { env });
  assert.is(code, 1);
  assert.match(
    stderr,
    /catalog_migrations.* does not exist \(42P01\)\. Run npx --no daily-agent-catalog db migrate first\./,
  );
});

test('a build marks withdrawn agents in the report of a database, too', () =>
  withBoth(async (folder, env) => {
    writeBuild(folder, 'dist');
    const { stdout } = await catalog(['votes', '--cwd', folder], { env });
    assert.match(stdout, /gone \(withdrawn\)/);
  }));

test.run();
