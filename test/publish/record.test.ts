import { renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { loadContent } from '../../src/catalog/load.ts';
import { select } from '../../src/catalog/select.ts';
import { loadSettings } from '../../src/catalog/settings.ts';
import { planPublication } from '../../src/publish/plan.ts';
import { inFolder, type SmallAgent, smallAgent, writeCatalog, writeFiles } from '../support/catalog.ts';
import { commitAt, gitSync } from '../support/git.ts';
import { catalog } from '../support/process.ts';

/** Git is the record, the working tree a proposal: what was published keeps its number, its date and its address. */

const today = '2026-02-01';
const agent = (slug: string, day: number, front: Record<string, string> = {}): SmallAgent => ({
  slug,
  date: `2026-01-${String(day).padStart(2, '0')}`,
  front,
});
const published = [agent('one', 1, { issue: '1' }), agent('two', 2, { issue: '2' }), agent('three', 3, { issue: '3' })];

/** Runs `use` with a repository whose branch main holds the agents. */
async function inRepository(use: (folder: string) => void | Promise<void>, agents = published): Promise<void> {
  await inFolder(async (folder) => {
    writeCatalog(folder, agents);
    gitSync(folder, 'init', '--quiet', '--initial-branch', 'main');
    commit(folder);
    await use(folder);
  });
}

function commit(folder: string): void {
  gitSync(folder, 'add', '--all');
  gitSync(folder, 'commit', '--quiet', '-m', 'Change the agents');
}

/** Writes agents over what is there. */
function put(folder: string, ...agents: SmallAgent[]): void {
  for (const each of agents) writeFiles(join(folder, 'agents', each.slug), smallAgent(each));
}

const remove = (folder: string, slug: string) => rmSync(join(folder, 'agents', slug), { recursive: true });
const move = (folder: string, from: string, to: string) =>
  renameSync(join(folder, 'agents', from), join(folder, 'agents', to));

/** Every error: code, place, what to do. */
function errors(folder: string, day = today): string[] {
  return loadContent(folder, loadSettings(folder, {}, {}), day).diagnostics.map(
    ({ code, file, line, hint }) => `${code} ${file.replace('agents/', '')}:${line} ${hint}`,
  );
}

function plan(folder: string, day = today) {
  const { releases, skipped, notices } = planPublication(folder, loadSettings(folder, {}, {}), day);
  return {
    numbers: Object.fromEntries(releases.map(({ slug, issue }) => [slug, issue])),
    skipped: skipped.map(({ slug }) => slug),
    notices,
  };
}

/** The numbers that a build shows, leaving out what has errors, as the daily run does. */
function built(folder: string, day = today): Record<string, number> {
  const { agents } = select(loadContent(folder, loadSettings(folder, {}, {}), day), { today: day, skipInvalid: true });
  return Object.fromEntries(agents.map(({ slug, issue }) => [slug, issue]));
}

const drop = 'Delete the `issue` line; `catalog publish` writes the number on that date.';

const changes: [name: string, change: (folder: string) => void, expected: string[], next?: number][] = [
  ['nothing changed', () => {}, []],
  [
    'the latest agent deleted',
    (folder) => remove(folder, 'three'),
    [
      'record/deleted three:1 Restore it with `git checkout main -- agents/three`. To withdraw an agent, add `withdrawn: <reason>` to its front matter; to rename its folder, use `catalog rename`.',
    ],
  ],
  [
    'its number swapped for a draft',
    (folder) => put(folder, agent('three', 3, { draft: 'true' })),
    [
      'record/issue three/agent.md:30 Replace the line `draft` with `issue: 3`; to withdraw the agent, also add `withdrawn: <reason>`.',
    ],
  ],
  [
    'its number gone, and withdrawn',
    (folder) => put(folder, agent('three', 3, { withdrawn: 'Wrong.' })),
    [
      'record/issue three/agent.md:3 Put the line `issue: 3` back below the date; to withdraw the agent, also add `withdrawn: <reason>`.',
    ],
  ],
  [
    'another number',
    (folder) => put(folder, agent('three', 3, { issue: '4' })),
    ['record/issue three/agent.md:30 Write `issue: 3`.'],
  ],
  [
    'a later date, past agents that follow',
    (folder) => put(folder, agent('one', 30, { issue: '1' })),
    ['record/date one/agent.md:3 Write `date: 2026-01-01`.'],
  ],
  [
    'a folder renamed',
    (folder) => move(folder, 'two', 'deux'),
    ['record/renamed deux/agent.md:30 Add the line `formerSlugs: [two]` to this front matter.'],
  ],
  [
    'a folder renamed a second time, with the first name only',
    (folder) => {
      remove(folder, 'two');
      put(folder, agent('zwei', 2, { issue: '2', formerSlugs: '[deux]' }));
    },
    [
      'record/renamed zwei/agent.md:30 Change the line `formerSlugs` of this front matter to `formerSlugs: [deux, two]`.',
    ],
  ],
  [
    'a folder renamed as it should be, twice',
    (folder) => {
      remove(folder, 'two');
      put(folder, agent('zwei', 2, { issue: '2', formerSlugs: '[two, deux]' }));
    },
    [],
  ],
  [
    'a copied folder whose name comes first',
    (folder) => put(folder, { ...agent('copy', 3, { issue: '3' }) }),
    [
      'issue/taken copy/agent.md:30 Delete the `issue` line and change the date, which belongs to `three` too; the first free one is 2026-02-01.',
    ],
  ],
  [
    'a number typed by hand that a published agent has',
    (folder) => put(folder, agent('new', 20, { issue: '2' })),
    ['issue/taken new/agent.md:30 Delete the `issue` line; `catalog publish` writes the next number.'],
  ],
  [
    'a number typed by hand that skips one',
    (folder) => put(folder, agent('new', 20, { issue: '5' }), agent('next', 21)),
    [`issue/skipped new/agent.md:30 ${drop}`],
    5,
  ],
  [
    'a number typed by hand on a coming agent',
    (folder) => put(folder, { slug: 'new', date: '2026-02-20', front: { issue: '4' } }, agent('next', 21)),
    [`issue/early new/agent.md:30 ${drop}`],
    5,
  ],
  [
    'a number typed by hand on a draft',
    (folder) => put(folder, agent('new', 20, { issue: '4', draft: 'true' })),
    [`issue/draft new/agent.md:31 ${drop}`],
  ],
  [
    'what publish writes: the next numbers',
    (folder) => put(folder, agent('new', 20, { issue: '4' }), agent('next', 21, { issue: '5' })),
    [],
    6,
  ],
  ['withdrawn', (folder) => put(folder, agent('two', 2, { issue: '2', withdrawn: 'Wrong.' })), []],
];

for (const [name, change, expected, next = 4] of changes) {
  test(`${name}: ${expected.length === 0 ? 'no error' : 'one error, on the agent that changed'}`, () =>
    inRepository((folder) => {
      change(folder);
      assert.equal(errors(folder), expected);
      put(folder, { slug: 'today', date: today });
      // However the tree was changed, the next agent gets the next number.
      assert.is(built(folder).today, next);
      assert.is(plan(folder).numbers.today, next);
    }));
}

for (const [name, change, code] of [
  ['a folder renamed to capitals', (folder) => move(folder, 'two', 'Two'), 'folder/name'],
  [
    'front matter that cannot be read',
    (folder) => put(folder, agent('two', 2, { issue: '2', title: '"half' })),
    'front-matter/yaml',
  ],
  ['a number that is none', (folder) => put(folder, agent('two', 2, { issue: 'two' })), 'front-matter/value'],
  ['an agent.md that is gone', (folder) => rmSync(join(folder, 'agents/two/agent.md')), 'folder/missing-file'],
] as [string, (folder: string) => void, string][]) {
  test(`${name} is reported as that, and not as a change of the record too`, () =>
    inRepository((folder) => {
      change(folder);
      assert.equal(
        errors(folder).map((line) => line.split(' ')[0]),
        [code],
      );
    }));
}

test('a build that leaves out errors keeps the pages of published agents, with their recorded numbers and dates', () =>
  inRepository((folder) => {
    put(folder, agent('one', 30, { issue: '9' }), agent('two', 2, { draft: 'true' }));
    move(folder, 'three', 'trois');
    assert.equal(built(folder), { one: 1, two: 2, trois: 3 });
    const content = loadContent(folder, loadSettings(folder, {}, {}), today);
    assert.is(content.folders.find(({ slug }) => slug === 'one')?.agent?.date, '2026-01-01');
    assert.is(select(content, { today }).errors.length, 4);
  }));

test('the date of a published agent, moved to a coming day and merged all the same, keeps its page and its date', () =>
  inRepository((folder) => {
    put(folder, { slug: 'two', date: '2099-12-24', front: { issue: '2' } });
    commit(folder);
    assert.equal(errors(folder), ['record/date two/agent.md:3 Write `date: 2026-01-02`.']);
    assert.equal(built(folder), { one: 1, two: 2, three: 3 });
    const { folders } = loadContent(folder, loadSettings(folder, {}, {}), today);
    assert.is(folders.find(({ slug }) => slug === 'two')?.agent?.date, '2026-01-02');
  }));

test('a number typed on a coming agent and merged all the same stalls nobody, now or on its day', () =>
  inRepository((folder) => {
    put(folder, { slug: 'eager', date: '2099-12-25', front: { issue: '4' } }, { slug: 'today', date: today });
    commit(folder);
    assert.equal(errors(folder), [`issue/early eager/agent.md:30 ${drop}`]);
    // Nobody has seen No. 4, but a record is a record.
    assert.equal(plan(folder), { numbers: { today: 5 }, skipped: [], notices: [] });
    put(folder, { slug: 'today', date: today, front: { issue: '5' } });
    commit(folder);
    put(folder, { slug: 'christmas', date: '2099-12-26' });
    const { numbers, skipped } = plan(folder, '2099-12-26');
    assert.equal({ numbers, skipped }, { numbers: { christmas: 6 }, skipped: [] });
    assert.is(built(folder, '2099-12-26').eager, 4);
  }));

test('an agent that was merged with a number before its day can be published earlier with it', () =>
  inRepository((folder) => {
    put(folder, { slug: 'eager', date: '2099-12-25', front: { issue: '4' } });
    commit(folder);
    put(folder, { slug: 'eager', date: today, front: { issue: '4' } });
    assert.equal(errors(folder), []);
    assert.equal(built(folder), { one: 1, two: 2, three: 3, eager: 4 });
  }));

test('of a copy that was merged all the same the older folder keeps number and date', () =>
  inRepository((folder) => {
    put(folder, agent('a-copy', 3, { issue: '3' }), { slug: 'today', date: today });
    commit(folder);
    assert.equal(plan(folder), { numbers: { today: 4 }, skipped: ['a-copy'], notices: [] });
    assert.equal(built(folder), { one: 1, two: 2, three: 3, today: 4 });
  }));

test('of a copied folder that has no number yet the one on the branch keeps its date', () =>
  inRepository(
    (folder) => {
      put(folder, { slug: 'copy', date: '2026-02-05' });
      assert.equal(errors(folder), [
        'date/taken copy/agent.md:3 Choose another date; the first free one is 2026-02-01.',
      ]);
    },
    [...published, { slug: 'original', date: '2026-02-05' }],
  ));

test('a deletion that was merged frees no number, and the notice says how to bring the agent back', () =>
  inRepository((folder) => {
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

test('a number that was swapped for a draft, merged, and due again is not given anew', () =>
  inRepository((folder) => {
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

test('numbers of branches that were merged later, and numbers taken back before their day, are free', () =>
  inRepository((folder) => {
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

/** The last second before it is January 3 anywhere, and the first one after it. */
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

/** A repository that got the agents of January 1 to 3 on January 1. */
function publishedEarly(folder: string): void {
  writeCatalog(folder, published);
  gitSync(folder, 'init', '--quiet', '--initial-branch', 'main');
  commitAt(folder, '2026-01-01T12:00:00Z');
}

for (const [instant, isThird] of nights) {
  test(`on January 2, the number of January 3 is ${isThird ? 'published' : 'early'} where main is of ${instant}`, () =>
    inFolder((folder) => {
      writeCatalog(folder, published);
      gitSync(folder, 'init', '--quiet', '--initial-branch', 'main');
      commitAt(folder, instant);
      assert.equal(errors(folder, '2026-01-02'), isThird ? [] : [`issue/early three/agent.md:30 ${drop}`]);
    }));
}

test('validate can be asked about an agent that was deleted', () =>
  inRepository(async (folder) => {
    remove(folder, 'three');
    const { code, stdout } = await catalog(['validate', 'three', '--cwd', folder, '--today', today]);
    assert.is(code, 1);
    assert.match(
      stdout,
      /^agents\/three:1:1 {2}error {2}record\/deleted\n {2}No\. 3, published on 2026-01-03 as `three`, was deleted\./,
    );
  }));

test('a shallow clone holds the record too, and publish says what it cannot know', () =>
  inRepository(async (folder) => {
    put(folder, { slug: 'today', date: today });
    commit(folder);
    await inFolder((place) => {
      const clone = join(place, 'clone');
      gitSync(place, 'clone', '--quiet', '--depth', '1', `file://${folder}`, clone);
      assert.match(plan(clone).notices.join(), /^This clone is shallow, .* git fetch --unshallow\.$/);
      remove(clone, 'three');
      assert.match(errors(clone).join(), /^record\/deleted three:1 .*`git checkout origin\/main -- agents\/three`/);
      assert.equal(plan(clone).numbers, { today: 4 });
    });
  }));

test('a branch is not blamed for what the default branch gained since, and takes none of its numbers', () =>
  inRepository(
    (folder) => {
      gitSync(folder, 'branch', 'proposal');
      put(folder, { slug: 'waiting', date: today, front: { issue: '4' } });
      put(folder, { slug: 'new', date: '2026-02-02', front: { issue: '5' } });
      move(folder, 'two', 'deux');
      put(folder, agent('deux', 2, { issue: '2', formerSlugs: '[two]' }));
      commit(folder);
      gitSync(folder, 'checkout', '--quiet', 'proposal');
      put(folder, { slug: 'own', date: '2026-02-03' });
      assert.equal(errors(folder), []);
      assert.equal(built(folder, '2026-02-03'), { one: 1, two: 2, three: 3, waiting: 4, own: 6 });
      assert.is(loadContent(folder, loadSettings(folder, {}, {}), today).reserved[0]?.slug, 'new');
    },
    [...published, { slug: 'waiting', date: today }],
  ));

test('the record is found under any name of the default branch, and for a catalog in a folder of the repository', () =>
  inFolder((place) => {
    const folder = join(place, 'origin/press/catalog');
    writeCatalog(folder, published);
    gitSync(place, 'init', '--quiet', '--initial-branch', 'trunk', 'origin');
    commit(folder);
    const clone = join(place, 'clone/press/catalog');
    gitSync(place, 'clone', '--quiet', 'origin', 'clone');
    for (const catalog of [folder, clone]) {
      remove(catalog, 'three');
      assert.match(errors(catalog).join(), /^record\/deleted three:1/);
    }
    commit(clone);
    assert.match(errors(clone).join(), /`git checkout origin\/trunk -- agents\/three`/);
  }));

test('without git, or with nothing published, numbers are what the files say', () =>
  inFolder((folder) => {
    writeCatalog(folder, [agent('one', 1, { issue: '7' }), agent('two', 2)]);
    assert.equal(errors(folder), []);
    gitSync(folder, 'init', '--quiet');
    assert.equal(errors(folder), []);
    assert.equal(built(folder), { one: 7, two: 8 });
  }));

test.run();
