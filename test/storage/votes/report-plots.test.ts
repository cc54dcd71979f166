import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { inFolder, writeFiles } from '../../support/catalog.ts';
import { line, withLog } from '../../support/vote-log.ts';
import { cellsOf, numbers, pageOf } from '../../support/vote-page.ts';

/** What the plots of `catalog votes --html` show, and where. */

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
        'The one: 75% of 4, 95% interval 30% to 95%',
        'gone (withdrawn): 100% of 1, 95% interval 21% to 100%',
      ],
    );
    // The legend comes last. The bar of four is four times as high as the bar of one, and ends at the same line.
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

test('the plot of days names its scales, and stacks no on yes', async () => {
  await inFolder(async (folder) => {
    const at = (day: number, voter: number, vote: 'yes' | 'no') =>
      line({ id: `${day} ${voter}`, time: `2026-11-0${day}T00:00:00.000Z`, voter, vote });
    const votes = [at(1, 1, 'yes'), at(1, 2, 'yes'), at(1, 3, 'yes'), at(1, 4, 'no'), at(2, 1, 'no')];
    writeFiles(folder, { 'data/votes.jsonl': votes.join('') });
    const { $ } = await pageOf(folder);
    const svg = 'svg:eq(0)';
    const texts = (anchor: string) =>
      $(`${svg} > text[text-anchor="${anchor}"]`)
        .toArray()
        .map((text) => $(text).text());
    assert.equal(
      [texts('end'), texts('middle')],
      [
        ['0', '1', '2', '3', '4'],
        ['Oct 20, 2026', 'Oct 22, 2026', 'Oct 24, 2026', 'Oct 26, 2026', 'Oct 28, 2026', 'Oct 30, 2026', 'Nov 1, 2026'],
      ],
    );
    const bars = $(`${svg} g rect`)
      .toArray()
      .map((bar) => ['x', 'y', 'width', 'height'].map((name) => Number($(bar).attr(name))));
    const [[x = 0, yesTop, width = 0], [, noTop = 0, , noHeight = 0]] = bars as [number[], number[]];
    assert.is((noTop + noHeight).toFixed(1), yesTop?.toFixed(1));
    const first = numbers($, `${svg} > text[text-anchor="middle"]`, 'x').at(-1) ?? 0;
    assert.ok(first > x && first < x + width, 'a day is named below its bar');
    // Two days of fourteen, so that a few votes do not look like many.
    assert.ok(width < (720 - 44) / 13, `${width} of 720`);
    for (const vote of ['yes', 'no']) assert.is($(`${svg} > rect.${vote}`).next('text').text(), vote);
  });
});

test('the plot of agents begins with the surest yes, and shortens only long names', async () => {
  await inFolder(async (folder) => {
    const [long, shorter] = ['a-slug-of-thirty-five-characters-xx', 'slug-of-thirty-four-characters-xxx'];
    const slugs = [...Array(4).fill('mixed'), ...Array(3).fill(long), ...Array(2).fill(shorter)];
    const votes = slugs.map((slug, voter) =>
      line({ id: `${voter}`, slug, voter, vote: slug === 'mixed' && voter > 0 ? 'no' : 'yes' }),
    );
    writeFiles(folder, { 'data/votes.jsonl': votes.join('') });
    const { $ } = await pageOf(folder);
    assert.equal(
      $('svg:eq(1) g')
        .toArray()
        .map((row) =>
          $(row)
            .find('text')
            .toArray()
            .map((text) => $(text).text()),
        ),
      [
        [`${long.slice(0, 33)}…`, '100% of 3'],
        [shorter, '100% of 2'],
        ['mixed', '25% of 4'],
      ],
    );
    assert.equal(
      cellsOf($, 1).map(([slug]) => slug),
      ['Agent', 'mixed', long, shorter],
    );
  });
});

test('days before the last 366 are only in the table, and the page says so', async () => {
  const on = (time: string, voter: number) => line({ id: time, time, voter });
  const rows: [first: string, isDrawn: boolean][] = [
    ['2025-03-01T23:59:59.999Z', false],
    ['2025-03-02T00:00:00.000Z', true],
  ];
  for (const [first, isDrawn] of rows) {
    await inFolder(async (folder) => {
      // The earlier day has the most votes.
      const votes = [
        on(first, 1),
        on(first.replace('9Z', '8Z').replace('0Z', '1Z'), 2),
        on('2026-03-02T10:00:00.000Z', 1),
      ];
      writeFiles(folder, { 'data/votes.jsonl': votes.join('') });
      const { $ } = await pageOf(folder);
      const said = isDrawn
        ? 'From 2025-03-02 to 2026-03-02. Most votes on 2025-03-02: 2 yes and 0 no.'
        : 'From 2026-03-02 to 2026-03-02. Most votes on 2026-03-02: 1 yes and 0 no. Earlier days are only in the table.';
      assert.is($('.quiet').first().text(), said);
      assert.is($('svg:eq(0) g').length, isDrawn ? 2 : 1);
    });
  }
});

test.run();
