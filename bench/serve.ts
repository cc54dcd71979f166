import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { get, type IncomingMessage } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { brotliCompressSync, constants } from 'node:zlib';
import { build } from '../src/build/build.ts';
import { loadSettings } from '../src/catalog/settings.ts';
import { aim, cpuRatio, figure, hold, type Outcome, ratio, row } from './contest.ts';
import { generateCatalog } from './generate.ts';
import type { Answers } from './serve-other.ts';
import {
  type Generator,
  isInstalled,
  isPinned,
  type Server,
  startCatalog,
  startGenerator,
  startNginx,
  startOther,
  wrk,
} from './servers.ts';

const document = '/api/agents/agent-00001.json';
const documentBytes = 6 * 1024;
const slowSyncMs = 5;
/** What 99 votes in 100 may take at 64 connections, in milliseconds. */
const maxVoteMs = 5;
const readConnections = 64;

/** How much is measured: rounds, and the milliseconds of one measurement. */
interface Extent {
  rounds: number;
  readSeconds: number;
  voteMs: number;
  warmMs: number;
}

const whole: Extent = { rounds: 5, readSeconds: 1, voteMs: 800, warmMs: 1_000 };
const quick: Extent = { rounds: 2, readSeconds: 1, voteMs: 400, warmMs: 400 };

/**
 * Measures what the runtime serves and stores against what else could do the same, on this machine and in this run.
 * Every figure is the median of interleaved rounds; only the ratios mean something elsewhere. `--quick` measures less.
 */
