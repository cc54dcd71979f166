import { join } from 'node:path';
import { aim, type Contest, cpuRatio, figure, hold, type Outcome, ratio, row } from './contest.ts';
import { type Server, startCatalog, startOther } from './servers.ts';

const slowSyncMs = 5;
/** What 99 votes in 100 may take at 64 connections, in milliseconds. */
const maxVoteMs = 5;

/**
 * Measures votes against servers that do not keep them, that only store them, or that sync each one. Needs
 * `servers.catalog`.
 */
export async function benchmarkVotes({ folder, dist, extent, generator, servers }: Contest): Promise<void> {
  servers.unkept = await startOther(['unkept', dist, join(folder, 'unkept')], join(folder, 'unkept'));
  servers.bareCommit = await startOther(['group-commit', join(folder, 'bare-commit')], join(folder, 'bare-commit'));
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

  console.log(
    '\nVotes: durable (catalog serve); unkept, the same without persistence; bare, node:http and a sync for each batch;',
  );
  console.log('and one fdatasync a vote');
  console.log(
    row('connections', [
      'durable/s',
      'of unkept',
      'by CPU',
      'of bare',
      'of 1 sync',
      'p50 ms',
      'p99 ms',
      'p99/bare',
      'unkept p99',
      'bare p99',
      'aim',
    ]),
  );
  const contestants = ['catalog', 'unkept', 'bareCommit', 'oneSync'];
  for (const server of contestants) await vote(64, extent.warmMs)(server);
  for (const connections of [1, 16, 64, 256]) {
    const outcome = await hold(servers, contestants, extent.rounds, vote(connections, extent.voteMs));
    const ofUnkept = ratio(outcome, 'catalog', 'unkept');
    const aims = connections === 64 ? `${aim('0.65 of unkept', ofUnkept >= 0.65)}; ${latencyAim(outcome)}` : '';
    console.log(voteRow(String(connections), outcome, { own: 'catalog', oneSync: 'oneSync', isCompared: true }, aims));
  }
  for (const server of ['slowCatalog', 'slowOneSync']) await vote(256, 3 * extent.warmMs)(server);
  const outcome = await hold(servers, ['slowCatalog', 'slowOneSync'], extent.rounds, vote(256, extent.voteMs));
  const gain = ratio(outcome, 'slowCatalog', 'slowOneSync');
  console.log(
    voteRow(
      `256, ${slowSyncMs} ms/sync`,
      outcome,
      { own: 'slowCatalog', oneSync: 'slowOneSync', isCompared: false },
      aim('20 times 1 sync', gain >= 20),
    ),
  );
}

function voteRow(
  name: string,
  outcome: Outcome,
  { own, oneSync, isCompared }: { own: string; oneSync: string; isCompared: boolean },
  aims: string,
): string {
  const p99 = (server: string) => figure(outcome, server, 'p99').toFixed(2);
  const compared = (text: () => string) => (isCompared ? text() : '-');
  return row(name, [
    figure(outcome, own, 'rate').toFixed(0),
    compared(() => ratio(outcome, own, 'unkept').toFixed(2)),
    compared(() => cpuRatio(outcome, own, 'unkept').toFixed(2)),
    compared(() => ratio(outcome, own, 'bareCommit').toFixed(2)),
    ratio(outcome, own, oneSync).toFixed(2),
    figure(outcome, own, 'p50').toFixed(2),
    p99(own),
    compared(() => ratio(outcome, own, 'bareCommit', 'p99').toFixed(2)),
    compared(() => p99('unkept')),
    compared(() => p99('bareCommit')),
    aims,
  ]);
}

/** Where the bare server takes as long, the disk or the load of the machine is the reason. */
function latencyAim(outcome: Outcome): string {
  const met = figure(outcome, 'catalog', 'p99') <= maxVoteMs;
  const busy = figure(outcome, 'bareCommit', 'p99') > maxVoteMs;
  const text = `p99 at most ${maxVoteMs} ms`;
  return busy && !met ? `${text}: MISSED, by bare too: the machine is busy` : aim(text, met);
}
