import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { get } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startDev } from '../../src/build/dev/preview.ts';
import { readAgents } from '../../src/content/read.ts';
import { serverLog } from '../../src/server/log.ts';
import { generateCatalog } from './generate.ts';
import { median } from './report.ts';

const rounds = 15;
const budgets = [
  [1_000, 50],
  [10_000, 150],
] as const;

/**
 * Edits an agent of 1,000 and of 10,000 generated ones under `catalog dev`, and prints the time from saving until the
 * pages that show it are rendered again: its own page, the first page of its category, and the home page, which are open
 * in three tabs. Medians, for a change of the prompt and of the title, which lists show. `ratio` compares the processor
 * time with the time to read all files of the catalog once.
 */
export default async function benchmarkDev(): Promise<void> {
  for (const [count, budgetMs] of budgets) {
    const folder = mkdtempSync(join(tmpdir(), 'catalog-bench-'));
    try {
      generateCatalog(folder, count, new URL('../../catalog.config.json', import.meta.url));
      await measure(folder, count, budgetMs);
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  }
}

async function measure(folder: string, count: number, budgetMs: number): Promise<void> {
  let updates = 0;
  const waiting = new Map<number, () => void>();
  const nth = (number: number) => new Promise<void>((done) => waiting.set(number, done));
  const begun = performance.now();
  let isWatched = false;
  let isReady: (errors: number) => void;
  const ready = new Promise<number>((done) => (isReady = done));
  const dev = await startDev({
    cwd: folder,
    today: '2026-11-21',
    port: '0',
    cache: null,
    environment: {},
    log: serverLog('warn'),
    poll: false,
    onUpdate({ changes, isComplete, errors }) {
      updates += 1;
      // The first update with changes of all agents is the one after which nothing can be missed.
      isWatched ||= changes?.agents === 'all';
      if (isWatched && isComplete) isReady(errors.length);
      waiting.get(updates)?.();
    },
    onFallback: (code) => console.log(`  files are checked every second (${code})`),
  });
  const first = performance.now() - begun;
  if ((await ready) > 0) throw new Error('The generated agents have errors, whose report would be measured too.');
  const slug = `agent-${String(count / 2).padStart(5, '0')}`;
  const category = /^category: (.*)$/m.exec(readFileSync(join(folder, 'agents', slug, 'agent.md'), 'utf8'))?.[1];
  const tabs = ['/', `/agents/${slug}`, `/categories/${category}`].map((path) => open(dev, path));
  await Promise.all(tabs.map(({ opened }) => opened));
  const yardstick = cpuOf(() => {
    for (const { files } of readAgents(folder)) files.length;
  });

  console.log(`\n${count.toLocaleString('en')} agents (first page after ${(first / 1000).toFixed(1)} s)`);
  for (const [what, file, key] of [
    ['prompt', 'prompt.txt', '- '],
    ['title', 'agent.md', 'title: '],
  ] as const) {
    const path = join(folder, 'agents', slug, file);
    const text = readFileSync(path, 'utf8');
    const runs: { ms: number; cpu: number }[] = [];
    for (let round = 0; round < rounds; round += 1) {
      await new Promise((done) => setTimeout(done, 150));
      const done = nth(updates + 1);
      const cpu = process.cpuUsage();
      const saved = performance.now();
      writeFileSync(path, text.replace(key, `${key}Round${round} `));
      await done;
      runs.push({ ms: performance.now() - saved, cpu: msOf(process.cpuUsage(cpu)) });
    }
    const ms = median(runs.map((run) => run.ms));
    const cpu = median(runs.map((run) => run.cpu));
    console.log(
      `  ${what} saved to pages rendered  ${ms.toFixed(0).padStart(5)} ms (at most ${budgetMs}), ` +
        `${cpu.toFixed(0)} ms of processor time, ratio ${(cpu / yardstick).toFixed(3)}`,
    );
  }
  for (const tab of tabs) tab.close();
  await dev.close();
}

/** Opens a page as a browser does, and stays connected. */
function open({ address }: { address: string }, path: string): { opened: Promise<void>; close(): void } {
  let opened = () => {};
  const request = get(`${address}__dev/events?path=${path}`, (response) => response.on('data', () => opened()));
  return { opened: new Promise((done) => (opened = done)), close: () => request.destroy() };
}

function cpuOf(work: () => void): number {
  const before = process.cpuUsage();
  work();
  return msOf(process.cpuUsage(before));
}

function msOf({ user, system }: NodeJS.CpuUsage): number {
  return (user + system) / 1_000;
}
