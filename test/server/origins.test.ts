import type { IncomingMessage } from 'node:http';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { Gate } from '../../src/server/forms.ts';
import { assertError, postJson } from '../support/requests.ts';
import { withRuntime } from '../support/server.ts';
import { notesIn, vote } from '../support/voting.ts';

/** Which pages may send votes, subscriptions and MCP messages if the request names its Host itself. */

const rebound = { host: 'evil.example', origin: 'http://evil.example' };

test('on loopback, a DNS-rebinding page can send nothing', () =>
  withRuntime({ flags: { allowOrigin: 'https://friend.example' } }, async ({ server: { address }, log }) => {
    for (const headers of [rebound, { host: 'evil.example:3000', origin: 'http://evil.example:3000' }]) {
      assertError(await vote(address, 'rebound', { headers }), 403, 'forbidden_origin');
      const subscription = { email: 'ada@example.com', list: 'daily' };
      assertError(await postJson(address, '/api/subscribe', subscription, { headers }), 403, 'forbidden_origin');
      const message = { jsonrpc: '2.0', id: 1, method: 'ping' };
      assert.is((await postJson(address, '/api/mcp', message, { headers })).status, 403);
    }
    // As a proxy on this machine forwards them, with the public names of the publication.
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

/** The origin that the policy accepts from a request to `localAddress`, or null if it refuses the request. */
function taken(
  host: string,
  localAddress: string,
  headers: Record<string, string>,
  allowed: string[] = [],
): string | null {
  const urls = { baseUrl: 'https://press.example', runtimeUrl: null };
  const request = { headers, socket: { localAddress } } as unknown as IncomingMessage;
  try {
    const gate = new Gate({ settings: { allowOrigin: allowed, host, trustProxy: 0 } } as unknown as Gate);
    return gate.cors(request, urls)['access-control-allow-origin'] ?? null;
  } catch {
    return null;
  }
}

test('a server on all addresses trusts its Host only for connections from outside', () => {
  assert.is(taken('0.0.0.0', '192.0.2.1', rebound), 'http://evil.example');
  assert.is(taken('0.0.0.0', '127.0.0.1', rebound), null);
  assert.is(taken('::', '::ffff:127.0.0.1', rebound), null);
  assert.is(taken('::', '::1', rebound), null);
  assert.is(taken('::', '::1', { host: 'press.example', origin: 'http://press.example' }), 'http://press.example');
});

const nearMisses = [
  'https://press.example.evil.example',
  'https://press.example-evil.example',
  'https://evilpress.example',
  'https://evil.press.example',
  'https://press.exampl',
  'https://press.examples',
  'http://press.example',
  'ftp://press.example',
  'https://press.example:443',
  'https://press.example:8443',
  'https://press.example.',
  'https://press.example/',
  'https://press.example#',
  'https://press.example@evil.example',
  'https://user@press.example',
  'HTTPS://press.example',
  'https://PRESS.example',
  ' https://press.example',
  'https://press.example https://press.example',
  'https://press.example, https://evil.example',
  'https://friend.example',
  'http://friend.example:8443',
  'press.example',
  'null',
  '',
  '*',
];

test("an origin that is almost one of the site's own is refused", () => {
  const allowed = ['https://friend.example:8443'];
  const from = (origin: string) => taken('192.0.2.7', '192.0.2.7', { host: '192.0.2.7:3000', origin }, allowed);
  for (const origin of ['https://press.example', 'https://friend.example:8443', 'http://192.0.2.7:3000']) {
    assert.is(from(origin), origin);
  }
  assert.equal(
    [...nearMisses, 'http://192.0.2.7', 'http://192.0.2.7:3001', 'http://192.0.2.70:3000', 'http://localhost'].filter(
      (origin) => from(origin) !== null,
    ),
    [],
  );
});

test('a name that is almost a loopback name is refused', () => {
  const from = (origin: string) => taken('127.0.0.1', '127.0.0.1', { host: '127.0.0.1:3000', origin });
  const loopback = [
    'http://localhost:5173',
    'http://app.localhost',
    'http://127.0.0.1',
    'http://127.9.9.9',
    'http://[::1]:1',
  ];
  assert.equal(
    loopback.filter((origin) => from(origin) !== origin),
    [],
  );
  const others = [
    'http://localhost.evil.example',
    'http://127.0.0.1.evil.example',
    'http://127.evil.example',
    'http://notlocalhost',
    'http://localhost.',
    'http://128.0.0.1',
    'http://126.255.255.255',
    'http://0.0.0.0',
    'http://[::2]',
    'http://[::ffff:8.8.8.8]',
  ];
  assert.equal(
    others.filter((origin) => from(origin) !== null),
    [],
  );
});

test.run();
