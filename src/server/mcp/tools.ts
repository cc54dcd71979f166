import type { z } from 'zod';
import { nearest } from '../../schema/diagnostics/suggestions.ts';
import type { AgentDocument, AgentSummary } from '../../schema/documents.ts';
import { type AgentEvals, agentEvalsPath } from '../../schema/evals.ts';
import { inlineSchema, type JsonSchema } from '../../schema/json-schema.ts';
import { agentParts, type InstallWay, listedAgent, type methodParams, toolShapes } from '../../schema/mcp.ts';
import { explain } from '../../schema/messages/values.ts';
import { searchAgents } from '../../site/search/query.ts';
import { agentSections, provenance } from '../../text/agent-sections.ts';
import { installMarkdown } from '../../text/install-ways.ts';
import { fenced, listItem, plainText, quote } from '../../text/markdown-text.ts';
import { type Filters, fits, type McpCatalog, nearestSlugs, pageOf } from './catalog.ts';
import { RpcError } from './messages.ts';

type AgentPart = (typeof agentParts)[number];

/** How the recorded answers of an agent did. */
type ProofAnswer = NonNullable<z.infer<typeof toolShapes.get_agent.output>['proof']>;

/** Reduces recorded answers to their grades; null if there are none. Only the document has the answers in full. */
function proofAnswer({ card }: Pick<McpCatalog, 'card'>, evals: AgentEvals | null): ProofAnswer | null {
  if (evals === null) return null;
  return {
    document: `${card.websiteUrl}/${agentEvalsPath.replace('{slug}', evals.slug)}`,
    answers: evals.answers.map(({ case: name, recorded, stale, results }) => ({
      model: recorded.model,
      case: name,
      date: recorded.date,
      checks: results.length,
      failures: results.flatMap(({ kind, why, failure }) =>
        failure === null ? [] : [`${why ?? `${kind}:`} ${failure}`],
      ),
      outOfDate: stale !== null,
    })),
  };
}

/** The same as Markdown: an entry for each answer. */
export function proofMarkdown(proof: ProofAnswer | null): string[] {
  if (proof === null) return [];
  const lines = proof.answers.map(({ model, case: name, date, checks, failures, outOfDate }) => {
    const failed = failures.length === 0 ? '' : ` Failed: ${failures.join(' ')}`;
    const score = `${checks - failures.length} of ${checks} checks passed${outOfDate ? ', out of date' : ''}.`;
    return listItem('-', plainText(`${model}, ${name}, ${date}: ${score}${failed}`));
  });
  return ['## Proof', `Recorded answers of models, in full at ${proof.document}`, lines.join('\n')];
}

const usage =
  'To run it, follow the prompt. Put what the user provides at the end of INPUT, between `<input>` and `</input>`. ' +
  'If something that INPUT requires is missing, ask for it once.';

interface Texts {
  sampleOutput: string;
  /** How the agent works, as embedded-markdown.ts writes it. */
  howItWorks: string;
  /** A date. */
  reviewedOn: string;
  /** How to install the agent. */
  ways: InstallWay[];
  /** How its recorded answers did; null if it has none. */
  proof: ProofAnswer | null;
}

/** The answer of get_agent: the prompt, how to use it, and the parts in `include`. */
function agentAnswer(
  document: AgentDocument,
  texts: Texts,
  include: readonly (AgentPart | 'all')[],
): { text: string; data: z.infer<typeof toolShapes.get_agent.output> } {
  const { slug, title, excerpt, url, license, prompt, config } = document;
  const configText = config === null || typeof config === 'string' ? config : JSON.stringify(config, null, 2);
  const sections = {
    ...agentSections(document, { ...texts, config: configText }),
    install: ['## Install', installMarkdown(texts.ways)],
    proof: proofMarkdown(texts.proof),
  };
  const existing = agentParts.filter((part) => sections[part].length > 0);
  const included = existing.filter((part) => include.includes('all') || include.includes(part));
  const more = existing.filter((part) => !included.includes(part));
  const origin = provenance(document, texts.reviewedOn);
  const rest = `More with \`include\`: ${more.join(', ')}. The whole document is the resource agent://${slug}.`;
  const text = [
    `# ${plainText(title)}`,
    quote(plainText(excerpt)),
    plainText(origin),
    usage,
    fenced(prompt),
    ...included.flatMap((part) => sections[part]),
    ...(more.length === 0 ? [] : [rest]),
  ].join('\n\n');
  const data = { slug, title, excerpt, url, license, provenance: origin, usage, prompt, more };
  return { text, data: Object.assign(data, ...included.map((part) => fieldsOf(part, document, texts))) };
}

