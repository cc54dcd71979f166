import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { mailStyles } from '../../src/site/mail/mail-styles.ts';

/** The inline styles of emails: a program that finds one it cannot read may drop all of the element. */

for (const [element, styles] of Object.entries(mailStyles)) {
  test(`each style of the element "${element}" has a value, and each color is one`, () => {
    const declarations = styles.match(/[^;]+;/g) ?? [];
    assert.is(declarations.join(''), styles);
    for (const declaration of declarations) {
      const [, name = '', value = ''] = /^ ?([a-z-]+): (\S+(?: \S+)*);$/.exec(declaration) ?? [];
      assert.is.not(value, '', declaration);
      if (/color$|^border(?:-top|-bottom)?$/.test(name)) assert.match(value, /(?:^|^1px solid )#[0-9a-f]{6}$/);
    }
  });
}

test('a button has an outline in the color of its text: in dark mode, Thunderbird removes the background', () => {
  const [, color = ''] = /(?<!-)color: (\S+);/.exec(mailStyles.button) ?? [];
  assert.match(mailStyles.button, ` border: 1px solid ${color};`);
});

test.run();
