import { type AgentEnvelope, type Catalog, contractVersion } from './documents.ts';
import { type ErrorCode, errorCodes } from './errors.ts';
import { type JsonSchema, namedSchemas } from './json-schema.ts';
import type { Settings } from './settings.ts';

/** Real documents to show as examples. */
export interface Examples {
  catalog: Catalog;
  envelope: AgentEnvelope;
}

/**
 * The OpenAPI 3.1 description of the service: the twelve operations of the contract (interface specification, part
 * Endpoints). Operations of the runtime name its server where that is not the base URL.
 */
export function openApi(settings: Settings, examples: Examples | null): JsonSchema {
  const { title, description, publisher, baseUrl, runtimeUrl } = settings;
  const runtime =
    runtimeUrl === null || runtimeUrl === baseUrl ? {} : { servers: [{ url: runtimeUrl, description: 'The runtime' }] };
  return {
    openapi: '3.1.0',
    info: {
      title,
      version: contractVersion,
      description,
      license: { name: 'CC BY 4.0 (the prompts)', url: 'https://creativecommons.org/licenses/by/4.0/' },
      contact: {
        name: publisher.name,
        url: publisher.url,
        ...(publisher.email === undefined ? {} : { email: publisher.email }),
      },
    },
    servers: [{ url: baseUrl, description: 'The publication' }],
    security: [],
    tags: [
      { name: 'catalog', description: 'The agents' },
      { name: 'readers', description: 'Votes and sign-ups' },
      { name: 'mcp', description: 'Model Context Protocol' },
      { name: 'discovery', description: 'Descriptions, text indexes and feeds' },
    ],
    paths: {
      '/api/agents.json': {
        get: {
          operationId: 'listAgents',
          tags: ['catalog'],
          summary: 'List the published agents, newest first',
          description: 'The whole catalog, without prompts and configs.',
          responses: { 200: ok('The catalog', 'Catalog', examples?.catalog) },
        },
      },
      '/api/agents/{slug}.json': {
        get: {
          operationId: 'getAgent',
          tags: ['catalog'],
          summary: 'Get one agent with its prompt and config',
          description: 'The agent document in its envelope.',
          parameters: [
            {
              name: 'slug',
              in: 'path',
              required: true,
              description: 'The slug of the agent',
              schema: { type: 'string' },
              ...(examples === null ? {} : { example: examples.envelope.agent.slug }),
            },
          ],
          responses: { 200: ok('The agent', 'AgentEnvelope', examples?.envelope), ...failures('not_found') },
        },
      },
      '/api/schema.json': {
        get: document(
          'getSchema',
          'Get the JSON Schema of the catalog',
          'A JSON Schema 2020-12 document.',
          'application/json',
        ),
      },
      '/api/openapi.json': {
        get: document('getOpenApi', 'Get this description', 'An OpenAPI 3.1 document.', 'application/json'),
      },
      '/api/feedback': {
        ...runtime,
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
          responses: {
            200: accepted,
            ...failures('invalid_body', 'forbidden_origin', 'unknown_agent', ...refusals, 'unavailable'),
          },
        },
      },
      '/api/subscribe': {
        ...runtime,
        post: {
          operationId: 'subscribe',
          tags: ['readers'],
          summary: 'Sign up for one of three lists',
          description: '`daily` joins the daily list, `pro` the Pro waitlist, `custom` asks for a custom agent.',
          requestBody: body('SubscribeRequest', { email: 'reader@example.com', list: 'daily' }),
          responses: {
            200: accepted,
            ...failures('invalid_body', 'forbidden_origin', ...refusals, 'upstream_failed'),
          },
        },
      },
      '/api/mcp': {
        ...runtime,
        get: {
          operationId: 'mcpCard',
          tags: ['mcp'],
          summary: 'Get the MCP server card',
          description: 'What the MCP server is called, and where it is.',
          responses: {
            200: free('The server card', 'application/json', { type: 'object' }),
            ...failures('method_not_allowed'),
          },
        },
        post: {
          operationId: 'mcpRpc',
          tags: ['mcp'],
          summary: 'Call the MCP server',
          description: 'Streamable HTTP with JSON answers: one JSON-RPC 2.0 request, one response.',
          requestBody: {
            required: true,
            content: {
              'application/json': {
                schema: { type: 'object', required: ['jsonrpc', 'method'], properties: { jsonrpc: { const: '2.0' } } },
                example: { jsonrpc: '2.0', id: 1, method: 'tools/list' },
              },
            },
          },
          responses: {
            200: free('A JSON-RPC response', 'application/json', { type: 'object' }),
            202: { description: 'A notification was taken' },
            ...Object.fromEntries(
              Object.entries({
                400: 'The request cannot be read or is of no supported version',
                403: 'The request comes from a page of another site',
                404: 'Revision 2026-07-28 has no such method',
                413: 'The body is larger than allowed',
                415: 'The content type is not JSON',
                429: 'Too many refused requests; Retry-After says how many seconds to wait',
              }).map(([status, text]) => [status, free(text, 'application/json', { type: 'object' })]),
            ),
          },
        },
      },
      '/llms.txt': {
        get: document('llmsTxt', 'Get the short index for language models', 'Markdown as plain text.', 'text/plain'),
      },
      '/llms-full.txt': {
        get: document('llmsFull', 'Get all prompts in one file', 'Markdown as plain text.', 'text/plain'),
      },
      '/feed.xml': { get: document('rss', 'Get the RSS 2.0 feed', 'The newest agents.', 'application/rss+xml') },
      '/atom.xml': { get: document('atom', 'Get the Atom feed', 'The newest agents.', 'application/atom+xml') },
    },
    components: { schemas: namedSchemas('#/components/schemas/') },
  };
}

