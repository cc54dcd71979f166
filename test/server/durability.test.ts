import { spawnSync } from 'node:child_process';
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
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { thisProcess } from '../../src/storage/lock.ts';
import { inFolder } from '../support/catalog.ts';
import { catalog } from '../support/process.ts';
import { builtCatalog, startProcess, startRuntime, withProcess, withRuntime } from '../support/server.ts';
import { soon, until, withStillClock } from '../support/until.ts';
import { assertKept, notesIn, startVoting, vote } from '../support/voting.ts';

/** A vote with a 200 is on disk, once, whatever happens to the process afterward. */

const trace = ['--import', fileURLToPath(new URL('../support/disk-trace.mjs', import.meta.url))];

/** How many times the server is killed: ROUNDS=500 is a long run by hand. */
const rounds = Number(process.env.ROUNDS ?? 6);

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
  const lanes = 2;
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
    const first = await startRuntime(folder);
    for (const note of ['a', 'b']) await vote(first.address, note);
    await first.stop();
    const torn = '{"id":"0197a5c2-3d4e-7f00-8000-000000000001","time":"2026-';
    appendFileSync(log, torn);
    const second = await startRuntime(folder);
    assert.is((await vote(second.address, 'c')).status, 200);
    await second.stop();
    assert.equal(notesIn(log), ['a', 'b', 'c']);
    assert.match(second.logged(), /last line of \S+votes\.jsonl was incomplete/);
    assert.is(readFileSync(`${log}.torn`, 'utf8').trimEnd(), torn);
  }));

/** Preloaded into a server: a bug outside of a request, at SIGUSR2. */
const buggy = "data:text/javascript,process.on('SIGUSR2', () => { throw new Error('a bug'); });";

test('under load, a vote log that is removed, or rotated by rename and SIGHUP, loses only removed votes, and a bug ends the server with a line that says so', () =>
  withProcess({ node: ['--import', buggy] }, async ({ server, log }) => {
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
    const { code, stdout } = await server.stop('SIGUSR2');
    assert.is(code, 1);
    assert.match(stdout, /"err":\{[^}]*"message":"a bug".*"msg":"the server stops because of a bug"\}\n$/);
  }));

test('what SIGHUP does starts a new log without waiting for a vote', () =>
  withRuntime({}, async ({ server, log, data }) => {
    await vote(server.address, 'a');
    renameSync(log, `${log}.1`);
    renameSync(join(data, 'signups.jsonl'), join(data, 'signups.jsonl.1'));
    await server.reopen();
    assert.ok(existsSync(log) && existsSync(join(data, 'signups.jsonl')));
    assert.equal(notesIn(`${log}.1`), ['a']);
  }));

test('a second server on the same log is refused, naming the owner, and the first continues', () =>
  withRuntime({}, async ({ server, folder, dist, data, log }) => {
    const places = ['--cwd', folder, '--out', dist];
    const second = await catalog(['serve', '--port', '0', ...places, '--data', data]);
    assert.is(second.code, 1);
    assert.match(second.stderr, `${log} is in use by process ${process.pid} on `);
    const elsewhere = await catalog(['serve', '--port', '0', ...places, '--data', join(folder, 'b'), '--votes', log]);
    assert.is(elsewhere.code, 1);
    assert.match(elsewhere.stderr, `process ${process.pid} on `);
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
    // It waits four seconds for a process on another machine, which never pass on this clock.
    const server = await withStillClock(() => soon(startRuntime(folder)));
    assert.is((await vote(server.address, 'mine')).status, 200);
    assert.is(JSON.parse(readFileSync(lock, 'utf8')).pid, process.pid);
    await server.stop();
    assert.not.ok(existsSync(lock));
  }));

test.run();
