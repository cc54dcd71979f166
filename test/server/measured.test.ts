import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { OperationError } from '../../src/lib/errors.ts';
import { type Metrics, startMetrics } from '../../src/server/metrics.ts';
import type { VoteStore } from '../../src/storage/vote.ts';

/** The values of the metrics, for given requests, votes and builds. */

/** Runs `use` with metrics, and with a function that reads one sample of them. */
async function withMetrics(use: (metrics: Metrics, sample: (name: string) => Promise<number | undefined>) => unknown) {
  const metrics = await startMetrics({ host: '127.0.0.1', port: 0 });
  try {
    await use(metrics, async (name) => {
      const lines = (await (await fetch(metrics.address)).text()).split('\n');
      const line = lines.find((each) => each.startsWith(`${name} `));
      return line === undefined ? undefined : Number(line.slice(name.length + 1));
    });
  } finally {
    await metrics.close();
  }
}

const routes: [route: string, paths: string[]][] = [
  ['feedback', ['/api/feedback', '/base/api/feedback']],
  ['subscribe', ['/api/subscribe']],
  ['mcp', ['/api/mcp', '/base/api/mcp/server-card']],
  ['health', ['/healthz', '/readyz']],
  ['files', ['/', '/agents/one', '/api/agents.json', '/api/feedback/', '/subscription/confirm', '/base/healthz']],
];
for (const [route, paths] of routes) {
  test(`requests to ${paths.join(', ')} count as ${route}, and their durations are in seconds`, () =>
    withMetrics(async (metrics, sample) => {
      for (const path of paths) metrics.request(path, 200, 250);
      metrics.request(paths[0] ?? '', 503, 500);
      assert.is(await sample(`catalog_http_requests_total{route="${route}",status="200"}`), paths.length);
      assert.is(await sample(`catalog_http_requests_total{route="${route}",status="503"}`), 1);
      assert.is(await sample(`catalog_http_request_seconds_sum{route="${route}"}`), 0.25 * paths.length + 0.5);
      assert.is(await sample(`catalog_http_request_seconds_bucket{le="0.25",route="${route}"}`), paths.length);
    }));
}

test('the duration of a batch of votes is in seconds', () =>
  withMetrics(async (metrics, sample) => {
    metrics.onPass(3, 125);
    assert.equal(
      [await sample('catalog_vote_commit_seconds_sum'), await sample('catalog_vote_commit_seconds_count')],
      [0.125, 1],
    );
  }));

test('votes are counted as waiting, and then as stored or refused', () =>
  withMetrics(async (metrics, sample) => {
    let settle: { resolve(): void; reject(error: Error): void } | undefined;
    const append = () =>
      new Promise((resolve, reject) => {
        settle = { resolve: () => resolve({ id: 'v' }), reject };
      });
    const store = metrics.counted({ append } as unknown as VoteStore);
    const counts = () =>
      Promise.all([
        sample('catalog_votes_waiting'),
        sample('catalog_votes_total{result="stored"}'),
        sample('catalog_votes_total{result="refused"}'),
      ]);
    const vote = { slug: 'one', vote: 'yes', address: '192.0.2.1' } as const;
    const refused = store.append(vote).catch((error) => error.message);
    assert.equal(await counts(), [1, 0, 0]);
    settle?.reject(new Error('no space'));
    assert.is(await refused, 'no space');
    assert.equal(await counts(), [0, 0, 1]);
    const stored = store.append(vote);
    settle?.resolve();
    assert.equal(await stored, { id: 'v' });
    assert.equal(await counts(), [0, 1, 1]);
  }));

test('metrics name only the current build, and say whether the database could be reached', () =>
  withMetrics(async (metrics, sample) => {
    let [build, isUp] = ['a', true];
    metrics.observe({ build: () => build, isDatabaseUp: () => isUp });
    const state = () =>
      Promise.all([
        sample('catalog_build_info{build="a"}'),
        sample('catalog_build_info{build="b"}'),
        sample('catalog_database_up'),
      ]);
    assert.equal(await state(), [1, undefined, 1]);
    [build, isUp] = ['b', false];
    assert.equal(await state(), [undefined, 1, 0]);
  }));

test('metrics have an address of their own, and a query in it changes nothing', () =>
  withMetrics(async ({ address }) => {
    const status = async (path: string) => (await fetch(new URL(path, address))).status;
    assert.equal([await status('?a=b'), await status('/metrics/'), await status('/')], [200, 404, 404]);
    const taken = { host: '127.0.0.1', port: Number(new URL(address).port) };
    const error = await startMetrics(taken).catch((reason) => reason);
    assert.instance(error, OperationError);
    assert.match(error.message, /^Cannot serve metrics: .*EADDRINUSE.*--metrics/);
  }));

test.run();
