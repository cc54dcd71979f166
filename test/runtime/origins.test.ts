import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { originPolicy } from '../../src/server/origin.ts';
import { assertError, notesIn, postJson, vote, withServerHere } from '../support/runtime.ts';

/** Whose pages may send votes, sign-ups and MCP messages, where the request names its Host itself. */

const rebound = { host: 'evil.example', origin: 'http://evil.example' };

test('on loopback a page that bound its own name to this machine sends nothing', () =>
  withServerHere({ flags: { allowOrigin: 'https://friend.example' } }, async ({ address, log }) => {
    for (const headers of [rebound, { host: 'evil.example:3000', origin: 'http://evil.example:3000' }]) {
      assertError(await vote(address, 'rebound', { headers }), 403, 'forbidden_origin');
      const signup = { email: 'ada@example.com', list: 'daily' };
      assertError(await postJson(address, '/api/subscribe', signup, { headers }), 403, 'forbidden_origin');
      const message = { jsonrpc: '2.0', id: 1, method: 'ping' };
      assert.is((await postJson(address, '/api/mcp', message, { headers })).status, 403);
    }
    // As a proxy on this machine passes them on, which knows the publication by its names.
    const { port } = new URL(address);
    const known = [
      { host: 'press.example', origin: 'https://press.example' },
      { host: 'press.example', origin: 'http://press.example' },
      { host: 'friend.example:8443', origin: 'https://friend.example:8443' },
      { host: `localhost:${port}`, origin: `http://localhost:${port}` },
      { host: `127.0.0.1:${port}`, origin: `http://127.0.0.1:${port}` },
      { host: 'evil.example', origin: 'https://press.example' },
      { host: 'evil.example' },
    ];
    for (const headers of known) assert.is((await vote(address, JSON.stringify(headers), { headers })).status, 200);
    assert.equal(
      notesIn(log),
      known.map((headers) => JSON.stringify(headers)),
    );
  }));

/** The origin that the policy takes from a request that came to `localAddress`, or null where it refuses it. */
function taken(host: string, localAddress: string, headers: Record<string, string>): string | null {
  const urls = { baseUrl: 'https://press.example', runtimeUrl: null };
  const request = { headers, socket: { localAddress } } as unknown as Parameters<
    ReturnType<typeof originPolicy>['check']
  >[0];
  try {
    return originPolicy([], host).check(request, urls);
  } catch {
    return null;
  }
}

test('a server on all addresses is its own host where a connection comes from outside, and only there', () => {
  assert.is(taken('0.0.0.0', '192.0.2.1', rebound), 'http://evil.example');
  assert.is(taken('0.0.0.0', '127.0.0.1', rebound), null);
  assert.is(taken('::', '::ffff:127.0.0.1', rebound), null);
  assert.is(taken('::', '::1', rebound), null);
  assert.is(taken('::', '::1', { host: 'press.example', origin: 'http://press.example' }), 'http://press.example');
});

test.run();
