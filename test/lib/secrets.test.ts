import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { findSecrets, maskSecrets, secretForms } from '../../src/lib/secrets.ts';
import { diagnose } from '../../src/schema/diagnostics/diagnostic.ts';
import { examples } from '../support/secret-examples.ts';
import { shortestSecrets } from '../support/shortest-secrets.ts';

/** Which keys and tokens are recognized and masked. */

test('every kind of secret is found whole, and masked except for its first four characters', () => {
  for (const [name, ...parts] of examples) {
    const secret = parts.join('');
    // A name may end right before a secret.
    const before = /^\w/.test(secret) ? 'MY_' : 'before';
    const text = `${before}${secret}, and after.\n`;
    const found = findSecrets(text);
    assert.equal(
      found.map((it) => [it.name, text.slice(it.offset, it.offset + it.length)]),
      [[name, secret]],
      secret,
    );
    const masked = secret.slice(0, 4) + secret.slice(4).replace(/[^\n]/g, '*');
    assert.is(maskSecrets(text), `${before}${masked}, and after.\n`);
    assert.is(maskSecrets(JSON.stringify({ key: secret })).includes(secret.slice(-8)), false, name);
  }
  const shown = new Set(examples.map(([name]) => name));
  assert.equal(
    secretForms.map(([name]) => name).filter((name) => !shown.has(name)),
    [],
  );
});

test('the shortest secret of each form is found, but not with one character less', () => {
  for (const [name, secret] of shortestSecrets) {
    const named = (text: string) => findSecrets(text).filter((it) => it.name === name);
    assert.equal(named(`${secret} `), [{ offset: 0, length: secret.length, name }], `${name}: ${secret}`);
    assert.equal(named(`${secret.slice(0, -1)} `), [], `${name} cut short: ${secret}`);
  }
  const covered = new Set(shortestSecrets.map(([name]) => name));
  assert.equal(
    secretForms.map(([name]) => name).filter((name) => !covered.has(name)),
    [],
  );
});

test('a secret with a space is found at every distance from a long word before it', () => {
  const secret = shortestSecrets.find(([name]) => name === 'an Okta token')?.[1] ?? '';
  assert.match(secret, 'SSWS 00');
  for (let distance = 1; distance < 30; distance += 1) {
    const before = `${'a_long_word_'.repeat(3)} ${'a '.repeat(15).slice(-distance)}`.replace(/\s*$/, ' ');
    const [found] = findSecrets(`${before}${secret}`);
    assert.is(found?.offset, before.length, before);
  }
});

const harmless = [
  '{"url":"https://press.example?a=1&b=2","email":"desk@press.example"}',
  '`AKIA<16 characters>`, AKIAIOSFODNN7EXAMPLE, ghp_XXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXX, sk-ant-your-key-goes-here-please',
  'gsk_<YOUR_KEY>, xai-…, r8_YOUR_TOKEN, pplx-API_KEY, glpat-<token>, npm_token, hf_token, dapi<32 hex digits>, whsec_…',
  'sk-learn-is-a-library-for-machine-learning-in-python, secret_santa_list_for_the_whole_team, re_export_everything_from_here',
  `postgres://user:<PASSWORD>@db.example, https://user:password@db.example, https://press.example:8443/a@b, \${USER}:\${PASS}@host`,
  'postgresql://postgres:postgres@localhost:5432/test, amqp://guest:guest@broker',
  `//registry.example/:_authToken=\${NPM_TOKEN}, SharedAccessKey=<key>, Authorization: Bearer <token>`,
  '3f2504e0-4f89-41d3-9a0c-0305e82c3301 and 9fceb02d0ae598e95dc970b74767f19372d60e8f and e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855',
  '-----BEGIN CERTIFICATE-----\nMIIB\n-----END CERTIFICATE-----\n-----BEGIN PUBLIC KEY-----, `-----BEGIN RSA PRIVATE KEY-----`',
  'pat-1, key-value-store-with-many-replicas, dp.st and hvs.example, pub_sub_0123456789, md-to-html-converter-v2',
];
test('placeholders, identifiers, hashes and images are not secrets', () => {
  for (const text of harmless) assert.equal(findSecrets(text), [], text);
  let state = 1;
  const bytes = Buffer.from(
    Array.from({ length: 150_000 }, () => {
      state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
      return state >>> 24;
    }),
  );
  assert.equal(findSecrets(`![A picture](data:image/png;base64,${bytes.toString('base64')})`), []);
  assert.equal(findSecrets(Buffer.alloc(50_000).toString('base64')), []);
});

