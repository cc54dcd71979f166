import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import type { Browser, Page } from 'playwright-core';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { complaintsOf, launchBrowser, type ServedSite, serveSite, textOf } from '../support/browser.ts';
import { inFolder } from '../support/catalog.ts';
import { loud } from '../support/loud.ts';
import { builtCatalog, oneAgent } from '../support/server.ts';

/** What readers see if a vote or a subscription fails, and the forms without scripts and across origins. */

const test = suite('a form');

let browser: Browser;
/** One vote and one subscription are allowed; the provider of subscribers does not respond. */
let strict: ServedSite;

test.before(
  loud(async () => {
    const nowhere = await freePort();
    const env = {
      CATALOG_SIGNUPS: 'webhook',
      CATALOG_SIGNUPS_URL: `http://127.0.0.1:${nowhere}/`,
      CATALOG_SIGNUPS_KEY: 'a-key-of-thirty-two-characters-or-more',
    };
    [browser, strict] = await Promise.all([
      launchBrowser(),
      serveSite({ flags: { voteRate: '1/3600', subscribeRate: '1/3600' }, env }),
    ]);
  }),
);
test.after(
  loud(async () => {
    await browser?.close();
    await strict?.close();
  }),
);

/** A port that nothing listens on. */
async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
  const { port } = server.address() as AddressInfo;
  await new Promise((closed) => server.close(closed));
  return port;
}

async function onPage(address: string, use: (page: Page) => Promise<void>, scripts = true): Promise<void> {
  const context = await browser.newContext({ javaScriptEnabled: scripts });
  context.setDefaultTimeout(10_000);
  try {
    const page = await context.newPage();
    await page.goto(address);
    await use(page);
  } finally {
    await context.close();
  }
}

const agent = '/agents/claim-ladder';

test('reports a wrong address, a failing provider and how long to wait, and keeps the input', async () => {
  await onPage(`${strict.address}/about`, async (page) => {
    const field = page.locator('#subscribe-email');
    const refused = async (email: string, pattern: RegExp) => {
      await field.fill(email);
      await page.keyboard.press('Enter');
      await textOf(page, '.subscribe .form-message', pattern);
      assert.is(await field.inputValue(), email);
    };
    await refused('ada@example', /not subscribed.*email address/);
    await refused('ada@example.com', /not subscribed.*mailing service/);
    await refused('ada@example.org', /not subscribed.*in \d+ seconds/);
  });
});

test('says how long to wait after too many votes', async () => {
  await onPage(strict.address + agent, async (page) => {
    await page.locator('#vote-note').fill('A first thought');
    await page.locator('.vote button[value="yes"]').click();
    await textOf(page, '.vote .form-message', /was recorded/);
    assert.is(await page.locator('#vote-note').inputValue(), '', 'a note is sent once');
    await page.locator('#vote-note').fill('A second thought');
    await page.locator('.vote button[value="no"]').click();
    await textOf(page, '.vote .form-message', /not recorded.*in \d+ seconds/);
    assert.is(await page.locator('#vote-note').inputValue(), 'A second thought');
    assert.is(
      await page.locator('.vote button[value="yes"]').getAttribute('aria-pressed'),
      'true',
      'the vote that counts',
    );
    assert.is(strict.linesOf('votes').length, 1);
  });
});

const fault = '{"error":"some_code"}';
const html = '<p>Sorry</p>';
const answers: [name: string, status: number | null, body: string, said: RegExp, headers?: Record<string, string>][] = [
  ['an agent that is not known', 404, fault, /does not know this agent/],
  ['a page of another site', 403, fault, /original address/],
  ['a body that is too large', 413, html, /note is too long/],
  ['a full disk', 503, fault, /in 30 seconds/, { 'retry-after': '30' }],
  ['a fault of the service', 500, fault, /error \(500\)/],
  ['a proxy that answers with something else', 200, html, /not recorded\. Something other than the server answered/],
  ['a proxy without a server', 502, html, /not recorded\. Something other than the server answered/],
  ['no connection', null, '', /connection/],
];
test('is honest about every other failure', async () => {
  await onPage(strict.address + agent, async (page) => {
    for (const [name, status, body, pattern, headers = {}] of answers) {
      await page.route('**/api/feedback', (route) =>
        status === null ? route.abort() : route.fulfill({ status, headers, body }),
      );
      await page.locator('#vote-note').fill(name);
      await page.locator('.vote button[value="yes"]').click();
      await textOf(page, '.vote .form-message', pattern);
      assert.is(await page.locator('#vote-note').inputValue(), name);
      assert.is(await page.locator('.vote button[value="yes"]').isEnabled(), true);
      await page.unroute('**/api/feedback');
    }
  });
});

