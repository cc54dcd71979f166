import { setTimeout as sleep } from 'node:timers/promises';
import { OperationError } from '../lib/errors.ts';
import { type HttpAnswer, type HttpFailed, type HttpRequest, httpRequest, retryAfterMs } from '../lib/http.ts';
import type { SubscriberLog } from './provider.ts';

/** The form of error codes, which no address and no sentence has. Other texts of a provider may repeat what was sent. */
const codeForm = /^[A-Za-z0-9_-]{1,64}$/;

/** Returns `value` if it is a code and contains none of `secrets`, else undefined. */
function safeCode(value: unknown, secrets: readonly string[]): string | undefined {
  return typeof value === 'string' && codeForm.test(value) && !holdsAny(value, secrets) ? value : undefined;
}

/**
 * Copies an error and its causes with only name, code and message, and without a message that contains one of `secrets`.
 * Other fields are dropped, since a parser's error, for example, carries the provider's answer.
 */
function safeCause(error: unknown, secrets: readonly string[], depth = 0): Error | undefined {
  if (!(error instanceof Error) || depth > 4) return undefined;
  const cause = safeCause(error.cause, secrets, depth + 1);
  const message = holdsAny(error.message, secrets) ? '(removed: it contained private data)' : error.message;
  const copy = new Error(message, cause && { cause });
  const code = safeCode((error as NodeJS.ErrnoException).code, secrets);
  const name = safeCode(error.name, secrets) ?? 'Error';
  Object.defineProperty(copy, 'name', { value: name, configurable: true });
  Object.defineProperty(copy, 'stack', { value: `${name}: ${message}`, configurable: true });
  return code === undefined ? copy : Object.assign(copy, { code });
}

/** The first code in an error and its causes that may be logged. */
function causeCode(error: unknown, secrets: readonly string[]): string | undefined {
  for (let at = error, depth = 0; at instanceof Error && depth <= 4; at = at.cause, depth += 1) {
    const code = safeCode((at as NodeJS.ErrnoException).code, secrets);
    if (code !== undefined) return code;
  }
  return undefined;
}

/** The texts that must not appear in an error, in each encoding in which they are sent. */
export function secretsOf(...texts: readonly (string | undefined)[]): string[] {
  return texts
    .filter((text): text is string => text !== undefined && text.trim() !== '')
    .flatMap((text) => [text, encodeURIComponent(Buffer.from(text).toString()), JSON.stringify(text).slice(1, -1)]);
}

function holdsAny(text: string, secrets: readonly string[]): boolean {
  const lower = text.toLowerCase();
  return secrets.some((secret) => lower.includes(secret.toLowerCase()));
}

/**
 * The failure: the provider took too long, could not be reached, answered with a redirect, refused the call, or sent a
 * success that cannot be used (`answer`); the file or database could not be written (`storage`); the server is stopping
 * (`closed`); or this program has a bug (`bug`).
 */
type FailureReason = 'timeout' | 'network' | 'redirect' | 'refused' | 'answer' | 'storage' | 'closed' | 'bug';

export interface FailureFacts {
  provider: string;
  reason: FailureReason;
  /** Which of the provider's calls failed, if it has several. */
  step?: string;
  /** The HTTP status, if there was an answer. */
  status?: number;
  /** The provider's own code of the error. @default the code of the system in `error` (ECONNREFUSED, ENOSPC) */
  code?: unknown;
  error?: unknown;
  /** Texts that must not appear in the failure. */
  secrets?: readonly string[];
  /** Whether the reason was logged already. @default false */
  isLogged?: boolean;
  /** The start of the message. @default for a subscription */
  start?: string;
}

/**
 * A provider did not store a subscription, or a service did not do its part in an announcement. It contains no key,
 * address, note or text of the provider, so it can be logged and printed as it is.
 */
export class ProviderFailed extends OperationError {
  readonly provider: string;
  readonly reason: FailureReason;
  readonly step: string | null;
  readonly status: number | null;
  readonly code: string | null;
  readonly isLogged: boolean;

  constructor({ provider, reason, step, status, error, secrets = [], isLogged = false, ...facts }: FailureFacts) {
    const { start = 'Subscription not stored: ' } = facts;
    const code = safeCode(facts.code, secrets) ?? (reason === 'bug' ? undefined : causeCode(error, secrets));
    const at = step === undefined ? '' : ` (${step})`;
    const cause = safeCause(error, secrets);
    super(`${start}${provider}${at} ${describe(reason, status, code)}.`, cause && { cause });
    this.provider = provider;
    this.reason = reason;
    this.step = step ?? null;
    this.status = status ?? null;
    this.code = code ?? null;
    this.isLogged = isLogged;
  }

  /** Whether the provider certainly did nothing. */
  get isRefusal(): boolean {
    return this.status !== null && this.status >= 400 && this.status < 500 && this.status !== 408;
  }
}

function describe(reason: FailureReason, status: number | undefined, code: string | undefined): string {
  const detail = code === undefined ? '' : ` (${code})`;
  return {
    timeout: 'took too long',
    network: `could not be reached${detail}`,
    redirect: `answered with a redirect (${status}), which is not followed`,
    refused: `refused it with status ${status}${detail}${/^40[13]$/.test(`${status}`) ? ': check CATALOG_SIGNUPS_KEY and its rights' : ''}`,
    answer: `answered with status ${status}, but not in the expected form`,
    storage: `could not write it${detail}`,
    closed: 'is closed',
    bug: 'failed because of a bug in this program',
  }[reason];
}

