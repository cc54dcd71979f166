import { rename } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { putLock } from '../support/lock.ts';
import { startPostgres } from '../support/postgres.ts';
import { postJson } from '../support/requests.ts';
import { type Runtime, withRuntime } from '../support/server.ts';
import { until } from '../support/until.ts';

/** What the log says while nothing can be stored: that it is so once, and one line for each refused request. */

const sending = [
  ['/api/feedback', { slug: 'one', vote: 'yes' }, 503],
  ['/api/subscribe', { email: 'ada@example.com', list: 'daily' }, 502],
] as const;

/** Sends three votes and subscriptions that are refused. Fails unless the log has just a line for each, and `outages`. */
async function assertQuiet({ server }: Runtime, before: number, outages: RegExp[]): Promise<void> {
  for (const [path, body, status] of [...sending, ...sending, ...sending]) {
    assert.is((await postJson(server.address, path, body)).status, status);
  }
  const answered = () => lines().filter(({ msg }) => msg === 'request');
  const lines = () =>
    server
      .logged()
      .slice(before)
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line));
  await until(() => answered().length === 6);
  assert.equal(
    answered().map(({ level, path, status }) => [level, path, status]),
    [...sending, ...sending, ...sending].map(([path, , status]) => [40, path, status]),
  );
  const others = lines().filter(({ msg }) => msg !== 'request');
  assert.equal(
    others.filter(({ err }) => err !== undefined),
    [],
  );
  assert.is(others.length, outages.length, JSON.stringify(others));
  for (const [index, outage] of outages.entries()) assert.match(others[index].msg, outage);
}

test('while the database is unavailable, the log says so once, and has no stack for each refused request', async () => {
  const postgres = await startPostgres();
  try {
    const env = { DATABASE_URL: await postgres.database() };
    await withRuntime({ env }, async (runtime) => {
      for (const [path, body] of sending) assert.is((await postJson(runtime.server.address, path, body)).status, 200);
      await postgres.kill();
      const before = runtime.server.logged().length;
      await assertQuiet(runtime, before, [/^The database is unavailable \(\w+\)/]);
    });
  } finally {
    await postgres.stop();
  }
});

test('while another process has the logs, the log says so once, and has no stack for each refused request', () =>
  withRuntime({}, async (runtime) => {
    const { server, log, data } = runtime;
    for (const [path, body] of sending) assert.is((await postJson(server.address, path, body)).status, 200);
    const before = server.logged().length;
    for (const file of [log, join(data, 'signups.jsonl')]) {
      await putLock(`${file}.other`, { host: 'elsewhere' });
      await rename(`${file}.other.lock`, `${file}.lock`);
    }
    await until(() => server.logged().slice(before).split('has taken over').length === 3);
    await assertQuiet(runtime, server.logged().length, []);
  }));

test.run();
