import Ajv from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import type { z } from 'zod';
import { frontMatterSchema } from '../../src/schema/agent.ts';
import { inlineSchema, type JsonSchema } from '../../src/schema/json-schema.ts';
import { serverCard, toolShapes } from '../../src/schema/mcp.ts';
import { feedbackRequest, subscribeRequest } from '../../src/schema/requests.ts';
import { settingsSource } from '../../src/schema/settings.ts';
import { smallSettings } from '../support/catalog.ts';

/** Every limit of a schema applies exactly as written, and the published JSON Schema has the same limit. */

type Path = readonly (string | number)[];
type Limited = { path: Path; schema: JsonSchema; isKey: boolean };

/** Each shape with a value that has every field. */
const shapes: Record<string, [shape: z.ZodType, good: object]> = {
  'agent.md': [
    frontMatterSchema({ categories: null, difficulties: null, runtimes: null }),
    {
      title: 'T',
      date: '2026-01-01',
      issue: 7,
      draft: false,
      withdrawn: 'It was wrong.',
      formerSlugs: ['old'],
      category: 'coding',
      tags: ['one'],
      keywords: ['word'],
      inputs: { ROWS: 'What to paste' },
      difficulty: 'easy',
      runtimes: ['Claude'],
      excerpt: 'E',
      trap: 'T',
      problem: 'P',
      videoUrl: 'https://press.example/v',
      configFilename: '.mcp.json',
      steps: [{ name: 'N', text: 'T' }],
      demo: [{ second: 5, label: 'L', detail: 'D' }],
      source: { address: 'https://press.example', license: 'MIT' },
    },
  ],
  settings: [
    settingsSource,
    {
      ...smallSettings,
      announceHour: 6,
      feedLength: 50,
      queueWarningDays: 3,
      synonyms: [['fast', 'quick']],
      postalAddress: 'Main Street 1',
      mcpName: 'com.example/agents',
    },
  ],
  feedback: [feedbackRequest, { slug: 'one', vote: 'yes', note: 'N' }],
  subscribe: [subscribeRequest, { email: 'ada@example.com', list: 'daily', note: 'N' }],
  list_agents: [
    toolShapes.list_agents.input,
    { category: 'c', tag: 't', difficulty: 'd', runtime: 'r', limit: 5, detail: 'full', cursor: 'x' },
  ],
  get_agent: [toolShapes.get_agent.input, { slug: 'one', include: ['steps'] }],
  search_agents: [toolShapes.search_agents.input, { query: 'q', category: 'c', tag: 't', limit: 5, detail: 'short' }],
  'server card': [
    serverCard,
    {
      $schema: 'https://static.modelcontextprotocol.io/schemas/v1/server-card.schema.json',
      name: 'com.example/agents',
      version: '1',
      title: 'T',
      description: 'D',
      websiteUrl: 'https://press.example',
      remotes: [],
    },
  ],
};

/** The documented limits of each field: the most and the least that it accepts. */
const promised: Record<string, Record<string, string>> = {
  'agent.md': {
    title: '1–120',
    issue: '1–',
    withdrawn: '1–500',
    formerSlugs: '–50',
    'formerSlugs.0': '–64',
    tags: '1–12',
    'tags.0': '–64',
    keywords: '1–20',
    'keywords.0': '1–60',
    runtimes: '1–20',
    excerpt: '1–300',
    trap: '1–200',
    'inputs (key)': '1–40',
    'inputs.ROWS': '1–300',
    problem: '1–1000',
    steps: '1–20',
    'steps.0.name': '1–120',
    'steps.0.text': '1–1000',
    demo: '1–50',
    'demo.0.second': '0–',
    'demo.0.label': '1–120',
    'demo.0.detail': '1–1000',
    'source.license': '1–100',
  },
  settings: {
    title: '1–100',
    tagline: '1–160',
    description: '1–500',
    'publisher.name': '1–100',
    'publisher.email': '–254',
    'categories (key)': '–64',
    'categories.coding.label': '1–60',
    'categories.coding.description': '1–300',
    difficulties: '1–',
    'difficulties.0': '1–40',
    runtimes: '1–',
    'runtimes.0': '1–60',
    announceHour: '0–23',
    feedLength: '1–1000',
    queueWarningDays: '0–365',
    synonyms: '–200',
    'synonyms.0': '2–20',
    postalAddress: '1–300',
  },
  feedback: { note: '–500' },
  subscribe: { email: '–254', note: '–2000' },
  list_agents: {
    category: '–100',
    tag: '–100',
    difficulty: '–100',
    runtime: '–100',
    limit: '1–100',
    cursor: '–200',
  },
  get_agent: { slug: '–256', include: '–10' },
  search_agents: { query: '–200', category: '–100', tag: '–100', limit: '1–50' },
  'server card': { version: '1–', title: '1–', description: '1–100' },
};

