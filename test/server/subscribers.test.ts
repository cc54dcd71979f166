import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { loud } from '../support/loud.ts';
import { type Answer, ask, assertError, postJson } from '../support/requests.ts';
import { withRuntime } from '../support/server.ts';
import { stopStores, stores } from '../support/stores.ts';
import {
  type FakeProvider,
  hang,
  hangInBody,
  noHttp,
  type Reply,
  reset,
  startProvider,
} from '../support/subscribers.ts';
import { until, withTimeLimit } from '../support/until.ts';

/** Subscriptions over HTTP: each gets its own answer, and no address gets into the log. */

const key = 'k3y-that-nobody-may-see';
const person = { email: 'Ann.Reader+news@example.com', list: 'pro', note: 'A note that stays private.' };

function subscribe(address: string, body: unknown = person): Promise<Answer> {
  return postJson(address, '/api/subscribe', body);
}

function subscribeByForm(address: string, fields: Record<string, string>): Promise<Answer> {
  return ask(address, '/api/subscribe', {
    method: 'POST',
    headers: { 'content-type': 'application/x-www-form-urlencoded' },
    body: new URLSearchParams(fields).toString(),
  });
}

/** Runs `use` with a server whose subscriptions go to a provider on this machine that answers with `replies`. */
async function withProvider(
  name: 'webhook' | 'buttondown',
  replies: Reply[],
  use: (address: string, provider: FakeProvider, log: () => string) => Promise<void>,
): Promise<void> {
  const provider = await startProvider(replies);
  const env = {
    CATALOG_SIGNUPS: name,
    CATALOG_SIGNUPS_URL: provider.url + (name === 'webhook' ? '/hooks/5ecret-path' : ''),
    CATALOG_SIGNUPS_KEY: key,
  };
  try {
    await withRuntime({ env }, async ({ server, data }) => {
      await use(server.address, provider, () => server.logged());
      assert.not.ok(existsSync(join(data, 'signups.jsonl')));
    });
  } finally {
    await provider.close();
  }
}

const garbage: Reply = { status: 200, headers: { 'content-type': 'text/html' }, body: '<html>' };

const failures: [name: string, provider: 'webhook' | 'buttondown', reply: Reply, cause: RegExp][] = [
  ['hangs', 'webhook', hang, /took too long/],
  ['hangs in the middle of its refusal', 'buttondown', hangInBody(400), /took too long/],
  ['resets the connection', 'webhook', reset, /could not be reached \((?:ECONNRESET|UND_ERR_SOCKET)\)/],
  ['answers garbage', 'buttondown', noHttp, /could not be reached/],
  ['answers 400 with garbage', 'buttondown', { status: 400, body: `{"code": ${key}` }, /status 400/],
  ['answers 500', 'webhook', { status: 500, body: `no ${person.email} ${key}` }, /status 500/],
  ['answers 500', 'buttondown', { status: 500, body: { detail: person.email } }, /status 500/],
  ['answers 429', 'buttondown', { status: 429, body: { detail: 'slow down' } }, /status 429/],
  ['answers 429 with a long Retry-After', 'webhook', { status: 429, headers: { 'retry-after': '60' } }, /status 429/],
  ['answers 503 again and again', 'webhook', { status: 503 }, /status 503/],
  ['redirects', 'webhook', { status: 302, headers: { location: 'http://127.0.0.1:9/' } }, /redirect \(302\)/],
];

/** How long one subscription may take, in milliseconds: docs/api.md says five seconds. */
const limitMs = 5_000;

for (const [name, provider, reply, cause] of failures) {
  test(`a provider that ${name} is 502 upstream_failed, with its cause in the log without private data: ${provider}`, () =>
    withTimeLimit((_, expire) => {
      const last: Reply = (request, response) => {
        if (typeof reply === 'function') reply(request, response);
        expire();
      };
      const isHanging = cause.source === 'took too long';
      return withProvider(provider, [isHanging ? last : reply], async (address, _fake, log) => {
        const answer = await subscribe(address);
        assertError(answer, 502, 'upstream_failed');
        assert.not.match(answer.text, /status|webhook|buttondown|ECONN/);
        await until(() => log().includes('"status":502'));
        assert.match(log(), cause);
        for (const hidden of [key, person.email, person.note, '5ecret-path', encodeURIComponent(person.email)]) {
          assert.not.ok(log().toLowerCase().includes(hidden.toLowerCase()), `${hidden} is in ${log()}`);
        }
        assert.is((await ask(address, '/healthz')).status, 200);
      });
    }, limitMs));
}

test('a working provider gets each subscription, and decides about its address', () =>
  withProvider(
    'buttondown',
    [
      { status: 201, body: {} },
      { status: 400, body: { code: 'email_already_exists' } },
      { status: 400, body: { code: 'email_blocked' } },
      { status: 400, body: { code: 'email_invalid' } },
    ],
    async (address, provider) => {
      for (const answer of [await subscribe(address), await subscribe(address), await subscribe(address)]) {
        assert.equal([answer.status, answer.text], [200, '{"ok":true}']);
      }
      assertError(await subscribe(address), 400, 'invalid_body');
      assert.equal(
        provider.received.map(({ path, json }) => [path, (json as { email_address: string }).email_address]),
        Array.from({ length: 4 }, () => ['/v1/subscribers', person.email]),
      );
    },
  ));

