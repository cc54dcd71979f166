import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { UsageError } from '../../../src/lib/errors.ts';
import { parseSubscriberSettings } from '../../../src/mail/subscribers.ts';
import { variables } from '../../../src/mail/variables.ts';

const id = '78261eea-8f8b-4381-83c6-79fa7120f1cf';
const ids = { LIST_DAILY: id, LIST_PRO: id, LIST_CUSTOM: id };
const numbers = { LIST_DAILY: '1', LIST_PRO: '20', LIST_CUSTOM: '987654321' };
const url = 'http://127.0.0.1:9000';

/** CATALOG_SIGNUPS_… from the parts of their names. */
function environment(parts: Record<string, string>): NodeJS.ProcessEnv {
  return Object.fromEntries(
    Object.entries(parts).map(([part, value]) => [part === '' ? 'CATALOG_SIGNUPS' : `CATALOG_SIGNUPS_${part}`, value]),
  );
}

const good: { name: string; flag?: string; given: Record<string, string>; expected: unknown }[] = [
  { name: 'nothing: file', given: {}, expected: { provider: 'file' } },
  { name: 'empty texts: file', flag: '', given: { '': ' ', KEY: '' }, expected: { provider: 'file' } },
  { name: 'a flag with spaces around it', flag: ' file ', given: { '': 'webhook' }, expected: { provider: 'file' } },
  { name: 'the flag wins', flag: 'file', given: { '': 'webhook' }, expected: { provider: 'file' } },
  { name: 'file needs nothing of what others do', given: { '': 'file', URL: 'no' }, expected: { provider: 'file' } },
  {
    name: 'buttondown with its defaults; white space around a key is dropped',
    given: { '': 'buttondown', KEY: ' k3y\n' },
    expected: {
      provider: 'buttondown',
      url: 'https://api.buttondown.com',
      key: 'k3y',
      lists: { daily: 'daily', pro: 'pro', custom: 'custom' },
    },
  },
  {
    name: 'buttondown with all',
    flag: 'buttondown',
    given: { URL: `${url}//`, KEY: 'k', LIST_DAILY: 'x'.repeat(100), LIST_PRO: 'p', LIST_CUSTOM: 'Every day' },
    expected: {
      provider: 'buttondown',
      url,
      key: 'k',
      lists: { daily: 'x'.repeat(100), pro: 'p', custom: 'Every day' },
    },
  },
  {
    name: 'resend',
    given: { '': 'resend', KEY: 're_1', ...ids },
    expected: {
      provider: 'resend',
      url: 'https://api.resend.com',
      key: 're_1',
      lists: { daily: id, pro: id, custom: id },
      noteProperty: null,
    },
  },
  {
    name: 'resend with a property for notes',
    given: { '': 'resend', URL: url, KEY: 're_1', ...ids, LIST_PRO: id.toUpperCase(), NOTE_PROPERTY: 'n'.repeat(50) },
    expected: {
      provider: 'resend',
      url,
      key: 're_1',
      lists: { daily: id, pro: id.toUpperCase(), custom: id },
      noteProperty: 'n'.repeat(50),
    },
  },
  {
    name: 'listmonk below a path',
    given: { '': 'listmonk', URL: `${url}/mail/`, KEY: 'catalog:t0ken:x', ...numbers },
    expected: {
      provider: 'listmonk',
      url: `${url}/mail`,
      key: 'catalog:t0ken:x',
      lists: { daily: 1, pro: 20, custom: 987_654_321 },
    },
  },
  {
    name: 'webhook with a query',
    given: { '': 'webhook', URL: `${url}/hook?a=1`, KEY: 'any secret at all' },
    expected: { provider: 'webhook', url: `${url}/hook?a=1`, key: 'any secret at all' },
  },
];

for (const { name, flag, given, expected } of good) {
  test(name, () => {
    assert.equal(parseSubscriberSettings(flag, environment(given)), expected);
  });
}

