import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { request as httpRequest } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import pino from 'pino';
import { build } from '../../src/build/build.ts';
import { loadSettings } from '../../src/content/settings.ts';
import { followBuild } from '../../src/server/build-follower.ts';
import { dispatch } from '../../src/server/mcp/dispatch.ts';
import { siteRules } from '../../src/site/hosting/site-rules.ts';
import { loadSearchIndex } from '../../src/site/search/search-index.ts';
import { aim, cpuRatio, figure, hold, ratio, row } from './contest.ts';
import { generateCatalog, randomOf, vocabularyOf } from './generate.ts';
import type { Answers } from './serve-other.ts';
import { isPinned, type Server, startCatalog, startGenerator, startOther } from './servers.ts';

const connections = 64;
/** How many different words the large catalog has. */
const vocabulary = 9_000;

interface Extent {
  rounds: number;
  ms: number;
  agents: number;
  queries: number;
}

const whole: Extent = { rounds: 5, ms: 800, agents: 10_000, queries: 1_000 };
const quick: Extent = { rounds: 2, ms: 400, agents: 2_000, queries: 200 };

const prefix = 'io.modelcontextprotocol/';
const calls: Record<string, object> = {
  get_agent: { slug: 'agent-00001' },
  search_agents: { query: 'release budget' },
  list_agents: { limit: 5 },
};

/**
 * Measures tools/call against a handler that answers the same bytes and against the official SDK, then the loading and
 * searching of a large catalog. Only the ratios of the first part mean something elsewhere. `--quick` measures less.
 */
