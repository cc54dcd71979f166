import { once, onceForLast } from '../../lib/lazy.ts';
import type { NumberedAgent } from '../../schema/agent.ts';
import { type AgentDocument, promptLicense } from '../../schema/documents.ts';
import type { Settings } from '../../schema/settings.ts';
import { embeddedMarkdown } from '../../text/embedded-markdown.ts';
import type { Addresses, PublishedAgent, Site } from '../site.ts';

/** Makes the part of an agent document (C2.2, C2.20) that lists show, for which its long texts are not read. */
export function listedDocumentOf(agent: NumberedAgent, settings: Settings, url: Addresses): PublishedAgent['document'] {
  const { slug, configFile } = agent;
  return {
    title: agent.title,
    slug,
    date: agent.date,
    issue: agent.issue,
    category: agent.category,
    categoryLabel: settings.categories[agent.category]?.label ?? agent.category,
    tags: agent.tags,
    difficulty: agent.difficulty,
    runtimes: agent.runtimes,
    excerpt: agent.excerpt,
    problem: agent.problem,
    videoUrl: agent.videoUrl ?? null,
    url: url.agent(slug),
    apiUrl: url.api(slug),
    promptUrl: url.prompt(slug),
    configUrl: configFile === null ? null : url.config(slug, configFile),
    configFilename: configFile === null ? null : (agent.configFilename ?? configFile),
    license: promptLicense.id,
    steps: agent.steps,
  };
}

/** Makes the whole agent document, with its fields in the contract's order. */
export const documentOf = onceForLast(({ document, texts }: PublishedAgent): AgentDocument => {
  const { steps, ...listed } = document;
  const { howItWorks, demo, sampleInput, prompt, config } = texts();
  return { ...listed, howItWorks, steps, demo, sampleInput, prompt, config: config?.value ?? null };
});

/** How an agent works, for a section of a Markdown document. */
export const embeddedHowItWorks = onceForLast(({ document, texts }: PublishedAgent) =>
  embeddedMarkdown(texts().howItWorks, document),
);

/**
 * The documents of some agents, for lists, which also show how their recorded answers did, unless that is the same for all:
 * every answer passes. A catalog's own templates may show any field.
 */
export function documentsOf({ listsShowAll }: Site, agents: readonly PublishedAgent[]) {
  const allPass = agents.every(({ proof }) => proof !== null && proof.passed === proof.answers && proof.stale === 0);
  return agents.map((agent) => {
    const document = Object.assign({}, agent.document, { proof: allPass ? null : agent.proof });
    return listsShowAll ? withLongTexts(document, agent) : document;
  });
}

/** Adds the long texts. They are only read if a template shows one: reading all would slow an edit by a third. */
function withLongTexts<Listed extends PublishedAgent['document']>(document: Listed, agent: PublishedAgent): Listed {
  const whole = once(() => documentOf(agent));
  for (const field of ['howItWorks', 'demo', 'sampleInput', 'prompt', 'config'] as const) {
    Object.defineProperty(document, field, { get: () => whole()[field], enumerable: true });
  }
  return document;
}
