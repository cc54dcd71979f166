/// <reference lib="dom" />
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Browser } from 'playwright-core';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { complaintsOf, launchBrowser } from '../support/browser.ts';
import { loud } from '../support/loud.ts';
import { startMailbox } from '../support/mailbox.ts';
import { withRuntime } from '../support/server.ts';

/** The pages that links in mails open, on a phone. */

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

test.run();
