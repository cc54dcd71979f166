import { createHmac } from 'node:crypto';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { inShort, secret, subscription, tryProvider } from '../../support/subscribers.ts';

for (const status of [200, 201, 202, 204, 299]) {
  test(`${status}: accepted`, async () => {
    const { outcome } = await tryProvider('webhook', [{ status }]);
    assert.is(outcome, 'accepted');
  });
}

for (const status of [400, 401, 403, 404, 409, 410, 422, 500]) {
  test(`${status}: refused`, async () => {
    const { outcome, received } = await tryProvider('webhook', [{ status, body: { message: 'no' } }]);
    assert.is(inShort(outcome), `refused ${status} deliver`);
    assert.is(received.length, 1);
  });
}

test('sends the subscription, signed', async () => {
  const { received } = await tryProvider('webhook', [{ status: 204 }]);
  const [{ method, path, headers, text }] = received as [(typeof received)[0]];
  assert.equal([method, path], ['POST', '/hooks/5ecret-path']);
  assert.is(headers['content-type'], 'application/json');
  assert.is(text, JSON.stringify(subscription));
  assert.is(
    headers['x-catalog-signature'],
    `sha256=${createHmac('sha256', secret).update(text, 'utf8').digest('hex')}`,
  );
});

test('a signature can be checked against a known one', async () => {
  const given = { id: '1', time: '2026-01-01T00:00:00Z', email: 'a@example.com', list: 'daily' as const };
  const { received } = await tryProvider('webhook', [{ status: 204 }], { given });
  assert.is(received[0]?.text, '{"id":"1","time":"2026-01-01T00:00:00Z","email":"a@example.com","list":"daily"}');
  assert.is(
    received[0]?.headers['x-catalog-signature'],
    'sha256=eb74278a69305bcbf1b37266ecfebfcad48eac480dbcda3e81a0e6746e59e11a',
  );
});

test('a retry sends the same bytes, so that the receiver can recognize it', async () => {
  const { received } = await tryProvider('webhook', [{ status: 503 }, { status: 200 }]);
  assert.is(received.length, 2);
  assert.is(received[0]?.text, received[1]?.text);
});

test('the address of a webhook, which may be a secret, does not get into an error', async () => {
  const fetch = (url: string) => Promise.reject(new TypeError(`cannot fetch ${url}`));
  const { outcome } = await tryProvider('webhook', [], { fetch });
  assert.is(inShort(outcome), 'network deliver');
});

test('neither does the query of its address, even if its path is no secret', async () => {
  const settings = (url: string) => ({ provider: 'webhook' as const, url: `${url}/?t=5ecret-path`, key: secret });
  const fetch = (url: string) => Promise.reject(new TypeError(`cannot fetch ${new URL(url).search}`));
  const { outcome } = await tryProvider('webhook', [], { settings, fetch });
  assert.is(inShort(outcome), 'network deliver');
});

test.run();
