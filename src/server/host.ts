import type { IncomingMessage } from 'node:http';

/** A host with an optional port (RFC 3986, section 3.2.2): a name, an IPv4 address, or an IPv6 address in brackets. */
const hostPattern = /^(?:[a-z0-9._~!$&'()*+,;=%-]+|\[[0-9a-f:.]+\])(?::\d*)?$/i;

/** The problem with the Host of a request, as a sentence; null if it has none (RFC 9112, section 3.2). HTTP/1.0 needs no Host. */
export function hostProblem({ headers: { host }, rawHeaders, httpVersion }: IncomingMessage): string | null {
  if (host === undefined) return httpVersion === '1.1' ? 'An HTTP/1.1 request needs a Host header.' : null;
  let count = 0;
  for (let index = 0; index < rawHeaders.length; index += 2) {
    const name = rawHeaders[index] as string;
    if (name.length === 4 && name.toLowerCase() === 'host') count += 1;
  }
  if (count > 1) return 'A request can have only one Host header.';
  return hostPattern.test(host) ? null : 'The Host header is not a host name or an address.';
}
