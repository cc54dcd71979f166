import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { loadContent } from '../../src/content/load.ts';
import { loadSettings } from '../../src/content/settings.ts';
import { inFolder, writeCatalog } from '../support/catalog.ts';
import { gitSync } from '../support/git.ts';
import { catalog } from '../support/process.ts';
import {
  agent,
  announced,
  built,
  commit,
  drop,
  dropForNext,
  errors,
  move,
  plan,
  published,
  put,
  remove,
  today,
  withRecord,
} from '../support/record.ts';

/** Git has the record, and the working tree proposes a change. A published agent keeps its number, date and address. */

const changes: [name: string, change: (folder: string) => void, expected: string[], next?: number][] = [
  ['nothing changed', () => {}, []],
  [
    'the latest agent deleted',
    (folder) => remove(folder, 'three'),
    [
      'record/deleted three:1 Restore it with `git checkout main -- agents/three`. To withdraw an agent, add `withdrawn: <reason>` to its front matter; to rename its folder, use `npx --no daily-agent-catalog rename`.',
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
    'a folder renamed a second time, with the first name and its own only',
    (folder) => {
      remove(folder, 'two');
      put(folder, agent('zwei', 2, { issue: '2', formerSlugs: '[deux, zwei]' }));
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
      'issue/taken copy/agent.md:30 Delete the `issue` line. Also choose another date: `three` has this one, and 2026-02-01 is free.',
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
    [`issue/skipped new/agent.md:30 ${dropForNext}`],
    5,
  ],
  [
    'a number typed by hand on a coming agent',
    (folder) => put(folder, { slug: 'new', date: '2026-02-20', front: { issue: '4' } }, agent('next', 21)),
    [`issue/early new/agent.md:30 ${drop}`],
    5,
  ],
  [
    'numbers typed by hand: 5, then 4 on two later agents',
    (folder) =>
      put(folder, agent('new', 20, { issue: '5' }), ...['n1', 'n2'].map((s, i) => agent(s, 21 + i, { issue: '4' }))),
    [
      'issue/taken n2/agent.md:30 Delete the `issue` line; `catalog publish` writes the next number.',
      'issue/order new/agent.md:30 Restore the original dates and numbers from git.',
    ],
    6,
  ],
  [
    'a number typed by hand on a draft',
    (folder) => put(folder, agent('new', 20, { issue: '4', draft: 'true' })),
    [`issue/draft new/agent.md:31 ${dropForNext}`],
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
  test(`${name}: ${expected.length === 0 ? 'no error' : 'errors only where it changed'}`, () =>
    withRecord((folder) => {
      change(folder);
      assert.equal(errors(folder), expected);
      put(folder, { slug: 'tomorrow', date: '2026-02-02' });
      // However the working tree was changed, the next agent gets the next number, and it is announced.
      assert.is(announced(folder), next);
      put(folder, { slug: 'today', date: today });
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
  test(`${name} is not reported as a change of the record too`, () =>
    withRecord((folder) => {
      change(folder);
      assert.equal(
        errors(folder).map((line) => line.split(' ')[0]),
        [code],
      );
    }));
}

test('if a folder without a number was copied, the one on the default branch keeps its date', () =>
  withRecord(
    (folder) => {
      put(folder, { slug: 'copy', date: '2026-02-05' });
      assert.equal(errors(folder), ['date/taken copy/agent.md:3 Choose another date; 2026-02-01 is free.']);
    },
    [...published, { slug: 'original', date: '2026-02-05' }],
  ));

test('validate can check a deleted agent', () =>
  withRecord(async (folder) => {
    remove(folder, 'three');
    const { code, stdout } = await catalog(['validate', 'three', '--cwd', folder, '--today', today]);
    assert.is(code, 1);
    assert.match(
      stdout,
      /^agents\/three:1:1 {2}error {2}record\/deleted\n {2}No\. 3, published on 2026-01-03 as `three`, was deleted\./,
    );
  }));

test('a shallow clone has the record too, and publish says which numbers it cannot know', () =>
  withRecord(async (folder) => {
    put(folder, { slug: 'today', date: today });
    commit(folder);
    await inFolder(async (place) => {
      const clone = join(place, 'clone');
      gitSync(place, 'clone', '--quiet', '--depth', '1', `file://${folder}`, clone);
      const { stderr } = await catalog(['publish', '--dry-run', '--cwd', clone, '--today', today]);
      assert.match(stderr, /^warning: This clone is shallow, .* git fetch --unshallow\.$/m);
      assert.match(plan(clone).notices.join(), /^This clone is shallow, .* git fetch --unshallow\.$/);
      remove(clone, 'three');
      assert.match(errors(clone).join(), /^record\/deleted three:1 .*`git checkout origin\/main -- agents\/three`/);
      assert.equal(plan(clone).numbers, { today: 4 });
    });
  }));

test('a branch gets no errors for later changes of the default branch, and none of its numbers', () =>
  withRecord(
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

test('without git, or if nothing is published, the numbers in the files count', () =>
  inFolder((folder) => {
    writeCatalog(folder, [agent('one', 1, { issue: '7' }), agent('two', 2)]);
    assert.equal(errors(folder), []);
    gitSync(folder, 'init', '--quiet');
    assert.equal(errors(folder), []);
    assert.equal(built(folder), { one: 7, two: 8 });
  }));

test.run();
