import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { ProviderFailed } from '../../../src/mail/calls.ts';
import type { Outcome, SubscriberProvider } from '../../../src/mail/provider.ts';
import { withDeadline } from '../../../src/mail/subscribers.ts';
import { assertNothingPrivate, inShort, subscription } from '../../support/subscribers.ts';
import { withTimeLimit } from '../../support/until.ts';

const providerOf = (add: SubscriberProvider['add'], rest: Partial<SubscriberProvider> = {}): SubscriberProvider => ({
  name: 'made-up',
  add,
  ...rest,
});

test('a provider that ignores its signal is not waited for', async () => {
  let given: AbortSignal | undefined;
  const subscribers = withDeadline(
    providerOf((_, signal) => {
      given = signal;
      return new Promise(() => {});
    }),
    20,
  );
  const failure = await subscribers.add(subscription).catch((error) => error);
  assert.instance(failure, ProviderFailed);
  assert.is(inShort(failure), 'timeout');
  assert.is(given?.aborted, true);
});

test('the signal is not aborted if the subscription ends in time', async () => {
  let given: AbortSignal | undefined;
  const subscribers = withDeadline(
    providerOf(async (_, signal) => {
      given = signal;
      return 'invalid';
    }),
  );
  assert.is(await subscribers.add(subscription), 'invalid');
  assert.is(given?.aborted, false);
});

for (const [name, add] of [
  ['rejects with', async () => Promise.reject(new TypeError(`no ${subscription.email}`))],
  [
    'throws',
    () => {
      throw new TypeError(`no ${subscription.email}`);
    },
  ],
] as [string, SubscriberProvider['add']][]) {
  test(`what a provider ${name} becomes a failure`, async () => {
    const failure = await withDeadline(providerOf(add))
      .add(subscription)
      .catch((error) => error);
    assert.instance(failure, ProviderFailed);
    assert.is(inShort(failure), 'bug');
    assertNothingPrivate(failure, subscription);
  });
}

test('checks and reopening reach the provider, and need none that can do so', async () => {
  const calls: string[] = [];
  const accepts = async () => 'accepted' as const;
  const full = withDeadline(
    providerOf(accepts, {
      check: () => Promise.reject(new Error('full')),
      reopen: async () => void calls.push('reopen'),
    }),
  );
  assert.is(await full.check?.().catch((error) => error.message), 'full');
  await full.reopen?.();
  assert.equal(calls, ['reopen']);
  const plain = withDeadline(providerOf(accepts));
  await plain.check?.();
  await plain.reopen?.();
});

test('a subscription may take five seconds by default', () =>
  withTimeLimit(async (_, expire) => {
    const failed = withDeadline(providerOf(() => new Promise(() => {})))
      .add(subscription)
      .catch((error) => error);
    expire();
    assert.is(inShort(await failed), 'timeout');
  }, 5_000));

test('no timer remains if the subscription ends in time', async () => {
  const { setTimeout, clearTimeout } = globalThis;
  const lengths: unknown[] = [];
  const running = new Set<unknown>();
  globalThis.setTimeout = ((work: () => void, ms: number) => {
    const timer = setTimeout(work, ms);
    lengths.push(ms);
    running.add(timer);
    return timer;
  }) as typeof setTimeout;
  globalThis.clearTimeout = (timer) => {
    running.delete(timer);
    clearTimeout(timer);
  };
  try {
    await withDeadline(providerOf(async () => 'accepted')).add(subscription);
  } finally {
    Object.assign(globalThis, { setTimeout, clearTimeout });
  }
  assert.equal([lengths, running.size], [[5_000], 0]);
});

test('close waits for open subscriptions, refuses later ones, then closes the provider', async () => {
  const order: string[] = [];
  const finish: ((outcome: Outcome) => void)[] = [];
  const subscribers = withDeadline(
    providerOf(
      () =>
        new Promise((resolve) => {
          finish.push(resolve);
        }),
      { close: async () => void order.push('closed') },
    ),
  );
  const [first, second] = [1, 2].map(() => subscribers.add(subscription).then((outcome) => order.push(outcome)));
  await new Promise((resolve) => setImmediate(resolve));
  finish[0]?.('accepted');
  await first;
  const closed = subscribers.close();
  const late = await subscribers.add(subscription).catch((error) => error);
  assert.is(inShort(late), 'closed');
  finish[1]?.('invalid');
  await Promise.all([second, closed]);
  assert.equal(order, ['accepted', 'invalid', 'closed']);
});

test.run();
