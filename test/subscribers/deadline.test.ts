import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { withDeadline } from '../../src/subscribers/deadline.ts';
import { SignupFailed } from '../../src/subscribers/failure.ts';
import type { Outcome, SignupProvider } from '../../src/subscribers/provider.ts';
import { assertNothingPrivate, inShort, signup } from '../support/subscribers.ts';

const providerOf = (add: SignupProvider['add'], rest: Partial<SignupProvider> = {}): SignupProvider => ({
  name: 'made-up',
  add,
  ...rest,
});

test('a provider that does not heed its signal is not waited for', async () => {
  let given: AbortSignal | undefined;
  const signups = withDeadline(
    providerOf((_, signal) => {
      given = signal;
      return new Promise(() => {});
    }),
    { timeoutMs: 20 },
  );
  const failure = await signups.add(signup).catch((error) => error);
  assert.instance(failure, SignupFailed);
  assert.is(inShort(failure), 'timeout');
  assert.is(given?.aborted, true);
});

test('the signal stays as it is when the sign-up ends in time', async () => {
  let given: AbortSignal | undefined;
  const signups = withDeadline(
    providerOf(async (_, signal) => {
      given = signal;
      return 'invalid';
    }),
  );
  assert.is(await signups.add(signup), 'invalid');
  assert.is(given?.aborted, false);
});

for (const [name, add] of [
  ['rejects with', async () => Promise.reject(new TypeError(`no ${signup.email}`))],
  [
    'throws',
    () => {
      throw new TypeError(`no ${signup.email}`);
    },
  ],
] as [string, SignupProvider['add']][]) {
  test(`what a provider ${name} becomes a failure`, async () => {
    const failure = await withDeadline(providerOf(add))
      .add(signup)
      .catch((error) => error);
    assert.instance(failure, SignupFailed);
    assert.is(inShort(failure), 'fault');
    assertNothingPrivate(failure, signup);
  });
}

test('no timer is left when the sign-up ends in time', async () => {
  const timers = () => process.getActiveResourcesInfo().filter((name) => name === 'Timeout').length;
  const before = timers();
  await withDeadline(providerOf(async () => 'accepted')).add(signup);
  await new Promise((resolve) => setImmediate(resolve));
  assert.is(timers(), before);
});

test('close waits for what is under way, refuses what comes later, then closes the provider', async () => {
  const order: string[] = [];
  let finish = (_: Outcome) => {};
  const signups = withDeadline(
    providerOf(
      () =>
        new Promise((resolve) => {
          finish = resolve;
        }),
      { close: async () => void order.push('closed') },
    ),
  );
  const first = signups.add(signup).then((outcome) => order.push(outcome));
  const closed = signups.close();
  const late = await signups.add(signup).catch((error) => error);
  assert.is(inShort(late), 'closed');
  finish('accepted');
  await Promise.all([first, closed]);
  assert.equal(order, ['accepted', 'closed']);
});

test.run();
