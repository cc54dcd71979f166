import type * as z from 'zod';
import { UsageError } from '../lib/errors.ts';
import { nearest } from '../schema/diagnostics/suggestions.ts';
import type { Disk } from '../storage/disk.ts';
import type { Database } from '../storage/postgres.ts';
import { type FailureFacts, ProviderFailed, type ProviderTools, secretsOf } from './calls.ts';
import type { Outcome, SubscriberProvider, SubscriberStore, Subscription } from './provider.ts';
import { buttondown } from './providers/buttondown.ts';
import { listmonk } from './providers/listmonk.ts';
import { resend } from './providers/resend.ts';
import { webhook } from './providers/webhook.ts';
import { openSubscriberDatabase } from './subscribers-database.ts';
import { openSubscriberFile } from './subscribers-file.ts';

/** The services that can store subscribers. */
const services = { buttondown, resend, listmonk, webhook };

/** The names that `--subscribers` and CATALOG_SIGNUPS take. */
const providerNames = ['file', 'buttondown', 'resend', 'listmonk', 'webhook'] as const;

/** Where subscribers are stored, with everything the provider needs. Contains its key, so do not log it. */
export type SubscriberSettings = { provider: 'file' } | z.infer<(typeof services)[keyof typeof services]['settings']>;

/**
 * The settings of the store of subscribers, from `--subscribers` (`flag`), which wins, and the environment; an empty
 * value counts as none.
 *
 * Throws one UsageError that names every missing or wrong variable and its rule. It does not repeat the key and the
 * address, which may contain secrets.
 */
export function parseSubscriberSettings(flag: string | undefined, environment: NodeJS.ProcessEnv): SubscriberSettings {
  const value = (name: string) => environment[name]?.trim() || undefined;
  const [source, name = 'file'] = flag?.trim()
    ? ['--subscribers', flag.trim()]
    : ['CATALOG_SIGNUPS', value('CATALOG_SIGNUPS')];
  const provider = providerNames.find((each) => each === name);
  if (provider === undefined) {
    const slip = nearest(name, providerNames);
    throw new UsageError(
      `${source} is ${JSON.stringify(name)}; it has to be one of ${providerNames.join(', ')}.` +
        (slip === undefined ? '' : ` Did you mean ${slip}?`),
    );
  }
  if (provider === 'file') return { provider };
  const { settings } = services[provider];
  const values = Object.fromEntries(
    Object.keys(settings.in.shape).map((part) => [part, value(`CATALOG_SIGNUPS_${part}`)]),
  );
  const { data, error } = settings.safeParse(values);
  if (data !== undefined) return data;
  const problems = error.issues.map(({ path: [part = ''], message: rule }) => {
    const text = values[String(part)];
    const isPrivate = part === 'URL' || part === 'KEY';
    const problem = text === undefined ? 'is missing' : isPrivate ? 'is not valid' : `is ${JSON.stringify(text)}`;
    return `CATALOG_SIGNUPS_${String(part)} ${problem}; for ${provider} it has to be ${rule}.`;
  });
  throw new UsageError(problems.join('\n'));
}

/** The dependencies of stores of subscribers. */
export interface SubscriberTools extends ProviderTools {
  /** The file of the provider `file`. */
  file: string;
  /** Where the provider `file` stores subscribers instead, if it is set. */
  database?: Database | null;
  /** How long one subscription may take, in milliseconds. @default 5000 */
  timeoutMs?: number;
  /** The disk of the provider `file`. @default node:fs/promises */
  disk?: Disk;
}

/** Opens the provider in the settings. Throws OperationError if its file cannot be opened or has an owner. */
export async function openSubscribers(settings: SubscriberSettings, tools: SubscriberTools): Promise<SubscriberStore> {
  if (settings.provider !== 'file') {
    // Each service takes the settings that it has parsed.
    const provider = services[settings.provider].subscribers(settings as never, tools);
    return withDeadline(provider, tools.timeoutMs);
  }
  const { database, timeoutMs } = tools;
  return withDeadline(database ? openSubscriberDatabase(database) : await openSubscriberFile(tools), timeoutMs);
}

/** How long one subscription may take, with all of its calls and retries, in milliseconds. */
const subscriptionTimeoutMs = 5000;

/**
 * Puts a time limit on every subscription, whether or not the provider obeys its signal, and waits for those in progress
 * when it is closed. Any other error than ProviderFailed is a bug in the provider's module and becomes one.
 */
export function withDeadline(provider: SubscriberProvider, timeoutMs = subscriptionTimeoutMs): SubscriberStore {
  const inProgress = new Set<Promise<Outcome>>();
  let closed = false;
  const failure = (facts: Omit<FailureFacts, 'provider'>) => new ProviderFailed({ provider: provider.name, ...facts });

  async function limited(subscription: Subscription): Promise<Outcome> {
    const controller = new AbortController();
    const late = new Promise<never>((_, reject) =>
      controller.signal.addEventListener('abort', () => reject(controller.signal.reason)),
    );
    const timer = setTimeout(() => controller.abort(failure({ reason: 'timeout' })), timeoutMs);
    try {
      return await Promise.race([provider.add(subscription, controller.signal), late]);
    } catch (error) {
      const secrets = secretsOf(subscription.email, subscription.note);
      throw error instanceof ProviderFailed ? error : failure({ reason: 'bug', error, secrets });
    } finally {
      clearTimeout(timer);
    }
  }

  return {
    ...provider,
    add(subscription) {
      if (closed) return Promise.reject(failure({ reason: 'closed' }));
      const work = limited(subscription);
      inProgress.add(work);
      work.finally(() => inProgress.delete(work)).catch(() => {});
      return work;
    },
    async close() {
      closed = true;
      await Promise.allSettled(inProgress);
      await provider.close?.();
    },
  };
}
