import { parseBoundedJson } from './bounded.ts';

/** A request, with the limits of its answer. A body is JSON. */
export interface HttpRequest {
  method?: 'GET' | 'POST' | 'PUT' | 'PATCH';
  /** By names in lower case. */
  headers?: Readonly<Record<string, string>>;
  body?: string | undefined;
  /** Ends the request and the reading of its answer. */
  signal: AbortSignal;
  /** The longest body that is read, in bytes. */
  maxBytes: number;
  /** How many redirects are followed, by repeating the request. @default 0, since another host must not get a key */
  redirects?: number;
  /** Throws if a redirect must not be followed. */
  checkRedirect?: (url: URL) => void;
  /** @default globalThis.fetch */
  fetch?: ((url: string, init: RequestInit) => Promise<Response>) | undefined;
}

/** The limit that was exceeded (`kind`: the answer is no JSON, or no file), or `network` for any other failure. */
export type HttpReason = 'timeout' | 'redirects' | 'size' | 'kind' | 'network';

/** There is no complete answer to a request. The message can contain what was sent. */
export class HttpFailed extends Error {
  override readonly name = 'HttpFailed';
  readonly reason: HttpReason;
  /** The code of the system or of undici, such as ECONNREFUSED; or ''. */
  readonly code: string;

  constructor(reason: HttpReason, message: string, { code = '', cause }: { code?: string; cause?: unknown } = {}) {
    super(message, { cause });
    this.reason = reason;
    this.code = code;
  }
}

/** The answer to a request. Its body has to be read or discarded, so that the connection is closed. */
export interface HttpAnswer {
  status: number;
  /** Whether the status is 200 to 299. */
  ok: boolean;
  headers: Headers;
  text(): Promise<string>;
  json(): Promise<unknown>;
  /** The body, chunk by chunk, unless it is a web page. */
  file(): AsyncGenerator<Buffer>;
  discard(): Promise<void>;
}

/** Sends a request. It, and the reading of its answer, throw HttpFailed, and nothing else but what `checkRedirect` throws. */
export async function httpRequest(address: string, request: HttpRequest): Promise<HttpAnswer> {
  const { method = 'GET', body, signal, redirects = 0, checkRedirect, fetch = globalThis.fetch } = request;
  const headers = new Headers({ 'user-agent': 'daily-agent-catalog', ...request.headers });
  if (body !== undefined) headers.set('content-type', 'application/json');
  const init = { method, headers, redirect: 'manual', signal, ...(body === undefined ? {} : { body }) } as const;
  for (let url = address, count = 0; ; count += 1) {
    const response = await fetch(url, init).catch((error) => {
      throw failureOf(error, signal);
    });
    const location = response.status >= 300 && response.status < 400 ? response.headers.get('location') : null;
    if (redirects === 0 || location === null || !URL.canParse(location, url)) return answerOf(response, request);
    await discard(response);
    if (count === redirects) throw new HttpFailed('redirects', `more than ${redirects} redirects`);
    const next = new URL(location, url);
    checkRedirect?.(next);
    if (next.origin !== new URL(url).origin) headers.delete('authorization');
    url = next.href;
  }
}

function answerOf(response: Response, { signal, maxBytes }: HttpRequest): HttpAnswer {
  async function* chunks(): AsyncGenerator<Buffer> {
    let bytes = 0;
    try {
      for await (const chunk of response.body ?? []) {
        bytes += chunk.length;
        if (bytes > maxBytes) throw new HttpFailed('size', `more than ${maxBytes} bytes`);
        yield Buffer.from(chunk);
      }
    } catch (error) {
      throw failureOf(error, signal);
    }
  }
  async function text(): Promise<string> {
    const all = [];
    for await (const chunk of chunks()) all.push(chunk);
    return Buffer.concat(all).toString('utf8');
  }
  const { status, ok, headers } = response;
  return {
    ...{ status, ok, headers, text },
    async json() {
      const body = await text();
      try {
        return parseBoundedJson(body);
      } catch (cause) {
        throw new HttpFailed('kind', (cause as Error).message, { cause });
      }
    },
    async *file() {
      if (/\bhtml\b/i.test(headers.get('content-type') ?? '')) throw new HttpFailed('kind', 'a web page');
      yield* chunks();
    },
    discard: () => discard(response),
  };
}

async function discard(response: Response): Promise<void> {
  await response.body?.cancel().catch(() => {});
}

function failureOf(cause: unknown, signal: AbortSignal): HttpFailed {
  if (cause instanceof HttpFailed) return cause;
  const error = cause as Error;
  // fetch itself only says that it failed.
  const { message, code } = (error.cause instanceof Error ? error.cause : error) as NodeJS.ErrnoException;
  const facts = { cause, ...(typeof code === 'string' && { code }) };
  return new HttpFailed(signal.aborted ? 'timeout' : 'network', message, facts);
}

/** Returns Retry-After in milliseconds, given as seconds or a date (RFC 9110, section 10.2.3); undefined if it is neither. */
export function retryAfterMs(value: string, now: number): number | undefined {
  if (/^\d{1,9}$/.test(value.trim())) return Number(value) * 1000;
  const at = Date.parse(value);
  return /[A-Za-z]{3}/.test(value) && !Number.isNaN(at) ? Math.max(0, at - now) : undefined;
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

/** The form of error codes, which no address and no sentence has. Other texts of a provider may repeat what was sent. */
const codeForm = /^[A-Za-z0-9_-]{1,64}$/;

/** Returns `value` if it is a code and contains none of `secrets`, else undefined. */
export function safeCode(value: unknown, secrets: readonly string[]): string | undefined {
  return typeof value === 'string' && codeForm.test(value) && !holdsAny(value, secrets) ? value : undefined;
}

/**
 * Copies an error and its causes with only name, code and message, and without a message that contains one of `secrets`.
 * Other fields are dropped, since a parser's error, for example, carries the provider's answer.
 */
export function safeCause(error: unknown, secrets: readonly string[], depth = 0): Error | undefined {
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
export function causeCode(error: unknown, secrets: readonly string[]): string | undefined {
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
