import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { inFolder, writeCatalog } from '../support/catalog.ts';
import { startMailbox } from '../support/mailbox.ts';
import { catalog } from '../support/process.ts';
import { ask, postJson } from '../support/requests.ts';
import { builtCatalog, oneAgent, startRuntime, withRuntime } from '../support/server.ts';
import { until } from '../support/until.ts';
import { notesIn, vote } from '../support/voting.ts';

test('everything is served below a base URL with a path, and every link starts with it', async () => {
  await inFolder(async (folder) => {
    writeCatalog(folder, [{ slug: 'one', date: '2026-01-01' }]);
    const built = await catalog(['build', '--cwd', folder, '--base-url', 'https://press.example/catalog/']);
    assert.is(built.code, 0, built.stderr);
    const server = await startRuntime(folder);
    try {
      const origin = new URL(server.address).origin;
      assert.is(server.address, `${origin}/catalog/`);
      const root = await fetch(origin, { redirect: 'manual' });
      assert.is(root.status, 302);
      assert.is(root.headers.get('location'), '/catalog/');
      const posted = await fetch(origin, { method: 'POST' });
      assert.equal([posted.status, posted.headers.get('allow')], [405, 'GET, HEAD, OPTIONS']);
      assert.is((await fetch(`${origin}/api/agents.json`)).status, 404);
      assert.is((await fetch(`${origin}/catalog/api/agents/one.json`)).status, 200);

      const page = await (await fetch(`${origin}/catalog/agents/one`)).text();
      const links = [...page.matchAll(/ (?:href|src)="(\/[^"]*)"/g)].map(([, link]) => link ?? '');
      assert.ok(links.length > 5);
      for (const link of links) {
        assert.ok(link.startsWith('/catalog/'), link);
        assert.is((await fetch(origin + link)).status, 200, link);
      }
    } finally {
      await server.stop();
    }
  });
});

test('a server with its own path accepts votes there and below the base URL, and its errors are Error objects', async () => {
  await inFolder(async (folder) => {
    writeCatalog(folder, [{ slug: 'one', date: '2026-01-01' }]);
    const urls = ['--base-url', 'https://press.example/catalog', '--runtime-url', 'https://run.example/live'];
    const built = await catalog(['build', '--cwd', folder, ...urls]);
    assert.is(built.code, 0, built.stderr);
    const mailbox = await startMailbox();
    const env = { CATALOG_SMTP_URL: mailbox.url, CATALOG_MAIL_FROM: 'daily@press.example' };
    const server = await startRuntime(folder, { env });
    try {
      const origin = new URL(server.address).origin;
      const send = (path: string) =>
        fetch(origin + path, {
          method: 'POST',
          headers: { 'content-type': 'application/json' },
          body: JSON.stringify({ slug: 'one', vote: 'yes' }),
        });
      assert.is((await send('/live/api/feedback')).status, 200);
      assert.is((await send('/catalog/api/feedback')).status, 200);
      assert.is((await send('/api/feedback')).status, 404);
      // A form on the static host leads back to it, and any other to the page of this server.
      for (const [from, location] of [
        ['https://press.example', 'https://press.example/catalog/thanks/vote'],
        ['https://run.example', '/catalog/thanks/vote'],
      ] as const) {
        const sent = await ask(server.address, '/live/api/feedback', {
          method: 'POST',
          headers: { origin: from, host: 'run.example', 'content-type': 'application/x-www-form-urlencoded' },
          body: 'slug=one&vote=yes',
        });
        assert.equal([sent.status, sent.headers.location], [303, location]);
      }
      for (const path of ['/live/api/nothing', '/catalog/api/nothing']) {
        const response = await fetch(origin + path);
        assert.is(response.status, 404);
        assert.is(((await response.json()) as { error: string }).error, 'not_found');
      }
      assert.is((await fetch(`${origin}/healthz`)).status, 200);

      await postJson(server.address, '/live/api/subscribe', { email: 'ann@example.com', list: 'daily' });
      await mailbox.received(1);
      assert.is(mailbox.mails[0]?.subject, 'Confirm your subscription to Small Catalog');
      const link = /^https\S+$/m.exec(mailbox.mails[0]?.text ?? '')?.[0] ?? '';
      assert.ok(link.startsWith('https://run.example/live/subscription/confirm?token='), link);
      const page = await fetch(origin + link.slice('https://run.example'.length));
      assert.is(page.status, 200);
      assert.match(await page.text(), 'href="/catalog/assets/style.css');
    } finally {
      await server.stop();
      await mailbox.close();
    }
  });
});

test('with a base path, pages, votes and errors are below it, and the root redirects to it', () =>
  withRuntime({ settings: { baseUrl: 'https://press.example/catalog' }, agents: oneAgent }, async ({ server, log }) => {
    assert.match(server.address, /\/catalog\/$/);
    const root = await ask(server.address, '/');
    assert.equal([root.status, root.headers.location], [302, '/catalog/']);
    assert.is(root.headers['cache-control'], 'no-store');
    assert.is((await ask(server.address, '/catalog/')).status, 200);
    assert.is((await ask(server.address, '/catalog')).status, 200);
    assert.is((await ask(server.address, '/catalog/api/agents/one.json')).status, 200);
    assert.is((await ask(server.address, '/api/agents/one.json')).status, 404);
    const missing = await ask(server.address, '/catalog/api/agents/none.json');
    assert.equal([missing.status, JSON.parse(missing.text).error], [404, 'not_found']);
    assert.is((await ask(server.address, '/healthz')).status, 200);
    assert.is((await vote(server.address, 'mounted')).status, 200);
    const form = await ask(server.address, '/catalog/api/feedback', {
      method: 'POST',
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
      body: 'slug=one&vote=no&note=form',
    });
    assert.equal([form.status, form.headers.location], [303, '/catalog/thanks/vote']);
    assert.is((await ask(server.address, '/catalog/thanks/vote')).status, 200);
    assert.equal(notesIn(log), ['mounted', 'form']);
  }));

test('after a build for another address, readers can vote there, and on pages that are still open', () =>
  withRuntime({ agents: oneAgent }, async ({ server, folder, log }) => {
    for (const settings of [
      { baseUrl: 'https://press.example/catalog' },
      { baseUrl: 'https://press.example', runtimeUrl: 'https://run.example/live' },
    ]) {
      const { id } = JSON.parse(readFileSync(join(builtCatalog(folder, oneAgent, settings), 'build.json'), 'utf8'));
      await until(async () => (await ask(server.address, '/healthz')).text.includes(id));
      const path = new URL(settings.runtimeUrl ?? settings.baseUrl).pathname;
      assert.is((await ask(server.address, `${path}/api/mcp`)).status, 200);
      const sent = await postJson(server.address, `${path}/api/feedback`, { slug: 'one', vote: 'yes', note: path });
      assert.is(sent.status, 200);
      const missing = await ask(server.address, `${path}/api/nothing`);
      assert.equal([missing.status, JSON.parse(missing.text).error], [404, 'not_found']);
    }
    assert.is((await vote(server.address, 'open')).status, 200);
    assert.equal(notesIn(log), ['/catalog', '/live', 'open']);
  }));

test.run();
