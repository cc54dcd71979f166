import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { addDays } from '../../src/calendar.ts';
import { inFolder, type SmallAgent, writeCatalog, writeFiles } from '../support/catalog.ts';
import { catalog } from '../support/process.ts';
import { onTerminal } from '../support/terminal.ts';

/**
 * The editor plans with this: which agents are published, which are scheduled, which days are free, and what has
 * errors.
 */

const today = '2026-11-21';
const status = (folder: string, ...args: string[]) => catalog(['status', '--cwd', folder, '--today', today, ...args]);

/** One folder of every kind. */
const everyKind: SmallAgent[] = [
  { slug: 'first', date: '2026-11-15', front: { issue: '1' } },
  { slug: 'taken-back', date: '2026-11-16', front: { issue: '2', withdrawn: 'It was wrong.' } },
  { slug: 'hurt', date: '2026-11-17', front: { issue: '3', difficulty: 'medum', category: 'codng' } },
  { slug: 'missed', date: '2026-11-19' },
  { slug: 'late', date: '2026-11-20', front: { excerpt: null } },
  { slug: 'of-today', date: today },
  { slug: 'tomorrow', date: '2026-11-22' },
  { slug: 'after-that', date: '2026-11-23' },
  { slug: 'unsound', date: '2026-11-24', front: { tags: '[]' } },
  { slug: 'far', date: '2026-12-24' },
  { slug: 'sketch', date: '2026-11-26', front: { draft: 'true' } },
];

test('--calendar shows what each day has, by signs and in 80 columns', async () => {
  await inFolder(async (folder) => {
    writeCatalog(folder, everyKind);
    const { code, stdout, stderr } = await status(folder, '--calendar');
    assert.is(code, 0, stderr);
    assert.is(
      stdout,
      `Schedule on 2026-11-21 (UTC)

November 2026                   December 2026
 Mo  Tu  We  Th  Fr  Sa  Su      Mo  Tu  We  Th  Fr  Sa  Su
                          1           1?  2?  3?  4?  5?  6?
  2   3   4   5   6   7   8       7?  8?  9? 10? 11? 12? 13?
  9  10  11  12  13  14  15#     14? 15? 16? 17? 18? 19? 20?
 16x 17# 18- 19+ 20!>21+ 22+     21? 22? 23? 24+ 25. 26. 27.
 23+ 24! 25? 26~ 27? 28? 29?     28. 29. 30. 31.
 30?                            scheduled 1, gap 23, free 7
published 2, scheduled 4,
draft 1, with errors 2,
withdrawn 1, missed 1, gap 5

January 2027
 Mo  Tu  We  Th  Fr  Sa  Su
                  1.  2.  3.
  4.  5.  6.  7.  8.  9. 10.
 11. 12. 13. 14. 15. 16. 17.
 18. 19. 20. 21. 22. 23. 24.
 25. 26. 27. 28. 29. 30. 31.
free 31

> today   # published   + scheduled   ~ draft   ! with errors
x withdrawn   - missed   ? gap   . free
`,
    );
    assert.ok(stdout.split('\n').every((line) => line.length <= 80));
    assert.equal(await status(folder, '--calendar', '--format', 'json'), await status(folder, '--format', 'json'));
  });
});

