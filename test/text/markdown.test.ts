import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { markdownFindings } from '../../src/text/markdown.ts';

test('each refused link is found where it is, even one that is repeated', () => {
  const source = '[a](data:x) and [b](data:x)\n\n[c](data:x), ![d](/e.png) ![f](/e.png)\n';
  assert.equal(
    markdownFindings(source).map(({ code, offset, length }) => [code, offset, source.slice(offset, offset + length)]),
    [
      ['markdown/link', 4, 'data:x'],
      ['markdown/link', 20, 'data:x'],
      ['markdown/link', 33, 'data:x'],
      ['markdown/image', 47, '/e.png'],
      ['markdown/image', 60, '/e.png'],
    ],
  );
});

/** A text, and the code and the text of each finding. */
const found: [name: string, source: string, ...findings: string[]][] = [
  [
    'links to addresses of mail and the web, in any case',
    '[a](MAILTO:b@c.example) <HTTPS://d.example> <mailto:e@f.example>',
  ],
  ['links to paths with a colon after the first part', '[a](b/c:d) [e](?f:g) [h](#i:j) [k](/l:m)'],
  ['a link with a scheme that starts like a path', '[a](b:c/d)', 'link b:c/d'],
  [
    'an address in a link that is not one',
    '[a](https://) [b](xhttps://c.example)',
    'link https://',
    'link xhttps://c.example',
  ],
  ['a link that is written with an entity', 'One.\n\nTwo [a](data&colon;x)', 'link T'],
  ['HTML in code, which is text', '`<img src=x>`\n\n```\n<img src=x>\n```\n\n    <img src=x>'],
  ['HTML without attributes', '<b>a</b> <br> 1 <a and b= 2'],
  ['HTML in capital letters', 'See <A HREF=x>', 'html <A HREF='],
  ['a block of HTML', 'One.\n\n<p id=x>\nTwo.\n', 'html <p id='],
  ['the heading after the hundredth', `${'# a\n'.repeat(100)}## b\n${'# c\n'.repeat(2)}`, 'size #'],
  ['101 underlined headings', 'a\n===\n\n'.repeat(101), 'size a'],
  ['21 lists in each other', `${'1. '.repeat(21)}a`, 'size 1'],
  ['at most twenty links', '[a](data:x)\n'.repeat(25), ...Array.from({ length: 20 }, () => 'link data:x')],
];
for (const [name, source, ...findings] of found) {
  test(`Markdown with ${name}`, () => {
    assert.equal(
      markdownFindings(source).map(
        ({ code, offset, length }) => `${code.replace('markdown/', '')} ${source.slice(offset, offset + length)}`,
      ),
      findings,
    );
  });
}

test('HTML is found where it is, even after code that looks the same', () => {
  const [finding] = markdownFindings('`<a href=x>`\n\nSee <a href=x>');
  assert.is(finding?.offset, 18);
});

test('a hundred headings, twenty levels and 65,536 characters are allowed, and not one more', () => {
  const codes = (source: string) => markdownFindings(source).map(({ code }) => code);
  const link = '[a](/b)\n\n';
  assert.equal([codes(link + '# a\n'.repeat(100)), codes(link + '# a\n'.repeat(101))], [[], ['markdown/size']]);
  assert.equal([codes(`${'> '.repeat(20)}a`), codes(`${'> '.repeat(21)}a`)], [[], ['markdown/size']]);
  assert.equal([codes('a'.repeat(65_536)), codes('a'.repeat(65_537))], [[], ['markdown/size']]);
});

test('the finding of too many headings is at the first one that is too many', () => {
  const source = `[a](/b)\n\n${'# a\n'.repeat(102)}`;
  assert.equal(
    markdownFindings(source).map(({ offset, message }) => [offset, message]),
    [[9 + 400, 'The Markdown has 102 headings; at most 100 are allowed.']],
  );
});

test.run();
