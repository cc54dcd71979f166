import { once } from 'node:events';
import { connect } from 'node:net';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { ProviderFailed } from '../../src/mail/calls.ts';
import { VotesUnavailable } from '../../src/storage/vote.ts';
import { withApp, works } from '../support/app.ts';
import { type Answer, ask, postJson } from '../support/requests.ts';
import { until } from '../support/until.ts';

/** What the server answers and logs if it has a bug, if a disk or a provider fails, and what monitoring learns. */

const told = ({ status, headers, text }: Answer) => [status, headers['cache-control'], JSON.parse(text)];
const fails = (error: Error) => async () => {
  throw error;
};
const sorry = 'The server failed. The error is in its log.';
const good = { slug: 'one', vote: 'yes' };
const person = { email: 'ada@example.com', list: 'daily' };

test('a bug is logged with its route and answered with 500, without a word about it', () =>
  withApp({ votes: { append: fails(new Error('a bug')) } }, async ({ address, logged }) => {
    for (let count = 0; count < 2; count += 1) {
      const answer = await postJson(address, '/api/feedback?x=1', good);
      assert.equal(told(answer), [500, 'no-store', { error: 'internal', message: sorry }]);
    }
    const line = {
      level: 50,
      method: 'POST',
      path: '/api/feedback',
      msg: 'a request failed because of a bug in the server',
      err: 'a bug',
    };
    assert.equal(logged(), [line, line]);
  }));

test('a file that the system refuses is not logged as a bug: the line names it and the reason', () => {
  const refusal = Object.assign(new Error('EMFILE: too many open files'), { code: 'EMFILE', path: '/site/atom.xml' });
  return withApp({ votes: { append: fails(refusal) } }, async ({ address, logged }) => {
    const answer = await postJson(address, '/api/feedback', good);
    assert.equal(told(answer), [500, 'no-store', { error: 'internal', message: sorry }]);
    const reason = '/site/atom.xml cannot be used: this program has too many files open (EMFILE).';
    assert.equal(
      logged().map(({ msg }) => msg),
      [reason],
    );
  });
});

test('a bug in MCP is logged and answered with 500, with the id of the message', () =>
  withApp(
    { follower: (real) => ({ ...real, current: () => ({ ...real.current(), mcp: undefined as never }) }) },
    async ({ address, logged }) => {
      const call = { jsonrpc: '2.0', id: 7, method: 'tools/call', params: { name: 'list_agents', arguments: {} } };
      const { status, headers, text } = await postJson(address, '/api/mcp', call, {
        headers: { origin: 'http://localhost:1' },
      });
      assert.equal([status, headers['content-type']], [500, 'application/json']);
      assert.is(headers['access-control-allow-origin'], 'http://localhost:1');
      assert.equal(JSON.parse(text), { jsonrpc: '2.0', id: 7, error: { code: -32603, message: sorry } });
      const [line = {}] = logged();
      assert.equal(
        [line.level, line.path, line.msg],
        [50, '/api/mcp', 'an MCP request failed because of a bug in the server'],
      );
      assert.is(logged().length, 1);
    },
  ));

test('a bug before a message is read gets the same JSON-RPC error, without an id', () =>
  withApp(
    {
      follower: (real) => ({
        ...real,
        current: () => ({
          ...real.current(),
          get mcp(): never {
            throw new Error('a bug');
          },
        }),
      }),
    },
    async ({ address, logged }) => {
      const answer = await postJson(address, '/api/mcp', { jsonrpc: '2.0', id: 7, method: 'ping' });
      const error = { code: -32603, message: sorry };
      assert.equal(told(answer), [500, 'no-store', { jsonrpc: '2.0', id: null, error }]);
      assert.is(answer.headers['content-type'], 'application/json');
      assert.equal(
        logged().map(({ path, err }) => [path, err]),
        [['/api/mcp', 'a bug']],
      );
    },
  ));

test('a store that fails is logged with its reason, and answered with an error that counts toward no limit', () =>
  withApp(
    {
      votes: { append: fails(new VotesUnavailable(new Error('no space'))) },
      subscribers: { add: fails(new ProviderFailed({ provider: 'webhook', reason: 'network' })) },
    },
    async ({ address, logged }) => {
      for (let count = 0; count < 3; count += 1) {
        const vote = await postJson(address, '/api/feedback', good);
        const unavailable = 'Votes cannot be stored at the moment. Try again later.';
        assert.equal(told(vote), [503, 'no-store', { error: 'unavailable', message: unavailable }]);
        assert.is(vote.headers['retry-after'], '30');
        const subscription = await postJson(address, '/api/subscribe', person);
        const failed = 'The subscription could not be stored. Try again later.';
        assert.equal(told(subscription), [502, 'no-store', { error: 'upstream_failed', message: failed }]);
      }
      const [first = {}, second = {}] = logged();
      assert.equal(
        [first.level, first.path, first.msg],
        [50, '/api/feedback', 'Votes cannot be stored at the moment. Try again later.'],
      );
      assert.match(String(first.err), 'no space');
      assert.equal(
        [second.path, second.err],
        ['/api/subscribe', 'Subscription not stored: webhook could not be reached.'],
      );
    },
  ));

