import * as z from 'zod';
import { getAgentInput, listAgentsInput, searchAgentsInput } from './mcp.ts';

/** The messages of the Model Context Protocol as JSON: the params of each method, and the content of each response. */

const page = z.object({
  cursor: z.string().optional().describe('The nextCursor of the previous response, to get the next page'),
});

/** The params that the server accepts, by method. */
export const methodParams = {
  initialize: z.object({ protocolVersion: z.string() }),
  ping: z.object({}),
  'server/discover': z.object({}),
  'tools/list': page,
  'tools/call': z.object({ name: z.string(), arguments: z.record(z.string(), z.unknown()).optional() }),
  'resources/list': page,
  'resources/templates/list': page,
  'resources/read': z.object({ uri: z.string().describe('`agent://catalog` or `agent://<slug>`') }),
  'prompts/list': page,
  'prompts/get': z.object({
    name: z.string().describe('The slug of an agent'),
    arguments: z
      .record(z.string(), z.string())
      .optional()
      .describe('Texts by the names of the arguments that prompts/list returns for the agent'),
  }),
  'completion/complete': z.object({
    ref: z.discriminatedUnion('type', [
      z.object({ type: z.literal('ref/prompt'), name: z.string() }),
      z.object({ type: z.literal('ref/resource'), uri: z.string() }),
    ]),
    argument: z.object({ name: z.string(), value: z.string() }),
  }),
  'skills/list': page,
  'skills/get': z.object({ uri: z.string() }),
};

/** The params of subscriptions/listen, which is only for stdio: the notifications that the client wants. */
export const listenParams = z.object({
  notifications: z.object({
    toolsListChanged: z.boolean().optional(),
    promptsListChanged: z.boolean().optional(),
    resourcesListChanged: z.boolean().optional(),
  }),
});

/** A call of each tool. The server accepts any `arguments`, and answers invalid ones with a tool error. */
const toolCall = z.discriminatedUnion('name', [
  z.object({ name: z.literal('list_agents'), arguments: listAgentsInput.optional() }),
  z.object({ name: z.literal('get_agent'), arguments: getAgentInput }),
  z.object({ name: z.literal('search_agents'), arguments: searchAgentsInput }),
]);

const jsonrpc = z.literal('2.0');
const id = z.union([z.string(), z.int()]).describe('Text or a whole number; the response has the same');

const requests = Object.entries({ ...methodParams, 'tools/call': toolCall }).map(([method, params]) =>
  z.object({
    jsonrpc,
    id,
    method: z.literal(method),
    params: params.safeParse({}).success ? params.optional() : params,
  }),
);

/** A request, by its method. Revision 2026-07-28 adds `_meta` to the params. */
export const mcpRequest = z
  .discriminatedUnion('method', requests as [(typeof requests)[number], ...typeof requests])
  .meta({ title: 'McpRequest', description: 'A JSON-RPC 2.0 request of the Model Context Protocol' });

/** A message that gets no response. */
export const mcpNotification = z
  .object({
    jsonrpc,
    method: z.string().regex(/^notifications\//),
    params: z.record(z.string(), z.unknown()).optional(),
  })
  .meta({ title: 'McpNotification', description: 'A message that gets no response: the status is 202' });

const initialized = z.object({
  protocolVersion: z.string(),
  capabilities: z.record(z.string(), z.unknown()),
  serverInfo: z.object({ name: z.string(), version: z.string() }),
  instructions: z.string().optional(),
});
const toolList = z.object({
  tools: z.array(
    z.object({
      name: z.string(),
      description: z.string(),
      inputSchema: z.record(z.string(), z.unknown()),
      outputSchema: z.record(z.string(), z.unknown()).optional(),
    }),
  ),
});
const toolResult = z.object({
  content: z.array(z.object({ type: z.string(), text: z.string().optional() })),
  structuredContent: z
    .record(z.string(), z.unknown())
    .optional()
    .describe('The same as data, in the shape of the `outputSchema` of the tool'),
  isError: z.boolean().optional().describe('True if the tool could not do what was asked; `content` says why'),
});
const resourceList = z.object({
  resources: z.array(z.object({ uri: z.string(), name: z.string(), mimeType: z.string().optional() })),
  nextCursor: z.string().optional(),
});
const resource = z.object({
  contents: z.array(z.object({ uri: z.string(), mimeType: z.string().optional(), text: z.string() })),
});

/** The result of each method of the contract. */
export const methodResults = {
  initialize: initialized,
  ping: z.object({}),
  'tools/list': toolList,
  'tools/call': toolResult,
  'resources/list': resourceList,
  'resources/read': resource,
};

/** A response that carries a result. */
export const mcpResult = z
  .object({
    jsonrpc,
    id,
    result: z
      .union(Object.values(methodResults))
      .describe('Depends on the method; any object for methods outside the contract'),
  })
  .meta({ title: 'McpResult', description: 'The response to a request that succeeded' });

/** A response that carries an error. */
export const mcpError = z
  .object({
    jsonrpc,
    id: z.union([z.string(), z.int(), z.null()]).describe('Null if the request had no readable id'),
    error: z.object({
      code: z.int().describe('As JSON-RPC 2.0 and the Model Context Protocol define it'),
      message: z.string().describe('A sentence for people'),
      data: z.unknown().optional(),
    }),
  })
  .meta({ title: 'McpError', description: 'The response to a request that failed' });
