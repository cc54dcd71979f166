import { readFileSync } from 'node:fs';
import { networkInterfaces } from 'node:os';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { loud } from '../support/loud.ts';
import { ask, assertError, postJson } from '../support/requests.ts';
import { type Runtime, withRuntime } from '../support/server.ts';
import { testUnless } from '../support/skip.ts';
import { stopStores, stores } from '../support/stores.ts';
import { notesIn, vote } from '../support/voting.ts';

/** How many requests a client may send, and who counts as one client: behind proxies, and over IPv6. */

const json = { 'content-type': 'application/json' };
const limits = { voteRate: '3/60', subscribeRate: '2/60', refusedRate: '4/60' };

for (const { name, withRuntime } of stores) {
  test(`a client over its rate gets 429 with the time to wait; refused requests have a separate limit: ${name}`, () =>
    withRuntime({ flags: limits }, async ({ server, notes }) => {
      const at = server.address;
      const bad = () => postJson(at, '/api/feedback', {});
      for (let count = 0; count < 4; count += 1) assertError(await bad(), 400, 'invalid_body');
      const tooMany = await bad();
      assertError(tooMany, 429, 'rate_limited');
      assert.match(tooMany.headers.ratelimit as string, /^"refused";r=0;t=\d+$/);
      for (const answer of [
        await postJson(at, '/api/feedback', { slug: 'none', vote: 'yes' }),
        await ask(at, '/api/feedback', { method: 'PUT' }),
        await vote(at, 'x', { headers: { origin: 'https://evil.example' } }),
        await ask(at, '/api/feedback', { method: 'POST', body: Buffer.alloc(70_000, 'x'), headers: json }),
      ]) {
        assertError(answer, 429, 'rate_limited');
      }
      const answers = [await vote(at, 'a'), await vote(at, 'b'), await vote(at, 'c')];
      assert.equal(
        answers.map(({ status, headers }) => `${status} ${headers.ratelimit}`.replace(/t=\d+/, 't=')),
        ['200 "votes";r=2;t=', '200 "votes";r=1;t=', '200 "votes";r=0;t='],
      );
      assert.is(answers[0]?.headers['ratelimit-policy'], '"votes";q=3;w=60');
      const over = await vote(at, 'd');
      assertError(over, 429, 'rate_limited');
      const wait = Number(over.headers['retry-after']);
      assert.ok(wait >= 1 && wait <= 60);
      const form = { 'content-type': 'application/x-www-form-urlencoded', accept: 'text/html' };
      const page = await ask(at, '/api/feedback', { method: 'POST', body: 'slug=one&vote=yes', headers: form });
      assert.equal([page.status, page.headers['content-type']], [429, 'text/html; charset=utf-8']);
      assert.match(page.headers['retry-after'] as string, /^[1-9]\d*$/);
      assert.match(page.headers.ratelimit as string, /^"votes";r=0;t=\d+$/);
      assert.equal(await notes(), ['a', 'b', 'c']);
      const subscribe = () => postJson(at, '/api/subscribe', { email: 'a@example.com', list: 'daily' });
      assert.equal(
        [(await subscribe()).status, (await subscribe()).status, (await subscribe()).status],
        [200, 200, 429],
      );
      assert.is((await ask(at, '/api/agents.json')).status, 200);
    }));
}

/** The statuses of votes in a row, each with its X-Forwarded-For. */
async function votesOf({ server }: Runtime, forwarded: readonly string[]): Promise<number[]> {
  const statuses: number[] = [];
  for (const [index, value] of forwarded.entries()) {
    statuses.push((await vote(server.address, `${index}`, { headers: { 'x-forwarded-for': value } })).status);
  }
  return statuses;
}

test('without a trusted proxy, X-Forwarded-For is ignored', () =>
  withRuntime({ flags: { voteRate: '2/60' } }, async (runtime) => {
    assert.equal(await votesOf(runtime, ['192.0.2.1', '192.0.2.2', '192.0.2.3']), [200, 200, 429]);
  }));

test('behind one proxy, its last entry is the client, IPv6 counted by /64; earlier, client-supplied entries are ignored', () =>
  withRuntime({ flags: { voteRate: '1/60', trustProxy: '1' } }, async (runtime) => {
    const rows: [forwarded: string, status: number][] = [
      ['192.0.2.1', 200],
      ['192.0.2.1', 429],
      ['192.0.2.9, 192.0.2.1', 429],
      ['192.0.2.2', 200],
      ['192.0.2.1, 192.0.2.3', 200],
      ['2001:db8:1:2::1', 200],
      ['2001:db8:1:2:ffff::9', 429],
      ['[2001:db8:1:2::7]:4711', 429],
      ['2001:db8:1:3::1', 200],
      ['::ffff:192.0.2.1', 429],
      ['192.0.2.3:4711', 429],
      ['nobody', 200],
      ['', 429],
    ];
    assert.equal(
      await votesOf(
        runtime,
        rows.map(([forwarded]) => forwarded),
      ),
      rows.map(([, status]) => status),
    );
  }));

const hasIpv6 = Object.values(networkInterfaces()).some((list) => list?.some(({ address }) => address === '::1'));

testUnless(!hasIpv6 && 'this machine has no IPv6')(
  'a client over IPv6 is counted and its origin is its own',
  async () => {
    await withRuntime({ flags: { voteRate: '1/60', host: '::1' } }, async ({ server, log }) => {
      const at = `http://[::1]:${new URL(server.address).port}/`;
      const headers = { origin: at.replace(/\/$/, '') };
      assert.equal([(await vote(at, 'a', { headers })).status, (await vote(at, 'b', { headers })).status], [200, 429]);
      assert.equal(notesIn(log), ['a']);
      assert.not.match(readFileSync(log, 'utf8'), '::1');
    });
  },
);

test('ignored and refused requests do not count toward the limits of a reader', () =>
  withRuntime({ flags: { voteRate: '1/60', subscribeRate: '1/60', refusedRate: '6/60' } }, async ({ server, log }) => {
    const { address } = server;
    const person = { email: 'ada@example.com', list: 'daily' };
    const good = { slug: 'one', vote: 'yes' };
    const foreign = { headers: { origin: 'https://evil.example' } };
    const post = async (to: string, body: object, asking = {}) =>
      (await postJson(address, `/api/${to}`, body, asking)).status;
    for (let count = 0; count < 7; count += 1) {
      assert.is(await post('feedback', { ...good, website: 'x' }), 200);
      assert.is(await post('subscribe', { ...person, website: 'x' }), 200);
    }
    const refused = [
      await post('feedback', { ...good, slug: 'none' }),
      await post('feedback', { ...good, vote: 'maybe' }),
      await post('feedback', good, foreign),
      await post('subscribe', { ...person, email: 'ada' }),
      await post('subscribe', person, foreign),
    ];
    assert.equal(refused, [404, 400, 403, 400, 403]);
    assert.equal([await post('feedback', good), await post('feedback', good)], [200, 429]);
    assert.equal([await post('subscribe', person), await post('subscribe', person)], [200, 429]);
    assert.is(notesIn(log).length, 1);
    // Neither the honeypot nor a 429 counted as refused, so one of six is left.
    assert.equal([await post('feedback', {}), await post('feedback', {})], [400, 429]);
    assert.is(await post('feedback', { website: 'x' }), 200);
    assert.is((await vote(address, 'late')).status, 429);
  }));

test.after(loud(stopStores));

test.run();
