import { zone } from '../../lib/calendar.ts';
import { sha256Of } from '../../lib/files.ts';
import {
  type AgentEnvelope,
  type AgentRevisions,
  type AgentSummary,
  type Catalog,
  contractShapes,
  contractVersion,
  lineDigests,
  promptLicense,
  revisionsPath,
  toJson,
} from '../../schema/documents.ts';
import { type AgentEvals, agentEvalsPath, type EvalsList } from '../../schema/evals.ts';
import { catalogSchema, openApi } from '../../schema/json-schema.ts';
import { agentSections, contributedPrompts, provenance } from '../../text/agent-sections.ts';
import { fenced, plainText, quote } from '../../text/markdown-text.ts';
import { serverCard } from '../install/install-source.ts';
import { listPluginVersions } from '../install/plugins.ts';
import { type Digest, forAgents, jsonList, listed, none, type Output, ofAgent, single, whole } from '../output.ts';
import { documentOf, embeddedHowItWorks } from '../shared/agent-document.ts';
import { changesOf, type PublishedAgent, type Site } from '../site.ts';

const agent = forAgents('api/agents/{slug}.json', 'One agent with its prompt and config (getAgent)', (site, agent) =>
  toJson(envelopeOf(site, agent)),
);

const catalog = single(
  'api/agents.json',
  'Every agent, newest first (listAgents)',
  (site) => toJson(catalogOf(site)),
  ({ agents }) => listed(agents),
);

const schema = single(
  'api/schema.json',
  'The JSON Schema of the catalog and of an agent (getSchema)',
  ({ url }) => toJson(catalogSchema(url.absolute('api/schema.json'))),
  none,
);

const openapi = single(
  'api/openapi.json',
  'The OpenAPI description of the service (getOpenApi)',
  (site) => {
    const [newest] = site.agents;
    return toJson(
      openApi(
        site.settings,
        newest === undefined
          ? null
          : { catalog: catalogOf(site, 2), envelope: envelopeOf(site, newest), card: serverCard(site.settings) },
      ),
    );
  },
  ({ agents }) => whole(agents.slice(0, 2)),
);

function envelopeOf({ url }: Site, agent: PublishedAgent): AgentEnvelope {
  return { version: contractVersion, schema: url.absolute('api/schema.json'), agent: documentOf(agent) };
}

/** The response of listAgents, with at most the `most` newest agents. */
export function catalogOf({ url, agents }: Site, most = agents.length): Catalog {
  const listed = agents.slice(0, most);
  return {
    version: contractVersion,
    schema: url.absolute('api/schema.json'),
    count: listed.length,
    agents: listed.map(({ document }) => summaryOf(document)),
  };
}

/** Reduces a document to its summary in the catalog: the fields in the schema of a summary. */
function summaryOf(document: PublishedAgent['document']): AgentSummary {
  const fields = summaryFields.map((field) => [field, document[field]]);
  return Object.fromEntries(fields) as AgentSummary;
}

const summaryFields = Object.keys(contractShapes.AgentSummary.shape) as (keyof AgentSummary)[];

/** The recorded answers of an agent that has any, with their grades. */
const agentEvals = forAgents(
  agentEvalsPath,
  'The recorded answers of an agent with their grades (getEvals), if it has any',
  (_, { document, texts }) => {
    const { slug, url } = document;
    const { cases = [], answers = [] } = texts().evals ?? {};
    return toJson({ slug, url, cases, answers } satisfies AgentEvals);
  },
  ({ proof }) => proof !== null,
);

/** The results of the recorded answers of all agents. */
const evalsList = single(
  'api/evals.json',
  'The results of the recorded answers of all agents (listEvals)',
  ({ agents, url }) => {
    const entries = agents.flatMap(({ slug, issue, proof }) =>
      proof === null ? [] : [{ slug, issue, evals: url.absolute(agentEvalsPath.replace('{slug}', slug)), proof }],
    );
    return toJson({ agents: entries } satisfies EvalsList);
  },
  ({ agents }) => listed(agents),
);

/** The digests by which `catalog verify` recognizes copies of prompts, skills and plugins. */
const revisions = jsonList(
  revisionsPath,
  'Digests of every revision of every agent, to verify copies (getRevisions)',
  'agents',
  (site) => {
    const pluginVersions = listPluginVersions(site);
    const calendar = zone(site.settings.timezone);
    const items = site.agents.map((agent) => {
      const { inputs, value } = pluginVersions(agent);
      return {
        input: `${agent.fingerprint.whole} ${sha256Of(JSON.stringify([inputs, promptChanges(agent, site)]))}`,
        value: (digest: Digest) => revisionsOf(site, agent, calendar, value(digest)),
      };
    });
    return { document: { complete: site.history.size > 0 }, items };
  },
);

function revisionsOf(
  site: Site,
  agent: PublishedAgent,
  { today }: ReturnType<typeof zone>,
  plugins: AgentRevisions['plugins'],
): AgentRevisions {
  const { slug, issue, document, formerSlugs, texts } = agent;
  const changes = promptChanges(agent, site);
  const { prompt } = texts();
  const current = sha256Of(prompt);
  const prompts = new Map<string, string>();
  // A text that is not committed yet.
  if (changes[0]?.sha256 !== current) prompts.set(current, agent.changedOn);
  let isListed = false;
  for (const [index, { sha256, time }] of changes.entries()) {
    // A revision begins with the first commit that has its text. One that came back later is listed once.
    if (changes[index - 1]?.sha256 !== sha256) isListed = prompts.has(sha256);
    if (!isListed) prompts.set(sha256, today(new Date(time)));
  }
  return {
    slug,
    issue,
    url: document.url,
    formerSlugs: [...(formerSlugs ?? [])],
    prompts: [...prompts].map(([sha256, date]) => ({ sha256, date })),
    plugins,
    lines: lineDigests(prompt).join(''),
  };
}

