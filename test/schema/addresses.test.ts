import { test } from 'uvu';
import * as assert from 'uvu/assert';
import type { z } from 'zod';
import { emailAddress, publicUrl, webUrl } from '../../src/schema/fields.ts';
import { settingsSource } from '../../src/schema/settings.ts';

/** How addresses are spelled in all outputs, whatever their authors wrote. */

const spellings: [name: string, schema: z.ZodType, ...pairs: [given: string, kept: string][]][] = [
  [
    'the address of a video',
    publicUrl,
    ['https://v.example', 'https://v.example'],
    ['https://V.example/%C3%9C?a=[', 'https://v.example/%C3%9C?a=%5B'],
    ['https://v.example/Ü|b', 'https://v.example/%C3%9C%7Cb'],
    ['https://v.example/?a="x"&b=<c>{d}', 'https://v.example/?a=%22x%22&b=%3Cc%3E%7Bd%7D'],
    ['https://v.example/100%#a#b', 'https://v.example/100%25#a%23b'],
  ],
  ['the address of a publisher', webUrl, ['http://[::1]:80/a[b', 'http://[::1]/a%5Bb']],
  [
    'the repository, as pages link to what is in it',
    settingsSource.shape.repository,
    ['https://github.com/ada/prompts/', 'https://github.com/ada/prompts'],
    ['https://gitlab.example/ada/prompts.git', 'https://gitlab.example/ada/prompts'],
  ],
  [
    'the base URL',
    settingsSource.shape.baseUrl,
    ['https://ex.example//', 'https://ex.example'],
    ['https://Ex.Example:443/Sub/', 'https://ex.example/Sub'],
    ['https://пример.рф', 'https://xn--e1afmkfd.xn--p1ai'],
    ['https://ex.example/a/../日', 'https://ex.example/%E6%97%A5'],
    ['https://ex.example/c&d//e', 'https://ex.example/c&d//e'],
  ],
];
for (const [name, schema, ...pairs] of spellings) {
  test(`${name} becomes a URI, so that the API fits its own schema`, () => {
    for (const [given, kept] of pairs) assert.is(schema.parse(given), kept, given);
  });
}

test('no address makes the check slow', () => {
  // If the time were quadratic, these would take a minute.
  for (const part of ['a', '#', '%', '%2', 'ü', '/', '?']) webUrl.parse(`https://a.example/${part.repeat(100_000)}#`);
});

test('a base URL whose links would lead to another host is refused', () => {
  const { error } = settingsSource.shape.baseUrl.safeParse('https://ex.example//x');
  assert.is(error?.issues[0]?.message, 'an address without // after the host');
});

test('an email address has the form that browsers and mail servers accept', () => {
  const good = [
    "rock&roll/a=b!c~d*e#f%g{h|i}j^k`l'm@a.example",
    'user@example.xn--p1ai',
    'a.b+c_d-e@A-b.EXAMPLE',
    "o'neill'@a.example",
    'a@1.example',
  ];
  const bad = [
    ...['a@b', 'a@b-.example', 'a@-b.example', '.a@b.example', 'a.@b.example', 'a..b@c.example', 'a@b..example'],
    ...[
      'a b@c.example',
      'a,b@c.example',
      '"a"@b.example',
      'a@b@c.example',
      'a@[192.0.2.1]',
      'a@192.0.2.1',
      'ä@b.example',
    ],
    ...['a@xn--', 'a@b.xn--', 'a@b.c', '<a@b.example>', 'a@b.example\n', 'a:b@c.example', 'a\\b@c.example'],
  ];
  const isAccepted = (address: string) => emailAddress.safeParse(address).success;
  assert.equal([...good, ...bad].filter(isAccepted), good);
});

test.run();
