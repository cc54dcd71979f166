import { appendFileSync, mkdtempSync, rmSync } from 'node:fs';
import { availableParallelism, tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { measure, type Usage } from './command.ts';
import { generateCatalog } from './generate.ts';
import { hasEleventy, hasHugo, makeEleventySite, makeHugoSite, makeSameWorkSite } from './hugo.ts';
import { median, Report } from './report.ts';

const bin = fileURLToPath(new URL('../../bin/catalog.js', import.meta.url));
const copyScript = fileURLToPath(new URL('./copy-build.mjs', import.meta.url));

/** One of the things that are measured in turn. */
type Contestant = 'node' | 'cold' | 'undrawn' | 'unchanged' | 'edited' | 'copy' | 'hugo' | 'same' | 'eleventy';

const small: readonly Contestant[] = [
  'node',
  'cold',
  'unchanged',
  'edited',
  'copy',
  'same',
  'hugo',
  'eleventy',
  'undrawn',
];
const large: readonly Contestant[] = ['cold', 'copy', 'same', 'hugo', 'eleventy'];

/**
 * Measures `catalog build` of generated catalogs: with nothing changed, after an edit, and into an empty folder, with
 * and without social images in the cache. The yardsticks are `node -e 0`, reading the sources and writing the same
 * bytes, Hugo with the same work (eight files for each agent), and Hugo and Eleventy with one page for each agent. Hugo
 * and Eleventy are measured if `hugo` and `eleventy` are installed. The contestants take turns in each round; a figure
 * is the median of rounds.
 *
 * `--quick` has one round with few agents, to see that the benchmark works. `--rounds <count>` has another number of rounds
 * than 5. `--json <file>` writes the figures to a file.
 */
export default async function benchmarkBuild(args: string[]): Promise<void> {
  const options = { quick: { type: 'boolean' }, rounds: { type: 'string' }, json: { type: 'string' } } as const;
  const { values } = parseArgs({ args, options });
  const quick = values.quick === true;
  const rounds = quick ? 1 : Number(values.rounds ?? 5);
  const report = new Report('build', rounds);
  const [few, many, most] = quick ? ([50, 100, 200] as const) : ([1_000, 10_000, 20_000] as const);
  const cold = {
    [few]: contest(report, few, rounds, small),
    [many]: contest(report, many, rounds, large, true),
    [most]: contest(report, most, rounds, ['cold']),
  };
  report.heading('Growth');
  const exponent = Math.log((cold[most] ?? 0) / (cold[few] ?? 0)) / Math.log(most / few);
  const name = `exponent of time over agents, ${few} to ${most}`;
  report.add({ name, value: exponent, unit: '', ...(quick ? {} : { most: 1 }) });
  if (values.json !== undefined) report.write(values.json);
}

/** Measures the contestants with a catalog of `count` agents. Returns the time of a cold build, in milliseconds. */
function contest(report: Report, count: number, rounds: number, all: readonly Contestant[], undrawn = false): number {
  const missing = [...(hasHugo ? [] : ['hugo', 'same']), ...(hasEleventy ? [] : ['eleventy'])];
  const contestants = all.filter((name) => !missing.includes(name));
  const folder = mkdtempSync(join(tmpdir(), 'catalog-bench-'));
  try {
    const site = new BenchSite(folder, count);
    const first = site.run('cold', 0);
    const usage = new Map<Contestant, Usage[]>(contestants.map((name) => [name, []]));
    for (let round = 1; round <= rounds; round += 1) {
      // The first one in a round is the last in the next, except that something has to be built to be unchanged.
      for (const name of round % 2 === 1 ? contestants : turned(contestants)) {
        usage.get(name)?.push(site.run(name, round));
      }
      site.clear();
    }
    if (undrawn) usage.set('undrawn', [first]);
    print(report, count, usage);
    return median((usage.get('cold') ?? []).map(({ wallMs }) => wallMs));
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** The other way around, but an edit still follows a build. */
function turned(contestants: readonly Contestant[]): Contestant[] {
  const warm = new Set<Contestant>(['cold', 'unchanged', 'edited']);
  return [
    ...contestants.filter((name) => !warm.has(name)).toReversed(),
    ...contestants.filter((name) => warm.has(name)),
  ];
}

/** A catalog, a Hugo site of the same agents, and what was built from them. */
class BenchSite {
  readonly #folder: string;
  readonly #count: number;

  constructor(folder: string, count: number) {
    this.#folder = folder;
    this.#count = count;
    generateCatalog(this.#at('catalog'), count, new URL('../../catalog.config.json', import.meta.url));
    if (hasHugo) {
      makeHugoSite(this.#at('catalog'), this.#at('hugo'));
      makeSameWorkSite(this.#at('catalog'), this.#at('same'));
    }
    if (hasEleventy) makeEleventySite(this.#at('catalog'), this.#at('eleventy'));
  }

  run(name: Contestant, round: number): Usage {
    if (name === 'node') return measure(process.execPath, ['-e', '0']);
    if (name === 'hugo' || name === 'same') {
      const out = this.#at(`${name}-public`);
      return measure('hugo', ['--quiet', '--source', this.#at(name), '--destination', out]);
    }
    if (name === 'eleventy') {
      const args = ['--quiet', '--config=eleventy.config.cjs', '--output=../eleventy-public'];
      return measure('eleventy', args, {}, this.#at(name));
    }
    if (name === 'copy') {
      return measure(process.execPath, [copyScript, this.#at('catalog'), this.#at('dist'), this.#at('copy')]);
    }
    if (name === 'undrawn') return this.#build('undrawn', this.#at(`cache-${round}`));
    if (name === 'edited') {
      const place = String(Math.floor((this.#count * round) / 7) + 1).padStart(5, '0');
      appendFileSync(join(this.#at('catalog'), 'agents', `agent-${place}`, 'prompt.txt'), `- Round ${round}\n`);
    }
    if (name !== 'cold') return this.#build('dist', this.#at('cache'));
    this.#remove('dist', 'cache/builds');
    const usage = this.#build('dist', this.#at('cache'));
    // The next build finds nothing changed, and remembers that.
    this.#build('dist', this.#at('cache'));
    return usage;
  }

  /** Removes what was written in a round. The build stays, since copying may come first in the next round. */
  clear(): void {
    this.#remove('undrawn', 'copy', 'hugo-public', 'same-public', 'eleventy-public');
  }

  #remove(...names: string[]): void {
    for (const name of names) rmSync(this.#at(name), { recursive: true, force: true });
  }

  #build(out: string, cache: string): Usage {
    const args = ['build', '--cwd', this.#at('catalog'), '--out', this.#at(out), '--today', '2026-11-21'];
    return measure(process.execPath, [bin, ...args], { CATALOG_CACHE: cache });
  }

  #at(name: string): string {
    return join(this.#folder, name);
  }
}

function print(report: Report, count: number, usage: ReadonlyMap<Contestant, readonly Usage[]>): void {
  const agents = `${count.toLocaleString('en')} agents`;
  report.heading(`${agents}, ${availableParallelism()} cores`);
  const ratio = (name: string, one: Contestant, other: Contestant, most?: number) => {
    const [left = [], right = []] = [usage.get(one), usage.get(other)];
    if (left.length === 0 || right.length === 0) return;
    const value = median(left.map(({ wallMs }, round) => wallMs / (right[round]?.wallMs ?? Number.NaN)));
    const unit = `× ${names[other]}`;
    report.add({ name: `${name}, ${agents}`, value, unit, ...(most === undefined ? {} : { most }) });
  };
  const figure = (name: string, one: Contestant, key: keyof Usage, most?: number) => {
    const all = usage.get(one) ?? [];
    if (all.length === 0) return;
    const unit = key === 'peakMib' ? 'MiB' : 'ms';
    const value = median(all.map((each) => each[key]));
    report.add({ name: `${name}, ${agents}`, value, unit, ...(most === undefined ? {} : { most }) });
  };
  // The aims are for these sizes only.
  const isSmall = count === 1_000;
  const isLarge = count === 10_000;
  ratio('nothing changed', 'unchanged', 'node', isSmall ? 3 : undefined);
  ratio('one agent edited', 'edited', 'node');
  ratio('cold, images cached', 'cold', 'same', isLarge || isSmall ? 1.5 : undefined);
  ratio('cold, images cached', 'cold', 'hugo');
  ratio('cold, images cached', 'cold', 'eleventy');
  ratio('cold, images cached', 'cold', 'copy');
  ratio('Hugo', 'hugo', 'copy');
  for (const one of ['node', 'unchanged', 'edited', 'cold', 'copy', 'same', 'hugo', 'eleventy'] as const) {
    figure(`time, ${names[one]}`, one, 'wallMs');
    figure(`processor time, ${names[one]}`, one, 'cpuMs');
  }
  figure('time, cold, no images', 'undrawn', 'wallMs', isSmall ? 6_000 : undefined);
  figure('peak memory, cold', 'cold', 'peakMib', isLarge ? 450 : undefined);
  figure('peak memory, Hugo, the same work', 'same', 'peakMib');
  figure('peak memory, Hugo', 'hugo', 'peakMib');
  figure('peak memory, Eleventy', 'eleventy', 'peakMib');
}

/** What the contestants are called in figures. */
const names: Readonly<Record<Contestant, string>> = {
  node: 'node -e 0',
  unchanged: 'nothing changed',
  edited: 'one agent edited',
  cold: 'cold, images cached',
  undrawn: 'cold, no images',
  copy: 'copying the same bytes',
  same: 'Hugo, the same work',
  hugo: 'Hugo',
  eleventy: 'Eleventy',
};
