import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { startMetrics } from '../../src/server/metrics.ts';
import type { VoteStore } from '../../src/storage/vote.ts';
import { loud } from '../support/loud.ts';
import { ask, postJson } from '../support/requests.ts';
import { withRuntime } from '../support/server.ts';
import { stopStores, stores } from '../support/stores.ts';
import { until } from '../support/until.ts';
import { vote } from '../support/voting.ts';

/** What operators of several servers watch: metrics, ids of requests in the log, and a server that is about to stop. */

test.after(loud(stopStores));

/** The values of the samples of a page of metrics, by name and labels. */
function samples(text: string): Map<string, number> {
  const lines = text.split('\n').filter((line) => line !== '' && !line.startsWith('#'));
  return new Map(lines.map((line) => [line.slice(0, line.lastIndexOf(' ')), Number(line.split(' ').at(-1))]));
}

for (const { name, withRuntime } of stores) {
  test(`metrics count requests and votes, and name the build, ${name}`, () =>
    withRuntime({ flags: { metrics: '127.0.0.1:0' } }, async ({ server }) => {
      const at = server.address;
      await vote(at, 'a');
      await vote(at, 'b');
      await postJson(at, '/api/feedback', {});
      await ask(at, '/api/agents.json');
      await ask(at, '/none');
      const [, address = ''] = /"address":"(http:[^"]+\/metrics)"/.exec(server.logged()) ?? [];
      const response = await fetch(address);
      assert.is(response.headers.get('content-type'), 'text/plain; version=0.0.4; charset=utf-8');
      const found = samples(await response.text());
      const { build } = JSON.parse((await ask(at, '/healthz')).text);
      const rows: [sample: string, value: number][] = [
        ['catalog_http_requests_total{route="feedback",status="200"}', 2],
        ['catalog_http_requests_total{route="feedback",status="400"}', 1],
        ['catalog_http_requests_total{route="files",status="200"}', 1],
        ['catalog_http_requests_total{route="files",status="404"}', 1],
        ['catalog_http_request_seconds_count{route="feedback"}', 3],
        ['catalog_votes_total{result="stored"}', 2],
        ['catalog_votes_total{result="refused"}', 0],
        ['catalog_votes_waiting', 0],
        ['catalog_vote_commit_seconds_count', 2],
        [`catalog_build_info{build="${build}"}`, 1],
      ];
      for (const [sample, value] of rows) assert.is(found.get(sample), value, sample);
      assert.is(found.get('catalog_database_up'), name === 'in PostgreSQL' ? 1 : undefined);
      assert.ok((found.get('process_cpu_seconds_total') ?? 0) > 0);
      assert.is((await fetch(address.replace('/metrics', '/healthz'))).status, 404);
      const posted = await ask(address, '/metrics', { method: 'POST' });
      assert.equal([posted.status, posted.headers.allow], [405, 'GET, HEAD']);
      assert.is((await ask(at, '/metrics')).status, 404);
      await server.stop();
      assert.instance(await fetch(address).catch((error) => error), TypeError, 'metrics are served after the end');
    }));

  test(`a server that is about to stop is not ready, and still stores votes, ${name}`, () =>
    withRuntime({ flags: { drain: '1' } }, async ({ server, notes }) => {
      const at = server.address;
      const state = async () => {
        const { status, text } = await ask(at, '/readyz');
        return [status, JSON.parse(text).status];
      };
      assert.equal(await state(), [200, 'ok']);
      const stopped = server.stop();
      assert.equal(await state(), [503, 'stopping']);
      assert.is((await ask(at, '/healthz')).status, 200);
      assert.is((await vote(at, 'late')).status, 200);
      await stopped;
      assert.equal(await notes(), ['late']);
      await until(() =>
        ask(at, '/healthz').then(
          () => false,
          () => true,
        ),
      );
    }));
}

/** The ids of requests to /api/agents.json in a log. */
const idsIn = (log: string) =>
  log
    .split('\n')
    .filter((line) => line.includes('/api/agents.json'))
    .map((line) => JSON.parse(line).request);

