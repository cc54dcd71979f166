import type { ChildProcess } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { readdir, readlink } from 'node:fs/promises';
import http from 'node:http';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { withProcess } from '../support/server.ts';
import { soon, until } from '../support/until.ts';
import { assertKept, startVoting, vote } from '../support/voting.ts';

/** What SIGTERM does to open requests, votes and connections. */

const trace = ['--import', fileURLToPath(new URL('../support/disk-trace.mjs', import.meta.url))];

/** Preloaded into a server: it waits an hour instead of seven seconds before it closes busy connections. */
const patient = [
  '--import',
  `data:text/javascript,${encodeURIComponent(`
    const { setTimeout } = globalThis;
    globalThis.setTimeout = (work, ms, ...rest) => setTimeout(work, ms === 7_000 ? 3_600_000 : ms, ...rest);
  `)}`,
];

test('under load, SIGTERM finishes open requests, keeps every acknowledged vote, and exits with 0', () =>
  withProcess({ node: [...trace, ...patient], env: { SLOW_MS: '200' } }, async ({ server, log, data }) => {
    const connections = await connectionsOf(server.process);
    const agent = new http.Agent({ keepAlive: true });
    // An idle connection must not delay the exit.
    await vote(server.address, 'idle', { agent });
    const load = startVoting(server.address, { clients: 32 });
    await until(() => load.acknowledged.length >= 32);
    const inProgress = Array.from({ length: 8 }, (_, index) => vote(server.address, `in progress ${index}`));
    await until(async () => (await connections()) >= 41);
    const ended = soon(server.stop('SIGTERM'));
    const answers = await Promise.all(inProgress);
    const stopping = load.stop();
    const { code, signal, stdout } = await ended;
    await stopping;
    assert.equal([code, signal], [0, null]);
    const logged = stdout.match(/"method":"POST"/g)?.length ?? 0;
    assert.ok(logged >= 1 + load.acknowledged.length + inProgress.length, 'every answer is in the log');
    assert.equal(
      answers.map(({ status }) => status),
      inProgress.map(() => 200),
    );
    assert.equal(load.refused, []);
    assertKept([...load.acknowledged, ...inProgress.map((_, index) => `in progress ${index}`)], [log]);
    assert.equal(
      readdirSync(data).filter((name) => name.includes('.lock')),
      [],
    );
    agent.destroy();
  }));

/**
 * Returns a function that counts the connections that a server has accepted since this call. Those that it has not accepted
 * are lost when it stops.
 */
async function connectionsOf({ pid }: ChildProcess): Promise<() => Promise<number>> {
  // Only Linux lists them.
  if (process.platform !== 'linux') return async () => Number.POSITIVE_INFINITY;
  const folder = `/proc/${pid}/fd`;
  const sockets = async () => {
    const targets = await Promise.all((await readdir(folder)).map((fd) => readlink(join(folder, fd)).catch(() => '')));
    return targets.filter((target) => target.startsWith('socket:')).length;
  };
  // The socket that listens, and on Linux stdin, stdout and stderr.
  const own = await sockets();
  return async () => (await sockets()) - own;
}

test('the process exits soon after SIGTERM, even if a connection was busy', () =>
  withProcess({ node: [...trace, ...patient], env: { SLOW_MS: '300' } }, async ({ server }) => {
    const connections = await connectionsOf(server.process);
    const agent = new http.Agent({ keepAlive: true });
    const pending = vote(server.address, 'slow', { agent });
    await until(async () => (await connections()) >= 1);
    const ended = soon(server.stop('SIGTERM'));
    assert.is((await pending).status, 200);
    assert.is((await ended).code, 0);
    agent.destroy();
  }));

test.run();
