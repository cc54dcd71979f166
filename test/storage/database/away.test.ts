import pg from 'pg';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { DatabaseUnavailable } from '../../../src/storage/database.ts';
import { type Database, openDatabase } from '../../../src/storage/postgres.ts';
import { until, withStillClock } from '../../support/until.ts';

/** Which errors mean that the database is away, and when it counts as available again. */

/** Runs `use` with a database whose every statement ends as `answer` says. */
async function withAnswers(
  answer: (text: string) => object[],
  use: (database: Database, warnings: string[]) => Promise<void>,
): Promise<void> {
  const { connect } = pg.Pool.prototype;
  const query = async (given: string | { text: string }) => ({
    rows: answer(typeof given === 'string' ? given : given.text),
  });
  let taken = 0;
  const release = () => {
    taken -= 1;
  };
  pg.Pool.prototype.connect = (async () => {
    taken += 1;
    return { query, release };
  }) as unknown as typeof connect;
  const warnings: string[] = [];
  const warn = (message: string) => void warnings.push(message);
  const database = openDatabase({ url: 'postgres://127.0.0.1:1/catalog', warn });
  try {
    await use(database, warnings);
    await until(() => taken === 0);
  } finally {
    await database.close();
    pg.Pool.prototype.connect = connect;
  }
}

const reported = (code: string) => Object.assign(new Error('In words.'), { severity: 'ERROR', code });
const broken = (code: string) => Object.assign(new Error('In words.'), { code });

/** The codes are from https://www.postgresql.org/docs/current/errcodes-appendix.html. */
const errors: [name: string, error: Error, isAway: boolean][] = [
  ['a connection that is refused', broken('ECONNREFUSED'), true],
  ['a connection that breaks', new Error('Connection terminated unexpectedly'), true],
  ['a connection failure', reported('08006'), true],
  ['too many connections', reported('53300'), true],
  ['a full disk', reported('53100'), true],
  ['a shutdown by the administrator', reported('57P01'), true],
  ['a server that is starting', reported('57P03'), true],
  ['a statement that took too long', reported('57014'), true],
  ['an I/O error', reported('58030'), true],
  ['a former primary, which is read-only', reported('25006'), true],
  ['a serialization failure', reported('40001'), true],
  ['a deadlock', reported('40P01'), true],
  ['a right that is missing', reported('42501'), false],
  ['a table that is missing', reported('42P01'), false],
  ['a value that is refused', reported('23514'), false],
  ['a text that is too long', reported('22001'), false],
  ['a password that is wrong', reported('28P01'), false],
];
for (const [name, error, isAway] of errors) {
  test(`${name} ${isAway ? 'means that the database is away' : 'is an error of the statement'}`, () =>
    withAnswers(
      () => {
        throw error;
      },
      async (database, warnings) => {
        const failure = await database.query('SELECT 1').catch((reason) => reason);
        assert.is(failure instanceof DatabaseUnavailable, isAway);
        assert.is(isAway ? failure.cause : failure, error);
        const { code = 'Connection terminated unexpectedly' } = error as { code?: string };
        const warning = `The database is unavailable (${code}). The server keeps trying to reach it.`;
        if (isAway) await until(() => database.failure() !== null);
        assert.equal([warnings, database.failure() === null], isAway ? [[warning], false] : [[], true]);
      },
    ));
}

test('a statement for which no connection is free for two seconds is refused, and the log says why', () =>
  withStillClock(async (later) => {
    const { connect } = pg.Pool.prototype;
    const client = { on() {}, release() {}, query: async () => ({ rows: [{ one: 1 }] }) };
    let tries = 0;
    pg.Pool.prototype.connect = async function (this: pg.Pool) {
      tries += 1;
      if (tries === 1) this.emit('connect', client as unknown as pg.PoolClient);
      if (tries === 1 || tries > 5) return client;
      later(1_000);
      throw reported('53300');
    } as unknown as typeof connect;
    const warnings: string[] = [];
    const database = openDatabase({ url: 'postgres://127.0.0.1:1/catalog', warn: (text) => void warnings.push(text) });
    try {
      assert.equal(await database.query('SELECT 1'), [{ one: 1 }]);
      const refused = await database.query('SELECT 1').catch((reason) => reason);
      assert.instance(refused, DatabaseUnavailable);
      assert.equal(
        [tries, warnings],
        [
          3,
          [
            'Statements wait for a connection to the database. The server has 1 of 10 (CATALOG_DATABASE_CONNECTIONS) and gets no other: 53300.',
          ],
        ],
      );
    } finally {
      await database.close();
      pg.Pool.prototype.connect = connect;
    }
  }));

test('after a failover, a database that only answers is still away, until it takes votes', () => {
  let [isUp, mode, asked] = [false, 'on', 0];
  const answer = (text: string) => {
    if (!isUp) throw broken('ECONNRESET');
    if (text !== 'SHOW transaction_read_only') return [{ one: 1 }];
    asked += 1;
    return [{ transaction_read_only: mode }];
  };
  return withAnswers(answer, async (database, warnings) => {
    await database.query('SELECT 1').catch(() => {});
    isUp = true;
    await until(() => asked > 1);
    assert.instance(await database.query('SELECT 1').catch((reason) => reason), DatabaseUnavailable);
    assert.is(await database.available(1), false);
    mode = 'off';
    assert.is(await database.available(10_000), true);
    assert.equal(await database.query('SELECT 1'), [{ one: 1 }]);
    await until(() => warnings.length === 2);
    assert.is(warnings[1], 'The database is available again.');
  });
});

test.run();
