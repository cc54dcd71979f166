import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { Agent } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { build } from '../../src/build/build.ts';
import { loadSettings } from '../../src/content/settings.ts';
import { grantServer } from '../../src/storage/postgres.ts';
import { execSql, type Postgres, startPostgres } from '../../test/support/postgres.ts';
import { ask } from '../../test/support/requests.ts';
import { vote } from '../../test/support/voting.ts';
import { type Outcome, row } from './contest.ts';
import { generateCatalog } from './generate.ts';
import type { Measured } from './load.ts';
import { median } from './report.ts';
import { type Generator, type Server, startCatalog, startGenerator, startOther } from './servers.ts';

/** How many connections vote at the same time, over all servers together. */
const connections = 64;

const whole = { rounds: 5, ms: 1_500, warmMs: 800 };
const quick = { rounds: 2, ms: 500, warmMs: 300 };

const body = JSON.stringify({ slug: 'agent-00001', vote: 'yes', note: 'It found the column that was shifted.' });
const request =
  'POST /api/feedback HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/json\r\n' +
  `content-length: ${body.length}\r\n\r\n${body}`;

/** Servers that are measured together, as one. */
interface Contestant {
  name: string;
  servers: Server[];
}

/**
 * Measures how many votes a second are stored in PostgreSQL with fsync, by one, two and four processes, with one INSERT for
 * each batch and with one for each vote; and in a file by one process. `--quick` measures less. `--crowded` measures three
 * processes whose connections are more than PostgreSQL accepts, with shared limits.
 */
export default async function benchmarkVotes(args: string[]): Promise<void> {
  const extent = args.includes('--quick') ? quick : whole;
  const root = fileURLToPath(new URL('../..', import.meta.url));
  const compiled = spawnSync('npm', ['run', '--silent', 'build'], { cwd: root, encoding: 'utf8' });
  if (compiled.status !== 0) throw new Error(compiled.stdout + compiled.stderr);
  const folder = mkdtempSync(join(tmpdir(), 'catalog-bench-'));
  process.env.TEST_FOLDER = folder;
  const isCrowded = args.includes('--crowded');
  const generators = isCrowded ? [] : [1, 2, 3, 4].map(() => startGenerator());
  const contestants: Contestant[] = [];
  let postgres: Postgres | undefined;
  try {
    const dist = makeSite(folder);
    if (isCrowded) {
      postgres = await startPostgres({ fsync: 'on', max_connections: '20' });
      return await crowd(await postgres.database(), dist, folder, contestants);
    }
    postgres = await startPostgres({ fsync: 'on', max_connections: '200', shared_buffers: '128MB', autovacuum: 'on' });
    const add = async (name: string, count: number, start: (data: string) => Promise<Server>) => {
      const starting = Array.from({ length: count }, (_, index) => start(join(folder, `${name} ${count} ${index}`)));
      contestants.push({ name: `${name}, ${count}`, servers: await Promise.all(starting) });
    };
    await add('file', 1, (data) => startCatalog(dist, data));
    for (const count of [1, 2, 4]) {
      const DATABASE_URL = await postgres.database();
      await add('batches', count, (data) => startCatalog(dist, data, [], { DATABASE_URL }));
    }
    for (const count of [1, 2, 4]) {
      const url = await postgres.database();
      await add('one a vote', count, (data) => startOther(['one-insert', dist, data, url], data));
    }
    print(await measureAll(contestants, generators, extent));
  } finally {
    const processes = [...contestants.flatMap(({ servers }) => servers), ...generators];
    await Promise.all(processes.map((process) => process.stop()));
    await postgres?.stop();
    rmSync(folder, { recursive: true, force: true });
  }
}

function makeSite(folder: string): string {
  const cwd = join(folder, 'catalog');
  const dist = join(folder, 'dist');
  generateCatalog(cwd, 10, new URL('../../catalog.config.json', import.meta.url));
  build({ cwd, out: dist, settings: loadSettings(cwd, { baseUrl: 'http://localhost' }, {}), today: '2026-11-21' });
  return dist;
}

/** Lets each contestant take its turn in each round. */
async function measureAll(
  contestants: readonly Contestant[],
  generators: readonly Generator[],
  { rounds, ms, warmMs }: typeof whole,
): Promise<Outcome> {
  const outcome: Outcome = Object.fromEntries(contestants.map(({ name }) => [name, []]));
  for (const contestant of contestants) await measure(contestant, generators, warmMs);
  for (let round = 0; round < rounds; round += 1) {
    for (const contestant of round % 2 === 0 ? contestants : contestants.toReversed()) {
      outcome[contestant.name]?.push({ ...(await measure(contestant, generators, ms)), cpu: Number.NaN });
    }
  }
  return outcome;
}