export default async function benchmarkMcp(args: string[]): Promise<void> {
  const extent = args.includes('--quick') ? quick : whole;
  const compiled = spawnSync('npm', ['run', '--silent', 'build'], {
    cwd: fileURLToPath(new URL('../..', import.meta.url)),
    encoding: 'utf8',
  });
  if (compiled.status !== 0) throw new Error(compiled.stdout + compiled.stderr);
  const folder = mkdtempSync(join(tmpdir(), 'catalog-bench-'));
  try {
    console.log(
      `Node ${process.version}; ${isPinned ? 'servers on one core, load on another' : 'not pinned to cores'}`,
    );
    await benchmarkCalls(folder, extent);
    await benchmarkLargeCatalog(folder, extent);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

async function benchmarkCalls(folder: string, { rounds, ms }: Extent): Promise<void> {
  const dist = makeSite(join(folder, 'small'), 10);
  const generator = startGenerator();
  const servers: Record<string, Server> = {};
  try {
    servers.catalog = await startCatalog(dist, join(folder, 'data'));
    servers.sdk = await startOther(['sdk', dist], join(folder, 'sdk'));
    const answers: Answers = {};
    for (const name of Object.keys(calls)) answers[`/${name}`] = await record(servers.catalog.port, name);
    const file = join(folder, 'answers.json');
    writeFileSync(file, JSON.stringify(answers));
    servers.bare = await startOther(['bare', file], join(folder, 'bare'));
    console.log(`\ntools/call, revision 2026-07-28, ${connections} connections, catalog logging; load from JavaScript`);
    console.log(row('', ['bytes', 'catalog/s', 'of bare', 'by CPU', 'of SDK', 'by CPU', 'p50 ms', 'p99 ms', 'aim']));
    for (const name of Object.keys(calls)) {
      const load = (server: string, time: number) =>
        generator.run({
          port: (servers[server] as Server).port,
          connections,
          ms: time,
          request: rawRequest(server === 'bare' ? `/${name}` : '/api/mcp', name),
          status: 200,
        });
      for (const server of Object.keys(servers)) await load(server, ms);
      const outcome = await hold(servers, Object.keys(servers), rounds, (server) => load(server, ms));
      const ofBare = ratio(outcome, 'catalog', 'bare');
      const ofSdk = ratio(outcome, 'catalog', 'sdk');
      const size = Buffer.from((answers[`/${name}`] as Answers[string]).body, 'base64').length;
      console.log(
        row(name, [
          String(size),
          figure(outcome, 'catalog', 'rate').toFixed(0),
          ofBare.toFixed(2),
          cpuRatio(outcome, 'catalog', 'bare').toFixed(2),
          ofSdk.toFixed(1),
          cpuRatio(outcome, 'catalog', 'sdk').toFixed(1),
          figure(outcome, 'catalog', 'p50').toFixed(2),
          figure(outcome, 'catalog', 'p99').toFixed(2),
          `${aim('0.6 of bare', ofBare >= 0.6)}; ${aim('8 times the SDK', ofSdk >= 8)}`,
        ]),
      );
    }
  } finally {
    await Promise.all([...Object.values(servers), generator].map((process) => process.stop()));
  }
}

/** Loads a large catalog as the runtime does when a new build comes, and searches it, in this process. */
async function benchmarkLargeCatalog(folder: string, { agents, queries }: Extent): Promise<void> {
  const dist = makeSite(join(folder, 'large'), agents, vocabulary);
  console.log(`\n${agents} agents with ${vocabulary} different words`);
  const blocks = blockWatch();
  const times: number[] = [];
  const longest: number[] = [];
  const ofIndex: number[] = [];
  const indexBytes = readFileSync(join(dist, 'search-index.json'));
  let follower = await followBuild(dist, siteRules, pino({ level: 'silent' }));
  for (let round = 0; round < 5; round += 1) {
    follower.stop();
    await sleep(100);
    blocks.reset();
    const begun = performance.now();
    follower = await followBuild(dist, siteRules, pino({ level: 'silent' }));
    times.push(performance.now() - begun);
    await sleep(5);
    longest.push(blocks.longest());
    const started = performance.now();
    await loadSearchIndex(indexBytes);
    ofIndex.push(performance.now() - started);
  }
  blocks.stop();
  const [time, index, block] = [times, ofIndex, longest].map((values) => percentile(values, 0.5)) as [
    number,
    number,
    number,
  ];
  console.log(
    `  the index is loaded in ${index.toFixed(0)} ms (${aim('500 ms', index <= 500)}), a build taken up in ${time.toFixed(0)} ms; ` +
      `meanwhile work is held up for ${block.toFixed(0)} ms at most (${aim('50 ms', block <= 50)}); medians of ${times.length}`,
  );
  const random = randomOf(agents + 1);
  const word = vocabularyOf(randomOf(agents), vocabulary);
  const latencies: number[] = [];
  let found = 0;
  for (let count = 0; count < queries; count += 1) {
    const query = Array.from({ length: 1 + Math.floor(random() * 3) }, word).join(' ');
    const message = {
      jsonrpc: '2.0',
      id: count,
      method: 'tools/call',
      params: { name: 'search_agents', arguments: { query } },
    };
    const begun = performance.now();
    const { json } = await dispatch(message, null, follower.current().mcp);
    latencies.push(performance.now() - begun);
    if (json?.includes('"total":0') === false) found += 1;
  }
  follower.stop();
  const [p50, p99] = [percentile(latencies, 0.5), percentile(latencies, 0.99)];
  console.log(
    `  ${queries} searches of one to three words, ${found} of them with results: p50 ${p50.toFixed(1)} ms ` +
      `(${aim('10 ms', p50 < 10)}), p99 ${p99.toFixed(1)} ms (${aim('100 ms', p99 < 100)})`,
  );
}

function makeSite(cwd: string, count: number, words?: number): string {
  generateCatalog(cwd, count, new URL('../../catalog.config.json', import.meta.url), words);
  const out = join(cwd, 'dist');
  const settings = loadSettings(cwd, { baseUrl: 'http://localhost' }, {});
  build({ cwd, out, settings, today: '2026-11-21' });
  return out;
}

/** Watches for how long other work has to wait: how late a timer of a millisecond is. */
function blockWatch() {
  let longest = 0;
  let last = performance.now();
  const timer = setInterval(() => {
    const now = performance.now();
    longest = Math.max(longest, now - last - 1);
    last = now;
  }, 1);
  return {
    longest: () => longest,
    reset: () => {
      longest = 0;
    },
    stop: () => clearInterval(timer),
  };
}

function percentile(values: readonly number[], share: number): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN;
}

function bodyOf(name: string): string {
  const meta = { [`${prefix}protocolVersion`]: '2026-07-28', [`${prefix}clientCapabilities`]: {} };
  const params = { name, arguments: calls[name], _meta: meta };
  return JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params });
}

function headersOf(name: string): Record<string, string> {
  return {
    'content-type': 'application/json',
    accept: 'application/json, text/event-stream',
    'mcp-protocol-version': '2026-07-28',
    'mcp-method': 'tools/call',
    'mcp-name': name,
    'content-length': String(Buffer.byteLength(bodyOf(name))),
  };
}

function rawRequest(path: string, name: string): string {
  const lines = Object.entries({ host: 'localhost', ...headersOf(name) }).map(([key, value]) => `${key}: ${value}\r\n`);
  return `POST ${path} HTTP/1.1\r\n${lines.join('')}\r\n${bodyOf(name)}`;
}

/** The answer of the catalog, without what node:http adds to every answer. */
async function record(port: number, name: string): Promise<Answers[string]> {
  return new Promise((done, failed) => {
    const asked = httpRequest({ host: '127.0.0.1', port, path: '/api/mcp', method: 'POST', headers: headersOf(name) });
    asked.on('error', failed);
    asked.on('response', async (answer) => {
      const body: Buffer[] = [];
      for await (const chunk of answer) body.push(chunk);
      const headers = Object.entries(answer.headers).flatMap(([key, value]) =>
        ['date', 'connection', 'keep-alive'].includes(key) ? [] : [key, String(value)],
      );
      done({ status: answer.statusCode ?? 0, headers, body: Buffer.concat(body).toString('base64') });
    });
    asked.end(bodyOf(name));
  });
}
