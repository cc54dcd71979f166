import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { MailKey } from '../../src/mail/consent.ts';
import { base, env, says, titleOf } from '../support/confirmations.ts';
import { ask, postJson } from '../support/requests.ts';
import { withRuntime } from '../support/server.ts';

/** What the page of a link in an email says if the link is wrong. */

const key = new MailKey(Buffer.from(env.CATALOG_MAIL_KEY));
const subscribed = { id: 'c0ffee', list: 'daily' as const };
const weekAgo = Date.now() - 7 * 24 * 60 * 60_000 - 60_000;
const forgedLink = new MailKey(Buffer.alloc(32)).confirmAddress(subscribed, base, Date.now());
const invalid = 'The link is incomplete or was changed. Open it again from the email.';
const wrongLinks: [name: string, link: string, status: number, text: string][] = [
  ['forged', forgedLink, 400, invalid],
  ['cut off', forgedLink.slice(0, -60), 400, invalid],
  ['without a token', `${base}/subscription/confirm`, 400, invalid],
  ['of hostile text', `${base}/subscription/unsubscribe?token=%3Cscript%3E.%0d%0aX:%20y`, 400, invalid],
  [
    'for something else',
    key.confirmAddress(subscribed, base, Date.now()).replace('/confirm', '/unsubscribe'),
    400,
    invalid,
  ],
  [
    'expired',
    key.confirmAddress(subscribed, base, weekAgo),
    410,
    'The link worked for seven days and has expired. If you did not use it in time, subscribe again.',
  ],
];
test('a link that is wrong says why, and changes nothing', () =>
  withRuntime({ env: { CATALOG_MAIL_KEY: env.CATALOG_MAIL_KEY } }, async ({ server: { address }, data }) => {
    await postJson(address, '/api/subscribe', { email: 'ada@example.com', list: 'daily' });
    const before = readFileSync(join(data, 'signups.jsonl'), 'utf8');
    for (const [name, link, status, text] of wrongLinks) {
      const { pathname, search } = new URL(link);
      for (const method of ['GET', 'POST']) {
        const answer = await ask(address, pathname + search, { method });
        assert.equal([answer.status, titleOf(answer), says(answer)], [status, 'This link did not work', text], name);
        assert.not.match(answer.text, '<script>');
      }
    }
    assert.is(readFileSync(join(data, 'signups.jsonl'), 'utf8'), before);
  }));

test.run();
