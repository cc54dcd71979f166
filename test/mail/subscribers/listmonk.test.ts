import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { inShort, type Reply, secret, subscription, tryProvider } from '../../support/subscribers.ts';

const created: Reply = { status: 200, body: { data: { id: 7 } } };
const done: Reply = { status: 200, body: { data: true } };
const conflict: Reply = { status: 409, body: { message: 'Die Adresse gibt es schon.' } };
const found = (fields: Record<string, unknown> = {}): Reply => ({
  status: 200,
  body: {
    data: {
      results: [
        { id: 5, email: 'x-ann.reader+news@example.com', status: 'enabled', lists: [] },
        { id: 7, email: subscription.email.toLowerCase(), status: 'enabled', lists: [], ...fields },
      ],
      total: 2,
    },
  },
});
const on = (subscription_status: string, id = 2) => ({ lists: [{ id, subscription_status }] });
const message = { message: 'In words.' };

const lookUp = `GET /api/subscribers?search=${encodeURIComponent('Ann.Reader\\+news@example.com')}&per_page=100`;
const create = 'POST /api/subscribers';
const add = 'PUT /api/subscribers/lists';
const confirm = 'POST /api/subscribers/7/optin';

const rows: { name: string; replies: Reply[]; expected: string; calls: string[] }[] = [
  { name: '200', replies: [created], expected: 'accepted', calls: [create] },
  {
    name: '409, and on no list',
    replies: [conflict, found(), done, done],
    expected: 'accepted',
    calls: [create, lookUp, add, confirm],
  },
  {
    name: '409, and on another list',
    replies: [conflict, found(on('confirmed', 1)), done, done],
    expected: 'accepted',
    calls: [create, lookUp, add, confirm],
  },
  {
    name: '409, and unsubscribed from the list',
    replies: [conflict, found(on('unsubscribed')), done, done],
    expected: 'accepted',
    calls: [create, lookUp, add, confirm],
  },
  {
    name: '409, and confirmed on the list, which must stay so',
    replies: [conflict, found(on('confirmed'))],
    expected: 'accepted',
    calls: [create, lookUp],
  },
  {
    name: '409, and on the list but unconfirmed',
    replies: [conflict, found(on('unconfirmed')), done],
    expected: 'accepted',
    calls: [create, lookUp, confirm],
  },
  {
    name: '409, and blocklisted, which the reader must not learn of',
    replies: [conflict, found({ status: 'blocklisted' })],
    expected: 'accepted',
    calls: [create, lookUp],
  },
  {
    name: '409, and not to be found',
    replies: [conflict, { status: 200, body: { data: { results: [] } } }],
    expected: 'answer 200 look up',
    calls: [create, lookUp],
  },
  {
    name: '409, and the search answers garbage',
    replies: [conflict, { status: 200, body: '<html>' }],
    expected: 'answer 200 look up',
    calls: [create, lookUp],
  },
  {
    name: '409, and the search is cut short',
    replies: [conflict, { status: 200, body: '{"data":{"results":[{"id":7,' }],
    expected: 'answer 200 look up',
    calls: [create, lookUp],
  },
  {
    name: '409, and no permission to search',
    replies: [conflict, { status: 403, body: message }],
    expected: 'refused 403 look up',
    calls: [create, lookUp],
  },
  {
    name: '409, and no permission on the list',
    replies: [conflict, found(), { status: 403, body: message }],
    expected: 'refused 403 add to list',
    calls: [create, lookUp, add],
  },
  {
    name: '409, and the confirmation cannot be sent',
    replies: [conflict, found(), done, { status: 500, body: message }],
    expected: 'refused 500 confirmation',
    calls: [create, lookUp, add, confirm],
  },
  { name: '400', replies: [{ status: 400, body: message }], expected: 'invalid', calls: [create] },
  {
    name: '400 of a proxy, which is no word on the address',
    replies: [{ status: 400, body: '<h1>400 Bad Request</h1>' }],
    expected: 'refused 400 create',
    calls: [create],
  },
  { name: '403', replies: [{ status: 403, body: message }], expected: 'refused 403 create', calls: [create] },
  { name: '500', replies: [{ status: 500, body: message }], expected: 'refused 500 create', calls: [create] },
];

for (const { name, replies, expected, calls } of rows) {
  test(`${name}: ${expected}`, async () => {
    const { outcome, received } = await tryProvider('listmonk', replies);
    assert.is(inShort(outcome), expected);
    assert.equal(
      received.map(({ method, path }) => `${method} ${path}`),
      calls,
    );
    for (const { headers } of received) assert.is(headers.authorization, `token catalog:${secret}`);
  });
}

test('sends what the API requires', async () => {
  const { received, warnings } = await tryProvider('listmonk', [conflict, found(), done, done]);
  assert.equal(received[0]?.json, {
    email: subscription.email,
    name: 'Ann.Reader+news',
    status: 'enabled',
    lists: [2],
    attribs: { source: 'catalog', note: subscription.note },
    preconfirm_subscriptions: false,
  });
  assert.equal(received[2]?.json, { ids: [7], action: 'add', target_list_ids: [2], status: 'unconfirmed' });
  assert.is(received[3]?.json, undefined);
  assert.equal(warnings, [
    [
      { provider: 'listmonk', subscription: subscription.id },
      'The note of a subscription was not stored: the address was already known.',
    ],
  ]);
});

test('every sign of an address that has a meaning in the search is escaped', async () => {
  const given = { ...subscription, email: 'ann+one+{two}|@example.com' };
  const { received } = await tryProvider('listmonk', [conflict, found()], { given });
  const wanted = encodeURIComponent('ann\\+one\\+\\{two\\}\\|@example.com');
  assert.is(received[1]?.path, `/api/subscribers?search=${wanted}&per_page=100`);
});

test('a known address without a note gives no warning', async () => {
  const { note: _, ...given } = subscription;
  const { warnings } = await tryProvider('listmonk', [conflict, found(), done, done], { given });
  assert.equal(warnings, []);
});

test.run();
