import Ajv from 'ajv';

/**
 * What promptfoo accepts of the parts of a configuration that `catalog eval --export promptfoo` writes: written from its
 * published schema, https://promptfoo.dev/config-schema.json. docs/testing.md says how to try the tool itself.
 */

const text = { type: 'string' };
const closed = (required: readonly string[], properties: object) => ({
  type: 'object',
  required,
  properties,
  additionalProperties: false,
});
const list = (items: object) => ({ type: 'array', items });
const options = {
  type: 'object',
  properties: { transform: text, transformVars: text, prefix: text, suffix: text, storeOutputAs: text },
};
const assertion = closed(['type'], {
  type: text,
  value: {},
  config: { type: 'object' },
  threshold: { type: 'number' },
  weight: { type: 'number' },
  provider: {},
  rubricPrompt: {},
  metric: text,
  transform: text,
  contextTransform: text,
});
const testCase = {
  description: text,
  vars: {},
  provider: {},
  providers: list(text),
  prompts: list(text),
  providerOutput: {},
  assert: list(assertion),
  assertScoringFunction: {},
  options,
  threshold: { type: 'number' },
  metadata: { type: 'object' },
};
const { description: _, ...defaultTest } = testCase;

/** Returns what promptfoo would refuse in a configuration. */
export function promptfooErrors(config: unknown): unknown[] {
  const ajv = new Ajv.default({ allErrors: true });
  ajv.validate(
    closed(['prompts'], {
      description: text,
      providers: list(text),
      prompts: list(
        closed(['raw', 'label'], { id: text, raw: text, template: text, display: text, label: text, config: {} }),
      ),
      tests: list(closed([], testCase)),
      defaultTest: closed([], defaultTest),
      metadata: { type: 'object' },
    }),
    config,
  );
  return ajv.errors ?? [];
}
