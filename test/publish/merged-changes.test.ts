import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { loadContent } from '../../src/content/load.ts';
import { select } from '../../src/content/schedule.ts';
import { loadSettings } from '../../src/content/settings.ts';
import { inFolder, writeCatalog } from '../support/catalog.ts';
import { commitAt, gitSync } from '../support/git.ts';
import { catalog } from '../support/process.ts';
import {
  agent,
  announced,
  built,
  commit,
  drop,
  errors,
  move,
  plan,
  published,
  put,
  remove,
  today,
  withRecord,
} from '../support/record.ts';
import { render } from '../support/render.ts';

/**
 * Changes of published agents that were merged in spite of their errors. The history still shows what was published.
 */

test('a build that skips errors keeps the pages of published agents, with their recorded numbers and dates', () =>
  withRecord((folder) => {
    put(folder, agent('one', 30, { issue: '9' }), agent('two', 2, { draft: 'true' }));
    move(folder, 'three', 'trois');
    assert.equal(built(folder), { one: 1, two: 2, trois: 3 });
    const content = loadContent(folder, loadSettings(folder, {}, {}), today);
    assert.is(content.folders.find(({ slug }) => slug === 'one')?.agent?.date, '2026-01-01');
    assert.is(select(content, { today }).errors.length, 4);
  }));

test('a published agent whose date was moved to the future, and merged anyway, keeps its page and its date', () =>
  withRecord((folder) => {
    put(folder, { slug: 'two', date: '2099-12-24', front: { issue: '2' } });
    commit(folder);
    assert.equal(errors(folder), ['record/date two/agent.md:3 Write `date: 2026-01-02`.']);
    assert.equal(built(folder), { one: 1, two: 2, three: 3 });
    const { folders } = loadContent(folder, loadSettings(folder, {}, {}), today);
    assert.is(folders.find(({ slug }) => slug === 'two')?.agent?.date, '2026-01-02');
  }));

test('several published agents that were moved together, and merged anyway, all keep their pages and their dates', () =>
  withRecord((folder) => {
    for (const days of [
      ['2099-12-24', '2099-12-25'],
      ['2026-01-07', '2026-01-08'],
    ]) {
      const [two = '', three = ''] = days;
      put(
        folder,
        { slug: 'two', date: two, front: { issue: '2' } },
        { slug: 'three', date: three, front: { issue: '3' } },
        agent('four', 5, { issue: '4' }),
      );
      commit(folder);
      assert.equal(errors(folder), [
        'record/date three/agent.md:3 Write `date: 2026-01-03`.',
        'record/date two/agent.md:3 Write `date: 2026-01-02`.',
      ]);
      assert.equal(built(folder), { one: 1, two: 2, three: 3, four: 4 });
    }
  }));

test('a published agent that was moved to a later date, and merged anyway, keeps its date when that day has come', () =>
  withRecord((folder) => {
    put(folder, agent('two', 5, { issue: '2' }));
    commit(folder);
    move(folder, 'two', 'deux');
    put(folder, agent('deux', 5, { issue: '2', formerSlugs: '[two]' }), agent('four', 5, { issue: '4' }));
    commit(folder);
    assert.equal(errors(folder), ['record/date deux/agent.md:3 Write `date: 2026-01-02`.']);
    assert.equal(built(folder), { one: 1, deux: 2, three: 3, four: 4 });
  }));

test('the newest agent that was moved to a later date, and merged anyway, does not take that date from another', () =>
  withRecord((folder) => {
    put(folder, { slug: 'three', date: today, front: { issue: '3' } }, { slug: 'today', date: today });
    commit(folder);
    assert.equal(plan(folder), { numbers: { today: 4 }, skipped: [], notices: [] });
    assert.equal(errors(folder), ['record/date three/agent.md:3 Write `date: 2026-01-03`.']);
  }));

