import { createHmac, randomBytes } from 'node:crypto';
import { mkdir, readdir, readFile, stat, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { MailKey, recipients } from '../../../src/mail/consent.ts';
import { withFolder } from '../../support/subscribers-file.ts';

/** The links in emails: nobody can make or change one without the key, and none contains an address. */

const bytes = Buffer.alloc(32, 7);
const key = new MailKey(bytes);
const other = new MailKey(Buffer.alloc(32, 8));
const runtimeUrl = 'https://agents.example.com/base';
const subscribed = { id: 'c0ffee', list: 'daily' as const };
const now = Date.parse('2026-11-22T10:00:00Z');
const tokenOf = (address: string) => new URL(address).searchParams.get('token') ?? '';
const confirm = tokenOf(key.confirmAddress(subscribed, runtimeUrl, now));
const unsubscribe = tokenOf(key.unsubscribeAddress(subscribed, runtimeUrl));

test('a link to confirm names the subscription and expires after seven days', () => {
  const address = key.confirmAddress(subscribed, runtimeUrl, now);
  assert.ok(address.startsWith('https://agents.example.com/base/subscription/confirm?token='));
  const claims = { v: 1, purpose: 'confirm', id: 'c0ffee', list: 'daily', exp: 1795946400 };
  const text = Buffer.from(JSON.stringify(claims)).toString('base64url');
  assert.is(confirm, `${text}.${createHmac('sha256', bytes).update(text).digest('base64url')}`);
  assert.equal(key.readToken(confirm, 'confirm', Date.parse('2026-11-29T10:00:00Z')), claims);
  assert.is(key.readToken(confirm, 'confirm', Date.parse('2026-11-29T10:00:00.001Z')), 'expired');
});

test('a link to unsubscribe never expires', () => {
  assert.ok(
    key
      .unsubscribeAddress(subscribed, runtimeUrl)
      .startsWith('https://agents.example.com/base/subscription/unsubscribe?'),
  );
  const claims = { v: 1, purpose: 'unsubscribe', id: 'c0ffee', list: 'daily' };
  assert.equal(key.readToken(unsubscribe, 'unsubscribe', Date.parse('2126-01-01T00:00:00Z')), claims);
});

test('a token is good for its own purpose only', () => {
  assert.is(key.readToken(unsubscribe, 'confirm', now), 'other-purpose');
  assert.is(key.readToken(confirm, 'unsubscribe', now), 'other-purpose');
});

test('every change of a token is noticed', () => {
  for (let at = 0; at < confirm.length; at += 1) {
    for (const other of ['A', 'b', '.', '=']) {
      if (confirm[at] === other) continue;
      const changed = confirm.slice(0, at) + other + confirm.slice(at + 1);
      assert.is(key.readToken(changed, 'confirm', now), 'forged', changed);
    }
  }
});

const forged: [name: string, token: string][] = [
  ['nothing', ''],
  ['a dot', '.'],
  ['no signature', confirm.split('.')[0] ?? ''],
  ['a third part', `${confirm}.x`],
  ['an end that is cut off', confirm.slice(0, -1)],
  ['padding', `${confirm}=`],
  ['a signature by another key', tokenOf(other.confirmAddress(subscribed, runtimeUrl, now))],
  ['a hundred thousand characters', 'é'.repeat(100_000)],
];
for (const [name, token] of forged) {
  test(`forged: ${name}`, () => assert.is(key.readToken(token, 'confirm', now), 'forged'));
}

test('the key is made once, even by two processes at once, and only its owner can read it', () =>
  withFolder(async (path) => {
    const folder = dirname(path);
    const options = { environment: {}, folder, random: randomBytes };
    assert.is(await MailKey.read(options), null);
    const [first, second] = await Promise.all([MailKey.open(options), MailKey.open(options)]);
    assert.equal(first, second);
    assert.is(first?.bytes.length, 32);
    assert.equal(await MailKey.read(options), first);
    assert.equal(await readdir(folder), ['mail.key']);
    assert.is((await stat(join(folder, 'mail.key'))).mode & 0o777, 0o600);
  }));

test('CATALOG_MAIL_KEY is the key if it is set; one that can be guessed is refused', () =>
  withFolder(async (path) => {
    const open = (given: string) =>
      MailKey.open({ environment: { CATALOG_MAIL_KEY: given }, folder: dirname(path), random: randomBytes });
    const given = 'k'.repeat(32);
    assert.equal((await open(` ${given}\n`)).bytes, Buffer.from(given));
    const failure = await open('k'.repeat(31)).catch((error) => error);
    assert.is(
      failure.message,
      'CATALOG_MAIL_KEY is too short; it has to have at least 32 characters (openssl rand -hex 32).',
    );
  }));

test('CATALOG_MAIL_KEY with the content of mail.key keeps the links and the erased addresses of the file, and the other way round', () =>
  withFolder(async (path) => {
    const folder = dirname(path);
    const ofFile = await MailKey.open({ environment: {}, folder, random: randomBytes });
    const environment = { CATALOG_MAIL_KEY: await readFile(join(folder, 'mail.key'), 'utf8') };
    const ofVariable = (await MailKey.read({ environment, folder })) as MailKey;
    for (const [made, moved] of [
      [ofFile, ofVariable],
      [ofVariable, ofFile],
    ] as const) {
      const token = tokenOf(made.unsubscribeAddress(subscribed, runtimeUrl));
      assert.equal(moved.readToken(token, 'unsubscribe', now), { v: 1, purpose: 'unsubscribe', ...subscribed });
      const suppressions = new Map([[made.addressHash('ann@example.com'), '2026-11-23T00:00:00.000Z']]);
      const ann = { ...subscribed, time: '2026-11-22T10:00:00.000Z', email: 'Ann@example.com', pending: true as const };
      const find = async () => [{ ...ann, confirmed: '2026-11-22T11:00:00.000Z' }];
      const subscriptions = { find, suppressions: async () => suppressions };
      assert.equal(await recipients('daily', { key: moved, subscriptions }), []);
    }
  }));

test('a key that was written by hand needs no newline at its end', () =>
  withFolder(async (path) => {
    const folder = dirname(path);
    await mkdir(folder);
    for (const end of ['', '\n']) {
      await writeFile(join(folder, 'mail.key'), `${'0f'.repeat(32)}${end}`);
      assert.equal((await MailKey.read({ environment: {}, folder }))?.bytes, Buffer.alloc(32, 0x0f));
    }
  }));

test('a damaged key is not replaced, since links that were sent need it', () =>
  withFolder(async (path) => {
    const folder = dirname(path);
    await mkdir(folder);
    await writeFile(join(folder, 'mail.key'), 'abc\n');
    const open = () => MailKey.open({ environment: {}, folder, random: randomBytes }).catch((error) => error);
    assert.match((await open()).message, /^The key .*mail\.key is damaged\. Restore it from a backup\./);
    assert.is(await readFile(join(folder, 'mail.key'), 'utf8'), 'abc\n');
  }));

test('the pseudonym of an address is the same in any case, and another with another key', () => {
  assert.is(key.addressHash('Ann@Example.com'), key.addressHash('ann@example.COM'));
  assert.is.not(key.addressHash('ann@example.com'), other.addressHash('ann@example.com'));
  assert.not.match(key.addressHash('ann@example.com'), 'ann');
});

test.run();
