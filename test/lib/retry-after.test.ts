import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { retryAfterMs } from '../../src/lib/http.ts';

/** How long a service wants to be left alone: Retry-After has seconds or a date (RFC 9110, section 10.2.3). */

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

test.run();
