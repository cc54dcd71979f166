import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { hiddenCharacter } from '../../src/content/text-checks.ts';
import { parseBoundedJson, TooDeep } from '../../src/lib/bounded.ts';
import { printable, printableJson, visible } from '../../src/lib/text.ts';
import { textMessages } from '../../src/schema/messages/texts.ts';

/** What a terminal, a log and a GitHub Actions job get of any text. */

const obeyed = ['\0', '\x07', '\x1b', '\x7f', '\x80', '\x9f', '\u061c', '\u200e', '\u200f', '\u2028', '\u2029'];
const reordering = ['\u202a', '\u202e', '\u2066', '\u2069', '\ufeff'];
const harmless = ['\t', '\n', '\r\n', '\xa0', '\u200d', '\u2027', '\u202f', '\u2065', '\u206a', 'é', '日'];

const texts: [text: string, shown: string][] = [
  ...[...obeyed, ...reordering].map((character): [string, string] => [`a${character}b`, 'a\ufffdb']),
  ...harmless.map((character): [string, string] => [`a${character}b`, `a${character}b`]),
  ['a\rb', 'a\ufffdb'],
  ['::error::x', ': :error::x'],
  ['a\n \t::error::x', 'a\n \t: :error::x'],
  ['a ::error::x', 'a ::error::x'],
  ['##[error]x ##[y', '## [error]x ## [y'],
];
for (const [text, shown] of texts) {
  test(`${JSON.stringify(text)} is printed as ${JSON.stringify(shown)}`, () => assert.is(printable(text), shown));
}

test('only our own commands reach GitHub Actions, and only our own styles a terminal', () => {
  assert.is(printable('::error::x\n##[y]', { commands: true }), '::error::x\n## [y]');
  assert.is(printable('\x1b[31m::x\x1b[0m', { color: true }), '\x1b[31m: :x\x1b[0m');
  for (const style of [0, 1, 2, 31, 33]) assert.is(printable(`\x1b[${style}m`, { color: true }), `\x1b[${style}m`);
  for (const style of ['8', '32', '1;31', '38;5;1']) {
    assert.is(printable(`\x1b[${style}m`, { color: true }), `\ufffd[${style}m`);
  }
});

const lines: [text: string, line: string][] = [
  [' a \n\n b\t', 'a b'],
  ['a\u2028b\u2029c\u0085d', 'a b c\ufffdd'],
  ['a\x1b[2Jb', 'a\ufffd[2Jb'],
  ['\n', ''],
];
for (const [text, line] of lines) {
  test(`${JSON.stringify(text)} is the line ${JSON.stringify(line)}`, () => assert.is(visible(text), line));
}

test('JSON keeps every value, without a character that controls what prints it', () => {
  const value = { text: [...obeyed, ...reordering, '##[error]', '\u{1F600}', 'a\nb'] };
  const text = printableJson(value);
  assert.equal(JSON.parse(text), value);
  for (const character of [...obeyed, ...reordering, '##[']) assert.not.ok(text.includes(character));
  assert.match(text, '"\\u007f"');
  assert.match(text, '"##\\u005berror]"');
  assert.ok(printableJson({ a: [1] }).startsWith('{\n  "a": [\n    1'));
});

/** Each kind of hidden character, with the words for it. */
const names: [text: string, name: string][] = [
  ['\u200b', 'U+200B, a zero-width space or byte-order mark'],
  ['\ufeff', 'U+FEFF, a zero-width space or byte-order mark'],
  ['\u200c', 'U+200C, a zero-width non-joiner'],
  ['\u202e', 'U+202E, which changes the direction of text'],
  ['\u{e0041}', 'U+E0041, a Unicode tag'],
  ['\xad', 'U+00AD, a soft hyphen'],
  ['\ufe05', 'U+FE05, a variation selector'],
  ['\u{e0101}', 'U+E0101, a variation selector'],
  ['\u3164', 'U+3164, a blank'],
  ['\uffff', 'U+FFFF, which is not a character'],
  ['\ud800', 'U+D800, half of a character'],
  ['\x01', 'U+0001, a control character'],
  ['\u206a', 'U+206A'],
];
for (const [character, name] of names) {
  test(`the message names ${name}`, () => {
    assert.equal(hiddenCharacter(`ab${character}c`), { offset: 2, length: character.length, name, most: null });
    assert.is(textMessages.hiddenCharacter(name, null, false).message, `This is the hidden character ${name}.`);
  });
}

test('the message says how many hidden characters of a use a text may have', () => {
  const found = hiddenCharacter('ب\u200Cب '.repeat(9));
  assert.is(found?.offset, 8 * 4 + 1);
  assert.is(
    textMessages.hiddenCharacter(found?.name ?? '', found?.most ?? null, false).message,
    'This is the hidden character U+200C, a zero-width non-joiner. Characters like it are allowed here, but at most 8 of them in this text.',
  );
});

const nested = (levels: number, inside = '') => `${'['.repeat(levels)}${inside}${']'.repeat(levels)}`;
const shallow: string[] = [
  nested(64),
  `[${Array(100).fill('{}').join(',')}]`,
  `"${'['.repeat(100)}"`,
  nested(63, '"\\"[["'),
  nested(63, '"\\\\",[]'),
];
const deep: string[] = [nested(65), `${'{"a":'.repeat(65)}1${'}'.repeat(65)}`, nested(63, '"\\\\",[[]]')];

test('JSON of clients has at most 64 levels; brackets in strings do not count', () => {
  for (const text of shallow) assert.equal(parseBoundedJson(text), JSON.parse(text));
  for (const text of deep) {
    assert.throws(
      () => parseBoundedJson(text),
      (error: unknown) => error instanceof TooDeep && error.message === 'The JSON is nested more than 64 levels deep.',
    );
  }
  assert.throws(() => parseBoundedJson('['), /JSON/);
});

test.run();
