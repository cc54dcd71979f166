import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { inShort, type Reply, secret, settingsOf, subscription, tryProvider } from '../../support/subscribers.ts';
import { withTimeLimit } from '../../support/until.ts';

const refusal = (status: number, name: string, message = 'In words.'): Reply => ({
  status,
  body: { statusCode: status, name, message },
});
const created: Reply = { status: 201, body: { object: 'contact', id: '479e3145' } };
const done: Reply = { status: 200, body: {} };

const rows: { name: string; replies: Reply[]; expected: string; steps: number }[] = [
  { name: '201, then 200 and 200', replies: [created, done, done], expected: 'accepted', steps: 3 },
  { name: '200, as in older notes', replies: [done], expected: 'accepted', steps: 3 },
  { name: '409, there already', replies: [refusal(409, 'conflict'), done], expected: 'accepted', steps: 3 },
  {
    name: 'a refusal whose message says that it exists',
    replies: [refusal(422, 'validation_error', 'Contact already exists'), done],
    expected: 'accepted',
    steps: 3,
  },
  {
    name: 'the same with 400, in capitals',
    replies: [refusal(400, 'validation_error', 'Contact Already Exists'), done],
    expected: 'accepted',
    steps: 3,
  },
  {
    name: 'a refusal of the key that mentions what exists',
    replies: [refusal(403, 'invalid_api_key', 'This key already exists elsewhere')],
    expected: 'refused 403 invalid_api_key create',
    steps: 1,
  },
  { name: '400 validation_error', replies: [refusal(400, 'validation_error')], expected: 'invalid', steps: 1 },
  { name: '422 validation_error', replies: [refusal(422, 'validation_error')], expected: 'invalid', steps: 1 },
  {
    name: '400 validation_error that is about the key',
    replies: [refusal(400, 'validation_error', 'API key is invalid')],
    expected: 'refused 400 validation_error create',
    steps: 1,
  },
  ...(
    [
      [422, 'missing_required_field'],
      [401, 'missing_api_key'],
      [401, 'restricted_api_key'],
      [401, 'validation_error'],
      [403, 'invalid_api_key'],
      [403, 'validation_error'],
      [404, 'not_found'],
      [405, 'method_not_allowed'],
      [429, 'rate_limit_exceeded'],
      [500, 'internal_server_error'],
    ] as const
  ).map(([status, name]) => ({
    name: `${status} ${name}`,
    replies: [refusal(status, name)],
    expected: `refused ${status} ${name} create`,
    steps: 1,
  })),
  {
    name: 'a note that is refused (its property was never made)',
    replies: [created, refusal(422, 'validation_error')],
    expected: 'refused 422 validation_error note',
    steps: 2,
  },
  {
    name: 'a segment that is not there',
    replies: [created, done, refusal(404, 'not_found')],
    expected: 'refused 404 not_found segment',
    steps: 3,
  },
  {
    name: 'a segment call that is refused as invalid, which is not the address',
    replies: [created, done, refusal(422, 'validation_error')],
    expected: 'refused 422 validation_error segment',
    steps: 3,
  },
];

for (const { name, replies, expected, steps } of rows) {
  test(`${name}: ${expected}`, async () => {
    const { outcome, received } = await tryProvider('resend', replies);
    assert.is(inShort(outcome), expected);
    assert.is(received.length, steps);
  });
}

test('creates the contact, sets the note, joins the segment', async () => {
  const { received } = await tryProvider('resend', [created, done, done]);
  const contact = `/contacts/${encodeURIComponent(subscription.email)}`;
  assert.equal(
    received.map(({ method, path, json }) => [method, path, json]),
    [
      ['POST', '/contacts', { email: subscription.email, unsubscribed: false }],
      ['PATCH', contact, { properties: { note: subscription.note } }],
      ['POST', `${contact}/segments/${settingsOf.resend('').lists.pro}`, undefined],
    ],
  );
  for (const { headers } of received) {
    assert.is(headers.authorization, `Bearer ${secret}`);
    assert.ok(headers['user-agent']);
  }
});

test('a subscription without a note, or with an empty one, takes two calls', async () => {
  const { note: _, ...plain } = subscription;
  for (const given of [plain, { ...plain, note: '' }]) {
    const { received, warnings } = await tryProvider('resend', [created, done], { given });
    assert.is(received.length, 2);
    assert.equal(warnings, []);
  }
});

test('without a property, the note is not passed on, and the log says so', async () => {
  const settings = (url: string) => ({ ...settingsOf.resend(url), noteProperty: null });
  const { outcome, received, warnings } = await tryProvider('resend', [created, done], { settings });
  assert.is(outcome, 'accepted');
  assert.is(received.length, 2);
  const words = 'The note of a subscription was not passed on. To pass notes on, set CATALOG_SIGNUPS_NOTE_PROPERTY.';
  assert.equal(warnings, [[{ provider: 'resend', subscription: subscription.id }, words]]);
});

test('all calls of one subscription share one retry', async () => {
  const busy: Reply = { status: 429, headers: { 'retry-after': '1' }, body: { name: 'rate_limit_exceeded' } };
  const { outcome, received } = await tryProvider('resend', [busy, created, done, busy, done]);
  assert.is(inShort(outcome), 'refused 429 rate_limit_exceeded segment');
  assert.is(received.length, 4);
});

test('all calls of one subscription share one time limit', () =>
  withTimeLimit(async (timeoutMs, expire) => {
    const never: Reply = () => expire();
    const { outcome, received } = await tryProvider('resend', [created, never], { timeoutMs });
    assert.is(inShort(outcome), 'timeout');
    assert.is(received.length, 2);
  }));

test.run();
