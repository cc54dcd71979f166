import { setTimeout as sleep } from 'node:timers/promises';
import { type HttpAnswer, type HttpFailed, type HttpRequest, httpRequest, retryAfterMs } from '../lib/http.ts';
import { causeCode, safeCause, safeCode, secretsOf } from './private-errors.ts';

/** The lists of C2.3. */
export const listNames = ['daily', 'pro', 'custom'] as const;

export type ListName = (typeof listNames)[number];

/** One valid request to subscribe. */
export interface Subscription {
  /** Unique. A receiver that sees an id twice sees a repeated call, not a second subscription. */
  id: string;
  /** RFC 3339, UTC. */
  time: string;
  email: string;
  list: ListName;
  note?: string;
  /** The version of the form's text that the reader saw: the start of its digest. */
  form?: string;
  /** Whether it takes effect only once the reader confirms it. */
  pending?: true;
}

/** What a reader does with a link in a mail. */
export type ConsentEvent = 'confirmed' | 'unsubscribed';

/** A subscription as it is stored, with the times at which it was confirmed and ended: RFC 3339, UTC. */
export type SubscriptionRecord = Subscription & { [Event in ConsentEvent]?: string };

/** `mailbox` is any address of it. */
export type Wanted = { id: string } | { email: string } | { mailbox: string } | { list: ListName };

/** Domains whose addresses reach the mailboxes of another domain. */
const sameMailboxes = [
  ['gmail.com', 'googlemail.com'],
  ['proton.me', 'protonmail.com', 'pm.me'],
  ['icloud.com', 'me.com', 'mac.com'],
];

/**
 * The mailbox that an address reaches, for limits only: two addresses that differ in their case, in what follows a plus, in the
 * dots of Gmail, or in a domain of the same provider reach the same one. `domains` are all of the mailbox's.
 */
export function mailboxOf(address: string): { mailbox: string; domains: readonly string[] } {
  const [, name = '', domain = ''] = /^(.*)@(.*)$/s.exec(address.toLowerCase()) ?? [];
  const domains = sameMailboxes.find((names) => names.includes(domain)) ?? [domain];
  const untagged = name.replace(/(?<=.)\+.*$/s, '');
  return { mailbox: `${domains[0] === 'gmail.com' ? untagged.replaceAll('.', '') : untagged}@${domains[0]}`, domains };
}

/**
 * Subscriptions that the program keeps itself, with the record of consent. Other processes may change them meanwhile, so
 * every call reads what is stored now. Addresses are compared without regard to case.
 */
export interface SubscriptionRecords {
  /** The subscriptions with an id, of an address, of a mailbox, or on a list, in the order in which they were stored. */
  find(wanted: Wanted): Promise<SubscriptionRecord[]>;
  /**
   * Stores durably that a subscription was confirmed, or that its reader left its list, which ends all subscriptions so far
   * of the address to this list. The first time of each counts. An ended subscription is never confirmed.
   */
  mark(id: string, event: ConsentEvent, time: string): Promise<void>;
  /** Address hash (mail-key.ts) → the last time of `suppress`. */
  suppressions(): Promise<ReadonlyMap<string, string>>;
  /** Stores durably that no subscription of an address that was confirmed before `time` gets mail, even if it is erased. */
  suppress(hash: string, time: string): Promise<void>;
}

/**
 * What a reader learns: `accepted` for an address that was added, was already there, or is blocked; `invalid` for one
 * that the provider calls invalid. Any other failure is thrown as SubscriptionFailed.
 */
export type Outcome = 'accepted' | 'invalid';

/** A place where subscribers are stored. */
export interface SubscriberProvider {
  readonly name: string;
  /** Absent if the provider keeps subscriptions and consent at its own place. */
  readonly records?: SubscriptionRecords;
  /** Stores one subscription; `signal` ends all of its calls. Throws only SubscriptionFailed. */
  add(subscription: Subscription, signal: AbortSignal): Promise<Outcome>;
  /** Resolves if a subscription could be stored now. Absent if the provider cannot tell without storing one. */
  check?(): Promise<void>;
  /** Continues in a new file after the old one was renamed. Absent if the provider has no file. */
  reopen?(): Promise<void>;
  /** Closes open files once nothing is being added. Absent if the provider has none. */
  close?(): Promise<void>;
}

/** Where the server stores subscribers: any provider, with a time limit for each subscription. */
export interface SubscriberStore {
  readonly provider: string;
  readonly records: SubscriptionRecords | null;
  /** Throws only SubscriptionFailed. */
  add(subscription: Subscription): Promise<Outcome>;
  /** Resolves if a subscription could be stored now, as far as the provider can tell without storing one. */
  check(): Promise<void>;
  reopen(): Promise<void>;
  /** Waits for the subscriptions in progress and refuses later ones. */
  close(): Promise<void>;
}

