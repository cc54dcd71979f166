import { join } from 'node:path';
import { aim, type Contest, cpuRatio, figure, hold, type Outcome, ratio, row } from './contest.ts';
import { type Server, startCatalog, startOther } from './servers.ts';

const slowSyncMs = 5;
/** What 99 votes in 100 may take at 64 connections, in milliseconds. */
const maxVoteMs = 5;

/** Measures votes against servers that do not keep them, or that sync each one. Needs `servers.catalog`. */
export async function benchmarkVotes({ folder, dist, extent, generator, servers }: Contest): Promise<void> {
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
    const aims = connections === 64 ? `${aim('0.65 of unkept', ofUnkept >= 0.65)}; ${latencyAim(outcome)}` : '';
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
