import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Measured } from './build-once.ts';
import { generateCatalog } from './generate.ts';

const rounds = 3;

/**
 * Builds 1,000 and 10,000 generated agents and prints the time of each stage, the peak memory, and the ratio to merely
 * reading the sources and writing the same bytes. Each figure is the median of three interleaved rounds, each in a
 * process and a folder of its own. Before them one build draws every social image and keeps it for the others.
 */
export default async function benchmarkBuild(): Promise<void> {
  for (const count of [1_000, 10_000]) {
    const folder = mkdtempSync(join(tmpdir(), 'catalog-bench-'));
    try {
      generateCatalog(join(folder, 'catalog'), count, new URL('../catalog.config.json', import.meta.url));
      const cold = once('build', folder, 'dist-cold');
      const runs = Array.from({ length: rounds }, (_, round) => ({
        copy: once('copy', folder, `copy-${round}`),
        build: once('build', folder, `dist-${round}`),
        again: once('build', folder, `dist-${round}`),
      }));
      print(count, runs, cold);
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  }
}

function once(what: 'copy' | 'build', folder: string, out: string): Measured {
  const script = fileURLToPath(new URL('./build-once.ts', import.meta.url));
  const child = spawnSync(process.execPath, ['--import', 'tsx', script, what, folder, join(folder, out)], {
    encoding: 'utf8',
    env: { ...process.env, CATALOG_CACHE: join(folder, 'cache') },
    maxBuffer: 1 << 26,
  });
  if (child.status !== 0) throw new Error(child.stderr);
  return JSON.parse(child.stdout) as Measured;
}

function print(count: number, runs: { copy: Measured; build: Measured; again: Measured }[], cold: Measured): void {
  const of = (figure: (run: (typeof runs)[number]) => number) => median(runs.map(figure));
  console.log(
    `\n${count.toLocaleString('en')} agents, ${runs[0]?.build.files.toLocaleString('en')} files, ${mib(runs[0]?.copy.bytes ?? 0)}`,
  );
  const stages = Object.keys(runs[0]?.build.stages ?? {});
  for (const stage of stages)
    row(
      stage,
      of(({ build }) => build.stages[stage] ?? 0),
    );
  row(
    'whole build',
    of(({ build }) => build.total),
  );
  row('whole build, no picture kept', cold.total);
  row(
    'reading and writing only',
    of(({ copy }) => copy.total),
  );
  row(
    'the same build again',
    of(({ again }) => again.total),
  );
  console.log(`  build / reading and writing only   ${of(({ build, copy }) => build.total / copy.total).toFixed(2)}`);
  console.log(`  again / reading and writing only   ${of(({ again, copy }) => again.total / copy.total).toFixed(2)}`);
  console.log(
    `  per agent                          ${((of(({ build }) => build.total) / count) * 1000).toFixed(0)} µs`,
  );
  console.log(
    `  peak memory                        ${mib(of(({ build }) => build.peakBytes))} (reading and writing only ${mib(of(({ copy }) => copy.peakBytes))})`,
  );
}

function row(name: string, ms: number): void {
  console.log(`  ${name.padEnd(34)} ${ms.toFixed(0).padStart(6)} ms`);
}

function mib(bytes: number): string {
  return `${(bytes / 1_048_576).toFixed(0)} MiB`;
}

function median(values: number[]): number {
  return [...values].sort((a, b) => a - b)[values.length >> 1] ?? 0;
}