test('--calendar starts with the previous month, with --all at the first agent, and without agents today', async () => {
  const monthsOf = (text: string) => text.match(/[A-Z]\w+ 20\d\d/g);
  await inFolder(async (folder) => {
    writeCatalog(folder, []);
    assert.equal(monthsOf((await status(folder, '--calendar')).stdout), ['November 2026', 'December 2026']);
    writeCatalog(folder, [{ slug: 'first', date: '2026-08-31', front: { issue: '1' } }]);
    const { stdout } = await status(folder, '--calendar');
    assert.equal(monthsOf(stdout), ['October 2026', 'November 2026', 'December 2026']);
    assert.match(stdout, /^Schedule on 2026-11-21 \(UTC\); earlier months with --all$/m);
    const all = (await status(folder, '--calendar', '--all')).stdout;
    assert.equal(monthsOf(all)?.slice(0, 2), ['August 2026', 'September 2026']);
    assert.match(all, /^ 31#\s/m);
    assert.not.match(all, 'earlier months');
  });
});

test('--calendar has colors on a terminal only, and none with NO_COLOR', async () => {
  await inFolder(async (folder) => {
    writeCatalog(folder, [{ slug: 'far', date: '2026-12-24' }]);
    const args = ['status', '--calendar', '--cwd', folder, '--today', today];
    const shown = async (env: NodeJS.ProcessEnv) => (await onTerminal(args, { env, columns: 80 }).ends()).screen;
    assert.match(await shown({}), '\u001b[33m 22?\u001b[0m');
    assert.not.match(await shown({ NO_COLOR: '1' }), '\u001b[33m');
  });
});

test('--json has the state of every folder', async () => {
  await inFolder(async (folder) => {
    writeCatalog(folder, everyKind, { timezone: 'Pacific/Auckland' });
    writeFiles(folder, { 'agents/stray.txt': 'not a folder\n' });
    const { code, stdout, stderr } = await status(folder, '--format', 'json');
    assert.is(code, 0, stderr);
    assert.is(stderr, '');
    const entry = (slug: string, date: string, errors = 0) => ({
      date,
      slug,
      title: errors > 0 ? null : `The ${slug} agent`,
      errors,
    });
    assert.equal(JSON.parse(stdout), {
      today,
      timezone: 'Pacific/Auckland',
      published: [
        { issue: 1, ...entry('first', '2026-11-15') },
        { issue: 3, ...entry('hurt', '2026-11-17', 2) },
      ],
      due: [
        { issue: 4, ...entry('missed', '2026-11-19') },
        { issue: 5, ...entry('of-today', today) },
      ],
      coming: [
        { ...entry('tomorrow', '2026-11-22'), daysLeft: 1 },
        { ...entry('after-that', '2026-11-23'), daysLeft: 2 },
        { ...entry('unsound', '2026-11-24', 1), daysLeft: 3 },
        { ...entry('far', '2026-12-24'), daysLeft: 33 },
      ],
      freeDates: [25, 27, 28, 29, 30]
        .map((day) => `2026-11-${day}`)
        .concat(['01', '02', '03', '04'].map((day) => `2026-12-${day}`)),
      drafts: [entry('sketch', '2026-11-26')],
      withdrawn: [{ issue: 2, ...entry('taken-back', '2026-11-16') }],
      faulty: [
        { slug: 'hurt', date: '2026-11-17', state: 'published', errors: 2 },
        { slug: 'late', date: '2026-11-20', state: 'skipped', errors: 1 },
        { slug: 'stray.txt', date: null, state: 'skipped', errors: 1 },
        { slug: 'unsound', date: '2026-11-24', state: 'coming', errors: 1 },
      ],
      next: { issue: 6, date: '2026-11-22', slug: 'tomorrow', title: 'The tomorrow agent', daysLeft: 1 },
      queueDays: 2,
      queueLow: true,
    });
  });
});

const table = `Schedule on 2026-11-21 (UTC)

Published: 2
  #1  2026-11-15  first  The first agent
  #3  2026-11-17  hurt   (2 errors)

Due now (with the numbers they will get): 2
  #4  2026-11-19  missed    The missed agent
  #5  2026-11-21  of-today  The of-today agent

Coming: 4
  in 1 day    2026-11-22  tomorrow    The tomorrow agent
  in 2 days   2026-11-23  after-that  The after-that agent
  in 3 days   2026-11-24  unsound     (1 error)
  in 33 days  2026-12-24  far         The far agent
  Agents are ready through 2026-11-23.
  Warning: the settings require 3 days (queueWarningDays).

Free dates in the 14 days from today: 9
  2026-11-25  2026-11-27  2026-11-28  2026-11-29  2026-11-30  2026-12-01
  2026-12-02  2026-12-03  2026-12-04

Drafts: 1
  2026-11-26  sketch  The sketch agent

Withdrawn: 1
  #2  2026-11-16  taken-back  The taken-back agent

With errors (see catalog validate): 3
  published  2026-11-17  hurt     2 errors
  skipped    2026-11-20  late     1 error
  coming     2026-11-24  unsound  1 error
`;

test('people get the same as an aligned table', async () => {
  await inFolder(async (folder) => {
    writeCatalog(folder, everyKind);
    const { code, stdout } = await status(folder);
    assert.is(code, 0);
    assert.is(stdout, table);
  });
});

test('agents that are due have the same numbers as in a build', async () => {
  await inFolder(async (folder) => {
    writeCatalog(
      folder,
      everyKind.filter(({ slug }) => slug !== 'hurt'),
    );
    const { due } = JSON.parse((await status(folder, '--format', 'json')).stdout);
    const built = await catalog(['build', '--skip-invalid', '--cwd', folder, '--today', today]);
    assert.is(built.code, 0, built.stderr);
    const { default: list } = await import(join(folder, 'dist', 'api', 'agents.json'), { with: { type: 'json' } });
    const numbers = list.agents.map(({ slug, issue }: { slug: string; issue: number }) => `${issue} ${slug}`);
    for (const { slug, issue } of due)
      assert.ok(numbers.includes(`${issue} ${slug}`), `${issue} ${slug} in ${numbers}`);
    assert.is(due.length, 2);
  });
});

test('a long list is cut to the newest ten, and --all shows it whole', async () => {
  await inFolder(async (folder) => {
    const many = Array.from({ length: 13 }, (_, index) => ({
      slug: `agent-${index + 1}`,
      date: addDays('2026-11-01', index),
      front: { issue: String(index + 1) },
    }));
    writeCatalog(folder, many);
    const { stdout } = await status(folder);
    assert.match(stdout, 'Published: 13\n  3 earlier: see them with --all\n   #4  2026-11-04  agent-4 ');
    assert.not.match(stdout, 'agent-3 ');
    assert.match(stdout, '  #13  2026-11-13  agent-13  The agent-13 agent\n');
    const all = await status(folder, '--all');
    assert.match(all.stdout, 'Published: 13\n   #1  2026-11-01  agent-1 ');
  });
});

test('an empty catalog has free days and nothing else', async () => {
  await inFolder(async (folder) => {
    writeCatalog(folder, []);
    const { code, stdout } = await status(folder);
    assert.is(code, 0);
    assert.match(stdout, 'Published: nothing yet\n\nComing: nothing\n  No agent is ready for tomorrow.');
    assert.match(stdout, `Free dates in the 14 days from today: 14\n  ${today}  `);
    const { next, queueDays } = JSON.parse((await status(folder, '--format', 'json')).stdout);
    assert.equal({ next, queueDays }, { next: null, queueDays: 0 });
  });
});

test('no line is wider than a terminal of 60 columns, and no folder name controls the terminal', async () => {
  await inFolder(async (folder) => {
    const title = 'A title that goes on and on until no terminal has room for it';
    writeCatalog(folder, [
      { slug: 'one-with-a-name-that-is-rather-long-as-names-of-folders-go', date: '2026-11-22' },
      { slug: 'two', date: '2026-11-20', front: { title } },
      { slug: 'three', date: '2026-11-19', front: { title: '日本語の題名はとても長いので端末の幅に収まりません' } },
    ]);
    mkdirSync(join(folder, 'agents', 'evil\u001b[31m'));
    const session = onTerminal(['status', '--cwd', folder, '--today', today], { columns: 60 });
    const { code, screen } = await session.ends();
    assert.is(code, 0);
    assert.not.ok(screen.includes('\u001b[31m'));
    assert.match(screen, 'A title that');
    for (const line of screen.split('\r\n')) assert.ok([...line].length <= 60, line);
  });
});

test('a catalog whose agents/ cannot be read is an error', async () => {
  await inFolder(async (folder) => {
    writeCatalog(folder, []);
    writeFiles(folder, { agents: '' });
    const { code, stdout, stderr } = await status(folder);
    assert.is(code, 1);
    assert.is(stdout, '');
    assert.match(stderr, 'agents/unreadable');
  });
});

test.run();
