import { load } from 'cheerio';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { addDays } from '../../../src/lib/calendar.ts';
import type { StoredVote } from '../../../src/storage/vote.ts';
import { reportVotes } from '../../../src/storage/vote-report.ts';
import { reportHtml } from '../../../src/storage/vote-report-html.ts';
import { numbers } from '../../support/vote-page.ts';

/** Where the shapes and labels of the plots of `catalog votes --html` are: inside the picture, and next to each other. */

/** Votes of as many voters. */
function votes(day: string, slug: string, yes: number, no: number): StoredVote[] {
  return Array.from({ length: yes + no }, (_, index) => ({
    id: `${day} ${slug} ${index}`,
    time: `${day}T12:00:00.000Z`,
    slug,
    vote: index < yes ? 'yes' : 'no',
    voter: String(index),
  }));
}

const page = async (records: StoredVote[]) => load(reportHtml(await reportVotes(records)));

/** Four days with the most votes on the second, and three agents. */
const some = () =>
  page([
    ...votes('2026-11-01', 'one', 4, 0),
    ...votes('2026-11-02', 'two', 3, 3),
    ...votes('2026-11-03', 'three', 4, 1),
    ...votes('2026-11-04', 'one', 0, 1),
  ]);

/** The named attributes of all elements that the selector finds, as numbers; 0 for a missing one. */
type Shape<Name extends string> = Record<Name, number>;
const shapes = <Name extends string>($: Awaited<ReturnType<typeof page>>, selector: string, ...names: Name[]) =>
  $(selector)
    .toArray()
    .map(
      (element) => Object.fromEntries(names.map((name) => [name, Number($(element).attr(name) ?? 0)])) as Shape<Name>,
    );

test('the plots draw nothing outside their pictures', async () => {
  const $ = await some();
  for (const plot of [0, 1]) {
    const svg = `svg:eq(${plot})`;
    const [, , width = 0, height = 0] = ($(svg).attr('viewBox') ?? '').split(' ').map(Number);
    const points = [
      ...shapes($, `${svg} line`, 'x1', 'y1', 'x2', 'y2').flatMap(({ x1, y1, x2, y2 }) => [
        [x1, y1],
        [x2, y2],
      ]),
      ...shapes($, `${svg} rect`, 'x', 'y', 'width', 'height').flatMap((rect) => [
        [rect.x, rect.y, rect.width, rect.height],
        [rect.x + rect.width, rect.y + rect.height],
      ]),
      ...shapes($, `${svg} text`, 'x', 'y').map(({ x, y }) => [x, y]),
      ...shapes($, `${svg} circle`, 'cx', 'cy', 'r').flatMap(({ cx, cy, r }) => [
        [cx - r, cy - r],
        [cx + r, cy + r],
      ]),
    ];
    const outside = points.filter(([x = -1, y = -1, ...size]) => {
      return !(x >= 0 && x <= width && y >= 0 && y <= height && size.every((length) => length >= 0));
    });
    assert.equal([outside, points.length > 40], [[], true], svg);
  }
});

test('a day with as many yes as no is drawn, and can be the one with the most votes', async () => {
  const $ = await some();
  assert.equal(
    $('svg:eq(0) g > title')
      .toArray()
      .map((title) => $(title).text()),
    ['2026-11-01: 4 yes, 0 no', '2026-11-02: 3 yes, 3 no', '2026-11-03: 4 yes, 1 no', '2026-11-04: 0 yes, 1 no'],
  );
  assert.is($('svg:eq(0) desc').text(), 'From 2026-11-01 to 2026-11-04. Most votes on 2026-11-02: 3 yes and 3 no.');
});

for (const [days, gap] of [
  // A few days would be wide bars without meaning, so the plot has at least 14.
  [14, 1],
  [157, 1],
  [158, 0],
] as const) {
  test(`the bars of ${days} days fill the plot${gap === 0 ? '' : ', with a gap between two'}`, async () => {
    const $ = await page(
      Array.from({ length: days }, (_, day) => votes(addDays('2026-01-01', day), 'one', 1, 0)).flat(),
    );
    const bars = shapes($, 'svg:eq(0) g rect.yes', 'x', 'width').map(({ x, width }) => ({ start: x, end: x + width }));
    const [left = 0] = numbers($, 'svg:eq(0) line.grid', 'x1');
    const [right = 0] = numbers($, 'svg:eq(0) line.grid', 'x2');
    const gaps = [
      2 * ((bars[0]?.start ?? 0) - left),
      ...bars.slice(1).map(({ start }, index) => start - (bars[index]?.end ?? 0)),
      2 * (right - (bars.at(-1)?.end ?? 0)),
    ];
    // Coordinates have one decimal.
    assert.equal(
      gaps.filter((found) => Math.abs(found - gap) > 0.25),
      [],
    );
    assert.is(bars.length, days);
    const names = numbers($, 'svg:eq(0) text[text-anchor="middle"]', 'x');
    // In a wide font, the name of a day has 80 pixels.
    assert.ok(Math.max(...names) <= 720 - 40, 'the name of the last day is not cut');
  });
}

/** Whether the middle of a line of text, which is 12 pixels high, is at this height. */
const isLevel = (text: Shape<'y'> | undefined, y: number) => Math.abs((text?.y ?? 0) - 4 - y) <= 1;

