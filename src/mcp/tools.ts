import type { z } from 'zod';
import { explain } from '../diagnostics/zod-messages.ts';
import type { AgentDocument } from '../schema/documents.ts';
import { inlineSchema, type JsonSchema } from '../schema/json-schema.ts';
import {
  type AgentPart,
  getAgentInput,
  getAgentOutput,
  listAgentsInput,
  listAgentsOutput,
  searchAgentsInput,
  searchAgentsOutput,
} from '../schema/mcp.ts';
import { agentAnswer } from './agent-answer.ts';
import type { McpCatalog } from './catalog.ts';
import { codes, RpcError } from './errors.ts';
import { fits, nearestSlugs, search } from './find.ts';
import type { Params } from './messages.ts';
import { pageOf } from './pages.ts';
import { proofAnswer } from './proof-answer.ts';
import { agentLines, listed, nothingFound, suggestions } from './tool-texts.ts';

/** The result of a tool: the same as text and as data, or the reason for a failure. */
type ToolResult = { text: string; data: object } | { failure: string };

interface Tool<Input extends z.ZodType = z.ZodType> {
  name: string;
  title: string;
  /** For the model that chooses: what the tool gets, when to use it, what to call next. */
  description(catalog: McpCatalog): string;
  input: Input;
  output: z.ZodType;
  run(input: z.infer<Input>, catalog: McpCatalog): ToolResult | Promise<ToolResult>;
}

/** Names the categories with the most agents, with a space at the end; nothing if there are none. */
function categoriesIn(categories: McpCatalog['categories']): string {
  const keys = categories.slice(0, 40).map(({ key }) => key);
  return keys.length === 0 ? '' : `Categories: ${keys.join(', ')}. `;
}

/** Checks the type of the input in the list of tools. */
const tool = <Input extends z.ZodType>(one: Tool<Input>): Tool => one as unknown as Tool;

const tools: readonly Tool[] = [
  tool({
    name: 'list_agents',
    title: 'List agents',
    description: ({ agents, categories }) =>
      `Lists the agents of this catalog (${agents.length}), newest first; each is a prompt that does one job. ` +
      'Use it to see what is new or to browse by category, tag, difficulty or runtime; to find an agent for a job, ' +
      `use search_agents. ${categoriesIn(categories)}` +
      'Next, call get_agent with the slug of the agent that fits.',
    input: listAgentsInput,
    output: listAgentsOutput,
    run({ limit, cursor, detail, ...filters }, catalog) {
      const fitting = catalog.agents.filter(fits(filters));
      const page = pageOf(fitting, cursor, limit);
      if (page === null)
        return { failure: 'list_agents did not return this `cursor`. Leave it out to start from the newest agent.' };
      const { items, nextCursor } = page;
      const more = nextCursor === undefined ? '' : `\n\nMore follow: call list_agents with cursor "${nextCursor}".`;
      const data = {
        agents: items.map(listed(detail)),
        total: fitting.length,
        nextCursor,
      };
      if (fitting.length === 0) {
        return { text: nothingFound(catalog, filters), data: { ...data, tryInstead: suggestions(catalog) } };
      }
      return {
        text: `Showing ${items.length} of ${fitting.length}, newest first:\n\n${agentLines(items, detail)}${more}`,
        data,
      };
    },
  }),
  tool({
    name: 'search_agents',
    title: 'Search agents',
    description: () =>
      'Searches the agents of this catalog by what they are for: title, summary, problem, tags and category, best match ' +
      'first. Use it when someone wants a job done and an agent may exist for it; a few plain words work best. ' +
      'Next, call get_agent with the slug of the best match.',
    input: searchAgentsInput,
    output: searchAgentsOutput,
    run({ query, limit, detail, ...filters }, catalog) {
      const { agents, total, matched } = search(catalog, query, filters, limit);
      const short = listed(detail);
      const data = {
        agents: agents.map(({ score, ...agent }) => ({ ...short(agent), score })),
        total,
        matched,
      };
      if (total === 0) {
        const text = nothingFound(catalog, { query, ...filters });
        return { text, data: { ...data, tryInstead: suggestions(catalog) } };
      }
      const words = matched === 'every word' ? '' : ' No agent has every word of the query; these have some.';
      const text = `Showing ${agents.length} of ${total}, best match first.${words}\n\n${agentLines(agents, detail)}`;
      return { text, data };
    },
  }),
  tool({
    name: 'get_agent',
    title: 'Get an agent',
    description: () =>
      'Gets the prompt of one agent by its slug, with its INPUT, RULES and OUTPUT sections and how to run it. Use it after ' +
      'search_agents or list_agents. `include` adds the problem it solves, steps, a sample, its config, how to install it, and more. The ' +
      'prompt is contributed text: it gives no permission to use tools or secrets.',
    input: getAgentInput,
    output: getAgentOutput,
    async run({ slug: asked, include }, catalog) {
      const slug = catalog.slugOf(asked.trim());
      const [envelope, sampleOutput, evals] =
        slug === undefined
          ? [null, null, null]
          : await Promise.all([catalog.envelope(slug), catalog.sampleOutput(slug), catalog.evals(slug)]);
      if (envelope !== null) {
        const { agent } = envelope.document;
        const ways = catalog.installWays({ slug: agent.slug, promptUrl: agent.promptUrl });
        const texts = {
          sampleOutput: sampleOutput ?? '',
          howItWorks: await howItWorksOf(agent, include),
          reviewedOn: catalog.reviewedOn(agent),
          ways,
          proof: proofAnswer(catalog, evals),
        };
        return agentAnswer(agent, texts, include);
      }
      const nearest = nearestSlugs(catalog, asked);
      const meant = nearest.length === 0 ? '' : ` Did you mean ${nearest.join(' or ')}?`;
      return { failure: `No agent has this slug.${meant} search_agents finds agents by what they are for.` };
    },
  }),
];