const given: [name: string, trustProxy: string, header: string, isKept: boolean][] = [
  ['of a trusted proxy', '1', '4bf92f3577b34da6a3ce929d0e0e4736', true],
  ['of a trusted proxy with other characters', '1', 'a "b" c; d=e', false],
  ['of a trusted proxy that is too long', '1', 'x'.repeat(129), false],
  ['of a client', '0', '4bf92f3577b34da6a3ce929d0e0e4736', false],
];
for (const [name, trustProxy, header, isKept] of given) {
  test(`the log has ${isKept ? 'the' : 'no'} request id ${name}, and a different one for each request`, () =>
    stores[0]?.withRuntime({ flags: { trustProxy } }, async ({ server }) => {
      await ask(server.address, '/api/agents.json', { headers: { 'x-request-id': header } });
      for (let round = 0; round < 3; round += 1) await ask(server.address, '/api/agents.json');
      const ids = idsIn(server.logged());
      assert.is(new Set(ids).size, 4);
      assert.is(ids[0] === header, isKept);
      for (const id of ids) assert.match(id, /^[\w.:-]{8,128}$/);
    }));
}

test('an error in the log has the id of its request', () =>
  stores[0]?.withRuntime({ flags: { trustProxy: '1' } }, async ({ server, log }) => {
    const { rename, mkdir } = await import('node:fs/promises');
    await rename(log, `${log}.away`);
    await mkdir(log);
    const headers = { 'x-request-id': 'request-of-the-error' };
    assert.is((await vote(server.address, 'a', { headers })).status, 503);
    const lines = server
      .logged()
      .split('\n')
      .filter((line) => line.includes('request-of-the-error'));
    assert.equal(
      lines.map((line) => JSON.parse(line).msg),
      ['Votes cannot be stored at the moment. Try again later.', 'request'],
    );
  }));

test('metrics that could not be collected are answered with an error, and those after them as usual', async () => {
  const metrics = await startMetrics({ host: '127.0.0.1', port: 0 });
  let isBroken = true;
  const build = () => {
    if (isBroken) throw new Error('no build');
    return 'the-build';
  };
  metrics.observe({ build, isDatabaseUp: null });
  try {
    assert.is((await fetch(metrics.address)).status, 500);
    isBroken = false;
    assert.match(await (await fetch(metrics.address)).text(), 'catalog_build_info{build="the-build"} 1');
  } finally {
    await metrics.close();
  }
});

test('votes that the store refuses are counted, and wait no longer', async () => {
  const metrics = await startMetrics({ host: '127.0.0.1', port: 0 });
  const vote = { slug: 'small', vote: 'yes', address: '127.0.0.1' } as const;
  let answer = (_error: Error) => {};
  const refused = new Promise<never>((_, reject) => {
    answer = reject;
  });
  const store = metrics.counted({ append: () => refused } as unknown as VoteStore);
  const found = async () => {
    const page = samples(await (await fetch(metrics.address)).text());
    return [page.get('catalog_votes_waiting'), page.get('catalog_votes_total{result="refused"}')];
  };
  metrics.observe({ build: () => 'the-build', isDatabaseUp: null });
  try {
    const sent = store.append(vote);
    assert.equal(await found(), [1, 0]);
    answer(new Error('full'));
    await sent.catch(() => {});
    assert.equal(await found(), [0, 1]);
  } finally {
    await metrics.close();
  }
});

test('a clock that is set back makes no request take less than no time, in the log and in metrics', () =>
  withRuntime({ flags: { metrics: '127.0.0.1:0' } }, async ({ server }) => {
    const { now } = Date;
    let shift = 0;
    Date.now = () => now() - 3_600_000 * shift++;
    try {
      await vote(server.address, 'a');
    } finally {
      Date.now = now;
    }
    const [, address = ''] = /"address":"(http:[^"]+\/metrics)"/.exec(server.logged()) ?? [];
    const sum = samples(await (await fetch(address)).text()).get('catalog_http_request_seconds_sum{route="feedback"}');
    assert.ok(Number(sum) > 0);
    assert.not.match(server.logged(), '"ms":-');
  }));

test.run();