function fieldsOf(part: AgentPart, document: AgentDocument, { sampleOutput, ways, proof }: Texts): object {
  const { date, issue, category, tags, difficulty, runtimes, videoUrl, problem, steps, howItWorks, demo } = document;
  const { sampleInput, config, configFilename } = document;
  return {
    metadata: { date, issue, category, tags, difficulty, runtimes },
    problem: { problem },
    steps: { steps },
    howItWorks: { howItWorks },
    demo: { demo, videoUrl },
    sample: { sampleInput, sampleOutput },
    config: { config, configFilename },
    install: { install: ways },
    proof: { proof },
  }[part];
}

/** The number of suggested tags. */
const suggestedTags = 15;

/** The fields of an agent in a list. */
function listed(detail: 'short' | 'full'): (agent: AgentSummary) => z.infer<typeof listedAgent> {
  return (agent) => (detail === 'full' ? agent : listedAgent.strip().parse(agent));
}

/** Agents as a list for models and people, with their scores if they come from a search. */
function agentLines(agents: readonly (AgentSummary & { score?: number })[], detail: 'short' | 'full'): string {
  return agents
    .map((agent) => {
      const { slug, title, excerpt, category, difficulty, date, score } = agent;
      const facts = [category, difficulty, date];
      if (detail === 'full') facts.push(`No. ${agent.issue}`, ...agent.tags, ...agent.runtimes, agent.url);
      if (score !== undefined) facts.push(`score ${score}`);
      return `- ${slug}: ${title}. ${excerpt} (${facts.join(', ')})`;
    })
    .join('\n');
}

/** Adds to an answer that nothing was found, the likely reason, and what to try. Without a `query`, it was a list. */
function nothingFound(catalog: McpCatalog, answer: object, { query, category, tag }: Filters & { query?: string }) {
  const categories = catalog.categories.map(({ key }) => key);
  const tags = catalog.tags.slice(0, suggestedTags).map(({ key }) => key);
  const data = { ...answer, tryInstead: { categories, tags } };
  if (catalog.agents.length === 0) return { text: 'The catalog has no agents yet.', data };
  const reasons = [
    unknownValue(catalog, 'category', category, catalog.categories),
    unknownValue(catalog, 'tag', tag, catalog.tags),
  ];
  const opening =
    query !== undefined && query.trim() === '' ? 'The query is empty, so nothing was searched.' : 'No agent was found.';
  const next = query === undefined ? 'Try' : 'Try fewer or other words, or list_agents with';
  const alternatives = [`${next} one of these categories: ${categories.join(', ')}`];
  if (tags.length > 0) alternatives.push(`or one of these tags: ${tags.join(', ')}`);
  const explained = [opening, ...reasons.filter((reason) => reason !== '')].join(' ');
  return { text: `${explained}\n${alternatives.join(';\n')}.`, data };
}

function unknownValue(
  { agents }: McpCatalog,
  name: 'category' | 'tag',
  input: string | undefined,
  counted: McpCatalog['tags'],
): string {
  const lower = input?.trim().toLowerCase() ?? '';
  if (lower === '' || agents.some(fits({ [name]: input }))) return '';
  const keys = counted.map(({ key }) => key);
  const meant = nearest(lower, keys);
  return `No agent has this ${name}${meant === undefined ? '.' : `; did you mean ${meant}?`}`;
}

/**
 * Searches the agents as the pages do. Returns the first `limit`, best first, each with a score of up to 1, how many there
 * are in all, and what of the query they match.
 */
