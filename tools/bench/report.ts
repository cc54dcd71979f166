import { writeFileSync } from 'node:fs';
import { availableParallelism, cpus } from 'node:os';

/** A figure that was measured. */
export interface Figure {
  /** What was measured, such as `nothing changed, 1,000 agents`. */
  name: string;
  value: number;
  /** The unit, or the yardstick of a ratio, such as `MiB` or `× Hugo`. */
  unit: string;
  /** The largest value that is good enough, if there is an aim. */
  most?: number;
}

/** Prints figures as they are measured, and writes them as JSON at the end. */
export class Report {
  readonly #benchmark: string;
  readonly #rounds: number;
  readonly #figures: Figure[] = [];

  constructor(benchmark: string, rounds: number) {
    this.#benchmark = benchmark;
    this.#rounds = rounds;
  }

  heading(text: string): void {
    console.log(`\n${text}`);
  }

  add(figure: Figure): void {
    this.#figures.push(figure);
    const { name, value, unit, most } = figure;
    const aim = most === undefined ? '' : `  aim: at most ${most}: ${value <= most ? 'met' : 'MISSED'}`;
    console.log(`  ${name.padEnd(44)}${rounded(value).padStart(9)} ${unit.padEnd(18)}${aim}`.trimEnd());
  }

  /** Writes all figures to a file. */
  write(file: string): void {
    const machine = { node: process.version, cores: availableParallelism(), cpu: cpus()[0]?.model ?? '' };
    const report = { benchmark: this.#benchmark, rounds: this.#rounds, ...machine, figures: this.#figures };
    writeFileSync(file, `${JSON.stringify(report, null, 2)}\n`);
  }
}

/** Three significant digits, or all digits before the decimal point. */
function rounded(value: number): string {
  return value >= 100 ? value.toFixed(0) : value.toPrecision(3);
}

export function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  const middle = sorted.length >> 1;
  return sorted.length % 2 === 1 ? (sorted[middle] ?? 0) : ((sorted[middle - 1] ?? 0) + (sorted[middle] ?? 0)) / 2;
}
