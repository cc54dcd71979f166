import { OperationError, UsageError } from '../../lib/errors.ts';
import { visible } from '../../lib/text.ts';

/** The limits of a download. */
export interface DownloadLimits {
  maxBytes: number;
  /** For the whole download, in milliseconds. */
  timeoutMs: number;
  maxRedirects: number;
}

export const downloadLimits: DownloadLimits = { maxBytes: 64 * 1024 * 1024, timeoutMs: 60_000, maxRedirects: 5 };

/**
 * Downloads an address, chunk by chunk. It has to start with https; only this machine may be asked over http.
 *
 * Throws UsageError for any other address, and OperationError if the download fails, is not a plain file or exceeds a limit.
 */
export async function* download(address: string, limits = downloadLimits): AsyncGenerator<Buffer> {
  if (!URL.canParse(address)) throw new UsageError(`${visible(address)} is not an address.`);
  const start = new URL(address);
  const wrong = refusal(start, isThisMachine(start));
  if (wrong !== null) throw new UsageError(`${visible(address)} ${wrong}`);
  const failed = (reason: string, cause?: unknown) =>
    new OperationError(`${visible(address)} cannot be downloaded: ${reason}`, { cause });
  const signal = AbortSignal.timeout(limits.timeoutMs);
  try {
    let url = start;
    let response = await fetch(url, { redirect: 'manual', signal });
    for (let count = 0; response.status >= 300 && response.status < 400; count += 1) {
      if (count === limits.maxRedirects) throw failed(`it redirects more than ${limits.maxRedirects} times.`);
      url = new URL(response.headers.get('location') ?? '', url);
      const refused = refusal(url, isThisMachine(start));
      if (refused !== null) throw failed(`it redirects to ${visible(url.href)}, which ${refused}`);
      await response.body?.cancel();
      response = await fetch(url, { redirect: 'manual', signal });
    }
    if (!response.ok) throw failed(`the answer was ${response.status}.`);
    if (/\bhtml\b/i.test(response.headers.get('content-type') ?? ''))
      throw failed('it is a web page. For a file on GitHub, use the address behind “Raw”.');
    let bytes = 0;
    for await (const chunk of response.body ?? []) {
      bytes += chunk.length;
      if (bytes > limits.maxBytes) throw failed(`it has more than ${limits.maxBytes} bytes.`);
      yield Buffer.from(chunk);
    }
  } catch (error) {
    if (error instanceof OperationError) throw error;
    if (signal.aborted) throw failed(`it takes more than ${limits.timeoutMs / 1000} seconds.`, error);
    const { cause } = error as { cause?: { code?: string } };
    if (!(error instanceof TypeError)) throw error;
    throw failed(`the connection failed${cause?.code === undefined ? '' : ` (${cause.code})`}.`, error);
  }
}

/** Says why an address may not be asked, as the end of a sentence, or returns null. */
function refusal(url: URL, mayBeLocal: boolean): string | null {
  if (url.username !== '' || url.password !== '') return 'has a user name or password; remove it.';
  if (isThisMachine(url)) return mayBeLocal ? null : 'is on this machine.';
  return url.protocol === 'https:' ? null : 'does not start with https.';
}

function isThisMachine({ hostname, protocol }: URL): boolean {
  return /^https?:$/.test(protocol) && /^(?:localhost|127(?:\.\d+){3}|\[::1\])$/.test(hostname);
}
