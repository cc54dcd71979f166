import { renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { inFolder, type SmallAgent, writeCatalog, writeFiles } from '../support/catalog.ts';
import { type RunningServer, startServer } from '../support/process.ts';
import { until } from '../support/until.ts';

/** A single machine publishes tomorrow's agent at midnight, and a broken catalog removes nothing. */

const shift = fileURLToPath(new URL('../support/shift-clock.mjs', import.meta.url));
const agents: SmallAgent[] = [
  { slug: 'today', date: '2031-05-05' },
  { slug: 'tomorrow', date: '2031-05-06' },
];

/** A server, and its clock. */
interface Served {
  server: RunningServer;
  /** Sets its clock to a time on 2031-05-05, in the catalog's time zone. It starts half an hour before midnight. */
  setClock(time: string): void;
}

/** Runs `use` with a server that builds a catalog whenever a new day begins. */
async function withServer(folder: string, flags: string[], use: (served: Served) => Promise<void>): Promise<void> {
  const CLOCK_FILE = join(folder, 'clock');
  const setClock = (time: string) => {
    writeFileSync(`${CLOCK_FILE}.new`, String(Date.parse(`2031-05-05T${time}+02:00`) - Date.now()));
    renameSync(`${CLOCK_FILE}.new`, CLOCK_FILE);
  };
  setClock('23:30:00');
  const env = { NODE_OPTIONS: `--import=${shift}`, CLOCK_FILE };
  const server = await startServer(['--build', '--cwd', folder, ...flags], { env });
  try {
    await use({ server, setClock });
  } finally {
    assert.is((await server.stop()).code, 0);
  }
}

const status = async (address: string) => (await fetch(address)).status;

async function comesOut(): Promise<void> {
  await inFolder(async (folder) => {
    // An agent that is due but has an error is skipped at midnight, too.
    const faulty: SmallAgent = { slug: 'faulty', date: '2031-05-04', files: { 'prompt.txt': 'No sections.\n' } };
    writeCatalog(folder, [...agents, faulty], { timezone: 'Europe/Berlin' });
    const urls = { base: 'https://catalog.example', runtime: 'https://votes.example' };
    const flags = ['--base-url', urls.base, '--runtime-url', urls.runtime];
    await withServer(folder, flags, async ({ server, setClock }) => {
      assert.is(await status(`${server.address}api/agents/tomorrow.json`), 404);
      setClock('24:00:00');
      await until(async () => {
        assert.is(await status(`${server.address}api/agents/today.json`), 200);
        return (await status(`${server.address}api/agents/tomorrow.json`)) === 200;
      });
      const page = await (await fetch(`${server.address}agents/tomorrow`)).text();
      assert.match(page, `<link rel="canonical" href="${urls.base}/agents/tomorrow">`);
      assert.match(page, `action="${urls.runtime}/api/feedback"`);
      const vote = await fetch(`${server.address}api/feedback`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ slug: 'tomorrow', vote: 'yes' }),
      });
      assert.is(vote.status, 200);
    });
  });
}

async function staysUp(): Promise<void> {
  await inFolder(async (folder) => {
    writeCatalog(folder, agents, { timezone: 'Europe/Berlin' });
    await withServer(folder, [], async ({ server, setClock }) => {
      writeFiles(join(folder, 'agents', 'today'), { 'prompt.txt': 'No sections.\n' });
      setClock('24:00:00');
      await until(() => server.stdout().includes('still serving the last good build'));
      assert.match(server.stdout(), 'prompt/sections');
      assert.is(await status(`${server.address}api/agents/today.json`), 200);
      writeCatalog(folder, agents, { timezone: 'Europe/Berlin' });
      await until(async () => (await status(`${server.address}api/agents/tomorrow.json`)) === 200);
      const page = await (await fetch(`${server.address}agents/tomorrow`)).text();
      const port = new URL(server.address).port;
      assert.match(page, `<link rel="canonical" href="http://localhost:${port}/agents/tomorrow">`);
    });
  });
}

/** Both have their midnight at the same time. */
let outcomes: Promise<void>[];
test.before(() => {
  outcomes = [comesOut(), staysUp()];
  for (const outcome of outcomes) outcome.catch(() => {});
});

test("at midnight in the settings' time zone, the next agent is published, without a restart or a failed request", () =>
  outcomes[0]);

test('if the catalog is broken at midnight, the last good build stays, the log says why, and a repair is noticed', () =>
  outcomes[1]);

test.run();
