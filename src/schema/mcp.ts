import * as z from 'zod';
import { contractShapes } from './documents.ts';
import { maxSlugLength, text } from './fields.ts';

const { Agent: agentDocument, AgentSummary: agentSummary } = contractShapes;

/** The revision of the Model Context Protocol without a handshake: every request is independent. */
export const modernVersion = '2026-07-28';

/** The revisions that begin with a handshake, newest first. */
export const handshakeVersions = ['2025-11-25', '2025-06-18', '2025-03-26', '2024-11-05'] as const;

/** Every revision that is served, newest first. */
export const protocolVersions: readonly string[] = [modernVersion, ...handshakeVersions];

/** The form of a server's name: a namespace, a slash, a name (server card, registry). */
const serverName = z.string().regex(/^(?=.{3,200}$)[a-zA-Z0-9.-]+\/[a-zA-Z0-9._-]+$/, {
  error: 'a reversed domain, a slash and a name, such as com.example/agents',
});

/** The server card: the name and the address of the server. */
export const serverCard = z.object({
  $schema: z.literal('https://static.modelcontextprotocol.io/schemas/v1/server-card.schema.json'),
  name: serverName,
  version: z.string().min(1),
  title: z.string().min(1),
  description: z.string().min(1).max(100),
  websiteUrl: z.url(),
  repository: z.object({ url: z.url(), source: z.string() }).optional(),
  icons: z
    .array(z.object({ src: z.url(), mimeType: z.string(), sizes: z.array(z.string()) }))
    .optional()
    .describe('What clients show for the server and its tools'),
  remotes: z
    .array(
      z.object({
        type: z.literal('streamable-http'),
        url: z.url(),
        supportedProtocolVersions: z.array(z.string()),
      }),
    )
    .optional(),
});

export type ServerCard = z.infer<typeof serverCard>;

/** The path of the card below the base URL. The server also answers with it at `api/mcp`. */
export const cardPath = 'api/mcp/server-card';

const filter = (what: string) => text(100, 0).optional().describe(what);
const limit = (most: number, usual: number) =>
  z
    .int({ error: 'a whole number' })
    .min(1, { error: `from 1 to ${most}` })
    .max(most, { error: `from 1 to ${most}` })
    .default(usual)
    .describe('How many agents to return at most');
const slugArgument = z.string().max(4 * maxSlugLength);

const detail = z
  .enum(['short', 'full'])
  .default('short')
  .describe('full: also number, tags, runtimes and addresses of each agent');

/** The arguments of list_agents. */
const listAgentsInput = z.strictObject({
  category: filter('Only agents of this category, by its key, such as coding'),
  tag: filter('Only agents with this tag'),
  difficulty: filter('Only agents of this difficulty, such as easy'),
  runtime: filter('Only agents meant for this assistant or tool, such as Claude'),
  limit: limit(100, 20),
  detail,
  cursor: z.string().max(200).optional().describe('The nextCursor of the previous response, to get the next page'),
});

/** The parts of an agent that get_agent returns only on request. */
export const agentParts = [
  'metadata',
  'problem',
  'steps',
  'howItWorks',
  'demo',
  'sample',
  'config',
  'install',
  'proof',
] as const;

/** A way to install an agent, or the whole catalog, in an assistant. Sentences are Markdown. */
const installWay = z.object({
  name: z.string().describe('The assistant or program'),
  use: z.string().describe('What the link, or the text to paste, does'),
  url: z.string().nullable().describe('A link that opens the assistant'),
  paste: z.string().nullable().describe('Commands for a shell, one a line, or an address'),
  update: z.string().describe('How to get changes of the agent'),
  remove: z.string().describe('How to remove it again'),
});

export type InstallWay = z.infer<typeof installWay>;

/** The arguments of get_agent. */
const getAgentInput = z.strictObject({
  slug: slugArgument.describe('The slug of the agent, as list_agents and search_agents return it'),
  include: z
    .array(z.enum([...agentParts, 'all']))
    .max(agentParts.length + 1)
    .default([])
    .describe(
      'What to return besides the prompt; sample: an input with a good answer to it; install: how to add the agent to assistants; proof: recorded answers of models, graded by checks',
    ),
});