/** The commits that changed the prompt of an agent, or moved it, with the digest that it then had, newest first. */
function promptChanges(agent: PublishedAgent, { history }: Site) {
  return changesOf(agent, history).flatMap(({ time, prompt }) =>
    prompt?.sha256 ? [{ time, sha256: prompt.sha256 }] : [],
  );
}

const prompt = forAgents('agents/{slug}/prompt.txt', 'The prompt, byte for byte', (_, { texts }) => texts().prompt);

const sampleOutput = forAgents(
  'agents/{slug}/sample-output.txt',
  'The ideal answer to the sample input',
  (_, { texts }) => texts().sampleOutput,
);

const config: Output = {
  path: 'agents/{slug}/config.{ext}',
  purpose: 'The config, if the agent has one',
  *files({ agents }) {
    for (const agent of agents) {
      const { slug, configFile, texts } = agent;
      if (configFile === null) continue;
      yield ofAgent(agent, `agents/${slug}/${configFile}`, () => texts().config?.text ?? '');
    }
  },
};

/** An agent's page as Markdown, for language models and for readers in a terminal. */
const agentMarkdown = forAgents('agents/{slug}.md', 'An agent’s page as Markdown', toMarkdown);

function toMarkdown({ settings }: Site, agent: PublishedAgent): string {
  const { changedOn, source, texts } = agent;
  const { sampleOutput, config } = texts();
  const document = documentOf(agent);
  const { title, excerpt, prompt } = document;
  const howItWorks = embeddedHowItWorks(agent);
  const sections = agentSections(document, { sampleOutput, config: config?.text ?? null, howItWorks });
  const parts = [
    `# ${plainText(title)}`,
    quote(plainText(excerpt)),
    ...sections.metadata,
    ...sections.problem,
    '## The prompt',
    plainText(provenance(document, changedOn)),
    fenced(prompt),
    ...sections.steps,
    ...sections.howItWorks,
    ...sections.demo,
    ...sections.sample,
    ...sections.config,
    '## Reuse',
    `“${plainText(title)}” by ${plainText(settings.publisher.name)}, ${document.url}, ${promptLicense.name}.`,
    ...(source == null
      ? []
      : [`The prompt is based on ${source.address ?? 'a text by others'} (${plainText(source.license)}).`]),
  ];
  return `${parts.join('\n\n')}\n`;
}

/** The short index for language models: a title, a quoted summary, and lists of links (llmstxt.org). */
const llms = single(
  'llms.txt',
  'The short index for language models',
  (site) => {
    const { settings, url, agents } = site;
    return [
      ...opening(site),
      `Every agent is a prompt with INPUT, RULES and OUTPUT sections; its page has the prompt, how it works, and a worked sample. The prompts are published under ${promptLicense.name}: credit ${plainText(settings.publisher.name)} when you reuse one.`,
      '',
      contributedPrompts,
      '',
      '## Agents',
      '',
      ...agents.map(
        ({ document }) => `- [${plainText(document.title)}](${document.url}.md): ${plainText(document.excerpt)}`,
      ),
      '',
      '## Data',
      '',
      `- [Catalog](${url.absolute('api/agents.json')}): every agent as JSON, newest first`,
      `- [JSON Schema](${url.absolute('api/schema.json')}): the shape of the JSON documents`,
      `- [OpenAPI](${url.absolute('api/openapi.json')}): every endpoint`,
      `- [Agent skills](${url.absolute('.well-known/agent-skills/index.json')}): every agent as a skill to install`,
      `- [For developers](${url.absolute('developers')}): ${settings.runtimeUrl === null ? '' : 'how to connect an assistant over MCP, and '}how to install the skills`,
      '',
      '## Optional',
      '',
      `- [All prompts in full](${url.absolute('llms-full.txt')}): every prompt in one file`,
      `- [About](${url.absolute('about.md')}): what this is, who publishes it, and under which license`,
      `- [Atom feed](${url.absolute('atom.xml')}): the newest agents`,
      `- [RSS feed](${url.absolute('feed.xml')}): the newest agents`,
      '',
    ].join('\n');
  },
  ({ agents }) => listed(agents),
);

/** Every prompt in full, newest first. */
const llmsFull = single('llms-full.txt', 'All agent prompts in one file', (site) => [
  { input: 'opening', render: () => opening(site).join('\n') },
  ...site.agents.map((agent) => ({ input: agent.fingerprint.whole, render: () => `\n${inFull(agent)}` })),
]);

function opening({ settings }: Site): string[] {
  return [`# ${plainText(settings.title)}`, '', quote(plainText(settings.description)), ''];
}

function inFull({ document, texts, changedOn }: PublishedAgent): string {
  return [
    `## ${plainText(document.title)}`,
    '',
    `- Issue: ${document.issue}, ${document.date}`,
    `- Category: ${plainText(document.categoryLabel)}`,
    `- Address: ${document.url}`,
    `- License: ${document.license}`,
    '',
    plainText(document.excerpt),
    '',
    plainText(provenance(document, changedOn)),
    '',
    fenced(texts().prompt),
    '',
  ].join('\n');
}

export const apiOutputs: readonly Output[] = [
  prompt,
  sampleOutput,
  config,
  agent,
  agentEvals,
  agentMarkdown,
  schema,
  openapi,
  catalog,
  evalsList,
  llms,
  llmsFull,
  revisions,
];
