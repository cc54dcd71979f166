import { test } from 'uvu';
import * as assert from 'uvu/assert';
import type { z } from 'zod';
import { frontMatterSchema } from '../../src/schema/agent.ts';
import { recorded } from '../../src/schema/evals.ts';
import { explain } from '../../src/schema/messages/values.ts';
import { feedbackRequest } from '../../src/schema/requests.ts';
import { settingsSource } from '../../src/schema/settings.ts';

/** What an editor or a client is told that a value has to be. */

const front = frontMatterSchema({ categories: null, difficulties: null, runtimes: null });
const said = (schema: z.ZodType, value: unknown) => explain(schema, value, {}).map(({ message }) => message);
const { shape } = settingsSource;

/** A value of a setting, and what it has to be. */
const settings: [key: keyof typeof shape, value: unknown, words: string][] = [
  ['announceHour', 24, '23 or less'],
  ['announceHour', -1, '0 or more'],
  ['announceHour', 1.5, 'a whole number'],
  ['queueWarningDays', 366, '365 or less'],
  ['queueWarningDays', -1, '0 or more'],
  ['queueWarningDays', 1.5, 'a whole number'],
  ['feedLength', 1001, '1000 or less'],
  ['feedLength', 0, '1 or more'],
  ['feedLength', 1.5, 'a whole number'],
  ['language', 'x', 'a language tag, such as en or pt-BR (BCP 47)'],
  ['timezone', 'x', 'the name of a time zone, such as UTC or Europe/Berlin'],
  ['feedId', 'x', 'a tag: URI such as tag:example.com,2026:catalog (RFC 4151)'],
  ['baseUrl', 'https://a.example?b', 'an address without ? or #'],
  ['mcpName', 'x', 'a reversed domain, a slash and a name, such as com.example/agents'],
  ['categories', {}, 'an object with at least one category'],
  ['difficulties', [], 'a list of at least one entry'],
  ['runtimes', [], 'a list of at least one entry'],
  ...['https://a.example/b', 'https://a.example/b/c/d', 'https://a.example/b/c?d', 'https://a.example/b/!'].map(
    (address) =>
      ['repository', address, 'the address of a GitHub repository, such as https://github.com/ada/prompts'] as [
        'repository',
        string,
        string,
      ],
  ),
  ['securityContact', 'http://a.example', 'an address that starts with https:, mailto: or tel:'],
  ['securityContact', 'https://ada@a.example', 'an address without a user name, spaces or backslashes'],
];
for (const [key, value, words] of settings) {
  test(`the message about the setting ${key} says what ${JSON.stringify(value)} has to be`, () => {
    const [message = '', ...others] = said(settingsSource.pick({ [key]: true } as { title: true }), { [key]: value });
    assert.equal(others, []);
    assert.ok(message.startsWith(`\`${key}\` is `) && message.endsWith(`; it has to be ${words}.`), message);
  });
}

test('a repository is named by its owner and itself, with or without a slash at the end', () => {
  for (const address of ['https://github.com/ada/my.prompts_2', 'https://github.com/ada/my.prompts_2/']) {
    assert.is(shape.repository.parse(address), 'https://github.com/ada/my.prompts_2');
  }
});

test('a label of a category with < is refused in words', () => {
  const categories = { a: { label: '<', description: 'b' } };
  assert.equal(said(settingsSource.pick({ categories: true }), { categories }), [
    '`categories.a.label` is "<"; it has to be text without < or >.',
  ]);
});

test('a malformed email address of the publisher is refused in words', () => {
  const publisher = { name: 'a', url: 'https://a.example', email: 'a' };
  assert.equal(said(settingsSource.pick({ publisher: true }), { publisher }), [
    '`publisher.email` is "a"; it has to be an email address.',
  ]);
});

test('a file name that no config can have is refused in words', () => {
  const [message] = said(front.pick({ configFilename: true }), { configFilename: 'setup.exe' });
  const words = 'a file name such as .mcp.json: at most 100 letters, digits, dots, hyphens and underscores';
  assert.ok(
    message?.startsWith(`\`configFilename\` is "setup.exe"; it has to be ${words}, with the extension`),
    message,
  );
});

test('lists of an agent that are too long or empty are refused in words', () => {
  const tags = Array.from({ length: 13 }, (_, index) => `a${index}`);
  const schema = front.pick({ tags: true });
  assert.equal(said(schema, { tags }), ['`tags` is a list of 13; it has to be a list of at most 12 entries.']);
  assert.equal(said(front.pick({ formerSlugs: true }), { formerSlugs: Array.from({ length: 51 }, () => 'a') }), [
    '`formerSlugs` is a list of 51; it has to be a list of at most 50 entries.',
  ]);
  for (const key of ['steps', 'demo'] as const) {
    const [message] = said(front.pick({ [key]: true } as { steps: true }), { [key]: [] });
    assert.match(message ?? '', /has to be a list of at least one (?:step|point)\.$/);
  }
  assert.equal(said(schema, { tags: [] }), ['`tags` is an empty list; it has to be a list of at least one entry.']);
});

test('a second that is not a number is not also out of order', () => {
  const point = (second: unknown) => ({ second, label: 'a', detail: 'b' });
  const demo = [point(5), point('3'), point(null), point(2)];
  assert.equal(said(front.pick({ demo: true }), { demo }), [
    '`demo[1].second` is "3"; it has to be a whole number of seconds.',
    '`demo[2].second` is empty; it has to be a whole number of seconds.',
  ]);
});

test('a note that is too long is refused with the limit alone', () => {
  const [message] = said(feedbackRequest, { slug: 'a', vote: 'yes', note: 'x'.repeat(501) });
  assert.ok(message?.endsWith('; it has to be text of at most 500 characters.'), message);
});

test('the message about any key of an agent or a recording can say what belongs there', () => {
  for (const fields of [front.shape, recorded.shape]) {
    const silent = Object.entries(fields).filter(([, field]) => !field.description);
    assert.equal(silent, []);
  }
});

test.run();
