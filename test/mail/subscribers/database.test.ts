import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { ProviderFailed } from '../../../src/mail/calls.ts';
import { MailKey } from '../../../src/mail/consent.ts';
import type { SubscriberStore } from '../../../src/mail/provider.ts';
import { openSubscribers } from '../../../src/mail/subscribers.ts';
import { databaseSubscriptions, openSubscriberDatabase } from '../../../src/mail/subscribers-database.ts';
import { DatabaseUnavailable } from '../../../src/storage/database.ts';
import { type Database, openDatabase } from '../../../src/storage/postgres.ts';
import { inFolder, writeFiles } from '../../support/catalog.ts';
import { loud } from '../../support/loud.ts';
import { execSql, type Postgres, startPostgres } from '../../support/postgres.ts';
import { catalog } from '../../support/process.ts';
import { assertNothingPrivate, recorder, subscription } from '../../support/subscribers.ts';

/** Subscribers in PostgreSQL: when they cannot be stored, and `catalog subscribers`. Consent is in consent.test.ts. */

let postgres: Postgres;
test.before(
  loud(async () => {
    postgres = await startPostgres();
  }),
);
test.after(loud(() => postgres?.stop()));

const signal = () => AbortSignal.timeout(10_000);

async function withSubscribers(
  use: (opened: { url: string; database: Database; subscribers: SubscriberStore }) => Promise<void>,
): Promise<void> {
  const url = await postgres.database();
  const database = openDatabase({ url, warn: () => {} });
  const tools = { file: '/nowhere', database, log: recorder([]) };
  const subscribers = await openSubscribers({ provider: 'file' }, tools);
  await use({ url, database, subscribers }).finally(() => database.close());
}

test('a subscription is stored once, however often it is sent', () =>
  withSubscribers(async ({ url, subscribers, database }) => {
    for (let round = 0; round < 2; round += 1) assert.is(await subscribers.add(subscription), 'accepted');
    const rows = await execSql(url, 'SELECT id, email, address, list, note, pending FROM catalog_subscriptions');
    const { id, email, list, note = null } = subscription;
    assert.equal(rows, [{ id, email, address: email.toLowerCase(), list, note, pending: false }]);
    await subscribers.check?.();
    // PostgreSQL stores no NUL.
    assert.is(await subscribers.add({ ...subscription, id: 'other', note: 'a\0b' }), 'accepted');
    const [other] = await execSql(url, "SELECT note FROM catalog_subscriptions WHERE id = 'other'");
    assert.is(other?.note, 'a\uFFFDb');
    // A row that was changed keeps its position.
    await subscribers.subscriptions?.mark(id, 'confirmed', '2026-11-22T10:00:00.000Z');
    assert.equal(
      (await databaseSubscriptions(database).all()).map(({ id, confirmed }) => [id, confirmed]),
      [
        [id, '2026-11-22T10:00:00.000Z'],
        ['other', undefined],
      ],
    );
  }));

test('a mailbox is found without reading all subscriptions', () =>
  withSubscribers(async ({ url, database }) => {
    const rows = "SELECT g, now(), '', 'a' || g || '@' || g % 500 || '.example.com', 'daily', false";
    const columns = 'id, time, email, address, list, pending';
    await execSql(url, `INSERT INTO catalog_subscriptions (${columns}) ${rows} FROM generate_series(1, 5000) g`);
    await execSql(url, 'ANALYZE catalog_subscriptions');
    let plan = '';
    const explaining = {
      ...database,
      async query(text: string, values: readonly unknown[]) {
        plan = JSON.stringify(await database.query(`EXPLAIN ${text}`, values));
        return [];
      },
    } as unknown as Database;
    await databaseSubscriptions(explaining).find({ mailbox: 'a7+news@7.example.com' });
    assert.match(plan, /catalog_subscriptions_mailbox/);
    assert.not.match(plan, /Seq Scan/);
  }));

test('a database that is away is a temporary failure without private data', () =>
  withSubscribers(async ({ subscribers }) => {
    await postgres.kill();
    const failure = await subscribers.add(subscription).catch((error) => error);
    assert.instance(failure, ProviderFailed);
    assert.is(failure.reason, 'storage');
    assertNothingPrivate(failure, subscription);
    assert.ok(await subscribers.check?.().catch((error) => error));
    await postgres.start();
  }));

