import { execFileSync, spawnSync } from 'node:child_process';
import {
  appendFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import http from 'node:http';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { thisProcess } from '../../src/journal/process-identity.ts';
import { inFolder } from '../support/catalog.ts';
import { catalog } from '../support/process.ts';
import { ask, assertError, postJson } from '../support/requests.ts';
import { builtCatalog, startProcess, startRuntime, withProcess } from '../support/server.ts';
import { until } from '../support/until.ts';
import { assertKept, notesIn, startVoting, vote } from '../support/voting.ts';

/** A vote with a 200 is on disk, once, whatever happens to the process afterward. */

const trace = ['--import', fileURLToPath(new URL('../support/disk-trace.mjs', import.meta.url))];

/** How many times the server is killed: ROUNDS=500 is a long run by hand. */
const rounds = Number(process.env.ROUNDS ?? 10);

test('a vote is answered only after a sync that began when its line was written', () =>
  inFolder(async (folder) => {
    const TRACE = join(folder, 'trace.jsonl');
    await withProcess({ node: trace, env: { TRACE, SLOW_MS: '3' } }, async ({ server, log }) => {
      const load = startVoting(server.address);
      await until(() => load.acknowledged.length >= 400);
      await load.stop();
      assert.equal(load.refused, []);
      assertKept(load.acknowledged, [log]);
      const { early, answered } = readTrace(TRACE);
      assert.equal(early, [], 'answered before its line was on disk');
      assert.is(answered, load.acknowledged.length);
    });
  }));

/** How many votes were answered with 200, and which of them before a sync covered their line. */
function readTrace(file: string): { early: string[]; answered: number } {
  const durable = new Set<string>();
  const early: string[] = [];
  let written: string[] = [];
  let covered: string[] = [];
  let answered = 0;
  for (const line of readFileSync(file, 'utf8').trimEnd().split('\n')) {
    const step = JSON.parse(line) as { step: string; notes?: string[]; note?: string; status?: number };
    if (step.step === 'written') written.push(...(step.notes ?? []));
    if (step.step === 'syncing') [covered, written] = [written, []];
    if (step.step === 'synced') for (const note of covered) durable.add(note);
    if (step.step !== 'answered' || step.status !== 200 || step.note === undefined) continue;
    answered += 1;
    if (!durable.has(step.note)) early.push(step.note);
  }
  return { early, answered };
}

test(`a server killed under load, ${rounds} times, loses no acknowledged vote and stores none twice`, async () => {
  const lanes = 3;
  const totals = await Promise.all(
    Array.from({ length: lanes }, (_, lane) => killAgainAndAgain(Math.ceil((rounds - lane) / lanes))),
  );
  const total = totals.reduce((sum, { acknowledged, torn }) => {
    return { acknowledged: sum.acknowledged + acknowledged, torn: sum.torn + torn };
  });
  if (process.env.ROUNDS !== undefined) console.log(`${rounds} rounds: ${JSON.stringify(total)}`);
  assert.ok(total.acknowledged > rounds);
});

async function killAgainAndAgain(times: number): Promise<{ acknowledged: number; torn: number }> {
  const acknowledged: string[] = [];
  let torn = 0;
  await inFolder(async (folder) => {
    builtCatalog(folder);
    const log = join(folder, 'data/votes.jsonl');
    for (let round = 0; round < times; round += 1) {
      const server = await startProcess(folder);
      const load = startVoting(server.address, { name: `round${round}` });
      const enough = 1 + ((round * 37) % 150);
      await until(() => load.acknowledged.length >= enough);
      // Kills the process in the same turn of the event loop as the answer, then waits for the remaining data on the
      // connections.
      await server.stop('SIGKILL');
      await load.stop();
      assert.equal(load.refused, []);
      acknowledged.push(...load.acknowledged);
    }
    if (!readFileSync(log, 'utf8').endsWith('\n')) torn += 1;
    const last = await startProcess(folder);
    assert.is((await vote(last.address, 'the last')).status, 200);
    assert.is((await last.stop()).code, 0);
    assertKept([...acknowledged, 'the last'], [log]);
    torn += readdirSync(join(folder, 'data')).filter((name) => name.includes('.torn')).length;
  });
  return { acknowledged: acknowledged.length, torn };
}

test('a torn last line is set aside and reported at startup, and no complete line is lost', () =>
  inFolder(async (folder) => {
    builtCatalog(folder);
    const log = join(folder, 'data/votes.jsonl');
    const first = await startProcess(folder);
    for (const note of ['a', 'b']) await vote(first.address, note);
    await first.stop('SIGKILL');
    const torn = '{"id":"0197a5c2-3d4e-7f00-8000-000000000001","time":"2026-';
    appendFileSync(log, torn);
    const second = await startProcess(folder);
    assert.is((await vote(second.address, 'c')).status, 200);
    const { stdout } = await second.stop();
    assert.equal(notesIn(log), ['a', 'b', 'c']);
    assert.match(stdout, /last line of \S+votes\.jsonl was incomplete/);
    assert.is(readFileSync(`${log}.torn`, 'utf8').trimEnd(), torn);
  }));

test('while the disk is full, votes are 503 unavailable and the server is not ready; it accepts votes again once there is space', () =>
  inFolder(async (folder) => {
    builtCatalog(folder);
    const disk = smallDisk(folder);
    const log = join(folder, 'data/votes.jsonl');
    try {
      const server = await startProcess(folder, { node: trace, env: disk.env });
      try {
        assert.is((await vote(server.address, 'before')).status, 200);
        const health = () => Promise.all(['/healthz', '/readyz'].map((path) => ask(server.address, path)));
        const told = async () => (await health()).map(({ status, text }) => `${status} ${text}`);
        const build = JSON.parse((await ask(server.address, '/build.json')).text).id;
        const alive = `200 {"status":"ok","build":"${build}"}`;
        const ready = `200 {"status":"ok","build":"${build}","checks":{"votes":"ok","subscribers":"ok"}}`;
        assert.equal(await told(), [alive, ready]);
        disk.fill();
        const kept = ['before'];
        const refused: string[] = [];
        for (let round = 0; refused.length < 48; round += 1) {
          assert.ok(round < 500, 'the disk became never full');
          const notes = Array.from({ length: 24 }, (_, index) => `${'x'.repeat(300)}-${round}-${index}`);
          const answers = await Promise.all(notes.map((note) => vote(server.address, note)));
          for (const [index, answer] of answers.entries()) {
            if (answer.status === 200) kept.push(String(notes[index]));
            else {
              assertError(answer, 503, 'unavailable');
              assert.match(answer.headers['retry-after'] ?? '', /^\d+$/);
              refused.push(String(notes[index]));
            }
          }
        }
        disk.top();
        await until(async () => (await health())[1]?.status === 503);
        const [still, unready = ''] = await told();
        assert.is(still, alive);
        assert.match(unready, `503 {"status":"unavailable","build":"${build}","checks":{"votes":"failing"`);
        assert.is((await ask(server.address, '/')).status, 200);
        disk.empty();
        await until(async () => (await told())[1] === ready);
        assert.is((await vote(server.address, 'after')).status, 200);
        assert.equal(notesIn(log).sort(), [...kept, 'after'].sort());
        const { code, stdout } = await server.stop();
        assert.is(code, 0);
        assert.match(stdout, 'ENOSPC');
        const lines = stdout
          .trimEnd()
          .split('\n')
          .map((line) => JSON.parse(line));
        const levels = new Set(
          lines.filter(({ msg }) => msg === 'request').map((line) => `${line.status} ${line.level}`),
        );
        assert.equal([...levels].sort(), ['200 30', '503 40']);
        const changes = lines.filter(({ check }) => check === 'votes').map(({ level, msg }) => `${level} ${msg}`);
        assert.equal(changes, ['50 a health check fails', '30 a health check passes again']);
      } finally {
        await server.stop('SIGKILL');
      }
    } finally {
      disk.remove();
    }
  }));

test('a server that starts on a failing disk serves readers, refuses votes and subscriptions, and accepts them once the disk works', () =>
  inFolder(async (folder) => {
    builtCatalog(folder);
    const FAILS = join(folder, 'fails');
    writeFileSync(FAILS, 'EROFS');
    const shim = fileURLToPath(new URL('../support/failing-disk.mjs', import.meta.url));
    const server = await startProcess(folder, { node: ['--import', shim], env: { FAILS } });
    try {
      const statuses = async () => {
        const reads = await Promise.all(
          ['/', '/agents/one', '/healthz', '/readyz'].map((path) => ask(server.address, path)),
        );
        const posts = [
          await vote(server.address, 'a vote'),
          await postJson(server.address, '/api/subscribe', { email: 'ada@example.org', list: 'daily' }),
        ];
        return [...reads, ...posts].map(({ status }) => status);
      };
      assert.equal(await statuses(), [200, 200, 200, 503, 503, 502]);
      rmSync(FAILS);
      await until(async () => (await ask(server.address, '/readyz')).status === 200);
      assert.equal(await statuses(), [200, 200, 200, 200, 200, 200]);
      assert.equal(notesIn(join(folder, 'data/votes.jsonl')), ['a vote']);
      const { code, stdout } = await server.stop();
      assert.is(code, 0);
      assert.match(stdout, /votes\.jsonl cannot be used \(EROFS\)/);
      assert.match(stdout, /votes\.jsonl is available again/);
    } finally {
      await server.stop('SIGKILL');
    }
  }));

test('a request log that cannot be written loses its lines, but no request or vote fails', () => {
  const shim = fileURLToPath(new URL('../support/full-stdout.mjs', import.meta.url));
  return withProcess({ node: ['--import', shim] }, async ({ server, log }) => {
    for (let round = 0; round < 200; round += 1) {
      const { status } = await ask(server.address, `/nowhere?${'x'.repeat(200)}`);
      assert.is(status, 404);
    }
    assert.is((await vote(server.address, 'kept')).status, 200);
    assert.equal(notesIn(log), ['kept']);
    const { code, stdout } = await server.stop();
    assert.equal([code, stdout], [0, '']);
  });
});

/** Mounts a disk of 64 KB at data/ if this process may, and otherwise uses a preloaded script that refuses writes. */
function smallDisk(folder: string) {
  const data = join(folder, 'data');
  mkdirSync(data);
  const full = join(folder, 'full');
  const shim = {
    env: { FULL: full },
    fill: () => writeFileSync(full, ''),
    /** Takes the space that is too small for some votes. */
    top: () => {},
    empty: () => rmSync(full),
    remove: () => {},
  };
  if (process.platform !== 'linux' || process.getuid?.() !== 0) return shim;
  try {
    execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=64k', 'tmpfs', data], { stdio: 'ignore' });
  } catch {
    return shim;
  }
  const ballast = join(data, 'ballast');
  return {
    env: {},
    fill: () => writeFileSync(ballast, Buffer.alloc(32_768)),
    top: () => {
      try {
        for (;;) appendFileSync(ballast, Buffer.alloc(4096));
      } catch {}
    },
    empty: () => rmSync(ballast),
    remove: () => void execFileSync('umount', [data]),
  };
}

test('under load, a vote log that is removed, or rotated by rename and SIGHUP, loses only removed votes', () =>
  withProcess({}, async ({ server, log }) => {
    const load = startVoting(server.address);
    const logs = [log];
    for (let round = 1; round <= 4; round += 1) {
      const before = load.acknowledged.length;
      await until(() => load.acknowledged.length > before + 30);
      renameSync(log, `${log}.${round}`);
      logs.push(`${log}.${round}`);
      server.process.kill('SIGHUP');
      await until(() => existsSync(log));
    }
    await load.stop();
    assert.equal(load.refused, []);
    assertKept(load.acknowledged, logs);
    await until(() => (server.stdout().match(/opened new log files/g) ?? []).length === 4);

    rmSync(log);
    assert.is((await vote(server.address, 'after the removal')).status, 200);
    assert.equal(notesIn(log), ['after the removal']);
    renameSync(log, `${log}.5`);
    assert.is((await vote(server.address, 'after a rename without a signal')).status, 200);
    assert.equal(notesIn(log), ['after a rename without a signal']);
  }));

test('SIGHUP starts a new log without waiting for a vote', () =>
  withProcess({}, async ({ server, log, data }) => {
    await vote(server.address, 'a');
    renameSync(log, `${log}.1`);
    renameSync(join(data, 'signups.jsonl'), join(data, 'signups.jsonl.1'));
    server.process.kill('SIGHUP');
    await until(() => existsSync(log) && existsSync(join(data, 'signups.jsonl')));
    assert.equal(notesIn(`${log}.1`), ['a']);
  }));

test('a second process on the same log is refused, naming the owner, and the first continues', () =>
  withProcess({}, async ({ server, folder, dist, data, log }) => {
    const places = ['--cwd', folder, '--out', dist];
    const second = await catalog(['serve', '--port', '0', ...places, '--data', data]);
    assert.is(second.code, 1);
    assert.match(second.stderr, `${log} is in use by process ${server.process.pid} on `);
    const elsewhere = await catalog(['serve', '--port', '0', ...places, '--data', join(folder, 'b'), '--votes', log]);
    assert.is(elsewhere.code, 1);
    assert.match(elsewhere.stderr, `process ${server.process.pid} on `);
    assert.is((await vote(server.address, 'still')).status, 200);
    assert.equal(notesIn(log), ['still']);
  }));

test('the lock of a process that has ended is taken over at once', () =>
  inFolder(async (folder) => {
    builtCatalog(folder);
    const file = join(realpathSync(folder), 'data/votes.jsonl');
    const lock = `${file}.lock`;
    mkdirSync(join(folder, 'data'));
    const gone = { ...(await thisProcess()), pid: spawnSync(process.execPath, ['--version']).pid };
    const time = new Date().toISOString();
    writeFileSync(lock, `${JSON.stringify({ token: 'stale', file, ...gone, since: time, heartbeat: time })}\n`);
    const begun = performance.now();
    const server = await startRuntime(folder);
    assert.ok(performance.now() - begun < 4_500, 'waited as for a process on another machine');
    assert.is((await vote(server.address, 'mine')).status, 200);
    assert.is(JSON.parse(readFileSync(lock, 'utf8')).pid, process.pid);
    await server.stop();
    assert.not.ok(existsSync(lock));
  }));

/** Preloaded into a server: it waits an hour instead of seven seconds before it closes busy connections. */
const patient = [
  '--import',
  `data:text/javascript,${encodeURIComponent(`
    const { setTimeout } = globalThis;
    globalThis.setTimeout = (work, ms, ...rest) => setTimeout(work, ms === 7_000 ? 3_600_000 : ms, ...rest);
  `)}`,
];

/** Waits for a process to exit; fails if something delays it. */
function endOf<End>(ended: Promise<End>): Promise<End> {
  const late = sleep(30_000, undefined, { ref: false }).then(() => {
    throw new Error('The server did not end.');
  });
  return Promise.race([ended, late]);
}

test('under load, SIGTERM finishes open requests, keeps every acknowledged vote, and exits with 0', () =>
  withProcess({ node: [...trace, ...patient], env: { SLOW_MS: '200' } }, async ({ server, log, data }) => {
    const agent = new http.Agent({ keepAlive: true });
    // An idle connection must not delay the exit.
    await vote(server.address, 'idle', { agent });
    const load = startVoting(server.address, { clients: 32 });
    await until(() => load.acknowledged.length >= 32);
    const underWay = Array.from({ length: 8 }, (_, index) => vote(server.address, `under way ${index}`));
    await until(async () => (await connections(server.process.pid ?? 0)) >= 41);
    const ended = endOf(server.stop('SIGTERM'));
    const answers = await Promise.all(underWay);
    const stopping = load.stop();
    const { code, signal } = await ended;
    await stopping;
    assert.equal([code, signal], [0, null]);
    assert.equal(
      answers.map(({ status }) => status),
      underWay.map(() => 200),
    );
    assert.equal(load.refused, []);
    assertKept([...load.acknowledged, ...underWay.map((_, index) => `under way ${index}`)], [log]);
    assert.equal(
      readdirSync(data).filter((name) => name.includes('.lock')),
      [],
    );
    agent.destroy();
  }));

/** Returns the number of open sockets of a process, besides the one that listens. */
async function connections(pid: number): Promise<number> {
  if (process.platform !== 'linux') return Number.POSITIVE_INFINITY;
  const { readdir, readlink } = await import('node:fs/promises');
  const folder = `/proc/${pid}/fd`;
  const targets = await Promise.all((await readdir(folder)).map((fd) => readlink(join(folder, fd)).catch(() => '')));
  return targets.filter((target) => target.startsWith('socket:')).length - 1;
}

test('the process exits soon after SIGTERM, even if a connection was busy', () =>
  withProcess({ node: [...trace, ...patient], env: { SLOW_MS: '300' } }, async ({ server }) => {
    const agent = new http.Agent({ keepAlive: true });
    const pending = vote(server.address, 'slow', { agent });
    await until(async () => (await connections(server.process.pid ?? 0)) >= 1);
    const ended = endOf(server.stop('SIGTERM'));
    assert.is((await pending).status, 200);
    assert.is((await ended).code, 0);
    agent.destroy();
  }));

test.run();
