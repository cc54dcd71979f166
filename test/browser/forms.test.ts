/// <reference lib="dom" />

import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import type { Browser, Page } from 'playwright-core';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { failureText, type Outcome, send } from '../../src/browser/forms.ts';
import { hebrew, longWords } from '../support/awkward-agents.ts';
import {
  complaintsOf,
  launchBrowser,
  type ServedSite,
  serveSite,
  sharedPage,
  textOf,
  visit,
} from '../support/browser.ts';
import { inFolder } from '../support/catalog.ts';
import { confirmLink, unsubscribeLink, withMails } from '../support/confirmations.ts';
import { freePort } from '../support/free-port.ts';
import { loud } from '../support/loud.ts';
import { startMailbox } from '../support/mailbox.ts';
import { builtCatalog, oneAgent, withRuntime } from '../support/server.ts';

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
test.after(loud(() => strict?.close()));

const onPage = (address: string, use: (page: Page) => Promise<void>, scripts = true) =>
  visit(browser, address, { javaScriptEnabled: scripts }, use);
const open = sharedPage(() => browser, {});

const agent = '/agents/claim-ladder';

test('reports a wrong address, a failing provider and how long to wait, and keeps the input', async () => {
  await open(`${strict.address}/about`, {}, async (page) => {
    const field = page.locator('#subscribe-email');
    const refused = async (email: string, pattern: RegExp) => {
      await field.fill(email);
      await page.keyboard.press('Enter');
      await textOf(page, '.subscribe .form-message', pattern);
      assert.is(await field.inputValue(), email);
    };
    await refused('ada@example', /not subscribed\. Email has to be an email address\./);
    await refused('ada@example.com', /not subscribed.*mailing service/);
    await refused('ada@example.org', /not subscribed.*in \d+ seconds/);
  });
});

