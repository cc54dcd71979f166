import { UsageError } from '../lib/errors.ts';
import { nearest } from '../schema/diagnostics/suggestions.ts';
import type { Disk } from '../storage/disk.ts';
import type { Database } from '../storage/postgres.ts';
import { type ListName, type ProviderTools, type SubscriberStore, withDeadline } from './provider.ts';
import { type ButtondownSettings, createButtondown } from './providers/buttondown.ts';
import { createListmonk, type ListmonkSettings } from './providers/listmonk.ts';
import { createResend, type ResendSettings } from './providers/resend.ts';
import { createWebhook, type WebhookSettings } from './providers/webhook.ts';
import { openSubscriberDatabase } from './subscribers-database.ts';
import { openSubscriberFile } from './subscribers-file.ts';

/** The names that `--subscribers` and CATALOG_SIGNUPS take. */
const providerNames = ['file', 'buttondown', 'resend', 'listmonk', 'webhook'] as const;

/** Where subscribers are stored, with everything the provider needs. Contains its key, so do not log it. */
export type SubscriberSettings =
  | { provider: 'file' }
  | ({ provider: 'buttondown' } & ButtondownSettings)
  | ({ provider: 'resend' } & ResendSettings)
  | ({ provider: 'listmonk' } & ListmonkSettings)
  | ({ provider: 'webhook' } & WebhookSettings);

/**
 * The settings of the store of subscribers, from `--subscribers` (`flag`), which wins, and the environment; an empty value counts as none.
 *
 * Throws one UsageError that names every missing or wrong variable and its rule. It does not repeat the key and the
 * address, which may contain secrets.
 */
export function parseSubscriberSettings(flag: string | undefined, environment: NodeJS.ProcessEnv): SubscriberSettings {
  const choice = flag?.trim()
    ? ['--subscribers', flag.trim()]
    : ['CATALOG_SIGNUPS', value(environment, 'CATALOG_SIGNUPS')];
  const [source, name = 'file'] = choice as [string, string | undefined];
  const provider = providerNames.find((known) => known === name);
  if (provider === undefined) {
    const slip = nearest(name, providerNames);
    throw new UsageError(
      `${source} is ${JSON.stringify(name)}; it has to be one of ${providerNames.join(', ')}.` +
        (slip === undefined ? '' : ` Did you mean ${slip}?`),
    );
  }
  const faults: string[] = [];
  const settings = read(provider, reader(provider, environment, faults));
  if (faults.length > 0) throw new UsageError(faults.join('\n'));
  return settings;
}

function read(provider: SubscriberSettings['provider'], from: Reader): SubscriberSettings {
  switch (provider) {
    case 'file':
      return { provider };
    case 'buttondown':
      return {
        provider,
        url: from('URL', baseAddress, 'https://api.buttondown.com'),
        key: from('KEY', headerText),
        lists: lists((name, list) => from(name, tag, list)),
      };
    case 'resend':
      return {
        provider,
        url: from('URL', baseAddress, 'https://api.resend.com'),
        key: from('KEY', headerText),
        lists: lists((name) => from(name, segment)),
        noteProperty: from('NOTE_PROPERTY', property, null),
      };
    case 'listmonk':
      return {
        provider,
        url: from('URL', baseAddress),
        key: from('KEY', userAndToken),
        lists: lists((name) => Number(from(name, number))),
      };
    case 'webhook':
      return { provider, url: from('URL', address), key: from('KEY', secret) };
  }
}

/** The form of a value; `rule` ends the sentence "it has to be …". */
interface Form {
  rule: string;
  /** Whether to keep the value out of the message. */
  private?: boolean;
  /** Undefined if the text does not have the form. */
  take(text: string): string | undefined;
}

/** Reads CATALOG_SIGNUPS_<part>, which is required without a default. Notes an error and returns an empty text. */
type Reader = <Default extends string | null = string>(
  part: string,
  form: Form,
  fallback?: Default,
) => string | Default;

function reader(provider: string, environment: NodeJS.ProcessEnv, faults: string[]): Reader {
  return (part, form, fallback) => {
    const name = `CATALOG_SIGNUPS_${part}`;
    const text = value(environment, name);
    if (text === undefined && fallback !== undefined) return fallback;
    const taken = text === undefined ? undefined : form.take(text);
    if (taken !== undefined) return taken;
    const fault = text === undefined ? 'is missing' : form.private ? 'is not valid' : `is ${JSON.stringify(text)}`;
    faults.push(`${name} ${fault}; for ${provider} it has to be ${form.rule}.`);
    return '';
  };
}

function value(environment: NodeJS.ProcessEnv, name: string): string | undefined {
  return environment[name]?.trim() || undefined;
}

function lists<Id>(idOf: (part: string, list: ListName) => Id): Record<ListName, Id> {
  return {
    daily: idOf('LIST_DAILY', 'daily'),
    pro: idOf('LIST_PRO', 'pro'),
    custom: idOf('LIST_CUSTOM', 'custom'),
  };
}

function matching(form: RegExp, rule: string): Form {
  return { rule, take: (text) => (form.test(text) ? text : undefined) };
}

function webAddress(text: string): URL | undefined {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  const plain = url?.username === '' && url.password === '' && url.hash === '';
  return plain && /^https?:$/.test(url.protocol) ? url : undefined;
}

const address: Form = {
  rule: 'an address that starts with http:// or https://, without a user name, a password or #',
  private: true,
  take: (text) => webAddress(text)?.href,
};

const baseAddress: Form = {
  rule: 'an address that starts with http:// or https://, without a user name, a password, ? or #',
  private: true,
  take(text) {
    const url = webAddress(text);
    return url?.search === '' ? url.href.replace(/\/+$/, '') : undefined;
  },
};

const headerText: Form = {
  ...matching(/^[\x21-\x7e]+$/, 'its API key: letters, digits and punctuation, without spaces'),
  private: true,
};

const userAndToken: Form = {
  ...matching(/^[\x21-\x39\x3b-\x7e]+:[\x21-\x7e]+$/, 'user:token of an API user, without spaces'),
  private: true,
};

const secret: Form = { rule: 'the secret that signs each subscription', private: true, take: (text) => text };

const tag = matching(/^[^\p{Cc}]{1,100}$/u, 'a tag of 1 to 100 characters');

const segment = matching(
  /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i,
  'the id of a segment, such as 78261eea-8f8b-4381-83c6-79fa7120f1cf',
);

const number = matching(/^[1-9]\d{0,8}$/, 'the number of a list, such as 1');

const property = matching(/^\w{1,50}$/, 'the key of a contact property: up to 50 letters, digits and _');

/** What stores of subscribers depend on. */
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
  switch (settings.provider) {
    case 'file': {
      const { database, timeoutMs } = tools;
      return withDeadline(database ? openSubscriberDatabase(database) : await openSubscriberFile(tools), timeoutMs);
    }
    case 'buttondown':
      return withDeadline(createButtondown(settings, tools), tools.timeoutMs);
    case 'resend':
      return withDeadline(createResend(settings, tools), tools.timeoutMs);
    case 'listmonk':
      return withDeadline(createListmonk(settings, tools), tools.timeoutMs);
    case 'webhook':
      return withDeadline(createWebhook(settings, tools), tools.timeoutMs);
  }
}