const always = { slug: true, title: true, excerpt: true, url: true, license: true, prompt: true } as const;

/** The result of get_agent: the prompt, how to use it, and the requested parts. */
const getAgentOutput = z.object({
  ...agentDocument.pick(always).shape,
  provenance: z.string().describe('Where the prompt comes from, and what it does not permit'),
  usage: z.string().describe('How to run the prompt'),
  more: z.array(z.enum(agentParts)).describe('What else `include` can add'),
  ...agentDocument.omit({ ...always, categoryLabel: true, apiUrl: true, promptUrl: true, configUrl: true }).partial()
    .shape,
  sampleOutput: z.string().optional().describe('A good answer to the sample input'),
  install: z.array(installWay).optional().describe('How to install the agent in assistants'),
  proof: z
    .object({
      document: z.url().describe('The document with the answers'),
      answers: z.array(
        z.object({
          model: z.string().describe('As its provider names it, or what is known of it'),
          case: z.string(),
          date: z.string(),
          checks: z.int().describe('How many checks the answer was graded by'),
          failures: z.array(z.string()).describe('What is wrong with the answer, for each check that it fails'),
          outOfDate: z.boolean().describe('Whether the prompt or the input changed since'),
        }),
      ),
    })
    .optional()
    .describe('How recorded answers of models did'),
});

/** The arguments of search_agents. */
const searchAgentsInput = z.strictObject({
  query: text(200, 0).describe('A few words for the job to be done, such as: release notes'),
  category: filter('Only agents of this category, by its key'),
  tag: filter('Only agents with this tag'),
  limit: limit(50, 5),
  detail,
});

/** An agent in a list. If `detail` is full, it also has the other fields of an AgentSummary. */
export const listedAgent = agentSummary
  .pick({ slug: true, title: true, excerpt: true, category: true, difficulty: true, date: true })
  .loose();

const foundAgent = listedAgent.extend({
  score: z.number().min(0).max(1).describe('How much of the query the agent matches: 1 for all of it'),
});

const tryInstead = z
  .object({
    categories: z.array(z.string()).describe('Category keys that have agents'),
    tags: z.array(z.string()).describe('The most used tags'),
  })
  .optional()
  .describe('Present if nothing was found: categories and tags to try instead');

/** The result of list_agents. */
const listAgentsOutput = z.object({
  agents: z.array(listedAgent).describe('Newest first'),
  total: z.int().min(0).describe('How many agents match the filters, on all pages'),
  nextCursor: z.string().optional().describe('Absent on the last page'),
  tryInstead,
});

/** The result of search_agents. */
const searchAgentsOutput = z.object({
  agents: z.array(foundAgent).describe('Best match first'),
  total: z.int().min(0).describe('How many agents match'),
  matched: z
    .enum(['every word', 'some words', 'nothing'])
    .describe('Whether the agents have every word of the query, or only some'),
  tryInstead,
});

/** The arguments and the result of each tool. */
export const toolShapes = {
  list_agents: { input: listAgentsInput, output: listAgentsOutput },
  get_agent: { input: getAgentInput, output: getAgentOutput },
  search_agents: { input: searchAgentsInput, output: searchAgentsOutput },
};

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
const mcpRequest = z
  .discriminatedUnion('method', requests as [(typeof requests)[number], ...typeof requests])
  .meta({ title: 'McpRequest', description: 'A JSON-RPC 2.0 request of the Model Context Protocol' });

/** A message that gets no response. */
const mcpNotification = z
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
const mcpResult = z
  .object({
    jsonrpc,
    id,
    result: z
      .union(Object.values(methodResults))
      .describe('Depends on the method; any object for methods outside the contract'),
  })
  .meta({ title: 'McpResult', description: 'The response to a request that succeeded' });

/** A response that carries an error. */
const mcpError = z
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

/** The messages of JSON-RPC, under their names in the OpenAPI description. */
export const rpcShapes = {
  McpRequest: mcpRequest,
  McpNotification: mcpNotification,
  McpResult: mcpResult,
  McpError: mcpError,
};
