import { test } from 'uvu';
import * as assert from 'uvu/assert';
import * as z from 'zod';
import { slug } from '../../../src/schema/fields.ts';
import { explain } from '../../../src/schema/messages/values.ts';

/** What people are told about values that do not match a schema, and what is suggested instead. */

const told = (schema: z.ZodType, value: unknown, options = {}) =>
  explain(schema, value, options).map(({ message, hint }) => `${message} ~ ${hint}`);

const one = (schema: z.ZodType) => z.strictObject({ a: schema });
const described = z.string().describe('A few words');
const choice = z.enum(['easy', 'hard']);
const entries = z.array(z.strictObject({ name: z.string(), text: z.string() }));
const x = (count: number) => 'x'.repeat(count);

const rows: [schema: z.ZodType, value: unknown, ...told: string[]][] = [
  [
    z.strictObject({}),
    'b',
    'The top level is "b"; it has to be an object of keys and values. ~ Correct it, or remove it.',
  ],
  [one(z.string()), {}, '`a` is missing. ~ Add it.'],
  [one(described), {}, '`a` is missing. ~ Add it: a few words.'],
  [one(z.string()), { a: 1 }, '`a` is 1; it has to be text. ~ Put it in quotes.'],
  [
    one(z.string()),
    { a: [1] },
    '`a` is a list; it has to be text. ~ Write it as text. If it starts with a bracket or a brace, put it in quotes.',
  ],
  [one(z.string()), { a: null }, '`a` is empty; it has to be text. ~ Write a value.'],
  [one(z.string().optional()), { a: null }, '`a` is empty; it has to be text. ~ Write a value, or remove the key.'],
  [one(z.int().max(23)), { a: '06:00' }, '`a` is "06:00"; it has to be a number. ~ Correct it, or remove it.'],
  [one(z.array(z.string())), { a: '[b, c]]' }, '`a` is "[b, c]]"; it has to be a list. ~ Write it as a list: [b, c].'],
  [one(z.array(z.string())), { a: '-b -c' }, '`a` is "-b -c"; it has to be a list. ~ Put a space after each hyphen.'],
  [one(entries), { a: { '-name': 'b' } }, '`a` is an object; it has to be a list. ~ Put a space after each hyphen.'],
  [
    z.strictObject({ regex: z.string().optional(), catches: z.string().optional() }),
    { matches: 'b' },
    '`matches` is not a known key. ~ Did you mean `regex`?',
  ],
  [one(z.number()), { a: 'b' }, '`a` is "b"; it has to be a number. ~ Correct it, or remove it.'],
  [one(z.number()), { a: '-1.5' }, '`a` is "-1.5"; it has to be a number. ~ Remove the quotes.'],
  [one(z.int()), { a: '15' }, '`a` is "15"; it has to be a number. ~ Remove the quotes.'],
  [one(z.int()), { a: 1.5 }, '`a` is 1.5; it has to be a whole number. ~ Correct it, or remove it.'],
  [one(z.number()), { a: '1.' }, '`a` is "1."; it has to be a number. ~ Correct it, or remove it.'],
  [one(z.number()), { a: '1:05' }, '`a` is "1:05"; it has to be a number. ~ Did you mean 65?'],
  [one(z.number()), { a: '12 secs.' }, '`a` is "12 secs."; it has to be a number. ~ Did you mean 12?'],
  [
    one(z.number()),
    { a: '12 seconds or so' },
    '`a` is "12 seconds or so"; it has to be a number. ~ Correct it, or remove it.',
  ],
  [one(z.number()), { a: '1:60' }, '`a` is "1:60"; it has to be a number. ~ Correct it, or remove it.'],
  [one(z.boolean()), { a: 'true' }, '`a` is "true"; it has to be true or false. ~ Remove the quotes.'],
  [one(z.boolean()), { a: 'false' }, '`a` is "false"; it has to be true or false. ~ Remove the quotes.'],
  [one(z.boolean()), { a: 'Off' }, '`a` is "Off"; it has to be true or false. ~ Did you mean false?'],
  [one(z.boolean()), { a: 'y' }, '`a` is "y"; it has to be true or false. ~ Did you mean true?'],
  [one(z.boolean()), { a: 'maybe' }, '`a` is "maybe"; it has to be true or false. ~ Correct it, or remove it.'],
  [one(z.array(z.string())), { a: 'b, c' }, '`a` is "b, c"; it has to be a list. ~ Write it as a list: [b, c].'],
  [
    one(z.array(z.string())),
    { a: { b: 1 } },
    '`a` is an object; it has to be a list. ~ Write it as a list in square brackets, with commas between the entries.',
  ],
  [
    one(entries),
    { a: 'b' },
    '`a` is "b"; it has to be a list. ~ Write it as a list of objects. The known keys are name, text.',
  ],
  [
    one(entries),
    { a: ['b', 'c', { name: 'd' }] },
    '`a[0]` is "b"; it has to be an object of keys and values. ~ Write each entry as an object. The known keys are name, text.',
    '`a[2].text` is missing. ~ Add it.',
  ],
  [
    one(z.strictObject({ name: z.string() })),
    { a: 'b' },
    '`a` is "b"; it has to be an object of keys and values. ~ Write it as an object. The only known key is name.',
  ],
  [
    one(entries),
    { a: [{ name: 'd', text: 'e' }, 'texts:f'] },
    '`a[1]` is "texts:f"; it has to be an object of keys and values. ~ After `text`, write a colon, a space and its value.',
  ],
  [
    one(z.record(z.string(), z.string())),
    { a: [] },
    '`a` is an empty list; it has to be an object of keys and values. ~ Correct it, or remove it.',
  ],
  [
    one(z.string().max(2)),
    { a: 'abc' },
    '`a` is "abc"; it has to be at most 2 characters long. ~ Correct it, or remove it.',
  ],
  [
    one(z.array(z.int()).min(1)),
    { a: [] },
    '`a` is an empty list; it has to be a list of at least 1 entry. ~ Correct it, or remove it.',
  ],
  [
    one(z.array(z.int()).min(2)),
    { a: [1] },
    '`a` is a list; it has to be a list of at least 2 entries. ~ Correct it, or remove it.',
  ],
  [one(z.number().min(2)), { a: 1 }, '`a` is 1; it has to be at least 2. ~ Correct it, or remove it.'],
  [
    one(z.string().max(2).regex(/^b/, { error: 'a text with b' })),
    { a: 'abc' },
    '`a` is "abc"; it has to be at most 2 characters long and a text with b. ~ Correct it, or remove it.',
  ],
  [one(choice), { a: 'eazy' }, '`a` is "eazy"; it has to be one of easy, hard. ~ Did you mean easy?'],
  [one(choice), { a: 'ahdr' }, '`a` is "ahdr"; it has to be one of easy, hard. ~ Did you mean hard?'],
  [one(choice), { a: 'normal' }, '`a` is "normal"; it has to be one of easy, hard. ~ Choose one of these.'],
  [one(z.enum(['a', 'b'])), { a: ' ' }, '`a` is " "; it has to be one of a, b. ~ Choose one of these.'],
  [one(z.literal('b')), { a: 'long' }, '`a` is "long"; it has to be b. ~ Write b.'],
  [
    one(described.max(56)),
    { a: x(58) },
    `\`a\` is "${x(58)}"; it has to be at most 56 characters long. ~ What belongs here: a few words.`,
  ],
  [
    one(z.string().max(56)),
    { a: x(59) },
    `\`a\` is "${x(56)}…"; it has to be at most 56 characters long. ~ Correct it, or remove it.`,
  ],
  [
    z.record(slug, z.string()),
    { 'Big Name': '' },
    '`Big Name` cannot be a key; it has to be lowercase words joined by hyphens, such as release-notes. ~ Rename it, for example to big-name.',
  ],
  [
    z.record(slug, z.string()),
    { con: '' },
    '`con` cannot be a key; it has to be another name: Windows reserves it for a device, so its files could not be checked out there. ~ Rename it.',
  ],
  [one(z.string()), { a: '', bee: 1 }, '`bee` is not a known key. ~ The only known key is a.'],
  [
    z.strictObject({ video: one(z.string()) }),
    { video: { a: '', A: 1 } },
    '`video.A` is not a known key. ~ Did you mean `a`?',
  ],
];
for (const [schema, value, ...expected] of rows) {
  test(`what is said of ${JSON.stringify(value).slice(0, 70)}`, () => assert.equal(told(schema, value), expected));
}

