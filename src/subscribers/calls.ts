import { setTimeout as sleep } from 'node:timers/promises';
import { SignupFailed } from './failure.ts';
import { pauseBeforeRetry } from './retry.ts';
import { causeCode, safeCause, safeCode } from './safe-errors.ts';

/** What calls to a provider need from outside. All but `fetch` have defaults that fit a running server. */
export interface CallTools {
  /** @default globalThis.fetch */
  fetch?: (url: string, init: RequestInit) => Promise<Response>;
  /** Milliseconds since 1970. @default Date.now */
  now?: () => number;
  /** From 0 up to 1. @default Math.random */
  random?: () => number;
  /** Waits before a retry and rejects when `signal` is aborted. @default node:timers/promises */
  wait?: (ms: number, signal: AbortSignal) => Promise<void>;
  /** @default 'daily-agent-catalog' */
  userAgent?: string;
}

export interface Call {
  /** What the call is for, as the log names it. */
  step: string;
  method: 'GET' | 'POST' | 'PUT' | 'PATCH';
  url: string;
  headers: Record<string, string>;
  /** The body, JSON text. */
  body?: string;
  /** The body of a good answer is needed too. @default false: a 2xx is enough, and its body is not waited for */
  read?: boolean;
}

export interface Answer {
  status: number;
  /** 200 to 299. */
  ok: boolean;
  /** The parsed JSON; undefined where the body is empty, too large, cut short or no JSON, or was not asked for. */
  body: unknown;
}

/** The calls of one sign-up. */
export interface Calls {
  /** Throws SignupFailed where there is no answer in time, or a redirect. Any other status is the caller's to judge. */
  send(call: Call): Promise<Answer>;
  /** The failure to throw for an answer that is no success; `code` is the provider's own error code, if any. */
  refused(call: Call, answer: Answer, code?: unknown): SignupFailed;
  /** The failure to throw for a good status with a body that cannot be used. */
  unreadable(call: Call, answer: Answer): SignupFailed;
}

/** The longest body that is read, in bytes. */
const maxBodyBytes = 256 * 1024;

/** Opens the calls of one sign-up, which share one retry and end with `signal`. `secrets` never get into an error. */
export function startCalls(
  provider: string,
  secrets: readonly string[],
  signal: AbortSignal,
  {
    fetch = globalThis.fetch,
    now = Date.now,
    random = Math.random,
    wait = async (ms, until) => sleep(ms, undefined, { signal: until }),
    userAgent = 'daily-agent-catalog',
  }: CallTools,
): Calls {
  let retries = 1;

  const failure = (step: string, error: unknown) =>
    signal.aborted
      ? new SignupFailed({ provider, reason: 'timeout', step })
      : new SignupFailed({
          provider,
          reason: 'network',
          step,
          code: causeCode(error, secrets),
          cause: safeCause(error, secrets),
        });

  /** One request; a failure is returned, since it may be retried. */
  async function attempt({ step, method, url, headers, body }: Call): Promise<Response | SignupFailed> {
    try {
      return await fetch(url, {
        method,
        headers: {
          accept: 'application/json',
          'user-agent': userAgent,
          ...(body === undefined ? {} : { 'content-type': 'application/json' }),
          ...headers,
        },
        redirect: 'manual',
        signal,
        ...(body === undefined ? {} : { body }),
      });
    } catch (error) {
      return failure(step, error);
    }
  }

  async function send(call: Call): Promise<Answer> {
    for (;;) {
      const result = await attempt(call);
      const response = result instanceof SignupFailed ? undefined : result;
      const pause = pauseBeforeRetry(
        { status: response?.status, retryAfter: response?.headers.get('retry-after') ?? null },
        now(),
        random(),
      );
      if (pause !== undefined && retries > 0 && !signal.aborted) {
        retries -= 1;
        await discard(response);
        await wait(pause, signal).catch((error) => Promise.reject(failure(call.step, error)));
      } else if (result instanceof SignupFailed) {
        throw result;
      } else {
        return await take(call, result);
      }
    }
  }

  async function take({ step, read = false }: Call, response: Response): Promise<Answer> {
    const { status, ok } = response;
    if (response.type === 'opaqueredirect' || (status >= 300 && status < 400)) {
      await discard(response);
      throw new SignupFailed({ provider, reason: 'redirect', step, status });
    }
    if (ok && !read) {
      await discard(response);
      return { status, ok, body: undefined };
    }
    const text = await readText(response);
    if (signal.aborted) throw failure(step, signal.reason);
    return { status, ok, body: parse(text) };
  }

  return {
    send,
    refused: ({ step }, { status }, code) =>
      new SignupFailed({ provider, reason: 'refused', step, status, code: safeCode(code, secrets) }),
    unreadable: ({ step }, { status }) => new SignupFailed({ provider, reason: 'answer', step, status }),
  };
}

async function discard(response: Response | undefined): Promise<void> {
  await response?.body?.cancel().catch(() => {});
}

/** The body as text; empty where it is longer than the limit or cannot be read to its end. */
async function readText(response: Response): Promise<string> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  try {
    for await (const chunk of response.body ?? []) {
      size += chunk.length;
      if (size > maxBodyBytes) return '';
      chunks.push(chunk);
    }
  } catch {
    return '';
  }
  return Buffer.concat(chunks).toString('utf8');
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** The field `key` of a body that may be anything. */
export function field(body: unknown, key: string): unknown {
  return typeof body === 'object' && body !== null ? (body as Record<string, unknown>)[key] : undefined;
}
