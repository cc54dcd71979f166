import { test } from 'uvu';
import * as assert from 'uvu/assert';
import * as z from 'zod';
import * as fields from '../../../src/schema/fields.ts';
import { toolShapes } from '../../../src/schema/mcp.ts';
import { explain } from '../../../src/schema/messages/values.ts';
import { settingsSource } from '../../../src/schema/settings.ts';

/** Which value is suggested instead of an invalid one, and how its rule is named. */

const one = (schema: z.ZodType) => z.strictObject({ a: schema });

const told = (schema: z.ZodType, value: unknown) =>
  explain(schema, value).map(({ message, hint }) => `${message} ~ ${hint}`);

const dates: [text: string, meant: string][] = [
  ['2026-3-1', '2026-03-01'],
  ['2026/03/01', '2026-03-01'],
  ['2026.3.01', '2026-03-01'],
  ['2026-3-1T10:00:00Z', '2026-03-01'],
  ['2026-03-01 10:00', '2026-03-01'],
  ['20260301', '2026-03-01'],
  ['1.3.2026', '2026-03-01'],
  ['01-03-2026', '2026-03-01'],
  ['3/4/2026', '2026-03-04'],
  ['12/4/2026', '2026-12-04'],
  ['13/4/2026', '2026-04-13'],
  ['March 1, 2026', '2026-03-01'],
  ['dec. 31 2026', '2026-12-31'],
  ['Sep 30, 2026', '2026-09-30'],
  ['1 March 2026', '2026-03-01'],
  ['31. Dec. 2026', '2026-12-31'],
  ['1 jan, 2026', '2026-01-01'],
  ['29 Feb 2028', '2028-02-29'],
];
const noDates = [
  '2026-3-1st',
  'on 2026-3-1',
  '2026-3-123',
  '202603011',
  '120260301',
  '1.3.20260',
  '11.13.2026',
  '131/4/2026',
  '3/4/20260',
  'March 1, 20261',
  'on March 1, 2026',
  '1 March 20261',
  'on 1 March 2026',
  '1 March abcd',
  'Mars 1 2026 x',
  'Foo 1, 2026',
  '0/4/2026',
  '3/0/2026',
  '2026-2-30',
  '29 Feb 2026',
  'soon',
];
test('a date in another form is recognized', () => {
  const schema = one(fields.date);
  const rule = 'it has to be a calendar date, written as YYYY-MM-DD.';
  for (const [text, date] of dates) {
    assert.equal(told(schema, { a: text }), [`\`a\` is "${text}"; ${rule} ~ Did you mean ${date}?`]);
  }
  for (const text of noDates) {
    assert.equal(told(schema, { a: text }), [
      `\`a\` is "${text}"; ${rule} ~ Write it as YYYY-MM-DD, such as 2026-03-01.`,
    ]);
  }
  const why: [string, string][] = [
    ['2026-02-29', 'February 2026 has 28 days.'],
    ['2028-02-30', 'February 2028 has 29 days.'],
    ['2026-04-31', 'April 2026 has 30 days.'],
    ['2026-12-32', 'December 2026 has 31 days.'],
    ['2026-13-01', 'A year has 12 months.'],
    ['2026-00-01', 'A year has 12 months.'],
  ];
  for (const [text, hint] of why) assert.equal(told(schema, { a: text }), [`\`a\` is "${text}"; ${rule} ~ ${hint}`]);
});