test('the labels of days and counts are next to the axes, and the legend is below', async () => {
  const $ = await some();
  const svg = 'svg:eq(0)';
  const lines = shapes($, `${svg} > line.grid`, 'x1', 'x2', 'y1', 'y2');
  const counts = shapes($, `${svg} > text[text-anchor="end"]`, 'x', 'y');
  assert.ok(counts.length >= 4);
  for (const [index, text] of counts.entries()) {
    const line = lines[index] as (typeof lines)[0];
    assert.ok(text.x < line.x1 && isLevel(text, line.y1), 'a count is to the left of its line');
  }
  const axis = Math.max(...lines.slice(0, counts.length).map(({ y1 }) => y1));
  const marks = lines.slice(counts.length);
  const days = shapes($, `${svg} > text[text-anchor="middle"]`, 'x', 'y');
  assert.equal([marks.length, days.length], [7, 7]);
  for (const [index, { x, y }] of days.entries()) {
    const { x1, y1, y2 } = marks[index] as (typeof marks)[0];
    assert.ok(y1 === axis && y2 > y1 && y - 12 > y2 && x === x1, 'a day is below its mark, which is below the axis');
  }
  const boxes = shapes($, `${svg} > rect`, 'x', 'y', 'width', 'height');
  const names = shapes($, `${svg} > rect + text`, 'x', 'y');
  const [yes, no] = boxes;
  const [ofYes, ofNo] = names;
  const order = [0, yes?.x, (yes?.x ?? 0) + 12, ofYes?.x, (ofYes?.x ?? 0) + 20, no?.x, (no?.x ?? 0) + 12, ofNo?.x];
  assert.equal(
    order,
    [...order].sort((a = 0, b = 0) => a - b),
  );
  for (const [index, box] of boxes.entries()) {
    assert.ok(box.y > Math.max(...days.map(({ y }) => y)), 'the legend is below the days');
    assert.ok(isLevel(names[index], box.y + box.height / 2), 'a name is at the height of its box');
  }
});

test('each agent has a row with its name, its line with two ends, its point and its share', async () => {
  const $ = await some();
  const svg = 'svg:eq(1)';
  const grid = shapes($, `${svg} > line.grid`, 'x1', 'y1', 'y2');
  const percents = shapes($, `${svg} > text`, 'x', 'y');
  const points = shapes($, `${svg} circle`, 'cy');
  const [first = 0, second = 0, third = 0] = points.map(({ cy }) => cy);
  const height = second - first;
  assert.ok(height >= 20 && third - second === height, 'rows do not overlap');
  assert.is(grid.length, percents.length);
  for (const [index, { x1, y1, y2 }] of grid.entries()) {
    const label = percents[index] as (typeof percents)[0];
    assert.ok(label.x === x1 && label.y < y1 && label.y <= first - height / 2, 'a percentage is above its line');
    assert.ok(y1 <= first - height / 2 && y2 >= third + height / 2, 'the lines of the grid span all rows');
  }
  for (const [row, { cy }] of points.entries()) {
    const [range, ...ends] = shapes($, `${svg} g:eq(${row}) line.range`, 'x1', 'x2', 'y1', 'y2');
    assert.equal([range?.y1, range?.y2], [cy, cy]);
    assert.equal(
      ends.map(({ x1, x2, y1, y2 }) => [x1, x2, y1 < cy && y2 > cy]),
      [range?.x1, range?.x2].map((x) => [x, x, true]),
    );
    const [name, share] = shapes($, `${svg} g:eq(${row}) text`, 'x', 'y');
    assert.ok(
      (name?.x ?? 0) < (grid[0]?.x1 ?? 0) && (share?.x ?? 0) > (grid.at(-1)?.x1 ?? 0),
      'texts are beside the grid',
    );
    assert.ok(isLevel(name, cy) && isLevel(share, cy), 'texts are at the height of the point');
  }
});

test('every class and pattern of the page has a style, and every label names something', async () => {
  const $ = await some();
  const style = $('style').text();
  const classes = new Set(
    $('[class]')
      .toArray()
      .map((element) => $(element).attr('class')),
  );
  assert.equal(
    [...classes].filter((name) => !style.includes(`.${name} `)),
    [],
  );
  assert.ok(classes.size > 8);
  const patterns = [...style.matchAll(/url\(#([^)]+)\)/g)].map(([, id]) => $(`pattern[id="${id}"]`).length);
  assert.equal(patterns, [1]);
  const labels = (selector: string) =>
    $(selector)
      .toArray()
      .map((element) => $(`[id="${$(element).attr('aria-labelledby')}"]`).text());
  const headings = ['Votes per day', 'Share of yes by agent'];
  assert.equal([labels('table'), labels('.table')], [headings, headings]);
  assert.equal(labels('section'), [...headings, 'No notes']);
});

test('the page says what it shows, and nothing else', async () => {
  const [vote] = votes('2026-11-01', 'one', 1, 0);
  const $ = await page([{ ...(vote as StoredVote), note: 'Fine.' }]);
  $('style, svg').remove();
  const lines = $.html()
    .replace(/<[^>]*>/g, '\n')
    .split('\n')
    .filter((line) => line.trim() !== '');
  assert.equal(lines, [
    ...['Votes', 'Votes', '1 vote: 1 yes, 0 no. Days are in UTC.'],
    ...['Votes per day', 'From 2026-11-01 to 2026-11-01. Most votes on 2026-11-01: 1 yes and 0 no.'],
    ...['Day', 'Votes', 'Yes', 'No', '2026-11-01', '1', '1', '0'],
    'Share of yes by agent',
    'A point is the share of yes. With a probability of 95%, the share among all readers is on its line (Wilson score interval): the fewer votes, the longer the line. The agent whose line starts farthest to the right is first.',
    ...[
      'Agent',
      'Votes',
      'Yes',
      'No',
      'Notes',
      'Share of yes',
      '95% interval',
      'one',
      '1',
      '1',
      '0',
      '1',
      '100%',
      '21% to 100%',
    ],
    ...['The latest note', 'Fine.', '2026-11-01', ', one, yes'],
  ]);
});

test.run();
