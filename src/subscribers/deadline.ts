import { SubscriptionFailed } from './failure.ts';
import type { Outcome, SubscriberProvider, SubscriberStore, Subscription } from './provider.ts';
import { safeCause, secretsOf } from './safe-errors.ts';

/** How long one subscription may take, with all of its calls and retries, in milliseconds. */
const subscriptionTimeoutMs = 5000;

/**
 * Puts a time limit on every subscription, whether or not the provider obeys its signal, and waits for those under way
 * when it is closed. Any other error than SubscriptionFailed is a bug in the provider's module and becomes one.
 */
export function withDeadline(provider: SubscriberProvider, timeoutMs = subscriptionTimeoutMs): SubscriberStore {
  const underWay = new Set<Promise<Outcome>>();
  let closed = false;

  const limited = (subscription: Subscription): Promise<Outcome> =>
    new Promise((resolve, reject) => {
      const controller = new AbortController();
      const timer = setTimeout(() => {
        const late = new SubscriptionFailed({ provider: provider.name, reason: 'timeout' });
        reject(late);
        controller.abort(late);
      }, timeoutMs);
      Promise.resolve()
        .then(() => provider.add(subscription, controller.signal))
        .then(resolve, (error) => reject(asFailure(provider.name, subscription, error)))
        .finally(() => clearTimeout(timer));
    });

  return {
    provider: provider.name,
    records: provider.records ?? null,
    add(subscription) {
      if (closed) return Promise.reject(new SubscriptionFailed({ provider: provider.name, reason: 'closed' }));
      const work = limited(subscription);
      underWay.add(work);
      const done = () => underWay.delete(work);
      work.then(done, done);
      return work;
    },
    async check() {
      await provider.check?.();
    },
    async reopen() {
      await provider.reopen?.();
    },
    async close() {
      closed = true;
      await Promise.allSettled(underWay);
      await provider.close?.();
    },
  };
}

function asFailure(provider: string, { email, note }: Subscription, error: unknown): SubscriptionFailed {
  if (error instanceof SubscriptionFailed) return error;
  return new SubscriptionFailed({ provider, reason: 'bug', cause: safeCause(error, secretsOf(email, note)) });
}