function search({ index, bySlug }: McpCatalog, query: string, filters: Filters, limit: number) {
  const hits = searchAgents(index, query, fits(filters)).filter(({ id }) => bySlug.has(id));
  const agents = hits.slice(0, limit).map(({ id, score }) => {
    return { ...(bySlug.get(id) as AgentSummary), score: Math.round(score * 100) / 100 };
  });
  const matched = hits[0] === undefined ? 'nothing' : hits[0].whole ? 'every word' : 'some words';
  return { agents, total: hits.length, matched };
}

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
const tool = <Input extends z.ZodType>(typed: Tool<Input>): Tool => typed as unknown as Tool;

const tools: readonly Tool[] = [
  tool({
    name: 'list_agents',
    title: 'List agents',
    description: ({ agents, categories }) =>
      `Lists the agents of this catalog (${agents.length}), newest first; each is a prompt that does one job. ` +
      'Use it to see what is new or to browse by category, tag, difficulty or runtime; to find an agent for a job, ' +
      `use search_agents. ${categoriesIn(categories)}` +
      'Next, call get_agent with the slug of the agent that fits.',
    ...toolShapes.list_agents,
    run({ limit, cursor, detail, ...filters }, catalog) {
      const fitting = catalog.agents.filter(fits(filters));
      const page = pageOf(fitting, cursor, limit);
      if (page === null)
        return { failure: 'list_agents did not return this `cursor`. Leave it out to start from the newest agent.' };
      const { items, nextCursor } = page;
      const more = nextCursor === undefined ? '' : `\n\nMore follow: call list_agents with cursor "${nextCursor}".`;
      const data = { agents: items.map(listed(detail)), total: fitting.length, nextCursor };
      if (fitting.length === 0) return nothingFound(catalog, data, filters);
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
    ...toolShapes.search_agents,
    run({ query, limit, detail, ...filters }, catalog) {
      const { agents, total, matched } = search(catalog, query, filters, limit);
      const short = listed(detail);
      const data = { agents: agents.map(({ score, ...agent }) => ({ ...short(agent), score })), total, matched };
      if (total === 0) return nothingFound(catalog, data, { query, ...filters });
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
    ...toolShapes.get_agent,
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
  const { embeddedMarkdown } = await import('../../text/embedded-markdown.ts');
  return embeddedMarkdown(agent.howItWorks, agent);
}

const byName = new Map(tools.map((each) => [each.name, each]));

const schemas = new Map<Tool, { inputSchema: JsonSchema; outputSchema: JsonSchema }>(
  tools.map((each) => [each, { inputSchema: inlineSchema(each.input), outputSchema: inlineSchema(each.output) }]),
);

/** tools/list */
export function listTools(catalog: McpCatalog): object {
  return {
    tools: tools.map((each) => ({
      name: each.name,
      title: each.title,
      description: each.description(catalog),
      icons: catalog.card.icons,
      ...schemas.get(each),
      annotations: {
        title: each.title,
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
export async function callTool(
  { name, arguments: values = {} }: z.infer<(typeof methodParams)['tools/call']>,
  catalog: McpCatalog,
): Promise<object> {
  const called = byName.get(name);
  if (called === undefined) {
    throw new RpcError('invalidParams', `There is no such tool; the tools are ${[...byName.keys()].join(', ')}.`);
  }
  const input = called.input.safeParse(values);
  if (!input.success) {
    const count = Object.keys(values).length;
    if (count > mostArguments)
      return failed(`${name} takes at most ${mostArguments} arguments; this call has ${count}.`);
    const problems = explain(called.input, values, { echo: false, json: true });
    return failed(problems.map(({ message, hint }) => `${message} ${hint}`.trim().slice(0, 500)).join('\n'));
  }
  const result = await called.run(input.data, catalog);
  if ('failure' in result) return failed(result.failure);
  // The text already has all the data. To repeat it as JSON would double what a model has to read.
  return { content: [{ type: 'text', text: result.text }], structuredContent: result.data };
}

function failed(text: string): object {
  return { content: [{ type: 'text', text }], isError: true };
}
