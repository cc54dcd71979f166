import { readFileSync, writeFileSync } from 'node:fs';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { checksJsonSchema, settingsJsonSchema } from '../../src/schema/json-schema.ts';

/** The schemas that editors use for completion are generated from the zod schemas. UPDATE=1 updates them. */
for (const [name, schema] of [
  ['catalog.config.schema.json', settingsJsonSchema()],
  ['evals.schema.json', checksJsonSchema()],
] as const) {
  test(`${name}, which ships with the package, is current`, () => {
    const file = new URL(`../../${name}`, import.meta.url);
    const current = `${JSON.stringify(schema, null, 2)}\n`;
    if (process.env.UPDATE === '1') writeFileSync(file, current);
    assert.is(readFileSync(file, 'utf8'), current);
  });
}

test.run();
