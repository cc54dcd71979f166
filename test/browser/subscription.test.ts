/// <reference lib="dom" />
import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Browser, Page } from 'playwright-core';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { hebrew, longWords } from '../support/awkward-agents.ts';
import { complaintsOf, launchBrowser } from '../support/browser.ts';
import { confirmLink, unsubscribeLink, withMails } from '../support/confirmations.ts';
import { loud } from '../support/loud.ts';
import { startMailbox } from '../support/mailbox.ts';
import { withRuntime } from '../support/server.ts';

/** The pages that links in mails open, on a phone; and every page of a site, as the server sends it. */

const test = suite('a reader');

let browser: Browser;

test.before(
  loud(async () => {
    browser = await launchBrowser();
  }),
);
test.after(loud(() => browser?.close()));

/** What `sha256sum` prints of the form's template. */
const formVersion = createHash('sha256')
  .update(readFileSync('templates/partials/subscribe.hbs'))
  .digest('hex')
  .slice(0, 12);

for (const scripts of [true, false]) {
  test(`subscribes, confirms by mail and unsubscribes on a phone, ${scripts ? 'with' : 'without'} scripts`, async () => {
    const mailbox = await startMailbox();
    const env = { CATALOG_SMTP_URL: mailbox.url, CATALOG_MAIL_FROM: 'daily@example.com' };
    await withRuntime({ env }, async ({ server, data }) => {
      const page = await browser.newPage({ javaScriptEnabled: scripts, viewport: { width: 360, height: 700 } });
      page.setDefaultTimeout(10_000);
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
  });
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

test('sees every page of a site with its styles, without an error on the console, and with no placeholder', () =>
  withMails(
    async ({ server, dist, mailbox, subscribe }) => {
      await subscribe();
      await mailbox.received(1);
      const [mail] = mailbox.mails;
      if (mail === undefined) throw new Error('No email arrived.');
      const page = await browser.newPage();
      page.setDefaultTimeout(10_000);
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
      const unexpected = faults.filter((fault) => !/status of 40[04]/.test(fault)).map((fault) => fault.slice(0, 150));
      assert.equal([...new Set(unexpected)], []);
    },
    { agents, settings },
  ));

test.run();