/** Each server gets its share of the connections from a generator of its own. */
async function measure({ servers }: Contestant, generators: readonly Generator[], ms: number): Promise<Measured> {
  const share = connections / servers.length;
  const measured = await Promise.all(
    servers.map(({ port }, index) =>
      (generators[index] as Generator).run({ port, connections: share, ms, request, status: 200 }),
    ),
  );
  const sum = (key: 'rate' | 'answers') => measured.reduce((total, each) => total + each[key], 0);
  const most = (key: 'p50' | 'p99') => Math.max(...measured.map((each) => each[key]));
  return { rate: sum('rate'), answers: sum('answers'), p50: most('p50'), p99: most('p99') };
}

function print(outcome: Outcome): void {
  const figure = (name: string, key: 'rate' | 'p50' | 'p99') => median((outcome[name] ?? []).map((each) => each[key]));
  console.log(`Node ${process.version}; ${connections} connections; PostgreSQL on the same machine, with fsync`);
  console.log('of 1: of one process; of single: of as many processes with one INSERT for each vote');
  console.log(row('store, processes', ['votes/s', 'of 1', 'of single', 'p50 ms', 'p99 ms', '']));
  for (const name of Object.keys(outcome)) {
    const [store = '', count = ''] = name.split(', ');
    const ratio = (other: string) =>
      outcome[other] === undefined ? '-' : (figure(name, 'rate') / figure(other, 'rate')).toFixed(2);
    const single = store === 'batches' ? ratio(`one a vote, ${count}`) : '-';
    const cells = [figure(name, 'rate').toFixed(0), ratio(`${store}, 1`), single];
    console.log(row(name, [...cells, figure(name, 'p50').toFixed(1), figure(name, 'p99').toFixed(1), '']));
  }
}

/** Votes for 30 seconds through three servers with more connections than PostgreSQL accepts, and prints the answers. */
async function crowd(owner: string, dist: string, folder: string, contestants: Contestant[]): Promise<void> {
  await execSql(owner, 'CREATE ROLE catalog_server LOGIN');
  await grantServer(owner, 'catalog_server');
  const DATABASE_URL = owner.replace('postgres@', 'catalog_server@');
  const env = { DATABASE_URL, CATALOG_VOTE_RATE: '1000000/60', CATALOG_TRUST_PROXY: '1' };
  const folders = [0, 1, 2].map((index) => join(folder, `server ${index}`));
  const servers = await Promise.all(folders.map((data) => startCatalog(dist, data, [], env)));
  contestants.push({ name: 'crowded', servers });
  const addresses = servers.map(({ port }) => `http://127.0.0.1:${port}/`);
  const agent = new Agent({ keepAlive: true });
  const counts: Record<string, number> = {};
  let slowestMs = 0;
  const deadline = performance.now() + 30_000;
  const repeat = async (name: string, request: () => ReturnType<typeof vote>, pauseMs = 0) => {
    while (performance.now() < deadline) {
      const { status, ms } = await request();
      counts[`${name} ${status}`] = (counts[`${name} ${status}`] ?? 0) + 1;
      slowestMs = Math.max(slowestMs, ms);
      if (pauseMs > 0) await sleep(pauseMs);
    }
  };
  const client = (index: number) => {
    const headers = { 'x-forwarded-for': `192.0.2.${index}` };
    const address = addresses[index % 3] as string;
    return repeat('vote', () => vote(address, 'It helped.', { slug: 'agent-00001', agent, headers }));
  };
  await Promise.all([
    ...Array.from({ length: connections }, (_, index) => client(index)),
    ...addresses.map((address) => repeat('readyz', () => ask(address, '/readyz', { agent }), 200)),
  ]);
  agent.destroy();
  await Promise.all(servers.map((server) => server.stop()));
  const lines = folders.flatMap((data) => readFileSync(join(data, 'stdout.log'), 'utf8').trim().split('\n'));
  const warnings = lines.filter((line) => JSON.parse(line).level >= 40 && !line.includes('"msg":"request"'));
  const [row] = await execSql(owner, 'SELECT count(*) AS stored FROM catalog_votes');
  console.log(`20 connections, three servers, ${connections} clients, 30 s; slowest answer ${slowestMs.toFixed(0)} ms`);
  console.log({ ...counts, ...row, warnings: warnings.length });
  console.log(warnings.slice(0, 10).join('\n'));
}
