import { test } from 'uvu';
import * as assert from 'uvu/assert';
import type { z } from 'zod';
import { defaults } from '../../src/content/new/agent.ts';
import { frontMatterSchema } from '../../src/schema/agent.ts';
import { parseBuildInfo } from '../../src/schema/documents.ts';
import { type Evals, proofOf, recorded } from '../../src/schema/evals.ts';
import { demoPoint, publicUrl, webUrl } from '../../src/schema/fields.ts';
import { openApi } from '../../src/schema/json-schema.ts';
import { type Settings, settingsSource } from '../../src/schema/settings.ts';
import { configTypes, slugFrom, titleFrom } from '../../src/schema/slugs.ts';
import { smallSettings } from '../support/catalog.ts';

/** Which values the schemas accept, and what is derived from names and settings. */

const { shape } = settingsSource;
const forms: [name: string, schema: z.ZodType, good: string[], bad: string[]][] = [
  [
    'a web address',
    webUrl,
    [
      'https://a',
      'http://a/',
      'HTTPS://A.example/b/c?d=e#f',
      'https://a.example?b',
      'https://a.example#b',
      'https://a.example:81/@b',
      'http://[::1]/a',
    ],
    [
      'ftp://a',
      'https:/a.example',
      'https:///a.example',
      'https://ada@a.example/b',
      'https://ada:b@a.example',
      'https://a.example\\b',
      'https://a.example/b\\c',
      'https://a.example/b c',
      'https://a.ex ample/',
      'https://a.example/\u0007',
      'x https://a.example',
      'https://',
    ],
  ],
  [
    'an address that strangers may propose',
    publicUrl,
    ['https://a.example', 'https://a-b.c1.example/d', 'https://xn--bcher-kva.example?b', 'https://a.example#b'],
    [
      'http://a.example',
      'https://localhost',
      'https://a.example:81',
      'https://192.0.2.1/',
      'https://[::1]/',
      'https://-a.example',
      'https://a-.example',
      'https://é.example',
      'https://a..example',
      'https://a.example-/',
    ],
  ],
  [
    'an address for reports',
    shape.securityContact,
    ['https://a.example/b', 'mailto:a@b.example', 'tel:+1-201-555-0123'],
    ['http://a.example', 'a@b.example', 'https://ada@a.example', 'https://a.example/b\\c', 'xmailto:a@b.example'],
  ],
  ['a time zone', shape.timezone, ['UTC', 'Europe/Berlin', 'America/Argentina/Ushuaia'], ['Berlin', '', 'UTC+25']],
  ['the label of a category', shape.categories.valueType.shape.label, ['A & B'], ['a < b', 'a > b', '']],
];
for (const [name, schema, good, bad] of forms) {
  test(`${name} is accepted in its form alone`, () => {
    const isAccepted = (value: string) => schema.safeParse(value).success;
    assert.equal(
      good.filter((value) => !isAccepted(value)),
      [],
    );
    assert.equal(bad.filter(isAccepted), []);
  });
}

test('the base URL loses the slashes at its end, and has neither a query nor a fragment', () => {
  assert.is(shape.baseUrl.parse('https://a.example/'), 'https://a.example');
  assert.is(shape.baseUrl.parse('https://a.example/b//'), 'https://a.example/b');
  assert.is(shape.baseUrl.parse('https://a.example/b'), 'https://a.example/b');
  for (const bad of ['https://a.example/?b', 'https://a.example/#b']) {
    assert.is(shape.baseUrl.safeParse(bad).success, false, bad);
  }
});

test('an optional key of an agent may be there without a value', () => {
  const front = frontMatterSchema({ categories: null, difficulties: null, runtimes: null });
  const faults = (value: object) => front.safeParse(value).error?.issues.map(({ path }) => path.join('.')) ?? [];
  const required = [
    ...['title', 'date', 'category', 'tags', 'difficulty'],
    ...['runtimes', 'excerpt', 'problem', 'steps', 'demo'],
  ];
  assert.equal(faults({}), required);
  const optional = Object.keys(front.shape).filter((key) => !required.includes(key));
  assert.ok(optional.includes('trap'));
  assert.equal(faults(Object.fromEntries(optional.map((key) => [key, null]))), required);
});