/** Returns the limits of a text, a list or a number in a schema; undefined if there are none. */
function rangeOf({ schema }: Limited): { min: number | undefined; max: number | undefined } | undefined {
  const min = schema.minLength ?? schema.minItems ?? schema.minimum;
  const max = schema.maxLength ?? schema.maxItems ?? schema.maximum;
  return min === undefined && max === undefined ? undefined : { min: min as number, max: max as number };
}

/** Lists every part of a JSON Schema, with its path in `good`. */
function* partsOf(schema: JsonSchema, good: unknown, path: Path = []): Generator<Limited> {
  const { anyOf, properties, items, additionalProperties, propertyNames } = schema as Record<string, JsonSchema>;
  if (Array.isArray(anyOf)) {
    for (const one of anyOf) yield* partsOf(one, good, path);
    return;
  }
  yield { path, schema, isKey: false };
  const inside = (good ?? {}) as Record<string | number, unknown>;
  for (const [key, part] of Object.entries(properties ?? {}))
    yield* partsOf(part as JsonSchema, inside[key], [...path, key]);
  if (items !== undefined) yield* partsOf(items, inside[0], [...path, 0]);
  if (propertyNames !== undefined) yield { path, schema: propertyNames, isKey: true };
  const [key] = Object.keys(inside);
  if (typeof additionalProperties === 'object' && key !== undefined) {
    yield* partsOf(additionalProperties, inside[key], [...path, key]);
  }
}

/**
 * Makes a text, list or number of this size in the form that the schema requires. Texts consist of emoji where allowed.
 */
function sized({ schema }: Limited, size: number, example: unknown): unknown {
  const { type, format, pattern = '' } = schema as { type: string; format?: string; pattern?: string };
  if (type === 'integer') return size;
  if (format === 'email') return `${'a'.repeat(size - 204)}@${'b.'.repeat(100)}com`;
  if (type === 'array') {
    const [first] = example as unknown[];
    const isFree = typeof first === 'string' && !('enum' in (schema.items as object));
    return Array.from({ length: size }, (_, index) => (isFree ? `x${index}` : first));
  }
  return (new RegExp(pattern, 'u').test('🙂') ? '🙂' : 'a').repeat(size);
}

function at(value: unknown, path: Path): unknown {
  return path.reduce((inside, key) => (inside as Record<string | number, unknown>)?.[key], value);
}

/** Returns `good` with another value at a path, or with a key renamed there. */
function changed(good: object, { path, isKey }: Limited, value: unknown): object {
  const copy = structuredClone(good);
  const holder = at(copy, isKey ? path : path.slice(0, -1)) as Record<string | number, unknown>;
  if (isKey) {
    const [key = ''] = Object.keys(holder);
    holder[String(value)] = holder[key];
    delete holder[key];
  } else holder[path.at(-1) as string | number] = value;
  return copy;
}

const nameOf = ({ path, isKey }: Limited) => path.join('.') + (isKey ? ' (key)' : '');

for (const [name, [shape, good]] of Object.entries(shapes)) {
  const schema = inlineSchema(shape);
  const limited = [...partsOf(schema, good)].filter((part) => rangeOf(part) !== undefined);

  test(`${name} has the documented limits`, () => {
    const found = limited.map((part) => {
      const { min, max } = rangeOf(part) ?? {};
      return [nameOf(part), `${min ?? ''}–${max ?? ''}`];
    });
    assert.equal(Object.fromEntries(found), promised[name]);
  });

  test(`${name} accepts values at a limit and refuses values past it`, () => {
    const ajv = new Ajv.default({ strict: true });
    addFormats.default(ajv);
    const fits = ajv.compile(schema);
    assert.ok(shape.safeParse(good).success && fits(good), JSON.stringify(fits.errors));
    const wrong: string[] = [];
    for (const part of limited) {
      const { min, max } = rangeOf(part) ?? {};
      const sizes: [size: number | undefined, isTaken: boolean][] = [
        [min, true],
        [min === undefined || (min === 0 && part.schema.type !== 'integer') ? undefined : min - 1, false],
        [max === undefined ? undefined : max - 1, true],
        [max, true],
        [max === undefined ? undefined : max + 1, false],
      ];
      for (const [size, isTaken] of sizes) {
        if (size === undefined) continue;
        const value = changed(good, part, sized(part, size, at(good, part.path)));
        const isParsed = shape.safeParse(value).success;
        if (isParsed !== isTaken) wrong.push(`${nameOf(part)} of ${size} is ${isParsed ? 'taken' : 'refused'}`);
        if (fits(value) !== isTaken) wrong.push(`${nameOf(part)} of ${size} by the JSON Schema: ${!isTaken}`);
      }
    }
    assert.equal(wrong, []);
  });
}

test.run();
