import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client';
import { OperationError } from '../lib/errors.ts';
import type { VoteStore } from '../storage/vote.ts';
import type { ServerSettings } from './settings.ts';

const seconds = [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5];

/** The measurements of a running server. */
function instruments(registry: Registry) {
  const registers = [registry];
  const requests = new Counter({
    name: 'catalog_http_requests_total',
    help: 'Answered requests.',
    labelNames: ['route', 'status'],
    registers,
  });
  const durations = new Histogram({
    name: 'catalog_http_request_seconds',
    help: 'How long requests took, until the answer was sent.',
    labelNames: ['route'],
    buckets: seconds,
    registers,
  });
  const votes = new Counter({
    name: 'catalog_votes_total',
    help: 'Votes that were stored, or refused because the store failed.',
    labelNames: ['result'],
    registers,
  });
  // Prometheus computes no rate from the first sample of a series, so the first refused vote has to find one.
  for (const result of ['stored', 'refused']) votes.inc({ result }, 0);
  const waiting = new Gauge({
    name: 'catalog_votes_waiting',
    help: 'Votes that wait until they are durable.',
    registers,
  });
  const commits = new Histogram({
    name: 'catalog_vote_commit_seconds',
    help: 'How long it took to write and sync, or commit, a batch of votes.',
    buckets: seconds,
    registers,
  });
  return { requests, durations, votes, waiting, commits };
}

/** Serves metrics in the text format of Prometheus at `/metrics`. Throws OperationError if the address is taken. */
export async function startMetrics({ host, port }: NonNullable<ServerSettings['metrics']>) {
  const registry = new Registry();
  collectDefaultMetrics({ register: registry });
  const { requests, durations, votes, waiting, commits } = instruments(registry);
  const server = createServer(async (request, response) => {
    if (request.url?.split('?')[0] !== '/metrics') return void response.writeHead(404).end();
    if (request.method !== 'GET' && request.method !== 'HEAD') {
      return void response.writeHead(405, { allow: 'GET, HEAD' }).end();
    }
    try {
      const text = await registry.metrics();
      response.writeHead(200, { 'content-type': registry.contentType }).end(text);
    } catch {
      response.writeHead(500).end();
    }
  });
  await new Promise<void>((done, failed) => {
    const where = 'Choose another address with --metrics or CATALOG_METRICS.';
    server.once('error', ({ message }) => failed(new OperationError(`Cannot serve metrics: ${message}. ${where}`)));
    server.listen(port, host, done);
  });
  const bound = server.address() as AddressInfo;
  return {
    /** The address of the metrics. */
    address: `http://${bound.family === 'IPv6' ? `[${bound.address}]` : bound.address}:${bound.port}/metrics`,
    /** Called after each request with its path, status and duration in milliseconds. */
    request(path: string, status: number, ms: number) {
      const route = routeOf(path);
      requests.inc({ route, status });
      durations.observe({ route }, ms / 1000);
    },
    /** Called after each batch of votes with its size and duration in milliseconds. */
    onPass: (_items: number, ms: number) => commits.observe(ms / 1000),
    /** Returns the store, whose votes are counted from now on. */
    counted: (store: VoteStore): VoteStore => ({
      ...store,
      async append(vote) {
        waiting.inc();
        try {
          const stored = await store.append(vote);
          votes.inc({ result: 'stored' });
          return stored;
        } catch (error) {
          votes.inc({ result: 'refused' });
          throw error;
        } finally {
          waiting.dec();
        }
      },
    }),
    /** Values that are read whenever metrics are. */
    observe({ build, isDatabaseUp }: { build(): string; isDatabaseUp: (() => boolean) | null }) {
      const registers = [registry];
      new Gauge({
        name: 'catalog_build_info',
        help: 'The id of the build that is served.',
        labelNames: ['build'],
        registers,
        collect() {
          this.reset();
          this.set({ build: build() }, 1);
        },
      });
      if (isDatabaseUp === null) return;
      new Gauge({
        name: 'catalog_database_up',
        help: 'Whether the database could be reached when it was last needed.',
        registers,
        collect() {
          this.set(isDatabaseUp() ? 1 : 0);
        },
      });
    },
    async close() {
      server.closeAllConnections();
      await new Promise((done) => server.close(done));
    },
  };
}

/** The events that the server reports to its metrics. */
export type Metrics = Awaited<ReturnType<typeof startMetrics>>;

/** A group of paths. There are few, since each makes a dozen time series. */
function routeOf(path: string): string {
  const operation = /\/api\/(feedback|subscribe|mcp)(?:\/server-card)?$/.exec(path)?.[1];
  return operation ?? (path === '/healthz' || path === '/readyz' ? 'health' : 'files');
}