test('a demo begins at zero seconds or later', () => {
  const seconds = [-1, 0, 1, 0.5].map((second) => demoPoint.safeParse({ second, label: 'a', detail: 'b' }).success);
  assert.equal(seconds, [false, true, true, false]);
});

test('only what a build wrote is taken for build.json', () => {
  const id = '0123456789abcdef0123456789abcdef';
  const info = {
    id,
    version: '1',
    baseUrl: 'https://a.example',
    runtimeUrl: null,
    preview: false,
    moved: { b: 'a' },
    counts: { agents: 1, files: 2 },
  };
  const parsed = (change: object) => parseBuildInfo(Buffer.from(JSON.stringify({ ...info, ...change })));
  assert.equal(parsed({}), info);
  assert.equal(parsed({ runtimeUrl: 'https://b.example' }).runtimeUrl, 'https://b.example');
  const wrong: object[] = [
    { id: `${id}0` },
    { id: `g${id.slice(1)}` },
    { id: id.slice(1) },
    { id: `x${id}` },
    { version: 1 },
    { baseUrl: 'a' },
    { runtimeUrl: 'a' },
    { preview: 'no' },
    { moved: { b: 1 } },
    { counts: { agents: 1.5, files: 2 } },
    { counts: { agents: 1 } },
  ];
  const message = /^build\.json was not written by catalog build$/;
  for (const change of wrong) assert.throws(() => parsed(change), message, JSON.stringify(change));
  assert.throws(() => parseBuildInfo(Buffer.from('{')), message);
});

test('each config has the content type of its extension, and is never a page or a program', () => {
  const text = ['jsonc', 'yaml', 'yml', 'toml', 'ini', 'cfg', 'conf', 'properties', 'env', 'csv', 'txt'];
  assert.equal(configTypes, {
    json: 'application/json',
    md: 'text/markdown; charset=utf-8',
    ...Object.fromEntries(text.map((extension) => [extension, 'text/plain; charset=utf-8'])),
  });
});

const slugs: [title: string, slug: string][] = [
  ['Release Notes', 'release-notes'],
  ["  The editor's (2nd) café: über Straße!", 'the-editors-2nd-cafe-uber-strasse'],
  ['Ada’s ﬁle №5', 'adas-file-no5'],
  ['日本', ''],
  ['x'.repeat(70), 'x'.repeat(64)],
  [`${'x'.repeat(62)} y z`, `${'x'.repeat(62)}-y`],
  [`${'x'.repeat(63)} y z`, 'x'.repeat(63)],
];
for (const [title, slug] of slugs) {
  test(`the title "${title.slice(0, 50)}" suggests the slug "${slug.slice(0, 50)}"`, () =>
    assert.is(slugFrom(title), slug));
}

test('a slug suggests a title', () => {
  assert.is(titleFrom('release-notes'), 'Release Notes');
  assert.is(titleFrom('a-1b-c'), 'A 1b C');
});

const tags: [slug: string, categories: string[], tags: string[]][] = [
  ['release-note-translator', [], ['release', 'note', 'translator']],
  ['the-big-note-for-many-long-lists', [], ['note', 'many', 'long']],
  ['note-note-many', [], ['note', 'many']],
  ['coding-note-many', ['coding'], ['note', 'many']],
  ['note-for-you', [], ['note', 'new-agent']],
  ['search-index-note', [], ['search', 'note']],
  ['a-b', [], ['new-agent', 'untagged']],
  ['a-b', ['new-agent'], ['untagged']],
  ['untagged-a', ['new-agent'], ['untagged']],
];
for (const [slug, categories, expected] of tags) {
  test(`the slug ${slug} suggests the tags ${expected} beside the categories ${categories}`, () => {
    const known = Object.fromEntries(categories.map((key) => [key, { label: key, description: '' }]));
    const vocabulary = { categories: known, difficulties: [], runtimes: [] };
    const calendar = { folders: [], reserved: [] };
    assert.equal(defaults({ slug }, { vocabulary, calendar, today: '2026-01-01' }).tags, expected);
  });
}