test('a success of a webhook counts, whatever its body is', () =>
  withProvider('webhook', [garbage], async (address, provider) => {
    assert.is((await subscribe(address)).status, 200);
    assert.is(provider.received[0]?.path, '/hooks/5ecret-path');
  }));

for (const { name, withRuntime } of stores) {
  test(`nine subscriptions in a row, valid and invalid, each get their own answer; the valid ones are stored, ${name}`, () =>
    withRuntime({ flags: { subscribeRate: '20/60', refusedRate: '120/60' } }, async ({ server, subscriptions }) => {
      const at = server.address;
      const daily = (name: string) => ({ email: `${name}@example.com`, list: 'daily' });
      const answers = [
        await subscribe(at, daily('one')),
        await subscribe(at, { ...daily('two'), list: 'weekly' }),
        await subscribe(at, { ...daily('three'), list: 'custom', note: 'An agent, please.' }),
        await subscribe(at, { email: 'four', list: 'daily' }),
        await subscribe(at, { list: 'daily' }),
        await subscribe(at, { ...daily('six'), note: 'x'.repeat(2001) }),
        await subscribe(at, daily('seven')),
        await subscribe(at, '{"email":'),
        await subscribe(at, daily('nine')),
      ];
      assert.equal(
        answers.map(({ status }) => status),
        [200, 400, 200, 400, 400, 400, 200, 400, 200],
      );
      for (const [index, name] of [
        [1, 'list'],
        [3, 'email'],
        [4, 'email'],
        [5, 'note'],
      ] as const) {
        assertError(answers[index] as Answer, 400, 'invalid_body');
        assert.match(answers[index]?.text ?? '', `\`${name}\``);
      }
      assert.equal(
        (await subscriptions()).map(({ email, list }) => `${email} ${list}`),
        ['one@example.com daily', 'three@example.com custom', 'seven@example.com daily', 'nine@example.com daily'],
      );
      assert.not.match(server.logged(), 'example.com');
    }));

  test(`a filled honeypot is answered like a subscription, as JSON and as a form, and stored nowhere, ${name}`, () =>
    withRuntime({}, async ({ server, subscriptions }) => {
      const trapped = await subscribe(server.address, { ...person, website: 'https://spam.example' });
      assert.equal([trapped.status, trapped.text], [200, '{"ok":true}']);
      const form = await subscribeByForm(server.address, { ...person, website: 'x' });
      assert.equal([form.status, form.headers.location], [303, '/thanks/sign-up']);
      const empty = await subscribe(server.address, { ...person, website: '' });
      assert.is(empty.status, 200);
      assertError(await subscribe(server.address, { list: 'daily', website: 'x' }), 400, 'invalid_body');
      assert.is((await subscriptions()).length, 1);
    }));

  test(`an address that cannot exist is refused, in words, and not stored, ${name}`, () =>
    withRuntime({}, async ({ server, subscriptions }) => {
      const longest = `${'a'.repeat(64)}@${'b'.repeat(63)}.example.org`;
      const refused: [email: string, rule: string][] = [
        [`${'a'.repeat(65)}@example.org`, 'an address with at most 64 characters before the @'],
        [`a@${'b'.repeat(64)}.org`, 'an address with at most 63 characters between dots after the @'],
        [`a@${'b.'.repeat(125)}org`, 'at most 254 characters long'],
        ['ada@example', 'an email address'],
      ];
      assert.is((await subscribe(server.address, { email: longest, list: 'daily' })).status, 200);
      for (const [email, rule] of refused) {
        const answer = await subscribe(server.address, { email, list: 'daily' });
        assertError(answer, 400, 'invalid_body');
        assert.is(JSON.parse(answer.text).message, `\`email\` has to be ${rule}.`);
      }
      assert.equal(
        (await subscriptions()).map(({ email }) => email),
        [longest],
      );
    }));

  test(`a note of 2,000 emoji is accepted as escaped JSON and as a form; one more is refused, ${name}`, () =>
    withRuntime({}, async ({ server, subscriptions }) => {
      const emoji = (count: number) => '🙂'.repeat(count);
      const escaped = (count: number) =>
        `{"email":"a@example.com","list":"custom","note":"${'\\ud83d\\ude42'.repeat(count)}"}`;
      const fields = { email: 'b@example.com', list: 'custom' };
      assert.is((await subscribe(server.address, escaped(2000))).status, 200);
      assert.is((await subscribe(server.address, { ...fields, note: emoji(2000) })).status, 200);
      assert.is((await subscribeByForm(server.address, { ...fields, note: emoji(2000) })).status, 303);
      for (const answer of [
        await subscribe(server.address, escaped(2001)),
        await subscribe(server.address, { ...fields, note: emoji(2001) }),
        await subscribeByForm(server.address, { ...fields, note: emoji(2001) }),
      ]) {
        assertError(answer, 400, 'invalid_body');
        assert.match(answer.text, '2000');
      }
      assert.equal(
        (await subscriptions()).map(({ note }) => note === emoji(2000)),
        [true, true, true],
      );
    }));
}

test.after(loud(stopStores));

test.run();