test('a published agent that was moved to the date of an earlier one, and merged anyway, keeps its date', () =>
  withRecord((folder) => {
    put(folder, agent('three', 2, { issue: '3' }), { slug: 'today', date: today });
    commit(folder);
    assert.equal(errors(folder), ['record/date three/agent.md:3 Write `date: 2026-01-03`.']);
    assert.equal(plan(folder), { numbers: { today: 4 }, skipped: [], notices: [] });
  }));

test('a date in order that was changed long ago stays, whatever other agents have', () =>
  withRecord(
    (folder) => {
      put(folder, agent('two', 3, { issue: '2' }));
      commit(folder);
      put(folder, agent('late', 2));
      commit(folder);
      assert.equal(errors(folder), ['date/backdated late/agent.md:3 Choose a later date; 2026-02-01 is free.']);
    },
    [agent('one', 1, { issue: '1' }), agent('two', 2, { issue: '2' }), agent('three', 5, { issue: '3' })],
  ));

test('a published agent with another number, merged anyway, does not conflict with its own date', () =>
  withRecord((folder) => {
    put(folder, agent('two', 2, { issue: '30' }), { slug: 'today', date: today });
    commit(folder);
    assert.equal(errors(folder), ['issue/order two/agent.md:30 Restore the original dates and numbers from git.']);
    assert.equal(plan(folder), { numbers: { today: 31 }, skipped: [], notices: [] });
  }));

test('a number that was typed into a future agent, and merged anyway, blocks no other agent, now or on its date', () =>
  withRecord((folder) => {
    put(folder, { slug: 'eager', date: '2099-12-25', front: { issue: '4' } }, { slug: 'today', date: today });
    commit(folder);
    assert.equal(errors(folder), [`issue/early eager/agent.md:30 ${drop}`]);
    // No. 4 was never visible, but it is in the record.
    assert.equal(plan(folder), { numbers: { today: 5 }, skipped: [], notices: [] });
    put(folder, { slug: 'today', date: today, front: { issue: '5' } });
    commit(folder);
    put(folder, { slug: 'christmas', date: '2099-12-26' });
    const { numbers, skipped } = plan(folder, '2099-12-26');
    assert.equal({ numbers, skipped }, { numbers: { christmas: 6 }, skipped: [] });
    assert.is(built(folder, '2099-12-26').eager, 4);
  }));

test('an agent that was merged with a number before its day can be published earlier with it', () =>
  withRecord((folder) => {
    put(folder, { slug: 'eager', date: '2099-12-25', front: { issue: '4' } });
    commit(folder);
    put(folder, { slug: 'eager', date: today, front: { issue: '4' } });
    assert.equal(errors(folder), []);
    assert.equal(built(folder), { one: 1, two: 2, three: 3, eager: 4 });
  }));

test('if a copy was merged anyway, the older folder keeps its number and date', () =>
  withRecord((folder) => {
    put(folder, agent('a-copy', 3, { issue: '3' }), { slug: 'today', date: today });
    commit(folder);
    assert.equal(plan(folder), { numbers: { today: 4 }, skipped: ['a-copy'], notices: [] });
    assert.equal(built(folder), { one: 1, two: 2, three: 3, today: 4 });
  }));

test('of two agents that got one number in one commit, the one with the earlier date keeps it', () =>
  withRecord(
    (folder) => {
      assert.equal(built(folder), { one: 1, second: 2 });
      assert.equal(plan(folder), { numbers: {}, skipped: ['later'], notices: [] });
    },
    [agent('one', 1, { issue: '1' }), agent('later', 3, { issue: '2' }), agent('second', 2, { issue: '2' })],
  ));

test('of two agents that got one number in two commits, the one that got it first keeps it', () =>
  withRecord((folder) => {
    put(folder, agent('late', 8, { issue: '4' }));
    commit(folder);
    put(folder, agent('early', 7, { issue: '4' }));
    commit(folder);
    assert.equal(plan(folder).skipped, ['early']);
    assert.is(built(folder).late, 4);
  }));

