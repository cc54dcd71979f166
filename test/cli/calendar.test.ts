import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { calendarTable } from '../../src/cli/commands/status.ts';
import { inFolder, writeCatalog } from '../support/catalog.ts';
import { everyKind, status, today } from '../support/schedule.ts';
import { onTerminal } from '../support/terminal.ts';

/** `catalog status --calendar`: the same schedule as months, one sign for each day. */

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
x withdrawn   = deleted   - missed   ? gap   . free
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
    const empty = (await status(folder, '--calendar')).stdout;
    assert.equal(monthsOf(empty), ['November 2026', 'December 2026']);
    assert.match(empty, /^free 10$/m);
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

test('a day before a published agent is not free, also on an earlier day', () => {
  const entry = (slug: string, date: string) => ({ slug, date, title: null, issue: 2, errors: 0 });
  const published = [entry('before', '2026-11-20'), entry('later', '2026-11-24')];
  const list = { due: [], coming: [], drafts: [], withdrawn: [], deleted: [], faulty: [] };
  const state = { ...list, published, freeDates: [], next: null, queueDays: 0, queueLow: false };
  const shown = calendarTable({ ...state, today, timezone: 'UTC' }, { all: false, color: false });
  assert.match(shown, /20#>21- 22-\s/);
  assert.match(shown, /^ 23- 24# 25\. 26\./m);
});

test('the days around a draft are free, and none was missed, until another agent has a date', async () => {
  await inFolder(async (folder) => {
    const drafts = ['2026-11-18', '2026-11-25'].map((date) => ({ slug: `on-${date}`, date, front: { draft: 'true' } }));
    writeCatalog(folder, drafts);
    const { stdout } = await status(folder, '--calendar');
    assert.match(stdout, /^ 16 {2}17 {2}18~ 19 {2}20 >21\. 22\./m);
    assert.match(stdout, /^ 23\. 24\. 25~ 26\./m);
    assert.match(stdout, /^draft 2, free 9\b/m);
    writeCatalog(folder, [{ slug: 'next', date: '2026-11-24' }]);
    assert.match((await status(folder, '--calendar')).stdout, /^ 23\? 24\+ 25~ 26\./m);
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

test.run();
