import type * as z from 'zod';
import { OperationError } from '../errors.ts';
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
};

/** Sends one request and returns the JSON of its answer. Throws ServiceFailed if there is none, or no success. */
export type CallService = (call: ServiceCall) => Promise<unknown>;

export interface ServiceTools extends CallTools {
  /** How long a call may take, in milliseconds. @default 20000 */
  timeoutMs?: number;
}

/** The longest answer that is read: lists of campaigns contain the mails. */
const maxBytes = 32 * 1024 * 1024;

/**
 * Makes calls to the API of a service. Only a GET is repeated if it fails: whether any other request had an effect is not
 * known then.
 */
export function serviceCalls(
  service: string,
  key: string,
  headers: Call['headers'],
  { timeoutMs = 20_000, ...tools }: ServiceTools,
): CallService {
  return async ({ step, method, url, headers: further, body }) => {
    const context = {
      provider: service,
      secrets: secretsOf(key),
      signal: AbortSignal.timeout(timeoutMs),
      retries: method === 'GET' ? 1 : 0,
    };
    const calls = new Calls(context, tools);
    const text = typeof body === 'string' ? body : JSON.stringify(body);
    const call: Call = {
      ...{ step, method, url, read: true, maxBytes },
      headers: { ...headers, ...further },
      ...(text === undefined ? {} : { body: text }),
    };
    try {
      const answer: Answer = await calls.send(call);
      if (answer.ok) return answer.body;
      throw calls.refused(call, answer, field(answer.body, 'code') ?? field(answer.body, 'name'));
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
