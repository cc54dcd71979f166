import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { inspect } from 'node:util';
import * as assert from 'uvu/assert';
import { ProviderFailed } from '../../src/mail/calls.ts';
import type { Outcome, SubscriberLog, SubscriberStore, Subscription } from '../../src/mail/provider.ts';
import type { SubscriberSettings } from '../../src/mail/subscribers.ts';
import { openSubscribers, type SubscriberTools } from '../../src/mail/subscribers.ts';

/** What a provider answers: an HTTP answer, or a way to break off. */
export type Reply =
  | { status: number; headers?: Record<string, string>; body?: unknown }
  | ((request: IncomingMessage, response: ServerResponse) => void);

export interface Received {
  method: string;
  path: string;
  headers: Record<string, string>;
  /** The body as sent. */
  text: string;
  /** The body as JSON; undefined where there is none. */
  json: unknown;
}

export interface FakeProvider {
  url: string;
  received: Received[];
  close(): Promise<void>;
}

/** A provider on a free port that gives `replies` in order, the last one again and again. */
export async function startProvider(replies: readonly Reply[]): Promise<FakeProvider> {
  const received: Received[] = [];
  const server = createServer(async (request, response) => {
    const reply = replies[Math.min(received.length, replies.length - 1)] ?? { status: 500 };
    let text = '';
    for await (const chunk of request.setEncoding('utf8')) text += chunk;
    received.push({
      method: request.method ?? '',
      path: request.url ?? '',
      headers: request.headers as Record<string, string>,
      text,
      json: text === '' ? undefined : JSON.parse(text),
    });
    if (typeof reply === 'function') return reply(request, response);
    const { status, headers = {}, body = '' } = reply;
    response.writeHead(status, { 'content-type': 'application/json', ...headers });
    response.end(typeof body === 'string' ? body : JSON.stringify(body));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    received,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

/** Never answers. */
export const hang: Reply = () => {};

/** Breaks the connection off without an answer. */
export const reset: Reply = (request) => request.socket.resetAndDestroy();

/** Answers in something that is no HTTP, repeating what must not get into a log. */
export const noHttp: Reply = (request) =>
  request.socket.end(`${secret} ${subscription.email} ${subscription.note}\r\n\r\n`);

/** Sends a status and half of a body, then breaks off. */
export const cutShort =
  (status: number): Reply =>
  (_, response) => {
    response.writeHead(status, { 'content-type': 'application/json', 'content-length': '1000' });
    response.write('{"code":"email_inv', () => response.destroy());
  };

/** Sends a status and the start of a body, then nothing. */
export const hangInBody =
  (status: number): Reply =>
  (_, response) => {
    response.writeHead(status, { 'content-type': 'application/json', 'content-length': '1000' });
    response.write('{"code":');
  };

/** Sends a body without end, until the connection is closed. */
export const endless =
  (status: number): Reply =>
  (_, response) => {
    response.writeHead(status, { 'content-type': 'application/json' });
    const more = () => {
      while (!response.destroyed && response.write(Buffer.alloc(64 * 1024, 0x20)));
    };
    response.on('drain', more);
    more();
  };

export const secret = 'k3y-that-nobody-may-see';

export const subscription: Subscription = {
  id: '0197a5c2-3d4e-7f00-8000-000000000001',
  time: '2026-11-21T09:00:00.000Z',
  email: 'Ann.Reader+news@example.com',
  list: 'pro',
  note: 'An agent that reads minutes, "please" – 🙂',
};

const segments = {
  daily: '78261eea-8f8b-4381-83c6-79fa7120f1c1',
  pro: '78261eea-8f8b-4381-83c6-79fa7120f1c2',
  custom: '78261eea-8f8b-4381-83c6-79fa7120f1c3',
};

/** Settings of each provider that has calls to make, at the address given. */
export const settingsOf = {
  buttondown: (url: string) => ({
    provider: 'buttondown' as const,
    url,
    key: secret,
    lists: { daily: 'daily', pro: 'waitlist', custom: 'custom' },
  }),
  resend: (url: string) => ({
    provider: 'resend' as const,
    url,
    key: secret,
    lists: segments,
    noteProperty: 'note' as string | null,
  }),
  listmonk: (url: string) => ({
    provider: 'listmonk' as const,
    url,
    key: `catalog:${secret}`,
    lists: { daily: 1, pro: 2, custom: 3 },
  }),
  webhook: (url: string) => ({ provider: 'webhook' as const, url: `${url}/hooks/5ecret-path`, key: secret }),
};

export type Remote = keyof typeof settingsOf;

export interface Trial {
  /** `accepted`, `invalid`, or the failure. */
  outcome: Outcome | ProviderFailed;
  received: Received[];
  warnings: [facts: Record<string, unknown>, message: string][];
  /** The pauses before retries, in milliseconds. */
  pauses: number[];
}

export interface TrialOptions extends Partial<SubscriberTools> {
  given?: Subscription;
  settings?: (url: string) => SubscriberSettings;
}

/** One subscription at a provider that gives `replies`. What it throws or logs is searched for private data. */
export async function tryProvider(remote: Remote, replies: readonly Reply[], options: TrialOptions = {}) {
  const { given = subscription, settings = settingsOf[remote], ...tools } = options;
  const provider = await startProvider(replies);
  const trial: Trial = { outcome: 'accepted', received: provider.received, warnings: [], pauses: [] };
  let subscribers: SubscriberStore | undefined;
  try {
    subscribers = await openSubscribers(settings(provider.url), {
      file: 'unused',
      log: recorder(trial.warnings),
      random: () => 0.5,
      now: () => Date.parse('2026-11-21T09:00:00Z'),
      wait: async (ms) => void trial.pauses.push(ms),
      ...tools,
    });
    trial.outcome = await subscribers.add(given);
  } catch (error) {
    if (!(error instanceof ProviderFailed)) throw error;
    trial.outcome = error;
  } finally {
    await subscribers?.close();
    await provider.close();
  }
  assertNothingPrivate([trial.outcome, trial.warnings], given);
  return trial;
}

export function recorder(warnings: Trial['warnings']): SubscriberLog {
  return { warn: (facts, message) => void warnings.push([facts, message]) };
}

/** What a failure says, in one line: reason, status, code, step. */
export function inShort(outcome: Outcome | ProviderFailed): string {
  if (!(outcome instanceof ProviderFailed)) return outcome;
  const { reason, status, code, step } = outcome;
  return [reason, status, code, step].filter((part) => part !== null).join(' ');
}

/** Fails where key, address or note can be found anywhere in `value`: hidden fields, causes and stacks included. */
export function assertNothingPrivate(value: unknown, { email, note }: Subscription): void {
  const options = { depth: Number.POSITIVE_INFINITY, showHidden: true, maxStringLength: null, maxArrayLength: null };
  const text = `${inspect(value, options)} ${fieldsOf(value)}`.toLowerCase();
  for (const hidden of [secret, email, encodeURIComponent(email), note, '5ecret-path']) {
    if (hidden) assert.not(text.includes(hidden.toLowerCase()), `${hidden} is in ${text}`);
  }
}

function fieldsOf(value: unknown, seen = new Set<unknown>()): string {
  if (typeof value !== 'object' || value === null || seen.has(value)) return String(value);
  seen.add(value);
  return Reflect.ownKeys(value)
    .map((key) => `${String(key)}=${fieldsOf((value as Record<PropertyKey, unknown>)[key], seen)}`)
    .join(' ');
}
