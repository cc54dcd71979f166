import { test } from 'uvu';
import * as assert from 'uvu/assert';
import type { ErrorCode } from '../../src/schema/requests.ts';
import { Gate } from '../../src/server/forms.ts';
import { Refusal } from '../../src/server/http.ts';
import { rateLimit } from '../../src/server/limits.ts';
import { serverSettings } from '../../src/server/settings.ts';

/** A limit never tells a client to wait longer than its window, whatever happens to the clock. */

const shifts: [name: string, ms: number, retryAfter: string, reset: string][] = [
  ['stands still', 0, '60', '60'],
  ['is set back by two hours', -7_200_000, '60', '60'],
  ['is set forward by half a minute', 30_000, '30', '30'],
];

for (const [name, shift, retryAfter, reset] of shifts) {
  test(`a clock that ${name} gives Retry-After ${retryAfter}`, async () => {
    const real = Date.now;
    const start = real();
    Date.now = () => start;
    try {
      const limit = rateLimit('votes', { count: 1, seconds: 60 });
      assert.is((await limit.take('192.0.2.1')).ratelimit, '"votes";r=0;t=60');
      Date.now = () => start + shift;
      const refused = await limit.take('192.0.2.1').catch((error) => error);
      assert.instance(refused, Refusal);
      assert.is(refused.headers['retry-after'], retryAfter);
      assert.is(refused.headers.ratelimit, `"votes";r=0;t=${reset}`);
      assert.match(refused.message, `Try again in ${retryAfter} seconds.`);
    } finally {
      Date.now = real;
    }
  });
}

/** Whether a limit of three allows each of several simultaneous requests from an address. */
const takings: [name: string, requests: [address: string, count: number, isTaken: boolean][]][] = [
  [
    'one by one',
    [
      ['192.0.2.1', 1, true],
      ['192.0.2.1', 1, true],
      ['192.0.2.1', 1, true],
      ['192.0.2.1', 1, false],
    ],
  ],
  [
    'all at once',
    [
      ['192.0.2.1', 3, true],
      ['192.0.2.1', 1, false],
    ],
  ],
  ['one too many at once', [['192.0.2.1', 4, false]]],
  [
    'of neighbors',
    [
      ['192.0.2.1', 3, true],
      ['192.0.2.2', 3, true],
      ['192.0.2.11', 3, true],
    ],
  ],
  [
    'of IPv6 by its /64',
    [
      ['2001:db8:0:1::', 3, true],
      ['2001:db8:0:1:ffff:ffff:ffff:ffff', 1, false],
      ['2001:db8:0:2::', 3, true],
      ['2001:db8::ffff:ffff:ffff:ffff', 3, true],
    ],
  ],
];

for (const [name, requests] of takings) {
  test(`a limit allows exactly its count: ${name}`, async () => {
    const limit = rateLimit('votes', { count: 3, seconds: 60 });
    for (const [address, count, isTaken] of requests) {
      const taken = await limit.take(address, count).then(
        () => true,
        () => false,
      );
      assert.is(taken, isTaken, `${count} of ${address}`);
    }
  });
}

const countings: [code: ErrorCode, counts: boolean][] = [
  ['invalid_body', true],
  ['forbidden_origin', true],
  ['not_found', true],
  ['rate_limited', false],
  ['upstream_failed', false],
  ['unavailable', false],
  ['internal', false],
];

for (const [code, counts] of countings) {
  test(`${code} ${counts ? 'counts' : 'does not count'} as refused`, async () => {
    const refused = rateLimit('refused', { count: 1, seconds: 60 });
    const gate = new Gate({ refused } as unknown as Gate);
    const codes: string[] = [];
    for (let round = 1; round <= 2; round += 1) {
      codes.push((await gate.limited(new Refusal(code, 'No.'), '192.0.2.1')).code);
    }
    assert.equal(codes, [code, counts ? 'rate_limited' : code]);
  });
}

/** The limits in docs/api.md and docs/mcp.md: how many requests a minute. */
const documented = { voteRate: 30, subscribeRate: 20, refusedRate: 120, mcpRate: 3_000 };

for (const [key, count] of Object.entries(documented) as [keyof typeof documented, number][]) {
  test(`by default, a client gets ${count} requests a minute (${key}), and as many in the next one`, async () => {
    const real = Date.now;
    let now = real();
    Date.now = () => now;
    try {
      const limit = rateLimit('name', serverSettings({}, {}, '/')[key]);
      const taken = async (asked: number) => {
        const takings = Array.from({ length: asked }, () => limit.take('192.0.2.1'));
        return (await Promise.allSettled(takings)).filter(({ status }) => status === 'fulfilled').length;
      };
      assert.is(await taken(count + 2), count);
      now += 59_999;
      assert.is(await taken(1), 0);
      now += 1;
      assert.is(await taken(count + 2), count);
    } finally {
      Date.now = real;
    }
  });
}

test('the longest window that the settings allow does not end early', async () => {
  const { voteRate } = serverSettings({ voteRate: '1/2147483' }, {}, '/');
  const real = Date.now;
  const start = real();
  Date.now = () => start;
  try {
    const limit = rateLimit('votes', voteRate);
    await limit.take('192.0.2.1');
    // A timer that overflows ends after a millisecond.
    await new Promise((done) => setTimeout(done, 20));
    const refused = await limit.take('192.0.2.1').catch((error) => error);
    assert.is(refused.headers['retry-after'], '2147483');
  } finally {
    Date.now = real;
  }
});

test.run();