export default async function benchmarkServe(args: string[]): Promise<void> {
  const extent = args.includes('--quick') ? quick : whole;
  const compiled = spawnSync('npm', ['run', '--silent', 'build'], {
    cwd: fileURLToPath(new URL('..', import.meta.url)),
    encoding: 'utf8',
  });
  if (compiled.status !== 0) throw new Error(compiled.stdout + compiled.stderr);
  const folder = mkdtempSync(join(tmpdir(), 'catalog-bench-'));
  const generator = startGenerator();
  const servers: Record<string, Server> = {};
  try {
    const dist = join(folder, 'dist');
    makeSite(folder, dist);
    console.log(
      `Node ${process.version}; ${isPinned ? 'servers on one core, load on another' : 'not pinned to cores'}`,
    );
    await benchmarkReads(folder, dist, extent, generator, servers);
    await benchmarkVotes(folder, dist, extent, generator, servers);
  } finally {
    await Promise.all([...Object.values(servers), generator].map((process) => process.stop()));
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Builds a catalog whose first agent has a document of about `documentBytes`, with the compressed file that sirv looks for. */
function makeSite(folder: string, dist: string): void {
  const cwd = join(folder, 'catalog');
  generateCatalog(cwd, 10, new URL('../catalog.config.json', import.meta.url));
  const settings = loadSettings(cwd, { baseUrl: 'http://localhost' }, {});
  const render = () => {
    build({ cwd, out: dist, settings, today: '2026-11-21' });
    return readFileSync(join(dist, document));
  };
  const source = join(cwd, 'agents/agent-00001/agent.md');
  const text = readFileSync(source, 'utf8');
  writeFileSync(source, `${text.slice(0, text.length - (render().length - documentBytes)).trimEnd()}\n`);
  const bytes = render();
  const params = { [constants.BROTLI_PARAM_QUALITY]: 5 };
  writeFileSync(join(dist, `${document}.br`), brotliCompressSync(bytes, { params }));
}

async function benchmarkReads(
  folder: string,
  dist: string,
  extent: Extent,
  generator: Generator,
  servers: Record<string, Server>,
) {
  const catalog = await startCatalog(dist, join(folder, 'catalog-data'));
  servers.catalog = catalog;
  servers.sirv = await startOther(['sirv', dist], join(folder, 'sirv'));
  if (isInstalled('nginx')) servers.nginx = await startNginx(dist, join(folder, 'nginx'));
  const variants: { name: string; headers: Record<string, string>; status: number }[] = [
    { name: 'identity', headers: {}, status: 200 },
    { name: 'br', headers: { 'accept-encoding': 'br' }, status: 200 },
    { name: '304', headers: {}, status: 304 },
  ];
  const answers: Answers = {};
  for (const { name, headers, status } of variants) {
    const asked = status === 304 ? { ...headers, 'if-none-match': await etagOf(catalog.port) } : headers;
    answers[`/${name}`] = await record(catalog.port, asked);
  }
  const file = join(folder, 'answers.json');
  writeFileSync(file, JSON.stringify(answers));
  servers.bare = await startOther(['bare', file], join(folder, 'bare'));

  const withWrk = isInstalled('wrk');
  console.log(
    `\nA document of ${readFileSync(join(dist, document)).length} bytes, ${readConnections} connections, catalog and nginx logging; ` +
      `load from ${withWrk ? 'wrk' : 'JavaScript, which may be the slower side'}`,
  );
  console.log(row('', ['catalog/s', 'of bare', 'by CPU', 'of sirv', 'of nginx', 'p50 ms', 'p99 ms', 'aim']));
  for (const { name, headers, status } of variants) {
    const asked: Record<string, Record<string, string>> = {};
    for (const [key, { port }] of Object.entries(servers)) {
      if (key === 'nginx' && name === 'br') continue;
      asked[key] = status === 304 && key !== 'bare' ? { ...headers, 'if-none-match': await etagOf(port) } : headers;
    }
    const load = async (server: string, ms: number, program: 'wrk' | 'load') => {
      const { port } = servers[server] as Server;
      const path = server === 'bare' ? `/${name}` : document;
      const given = asked[server] as Record<string, string>;
      if (program === 'wrk') return wrk(`http://127.0.0.1:${port}${path}`, given, readConnections, ms / 1000);
      const lines = Object.entries({ host: 'localhost', ...given }).map(([key, value]) => `${key}: ${value}\r\n`);
      return generator.run({
        port,
        connections: readConnections,
        ms,
        request: `GET ${path} HTTP/1.1\r\n${lines.join('')}\r\n`,
        status,
      });
    };
    // Each also shows here that its answers have the status that is measured.
    for (const server of Object.keys(asked)) await load(server, extent.warmMs, 'load');
    const outcome = await hold(servers, Object.keys(asked), extent.rounds, (server) =>
      load(server, extent.readSeconds * 1000, withWrk ? 'wrk' : 'load'),
    );
    const ofBare = ratio(outcome, 'catalog', 'bare');
    const figures = [
      figure(outcome, 'catalog', 'rate').toFixed(0),
      ofBare.toFixed(2),
      cpuRatio(outcome, 'catalog', 'bare').toFixed(2),
      ratio(outcome, 'catalog', 'sirv').toFixed(2),
      outcome.nginx === undefined ? '-' : ratio(outcome, 'catalog', 'nginx').toFixed(2),
      figure(outcome, 'catalog', 'p50').toFixed(2),
      figure(outcome, 'catalog', 'p99').toFixed(2),
      aim('0.6 of bare', ofBare >= 0.6),
    ];
    console.log(row(name, figures));
  }
}

async function benchmarkVotes(
  folder: string,
  dist: string,
  extent: Extent,
  generator: Generator,
  servers: Record<string, Server>,
) {
  servers.unkept = await startOther(['unkept', dist, join(folder, 'unkept')], join(folder, 'unkept'));
  servers.oneSync = await startOther(['one-sync', dist, join(folder, 'one-sync')], join(folder, 'one-sync'));
  const slow = ['--import', new URL('./slow-sync.mjs', import.meta.url).href];
  const slowly = { SLOW_SYNC_MS: String(slowSyncMs) };
  servers.slowCatalog = await startCatalog(dist, join(folder, 'slow'), slow, slowly);
  const slowFolder = join(folder, 'slow-one-sync');
  servers.slowOneSync = await startOther(['one-sync', dist, slowFolder], slowFolder, slow, slowly);
  const body = JSON.stringify({ slug: 'agent-00001', vote: 'yes', note: 'It found the column that was shifted.' });
  const request =
    'POST /api/feedback HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/json\r\n' +
    `content-length: ${body.length}\r\n\r\n${body}`;
  const vote = (connections: number, ms: number) => async (server: string) =>
    generator.run({ port: (servers[server] as Server).port, connections, ms, request, status: 200 });

  console.log('\nVotes: durable (catalog serve), without persistence, and with one fdatasync a vote');
  console.log(
    row('connections', [
      'durable/s',
      'of unkept',
      'by CPU',
      'of 1 sync',
      'p50 ms',
      'p99 ms',
      'unkept p50',
      'p99',
      '1 sync p50',
      'p99',
      'aim',
    ]),
  );
  const contestants = ['catalog', 'unkept', 'oneSync'];
  for (const server of contestants) await vote(64, extent.warmMs)(server);
  for (const connections of [1, 16, 64, 256]) {
    const outcome = await hold(servers, contestants, extent.rounds, vote(connections, extent.voteMs));
    const ofUnkept = ratio(outcome, 'catalog', 'unkept');
    const aims = connections === 64 ? `${aim('0.6 of unkept', ofUnkept >= 0.6)}; ${latencyAim(outcome)}` : '';
    console.log(voteRow(String(connections), outcome, ['catalog', 'unkept', 'oneSync'], aims));
  }
  for (const server of ['slowCatalog', 'slowOneSync']) await vote(256, 3 * extent.warmMs)(server);
  const outcome = await hold(servers, ['slowCatalog', 'slowOneSync'], extent.rounds, vote(256, extent.voteMs));
  const gain = ratio(outcome, 'slowCatalog', 'slowOneSync');
  console.log(
    voteRow(
      `256, ${slowSyncMs} ms/sync`,
      outcome,
      ['slowCatalog', null, 'slowOneSync'],
      aim('20 times 1 sync', gain >= 20),
    ),
  );
}

function voteRow(
  name: string,
  outcome: Outcome,
  [own, unkept, oneSync]: [string, string | null, string],
  aims: string,
): string {
  const of = (server: string, key: 'p50' | 'p99') => figure(outcome, server, key).toFixed(2);
  return row(name, [
    figure(outcome, own, 'rate').toFixed(0),
    ...(unkept === null
      ? ['-', '-']
      : [ratio(outcome, own, unkept).toFixed(2), cpuRatio(outcome, own, unkept).toFixed(2)]),
    ratio(outcome, own, oneSync).toFixed(2),
    of(own, 'p50'),
    of(own, 'p99'),
    ...(unkept === null ? ['-', '-'] : [of(unkept, 'p50'), of(unkept, 'p99')]),
    of(oneSync, 'p50'),
    of(oneSync, 'p99'),
    aims,
  ]);
}

/** Where votes that are not kept take as long, the machine is too busy for its figures to tell. */
function latencyAim(outcome: Outcome): string {
  const met = figure(outcome, 'catalog', 'p99') < maxVoteMs;
  const busy = figure(outcome, 'unkept', 'p99') >= maxVoteMs;
  const text = `p99 under ${maxVoteMs} ms`;
  return busy && !met ? `${text}: MISSED, by unkept too: the machine is busy` : aim(text, met);
}

async function etagOf(port: number): Promise<string> {
  return String((await ask(port, {})).headers.etag);
}

/** An answer as it came, without what node:http adds to every answer. */
async function record(port: number, headers: Record<string, string>): Promise<Answers[string]> {
  const answer = await ask(port, headers);
  const body: Buffer[] = [];
  for await (const chunk of answer) body.push(chunk);
  const { rawHeaders } = answer;
  const added = ['date', 'connection', 'keep-alive'];
  const kept = rawHeaders.filter(
    (_, index) => !added.includes((rawHeaders[index - (index % 2)] as string).toLowerCase()),
  );
  return { status: answer.statusCode as number, headers: kept, body: Buffer.concat(body).toString('base64') };
}

function ask(port: number, headers: Record<string, string>): Promise<IncomingMessage> {
  return new Promise((done, failed) => {
    get({ host: '127.0.0.1', port, path: document, headers, agent: false }, done).on('error', failed);
  });
}