/** The log for warnings, such as pino's. The facts never contain an address, a note or a key. */
export interface SubscriberLog {
  warn(facts: Record<string, unknown>, message: string): void;
}

/**
 * Why a subscription was not stored: the provider took too long, could not be reached, answered with a redirect, refused
 * it, or sent a success that cannot be read (`answer`); the file could not be written (`storage`); the server is
 * stopping (`closed`); or this program has a bug (`bug`).
 */
export type FailureReason = 'timeout' | 'network' | 'redirect' | 'refused' | 'answer' | 'storage' | 'closed' | 'bug';

export interface FailureFacts {
  provider: string;
  reason: FailureReason;
  /** Which of the provider's calls failed, if it has several. */
  step?: string;
  /** The HTTP status, if there was an answer. */
  status?: number;
  /** The error code of the provider or the system (ECONNREFUSED, ENOSPC), checked by safeCode. */
  code?: string | undefined;
  /** A copy made by safeCause. */
  cause?: Error | undefined;
  /** Whether the reason was logged already. @default false */
  isLogged?: boolean;
}

/** A subscription was not stored. It contains no key, address or note, so it can be logged as it is. */
export class SubscriptionFailed extends Error {
  override readonly name = 'SubscriptionFailed';
  /** What happened, without the consequence. */
  readonly what: string;
  readonly provider: string;
  readonly reason: FailureReason;
  readonly step: string | null;
  readonly status: number | null;
  readonly code: string | null;
  readonly isLogged: boolean;

  constructor({ provider, reason, step, status, code, cause, isLogged = false }: FailureFacts) {
    const at = step === undefined ? '' : ` (${step})`;
    const what = `${provider}${at} ${describe(reason, status, code)}`;
    super(`Subscription not stored: ${what}.`, cause && { cause });
    this.what = what;
    this.provider = provider;
    this.reason = reason;
    this.step = step ?? null;
    this.status = status ?? null;
    this.code = code ?? null;
    this.isLogged = isLogged;
  }
}

function describe(reason: FailureReason, status: number | undefined, code: string | undefined): string {
  const detail = code === undefined ? '' : ` (${code})`;
  switch (reason) {
    case 'timeout':
      return 'took too long';
    case 'network':
      return `could not be reached${detail}`;
    case 'redirect':
      return `answered with a redirect (${status}), which is not followed`;
    case 'refused':
      return `refused it with status ${status}${detail}`;
    case 'answer':
      return `answered with status ${status}, but not in the expected form`;
    case 'storage':
      return `could not write it${detail}`;
    case 'closed':
      return 'is closed';
    case 'bug':
      return 'failed because of a bug in this program';
  }
}

/** What calls to a provider depend on. The defaults fit a running server. */
export interface CallTools {
  fetch?: HttpRequest['fetch'];
  /** Milliseconds since 1970. @default Date.now */
  now?: () => number;
  /** Returns a number from 0 up to, but not including, 1. @default Math.random */
  random?: () => number;
  /** Waits before a retry and rejects when `signal` is aborted. @default node:timers/promises */
  wait?: (ms: number, signal: AbortSignal) => Promise<void>;
}

export interface Call {
  /** What the call does, for the log. */
  step: string;
  method: 'GET' | 'POST' | 'PUT' | 'PATCH';
  url: string;
  headers: Record<string, string>;
  /** The body, as JSON text. */
  body?: string;
  /** Whether to read the body of a 2xx too. @default false */
  read?: boolean;
  /** The longest body that is read, in bytes. @default 256 KiB */
  maxBytes?: number;
}

export interface Answer {
  status: number;
  /** 200 to 299. */
  ok: boolean;
  /** The header Retry-After. */
  retryAfter: string | null;
  /** The parsed JSON; undefined if the body is empty, too large, incomplete or not JSON, or was not asked for. */
  body: unknown;
}

/** The values that all calls of one subscription share. */
export interface CallContext {
  provider: string;
  /** Texts that must not appear in an error. */
  secrets: readonly string[];
  /** Ends all calls. */
  signal: AbortSignal;
  /** How often a call may be repeated. @default 1 */
  retries?: number;
}

/** The calls that one subscription takes. They share one retry. */
export class Calls {
  readonly #context: CallContext;
  readonly #tools: Required<Omit<CallTools, 'fetch'>> & Pick<CallTools, 'fetch'>;
  #retries: number;

  constructor(
    context: CallContext,
    { fetch, now = Date.now, random = Math.random, wait = (ms, signal) => sleep(ms, undefined, { signal }) }: CallTools,
  ) {
    this.#context = context;
    this.#retries = context.retries ?? 1;
    this.#tools = { fetch, now, random, wait };
  }

