import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setImmediate } from 'node:timers/promises';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { httpRequest, retryAfterMs } from '../../src/lib/http.ts';

/** Requests to other services, and how long one wants to be left alone: Retry-After has seconds or a date (RFC 9110, section 10.2.3). */

const now = Date.parse('2026-11-20T08:00:00Z');
const values: [value: string, ms: number | undefined][] = [
  ['0', 0],
  ['120', 120_000],
  [' 5 ', 5_000],
  ['Fri, 20 Nov 2026 08:01:30 GMT', 90_000],
  ['Fri, 20 Nov 2026 07:00:00 GMT', 0],
  ['', undefined],
  ['-1', undefined],
  ['1.5', undefined],
  ['soon', undefined],
  ['2026-11-20', undefined],
];
for (const [value, ms] of values) {
  test(`Retry-After: ${JSON.stringify(value)}`, () => assert.is(retryAfterMs(value, now), ms));
}

test('a service that closes its connections between requests gets all of them, so no draft or issue is lost', async () => {
  const answered = new WeakSet();
  // What a client sees that was busy while the service closed an idle connection.
  const server = createServer(({ socket }, response) => {
    if (answered.has(socket)) return void socket.destroy();
    answered.add(socket);
    response.end('accepted');
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const request = { method: 'POST', body: '{}', signal: AbortSignal.timeout(60_000), maxBytes: 100 } as const;
  try {
    for (let count = 0; count < 5; count += 1) {
      assert.is(await (await httpRequest(address, request)).text(), 'accepted');
      await setImmediate();
    }
  } finally {
    server.closeAllConnections();
    server.close();
  }
});

test.run();