test('what a reader sent is not repeated', () => {
  assert.equal(told(one(choice), { a: 'secret' }, { echo: false }), [
    '`a` has to be one of easy, hard. ~ Choose one of these.',
  ]);
});

test('in JSON, a list is suggested as JSON', () => {
  const schema = one(z.array(z.string()));
  assert.equal(told(schema, { a: 'b,c' }, { json: true }), [
    '`a` is "b,c"; it has to be a list. ~ Write it as a list: ["b", "c"].',
  ]);
});

const otherNames = {
  title: 'name heading titel',
  date: 'day published publishedOn pubDate dat',
  category: 'section topic catgory',
  tags: 'keywords labels tag',
  difficulty: 'level',
  runtimes: 'assistants models tools runtime',
  excerpt: 'summary description',
  text: 'description detail',
  detail: 'description text',
  label: 'name title',
  name: 'title label',
  second: 'time at seconds',
};
for (const [key, names] of Object.entries(otherNames)) {
  test(`another name of the missing key ${key} is one mistake`, () => {
    const schema = z.strictObject({ [key]: z.string(), zzzzzzzz: z.string() });
    for (const name of names.split(' ')) {
      assert.equal(told(schema, { [name]: '', zzzzzzzz: '' }), [
        `\`${name}\` is not a known key. ~ Did you mean \`${key}\`?`,
      ]);
    }
    assert.is(told(schema, { other: '', zzzzzzzz: '' }).length, 2);
  });
}

test('of two unknown keys only one can stand for the missing one, and only in the same object', () => {
  const schema = z.strictObject({ title: z.string(), steps: z.strictObject({ name: z.string() }).optional() });
  assert.equal(told(schema, { heading: '', name: '' }), [
    '`heading` is not a known key. ~ Did you mean `title`?',
    '`name` is not a known key. ~ The known keys are title, steps.',
  ]);
  assert.equal(told(schema, { steps: { name: '', heading: '' } }).sort(), [
    '`steps.heading` is not a known key. ~ The only known key is name.',
    '`title` is missing. ~ Add it.',
  ]);
});

test('fifty mistakes of one kind are explained', () => {
  const many = Object.fromEntries(Array.from({ length: 60 }, (_, index) => [`k${index}`, 1]));
  assert.is(told(z.strictObject({}), many).length, 50);
  assert.is(told(z.record(z.string(), z.string()), many).length, 50);
});

test.run();
