import * as z from 'zod';
import { once } from '../lib/lazy.ts';
import {
  type AgentEnvelope,
  type Catalog,
  contractShapes,
  contractVersion,
  promptLicense,
  revisions,
} from './documents.ts';
import { checksSource, evalShapes } from './evals.ts';
import { handshakeVersions, rpcShapes, type ServerCard, serverCard } from './mcp.ts';
import { type ErrorCode, errorCodes, errorObject, feedbackRequest, subscribeRequest } from './requests.ts';
import { type Settings, settingsSource } from './settings.ts';

/** A JSON Schema 2020-12 document or a part of one. */
export type JsonSchema = Record<string, unknown>;

const dialect = 'https://json-schema.org/draft/2020-12/schema';

/** The documents of the contract, and the requests of readers. */
const shapes = {
  ...contractShapes,
  Error: errorObject,
  FeedbackRequest: feedbackRequest,
  SubscribeRequest: subscribeRequest,
};

/** The other documents of the service, which the OpenAPI description names. */
const serviceShapes = {
  Revisions: revisions,
  ...evalShapes,
  McpServerCard: serverCard,
  ...rpcShapes,
  SchemaDocument: z
    .looseObject({
      $schema: z.literal(dialect),
      $id: z.url(),
      oneOf: z.array(z.record(z.string(), z.string())),
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

/** The schemas of the catalog documents, for the documents' own schema. Making either takes longer than anything else of a small build. */
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

/** Parts of an OpenAPI description. */

/** A reference to a schema among the components. */
function reference(schema: string) {
  return { $ref: `#/components/schemas/${schema}` };
}

/** A JSON response with a named schema, and with an example unless it is undefined. */
function ok(description: string, schema: string, example: unknown) {
  return { description, content: { 'application/json': { schema: reference(schema), example } } };
}

/** The parameter `slug` in a path, with an example if one is known. */
function slugParameter(example: string | undefined) {
  const parameter = { name: 'slug', in: 'path', required: true, description: 'The slug of the agent' };
  return { ...parameter, schema: { type: 'string' }, example };
}

const text = (description: string) => ({ description, schema: { type: 'string' } });
const retryAfter = { 'Retry-After': { description: 'Seconds to wait', schema: { type: 'integer', minimum: 1 } } };

/** The headers of the answers that a rate limit counts. */
const limitHeaders = {
  RateLimit: text('How many requests are left, and for how many seconds'),
  'RateLimit-Policy': text('The limit: how many requests in how many seconds'),
};

/** The headers that the error responses of a status have, if they have some. */
const errorHeaders: Readonly<Record<number, object>> = {
  405: { Allow: text('The methods that the address supports') },
  416: { 'Content-Range': text('The size of the file') },
  429: { ...retryAfter, ...limitHeaders },
  503: retryAfter,
};

/** Errors that every well-formed request can get: its handler is not called, or it has a bug. */
const always = ['request_timeout', 'headers_too_large', 'internal', 'unavailable'] as const;

/** Errors that every operation can get. */
const anywhere = ['bad_request', ...always] as const;

/** Errors that every POST request of a reader can get. A request that is not well-formed HTTP also gets its 400. */
const refusals = [
  'invalid_body',
  'forbidden_origin',
  'method_not_allowed',
  'payload_too_large',
  'unsupported_media_type',
  'rate_limited',
  ...always,
] as const;

/** References to the error responses of these codes, by status. No two of them have the same. */
function failures(...codes: ErrorCode[]): Record<string, object> {
  return Object.fromEntries(
    codes.map((code) => [errorCodes[code].status, { $ref: `#/components/responses/${code}` }] as const),
  );
}

/** The response of every code, for the components of a description. */
function errorResponses(): Record<ErrorCode, object> {
  const codes = Object.keys(errorCodes) as ErrorCode[];
  return Object.fromEntries(
    codes.map((code) => [code, responseOf(code === 'invalid_body' ? [code, 'bad_request'] : [code])]),
  ) as Record<ErrorCode, object>;
}

/** The response for codes with the same status. */
function responseOf(codes: readonly [ErrorCode, ...ErrorCode[]]): object {
  const examples = codes.map(
    (error) => [error, { value: { error, message: `${errorCodes[error].meaning}.` } }] as const,
  );
  return {
    description: codes.map((code) => `\`${code}\`: ${errorCodes[code].meaning}`).join('. '),
    headers: errorHeaders[errorCodes[codes[0]].status],
    content: { 'application/json': { schema: reference('Error'), examples: Object.fromEntries(examples) } },
  };
}

/** The operation that accepts messages of the Model Context Protocol. */
function mcpRpc(examples: Examples | null) {
  const slug = examples?.envelope.agent.slug ?? 'release-notes';
  const [protocolVersion] = handshakeVersions;
  const { name, version } = examples?.card ?? { name: 'com.example/agents', version: '1.0.0' };
  const client = { protocolVersion, capabilities: {}, clientInfo: { name: 'example-client', version: '1.0.0' } };
  const server = { protocolVersion, capabilities: { tools: {} }, serverInfo: { name, version } };
  const call = (name: string, args: object) => ({ method: 'tools/call', params: { name, arguments: args } });
  return {
    operationId: 'mcpRpc',
    tags: ['mcp'],
    summary: 'Call the MCP server',
    description:
      'Streamable HTTP with JSON answers: one JSON-RPC 2.0 request, one response. Clients of revision 2025-03-26 may ' +
      'also send an array of requests, and get an array of responses.',
    requestBody: {
      required: true,
      content: {
        'application/json': {
          schema: { oneOf: [reference('McpRequest'), reference('McpNotification')] },
          examples: {
            initialize: { value: { jsonrpc: '2.0', id: 1, method: 'initialize', params: client } },
            initialized: { value: { jsonrpc: '2.0', method: 'notifications/initialized' } },
            listTools: { value: { jsonrpc: '2.0', id: 2, method: 'tools/list' } },
            search: { value: { jsonrpc: '2.0', id: 3, ...call('search_agents', { query: 'release notes' }) } },
            getAgent: { value: { jsonrpc: '2.0', id: 4, ...call('get_agent', { slug }) } },
            readResource: {
              value: { jsonrpc: '2.0', id: 5, method: 'resources/read', params: { uri: 'agent://catalog' } },
            },
          },
        },
      },
    },
    responses: {
      200: {
        description: 'A JSON-RPC response',
        content: {
          'application/json': {
            schema: { oneOf: [reference('McpResult'), reference('McpError')] },
            examples: {
              initialize: { value: { jsonrpc: '2.0', id: 1, result: server } },
              unknownMethod: {
                value: { jsonrpc: '2.0', id: 7, error: { code: -32601, message: 'This method does not exist.' } },
              },
            },
          },
        },
      },
      202: { description: 'A notification was accepted' },
      ...Object.fromEntries(
        Object.entries({
          400: 'The request cannot be read, or its revision is not supported',
          403: 'The request comes from a page of another site',
          404: 'Revision 2026-07-28 has no such method',
          408: 'The request did not arrive in time',
          413: 'The body is larger than allowed',
          415: 'The content type is not JSON',
          429: 'Too many requests; Retry-After says how many seconds to wait',
          500: 'The server failed',
          503: 'The server is starting',
        }).map(([status, text]) => {
          const error = { code: mcpCodes[status] ?? -32000, message: `${text}.` };
          const answer = ok(text, 'McpError', { jsonrpc: '2.0', id: null, error });
          return [status, { ...answer, headers: errorHeaders[Number(status)] }];
        }),
      ),
      // The address is not known before the headers were read.
      ...failures('headers_too_large'),
    },
  };
}

/** The JSON-RPC codes of refusals that have their own code. */
const mcpCodes: Record<string, number> = { 400: -32600, 404: -32601, 500: -32603 };

/** Real documents to show as examples. */
interface Examples {
  catalog: Catalog;
  envelope: AgentEnvelope;
  card: ServerCard;
}

/**
 * The OpenAPI 3.1 description of the twelve operations of the contract (C4.10), and of getRevisions, listEvals and getEvals
 * beside it. Operations of the server name its address if that is not the base URL.
 */
export function openApi(settings: Settings, examples: Examples | null): JsonSchema {
  const { title, description, publisher, baseUrl, runtimeUrl } = settings;
  const runtime =
    runtimeUrl === null || runtimeUrl === baseUrl ? {} : { servers: [{ url: runtimeUrl, description: 'The server' }] };
  return {
    openapi: '3.1.0',
    info: {
      title,
      version: contractVersion,
      description,
      license: { name: `${promptLicense.name} (the prompts)`, url: promptLicense.url },
      contact: { name: publisher.name, url: publisher.url, email: publisher.email },
    },
    servers: [{ url: baseUrl, description: 'The publication' }],
    security: [],
    tags: [
      { name: 'catalog', description: 'The agents' },
      { name: 'readers', description: 'Votes and subscriptions' },
      { name: 'mcp', description: 'Model Context Protocol' },
      { name: 'discovery', description: 'Descriptions, text indexes and feeds' },
    ],
    paths: {
      ...catalogPaths(examples),
      '/api/schema.json': document(
        'getSchema',
        'Get the JSON Schema of the catalog',
        'A JSON Schema 2020-12 document.',
        'SchemaDocument',
      ),
      '/api/openapi.json': document(
        'getOpenApi',
        'Get this description',
        'An OpenAPI 3.1 document.',
        'OpenApiDocument',
      ),
      ...readerPaths(examples, runtime),
      '/api/mcp': {
        ...runtime,
        get: {
          operationId: 'mcpCard',
          tags: ['mcp'],
          summary: 'Get the MCP server card',
          description: 'What the MCP server is called, and where it is.',
          responses: {
            200: ok('The server card', 'McpServerCard', examples?.card),
            ...failures('method_not_allowed', ...anywhere),
          },
        },
        post: mcpRpc(examples),
      },
      '/api/revisions.json': document(
        'getRevisions',
        'Get the digests of all revisions',
        'By which copies of prompts, skills and plugins are recognized. In addition to the API contract.',
        'Revisions',
      ),
      '/api/evals.json': document(
        'listEvals',
        'List how recorded answers did',
        'Agents with recorded answers of models, graded by checks. In addition to the API contract.',
        'EvalsList',
      ),
      '/llms.txt': document(
        'llmsTxt',
        'Get the short index for language models',
        'Markdown as plain text.',
        'text/plain',
      ),
      '/llms-full.txt': document('llmsFull', 'Get all prompts in one file', 'Markdown as plain text.', 'text/plain'),
      '/feed.xml': document('rss', 'Get the RSS 2.0 feed', 'The newest agents.', 'application/rss+xml'),
      '/atom.xml': document('atom', 'Get the Atom feed', 'The newest agents.', 'application/atom+xml'),
    },
    components: { schemas: serviceSchemas(), responses: errorResponses() },
  };
}

/** The operations that read agents. */
function catalogPaths(examples: Examples | null) {
  return {
    '/api/agents.json': {
      get: {
        operationId: 'listAgents',
        tags: ['catalog'],
        summary: 'List the published agents, newest first',
        description: 'The whole catalog, without prompts and configs.',
        responses: { 200: ok('The catalog', 'Catalog', examples?.catalog), ...failures(...ofFiles) },
      },
    },
    '/api/agents/{slug}.json': {
      get: {
        operationId: 'getAgent',
        tags: ['catalog'],
        summary: 'Get one agent with its prompt and config',
        description: 'The agent document in its envelope.',
        parameters: [slugParameter(examples?.envelope.agent.slug)],
        responses: { 200: ok('The agent', 'AgentEnvelope', examples?.envelope), ...failures('not_found', ...ofFiles) },
      },
    },
    '/api/evals/{slug}.json': {
      get: {
        operationId: 'getEvals',
        tags: ['discovery'],
        summary: 'Get the recorded answers of an agent',
        description: 'Real answers of models with their grades, if the agent has any. In addition to the API contract.',
        parameters: [slugParameter(examples?.envelope.agent.slug)],
        responses: { 200: ok('The answers', 'AgentEvals', undefined), ...failures('not_found', ...ofFiles) },
      },
    },
  };
}

/** The operations for votes and subscriptions. `server` names the address of the server if it is not the base URL. */
function readerPaths(examples: Examples | null, server: object) {
  return {
    '/api/feedback': {
      ...server,
      post: {
        operationId: 'sendFeedback',
        tags: ['readers'],
        summary: 'Vote on an agent',
        description: 'Appends a yes or no vote to a log. Answered once the vote is on disk.',
        requestBody: body('FeedbackRequest', {
          slug: examples?.envelope.agent.slug ?? 'release-notes',
          vote: 'yes',
          note: 'It caught the one line that mattered.',
        }),
        responses: { ...accepted, ...failures('unknown_agent', ...refusals) },
      },
    },
    '/api/subscribe': {
      ...server,
      post: {
        operationId: 'subscribe',
        tags: ['readers'],
        summary: 'Sign up for one of three lists',
        description: '`daily` joins the daily list, `pro` the Pro waitlist, `custom` asks for a custom agent.',
        requestBody: body('SubscribeRequest', { email: 'reader@example.com', list: 'daily' }),
        responses: { ...accepted, ...failures(...refusals, 'upstream_failed') },
      },
    },
  };
}

/** Errors that every document can get. */
const ofFiles = ['range_not_satisfiable', ...anywhere] as const;

/** The responses to what a reader sends that is accepted. */
const accepted = {
  200: {
    description: 'Accepted',
    headers: limitHeaders,
    content: {
      'application/json': {
        schema: { type: 'object', required: ['ok'], properties: { ok: { const: true } } },
        example: { ok: true },
      },
    },
  },
  303: {
    description: 'A form was accepted; the address is a page with thanks',
    headers: { ...limitHeaders, Location: { description: 'The page', schema: { type: 'string' } } },
  },
};

/**
 * A path with one operation, which returns a document and has no parameters. The document is JSON with a named schema, or
 * text of a media type.
 */
function document(operationId: string, summary: string, description: string, of: string) {
  const responses = of.includes('/')
    ? {
        200: { description: summary, content: { [of]: { schema: { type: 'string' } } } },
        ...failures(...anywhere),
        // Only under /api, this has a body.
        416: { description: errorCodes.range_not_satisfiable.meaning, headers: errorHeaders[416] },
      }
    : { 200: ok(summary, of, undefined), ...failures(...ofFiles) };
  return { get: { operationId, tags: ['discovery'], summary, description, responses } };
}

function body(schema: string, example: object) {
  const shape = { schema: reference(schema) };
  return {
    required: true,
    content: {
      'application/json': { ...shape, example },
      'application/x-www-form-urlencoded': shape,
    },
  };
}
