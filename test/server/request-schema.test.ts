import Ajv from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import fc from 'fast-check';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { serviceSchemas } from '../../src/schema/json-schema.ts';
import { parseFields, takeSubscription, takeVote } from '../../src/server/forms.ts';
import { Refusal } from '../../src/server/http.ts';

/** The published schemas of requests describe exactly which bodies the server accepts. */

type VoteParts = Parameters<typeof takeVote>[0];
type SubscriptionParts = Parameters<typeof takeSubscription>[0];

/** The votes and subscriptions that reached the stores. */
let notes: (string | undefined)[] = [];
const limit = { take: async () => ({}) };
const parts = {
  limit,
  votes: { append: async ({ note }: { note?: string }) => void notes.push(note) },
  follower: { current: () => ({ slugs: { has: () => true } }) },
} as unknown as VoteParts;
const subscriptionParts = {
  limit,
  subscribers: {
    add: async ({ note }: { note?: string }) => {
      notes.push(note);
      return 'accepted';
    },
  },
} as unknown as SubscriptionParts;

/** Text made of any UTF-16 units, including NUL and halves of surrogate pairs. Many texts have a length near `max`. */
const note = (max: number) => {
  const unit = fc.oneof(
    fc.integer({ min: 0, max: 0xffff }).map((code) => String.fromCharCode(code)),
    fc.constantFrom('a', '\0', '\ud83d', '\ude42', '🙂'),
  );
  const long = fc.tuple(fc.string({ unit, maxLength: 4 }), fc.integer({ min: max - 4, max: max + 4 }), unit);
  return fc.oneof(
    fc.string({ unit, maxLength: 20 }),
    long.map(([text, length, fill]) => text.padEnd(length * fill.length, fill)),
  );
};

/** Mostly valid fields. Sometimes one is missing or random. */
const body = (fields: Record<string, fc.Arbitrary<unknown>>, required: string[]) =>
  fc
    .tuple(
      fc.record(fields, { requiredKeys: required }),
      fc.option(fc.tuple(fc.constantFrom(...Object.keys(fields)), fc.option(fc.jsonValue(), { nil: undefined })), {
        freq: 2,
      }),
      fc.dictionary(fc.constantFrom('stars', '__proto__', 'toString', 'Note'), fc.jsonValue(), { maxKeys: 2 }),
    )
    .map(([good, change, more]) => ({ ...more, ...good, ...(change === null ? {} : { [change[0]]: change[1] }) }));

const odd = [
  'a@b',
  'ada@example.com',
  'ada@example..com',
  ' ada@example.com',
  'ä@example.com',
  'a@b.c',
  'A@EXAMPLE.COM',
  'rock&roll@example.org',
  'ada@example.xn--p1ai',
  'ada@example-.com',
  `${'a'.repeat(64)}@${'b'.repeat(63)}.org`,
  `${'a'.repeat(65)}@example.org`,
  `a@${'b'.repeat(64)}.org`,
  `${'a'.repeat(300)}@example.org`,
];

const requests = [
  {
    name: 'FeedbackRequest',
    body: body({ slug: fc.string(), vote: fc.constantFrom('yes', 'no'), note: note(500) }, ['slug', 'vote']),
    take: (fields: Record<string, unknown>) => takeVote(parts)(fields, '192.0.2.1'),
  },
  {
    name: 'SubscribeRequest',
    body: body(
      {
        email: fc.oneof(
          { weight: 6, arbitrary: fc.constantFrom('ada@example.com', 'ada+x@mail.example.org') },
          fc.emailAddress(),
          fc.constantFrom(...odd),
          fc.string(),
        ),
        list: fc.constantFrom('daily', 'pro', 'custom'),
        note: note(2000),
      },
      ['email', 'list'],
    ),
    take: (fields: Record<string, unknown>) => takeSubscription(subscriptionParts)(fields, '192.0.2.1'),
  },
];

for (const { name, body, take } of requests) {
  test(`the server accepts a body exactly if it matches ${name}, and stores text that every store can hold`, async () => {
    const ajv = new Ajv.default({ strict: true });
    addFormats.default(ajv);
    const fits = ajv.compile(serviceSchemas()[name] as object);
    const outcomes = { taken: 0, refused: 0, notes: 0 };
    await fc.assert(
      fc.asyncProperty(body, async (value) => {
        notes = [];
        const text = JSON.stringify(value);
        const isTaken = await take(parseFields(Buffer.from(text), 'json')).then(
          () => true,
          (error) => {
            if (error instanceof Refusal && error.code === 'invalid_body') return false;
            throw error;
          },
        );
        assert.is(isTaken, fits(JSON.parse(text)), JSON.stringify(fits.errors));
        outcomes[isTaken ? 'taken' : 'refused'] += 1;
        for (const stored of notes.filter((note) => note !== undefined)) {
          outcomes.notes += 1;
          assert.not.match(stored, /[\0\p{Surrogate}]/u);
        }
      }),
      { seed: 20261121, numRuns: 500 },
    );
    assert.ok(outcomes.taken > 100 && outcomes.refused > 50 && outcomes.notes > 50, JSON.stringify(outcomes));
  });
}

test('of the field form, only the version of a text is stored with a subscription', async () => {
  const forms: unknown[] = [];
  const add = async ({ form }: { form?: string }) => {
    forms.push(form);
    return 'accepted';
  };
  const wrong = ['0123456789AB', '0123456789abc', '0123456789', ' 0123456789ab', '<b>', 123456789012, null];
  const given = ['0123456789ab', ...wrong, ['0123456789ab']];
  for (const form of given) {
    const fields = { email: 'ada@example.com', list: 'daily', form };
    await takeSubscription({ ...subscriptionParts, subscribers: { add } } as never)(fields, '192.0.2.1');
  }
  assert.equal(forms, ['0123456789ab', ...Array(8).fill(undefined)]);
});

test.run();
