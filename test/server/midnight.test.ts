import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { inFolder, type SmallAgent, writeCatalog, writeFiles } from '../support/catalog.ts';
import { type RunningServer, startServer } from '../support/process.ts';

/** A single machine publishes tomorrow's agent at midnight, and a broken catalog removes nothing. */

const shift = fileURLToPath(new URL('../support/shift-clock.mjs', import.meta.url));
const agents: SmallAgent[] = [
  { slug: 'today', date: '2031-05-05' },
  { slug: 'tomorrow', date: '2031-05-06' },
];

/** How long before midnight a server starts, in milliseconds: long enough for a slow machine to start it. */
const before = 8_000;

/** Starts a server whose clock is just before midnight in the catalog's time zone. */
function serveBeforeMidnight(folder: string, ...flags: string[]): Promise<RunningServer> {
  const midnight = Date.parse('2031-05-06T00:00:00+02:00');
  const env = { NODE_OPTIONS: `--import=${shift}`, CLOCK_SHIFT: String(midnight - before - Date.now()) };
  return startServer(['--build', '--cwd', folder, ...flags], { env });
}

async function until(holds: () => boolean | Promise<boolean>): Promise<void> {
  const deadline = performance.now() + 40_000;
  while (!(await holds())) {
    if (performance.now() > deadline) throw new Error('it did not come to hold within 40 s');
    await new Promise((done) => setTimeout(done, 50));
  }
}

const status = async (address: string) => (await fetch(address)).status;

async function comesOut(): Promise<void> {
  await inFolder(async (folder) => {
    // An agent that is due but has an error is skipped at midnight, too.
    const faulty: SmallAgent = { slug: 'faulty', date: '2031-05-04', files: { 'prompt.txt': 'No sections.\n' } };
    writeCatalog(folder, [...agents, faulty], { timezone: 'Europe/Berlin' });
    const urls = { base: 'https://catalog.example', runtime: 'https://votes.example' };
    const begun = performance.now();
    const server = await serveBeforeMidnight(folder, '--base-url', urls.base, '--runtime-url', urls.runtime);
    try {
      assert.is(await status(`${server.address}api/agents/tomorrow.json`), 404);
      // Readers who come long before midnight would only take processor time.
      await new Promise((done) => setTimeout(done, begun + before - 500 - performance.now()));
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
    } finally {
      assert.is((await server.stop()).code, 0);
    }
  });
}

async function staysUp(): Promise<void> {
  await inFolder(async (folder) => {
    writeCatalog(folder, agents, { timezone: 'Europe/Berlin' });
    const server = await serveBeforeMidnight(folder);
    try {
      writeFiles(join(folder, 'agents', 'today'), { 'prompt.txt': 'No sections.\n' });
      await until(() => server.stdout().includes('still serving the last good build'));
      assert.match(server.stdout(), 'prompt/sections');
      assert.is(await status(`${server.address}api/agents/today.json`), 200);
      writeCatalog(folder, agents, { timezone: 'Europe/Berlin' });
      await until(async () => (await status(`${server.address}api/agents/tomorrow.json`)) === 200);
      const page = await (await fetch(`${server.address}agents/tomorrow`)).text();
      const port = new URL(server.address).port;
      assert.match(page, `<link rel="canonical" href="http://localhost:${port}/agents/tomorrow">`);
    } finally {
      assert.is((await server.stop()).code, 0);
    }
  });
}

/** Both wait for their midnight at the same time. */
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