const { shape } = settingsSource;
const meant: [schema: z.ZodType, text: string, meant: string | null][] = [
  [shape.timezone, 'Berlin', 'Europe/Berlin'],
  [shape.timezone, 'new york', 'America/New_York'],
  [shape.timezone, 'Europe/Berlni', 'Europe/Berlin'],
  [shape.timezone, 'UTCC', 'UTC'],
  [shape.timezone, 'somewhere else entirely', null],
  [shape.language, 'German', 'de'],
  [shape.language, 'pt_BR', 'pt-BR'],
  [shape.language, 'french', 'fr'],
  [shape.language, 'Zulu', 'zu'],
  [shape.language, 'Klingonish', null],
  [shape.baseUrl, 'press.example', 'https://press.example'],
  [shape.baseUrl, 'press.example:80/a', 'https://press.example:80/a'],
  [shape.baseUrl, 'press', null],
  [shape.baseUrl, 'our press.example', null],
  [fields.slug, 'Release Notes!', 'release-notes'],
  [fields.slug, '!', null],
];
for (const [schema, text, suggestion] of meant) {
  test(`"${text}" ${suggestion === null ? 'gets no suggestion' : `probably means ${suggestion}`}`, () => {
    const [line = ''] = told(one(schema), { a: text });
    const [, found = null] = / ~ Did you mean (.*)\?$/.exec(line) ?? [];
    assert.is(found, suggestion, line);
  });
}

const seconds: [text: string, meant: string | null][] = [
  ['0:12', '12'],
  ['1:05', '65'],
  ['12s', '12'],
  ['12 sec', '12'],
  ['12 secs.', '12'],
  ['1 second', '1'],
  ['90 seconds', '90'],
  ['1:60', null],
  ['12 minutes', null],
];
test('seconds with a unit or with minutes are recognized', () => {
  for (const [text, suggestion] of seconds) {
    const [line = ''] = told(fields.demoPoint, { second: text, label: 'a', detail: 'b' });
    const [, found = null] = / ~ Did you mean (.*)\?$/.exec(line) ?? [];
    assert.is(found, suggestion, line);
  }
});

const settings: [key: keyof typeof shape, value: unknown, rule: string][] = [
  ['title', ' a', 'one line of text, without spaces around it'],
  ['title', 'a'.repeat(101), 'text of 1 to 100 characters'],
  ['language', 'english!', 'a language tag, such as en or pt-BR (BCP 47)'],
  ['timezone', 'Nowhere/Else', 'the name of a time zone, such as UTC or Europe/Berlin'],
  ['feedId', 'a', 'a tag: URI such as tag:example.com,2026:catalog (RFC 4151)'],
  ['baseUrl', 'a', 'an address that starts with http:// or https://'],
  ['announceHour', -1, '0 or more'],
  ['announceHour', 24, '23 or less'],
  ['announceHour', 7.5, 'a whole number'],
  ['feedLength', 0, '1 or more'],
  ['feedLength', 1001, '1000 or less'],
  ['feedLength', 1.5, 'a whole number'],
  ['feedLength', 'many', 'a whole number'],
  ['queueWarningDays', -1, '0 or more'],
  ['queueWarningDays', 366, '365 or less'],
  ['queueWarningDays', 'many', 'a whole number'],
];
for (const [key, value, rule] of settings) {
  test(`the rule of ${key} is named: ${JSON.stringify(value).slice(0, 20)}`, () => {
    const [{ message = '' } = {}] = explain(one(shape[key]), { a: value }, { echo: false });
    assert.is(message, `\`a\` has to be ${rule}.`);
  });
}

const limits = [
  [toolShapes.search_agents.input, { query: 'a' }, 50],
  [toolShapes.list_agents.input, {}, 100],
] as const;
for (const [schema, query, most] of limits) {
  test(`the rule of a limit up to ${most} is named in MCP`, () => {
    const range = `from 1 to ${most}`;
    for (const [limit, rule] of [
      ['many', 'a whole number'],
      [2.5, 'a whole number'],
      [0, range],
      [most + 1, range],
    ]) {
      const [{ message = '' } = {}] = explain(schema, { ...query, limit }, { echo: false });
      assert.is(message, `\`limit\` has to be ${rule}.`);
    }
    assert.equal(explain(schema, { ...query, limit: 1 }), []);
    assert.equal(explain(schema, { ...query, limit: most }), []);
  });
}

test.run();
