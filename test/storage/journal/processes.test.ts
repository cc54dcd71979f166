import { type ChildProcess, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import * as fs from 'node:fs/promises';
import { createInterface } from 'node:readline';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { thisProcess } from '../../../src/storage/lock.ts';
import { endChild, linesIn, rejection, startChild, withFolder, withJournal } from '../../support/journal.ts';
import type { Answer, Order } from '../../support/journal-child.ts';
import { loud } from '../../support/loud.ts';
import { soon } from '../../support/until.ts';

/** Eight processes for all tests below, since each takes time to start. */
const test = suite('processes', { children: [] as ChildProcess[] });

test.before(
  loud<{ children: ChildProcess[] }>(async ({ children }) => {
    children.push(...(await Promise.all(Array.from({ length: 8 }, () => startChild()))));
  }),
);

test.after(loud<{ children: ChildProcess[] }>(({ children }) => Promise.all(children.map(endChild))));

test('if eight processes want a lock at once, exactly one gets it, whether free or stale', ({ children }) =>
  withFolder(async (_file, folder) => {
    const gone = { ...(await thisProcess()), pid: spawnSync(process.execPath, ['--version']).pid };
    const time = '2026-11-20T00:00:00.000Z';
    for (let round = 0; round < 24; round += 1) {
      const file = `${folder}/${round}`;
      const staleLock = JSON.stringify({ token: 'stale', file, ...gone, since: time, heartbeat: time });
      if (round % 4 > 0) await fs.writeFile(`${file}.lock`, staleLock);
      if (round % 4 > 1) await fs.writeFile(`${file}.lock.takeover`, staleLock);
      const outcomes = await Promise.all(children.map((child) => tell(child, { lock: file })));
      const lost = outcomes.filter(({ won }) => !won);
      assert.is(lost.length, 7, `round ${round}: ${JSON.stringify(outcomes)}`);
      assert.ok(
        lost.every(({ refused }) => refused),
        JSON.stringify(lost),
      );
      await Promise.all(children.map((child) => tell(child, { unlock: true })));
      assert.equal(await fs.readdir(folder), []);
    }
  }));

test('a log that another process owns is refused, naming that process', ({ children }) =>
  withFolder(async (file) => {
    const child = take(children);
    child.stdout?.resume();
    await tell(child, { write: file });
    const error = await rejection(withJournal({ file }, async () => {}));
    assert.is(error?.name, 'OperationError');
    assert.match(error?.message ?? '', `process ${child.pid} `);
    await endChild(child);
  }));

test('a process killed under load loses no line that it acknowledged, and stores none twice', ({ children }) =>
  withFolder(async (file) => {
    const acknowledged: string[] = [];
    for (const count of [1, 40, 150, 400]) {
      const child = take(children);
      const before = acknowledged.length;
      child.send({ write: file });
      for await (const line of createInterface({ input: child.stdout as NodeJS.ReadableStream })) {
        acknowledged.push(line);
        if (acknowledged.length === before + count) child.kill('SIGKILL');
      }
      await endChild(child);
    }
    // This takes over the lock of the killed process, and repairs its log.
    await soon(withJournal({ file, patienceMs: Number.POSITIVE_INFINITY }, async () => {}));
    const stored = (await linesIn(file)).map(({ id }) => id);
    assert.is(new Set(stored).size, stored.length);
    const found = new Set(stored);
    assert.equal(
      acknowledged.filter((id) => id.length === 36 && !found.has(id)),
      [],
    );
    assert.ok(acknowledged.length >= 591);
  }));

/** A process that no later test may use. */
function take(children: ChildProcess[]): ChildProcess {
  const child = children.pop();
  if (child === undefined) throw new Error('There are no processes left.');
  return child;
}

async function tell(child: ChildProcess, order: Order): Promise<Answer> {
  const answer = once(child, 'message');
  child.send(order);
  const [outcome] = await soon(answer);
  return outcome;
}

test.run();
