import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { parseFields } from '../../src/server/forms.ts';
import { Refusal } from '../../src/server/http.ts';
import { parseMessage } from '../../src/server/mcp/dispatch.ts';

/** Which bytes a body may have, and which of its fields count. */

const utf8: [name: string, hex: string, isText: boolean][] = [
  ['a lone continuation', '80', false],
  ['the last continuation', 'bf', false],
  ['the first of two', 'c2', false],
  ['the first two-byte character', 'c280', true],
  ['an overlong slash', 'c0af', false],
  ['an overlong NUL', 'c080', false],
  ['an overlong character of three bytes', 'e09fbf', false],
  ['the first three-byte character', 'e0a080', true],
  ['the last character before surrogates', 'ed9fbf', true],
  ['the first surrogate', 'eda080', false],
  ['the last surrogate', 'edbfbf', false],
  ['the first character after surrogates', 'ee8080', true],
  ['an emoji', 'f09f9982', true],
  ['an emoji cut short', 'f09f99', false],
  ['an overlong character of four bytes', 'f08fbfbf', false],
  ['the last character', 'f48fbfbf', true],
  ['one past the last character', 'f4908080', false],
  ['a byte that UTF-8 never has', 'ff', false],
];

test('a body must be UTF-8 to the last byte, in JSON, in forms and in MCP messages', () => {
  for (const [name, hex, isText] of utf8) {
    const bytes = Buffer.from(hex, 'hex');
    const around = (before: string, after: string) => Buffer.concat([Buffer.from(before), bytes, Buffer.from(after)]);
    const bodies = [
      [around('{"note":"', '"}'), 'json'],
      [around('note=', '&a=b'), 'form'],
      [around('a=b&note=', ''), 'form'],
    ] as const;
    for (const [body, kind] of bodies) {
      if (isText) assert.is(parseFields(body, kind).note, bytes.toString('utf8'), name);
      else {
        assert.throws(
          () => parseFields(body, kind),
          (error: unknown) => error instanceof Refusal && error.code === 'invalid_body',
          `${name} ${kind}`,
        );
      }
    }
    const escaped = Buffer.from(`note=${hex.replace(/../g, '%$&')}`);
    if (isText) assert.is(parseFields(escaped, 'form').note, bytes.toString('utf8'), name);
    else assert.throws(() => parseFields(escaped, 'form'), /UTF-8/, name);
    assert.is('value' in parseMessage(around('{"id":"', '"}')), isText, `${name} in a message`);
  }
});

test('a message to MCP may begin with a byte order mark', () => {
  assert.equal(parseMessage(Buffer.from('\uFEFF{"id":1}')), { value: { id: 1 }, count: 1 });
});

test('if a form has a field twice, the first one counts', () => {
  const { note, slug } = parseFields(Buffer.from('note=a&slug=one&note=b&slug='), 'form');
  assert.equal([note, slug], ['a', 'one']);
});

test('a value of a form may contain equals signs', () => {
  assert.is(parseFields(Buffer.from('note=a=b==&slug=one'), 'form').note, 'a=b==');
});

test.run();