test('says how long to wait after too many votes', async () => {
  await open(strict.address + agent, {}, async (page) => {
    assert.is(await page.locator('#vote-note').isVisible(), false, 'the vote comes first');
    await page.locator('.vote button[value="yes"]').click();
    await textOf(page, '.vote .form-message', /was recorded/);
    await page.locator('#vote-note').fill('A second thought');
    await page.getByRole('button', { name: 'Send the note' }).click();
    await textOf(page, '.vote .form-message', /not recorded.*in \d+ seconds/);
    assert.is(await page.locator('#vote-note').inputValue(), 'A second thought');
    assert.is(
      await page.getByRole('button', { name: 'Yes' }).getAttribute('aria-pressed'),
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
  await open(strict.address + agent, {}, async (page) => {
    await page.route('**/api/feedback', (route) => route.fulfill({ body: '{"ok":true}' }), { times: 1 });
    await page.locator('.vote button[value="yes"]').click();
    await textOf(page, '.vote .form-message', /was recorded/);
    for (const [name, status, body, pattern, headers = {}] of answers) {
      await page.route('**/api/feedback', (route) =>
        status === null ? route.abort() : route.fulfill({ status, headers, body }),
      );
      await page.locator('#vote-note').fill(name);
      await page.getByRole('button', { name: 'Send the note' }).click();
      await textOf(page, '.vote .form-message', pattern);
      assert.is(await page.locator('#vote-note').inputValue(), name);
      assert.is(await page.getByRole('button', { name: 'Send the note' }).isEnabled(), true);
      await page.unroute('**/api/feedback');
    }
  });
});

test('has the vote selected that a link in an email names, and sends nothing until the reader does', async () => {
  const site = await serveSite();
  try {
    await onPage(`${site.address}/agents/release-note-translator?vote=no#verdict`, async (page) => {
      await textOf(page, '.vote .form-message', /^To send your vote, press No again here\.$/);
      assert.is(await page.locator('.vote button[value="no"]').getAttribute('aria-pressed'), 'true');
      assert.equal(site.linesOf('votes'), []);
      await page.locator('.vote button[value="no"]').click();
      await textOf(
        page,
        '.vote .form-message',
        /^Thanks\. Your vote \(no\) was recorded\. Only the publisher reads notes\.$/,
      );
      await page.locator('#vote-note').fill('It is too long.');
      await page.getByRole('button', { name: 'Send the note' }).click();
      await textOf(page, '.vote .form-message', /^Thanks\. Your vote \(no\) and your note were recorded\./);
      assert.is(await page.locator('#vote-note').inputValue(), '', 'a note is sent once');
      assert.equal(
        site.linesOf('votes').map(({ vote, note }) => [vote, note]),
        [
          ['no', undefined],
          ['no', 'It is too long.'],
        ],
      );
      // Fewer than five votes are no totals, which a server may not have, or not be able to count.
      assert.equal(await (await fetch(`${site.address}/api/votes.json`)).json(), { version: 1, totals: {} });
      assert.is(await page.locator('.vote-totals').textContent(), '');
      await page.goto(`${site.address}/agents/release-note-translator#install-plain-text-way`);
      assert.is(await page.locator('#install-plain-text-way').isVisible(), true);
    });
  } finally {
    await site.close();
  }
});

test('works without scripts, as does reading, and hides what needs scripts', async () => {
  const site = await serveSite();
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

test('reaches a server at another origin, with and without scripts', () =>
  inFolder(async (folder) => {
    const [here, there] = [await freePort(), await freePort()];
    const address = `http://127.0.0.1:${here}`;
    const dist = builtCatalog(folder, oneAgent, { baseUrl: address, runtimeUrl: `http://127.0.0.1:${there}/live` });
    const pages = await serveSite({ dist, flags: { port: String(here) } });
    const runtime = await serveSite({ dist, flags: { port: String(there) } });
    try {
      await onPage(`${address}/agents/one`, async (page) => {
        const complaints = complaintsOf(page);
        await page.locator('.vote button[value="yes"]').click();
        await textOf(page, '.vote .form-message', /was recorded/);
        assert.equal(complaints, []);
        const landmarks = await page.getByRole('navigation').allInnerTexts();
        assert.not.ok(landmarks.includes(''), 'the only agent has no empty links to others');
      });
      await onPage(
        `${address}/agents/one`,
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
  }));

test('is missing without a server', async () => {
  await inFolder((folder) => {
    const page = join(builtCatalog(folder, oneAgent, { runtimeUrl: null }), 'agents', 'one.html');
    const text = readFileSync(page, 'utf8');
    assert.not.match(text, /<form class="(?:vote|subscribe)"/);
    assert.not.match(text, 'claude mcp add');
  });
});

test.run();

/** What a reader is told about a vote or a subscription, for every answer of a server; without a browser. */

const messages = suite('the message of a form');

const rows: [status: number | null, retryAfter: number | null, said: string][] = [
  [null, null, 'The server did not respond. Check your connection and try again. Your entries are still in the form.'],
  [403, null, 'Only pages of this site may send it. Open this page at its original address.'],
  [
    404,
    null,
    'The server does not know this agent. If it was renamed, reload the page. If it was just published, try again in a minute.',
  ],
  [413, null, 'The note is too long. Shorten it and try again.'],
  [429, 1, 'There were too many requests from your network. Try again in 1 second.'],
  [429, 2, 'There were too many requests from your network. Try again in 2 seconds.'],
  [429, null, 'There were too many requests from your network. Try again later.'],
  [502, null, 'The mailing service did not accept your address. Try again later.'],
  [503, 30, 'The server cannot store anything right now. Try again in 30 seconds.'],
  [500, null, 'The server returned an error (500). Try again later.'],
];
for (const [status, retryAfter, said] of rows) {
  messages(`status ${status}: ${said}`, () => {
    const failed = { sent: false, status, message: '', retryAfter } as const;
    assert.is(failureText('vote', failed), `Your vote was not recorded. ${said}`);
    assert.is(failureText('subscription', failed), `You are not subscribed. ${said}`);
  });
}

messages(
  'an answer that is not of the server is not read as if it were, except for its status where that says enough',
  () => {
    const other = (status: number, retryAfter: number | null = null) =>
      failureText('vote', { sent: false, status, message: null, retryAfter });
    for (const status of [200, 302, 400, 401, 403, 404, 500, 502, 504]) {
      assert.is(
        other(status),
        `Your vote was not recorded. Something other than the server answered (status ${status}), such as a proxy or the login page of a network. Check your connection and try again later.`,
      );
    }
    assert.match(other(413), /The note is too long/);
    assert.match(other(429), /too many requests/);
    assert.match(other(503, 5), /The server cannot store anything right now. Try again in 5 seconds/);
  },
);

messages('what is wrong in the form is said in the words of the server, without code', () => {
  const failed = (message: string) => ({ sent: false, status: 400, message, retryAfter: null }) as const;
  assert.is(failureText('vote', failed('`note` is `too` long.')), 'Your vote was not recorded. Note is too long.');
  assert.is(failureText('vote', failed('')), 'Your vote was not recorded. Something in the form is invalid.');
});

/** Sends fields to a server with this answer. */
async function sendTo(answer: RequestListener): Promise<Outcome> {
  const server = createServer(answer);
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  try {
    return await send(`http://127.0.0.1:${(server.address() as AddressInfo).port}/api/feedback`, { slug: 'one' });
  } finally {
    server.closeAllConnections();
    server.close();
  }
}

messages('the fields are sent as JSON, and only a confirmation counts as sent', async () => {
  const seen: unknown[] = [];
  const outcome = await sendTo(async (request, response) => {
    seen.push(request.method, request.url, request.headers['content-type'], await text(request));
    response.end('{"ok":true}');
  });
  assert.equal(outcome, { sent: true });
  assert.equal(seen, ['POST', '/api/feedback', 'application/json', '{"slug":"one"}']);
  for (const body of ['{"ok":false}', '{}', 'null', '<p>', '']) {
    const failed = await sendTo((_request, response) => response.end(body));
    assert.equal(failed, { sent: false, status: 200, message: null, retryAfter: null }, body);
  }
});

messages('only an Error object counts as an answer of the server', async () => {
  for (const [body, message] of [
    ['{"error":"forbidden","message":"No."}', 'No.'],
    ['{"error":"forbidden"}', ''],
    ['{"message":"No."}', null],
    ['null', null],
    ['<p>No.', null],
  ]) {
    const outcome = await sendTo((_request, response) => {
      response.writeHead(403);
      response.end(body);
    });
    assert.equal(outcome, { sent: false, status: 403, message, retryAfter: null }, String(body));
  }
});

const inTwoMinutes = () => new Date(Date.now() + 120_000).toUTCString();
const waits: [header: string | undefined, seconds: number | null][] = [
  [undefined, null],
  ['7', 7],
  ['0', 1],
  [new Date(0).toUTCString(), 1],
  ['soon', null],
];
messages("the message and the time to wait are the server's", async () => {
  const failed = (header: string | undefined) =>
    sendTo((_request, response) => {
      response.writeHead(429, header === undefined ? {} : { 'retry-after': header });
      response.end('{"error":"too_many_requests","message":"Slow down."}');
    });
  for (const [header, retryAfter] of waits) {
    assert.equal(await failed(header), { sent: false, status: 429, message: 'Slow down.', retryAfter }, header);
  }
  const later = await failed(inTwoMinutes());
  assert.ok(!later.sent && later.retryAfter !== null && later.retryAfter > 60 && later.retryAfter <= 120);
});

messages('a server that breaks off gives no status', async () => {
  assert.equal(await sendTo((_request, response) => response.destroy()), {
    sent: false,
    status: null,
    message: null,
    retryAfter: null,
  });
});

messages.run();

/** The pages that links in mails open, on a phone; and every page of a site, as the server sends it. */

const subscription = suite('a reader');

subscription.after(loud(() => browser?.close()));

/** What `sha256sum` prints of the form's template. */
const formVersion = createHash('sha256')
  .update(readFileSync('templates/partials/subscribe.hbs'))
  .digest('hex')
  .slice(0, 12);

for (const scripts of [true, false]) {
  subscription(
    `subscribes, confirms by mail and unsubscribes on a phone, ${scripts ? 'with' : 'without'} scripts`,
    async () => {
      const mailbox = await startMailbox();
      const env = { CATALOG_SMTP_URL: mailbox.url, CATALOG_MAIL_FROM: 'daily@example.com' };
      await withRuntime({ env }, async ({ server, data }) => {
        const page = await browser.newPage({ javaScriptEnabled: scripts, viewport: { width: 360, height: 700 } });
        const complaints = complaintsOf(page);
        const referrers: string[] = [];
        page.on('request', (request) => referrers.push(request.headers().referer ?? ''));
        const open = (link = '') =>
          page.goto(new URL(`.${new URL(link).pathname}${new URL(link).search}`, server.address).href);
        await page.goto(`${server.address}about`);
        await page.locator('#subscribe-email').fill('ada@example.com');
        await page.locator('.subscribe button').click();
        await mailbox.received(1);
        const [mail] = mailbox.mails;
        await open(/^http\S+$/m.exec(mail?.text ?? '')?.[0]);
        if (scripts) assert.is(await page.evaluate(() => document.documentElement.scrollWidth), 360);
        await page.getByRole('button', { name: 'Subscribe', exact: true }).click();
        await page.getByRole('heading', { name: 'You are subscribed' }).waitFor();
        await open(/^List-Unsubscribe: <(.*)>/m.exec(mail?.raw ?? '')?.[1]);
        await page.getByRole('button', { name: 'Unsubscribe' }).click();
        await page.getByRole('heading', { name: 'You are unsubscribed' }).waitFor();
        await page.close();
        assert.equal(complaints, []);
        // A log of the server may have the referrer.
        assert.equal(
          referrers.filter((referrer) => referrer.includes('token=')),
          [],
        );
        assert.ok(referrers.includes(server.address));
        const lines = readFileSync(join(data, 'signups.jsonl'), 'utf8').trim().split('\n');
        const [{ form } = {}, ...events] = lines.map((line) => JSON.parse(line) as { form?: string; event?: string });
        assert.equal([form, ...events.map(({ event }) => event)], [formVersion, 'confirmed', 'unsubscribed']);
      });
      await mailbox.close();
    },
  );
}

/** A catalog with few agents and every kind of page. */
const agents = [longWords, { ...hebrew, front: { ...hebrew.front, formerSlugs: '[ivrit]' } }];
const settings = { repository: 'https://github.com/press/catalog', postalAddress: '1 Street\n12345 City' };

/** Placeholders that are left in a page, and the first of its styles that the browser does not apply. */
const faultsOf = (page: Page) =>
  page.evaluate(() => {
    const sheets = [...document.querySelectorAll<HTMLLinkElement>('link[rel=stylesheet], style')];
    const styled = [...document.querySelectorAll<HTMLElement>('[style]')];
    return [
      ...(document.documentElement.outerHTML.match(/%[A-Z_]+%|\{\{[#/>\w]+/g) ?? []),
      ...sheets.filter(({ sheet }) => (sheet?.cssRules.length ?? 0) === 0).map(({ outerHTML }) => outerHTML),
      ...styled.filter(({ style }) => style.length === 0).map(({ outerHTML }) => outerHTML),
      ...(sheets.length === 0 ? ['no styles'] : []),
    ].slice(0, 2);
  });

subscription(
  'sees every page of a site with its styles, without an error on the console, and with no placeholder',
  () =>
    withMails(
      async ({ server, dist, mailbox, subscribe }) => {
        await subscribe();
        await mailbox.received(1);
        const [mail] = mailbox.mails;
        if (mail === undefined) throw new Error('No email arrived.');
        const page = await browser.newPage();
        const faults = complaintsOf(page);
        const open = (path: string) => page.goto(new URL(path, server.address).href);
        const follow = (link: string) => open(new URL(link).pathname + new URL(link).search);
        const press = (name: string) =>
          Promise.all([page.waitForEvent('load'), page.getByRole('button', { name, exact: true }).click()]);
        /** Pages that only answer a request, in an order in which each request is possible. */
        const answers: Record<string, () => Promise<unknown>> = {
          '404.html': () => open('nothing/here'),
          'refused.html': async () => {
            await open('about');
            const submit = () => document.querySelector<HTMLFormElement>('form.subscribe')?.submit();
            await Promise.all([page.waitForURL('**/api/subscribe'), page.evaluate(submit)]);
          },
          'subscription/failed.html': () => open('subscription/confirm?token=changed'),
          'subscription/confirm.html': () => follow(confirmLink(mail)),
          'subscription/confirmed.html': () => press('Subscribe'),
          'subscription/unsubscribe.html': () => follow(unsubscribeLink(mail)),
          'subscription/unsubscribed.html': () => press('Unsubscribe'),
        };
        const files = (readdirSync(dist, { recursive: true }) as string[]).filter((file) => file.endsWith('.html'));
        assert.equal(
          Object.keys(answers).filter((file) => !files.includes(file)),
          [],
        );
        const moved = files.filter((file) => file.startsWith('agents/ivrit'));
        assert.is(moved.length, 2);
        for (const file of new Set([...Object.keys(answers), ...files])) {
          await (answers[file] ?? (() => open(file)))();
          const stored = readFileSync(join(dist, file), 'utf8').match(/%[A-Z_]+%/g) ?? [];
          faults.push(...stored.map((placeholder) => `${file} shows ${placeholder} on a host without the server`));
          if (moved.includes(file)) await page.waitForURL('**/agents/hebrew');
          faults.push(...(await faultsOf(page)).map((fault) => `${file}: ${fault}`));
        }
        await page.close();
        const unexpected = faults
          .filter((fault) => !/status of 40[04]/.test(fault))
          .map((fault) => fault.slice(0, 150));
        assert.equal([...new Set(unexpected)], []);
      },
      { agents, settings },
    ),
);

subscription.run();
