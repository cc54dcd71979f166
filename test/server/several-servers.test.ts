import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { inFolder } from '../support/catalog.ts';
import { execSql, startPostgres } from '../support/postgres.ts';
import type { RunningServer } from '../support/process.ts';
import { postJson } from '../support/requests.ts';
import { builtCatalog, startProcess } from '../support/server.ts';
import { until } from '../support/until.ts';
import { startVoting } from '../support/voting.ts';

/** Three server processes on one database: they and PostgreSQL are killed under load, and nothing that counts is lost. */

/** How many times a server and PostgreSQL are killed: ROUNDS=20 is the long run by hand. */
const rounds = Number(process.env.ROUNDS ?? 3);

interface Lane {
  server: RunningServer;
  load: ReturnType<typeof startVoting>;
}

test(`three servers share limits and lose no acknowledged vote while each and PostgreSQL are killed, ${rounds} times`, () =>
  inFolder(async (folder) => {
    builtCatalog(folder);
    const postgres = await startPostgres();
    const DATABASE_URL = await postgres.database();
    const acknowledged: string[] = [];
    let count = 0;

    async function open(): Promise<Lane> {
      count += 1;
      const name = `process${count}`;
      const flags = { data: join(folder, name), subscribeRate: '4/3600' };
      const server = await startProcess(folder, { flags, env: { DATABASE_URL } });
      return { server, load: startVoting(server.address, { clients: 4, name, pauseMs: 5 }) };
    }

    async function kill({ server, load }: Lane): Promise<void> {
      await server.stop('SIGKILL');
      await load.stop();
      acknowledged.push(...load.acknowledged);
    }

    /** Waits until every server stores votes again. */
    async function recovered(): Promise<void> {
      const before = lanes.map(({ load }) => load.acknowledged.length);
      await until(() => lanes.every(({ load }, index) => load.acknowledged.length >= (before[index] ?? 0) + 5));
    }

    const subscribe = async (lane: number) => {
      const body = { email: 'ann@example.com', list: 'daily' };
      return (await postJson(lanes[lane]?.server.address ?? '', '/api/subscribe', body)).status;
    };

    const lanes = await Promise.all([open(), open(), open()]);
    try {
      assert.equal([await subscribe(0), await subscribe(1)], [200, 200]);
      for (let round = 0; round < rounds; round += 1) {
        await recovered();
        const index = round % lanes.length;
        const victim = lanes[index] as Lane;
        // The new process starts while the database is away, or comes back.
        const [replacement] = await Promise.all([open(), kill(victim), postgres.kill().then(() => postgres.start())]);
        lanes[index] = replacement;
      }
      await recovered();
      assert.equal([await subscribe(2), await subscribe(0), await subscribe(1)], [200, 200, 429]);
    } finally {
      for (const lane of lanes) await kill(lane);
    }
    const stored = (await execSql(DATABASE_URL, 'SELECT note FROM catalog_votes')).map(({ note }) => String(note));
    await postgres.stop();
    const kept = new Set(stored);
    assert.equal(
      acknowledged.filter((note) => !kept.has(note)),
      [],
      'acknowledged, but missing',
    );
    assert.is(kept.size, stored.length, 'a vote is there twice');
    assert.ok(acknowledged.length >= 15 * rounds);
    if (process.env.ROUNDS !== undefined) console.log(`${rounds} rounds: ${acknowledged.length} votes acknowledged`);
  }));

test.run();
