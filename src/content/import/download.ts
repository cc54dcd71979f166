import { OperationError, UsageError } from '../../lib/errors.ts';
import { HttpFailed, httpRequest } from '../../lib/http.ts';
import { visible } from '../../lib/text.ts';

/** The limits of a download. The time is for all of it, in milliseconds. */
const downloadLimits = { maxBytes: 64 * 1024 * 1024, timeoutMs: 60_000, maxRedirects: 5 };

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
  const checkRedirect = (url: URL) => {
    const refused = refusal(url, isThisMachine(start));
    if (refused !== null) throw failed(`it redirects to ${visible(url.href)}, which ${refused}`);
  };
  const { maxBytes, timeoutMs, maxRedirects: redirects } = limits;
  try {
    const signal = AbortSignal.timeout(timeoutMs);
    const answer = await httpRequest(start.href, { signal, maxBytes, redirects, checkRedirect });
    if (answer.ok) yield* answer.file();
    else throw failed(`the answer was ${answer.status}.`);
  } catch (error) {
    if (!(error instanceof HttpFailed)) throw error;
    const reasons: Record<HttpFailed['reason'], string> = {
      timeout: `it takes more than ${timeoutMs / 1000} seconds.`,
      redirects: `it redirects more than ${redirects} times.`,
      size: `it has more than ${maxBytes} bytes.`,
      kind: 'it is a web page. For a file on GitHub, use the address behind “Raw”.',
      network: `the connection failed${error.code === '' ? '' : ` (${error.code})`}.`,
    };
    throw failed(reasons[error.reason], error);
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
