import { statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { HtmlValidate } from 'html-validate';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import type { StoredVote } from '../../../src/storage/vote.ts';
import { reportVotes } from '../../../src/storage/vote-report.ts';
import { reportHtml, wilsonInterval } from '../../../src/storage/vote-report-html.ts';
import { inFolder, writeFiles } from '../../support/catalog.ts';
import { catalog } from '../../support/process.ts';
import { line, withLog, writeBuild } from '../../support/vote-log.ts';
import { cellsOf, pageOf } from '../../support/vote-page.ts';

/** `catalog votes --html` writes a page with pictures (see report-plots.test.ts), tables and notes. */

// Of R. G. Newcombe, "Two-sided confidence intervals for the single proportion", 1998, table I, method 3.
for (const [yes, votes, low, high] of [
  [81, 263, 0.2553, 0.3662],
  [15, 148, 0.0624, 0.1605],
  [0, 20, 0, 0.1611],
  [1, 29, 0.0061, 0.1718],
  // The same with yes and no exchanged.
  [20, 20, 0.8389, 1],
] as const) {
  test(`${yes} of ${votes} have the published interval`, () => {
    const interval = wilsonInterval(yes, votes);
    assert.equal([interval.low.toFixed(4), interval.high.toFixed(4)], [low.toFixed(4), high.toFixed(4)]);
  });
}

test('the tables have the days, and the agents with their intervals', () =>
  withLog(async (folder) => {
    const { $, path } = await pageOf(folder);
    assert.equal(cellsOf($, 0), [
      ['Day', 'Votes', 'Yes', 'No'],
      ['2026-11-01', '1', '0', '1'],
      ['2026-11-02', '4', '4', '0'],
    ]);
    assert.equal(cellsOf($, 1), [
      ['Agent', 'Votes', 'Yes', 'No', 'Notes', 'Share of yes', '95% interval'],
      ['The one', '4', '3', '1', '2', '75%', '30% to 95%'],
      ['gone (withdrawn)', '1', '1', '0', '1', '100%', '21% to 100%'],
    ]);
    assert.match(
      $('main > p').text(),
      '5 votes: 4 yes, 1 no, 80% yes. Lines of the log that are not votes, and were left out: 1.',
    );
    assert.is(statSync(path).mode & 0o777, 0o600);
  }));

test('each note has its day, agent and vote, and the heading counts them', () =>
  withLog(async (folder) => {
    const { $ } = await pageOf(folder);
    assert.is($('#notes').text(), 'The latest 3 notes');
    assert.equal(
      $('.notes li')
        .toArray()
        .map((note) => [$(note).find('.quiet').text(), $(note).find('time').attr('datetime')]),
      [
        ['2026-11-02, gone (withdrawn), yes', '2026-11-02T10:00:00.000Z'],
        ['2026-11-02, The one, yes', '2026-11-02T10:00:00.000Z'],
        ['2026-11-01, The one, no', '2026-11-01T23:59:59.999Z'],
      ],
    );
    assert.not.match($('main').text(), 'Earlier days are only in the table.');
  }));

test('the page is valid, loads nothing, and shows hostile notes as text', async () => {
  await inFolder(async (folder) => {
    const note =
      '</p></style><script src="https://evil.example/x.js"></script><img src=x onerror=alert(1)> \u202e&amp;\u0007';
    writeFiles(folder, { 'data/votes.jsonl': line({ note }) });
    writeBuild(folder, 'dist');
    const { $, text } = await pageOf(folder);
    assert.is($('.notes p').first().text(), note.replace('\u202e', '\ufffd').replace('\u0007', '\ufffd'));
    assert.is($('script, img, link, iframe, [src], [href], svg svg').length, 0);
    assert.is($('[onload], [onerror]').length, 0);
    assert.match($('meta[http-equiv]').attr('content') ?? '', /^default-src 'none'; style-src 'unsafe-inline'$/);
    const { results } = await new HtmlValidate({
      extends: ['html-validate:recommended', 'html-validate:document'],
      rules: { 'long-title': 'off', 'no-trailing-whitespace': 'off' },
    }).validateString(text);
    assert.equal(
      results.flatMap(({ messages }) => messages.map(({ ruleId, message }) => `${ruleId}: ${message}`)),
      [],
    );
  });
});

test('without votes there are no plots; a log of years draws its last 366 days and its 50 agents with the most votes', async () => {
  await inFolder(async (folder) => {
    writeFiles(folder, { 'data/votes.jsonl': '' });
    const empty = await pageOf(folder);
    assert.match(empty.$('main').text(), /No votes\.[\s\S]*No notes/);
    assert.is(empty.$('svg').length, 0);
    const votes = Array.from({ length: 500 }, (_, day) => {
      const time = new Date(Date.UTC(2025, 0, 1 + day, 9)).toISOString();
      return line({ time, slug: `agent-${day % 60}`, voter: day, ...(day < 12 ? { note: `note ${day}` } : {}) });
    });
    writeFileSync(join(folder, 'data/votes.jsonl'), votes.join(''));
    const { $ } = await pageOf(folder);
    assert.is($('svg:eq(0) g').length, 366);
    assert.is($('svg:eq(0) g title').first().text(), '2025-05-15: 1 yes, 0 no');
    assert.is(cellsOf($, 0).length, 501);
    assert.is($('svg:eq(1) g').length, 50);
    assert.is(cellsOf($, 1).length, 61);
    assert.match($('main').text(), 'The 50 agents with the most votes.');
    assert.is($('.notes li').length, 12);
    assert.is(
      $('.quiet').first().text(),
      'From 2025-05-15 to 2026-05-15. Most votes on 2025-05-15: 1 yes and 0 no. Earlier days are only in the table.',
    );
    assert.match(
      (await pageOf(folder, '--since', '2026-05-01')).$('main > p').text(),
      '15 votes since 2026-05-01: 15 yes',
    );
  });
});

test('a page has the latest 1,000 notes, and all of them with --notes', () =>
  inFolder(async (folder) => {
    const votes = Array.from({ length: 1001 }, (_, index) => line({ id: `v${index}`, voter: index, note: 'Good.' }));
    writeFiles(folder, { 'data/votes.jsonl': votes.join('') });
    writeBuild(folder, 'dist');
    assert.is((await pageOf(folder)).$('.notes li').length, 1000);
    assert.is((await pageOf(folder, '--notes')).$('.notes li').length, 1001);
  }));

test('a file that cannot be written, and another format at the same time, are refused', () =>
  withLog(async (folder) => {
    const file = join(folder, 'missing', 'votes.html');
    const { code, stderr } = await catalog(['votes', '--cwd', folder, '--html', file]);
    assert.is(code, 1);
    assert.match(stderr, `error: ${file} cannot be written: `);
    assert.is((await catalog(['votes', '--cwd', folder, '--html', file, '--format', 'csv'])).code, 2);
    assert.match((await catalog(['votes', '--cwd', folder, '--html', '-'])).stdout, /^<!DOCTYPE html>.*<\/html>\n$/s);
  }));

test('an agent with few votes takes no place in the plot from one with more, however good its share', async () => {
  const voters = (slug: string, vote: 'yes' | 'no', count: number) =>
    Array.from({ length: count }, (_, index): StoredVote => {
      const voter = String(index).padStart(32, '0');
      return { id: `${slug}-${index}`, time: '2026-11-21T12:00:00.000Z', slug, vote, voter };
    });
  const many = Array.from({ length: 50 }, (_, index) => voters(`many-${index}`, 'no', 3)).flat();
  const page = reportHtml(await reportVotes([...many, ...voters('few', 'yes', 2)]));
  assert.match(page, '<title>many-49: 0% of 3');
  assert.not.match(page, '<title>few: ');
});

test.run();