test('a merged deletion frees no number, and the notice says how to restore the agent', () =>
  withRecord((folder) => {
    remove(folder, 'three');
    commit(folder);
    put(folder, { slug: 'today', date: today });
    commit(folder);
    const removal = gitSync(folder, 'rev-parse', 'HEAD^').slice(0, 12);
    assert.equal(plan(folder), {
      numbers: { today: 4 },
      skipped: [],
      notices: [
        `No. 3 was published as three and removed by commit ${removal}; no other agent gets this number. Restore the agent with git checkout ${removal}^ -- agents/three.`,
      ],
    });
    assert.is(built(folder).today, 4);
    gitSync(folder, 'checkout', '--quiet', `${removal}^`, '--', 'agents/three');
    assert.equal(plan(folder), { numbers: { today: 4 }, skipped: [], notices: [] });
    assert.is(built(folder).three, 3);
  }));

test('the number of a deleted agent is not announced if a later agent has a higher one', () =>
  withRecord((folder) => {
    remove(folder, 'two');
    commit(folder);
    put(folder, { slug: 'today', date: today });
    commit(folder);
    assert.equal(plan(folder), { numbers: { today: 4 }, skipped: [], notices: [] });
  }));

test('of an agent that was renamed without a redirect, the notice names the address that was lost', () =>
  withRecord((folder) => {
    remove(folder, 'three');
    put(folder, agent('third', 3, { issue: '3' }), { slug: 'today', date: today });
    commit(folder);
    assert.equal(plan(folder).notices, [
      'No. 3 was published as three, and that address no longer works. Add the line `formerSlugs: [three]` to agents/third/agent.md.',
    ]);
    put(folder, agent('third', 3, { issue: '3', formerSlugs: '[three]' }));
    commit(folder);
    assert.equal(plan(folder).notices, []);
  }));

test('of an agent that was renamed and then deleted, the notice names the last folder', () =>
  withRecord((folder) => {
    remove(folder, 'three');
    put(folder, agent('third', 3, { issue: '3', formerSlugs: '[three]' }));
    commit(folder);
    remove(folder, 'third');
    commit(folder);
    put(folder, { slug: 'today', date: today });
    commit(folder);
    const [notice = ''] = plan(folder).notices;
    assert.match(notice, 'No. 3 was published as third and removed by');
  }));

test('the number of a deleted agent is never announced for the next one, even on a day without an agent', () =>
  withRecord(async (folder) => {
    remove(folder, 'three');
    commit(folder);
    put(folder, { slug: 'tomorrow', date: '2026-02-02' });
    commit(folder);
    const { stdout } = await catalog(['status', '--format', 'json', '--cwd', folder, '--today', today]);
    assert.is(JSON.parse(stdout).next.issue, 4);
    assert.is(announced(folder), 4);
    const preview = render(folder, { today, future: true });
    assert.is(JSON.parse(preview.get('api/agents/tomorrow.json') ?? '').agent.issue, 4);
    assert.equal(plan(folder, '2026-02-02').numbers, { tomorrow: 4 });
  }));

test('an agent whose number was replaced by `draft: true`, and that is due again, gets no new number', () =>
  withRecord((folder) => {
    put(folder, agent('three', 3, { draft: 'true' }));
    commit(folder);
    put(folder, agent('three', 3), { slug: 'today', date: today });
    commit(folder);
    assert.equal(plan(folder).numbers, { today: 4 });
    assert.equal(plan(folder).skipped, ['three']);
    assert.match(errors(folder).join(), /record\/issue three\/agent\.md:3 Put the line `issue: 3` back/);
    put(folder, agent('three', 3, { issue: '3' }));
    assert.equal(errors(folder), []);
  }));

