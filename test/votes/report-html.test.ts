import { readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type CheerioAPI, load } from 'cheerio';
import { HtmlValidate } from 'html-validate';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { wilsonInterval } from '../../src/votes/wilson-interval.ts';
import { inFolder, writeFiles } from '../support/catalog.ts';
import { catalog } from '../support/process.ts';
import { line, withLog, writeBuild } from '../support/vote-log.ts';

/** `catalog votes --html` writes a page with pictures, tables and notes. */

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

/** Runs the command, and returns what it printed and the page. */
async function pageOf(folder: string, ...args: string[]) {
  const path = join(folder, 'votes.html');
  const { code, stdout, stderr } = await catalog(['votes', '--cwd', folder, '--html', path, ...args]);
  assert.is(code, 0, stderr);
  assert.is(stdout, `${path}\n`);
  const text = readFileSync(path, 'utf8');
  return { path, text, $: load(text) };
}

const cellsOf = ($: CheerioAPI, table: number) =>
  $('table')
    .eq(table)
    .find('tr')
    .toArray()
    .map((row) =>
      $(row)
        .children()
        .toArray()
        .map((cell) => $(cell).text()),
    );
const numbers = ($: CheerioAPI, selector: string, name: string) =>
  $(selector)
    .toArray()
    .map((element) => Number($(element).attr(name)));

test('the tables have the days, and the agents with their intervals', () =>
  withLog(async (folder) => {
    const { $, path } = await pageOf(folder);
    assert.equal(cellsOf($, 0), [
      ['Day', 'Votes', 'Yes', 'No'],
      ['2026-11-01', '1', '0', '1'],
      ['2026-11-02', '4', '4', '0'],
    ]);
    assert.equal(cellsOf($, 1), [
      ['Agent', 'Votes', 'Yes', 'No', 'Share of yes', '95% interval'],
      ['one', '4', '3', '1', '75%', '30% to 95%'],
      ['gone (withdrawn)', '1', '1', '0', '100%', '21% to 100%'],
    ]);
    assert.match(
      $('main > p').text(),
      '5 votes: 4 yes, 1 no, 80% yes. Lines of the log that are not votes, and were left out: 1.',
    );
    assert.is(statSync(path).mode & 0o777, 0o600);
  }));

test('the plots show the same numbers, and have a title and a description', () =>
  withLog(async (folder) => {
    const { $ } = await pageOf(folder);
    const [days, shares] = $('svg')
      .toArray()
      .map((svg) => ({
        role: $(svg).attr('role'),
        text: ($(svg).attr('aria-labelledby') ?? '').split(' ').map((id) => $(`[id="${id}"]`).text()),
      }));
    assert.equal(days, {
      role: 'img',
      text: ['Votes per day', 'From 2026-11-01 to 2026-11-02. Most votes on 2026-11-02: 4 yes and 0 no.'],
    });
    assert.is(shares?.text[0], 'Share of yes by agent');
    assert.equal(
      $('svg g > title')
        .toArray()
        .map((title) => $(title).text()),
      [
        '2026-11-01: 0 yes, 1 no',
        '2026-11-02: 4 yes, 0 no',
        'one: 75% of 4, 95% interval 30% to 95%',
        'gone: 100% of 1, 95% interval 21% to 100%',
      ],
    );
    // The legend comes last. The bar of four is four times as high as that of one, and ends at the same line.
    const [none, four] = numbers($, 'svg rect.yes', 'height');
    const [one] = numbers($, 'svg rect.no', 'height');
    assert.equal([none, four], [0, 4 * (one ?? Number.NaN)]);
    // Points and lines: 0 % and 100 % are where the grid says.
    const grid = numbers($, 'svg:eq(1) line.grid', 'x1');
    const [zero = 0, hundred = 0] = [grid[0], grid.at(-1)];
    const at = (x: number) => ((x - zero) / (hundred - zero)).toFixed(2);
    assert.equal(numbers($, 'circle.share', 'cx').map(at), ['0.75', '1.00']);
    const ranges = $('svg:eq(1) g')
      .toArray()
      .map((row) => $(row).find('line.range').first());
    assert.equal(
      ranges.map((range) => [at(Number(range.attr('x1'))), at(Number(range.attr('x2')))]),
      [
        ['0.30', '0.95'],
        ['0.21', '1.00'],
      ],
    );
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
    assert.match(
      (await pageOf(folder, '--since', '2026-05-01')).$('main > p').text(),
      '15 votes since 2026-05-01: 15 yes',
    );
  });
});

test('a file that cannot be written, and another format at the same time, are refused', () =>
  withLog(async (folder) => {
    const file = join(folder, 'missing', 'votes.html');
    const { code, stderr } = await catalog(['votes', '--cwd', folder, '--html', file]);
    assert.is(code, 1);
    assert.match(stderr, `error: ${file} cannot be written: `);
    assert.is((await catalog(['votes', '--cwd', folder, '--html', file, '--format', 'csv'])).code, 2);
  }));

test.run();
