import * as z from 'zod';
import { once } from '../lib/lazy.ts';
import { agentDocument, agentEnvelope, agentSummary, catalog, contractVersion, revisions } from './documents.ts';
import { agentEvals, checksSource, evalsList } from './evals.ts';
import { rpcShapes, serverCard } from './mcp.ts';
import { errorObject, feedbackRequest, subscribeRequest } from './requests.ts';
import { settingsSource } from './settings.ts';

/** A JSON Schema 2020-12 document or a part of one. */
export type JsonSchema = Record<string, unknown>;

const dialect = 'https://json-schema.org/draft/2020-12/schema';

/** The documents of the contract, and the requests of readers. */
const shapes = {
  Agent: agentDocument,
  AgentSummary: agentSummary,
  Catalog: catalog,
  AgentEnvelope: agentEnvelope,
  Error: errorObject,
  FeedbackRequest: feedbackRequest,
  SubscribeRequest: subscribeRequest,
};

/** The other documents of the service, which the OpenAPI description names. */
const serviceShapes = {
  Revisions: revisions,
  EvalsList: evalsList,
  AgentEvals: agentEvals,
  McpServerCard: serverCard,
  ...rpcShapes,
  SchemaDocument: z
    .looseObject({
      $schema: z.literal(dialect),
      $id: z.url(),
      oneOf: z.array(z.object({ $ref: z.string() })),
      $defs: z.record(z.string(), z.record(z.string(), z.unknown())),
    })
    .meta({ title: 'SchemaDocument', description: 'A JSON Schema 2020-12 document' }),
  OpenApiDocument: z
    .looseObject({
      openapi: z.string().regex(/^3\.1\.\d+$/),
      info: z.looseObject({ title: z.string(), version: z.literal(contractVersion) }),
      paths: z.record(z.string(), z.record(z.string(), z.unknown())),
      components: z.record(z.string(), z.record(z.string(), z.unknown())),
    })
    .meta({ title: 'OpenApiDocument', description: 'An OpenAPI 3.1 document' }),
};

/** Returns the JSON Schemas of all requests and responses of the service, by name, for an OpenAPI document. */
export const serviceSchemas = once(() => namedSchemas('#/components/schemas/', { ...shapes, ...serviceShapes }));

/** Those of the catalog documents, for their own schema. Making either takes longer than anything else of a small build. */
const documentSchemas = once(() => namedSchemas('#/$defs/', shapes));

/** Returns JSON Schemas by name. A reference to one of them is `prefix` and its name. */
function namedSchemas(prefix: string, shapes: Record<string, z.ZodType>): Record<string, JsonSchema> {
  const registry = z.registry<{ id: string }>();
  for (const [id, shape] of Object.entries(shapes)) registry.add(shape, { id });
  const { schemas } = z.toJSONSchema(registry, { uri: (id) => prefix + id, io: 'input', override: tidy });
  for (const schema of Object.values(schemas)) {
    delete schema.$id;
    delete schema.$schema;
  }
  return schemas;
}

/**
 * Returns the JSON Schema 2020-12 of the catalog documents. Its root accepts a Catalog or an AgentEnvelope.
 *
 * `address` is the address of the schema, its `$id`.
 */
export function catalogSchema(address: string): JsonSchema {
  return {
    $schema: dialect,
    $id: address,
    title: 'Documents of an agent catalog',
    description: 'The catalog of agents, or the envelope of one agent',
    oneOf: [{ $ref: '#/$defs/Catalog' }, { $ref: '#/$defs/AgentEnvelope' }],
    $defs: documentSchemas(),
  };
}

/** The JSON Schema of catalog.config.json, for completion in editors. */
export function settingsJsonSchema(): JsonSchema {
  return z.toJSONSchema(settingsSource, { io: 'input', override: tidy });
}

/** The JSON Schema of evals/checks.yaml, for completion in editors. */
export function checksJsonSchema(): JsonSchema {
  return z.toJSONSchema(checksSource, { io: 'input', override: tidy });
}

/**
 * Returns the complete JSON Schema of a value, without `$schema`, as MCP clients of every revision expect it. Some clients
 * refuse a list of types and an empty `additionalProperties`. A model reads it too, so a date has no pattern.
 */
export function inlineSchema(shape: z.ZodType): JsonSchema {
  const { $schema: _, ...schema } = z.toJSONSchema(shape, { io: 'input', override: tidy });
  // Not in `override`: zod joins the types of a union after it.
  return JSON.parse(JSON.stringify(schema), (key, part) => {
    if (key === 'additionalProperties' && JSON.stringify(part) === '{}') return undefined;
    if (typeof part?.format === 'string') delete part.pattern;
    if (!Array.isArray(part?.type)) return part;
    const { type, ...others } = part;
    return { anyOf: type.map((name: string) => ({ type: name })), ...others };
  });
}

/** Removes what tells readers nothing: the limits of JavaScript integers. */
function tidy({ jsonSchema }: { jsonSchema: JsonSchema }): void {
  if (jsonSchema.maximum === Number.MAX_SAFE_INTEGER) delete jsonSchema.maximum;
  if (jsonSchema.minimum === Number.MIN_SAFE_INTEGER) delete jsonSchema.minimum;
}
