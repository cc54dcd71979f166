import { execFileSync } from 'node:child_process';
import { appendFileSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { inFolder } from '../support/catalog.ts';
import { ask, assertError, postJson } from '../support/requests.ts';
import { builtCatalog, startProcess, withProcess } from '../support/server.ts';
import { until } from '../support/until.ts';
import { notesIn, vote } from '../support/voting.ts';

/** A disk that is full or fails: readers are served, votes are refused, and nothing that was acknowledged is lost. */

const trace = ['--import', fileURLToPath(new URL('../support/disk-trace.mjs', import.meta.url))];

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

test.run();