const listmonk = { '': 'listmonk', URL: url, KEY: 'catalog:t0ken', ...numbers };
const bad: { name: string; flag?: string; given: Record<string, string>; expected: (string | RegExp)[] }[] = [
  {
    name: 'an unknown provider',
    given: { '': 'buttondwn' },
    expected: [
      'CATALOG_SIGNUPS is "buttondwn"; it has to be one of file, buttondown, resend, listmonk, webhook. Did you mean buttondown?',
    ],
  },
  {
    name: 'an unknown provider by flag',
    flag: 'mailer-9000',
    given: {},
    expected: [/^--subscribers is "mailer-9000"; it has to be one of file, .*, webhook\.$/],
  },
  {
    name: 'buttondown without a key',
    flag: 'buttondown',
    given: {},
    expected: [/^CATALOG_SIGNUPS_KEY is missing; for buttondown it has to be its API key: letters, digits and/],
  },
  ...['x'.repeat(101), 'every\nday', 'a\u007f'].map((value) => ({
    name: `buttondown with the tag ${JSON.stringify(value).slice(0, 20)}`,
    flag: 'buttondown',
    given: { KEY: 'k', LIST_PRO: value },
    expected: [/^CATALOG_SIGNUPS_LIST_PRO is .*; for buttondown it has to be a tag of 1 to 100 characters\.$/],
  })),
  {
    name: 'resend without anything',
    flag: 'resend',
    given: {},
    expected: [/_KEY is missing/, /_LIST_DAILY is missing/, /_LIST_PRO is missing/, /_LIST_CUSTOM is missing/],
  },
  ...['pro', `x${id}`, `${id}0`].map((value) => ({
    name: `resend with the segment ${value}`,
    flag: 'resend',
    given: { KEY: 'k', ...ids, LIST_PRO: value },
    expected: [`CATALOG_SIGNUPS_LIST_PRO is "${value}"; for resend it has to be the id of a segment`],
  })),
  ...['a note', 'n'.repeat(51)].map((value) => ({
    name: `resend with the property ${value}`,
    flag: 'resend',
    given: { KEY: 'k', ...ids, NOTE_PROPERTY: value },
    expected: [`_NOTE_PROPERTY is "${value}"; for resend it has to be the key of a contact property`],
  })),
  {
    name: 'listmonk without anything',
    flag: 'listmonk',
    given: {},
    expected: [/_URL is missing/, /_KEY is missing/, /_DAILY is missing/, /_PRO is missing/, /_CUSTOM is missing/],
  },
  ...['daily', '0', '-1', '1.5', '1e3', '12345678901'].map((value) => ({
    name: `listmonk with the list ${value}`,
    given: { ...listmonk, LIST_DAILY: value },
    expected: [`CATALOG_SIGNUPS_LIST_DAILY is "${value}"; for listmonk it has to be the number of a list, such as 1.`],
  })),
  ...['t0ken', ':t0ken', 'my catalog:t0ken', 'catalog:t0ken x'].map((value) => ({
    name: `listmonk with the key ${value}`,
    given: { ...listmonk, KEY: value },
    expected: [/_KEY is not valid; for listmonk it has to be user:token/],
  })),
  {
    name: 'webhook without anything',
    flag: 'webhook',
    given: {},
    expected: [/_URL is missing/, /_KEY is missing; for webhook it has to be the secret that signs each subscription/],
  },
  ...[
    'example.com/hook',
    'ftp://example.com/',
    'xhttp://example.com/',
    'https://u:t0ken@example.com/',
    'https://t0ken@example.com/',
    'https://:t0ken@example.com/',
    'https://example.com/#t0ken',
  ].map((value) => ({
    name: `webhook at ${value}`,
    flag: 'webhook',
    given: { URL: value, KEY: 'k' },
    expected: [/^CATALOG_SIGNUPS_URL is not valid; for webhook it has to be an address that starts with http/],
  })),
  {
    name: 'a base address with a query',
    given: { ...listmonk, URL: `${url}/?a=t0ken` },
    expected: [
      /_URL is not valid; for listmonk it has to be an address .*, without a user name, a password, \? or #\.$/,
    ],
  },
  {
    name: 'a key with a line break inside',
    flag: 'buttondown',
    given: { KEY: 't0ken\nX-Header: 1' },
    expected: [/^CATALOG_SIGNUPS_KEY is not valid; for buttondown/],
  },
];

for (const { name, flag, given, expected } of bad) {
  test(`refuses ${name}, naming the variable`, () => {
    const failure = (() => {
      try {
        return parseSubscriberSettings(flag, environment(given));
      } catch (error) {
        return error;
      }
    })();
    assert.instance(failure, UsageError);
    const lines = (failure as UsageError).message.split('\n');
    assert.is(lines.length, expected.length, lines.join('\n'));
    for (const [index, line] of lines.entries()) assert.match(line, expected[index] as RegExp);
    assert.not.match((failure as UsageError).message, 't0ken');
  });
}

test('every variable that is read is in the table', () => {
  const read = new Set<string>();
  const watch = (values: NodeJS.ProcessEnv) =>
    new Proxy(values, {
      get(target, name) {
        read.add(String(name));
        return target[String(name)];
      },
    });
  for (const { flag, given } of good) parseSubscriberSettings(flag, watch(environment(given)));
  assert.equal([...read].sort(), Object.keys(variables.subscribers).sort());
});

test.run();
