import { test } from 'uvu';
import * as assert from 'uvu/assert';
import type { z } from 'zod';
import { checksSource, recordingSource } from '../../src/schema/evals.ts';
import { explain } from '../../src/schema/messages/values.ts';
import { recorded } from '../support/evals.ts';

/** Which checks and recordings an agent can have, and what an editor is told that a value has to be. */

const said = (schema: z.ZodType, value: unknown) => explain(schema, value, {}).map(({ message }) => message);
const words = (count: number) => Array.from({ length: count }, (_, index) => `x${index}`);
const textFile = 'the name of a .txt file in evals/, in lowercase letters, digits, dots and hyphens';
const range = 'an object with `min`, `max` or both, and `min` not above `max`';
const single = 'an object with exactly one check, such as `contains: unknown`, and optionally `why` and `catches`';

/** A check, and what the part of it that is wrong has to be; nothing if all is right. */
const checks: [check: object, part?: string, words?: string][] = [
  [{ contains: 'a', why: 'b' }],
  [{ contains: '' }, 'contains', 'text of 1 to 2000 characters'],
  [{ 'contains-all': words(50) }],
  [{ 'contains-all': words(51) }, 'contains-all', 'a list of at most 50 texts'],
  [{ 'contains-any': [] }, 'contains-any', 'a list of at least one text'],
  [{ regex: 'a+' }],
  [{ regex: '(a' }, 'regex', 'a regular expression'],
  [{ 'line-count': { min: 2, max: 2 } }],
  [{ 'line-count': { min: 5 } }],
  [{ 'word-count': { max: 0 } }],
  [{ 'word-count': { min: 2, max: 1 } }, 'word-count', range],
  [{ 'word-count': {} }, 'word-count', range],
  [{ 'line-count': { min: -1 } }, 'line-count.min', '0 or more'],
  [{ 'line-count': { min: 1.5 } }, 'line-count.min', 'a whole number'],
  [{ headings: [] }, 'headings', 'a list of at least one heading'],
  [{ 'table-columns': ['a'] }, 'table-columns', 'a list of at least two columns'],
  [{ 'quotes-in-input': false }, 'quotes-in-input', 'true, or an object with `min`, `allow` or both'],
  [{ 'numbers-in-input': 'no' }, 'numbers-in-input', 'true, or an object with `upTo`, `allow` or both'],
  [{ 'last-line': [] }, 'last-line', 'a list of at least one text'],
  [{ 'lines-in-order': ['a'] }, 'lines-in-order', 'a list of at least two texts'],
  [{ 'matching-lines': { regex: 'a', min: 3, max: 3 } }],
  [
    { 'matching-lines': { regex: 'a' } },
    'matching-lines',
    'an object with `regex`, and `min`, `max` or both, and `min` not above `max`',
  ],
  [{ 'computed-number': { after: 'a', is: '2 * (3 + 4) - -1' } }],
  [
    { 'computed-number': { after: 'a', is: '2 *' } },
    'computed-number.is',
    'a number, or a calculation such as 6 * 46 + 1.5',
  ],
  [
    { 'computed-number': { after: 'a', is: '1 / 0' } },
    'computed-number.is',
    'a number, or a calculation such as 6 * 46 + 1.5',
  ],
  [{ 'table-cell': { row: 'a', column: 'b', says: ['c'] } }],
  [
    { 'table-cell': { row: 'a', column: 'b' } },
    'table-cell',
    'an object with `row`, `column`, and `says`, `never` or both',
  ],
  [{ says: { about: ['a'], accept: [] } }, 'says.accept', 'a list of at least one text'],
  [{ why: 'b' }, '', single],
  [{ contains: 'a', regex: 'b' }, '', single],
];
for (const [check, part, words] of checks) {
  test(`${JSON.stringify(check).slice(0, 40)} ${part === undefined ? 'is a check' : 'is refused in words'}`, () => {
    const [first, ...others] = said(checksSource, { sample: { checks: [check] } });
    assert.equal(others, []);
    if (part === undefined) assert.is(first, undefined);
    else {
      const name = `\`sample.checks[0]${part === '' ? '' : `.${part}`}\``;
      assert.ok(first?.startsWith(`${name} is `) && first.endsWith(`; it has to be ${words}.`), first);
    }
  });
}

test('a malformed regular expression is refused with the reason', () => {
  const [found] = explain(checksSource, { sample: { checks: [{ regex: '(a' }] } }, {});
  assert.is(found?.hint, 'JavaScript says: Unterminated group.');
});

test('a check with a key that does not exist is refused for that key alone', () => {
  assert.equal(said(checksSource, { sample: { checks: [{ contians: 'a' }] } }), [
    '`sample.checks[0].contians` is not a known key.',
  ]);
});

test('the cases of an agent have names, checks, and texts as inputs', () => {
  const list = words(51).map((contains) => ({ contains }));
  const withInput = (input: string) => said(checksSource, { hard: { input, checks: [{ contains: 'a' }] } });
  for (const input of ['a.txt', 'a-1.b.c.txt']) assert.equal(withInput(input), [], input);
  for (const input of ['A.txt', 'a..txt', 'a.md', '-a.txt', 'a_b.txt', 'a.txt.md', 'b/a.txt']) {
    assert.equal(withInput(input), [`\`hard.input\` is "${input}"; it has to be ${textFile}.`]);
  }
  assert.equal(said(checksSource, { sample: { checks: list.slice(1) } }), []);
  assert.equal(said(checksSource, { sample: { checks: list } }), [
    '`sample.checks` is a list of 51; it has to be a list of at most 50 checks.',
  ]);
  const turns = list.slice(0, 11).map((check) => ({ says: 'a', checks: [check] }));
  assert.equal(said(checksSource, { sample: { checks: list.slice(1), turns: turns.slice(1) } }), []);
  assert.equal(said(checksSource, { sample: { checks: list.slice(1), turns } }), [
    '`sample.turns` is a list of 11; it has to be a list of at most 10 turns.',
  ]);
  assert.equal(said(checksSource, { sample: { checks: [] } }), [
    '`sample.checks` is an empty list; it has to be a list of at least one check.',
  ]);
  const checks = list.slice(1);
  assert.equal(said(checksSource, { hard: { checks } }), ['`hard.input` is missing.']);
  assert.equal(said(checksSource, { sample: { input: 'a.txt', checks } }), [
    '`sample.input` is "a.txt"; it has to be left out, because the case `sample` uses sample-input.txt.',
  ]);
  assert.equal(said(checksSource, {}), [
    'The top level is an object; it has to be an object with at least one case, such as `sample`.',
  ]);
  assert.equal(said(checksSource, { Sample: { checks: list.slice(1) } }), [
    '`Sample` cannot be a key; it has to be lowercase words joined by hyphens, such as empty-input.',
  ]);
});

test('a setting of a model that is neither text, a number, true nor false is refused in words', () => {
  const withSettings = (settings: object) => said(recordingSource, { cases: { sample: recorded({ settings }) } });
  assert.equal(withSettings({ stop: 'x'.repeat(500), temperature: 0, stream: false }), []);
  const has = 'it has to be text of at most 500 characters, a number, true or false';
  assert.equal(withSettings({ stop: null }), [`\`cases.sample.settings.stop\` is empty; ${has}.`]);
  assert.equal(withSettings({ stop: ['END'] }), [`\`cases.sample.settings.stop\` is a list; ${has}.`]);
});

test.run();
