import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { pino } from 'pino';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { Console } from '../../src/cli/console.ts';
import { CatalogBuilder, daily } from '../../src/cli/nightly-build.ts';
import { readPublished } from '../../src/storage/build-folder.ts';
import { inFolder, type SmallAgent, writeCatalog, writeFiles } from '../support/catalog.ts';
import { until } from '../support/until.ts';
import { written } from '../support/written.ts';

/** A server with --build serves the last good build, whatever happens to the catalog, and builds again once it can. */

const agents: SmallAgent[] = [
  { slug: 'one', date: '2026-01-01', front: { issue: '1' } },
  { slug: 'two', date: '2026-01-02', front: { issue: '2' } },
];
const broken = { 'prompt.txt': 'No sections.\n' };

/** Starts a builder for the catalog in `folder`. Returns its error, its messages and the slugs of the build. */
async function start(folder: string) {
  const [messages, log] = [new PassThrough(), new PassThrough()];
  const dist = join(folder, 'dist');
  const environment = { CATALOG_CACHE: process.env.CATALOG_CACHE };
  const terminal = new Console(new PassThrough(), messages, {});
  const builder = new CatalogBuilder({ cwd: folder, dist, flags: {}, environment, terminal, log: pino(log) });
  let error: Error | undefined;
  try {
    await builder.start(3000);
  } catch (thrown) {
    error = thrown as Error;
  }
  builder.stop();
  const slugs = error === undefined ? [...readPublished(dist).titles.keys()].sort() : [];
  return { error, messages: written(messages), log: written(log), slugs };
}

test('a due agent with an error is skipped, and the rest of the catalog is built', () =>
  inFolder(async (folder) => {
    writeCatalog(folder, [...agents, { slug: 'new', date: '2026-01-03', files: broken }]);
    const { error, messages, log, slugs } = await start(folder);
    assert.is(error, undefined);
    assert.equal(slugs, ['one', 'two']);
    assert.match(messages, 'prompt/sections');
    assert.match(log, '"agents":["new"],"msg":"skipped agents that have errors"');
  }));

const faults: [name: string, agent: string, breakIt: Record<string, string>, told: RegExp][] = [
  ['a numbered agent is broken', 'agents/two', broken, /prompt\/sections/],
  ['an agent without a number that is published is broken', 'agents/late', broken, /prompt\/sections/],
  ['the settings are broken', '.', { 'catalog.config.json': '{' }, /catalog\.config\.json/],
];

for (const [name, path, files, told] of faults) {
  test(`when ${name}, the last good build is served`, () =>
    inFolder(async (folder) => {
      writeCatalog(folder, [...agents, { slug: 'late', date: '2026-01-03' }]);
      assert.is((await start(folder)).error, undefined);
      writeFiles(join(folder, path), files);
      const { error, messages, log, slugs } = await start(folder);
      assert.is(error, undefined);
      assert.equal(slugs, ['late', 'one', 'two']);
      assert.match(messages + log, told);
      assert.match(log, 'still serving the last good build');
    }));
}

test('without an earlier build, a catalog that cannot be built stops the server with its diagnostics', () =>
  inFolder(async (folder) => {
    writeCatalog(folder, agents);
    writeFiles(join(folder, 'agents/two'), broken);
    assert.is((await start(folder)).error?.name, 'ContentError');
  }));

interface Played {
  /** The days that the clock shows, one after another. The last one stays. */
  days: string[];
  done: string | null;
  /** How many attempts fail at first. */
  failures: number;
  /** The days for which the task was attempted. */
  tries: string[];
}

const played: { name: string; given: Played }[] = [
  {
    name: 'a day that is done is left alone until the next',
    given: { days: ['01-01', '01-01', '01-02'], done: '01-01', failures: 0, tries: ['01-02'] },
  },
  {
    name: 'a task that fails is tried again',
    given: { days: ['01-01', '01-02'], done: '01-01', failures: 2, tries: ['01-02', '01-02', '01-02'] },
  },
  {
    name: 'a task that failed before the start is tried soon',
    given: { days: ['01-01'], done: null, failures: 0, tries: ['01-01'] },
  },
  {
    name: 'a clock that was ahead and is set right brings the day back',
    given: { days: ['01-09', '01-02'], done: '01-09', failures: 0, tries: ['01-02'] },
  },
];

for (const { name, given } of played) {
  test(`daily: ${name}`, async () => {
    const { days, done } = given;
    let [looks, left] = [0, given.failures];
    const tries: string[] = [];
    const today = () => days[Math.min(looks++, days.length - 1)] as string;
    const end = daily({
      done,
      today,
      untilTomorrow: () => 0,
      retryMs: 1,
      async task() {
        tries.push(days[Math.min(looks, days.length) - 1] as string);
        if (left-- > 0) throw new Error('not yet');
      },
    });
    try {
      await until(() => tries.length === given.tries.length && looks > tries.length + 2);
      assert.equal(tries, given.tries);
    } finally {
      end();
    }
  });
}

test('daily: a task that goes on past midnight counts for the day on which it began', async () => {
  let day = '01-02';
  const tries: string[] = [];
  const end = daily({
    done: '01-01',
    today: () => day,
    untilTomorrow: () => 0,
    async task() {
      tries.push(day);
      if (tries.length === 1) day = '01-03';
    },
  });
  try {
    await until(() => tries.length === 2);
    assert.equal(tries, ['01-02', '01-03']);
  } finally {
    end();
  }
});

test('daily: a task that runs when it is stopped is the last one', async () => {
  const real = globalThis.setTimeout;
  let [waits, finish] = [0, () => {}];
  globalThis.setTimeout = ((work: () => void) => {
    waits += 1;
    return real(work, 0);
  }) as typeof setTimeout;
  try {
    const task = () => new Promise<void>((done) => (finish = done));
    const end = daily({ done: null, today: () => '01-02', untilTomorrow: () => 0, task });
    await new Promise((next) => real(next, 5));
    end();
    finish();
    await new Promise(setImmediate);
  } finally {
    globalThis.setTimeout = real;
  }
  assert.is(waits, 1);
});

/** The day that is done at first, how many attempts fail, and how many seconds pass before each look at the clock. */
const waits: [done: string | null, failures: number, seconds: number[]][] = [
  ['01-01', 11, [60, 5, 10, 20, 40, 80, 160, 320, 640, 1280, 1800, 1800, 60, 60]],
  [null, 2, [5, 10, 20, 60]],
];
for (const [done, failures, seconds] of waits) {
  const start = done === null ? 'after a failed start' : 'later';
  test(`daily: the clock is checked every minute, and less and less often after failures, ${start}`, async () => {
    const waited: number[] = [];
    const real = globalThis.setTimeout;
    globalThis.setTimeout = ((work: () => void, ms: number) => {
      waited.push(ms / 1000);
      return real(work, waited.length < seconds.length ? 0 : 1e6);
    }) as typeof setTimeout;
    try {
      let left = failures;
      const end = daily({
        done,
        today: () => '01-02',
        untilTomorrow: () => 86_400_000,
        task: async () => {
          if (left-- > 0) throw new Error('not yet');
        },
      });
      while (waited.length < seconds.length) await new Promise((next) => real(next, 1));
      end();
    } finally {
      globalThis.setTimeout = real;
    }
    assert.equal(waited, seconds);
  });
}

test.run();
