import type { Measured } from './load.ts';
import { median } from './report.ts';
import type { Generator, Server } from './servers.ts';

/** How much is measured: rounds, and the milliseconds of one measurement. */
export interface Extent {
  rounds: number;
  readSeconds: number;
  voteMs: number;
  warmMs: number;
}

/** What a part of the benchmark works with. */
export interface Contest {
  /** For the data of the servers. */
  folder: string;
  /** The build that they serve. */
  dist: string;
  /** The path of the document that is read. */
  document: string;
  extent: Extent;
  generator: Generator;
  /** The servers that run, by name; all are stopped at the end. */
  servers: Record<string, Server>;
}

/** A measurement with the CPU time that an answer cost the server, in microseconds. */
export interface Round extends Measured {
  cpu: number;
}

/** What was measured of a contest: a list of rounds by server. */
export type Outcome = Record<string, Round[]>;

/** Lets each server take its turn in each round, so that what else the machine does hits all alike. */
export async function hold(
  servers: Record<string, Server>,
  names: readonly string[],
  rounds: number,
  measure: (server: string) => Promise<Measured>,
): Promise<Outcome> {
  const outcome: Outcome = Object.fromEntries(names.map((name) => [name, []]));
  for (let round = 0; round < rounds; round += 1) {
    for (const name of round % 2 === 0 ? names : names.toReversed()) {
      const { cpuMs } = servers[name] as Server;
      const before = cpuMs();
      const measured = await measure(name);
      outcome[name]?.push({ ...measured, cpu: ((cpuMs() - before) * 1000) / measured.answers });
    }
  }
  return outcome;
}

/** A figure of a server: the median of the rounds. */
export function figure(outcome: Outcome, server: string, key: keyof Round): number {
  return median((outcome[server] ?? []).map((round) => round[key]));
}

/** A figure of a server, by default its answers, divided by the figure of `other`: the median of the rounds' ratios. */
export function ratio(outcome: Outcome, server: string, other: string, key: keyof Round = 'rate'): number {
  return median((outcome[server] ?? []).map((round, at) => round[key] / (outcome[other]?.[at]?.[key] ?? Number.NaN)));
}

/** The same by the CPU time of an answer, which what else runs on the machine disturbs less. */
export function cpuRatio(outcome: Outcome, server: string, other: string): number {
  return figure(outcome, other, 'cpu') / figure(outcome, server, 'cpu');
}

/** Whether an aim is met, in words. */
export function aim(text: string, met: boolean): string {
  return `${text}: ${met ? 'met' : 'MISSED'}`;
}

/** A line of a table. */
export function row(name: string, cells: string[]): string {
  return `  ${name.padEnd(15)}${cells.map((cell, index) => (index === cells.length - 1 ? `  ${cell}` : cell.padStart(11))).join('')}`.trimEnd();
}
