import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { Refusal } from '../../src/server/errors.ts';
import { rateLimit } from '../../src/server/limits.ts';

/** What a limit tells a client is never longer than its window, whatever happens to the clock. */

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

test.run();
