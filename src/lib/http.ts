import { buffer } from 'node:stream/consumers';
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
type HttpReason = 'timeout' | 'redirects' | 'size' | 'kind' | 'network';

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
export type HttpAnswer = ReturnType<typeof answerOf>;

/** Sends a request. It, and the reading of its answer, throw HttpFailed, and nothing else but what `checkRedirect` throws. */
export async function httpRequest(address: string, request: HttpRequest): Promise<HttpAnswer> {
  const { method = 'GET', body, signal, redirects = 0, checkRedirect, fetch = globalThis.fetch } = request;
  // A service may close a kept connection while this process is busy. Then the next request fails, perhaps one that must not
  // be repeated.
  const headers: Record<string, string> = {
    'user-agent': 'daily-agent-catalog',
    connection: 'close',
    ...request.headers,
  };
  if (body !== undefined) headers['content-type'] = 'application/json';
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
    if (next.origin !== new URL(url).origin) delete headers.authorization;
    url = next.href;
  }
}

function answerOf(response: Response, { signal, maxBytes }: HttpRequest) {
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
  const text = async () => (await buffer(chunks())).toString('utf8');
  const { status, ok, headers } = response;
  return {
    /** `ok` is whether the status is 200 to 299. */
    ...{ status, ok, headers, text },
    async json(): Promise<unknown> {
      const body = await text();
      try {
        return parseBoundedJson(body);
      } catch (cause) {
        throw new HttpFailed('kind', (cause as Error).message, { cause });
      }
    },
    /** The body, chunk by chunk, unless it is a web page. */
    async *file(): AsyncGenerator<Buffer> {
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