/** The paths of the description that name a server of their own, each with its servers. */
function serversOf(settings: object): [path: string, servers: unknown][] {
  const { paths } = openApi({ ...smallSettings, ...settings } as unknown as Settings, null) as {
    paths: Record<string, { servers?: unknown }>;
  };
  return Object.entries(paths).flatMap(([path, { servers }]) => (servers === undefined ? [] : [[path, servers]]));
}

test('the paths of a runtime elsewhere name its address, and a catalog without agents has examples', () => {
  const servers = [{ url: 'https://run.example', description: 'The server' }];
  assert.equal(
    serversOf({ runtimeUrl: 'https://run.example' }),
    ['/api/feedback', '/api/subscribe', '/api/mcp'].map((path) => [path, servers]),
  );
  for (const runtimeUrl of [null, smallSettings.baseUrl]) assert.equal(serversOf({ runtimeUrl }), []);
  const examples = JSON.stringify(openApi(smallSettings as unknown as Settings, null));
  for (const part of [
    '"slug":"release-notes","vote"',
    '"arguments":{"slug":"release-notes"}',
    '"name":"com.example/agents","version":"1.0.0"',
  ]) {
    assert.ok(examples.includes(part), part);
  }
});

test('a slug has no later word instead of one that is too long, and the contact has the address of the publisher', () => {
  assert.is(slugFrom(`${'a'.repeat(60)} longer b`), 'a'.repeat(60));
  const publisher = { ...smallSettings.publisher, email: 'desk@press.example' };
  const described = (change: object) => openApi({ ...smallSettings, ...change } as unknown as Settings, null).info;
  assert.is((described({ publisher }) as { contact: { email?: string } }).contact.email, 'desk@press.example');
});

test('answers of every kind and settings of every type can be recorded, and each stale answer counts', () => {
  const sha256 = '0'.repeat(64);
  const made = ['api', 'command', 'pasted'].map((made) => ({
    ...{ model: 'm', date: '2026-01-01', made, promptSha256: sha256, inputSha256: sha256 },
    settings: { a: 'text', b: 1, c: true },
  }));
  for (const one of made) assert.ok(recorded.safeParse(one).success, one.made);
  const answers = [null, 'prompt', 'input'].map((stale) => ({
    folder: 'm',
    recorded: { model: 'm' },
    stale,
    results: [],
  }));
  assert.equal(proofOf({ cases: [], answers } as unknown as Evals), { models: 1, answers: 3, passed: 3, stale: 2 });
  const [first] = answers;
  const one = { cases: [], answers: [first] } as unknown as Evals;
  assert.equal(proofOf(one), { models: 1, answers: 1, passed: 1, stale: 0 });
  const unnamed = { ...first, recorded: { model: 'M (version not stated)' } };
  const hidden = { cases: [], answers: [first, { ...unnamed, folder: 'other' }] } as unknown as Evals;
  assert.equal(proofOf(hidden), { models: 1, answers: 2, passed: 2, stale: 0 });
  assert.is(proofOf({ cases: [], answers: [] }), null);
});

test('an entry of the wrong type hides neither a repeated entry nor a point out of order', () => {
  const schema = frontMatterSchema({ categories: null, difficulties: null, runtimes: null });
  const point = (second: number, label: unknown) => ({ second, label, detail: 'a' });
  const given = { tags: [7, 'a', 'a'], demo: [point(5, 7), point(1, 'b')] };
  const paths = new Set(schema.safeParse(given).error?.issues.map(({ path }) => path.join('.')));
  assert.equal([...paths].filter((path) => /^(?:tags|demo)/.test(path)).sort(), [
    'demo.0.label',
    'demo.1.second',
    'tags.0',
    'tags.2',
  ]);
});

test.run();
