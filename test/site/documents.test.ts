import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import Ajv from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { bundled, snapshot } from '../support/catalog.ts';
import { loud } from '../support/loud.ts';
import { builtBundled } from '../support/server.ts';

/** Programs that read the API rely on this: every document matches api/schema.json, and an invalid one does not. */

type Document = Record<string, unknown>;
let documents: Map<string, Document>;
let fits: (document: unknown) => boolean;

test.before(
  loud(() => {
    const site = snapshot(builtBundled());
    const read = (path: string) => JSON.parse(Buffer.from(site[path] ?? '', 'latin1').toString('utf8')) as Document;
    documents = new Map(
      Object.keys(site)
        .filter((path) => /^api\/agents(\/|\.json)/.test(path))
        .map((path) => [path, read(path)]),
    );
    const ajv = new Ajv.default({ strict: true, allErrors: true });
    addFormats.default(ajv);
    const withFormats = ajv.compile(read('api/schema.json'));
    // JSON Schema 2020-12 lets validators ignore formats, and many do.
    const withoutFormats = new Ajv.default({ strict: true, validateFormats: false }).compile(read('api/schema.json'));
    fits = (document) => {
      const [checked, unchecked] = [withFormats(document), withoutFormats(document)];
      assert.is(checked, unchecked, 'validators that ignore formats disagree with the others');
      return checked;
    };
  }),
);

test('the catalog and every envelope match the schema that they refer to', () => {
  assert.is(documents.size, readdirSync(join(bundled, 'agents')).length + 1);
  for (const [path, document] of documents) assert.ok(fits(document), path);
});

const envelopeOf = () =>
  structuredClone(documents.get('api/agents/dependency-bump-judge.json')) as Document & { agent: Document };
const catalogOf = () => structuredClone(documents.get('api/agents.json')) as Document & { agents: Document[] };

const mutations: [name: string, make: () => Document][] = [
  ['another contract version', () => ({ ...envelopeOf(), version: '1.0.0' })],
  ['no schema', () => ({ ...envelopeOf(), schema: undefined })],
  ['a schema that is a path', () => ({ ...catalogOf(), schema: '/api/schema.json' })],
  ['no agent', () => ({ ...envelopeOf(), agent: null })],
  ['a field more beside the agent', () => ({ ...envelopeOf(), extra: 1 })],
  ['a catalog with a negative count', () => ({ ...catalogOf(), count: -1 })],
  ['a catalog without agents', () => ({ ...catalogOf(), agents: undefined })],
  ['a summary with the prompt in it', () => ({ ...catalogOf(), agents: [{ ...catalogOf().agents[0], prompt: 'x' }] })],
  ['a summary without its slug', () => ({ ...catalogOf(), agents: [{ ...catalogOf().agents[0], slug: undefined }] })],
  ['a single agent', () => envelopeOf().agent],
];

const wrongValues: Record<string, unknown[]> = {
  title: ['', 1, null],
  slug: ['Not A Slug', '', 3],
  date: ['2026-02-30', '21.11.2026', 20261121, null],
  issue: [0, -1, 1.5, '1', null],
  category: ['', 1],
  categoryLabel: [''],
  tags: ['tag', [1], ['Two Words']],
  difficulty: [null, ''],
  runtimes: ['Claude', [null]],
  excerpt: ['', null],
  problem: ['', null],
  videoUrl: ['not an address', 1, ''],
  url: ['/agents/x', null],
  apiUrl: ['api', null],
  promptUrl: [null],
  configUrl: ['config.json', 1],
  configFilename: ['', 1],
  license: ['MIT', null],
  howItWorks: [null, 1],
  steps: [[{ name: 'x' }], [{ name: 'x', text: 'y', more: 1 }], 'x', null],
  demo: [[{ second: -1, label: 'x', detail: 'y' }], [{ second: '0', label: 'x', detail: 'y' }]],
  sampleInput: [null, 1],
  prompt: ['', null],
  config: [1, [], true],
};

for (const [name, make] of mutations) {
  test(`${name} does not match the schema`, () => {
    assert.not(fits(JSON.parse(JSON.stringify(make()))));
  });
}

test('the list of wrong values names every field of an agent', () => {
  assert.equal(Object.keys(wrongValues).sort(), Object.keys(envelopeOf().agent).sort());
});

for (const [field, values] of Object.entries(wrongValues)) {
  test(`an agent with a wrong or missing ${field}, or with an additional field, does not match`, () => {
    const envelope = envelopeOf();
    for (const value of values) {
      assert.not(fits({ ...envelope, agent: { ...envelope.agent, [field]: value } }), JSON.stringify(value));
    }
    const { [field]: _left, ...rest } = envelope.agent;
    assert.not(fits({ ...envelope, agent: rest }));
    assert.not(fits({ ...envelope, agent: { ...envelope.agent, [`${field}2`]: 1 } }));
  });
}

test.run();