test('a body that ends too early counts as a refused request, and not as a bug', () =>
  withApp({}, async ({ address, logged, requests }) => {
    const socket = connect(Number(new URL(address).port), '127.0.0.1');
    const start = 'POST /api/feedback HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: 50\r\n';
    socket.write(`${start}Expect: 100-continue\r\n\r\n{"slug"`);
    await once(socket, 'data');
    socket.destroy();
    await until(() => requests() === 1);
    assert.is((await postJson(address, '/api/feedback', {})).status, 429);
    assert.equal(logged(), []);
  }));

test('a subscription that the provider calls invalid is the fault of the address', () =>
  withApp({ subscribers: { add: async () => 'invalid' } }, async ({ address }) => {
    const answer = await postJson(address, '/api/subscribe', person);
    const message = '`email` has to be an address that exists.';
    assert.equal(told(answer), [400, 'no-store', { error: 'invalid_body', message }]);
  }));

test('a page that asks for votes which cannot be counted learns when to ask again', () =>
  withApp({ votes: { totals: fails(new Error('no disk')) } }, async ({ address, logged }) => {
    const { status, headers, text } = await ask(address, '/api/votes.json');
    assert.equal([status, headers['retry-after'], headers['access-control-allow-origin']], [503, '30', '*']);
    assert.is(JSON.parse(text).error, 'unavailable');
    assert.equal(logged(), [{ level: 50, msg: 'votes cannot be counted', err: 'no disk' }]);
  }));

test('a vote whose honeypot is null or empty is stored, and one that fills it is not', async () => {
  const notes: unknown[] = [];
  const append = async ({ note }: { note: unknown }) => notes.push(note);
  await withApp({ votes: { append } }, async ({ address }) => {
    for (const website of [null, '', undefined, ' ', 'x', 0, false, []]) {
      const note = JSON.stringify(website) ?? 'absent';
      assert.is((await postJson(address, '/api/feedback', { ...good, note, website })).status, 200, note);
    }
  });
  assert.equal(notes, ['null', '""', 'absent']);
});

/** Runs `use` with a clock for measuring that is set forward by hand; a wait of three seconds takes none. */
async function withClock(use: (forward: (ms: number) => void) => Promise<void>): Promise<void> {
  const { now } = performance;
  const { setTimeout } = globalThis;
  let ahead = 0;
  performance.now = () => ahead;
  globalThis.setTimeout = ((work: () => void, ms: number, ...rest: unknown[]) =>
    setTimeout(work, ms === 3_000 ? 0 : ms, ...rest)) as typeof globalThis.setTimeout;
  try {
    await use((ms) => {
      ahead += ms;
    });
  } finally {
    performance.now = now;
    globalThis.setTimeout = setTimeout;
  }
}

test('monitoring learns which store fails, and the log when it began and ended, at most once a second', () =>
  withClock(async (forward) => {
    let check: () => Promise<void> = works.check;
    let count = 0;
    const votes = {
      check() {
        count += 1;
        return check();
      },
    };
    await withApp({ votes }, async ({ address, logged }) => {
      const { id: build } = JSON.parse((await ask(address, '/build.json')).text);
      const ready = async () => {
        const { status, headers, text } = await ask(address, '/readyz');
        assert.equal([headers['content-type'], headers['cache-control']], ['application/json', 'no-store']);
        assert.is(headers['content-length'], String(text.length));
        const { checks, ...rest } = JSON.parse(text);
        assert.equal(rest, { status: status === 200 ? 'ok' : 'unavailable', build });
        return [status, checks.votes, checks.subscribers];
      };
      assert.equal([await ready(), count], [[200, 'ok', 'ok'], 1]);
      check = fails(new Error('no space'));
      forward(1_000);
      assert.equal([await ready(), count], [[200, 'ok', 'ok'], 1]);
      forward(1);
      assert.equal([await ready(), count], [[503, 'failing', 'ok'], 2]);
      check = () => new Promise(() => {});
      forward(1_001);
      assert.equal([await ready(), count], [[503, 'failing', 'ok'], 3]);
      check = works.check;
      forward(1_001);
      assert.equal([await ready(), count], [[200, 'ok', 'ok'], 4]);
      check = () => new Promise(() => {});
      forward(1_001);
      assert.equal([await ready(), count], [[503, 'failing', 'ok'], 5]);
      assert.equal(logged(), [
        { level: 50, check: 'votes', msg: 'a health check fails', err: 'no space' },
        { level: 30, check: 'votes', msg: 'a health check passes again' },
        { level: 50, check: 'votes', msg: 'a health check fails', err: 'The check took more than 3000 ms.' },
      ]);
      const health = await ask(address, '/healthz');
      assert.equal(told(health), [200, 'no-store', { status: 'ok', build }]);
      for (const path of ['/healthz', '/readyz']) {
        const { headers } = await ask(address, path);
        const head = await ask(address, path, { method: 'HEAD' });
        assert.equal([head.text, head.headers['content-length']], ['', headers['content-length']]);
      }
    });
  }));

test.run();
