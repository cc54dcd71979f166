import { setTimeout as sleep } from 'node:timers/promises';
import type * as z from 'zod';
import { OperationError } from '../errors.ts';
import { retryAfterMs } from '../retry-after.ts';
import { type Answer, type Call, Calls, type CallTools, field } from '../subscribers/calls.ts';
import { SubscriptionFailed } from '../subscribers/failure.ts';
import { secretsOf } from '../subscribers/safe-errors.ts';

/** A call to a service failed. It contains neither the key nor the service's text. */
export class ServiceFailed extends OperationError {
  /** The status of the answer; null if there was none. */
  readonly status: number | null;
  /** Whether the service certainly did nothing. */
  readonly refused: boolean;

  constructor(what: string, status: number | null, options?: ErrorOptions) {
    super(`${what}.`, options);
    this.status = status;
    this.refused = status !== null && status >= 400 && status < 500 && status !== 408;
  }
}

export type ServiceCall = Omit<Call, 'headers' | 'body' | 'read'> & {
  headers?: Record<string, string>;
  body?: object | string;
  /** Whether the service ignores a request that it had before. @default only for GET */
  repeats?: boolean;
};

/** Sends one request and returns the JSON of its answer. Throws ServiceFailed if there is none, or no success. */
export type CallService = (call: ServiceCall) => Promise<unknown>;

export interface ServiceTools extends CallTools {
  /** How long a call may take, in milliseconds. @default 20000 */
  timeoutMs?: number;
  /** Waits if a service asks to. Rejects when `stop` is aborted. */
  pause?: (ms: number, stop?: AbortSignal) => Promise<unknown>;
  stop?: AbortSignal | undefined;
}

/** How long a run waits in all if a service asks to, in milliseconds. The job of the workflow ends after 15 minutes. */
const mostWaitMs = 10 * 60_000;

/** The longest answer that is read: lists of campaigns contain the mails. */
const maxBytes = 32 * 1024 * 1024;

/** Waits, unless `signal` is aborted. */
export const pauseFor = (ms: number, signal?: AbortSignal): Promise<unknown> =>
  sleep(ms, undefined, signal === undefined ? {} : { signal });

/**
 * Makes calls to the API of a service. If a service asks to wait (Retry-After), it is asked again. Otherwise, only a GET is
 * repeated if it fails: whether any other request had an effect is not known then.
 */
export function serviceCalls(
  service: string,
  key: string,
  headers: Call['headers'],
  { timeoutMs = 20_000, pause = pauseFor, stop, ...tools }: ServiceTools,
): CallService {
  const { now = Date.now } = tools;
  let left = mostWaitMs;

  /** Waits as long as a service asks for, and returns whether it did. After 429, the service certainly did nothing. */
  async function waitFor({ status, retryAfter }: Answer, repeats: boolean): Promise<boolean> {
    const asked = retryAfter === null ? undefined : retryAfterMs(retryAfter, now());
    const ms = Math.max(1000, asked ?? 0);
    if (asked === undefined || ms > left || !(status === 429 || (status === 503 && repeats))) return false;
    left -= ms;
    return pause(ms, stop).then(
      () => true,
      () => false,
    );
  }

  return async ({ step, method, url, headers: further, body, repeats = method === 'GET' }) => {
    const text = typeof body === 'string' ? body : JSON.stringify(body);
    const call: Call = {
      ...{ step, method, url, read: true, maxBytes },
      headers: { ...headers, ...further },
      ...(text === undefined ? {} : { body: text }),
    };
    const secrets = secretsOf(key);
    const retries = method === 'GET' ? 1 : 0;
    try {
      for (;;) {
        const calls = new Calls({ provider: service, secrets, signal: AbortSignal.timeout(timeoutMs), retries }, tools);
        const answer: Answer = await calls.send(call);
        if (answer.ok) return answer.body;
        if (await waitFor(answer, repeats)) continue;
        throw calls.refused(call, answer, field(answer.body, 'code') ?? field(answer.body, 'name'));
      }
    } catch (error) {
      if (!(error instanceof SubscriptionFailed)) throw error;
      throw new ServiceFailed(error.what, error.status, { cause: error });
    }
  };
}

/** Parses an answer. Throws ServiceFailed if it does not have the expected form. */
export function parsed<Shape extends z.ZodType>(service: string, shape: Shape, answer: unknown): z.infer<Shape> {
  const { data, success } = shape.safeParse(answer);
  if (success) return data;
  throw new ServiceFailed(`${service} sent a success that cannot be read`, null);
}

/** The most pages of a list that are read. */
const mostPages = 100;

/** Reads a list page by page. `next` must have the origin of the first page, since the key is sent there. */
export async function* pagesOf<Page extends { next?: string | null | undefined }>(
  call: CallService,
  first: string,
  shape: z.ZodType<Page>,
): AsyncGenerator<Page> {
  let url: string | null | undefined = first;
  for (let pages = 0; url != null; pages += 1) {
    const { origin, hostname } = new URL(first);
    if (pages === mostPages || !URL.canParse(url) || new URL(url).origin !== origin) {
      throw new OperationError(`The list at ${hostname} cannot be read to its end, so nothing was sent.`);
    }
    const page: Page = parsed(hostname, shape, await call({ step: 'list', method: 'GET', url }));
    yield page;
    url = page.next;
  }
}
