import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { inShort, type Reply, secret, subscription, tryProvider } from '../../support/subscribers.ts';

const refusal = (code: string, status = 400): Reply => ({ status, body: { code, detail: 'In words.', metadata: {} } });
const misfit = (...places: string[][]): Reply => ({
  status: 422,
  body: { detail: places.map((loc) => ({ type: 'string_too_long', loc, msg: 'In words.' })) },
});

const rows: { name: string; reply: Reply; expected: string }[] = [
  { name: '201, created', reply: { status: 201, body: { id: 'sub_1', type: 'unactivated' } }, expected: 'accepted' },
  { name: '200, merged', reply: { status: 200, body: {} }, expected: 'accepted' },
  { name: '409', reply: { status: 409 }, expected: 'accepted' },
  ...['email_already_exists', 'subscriber_already_exists'].map((code) => ({
    name: `400 ${code}`,
    reply: refusal(code),
    expected: 'accepted',
  })),
  ...['email_blocked', 'subscriber_blocked', 'subscriber_suppressed', 'firewall_blocked'].map((code) => ({
    name: `400 ${code}, which the reader must not learn of`,
    reply: refusal(code),
    expected: 'accepted',
  })),
  ...['email_invalid', 'email_empty'].map((code) => ({
    name: `400 ${code}`,
    reply: refusal(code),
    expected: 'invalid',
  })),
  { name: '422 for the address', reply: misfit(['body', 'input', 'email_address']), expected: 'invalid' },
  { name: '422 for the tags', reply: misfit(['body', 'input', 'tags', '0']), expected: 'refused 422 create' },
  {
    name: '422 for the address and the tags',
    reply: misfit(['body', 'input', 'email_address'], ['body', 'input', 'tags']),
    expected: 'refused 422 create',
  },
  { name: '422 that names no field', reply: { status: 422, body: { detail: [] } }, expected: 'refused 422 create' },
  ...[
    'ip_address_spammy',
    'rate_limited',
    'tag_invalid',
    'metadata_invalid',
    'invalid_input',
    'newsletter_not_accepting_subscribers',
  ].map((code) => ({ name: `400 ${code}`, reply: refusal(code), expected: `refused 400 ${code} create` })),
  { name: '401', reply: refusal('unauthorized', 401), expected: 'refused 401 unauthorized create' },
  { name: '403', reply: { status: 403, body: { detail: 'No.' } }, expected: 'refused 403 create' },
  {
    name: '403 with a code of 400',
    reply: refusal('email_blocked', 403),
    expected: 'refused 403 email_blocked create',
  },
  {
    name: '403 with a code for an invalid address',
    reply: refusal('email_invalid', 403),
    expected: 'refused 403 email_invalid create',
  },
  {
    name: '400 in the form of a 422',
    reply: { ...misfit(['body', 'input', 'email_address']), status: 400 } as Reply,
    expected: 'refused 400 create',
  },
  { name: '429', reply: refusal('rate_limited', 429), expected: 'refused 429 rate_limited create' },
];

for (const { name, reply, expected } of rows) {
  test(`${name}: ${expected}`, async () => {
    const { outcome, received } = await tryProvider('buttondown', [reply]);
    assert.is(inShort(outcome), expected);
    assert.is(received.length, 1);
  });
}

test('sends only what the API requires', async () => {
  const { received } = await tryProvider('buttondown', [{ status: 201 }]);
  const [{ method, path, headers, json }] = received as [(typeof received)[0]];
  assert.equal([method, path], ['POST', '/v1/subscribers']);
  assert.is(headers.authorization, `Token ${secret}`);
  assert.is(headers['x-buttondown-collision-behavior'], 'add');
  assert.is(headers['content-type'], 'application/json');
  assert.equal(json, {
    email_address: subscription.email,
    type: 'unactivated',
    tags: ['waitlist'],
    notes: subscription.note,
  });
});

test('leaves out the notes if there is none', async () => {
  const { note: _, ...plain } = subscription;
  const { received } = await tryProvider('buttondown', [{ status: 201 }], { given: { ...plain, list: 'daily' } });
  assert.equal(received[0]?.json, { email_address: subscription.email, type: 'unactivated', tags: ['daily'] });
});

test.run();
