import { readFileSync } from 'node:fs';
import http from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import * as assert from 'uvu/assert';
import { type Answer, type Asking, postJson } from './requests.ts';

/** Votes for an agent. */
export function vote(address: string, note: string, asking: Asking & { slug?: string } = {}): Promise<Answer> {
  const { slug = 'one', ...rest } = asking;
  return postJson(address, `${new URL(address).pathname}api/feedback`, { slug, vote: 'yes', note }, rest);
}

/** The notes in a vote log: every line is a whole record. */
export function notesIn(log: string): string[] {
  return readFileSync(log, 'utf8')
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => (JSON.parse(line) as { note: string }).note);
}

/**
 * Votes from `clients` connections at once, each vote with a different note, until the server has ended or the voting
 * is stopped. Each client waits `pauseMs` milliseconds after a vote.
 */
export function startVoting(address: string, { clients = 16, name = 'n', pauseMs = 0 } = {}) {
  const agent = new http.Agent({ keepAlive: true, maxSockets: clients });
  const acknowledged: string[] = [];
  /** What was answered otherwise: `<status> <note>`. */
  const refused: string[] = [];
  let going = true;
  let count = 0;
  const working = Array.from({ length: clients }, async () => {
    while (going) {
      count += 1;
      const note = `${name}-${count}`;
      try {
        const { status } = await vote(address, note, { agent, headers: { 'x-note': note } });
        if (status === 200) acknowledged.push(note);
        else refused.push(`${status} ${note}`);
        if (pauseMs > 0) await sleep(pauseMs);
      } catch {
        // The server is gone, or closed this connection.
        if (going) await sleep(2);
      }
    }
  });
  return {
    acknowledged,
    refused,
    async stop() {
      going = false;
      await Promise.all(working);
      agent.destroy();
    },
  };
}

/** Fails unless every acknowledged vote is in the log, and none is there twice. */
export function assertKept(acknowledged: readonly string[], logs: readonly string[]): void {
  const found = logs.flatMap(notesIn);
  const kept = new Set(found);
  assert.equal(
    acknowledged.filter((note) => !kept.has(note)),
    [],
    'acknowledged, but missing',
  );
  assert.is(kept.size, found.length, 'a vote is there twice');
}