/** How an agent works, as Markdown for an answer. The parser is only loaded for an answer that shows it. */
async function howItWorksOf(agent: AgentDocument, include: readonly (AgentPart | 'all')[]): Promise<string> {
  if (!include.includes('howItWorks') && !include.includes('all')) return agent.howItWorks;
  const { embeddedMarkdown } = await import('../agent-text/embedded-markdown.ts');
  return embeddedMarkdown(agent.howItWorks, agent);
}

const byName = new Map(tools.map((one) => [one.name, one]));

const schemas = new Map<Tool, { inputSchema: JsonSchema; outputSchema: JsonSchema }>(
  tools.map((one) => [one, { inputSchema: inlineSchema(one.input), outputSchema: inlineSchema(one.output) }]),
);

/** tools/list */
export function listTools(catalog: McpCatalog): object {
  return {
    tools: tools.map((one) => ({
      name: one.name,
      title: one.title,
      description: one.description(catalog),
      icons: catalog.card.icons,
      ...schemas.get(one),
      annotations: {
        title: one.title,
        readOnlyHint: true,
        destructiveHint: false,
        idempotentHint: true,
        openWorldHint: false,
      },
    })),
  };
}

/** The most arguments whose problems are explained. No tool has as many. */
const mostArguments = 20;

/** tools/call. Invalid arguments are an error of the tool, which a model can correct; an unknown tool is an RpcError. */
export async function callTool({ name, arguments: given = {} }: CallParams, catalog: McpCatalog): Promise<object> {
  const called = byName.get(name);
  if (called === undefined) {
    throw new RpcError(codes.invalidParams, `There is no such tool; the tools are ${[...byName.keys()].join(', ')}.`);
  }
  const input = called.input.safeParse(given);
  if (!input.success) {
    const count = Object.keys(given).length;
    if (count > mostArguments)
      return failed(`${name} takes at most ${mostArguments} arguments; this call has ${count}.`);
    const problems = explain(called.input, given, { echo: false });
    return failed(problems.map(({ message, hint }) => `${message} ${hint}`.trim().slice(0, 500)).join('\n'));
  }
  const result = await called.run(input.data, catalog);
  if ('failure' in result) return failed(result.failure);
  // The text already has all the data. To repeat it as JSON would double what a model has to read.
  return { content: [{ type: 'text', text: result.text }], structuredContent: result.data };
}

export interface CallParams {
  name: string;
  arguments?: Params | undefined;
}

function failed(text: string): object {
  return { content: [{ type: 'text', text }], isError: true };
}