test('a subscription does not wait for a database that is known to be away', async () => {
  const unavailable = new DatabaseUnavailable(new Error('ECONNREFUSED'));
  let waits = 0;
  const away: Database = {
    query: () => Promise.reject(unavailable),
    failure: () => unavailable,
    available: async () => {
      waits += 1;
      return false;
    },
    close: async () => {},
  };
  const failure = await openSubscriberDatabase(away)
    .add(subscription, signal())
    .catch((error) => error);
  assert.instance(failure, ProviderFailed);
  assert.is(failure.reason, 'storage');
  assert.is(waits, 0);
});

const line = (fields: object) =>
  `${JSON.stringify({ id: 'a', time: '2026-11-02T10:00:00.000Z', email: 'Ann@example.com', list: 'daily', ...fields })}\n`;

/** Two addresses; the second one confirmed and left, and one that was erased is suppressed. */
const stored =
  line({ id: 'b', time: '2026-11-02T09:00:00.000Z', email: 'bob@example.com', list: 'pro', note: 'please' }) +
  line({ pending: true, form: 'f1' }) +
  '{"id":"a","time":"2026-11-03T10:00:00.000Z","event":"confirmed"}\n' +
  '{"id":"a","time":"2026-11-04T10:00:00.000Z","event":"unsubscribed"}\n';
const suppressed = '{"hash":"h","time":"2026-11-05T10:00:00.000Z"}\n{"hash":"i","time":"2026-11-06T10:00:00.000Z"}\n';

/** Runs `use` with a file of subscribers and a database that has imported it. */
const withBoth = (use: (folder: string, env: { DATABASE_URL: string }) => Promise<void>) =>
  inFolder(async (folder) => {
    writeFiles(folder, { 'data/signups.jsonl': stored, 'data/suppressed.jsonl': suppressed });
    const env = { DATABASE_URL: await postgres.database() };
    const { code, stderr } = await catalog(['subscribers', 'import', '--cwd', folder], { env });
    assert.equal([code, stderr], [0, 'Imported 2 subscriptions.\n']);
    await use(folder, env);
  });

for (const args of [[], ['--format', 'csv'], ['--format', 'json', '--list', 'daily'], ['--since', '2026-11-03']]) {
  test(`subscribers are listed alike from a file and from a database: ${args.join(' ')}`, () =>
    withBoth(async (folder, env) => {
      const fromFile = await catalog(['subscribers', '--cwd', folder, ...args]);
      const fromDatabase = await catalog(['subscribers', '--cwd', folder, ...args], { env });
      assert.equal(fromDatabase, fromFile);
    }));
}

test('an import adds nothing twice, and copies erased addresses', () =>
  withBoth(async (folder, env) => {
    const again = await catalog(['subscribers', 'import'], { env: { ...env, CATALOG_DATA: join(folder, 'data') } });
    assert.is(again.stderr, 'Imported 0 subscriptions. The database already had 2.\n');
    const database = openDatabase({ url: env.DATABASE_URL, warn: () => {} });
    const suppressions = await databaseSubscriptions(database)
      .suppressions()
      .finally(() => database.close());
    assert.equal(
      [...suppressions],
      [
        ['h', '2026-11-05T10:00:00.000Z'],
        ['i', '2026-11-06T10:00:00.000Z'],
      ],
    );
  }));

