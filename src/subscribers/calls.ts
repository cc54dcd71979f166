import { setTimeout as sleep } from 'node:timers/promises';
import { parseBoundedJson, readBounded } from '../text-safety/bounded-input.ts';
import { SubscriptionFailed } from './failure.ts';
import { pauseBeforeRetry } from './retry.ts';
import { causeCode, safeCause, safeCode } from './safe-errors.ts';

/** What calls to a provider depend on. The defaults fit a running server. */
export interface CallTools {
  /** @default globalThis.fetch */
  fetch?: (url: string, init: RequestInit) => Promise<Response>;
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
  readonly #tools: Required<CallTools>;
  #retries: number;

  constructor(
    context: CallContext,
    {
      fetch = globalThis.fetch,
      now = Date.now,
      random = Math.random,
      wait = (ms, signal) => sleep(ms, undefined, { signal }),
    }: CallTools,
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
        await discard(response);
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
  async #attempt({ step, method, url, headers, body }: Call): Promise<Response | SubscriptionFailed> {
    const { fetch } = this.#tools;
    try {
      return await fetch(url, {
        method,
        headers: {
          accept: 'application/json',
          'user-agent': 'daily-agent-catalog',
          ...(body === undefined ? {} : { 'content-type': 'application/json' }),
          ...headers,
        },
        redirect: 'manual',
        signal: this.#context.signal,
        ...(body === undefined ? {} : { body }),
      });
    } catch (error) {
      return this.#failure(step, error);
    }
  }

  async #answer({ step, read = false, maxBytes = 256 * 1024 }: Call, response: Response): Promise<Answer> {
    const { provider, signal } = this.#context;
    const { status, ok } = response;
    const retryAfter = response.headers.get('retry-after');
    if (response.type === 'opaqueredirect' || (status >= 300 && status < 400)) {
      await discard(response);
      throw new SubscriptionFailed({ provider, reason: 'redirect', step, status });
    }
    if (ok && !read) {
      await discard(response);
      return { status, ok, retryAfter, body: undefined };
    }
    const text = await readText(response, maxBytes);
    if (signal.aborted) throw this.#failure(step, signal.reason);
    return { status, ok, retryAfter, body: parse(text) };
  }

  #failure(step: string, error: unknown): SubscriptionFailed {
    const { provider, secrets, signal } = this.#context;
    if (signal.aborted) return new SubscriptionFailed({ provider, reason: 'timeout', step });
    const facts = { code: causeCode(error, secrets), cause: safeCause(error, secrets) };
    return new SubscriptionFailed({ provider, reason: 'network', step, ...facts });
  }
}

async function discard(response: Response | undefined): Promise<void> {
  await response?.body?.cancel().catch(() => {});
}

/** The body as text; empty if it exceeds the limit or cannot be read completely. */
async function readText(response: Response, maxBytes: number): Promise<string> {
  const body = await readBounded(response.body, maxBytes).catch(() => null);
  return body?.toString('utf8') ?? '';
}

function parse(text: string): unknown {
  try {
    return parseBoundedJson(text);
  } catch {
    return undefined;
  }
}

/** The field `key` of a body of any type. */
export function field(body: unknown, key: string): unknown {
  return typeof body === 'object' && body !== null ? (body as Record<string, unknown>)[key] : undefined;
}
