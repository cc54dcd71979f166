import { promptLicense } from '../../schema/documents.ts';
import { agentSections, contributedPrompts, provenance } from '../../text/agent-sections.ts';
import { fenced, plainText, quote } from '../../text/markdown-text.ts';
import { forAgents, listed, type Output, ofAgent, single } from '../output.ts';
import { documentOf, embeddedHowItWorks } from '../shared/agent-document.ts';
import type { PublishedAgent, Site } from '../site.ts';

export const prompt = forAgents(
  'agents/{slug}/prompt.txt',
  'The prompt, byte for byte',
  (_, { texts }) => texts().prompt,
);

export const sampleOutput = forAgents(
  'agents/{slug}/sample-output.txt',
  'The ideal answer to the sample input',
  (_, { texts }) => texts().sampleOutput,
);

export const config: Output = {
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
export const agentMarkdown = forAgents('agents/{slug}.md', 'An agent’s page as Markdown', toMarkdown);

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
export const llms = single(
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
export const llmsFull = single('llms-full.txt', 'All agent prompts in one file', (site) => [
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
