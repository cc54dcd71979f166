import { errorCodes } from './api-errors.ts';
import { type AgentEnvelope, type Catalog, contractVersion } from './documents.ts';
import { type JsonSchema, serviceSchemas } from './json-schema.ts';
import { promptLicense } from './license.ts';
import type { ServerCard } from './mcp.ts';
import { anywhere, errorHeaders, errorResponses, failures, limitHeaders, refusals } from './openapi-errors.ts';
import { mcpRpc } from './openapi-mcp.ts';
import { ok, reference, slugParameter } from './openapi-parts.ts';
import type { Settings } from './settings.ts';

/** Real documents to show as examples. */
export interface Examples {
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
    runtimeUrl === null || runtimeUrl === baseUrl ? {} : { servers: [{ url: runtimeUrl, description: 'The runtime' }] };
  return {
    openapi: '3.1.0',
    info: {
      title,
      version: contractVersion,
      description,
      license: { name: `${promptLicense.name} (the prompts)`, url: promptLicense.url },
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
      { name: 'readers', description: 'Votes and subscriptions' },
      { name: 'mcp', description: 'Model Context Protocol' },
      { name: 'discovery', description: 'Descriptions, text indexes and feeds' },
    ],
    paths: {
      ...catalogPaths(examples),
      '/api/schema.json': {
        get: document(
          'getSchema',
          'Get the JSON Schema of the catalog',
          'A JSON Schema 2020-12 document.',
          'SchemaDocument',
        ),
      },
      '/api/openapi.json': {
        get: document('getOpenApi', 'Get this description', 'An OpenAPI 3.1 document.', 'OpenApiDocument'),
      },
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
      '/api/revisions.json': {
        get: document(
          'getRevisions',
          'Get the digests of all revisions',
          'By which copies of prompts, skills and plugins are recognized. Beside the contract.',
          'Revisions',
        ),
      },
      '/api/evals.json': {
        get: document(
          'listEvals',
          'List how recorded answers did',
          'Agents with recorded answers of models, graded by checks. Beside the contract.',
          'EvalsList',
        ),
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
        responses: {
          200: ok('The agent', 'AgentEnvelope', examples?.envelope),
          ...failures('not_found', ...ofFiles),
        },
      },
    },
    '/api/evals/{slug}.json': {
      get: {
        operationId: 'getEvals',
        tags: ['discovery'],
        summary: 'Get the recorded answers of an agent',
        description: 'Real answers of models with their grades, if the agent has any. Beside the contract.',
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
        responses: {
          ...accepted,
          ...failures('unknown_agent', ...refusals),
        },
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
        responses: {
          ...accepted,
          ...failures(...refusals, 'upstream_failed'),
        },
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
    description: 'A form was accepted; the address is that of a page with thanks',
    headers: { ...limitHeaders, Location: { description: 'The page', schema: { type: 'string' } } },
  },
};

/**
 * An operation that returns a document and has no parameters. The document is JSON with a named schema, or text of a
 * media type.
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
  return { operationId, tags: ['discovery'], summary, description, responses };
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
