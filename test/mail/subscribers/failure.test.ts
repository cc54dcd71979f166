import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { type FailureFacts, ProviderFailed } from '../../../src/mail/calls.ts';
import { withDeadline } from '../../../src/mail/subscribers.ts';
import { subscription } from '../../support/subscribers.ts';

/** What an operator reads in the log about a subscription that was not stored. */

const sentences: [facts: Omit<FailureFacts, 'provider'>, words: string][] = [
  [{ reason: 'timeout', step: 'create' }, '(create) took too long'],
  [{ reason: 'timeout' }, 'took too long'],
  [{ reason: 'network', step: 'note', code: 'ECONNRESET' }, '(note) could not be reached (ECONNRESET)'],
  [
    { reason: 'redirect', step: 'create', status: 302 },
    '(create) answered with a redirect (302), which is not followed',
  ],
  [
    { reason: 'refused', step: 'create', status: 403, code: 'no' },
    '(create) refused it with status 403 (no): check CATALOG_SIGNUPS_KEY and its rights',
  ],
  [
    { reason: 'refused', step: 'create', status: 401 },
    '(create) refused it with status 401: check CATALOG_SIGNUPS_KEY and its rights',
  ],
  [{ reason: 'refused', step: 'create', status: 422 }, '(create) refused it with status 422'],
  [
    { reason: 'answer', step: 'look up', status: 200 },
    '(look up) answered with status 200, but not in the expected form',
  ],
  [{ reason: 'storage', code: 'ENOSPC' }, 'could not write it (ENOSPC)'],
  [{ reason: 'closed' }, 'is closed'],
  [{ reason: 'bug' }, 'failed because of a bug in this program'],
];

for (const [facts, words] of sentences) {
  test(`${facts.reason}: “${words}”`, () => {
    const failure = new ProviderFailed({ provider: 'resend', ...facts });
    assert.is(failure.message, `Subscription not stored: resend ${words}.`);
  });
}

/** The cause of the failure that an error of a provider's module becomes. */
async function causeOf(error: Error, note = subscription.note ?? ''): Promise<Error & { code?: string }> {
  const provider = { name: 'made-up', add: () => Promise.reject(error) };
  const failure = await withDeadline(provider)
    .add({ ...subscription, note })
    .catch((failed) => failed);
  return failure.cause;
}

test('the log has the name, the code and the message of an error and of its causes, and nothing else', async () => {
  const inner = Object.assign(new RangeError('too far'), { code: 'ERR_RANGE', answer: 'the whole answer' });
  const shown = await causeOf(Object.assign(new TypeError('no luck', { cause: inner }), { code: 'E-1' }));
  assert.equal(
    [shown.name, shown.message, shown.code, shown.stack],
    ['TypeError', 'no luck', 'E-1', 'TypeError: no luck'],
  );
  const { name, message, code } = shown.cause as Error & { code?: string };
  assert.equal([name, message, code], ['RangeError', 'too far', 'ERR_RANGE']);
  assert.not('answer' in (shown.cause as object));
  assert.not('code' in (await causeOf(new Error('without a code'))));
});

for (const [name, message, note, shown] of [
  ['a blank note hides nothing', 'cannot read it', ' ', 'cannot read it'],
  ['a note is hidden in another case', 'bad: HELLO THERE', 'Hello there', '(removed: it contained private data)'],
  [
    'a note is hidden as it is in an address',
    'GET /?q=Hello%20there%2C',
    'Hello there,',
    '(removed: it contained private data)',
  ],
  [
    'a note is hidden as it is within JSON',
    '{"notes":["x, say \\"hi\\" to all"]}',
    'say "hi" to',
    '(removed: it contained private data)',
  ],
] as const) {
  test(name, async () => assert.is((await causeOf(new Error(message), note)).message, shown));
}

test('a chain of causes without end is cut off', async () => {
  const circle = new Error('again');
  circle.cause = circle;
  let depth = 0;
  for (let at: unknown = await causeOf(circle); at instanceof Error; at = at.cause) depth += 1;
  assert.is(depth, 5);
});

test.run();