test('numbers of branches that were merged later, and numbers removed before their date, are free', () =>
  withRecord((folder) => {
    gitSync(folder, 'checkout', '--quiet', '-b', 'proposal');
    put(folder, agent('new', 20, { issue: '900' }));
    commit(folder);
    put(folder, agent('new', 20));
    commit(folder);
    gitSync(folder, 'checkout', '--quiet', 'main');
    put(folder, { slug: 'eager', date: '2099-12-25', front: { issue: '800' } });
    commit(folder);
    put(folder, { slug: 'eager', date: '2099-12-25' });
    commit(folder);
    gitSync(folder, 'merge', '--quiet', '--no-edit', 'proposal');
    assert.equal(plan(folder), { numbers: { new: 4 }, skipped: [], notices: [] });
  }));

/** The last second before January 3 begins anywhere, and the first one after it. */
const nights: [instant: string, isThird: boolean][] = [
  ['2026-01-02T09:59:59Z', false],
  ['2026-01-02T10:00:00Z', true],
];

for (const [instant, isThird] of nights) {
  test(`the number of January 3, deleted at ${instant}, is ${isThird ? 'never given again' : 'free'}`, () =>
    inFolder((folder) => {
      publishedEarly(folder);
      remove(folder, 'three');
      put(folder, agent('four', 4));
      commitAt(folder, instant);
      assert.equal(plan(folder, '2026-01-04').numbers, { four: isThird ? 4 : 3 });
    }));

  test(`the date January 3, moved at ${instant}, ${isThird ? 'stays' : 'may move'}`, () =>
    inFolder((folder) => {
      publishedEarly(folder);
      put(folder, { slug: 'three', date: '2099-12-24', front: { issue: '3' } });
      commitAt(folder, instant);
      assert.equal(built(folder), isThird ? { one: 1, two: 2, three: 3 } : { one: 1, two: 2 });
    }));
}

/** Makes a repository that got the agents of January 1 to 3 on January 1. */
function publishedEarly(folder: string): void {
  writeCatalog(folder, published);
  gitSync(folder, 'init', '--quiet', '--initial-branch', 'main');
  commitAt(folder, '2026-01-01T12:00:00Z');
}

for (const [instant, isThird] of nights) {
  test(`on January 2, the number of January 3 is ${isThird ? 'published' : 'early'} if main is from ${instant}`, () =>
    inFolder((folder) => {
      writeCatalog(folder, published);
      gitSync(folder, 'init', '--quiet', '--initial-branch', 'main');
      commitAt(folder, instant);
      assert.equal(errors(folder, '2026-01-02'), isThird ? [] : [`issue/early three/agent.md:30 ${drop}`]);
      if (isThird) assert.is(announced(folder, '2026-01-02'), 3);
    }));
}

for (const [what, attributes, env] of [
  ['if attributes hide changes of files', 'agents/** -diff', {}],
  ['in a hook of `git --literal-pathspecs`, as Magit runs it', '', { GIT_LITERAL_PATHSPECS: '1' }],
] as const) {
  test(`the number of a deleted agent stays taken ${what}`, () =>
    withRecord(async (folder) => {
      remove(folder, 'three');
      commit(folder);
      put(folder, { slug: 'today', date: today });
      commit(folder);
      writeFileSync(join(folder, '.git/info/attributes'), attributes);
      const { stderr } = await catalog(['publish', '--dry-run', '--cwd', folder, '--today', today], { env });
      assert.match(stderr, 'Would publish No. 4: ');
    }));
}

test('a history that git cannot read does not stop a run, which says that numbers of deleted agents are unknown', () =>
  withRecord((folder) => {
    put(folder, { slug: 'today', date: today });
    commit(folder);
    const parent = gitSync(folder, 'rev-parse', 'HEAD~1').trim();
    rmSync(join(folder, '.git/objects', parent.slice(0, 2), parent.slice(2)));
    const { numbers, notices } = plan(folder);
    assert.equal(numbers, { today: 4 });
    assert.match(notices.join(), /^Numbers of deleted agents are unknown: git cannot read the history \(.+\)\.$/);
  }));

test.run();