  /**
   * Sends a request. Throws SubscriptionFailed if there is no answer, or if it is a redirect. Callers check other
   * statuses.
   */
  async send(call: Call): Promise<Answer> {
    const { now, random, wait } = this.#tools;
    const { signal } = this.#context;
    for (;;) {
      const result = await this.#attempt(call);
      const response = result instanceof SubscriptionFailed ? undefined : result;
      const retryAfter = response?.headers.get('retry-after') ?? null;
      const pause = pauseBeforeRetry({ status: response?.status, retryAfter }, now(), random());
      if (pause !== undefined && this.#retries > 0 && !signal.aborted) {
        this.#retries -= 1;
        await response?.discard();
        await wait(pause, signal).catch((error) => Promise.reject(this.#failure(call.step, error)));
      } else if (result instanceof SubscriptionFailed) {
        throw result;
      } else {
        return await this.#answer(call, result);
      }
    }
  }

  /**
   * Returns the failure to throw for an answer that is not a success. `code` is the provider's own error code, if any.
   */
  refused({ step }: Call, { status }: Answer, code?: unknown): SubscriptionFailed {
    const { provider, secrets } = this.#context;
    return new SubscriptionFailed({ provider, reason: 'refused', step, status, code: safeCode(code, secrets) });
  }

  /** Returns the failure to throw for a success whose body cannot be used. */
  unreadable({ step }: Call, { status }: Answer): SubscriptionFailed {
    return new SubscriptionFailed({ provider: this.#context.provider, reason: 'answer', step, status });
  }

  /** Sends one request. Returns a failure instead of throwing it, since it may be retried. */
  async #attempt({ step, headers, maxBytes = 256 * 1024, ...call }: Call): Promise<HttpAnswer | SubscriptionFailed> {
    const { fetch } = this.#tools;
    const { signal } = this.#context;
    try {
      const all = { accept: 'application/json', ...headers };
      return await httpRequest(call.url, { ...call, headers: all, maxBytes, signal, fetch });
    } catch (error) {
      return this.#failure(step, (error as HttpFailed).cause);
    }
  }

  async #answer({ step, read = false }: Call, response: HttpAnswer): Promise<Answer> {
    const { provider, signal } = this.#context;
    const { status, ok } = response;
    const retryAfter = response.headers.get('retry-after');
    if (status >= 300 && status < 400) {
      await response.discard();
      throw new SubscriptionFailed({ provider, reason: 'redirect', step, status });
    }
    if (ok && !read) {
      await response.discard();
      return { status, ok, retryAfter, body: undefined };
    }
    const body = await response.json().catch(() => undefined);
    if (signal.aborted) throw this.#failure(step, signal.reason);
    return { status, ok, retryAfter, body };
  }

  #failure(step: string, error: unknown): SubscriptionFailed {
    const { provider, secrets, signal } = this.#context;
    if (signal.aborted) return new SubscriptionFailed({ provider, reason: 'timeout', step });
    const facts = { code: causeCode(error, secrets), cause: safeCause(error, secrets) };
    return new SubscriptionFailed({ provider, reason: 'network', step, ...facts });
  }
}

/** The field `key` of a body of any type. */
export function field(body: unknown, key: string): unknown {
  return typeof body === 'object' && body !== null ? (body as Record<string, unknown>)[key] : undefined;
}

/** How long one subscription may take, with all of its calls and retries, in milliseconds. */
const subscriptionTimeoutMs = 5000;

/**
 * Puts a time limit on every subscription, whether or not the provider obeys its signal, and waits for those in progress
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

/** The longest pause before a retry, in milliseconds. It has to fit into the time limit of a subscription. */
const longestPauseMs = 2000;

/** The pause if the provider names none, in milliseconds. A random part of up to the same length is added. */
const usualPauseMs = 100;

/** The outcome of a call: an answer, or none. */
export interface Attempt {
  status: number | undefined;
  /** The header Retry-After. */
  retryAfter: string | null;
}

/**
 * How long to wait before a retry, in milliseconds; undefined if a call is not retried. Network errors, 502, 503 and 504
 * are retried, and 429 only with a Retry-After; none is if its Retry-After is long.
 */
export function pauseBeforeRetry({ status, retryAfter }: Attempt, now: number, random: number): number | undefined {
  if (status !== undefined && ![429, 502, 503, 504].includes(status)) return undefined;
  if (retryAfter === null) return status === 429 ? undefined : usualPauseMs * (1 + random);
  const asked = retryAfterMs(retryAfter, now);
  return asked !== undefined && asked <= longestPauseMs ? asked : undefined;
}
