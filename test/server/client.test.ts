import type { IncomingMessage } from 'node:http';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { clientAddress } from '../../src/server/limits.ts';

/** Which address in X-Forwarded-For is the client, by the number of trusted proxies. */

const proxy = '203.0.113.9';

const rows: [hops: number, forwarded: string | undefined, client: string][] = [
  [0, undefined, proxy],
  [0, '192.0.2.1', proxy],
  [1, undefined, proxy],
  [1, '192.0.2.1', '192.0.2.1'],
  [1, '192.0.2.2, 192.0.2.1', '192.0.2.1'],
  [2, undefined, proxy],
  [2, '192.0.2.1', '192.0.2.1'],
  [2, '192.0.2.2, 192.0.2.1', '192.0.2.2'],
  [2, '192.0.2.3, 192.0.2.2, 192.0.2.1', '192.0.2.2'],
  [3, '192.0.2.4, 192.0.2.3, 192.0.2.2, 192.0.2.1', '192.0.2.3'],
  [3, '192.0.2.2,192.0.2.1', '192.0.2.2'],
  [1, '192.0.2.1:4711', '192.0.2.1'],
  [1, '[2001:db8::1]:4711', '2001:db8::1'],
  [1, '[2001:db8::1]', '2001:db8::1'],
  [1, '2001:db8::1', '2001:db8::1'],
  [1, ' , 192.0.2.1 , ', '192.0.2.1'],
  [1, 'unknown', proxy],
  [1, '192.0.2.1, 192.0.2.256', proxy],
  [2, 'unknown, 192.0.2.1', proxy],
];

for (const [hops, forwarded, client] of rows) {
  test(`with ${hops} trusted, "${forwarded ?? ''}" is ${client}`, () => {
    const headers = forwarded === undefined ? {} : { 'x-forwarded-for': forwarded };
    const request = { headers, socket: { remoteAddress: proxy } } as unknown as IncomingMessage;
    assert.is(clientAddress(request, hops), client);
  });
}

test.run();