/** What any POST of readers may meet, after what is its own. */
const refusals = [
  'method_not_allowed',
  'payload_too_large',
  'unsupported_media_type',
  'rate_limited',
  'internal',
] as const;

const accepted = {
  description: 'Accepted',
  content: {
    'application/json': {
      schema: { type: 'object', required: ['ok'], properties: { ok: { const: true } } },
      example: { ok: true },
    },
  },
};

function ok(description: string, schema: string, example: unknown) {
  const content = { schema: { $ref: `#/components/schemas/${schema}` } };
  return { description, content: { 'application/json': example === undefined ? content : { ...content, example } } };
}

function free(description: string, type: string, schema: JsonSchema) {
  return { description, content: { [type]: { schema } } };
}

function document(operationId: string, summary: string, description: string, type: string) {
  const schema = type === 'application/json' ? { type: 'object' } : { type: 'string' };
  return { operationId, tags: ['discovery'], summary, description, responses: { 200: free(summary, type, schema) } };
}

function body(schema: string, example: object) {
  const reference = { schema: { $ref: `#/components/schemas/${schema}` } };
  return {
    required: true,
    content: {
      'application/json': { ...reference, example },
      'application/x-www-form-urlencoded': reference,
    },
  };
}

/** The error responses of these codes by status; codes that share a status share a response. */
function failures(...codes: ErrorCode[]) {
  const statuses = [...new Set(codes.map((code) => errorCodes[code].status))];
  const groups = statuses.map((status) => ({
    status,
    group: codes.filter((code) => errorCodes[code].status === status),
  }));
  return Object.fromEntries(
    groups.map(({ status, group }) => [
      status,
      {
        description: group.map((code) => `\`${code}\`: ${errorCodes[code].meaning}`).join('. '),
        ...(status === 429
          ? { headers: { 'Retry-After': { description: 'Seconds to wait', schema: { type: 'integer', minimum: 1 } } } }
          : {}),
        content: {
          'application/json': {
            schema: { $ref: '#/components/schemas/Error' },
            example: { error: group[0], message: `${errorCodes[group[0] as ErrorCode].meaning}.` },
          },
        },
      },
    ]),
  );
}
