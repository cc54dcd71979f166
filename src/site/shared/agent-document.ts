import { withFields } from '../../lib/lazy.ts';
import type { NumberedAgent } from '../../schema/agent.ts';
import { type AgentDocument, type AgentSummary, agentSummary, promptLicense } from '../../schema/documents.ts';
import type { Proof } from '../../schema/evals.ts';
import type { Settings } from '../../schema/settings.ts';
import type { Addresses } from './urls.ts';

/**
 * Makes the agent document of the contract (C2.2, C2.20), with its fields in the contract's order. The long
 * texts of an agent that a build recalled are read only when they are used.
 */
export function agentDocumentOf(agent: NumberedAgent, settings: Settings, url: Addresses): AgentDocument {
  const { slug, config } = agent;
  const short = {
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
    configUrl: config === null ? null : url.config(slug, config.file),
    configFilename: config === null ? null : (agent.configFilename ?? config.file),
    license: promptLicense.id,
  };
  if (agent.isRecalled !== true) {
    const { howItWorks, steps, demo, sampleInput, prompt } = agent;
    // A literal with a spread would give each document a hidden class of its own, which takes more memory than the object.
    return Object.assign(short, { howItWorks, steps, demo, sampleInput, prompt, config: config?.value ?? null });
  }
  // V8 keeps objects with getters in a slower form, so only these have any. In a literal with a spread, it also defines
  // values before getters, so `steps` has a getter too, for the order of the fields.
  return {
    ...short,
    get howItWorks() {
      return agent.howItWorks;
    },
    get steps() {
      return agent.steps;
    },
    get demo() {
      return agent.demo;
    },
    get sampleInput() {
      return agent.sampleInput;
    },
    get prompt() {
      return agent.prompt;
    },
    get config() {
      return config?.value ?? null;
    },
  };
}

/** Reduces a document to its summary in the catalog: the fields in the schema of a summary. */
export function summaryOf(document: AgentDocument): AgentSummary {
  const fields = summaryFields.map((field) => [field, document[field]]);
  return Object.fromEntries(fields) as AgentSummary;
}

const summaryFields = Object.keys(agentSummary.shape) as (keyof AgentSummary)[];

/** The documents of some agents, for lists, which also show how their recorded answers did. */
export function documentsOf(agents: readonly { document: AgentDocument; proof: Proof | null; isRecalled?: true }[]) {
  // A plain copy is much faster, but would read the long texts of recalled agents.
  return agents.map(({ document, proof, isRecalled }) =>
    isRecalled === true ? withFields(document, { proof }) : Object.assign({}, document, { proof }),
  );
}