/** The dependencies of calls to a provider. The defaults fit a running server. */
export interface CallTools {
  fetch?: HttpRequest['fetch'];
  /** Milliseconds since 1970. @default Date.now */
  now?: () => number;
  /** Returns a number from 0 up to, but not including, 1. @default Math.random */
  random?: () => number;
  /** Waits before a retry and rejects when `signal` is aborted. @default node:timers/promises */
  wait?: (ms: number, signal: AbortSignal) => Promise<unknown>;
}

/** The dependencies of a provider. */
export interface ProviderTools extends CallTools {
  log: SubscriberLog;
}

export interface Call {
  /** The purpose of the call, for messages and the log. */
  step: string;
  method: 'GET' | 'POST' | 'PUT' | 'PATCH';
  url: string;
  /** In addition to the fields of the context. */
  headers?: Record<string, string>;
  /** The body: a value, or its JSON text. */
  body?: object | string | undefined;
  /** Whether to read the body of a 2xx too. @default false */
  read?: boolean;
  /** The longest body that is read, in bytes. @default 256 KiB */
  maxBytes?: number;
}

/** The answer to a call. */
export type Answer = Awaited<ReturnType<ReturnType<typeof callsTo>>>;

/** The values that calls to a provider share. */
interface CallContext extends Pick<FailureFacts, 'start'> {
  provider: string;
  headers: Record<string, string>;
  secrets: readonly string[];
  /** Ends all calls. */
  signal: AbortSignal;
  /** How often a call may be repeated, in all. @default 1 */
  retries?: number;
}

/** The longest pause before a retry, in milliseconds. It has to fit into the time limit of a subscription. */
const longestPauseMs = 2000;

/** The pause if the provider names none, in milliseconds. A random part of up to the same length is added. */
const usualPauseMs = 100;

/**
 * How long to wait before a retry, in milliseconds; undefined if a call is not retried. Network errors, 502, 503 and 504
 * are retried, and 429 only with a Retry-After; none is if its Retry-After is long.
 */
function pauseBeforeRetry(answer: HttpAnswer | undefined, now: number, random: number): number | undefined {
  if (answer !== undefined && ![429, 502, 503, 504].includes(answer.status)) return undefined;
  const retryAfter = answer?.headers.get('retry-after') ?? null;
  if (retryAfter === null) return answer?.status === 429 ? undefined : usualPauseMs * (1 + random);
  const asked = retryAfterMs(retryAfter, now);
  return asked !== undefined && asked <= longestPauseMs ? asked : undefined;
}

/**
 * Returns what makes the calls that one subscription, or one step of an announcement, takes. It throws ProviderFailed if there
 * is no answer, or if it is a redirect. Callers check other statuses.
 */
export function callsTo({ retries = 1, headers, signal, ...context }: CallContext, tools: CallTools) {
  const { fetch, now = Date.now, random = Math.random, wait = pauseFor } = tools;
  let left = retries;

  const noAnswer = (step: string, error: unknown) =>
    signal.aborted
      ? new ProviderFailed({ ...context, reason: 'timeout', step })
      : new ProviderFailed({ ...context, reason: 'network', step, error });

  async function answerOf({ step, read = false }: Call, response: HttpAnswer) {
    const { status, ok } = response;
    const isRedirect = status >= 300 && status < 400;
    const isUnread = isRedirect || (ok && !read);
    const body: unknown = isUnread ? await response.discard() : await response.json().catch(() => undefined);
    if (isRedirect) throw new ProviderFailed({ ...context, reason: 'redirect', step, status });
    if (signal.aborted && !isUnread) throw noAnswer(step, signal.reason);
    const code = field(body, 'code') ?? field(body, 'name');
    return {
      status,
      /** Whether the status is 200 to 299. */
      ok,
      /** The header Retry-After. */
      retryAfter: response.headers.get('retry-after'),
      /** The parsed JSON; undefined if the body is empty, too large, incomplete or not JSON, or was not asked for. */
      body,
      /** Returns the failure to throw for an answer that is not the expected success. */
      failure: () => new ProviderFailed({ ...context, reason: ok ? 'answer' : 'refused', step, status, code }),
    };
  }

  return async (call: Call) => {
    const { step, method, url, maxBytes = 256 * 1024 } = call;
    const body = typeof call.body === 'string' ? call.body : JSON.stringify(call.body);
    const all = { accept: 'application/json', ...headers, ...call.headers };
    const request = { method, headers: all, body, maxBytes, signal, fetch };
    for (;;) {
      const result = await httpRequest(url, request).catch(({ cause }: HttpFailed) => noAnswer(step, cause));
      const response = result instanceof ProviderFailed ? undefined : result;
      const pause = pauseBeforeRetry(response, now(), random());
      if (pause === undefined || left <= 0 || signal.aborted) {
        if (result instanceof ProviderFailed) throw result;
        return answerOf(call, result);
      }
      left -= 1;
      await response?.discard();
      await wait(pause, signal).catch((error) => Promise.reject(noAnswer(step, error)));
    }
  };
}

/** Waits, unless `signal` is aborted. */
export const pauseFor = (ms: number, signal?: AbortSignal): Promise<unknown> =>
  sleep(ms, undefined, signal === undefined ? {} : { signal });

/** The field `key` of a body of any type. */
export function field(body: unknown, key: string): unknown {
  return typeof body === 'object' && body !== null ? (body as Record<string, unknown>)[key] : undefined;
}
