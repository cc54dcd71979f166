import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { checkCatalog } from '../../src/build/validate.ts';
import { addDays } from '../../src/lib/calendar.ts';
import { inFolder, writeCatalog, writeFiles } from '../support/catalog.ts';
import { catalog } from '../support/process.ts';
import { everyKind, status, today } from '../support/schedule.ts';
import { onTerminal } from '../support/terminal.ts';

/**
 * The editor plans with this: which agents are published, which are scheduled, which days are free, and what has
 * errors.
 */

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
      deleted: [],
      faulty: [
        { slug: 'hurt', date: '2026-11-17', state: 'published', errors: 2 },
        { slug: 'late', date: '2026-11-20', state: 'skipped', errors: 1 },
        { slug: 'stray.txt', date: null, state: 'skipped', errors: 1 },
        { slug: 'unsound', date: '2026-11-24', state: 'coming', errors: 1 },
      ],
      next: { issue: 6, date: '2026-11-22', slug: 'tomorrow', title: 'The tomorrow agent', daysLeft: 1 },
      queueDays: 2,
      queueLow: true,
      hints: [
        'Set `repository` in catalog.config.json, so that pages also show how to install in VS Code, Codex, Copilot CLI, and GitHub CLI.',
      ],
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

Scheduled: 4
  in 1 day    2026-11-22  tomorrow    The tomorrow agent
  in 2 days   2026-11-23  after-that  The after-that agent
  in 3 days   2026-11-24  unsound     (1 error)
  in 33 days  2026-12-24  far         The far agent
  Agents are ready through 2026-11-23.
  Warning: The queue is below queueWarningDays (3 days).

Free dates in the 14 days from today: 9
  2026-11-25  2026-11-27  2026-11-28  2026-11-29  2026-11-30  2026-12-01
  2026-12-02  2026-12-03  2026-12-04

Drafts: 1
  2026-11-26  sketch  The sketch agent

Withdrawn: 1
  #2  2026-11-16  taken-back  The taken-back agent

With errors (validate shows them): 3
  published  2026-11-17  hurt     2 errors
  skipped    2026-11-20  late     1 error
  coming     2026-11-24  unsound  1 error

Hints
  Set \`repository\` in catalog.config.json, so that pages also show how to
  install in VS Code, Codex, Copilot CLI, and GitHub CLI.
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
    assert.match(
      stdout,
      'Published: nothing yet\n\nScheduled: nothing\n  No agent is ready for tomorrow.\n  Warning: The queue is below',
    );
    assert.match(stdout, `Free dates in the 14 days from today: 14\n  ${today}  `);
    writeCatalog(folder, [], { repository: 'https://github.com/press/prompts' });
    const { next, queueDays, hints } = JSON.parse((await status(folder, '--format', 'json')).stdout);
    assert.equal({ next, queueDays, hints }, { next: null, queueDays: 0, hints: [] });
  });
});

test('it counts every error that catalog validate reports; only those that stop a publication empty the queue', async () => {
  await inFolder(async (folder) => {
    const front = { excerpt: 'Too short.' };
    writeCatalog(folder, [{ slug: 'short', date: addDays(today, 1), front }], { rules: {} });
    const { diagnostics } = await checkCatalog(folder, { today }, {});
    const { faulty, queueDays } = JSON.parse((await status(folder, '--format', 'json')).stdout);
    const errors = diagnostics.filter(({ severity }) => severity === 'error').length;
    assert.ok(errors > 0);
    assert.equal([faulty[0].errors, queueDays], [errors, 1]);
  });
});

test('no line is wider than a terminal of 60 columns, and no folder name controls the terminal', async () => {
  await inFolder(async (folder) => {
    const title = 'A title that goes on and on until no terminal has room for it';
    writeCatalog(folder, [
      { slug: 'one-with-a-name-that-is-rather-long-as-names-of-folders-go', date: '2026-11-22' },
      { slug: 'two', date: '2026-11-20', front: { title } },
      { slug: 'three', date: '2026-11-19', front: { title: '日本語の題名はとても長いので端末の幅に収まりません' } },
      { slug: 'four', date: '2026-11-18', front: { title: 'می\u200cخواهم' } },
    ]);
    mkdirSync(join(folder, 'agents', 'evil\u001b[31m'));
    const session = onTerminal(['status', '--cwd', folder, '--today', today], { columns: 60 });
    const { code, screen } = await session.ends();
    assert.is(code, 0);
    assert.not.ok(screen.includes('\u001b[31m'));
    assert.match(screen, 'A title that');
    assert.match(screen, 'می\u200cخواهم');
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
