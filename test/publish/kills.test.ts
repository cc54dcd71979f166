import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { loadSettings } from '../../src/content/settings.ts';
import { addDays } from '../../src/lib/calendar.ts';
import { publish } from '../../src/publish/publish.ts';
import { bundleModule } from '../../tools/bundle-module.ts';
import { inFolder, type SmallAgent, writeCatalog, writeFiles } from '../support/catalog.ts';
import { gitSync, identity } from '../support/git.ts';
import { inherited } from '../support/process.ts';

/** A run of `publish --push` that is killed at any moment is finished or undone by the next one. */

/** How many times the run is killed. Set ROUNDS=50 for a long run by hand. */
const rounds = Number(process.env.ROUNDS ?? 4);
/** The seed of the random moments; SEED=<number> repeats a run or tries others. */
const seed = Number(process.env.SEED ?? 1);

const child = bundleModule(new URL('../support/publish-child.mjs', import.meta.url));
const day = (index: number) => addDays('2026-01-01', index);
const agentOf = (index: number): SmallAgent => ({ slug: `agent-${index}`, date: day(index) });

function push(cwd: string, today: string) {
  const settings = loadSettings(cwd, {}, {});
  const steps = { commit: true, push: true, dryRun: false };
  return publish({ cwd, settings, today, ...steps, allowDirty: false, allowBehind: false });
}

interface Clones {
  remote: string;
  clone: string;
  rival: string;
}

/** A bare repository with two clones; every step of git that has a hook is slow in the first of them. */
async function withClones(agents: SmallAgent[], use: (clones: Clones) => Promise<void>): Promise<void> {
  const before = { ...process.env };
  Object.assign(process.env, identity);
  try {
    await inFolder(async (folder) => {
      const [remote, clone, rival] = ['remote.git', 'clone', 'rival'].map((name) => join(folder, name)) as [
        string,
        string,
        string,
      ];
      mkdirSync(clone);
      writeCatalog(clone, agents, { queueWarningDays: 0 });
      gitSync(folder, 'init', '--quiet', '--bare', '--initial-branch', 'main', remote);
      gitSync(clone, 'init', '--quiet', '--initial-branch', 'main');
      gitSync(clone, 'remote', 'add', 'origin', remote);
      gitSync(clone, 'add', '--all');
      gitSync(clone, 'commit', '--quiet', '-m', 'Start');
      gitSync(clone, 'push', '--quiet', '--set-upstream', 'origin', 'main');
      gitSync(folder, 'clone', '--quiet', remote, rival);
      for (const hook of ['pre-commit', 'post-commit', 'pre-push', 'post-merge', 'reference-transaction']) {
        const seconds = hook === 'reference-transaction' ? '0.01' : '0.05';
        writeFileSync(join(clone, '.git/hooks', hook), `#!/bin/sh\nexec sleep ${seconds}\n`, { mode: 0o755 });
      }
      await use({ remote, clone, rival });
    });
  } finally {
    for (const key of Object.keys(identity)) delete process.env[key];
    Object.assign(process.env, before);
  }
}

/** Starts a run and kills it after this many milliseconds, with or without its git processes. */
async function killRun(clone: string, today: string, afterMs: number, whole: boolean): Promise<void> {
  const running = spawn(process.execPath, [child, clone, today], {
    detached: true,
    env: inherited(identity),
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  const ended = once(running, 'close');
  await Promise.race([once(running.stdout, 'data'), ended]);
  running.stdout.resume();
  await pause(afterMs);
  try {
    process.kill(whole ? -(running.pid as number) : (running.pid as number), 'SIGKILL');
  } catch {
    // The process has already ended.
  }
  await ended;
}

/** Pushes a change of someone else. The git of a killed run may still be pushing at the same time. */
function gain(rival: string, text: string): void {
  writeFiles(rival, { 'README.md': text });
  gitSync(rival, 'add', '--all');
  gitSync(rival, 'commit', '--quiet', '-m', 'Change the README');
  for (let tries = 10; ; tries -= 1) {
    gitSync(rival, 'pull', '--quiet', '--rebase');
    try {
      gitSync(rival, 'push', '--quiet');
      return;
    } catch (error) {
      if (tries === 1) throw error;
    }
  }
}

/** The numbers on the remote, by slug. */
function numbers(remote: string): Record<string, number> {
  const lines = gitSync(remote, 'grep', '-E', '^issue: ', 'main', '--', 'agents').split('\n');
  return Object.fromEntries(
    lines.map((line) => [line.split('/')[1], Number(line.slice(line.lastIndexOf(' ') + 1))] as const),
  );
}

/** A killed run must leave none of this after the next run. */
function assertWhole({ remote, clone }: Clones, what: string): void {
  assert.is(gitSync(clone, 'status', '--porcelain', '--ignored'), '', what);
  assert.is(gitSync(clone, 'rev-parse', 'HEAD'), gitSync(remote, 'rev-parse', 'main'), what);
  const files = readdirSync(join(clone, '.git'), { recursive: true, encoding: 'utf8' });
  assert.equal(
    files.filter((name) => name.endsWith('.lock')),
    [],
    what,
  );
}

test(`${rounds} runs killed at random moments are each finished or undone by the next, even if the remote moved`, () =>
  withClones(
    Array.from({ length: rounds + 1 }, (_, index) => agentOf(index)),
    async (clones) => {
      const { remote, clone, rival } = clones;
      const random = randomFrom(seed);
      const begun = performance.now();
      await push(clone, day(0));
      const usualMs = performance.now() - begun;
      for (let round = 1; round <= rounds; round += 1) {
        const [when, how, early, late] = [random(), random(), random(), random()];
        const what = `round ${round} of seed ${seed}, killed after ${Math.round(when * usualMs)} of ${Math.round(usualMs)} ms`;
        if (early < 0.4) gain(rival, `Before round ${round}.\n`);
        await killRun(clone, day(round), when * usualMs, how < 0.5);
        if (late < 0.3) gain(rival, `After the kill of round ${round}.\n`);
        else if (late < 0.6) {
          gitSync(rival, 'pull', '--quiet', '--rebase');
          await push(rival, day(round));
        }
        await push(clone, day(round)).catch((error) => {
          throw new Error(`${what}: ${(error as Error).stack}`);
        });
        assert.is(numbers(remote)[`agent-${round}`], round + 1, what);
        assertWhole(clones, what);
      }
      assert.equal(
        Object.values(numbers(remote)).sort((a, b) => a - b),
        Array.from({ length: rounds + 1 }, (_, index) => index + 1),
      );
      assert.is(gitSync(remote, 'log', '--merges', '--oneline', 'main'), '');
    },
  ));

/** Mulberry32: repeatable numbers from 0 to 1. */
function randomFrom(start: number): () => number {
  let state = start;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let value = Math.imul(state ^ (state >>> 15), 1 | state);
    value = (value + Math.imul(value ^ (value >>> 7), 61 | value)) ^ value;
    return ((value ^ (value >>> 14)) >>> 0) / 4_294_967_296;
  };
}

test.run();
