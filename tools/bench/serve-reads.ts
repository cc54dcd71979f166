import { readFileSync, writeFileSync } from 'node:fs';
import { get, type IncomingMessage } from 'node:http';
import { join } from 'node:path';
import { aim, type Contest, cpuRatio, figure, hold, ratio, row } from './contest.ts';
import type { Answers } from './serve-other.ts';
import { isInstalled, type Server, startCatalog, startNginx, startOther, wrk } from './servers.ts';

const readConnections = 64;

/** Measures reads of a document against sirv, nginx and a bare Node.js server. Starts `servers.catalog`. */
export async function benchmarkReads({ folder, dist, document, extent, generator, servers }: Contest): Promise<void> {
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
    const asked = status === 304 ? { ...headers, 'if-none-match': await etagOf(catalog.port, document) } : headers;
    answers[`/${name}`] = await record(catalog.port, document, asked);
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
      asked[key] =
        status === 304 && key !== 'bare' ? { ...headers, 'if-none-match': await etagOf(port, document) } : headers;
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
      aim('0.75 of bare', ofBare >= 0.75),
    ];
    console.log(row(name, figures));
  }
}

async function etagOf(port: number, path: string): Promise<string> {
  return String((await ask(port, path, {})).headers.etag);
}

/** An answer as it came, without what node:http adds to every answer. */
async function record(port: number, path: string, headers: Record<string, string>): Promise<Answers[string]> {
  const answer = await ask(port, path, headers);
  const body: Buffer[] = [];
  for await (const chunk of answer) body.push(chunk);
  const { rawHeaders } = answer;
  const added = ['date', 'connection', 'keep-alive'];
  const kept = rawHeaders.filter(
    (_, index) => !added.includes((rawHeaders[index - (index % 2)] as string).toLowerCase()),
  );
  return { status: answer.statusCode as number, headers: kept, body: Buffer.concat(body).toString('base64') };
}

function ask(port: number, path: string, headers: Record<string, string>): Promise<IncomingMessage> {
  return new Promise((done, failed) => {
    get({ host: '127.0.0.1', port, path, headers, agent: false }, done).on('error', failed);
  });
}
