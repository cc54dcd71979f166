import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { addDays, zone } from '../../src/lib/calendar.ts';

/** A day begins at exactly one instant, whatever the clocks of a time zone do that night. */

const spans = [
  { first: '2011-01-01', days: 2 * 365 },
  { first: '2025-01-01', days: 2 * 365 },
];

const starts: [timezone: string, day: string, start: string][] = [
  ['UTC', '2026-03-29', '2026-03-29T00:00:00.000Z'],
  ['Europe/Berlin', '2026-03-29', '2026-03-28T23:00:00.000Z'],
  ['Europe/Berlin', '2026-10-25', '2026-10-24T22:00:00.000Z'],
  // The clocks go from 23:59:59 to 01:00.
  ['America/Santiago', '2026-09-06', '2026-09-06T04:00:00.000Z'],
  ['America/Havana', '2026-03-08', '2026-03-08T05:00:00.000Z'],
  ['Atlantic/Azores', '2026-03-29', '2026-03-29T01:00:00.000Z'],
  ['Africa/Cairo', '2026-04-24', '2026-04-23T22:00:00.000Z'],
  ['Asia/Beirut', '2026-03-29', '2026-03-28T22:00:00.000Z'],
  ['America/Sao_Paulo', '2018-11-04', '2018-11-04T03:00:00.000Z'],
  // In the southern hemisphere, clocks go forward in October and back in April. Here they do so by half an hour.
  ['Australia/Sydney', '2026-04-05', '2026-04-04T13:00:00.000Z'],
  ['Australia/Sydney', '2026-04-06', '2026-04-05T14:00:00.000Z'],
  ['Australia/Sydney', '2026-10-04', '2026-10-03T14:00:00.000Z'],
  ['Australia/Sydney', '2026-10-05', '2026-10-04T13:00:00.000Z'],
  ['Australia/Lord_Howe', '2026-10-05', '2026-10-04T13:00:00.000Z'],
  ['Europe/Berlin', '2026-03-30', '2026-03-29T22:00:00.000Z'],
  ['Europe/Berlin', '2026-10-26', '2026-10-25T23:00:00.000Z'],
  // A year of two digits that an editor mistyped is that year, not one of the twentieth century. Until 1893, the clocks in
  // Berlin showed the mean time of the place, 53 minutes and 28 seconds ahead of UTC.
  ['UTC', '0001-01-01', '0001-01-01T00:00:00.000Z'],
  ['UTC', '0026-11-21', '0026-11-21T00:00:00.000Z'],
  ['Europe/Berlin', '0099-12-31', '0099-12-30T23:06:32.000Z'],
  // The island skipped December 30.
  ['Pacific/Apia', '2011-12-31', '2011-12-30T10:00:00.000Z'],
];

for (const [timezone, day, start] of starts) {
  test(`${day} starts at ${start} in ${timezone}`, () => {
    assert.is(zone(timezone).startOfDay(day).toISOString(), start);
  });
}

const hours: [timezone: string, instant: string, hour: number][] = [
  ['UTC', '2026-11-22T00:00:00Z', 0],
  ['UTC', '2026-11-22T23:59:59.999Z', 23],
  ['Europe/Berlin', '2026-11-22T05:00:00Z', 6],
  ['Asia/Kolkata', '2026-11-22T00:29:59Z', 5],
  ['America/Los_Angeles', '2026-11-22T05:00:00Z', 21],
  // The clocks go from 2:00 to 3:00, and from 3:00 back to 2:00.
  ['Europe/Berlin', '2026-03-29T00:59:59Z', 1],
  ['Europe/Berlin', '2026-03-29T01:00:00Z', 3],
  ['Europe/Berlin', '2026-10-25T01:00:00Z', 2],
];
for (const [timezone, instant, hour] of hours) {
  test(`at ${instant}, the hour in ${timezone} is ${hour}`, () => {
    assert.is(zone(timezone).hour(new Date(instant)), hour);
  });
}

test('in every time zone, each day around a clock change starts at its first instant', () => {
  const wrong: string[] = [];
  let checked = 0;
  for (const timezone of Intl.supportedValuesOf('timeZone')) {
    const { today, startOfDay } = zone(timezone);
    for (const day of spans.flatMap((span) => daysOfChanges(timezone, span))) {
      const start = startOfDay(day);
      const before = today(new Date(start.getTime() - 1));
      const isSkipped = timezone === 'Pacific/Apia' && day === '2011-12-30';
      checked += 1;
      if (today(start) !== (isSkipped ? '2011-12-31' : day) || before >= day) wrong.push(`${timezone} ${day}`);
    }
  }
  assert.equal(wrong, []);
  assert.ok(checked > 5_000, `only ${checked} days`);
});

/** The days around each clock change, and the first day. */
function daysOfChanges(timezone: string, { first, days }: { first: string; days: number }): string[] {
  const format = new Intl.DateTimeFormat('en-US', { timeZone: timezone, timeStyle: 'medium', hourCycle: 'h23' });
  const step = 7;
  const found = new Set([first]);
  let clock = format.format(Date.parse(`${first}T12:00:00Z`));
  for (let past = step; past < days; past += step) {
    const day = addDays(first, past);
    const now = format.format(Date.parse(`${day}T12:00:00Z`));
    if (now !== clock) for (let after = -step; after <= 1; after += 1) found.add(addDays(day, after));
    clock = now;
  }
  return [...found];
}

test.run();
