import type { ChildProcess } from 'node:child_process';
import { spawnSync } from 'node:child_process';
import { once } from 'node:events';
import * as fs from 'node:fs/promises';
import { createInterface } from 'node:readline';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { thisProcess } from '../../src/votes/process-identity.ts';
import { endChild, rejection, soon, startChild, votesIn, withFolder, withLog } from './support.ts';

test('a process killed under load loses no vote that it acknowledged, and stores none twice', () =>
  withFolder(async (file) => {
    const acknowledged: string[] = [];
    for (const count of [1, 40, 150, 400]) {
      const child = await startChild('write', file);
      const before = acknowledged.length;
      for await (const line of createInterface({ input: child.stdout as NodeJS.ReadableStream })) {
        acknowledged.push(line);
        if (acknowledged.length === before + count) child.kill('SIGKILL');
      }
      await endChild(child);
    }
    // This takes over the lock of the killed process, and mends what it left.
    await soon(withLog({ file, patienceMs: Number.POSITIVE_INFINITY }, async () => {}));
    const stored = (await votesIn(file)).map(({ id }) => id);
    assert.is(new Set(stored).size, stored.length);
    const found = new Set(stored);
    assert.equal(
      acknowledged.filter((id) => id.length === 36 && !found.has(id)),
      [],
    );
    assert.ok(acknowledged.length >= 591);
  }));

test('a log that another process has is refused, naming that process', () =>
  withFolder(async (file) => {
    const child = await startChild('write', file);
    child.stdout?.resume();
    try {
      const error = await rejection(withLog({ file }, async () => {}));
      assert.is(error?.name, 'OperationError');
      assert.match(error?.message ?? '', `process ${child.pid} `);
    } finally {
      await endChild(child);
    }
  }));

test('of eight processes that want one lock at once exactly one gets it, free or stale', () =>
  withFolder(async (_file, folder) => {
    const children = await Promise.all(Array.from({ length: 8 }, () => startChild('race')));
    try {
      const gone = { ...(await thisProcess()), pid: spawnSync(process.execPath, ['--version']).pid };
      const time = '2026-11-20T00:00:00.000Z';
      const staleLock = JSON.stringify({ token: 'stale', ...gone, since: time, heartbeat: time });
      for (let round = 0; round < 24; round += 1) {
        const file = `${folder}/${round}`;
        if (round % 4 > 0) await fs.writeFile(`${file}.lock`, staleLock);
        if (round % 4 > 1) await fs.writeFile(`${file}.lock.takeover`, staleLock);
        const outcomes = await Promise.all(children.map((child) => ask(child, { try: file })));
        const lost = outcomes.filter(({ won }) => !won);
        assert.is(lost.length, 7, `round ${round}: ${JSON.stringify(outcomes)}`);
        assert.ok(
          lost.every(({ refused }) => refused),
          JSON.stringify(lost),
        );
        await Promise.all(children.map((child) => ask(child, {})));
        assert.equal(await fs.readdir(folder), []);
      }
    } finally {
      await Promise.all(children.map(endChild));
    }
  }));

async function ask(child: ChildProcess, message: { try?: string }): Promise<{ won: boolean; refused?: boolean }> {
  const answer = once(child, 'message');
  child.send(message);
  const [outcome] = await soon(answer);
  return outcome;
}

test.run();