test('an import names each line and file that it leaves out, and takes a last line without its newline', () =>
  inFolder(async (folder) => {
    const last = line({ id: 'z', email: 'zoe@example.com' }).trimEnd();
    // PostgreSQL takes neither of the two.
    const unfit = line({ id: 'nul\0' }) + line({ time: '0000-01-01T00:00:00.000Z' });
    writeFiles(folder, { 'signups.jsonl': `${stored}torn\n${unfit}${last}`, 'signups.jsonl.1.gz': 'packed' });
    const env = { DATABASE_URL: await postgres.database() };
    const { code, stderr } = await catalog(['subscribers', 'import', '--data', folder], { env });
    const file = join(folder, 'signups.jsonl');
    const left = `Skipped lines 5, 6, 7 of ${file}: incomplete or invalid.\nNot read, because compressed: ${file}.1.gz.\n`;
    assert.equal([code, stderr], [0, `${left}Imported 3 subscriptions.\n`]);
    // Its address could get email again.
    writeFiles(folder, { 'suppressed.jsonl': `${suppressed}not json\n` });
    const refused = await catalog(['subscribers', 'import', '--data', folder], { env });
    assert.match(
      refused.stderr,
      `error: Line 3 of ${join(folder, 'suppressed.jsonl')} cannot be read. It may say that`,
    );
    assert.is(refused.code, 1);
  }));

test('an import that is interrupted leaves nobody subscribed whose address was erased', async () => {
  const statements: string[] = [];
  const database = {
    query: async (text: string) => {
      statements.push(text);
      return [];
    },
  } as unknown as Database;
  await databaseSubscriptions(database).import([subscription], new Map([['h', '2026-11-05T10:00:00.000Z']]));
  assert.match(statements[0] ?? '', /^INSERT INTO catalog_suppressions/);
});

test('a second import ends the emails of readers who left since the first one', () =>
  withBoth(async (folder, env) => {
    // Afterward, the first reader left, and the second one subscribed again.
    const left = '{"id":"b","time":"2026-11-06T10:00:00.000Z","event":"unsubscribed"}\n';
    writeFiles(folder, { 'data/signups.jsonl': stored + left });
    const database = openDatabase({ url: env.DATABASE_URL, warn: () => {} });
    try {
      await openSubscriberDatabase(database).add({ ...subscription, id: 'c', email: 'ann@example.com' }, signal());
      await databaseSubscriptions(database).mark('c', 'confirmed', '2026-11-07T10:00:00.000Z');
      const again = await catalog(['subscribers', 'import', '--cwd', folder], { env });
      assert.is(again.stderr, 'Imported 0 subscriptions. The database already had 2.\n');
      const outcomes = (await databaseSubscriptions(database).all()).map(({ id, confirmed, unsubscribed }) => [
        ...[id, confirmed?.slice(0, 10), unsubscribed?.slice(0, 10)],
      ]);
      assert.equal(outcomes, [
        ['b', undefined, '2026-11-06'],
        ['a', '2026-11-03', '2026-11-04'],
        ['c', '2026-11-07', undefined],
      ]);
    } finally {
      await database.close();
    }
  }));

test('erase removes an address in any case from the database, and ends its emails', () =>
  withBoth(async (folder, { DATABASE_URL }) => {
    const key = 'k'.repeat(32);
    const erase = (CATALOG_MAIL_KEY = key) =>
      catalog(['subscribers', 'erase', ' ANN@example.com ', '--cwd', folder], {
        env: { DATABASE_URL, CATALOG_MAIL_KEY },
      });
    assert.match((await erase('')).stderr, /^error: Nothing was erased\. .* CATALOG_MAIL_KEY is not set/);
    // What fails removes nothing that the next attempt needs.
    await execSql(DATABASE_URL, 'ALTER TABLE catalog_suppressions RENAME TO away');
    assert.is((await erase()).code, 1);
    await execSql(DATABASE_URL, 'ALTER TABLE away RENAME TO catalog_suppressions');
    assert.is((await erase()).stderr, 'Erased ANN@example.com (1 subscription).\n');
    const again = await erase();
    assert.equal(
      [again.code, again.stderr],
      [1, 'error: ANN@example.com is not in the database; nothing was changed.\n'],
    );
    const rows = await execSql(DATABASE_URL, 'SELECT email FROM catalog_subscriptions');
    assert.equal(rows, [{ email: 'bob@example.com' }]);
    const hashes = await execSql(DATABASE_URL, 'SELECT hash FROM catalog_suppressions WHERE length(hash) > 1');
    assert.equal(hashes, [{ hash: new MailKey(Buffer.from(key)).addressHash('ann@example.com') }]);
  }));

test.run();