test('a key that says that it is an example is none, whatever the words', () => {
  const key = (word: string) => ['sk', 'ant', `${word}q7Hv2Lw9Zt4Rk8Md3Xs6`].join('-');
  assert.is(findSecrets(key('none-')).length, 1);
  const words = ['EXAMPLE', 'your-', 'YOUR_', 'Your_', 'placeholder', 'redacted', '1234567890', 'abcdefghij', 'xXxxXx'];
  for (const word of [...words, '0'.repeat(10)]) assert.equal(findSecrets(key(word)), [], word);
});

test('the period of a sentence does not belong to the secret before it', () => {
  const secret = ['sk', 'ant', 'q7Hv2Lw9Zt4Rk8Md3Xs6'].join('-');
  assert.is(
    maskSecrets(`The key is ${secret}. Ask for another.`),
    `The key is sk-a${'*'.repeat(23)}. Ask for another.`,
  );
});

test('the start of a secret is not one, so that texts can show what one looks like', () => {
  // Slack's tokens may have 15 characters.
  const found = examples
    .filter(([name]) => name !== 'a Slack token')
    .map(([, ...parts]) => parts.join('').slice(0, 16))
    .filter((beginning) => findSecrets(`${beginning} and so on`).length > 0);
  assert.equal(found, []);
});

test('no text makes the search slow: no form has an unbounded repetition, and long repetitions of all starts are fast', () => {
  for (const [name, form] of secretForms) {
    assert.not.match(form.replace(/\\.|\[(?:[^\]\\]|\\.)*\]/g, '_'), /[*+]|,\}/, name);
  }
  const beginnings = examples.map(([, ...parts]) => parts.join('').slice(0, 24));
  const pieces = [
    ...beginnings.map((text) => text.slice(0, 6)),
    ...beginnings,
    'eyJ-',
    '_eyJ',
    'eyJaaaaaaaaaaaa.',
    '://a:',
    'a',
    '0',
    '~',
  ];
  // If the time were quadratic, each of these would take seconds. `eyJ-` alone took twelve.
  for (const piece of pieces) findSecrets(piece.repeat(Math.ceil(65_536 / piece.length)));
  for (const piece of ['eyJ-', '_eyJ', 'eyJaaaaaaaaaaaa.', '://a:', '-----BEGIN PRIVATE KEY-----']) {
    maskSecrets(piece.repeat(Math.ceil(262_144 / piece.length)));
  }
});

test('a diagnostic shows no secret, neither in its message nor in its frame, including the lines around it', () => {
  const secrets = examples.map(([, ...parts]) => parts.join('')).filter((secret) => !secret.includes('\n'));
  for (const secret of secrets) {
    const { frame, message, hint } = diagnose({
      code: 'front-matter/value',
      file: 'agents/one/agent.md',
      text: `first: ${secret}\nsecond: wrong\nthird: "${secret}"\n`,
      location: { line: 2, column: 9, length: 5 },
      message: `\`second\` is "${secret}".`,
      hint: `Did you mean ${secret}?`,
    });
    assert.ok(frame.includes('second: wrong'), frame);
    for (const text of [frame, message, hint]) assert.not.ok(text.includes(secret.slice(-6)), text);
  }
  const [, ...key] = examples[0] ?? [];
  const text = `key: |\n${key.join('')}\n`;
  const { frame } = diagnose({
    code: 'text/secret',
    file: 'a',
    text,
    location: { line: 3, column: 1, length: 3 },
    message: '',
    hint: '',
  });
  assert.is(
    frame,
    [`  2 | ----${'*'.repeat(31)}`, `> 3 | ${'*'.repeat(64)}`, '    | ^^^', `  4 | ${'*'.repeat(64)}`].join('\n'),
  );
});

test('a frame hides a line that writes a secret with escapes', () => {
  const tail = 'Q7ZK2WM9XC4VB8NS';
  const written = ['\\u0041KIA', '\\x41KIA', '\\U00000041KIA', '&#65;KIA', '&#x41;KIA', '%41KIA', 'A\\KIA'];
  for (const start of written) {
    const text = `one\nkey: "${start}${tail}"\nthree: \\u0041, 100% & more\n`;
    const location = { line: 3, column: 8, length: 6 };
    const { frame } = diagnose({ code: 'text/hidden-character', file: 'a', text, location, message: '', hint: '' });
    assert.equal(frame.split('\n'), [
      `  2 | **** ${'*'.repeat(start.length + tail.length + 2)}`,
      '> 3 | three: \\u0041, 100% & more',
      '    |        ^^^^^^',
      '  4 |',
    ]);
    const only = { code: 'text/hidden-character', file: 'a', text: start + tail, message: '', hint: '' } as const;
    const { frame: shown } = diagnose({ ...only, location: { ...location, line: 1 } });
    assert.is(shown.split('\n')[0], `> 1 | ${'*'.repeat(start.length + tail.length)}`);
  }
});

test.run();
