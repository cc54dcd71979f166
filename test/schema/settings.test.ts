import { readFileSync, writeFileSync } from 'node:fs';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { settingsJsonSchema } from '../../src/schema/json-schema.ts';

/**
 * catalog.config.schema.json, which editors use for completion, is generated from the zod schema. UPDATE=1 updates it.
 */
test('the JSON Schema of the settings that ships with the package is current', () => {
  const file = new URL('../../catalog.config.schema.json', import.meta.url);
  const current = `${JSON.stringify(settingsJsonSchema(), null, 2)}\n`;
  if (process.env.UPDATE === '1') writeFileSync(file, current);
  assert.is(readFileSync(file, 'utf8'), current);
});

test.run();