test('has the vote selected that a link in an email names, and sends nothing until the reader does', async () => {
  const site = await serveSite({ dist: strict.dist });
  try {
    await onPage(`${site.address}/agents/release-note-translator?vote=no#verdict`, async (page) => {
      await textOf(page, '.vote .form-message', /^To send your vote, press No again here\.$/);
      assert.is(await page.locator('.vote button[value="no"]').getAttribute('aria-pressed'), 'true');
      assert.equal(site.linesOf('votes'), []);
      await page.locator('.vote button[value="no"]').click();
      await textOf(page, '.vote .form-message', /^Thanks\. Your vote \(no\) was recorded\.$/);
      assert.equal(
        site.linesOf('votes').map(({ vote }) => vote),
        ['no'],
      );
      await page.goto(`${site.address}/agents/release-note-translator#install-plain-text-way`);
      assert.is(await page.locator('#install-plain-text-way').isVisible(), true);
    });
  } finally {
    await site.close();
  }
});

test('works without scripts, as does reading, and hides what needs scripts', async () => {
  const site = await serveSite({ dist: strict.dist });
  try {
    await onPage(
      `${site.address}/`,
      async (page) => {
        assert.is(await page.locator('.filters').isVisible(), false);
        await page.locator('#search').fill('release');
        await page.keyboard.press('Enter');
        await page.waitForURL('**/archive?q=release');
        await page.getByRole('link', { name: 'Release Note Translator' }).first().click();
        await page.waitForURL('**/agents/release-note-translator');
        const prompt = await (await fetch(`${page.url()}/prompt.txt`)).text();
        assert.is(await page.locator('#prompt-text').textContent(), prompt);
        for (const part of ['.copy', '.fill-in', '.open-in', '.honeypot'])
          assert.is(await page.locator(part).first().isVisible(), false, part);

        await page.locator('#vote-note').fill('Line\nby line');
        await page.locator('.vote button[value="yes"]').click();
        await page.waitForURL('**/thanks/vote');
        const { slug, vote, note } = site.linesOf('votes').at(-1) ?? {};
        assert.equal({ slug, vote, note }, { slug: 'release-note-translator', vote: 'yes', note: 'Line\nby line' });

        await page.goBack();
        await page.locator('#subscribe-email').fill('ada@example');
        await page.locator('.subscribe button').click();
        assert.match((await page.locator('main').textContent()) ?? '', 'email address');
        await page.goBack();
        await page.locator('#subscribe-email').fill('ada@example.com');
        await page.locator('.subscribe button').click();
        await page.waitForURL('**/thanks/sign-up');
        assert.is(site.linesOf('signups').at(-1)?.email, 'ada@example.com');
      },
      false,
    );
  } finally {
    await site.close();
  }
});

test('reaches a server at another origin, with and without scripts', async () => {
  const [here, there] = [await freePort(), await freePort()];
  const urls = { baseUrl: `http://127.0.0.1:${here}`, runtimeUrl: `http://127.0.0.1:${there}/live` };
  const pages = await serveSite({ urls, flags: { port: String(here) } });
  const runtime = await serveSite({ dist: pages.dist, flags: { port: String(there) } });
  try {
    const address = `http://127.0.0.1:${here}`;
    await onPage(address + agent, async (page) => {
      const complaints = complaintsOf(page);
      await page.locator('.vote button[value="yes"]').click();
      await textOf(page, '.vote .form-message', /was recorded/);
      assert.equal(complaints, []);
    });
    await onPage(
      address + agent,
      async (page) => {
        await page.locator('.vote button[value="no"]').click();
        await page.waitForURL(`${address}/thanks/vote`);
      },
      false,
    );
    assert.equal(
      runtime.linesOf('votes').map(({ vote }) => vote),
      ['yes', 'no'],
    );
    assert.equal(pages.linesOf('votes'), []);
  } finally {
    await runtime.close();
    await pages.close();
  }
});

test('is missing without a server', async () => {
  await inFolder((folder) => {
    const page = join(builtCatalog(folder, oneAgent, { runtimeUrl: null }), 'agents', 'one.html');
    const text = readFileSync(page, 'utf8');
    assert.not.match(text, /<form class="(?:vote|subscribe)"/);
    assert.not.match(text, 'claude mcp add');
  });
});

test.run();
