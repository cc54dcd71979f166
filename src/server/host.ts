import type { IncomingMessage } from 'node:http';

/** A host with an optional port (RFC 3986, section 3.2.2): a name, an IPv4 address, or an IPv6 address in brackets. */
const hostPattern = /^(?:[a-z0-9._~!$&'()*+,;=%-]+|\[[0-9a-f:.]+\])(?::\d*)?$/i;

/**
 * What is wrong with the Host of a request, as a sentence for the client, or null (RFC 9112, section 3.2). HTTP/1.0 needs
 * none.
 */
export function hostProblem({ headers: { host }, rawHeaders, httpVersion }: IncomingMessage): string | null {
  if (host === undefined) return httpVersion === '1.1' ? 'A request of HTTP/1.1 names its Host.' : null;
  let count = 0;
  for (let index = 0; index < rawHeaders.length; index += 2) {
    const name = rawHeaders[index] as string;
    if (name.length === 4 && name.toLowerCase() === 'host') count += 1;
  }
  if (count > 1) return 'A request names one Host only.';
  return hostPattern.test(host) ? null : 'The Host is not a host name or an address.';
}
