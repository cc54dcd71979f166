import { SignupFailed } from './failure.ts';
import type { Outcome, Signup, SignupProvider, Signups } from './provider.ts';
import { safeCause, secretsOf } from './safe-errors.ts';

/** How long one sign-up may take, in milliseconds, with all calls and retries that belong to it. */
export const signupTimeoutMs = 5000;

/**
 * Puts a time limit on every sign-up of `provider`, whether it heeds its signal or not, and waits for those under way
 * when it is closed. An error that is no SignupFailed is a fault of the provider's module and becomes one.
 */
export function withDeadline(provider: SignupProvider, { timeoutMs = signupTimeoutMs } = {}): Signups {
  const underWay = new Set<Promise<Outcome>>();
  let closed = false;

  const limited = (signup: Signup): Promise<Outcome> =>
    new Promise((resolve, reject) => {
      const controller = new AbortController();
      const timer = setTimeout(() => {
        const late = new SignupFailed({ provider: provider.name, reason: 'timeout' });
        reject(late);
        controller.abort(late);
      }, timeoutMs);
      Promise.resolve()
        .then(() => provider.add(signup, controller.signal))
        .then(resolve, (error) => reject(asFailure(provider.name, signup, error)))
        .finally(() => clearTimeout(timer));
    });

  return {
    provider: provider.name,
    add(signup) {
      if (closed) return Promise.reject(new SignupFailed({ provider: provider.name, reason: 'closed' }));
      const work = limited(signup);
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

function asFailure(provider: string, { email, note }: Signup, error: unknown): SignupFailed {
  if (error instanceof SignupFailed) return error;
  return new SignupFailed({ provider, reason: 'fault', cause: safeCause(error, secretsOf(email, note)) });
}
