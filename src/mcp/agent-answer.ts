import type { z } from 'zod';
import { agentSections, provenance } from '../agent-text/agent-sections.ts';
import { installMarkdown } from '../agent-text/install-ways.ts';
import { fenced, plainText, quote } from '../agent-text/markdown-text.ts';
import type { AgentDocument } from '../schema/documents.ts';
import { type AgentPart, agentParts, type getAgentOutput, type InstallWay } from '../schema/mcp.ts';
import { type ProofAnswer, proofMarkdown } from './proof-answer.ts';

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
export function agentAnswer(
  document: AgentDocument,
  texts: Texts,
  include: readonly (AgentPart | 'all')[],
): { text: string; data: z.infer<typeof getAgentOutput> } {
  const { slug, title, excerpt, url, license, prompt, config } = document;
  const configText = config === null || typeof config === 'string' ? config : JSON.stringify(config, null, 2);
  const sections = {
    ...agentSections(document, { ...texts, config: configText }),
    install: ['## Install', installMarkdown(texts.ways)],
    proof: proofMarkdown(texts.proof),
  };
  const existing = agentParts.filter((part) => sections[part].length > 0);
  const given = existing.filter((part) => include.includes('all') || include.includes(part));
  const more = existing.filter((part) => !given.includes(part));
  const origin = provenance(document, texts.reviewedOn);
  const rest = `More with \`include\`: ${more.join(', ')}. The whole document is the resource agent://${slug}.`;
  const text = [
    `# ${plainText(title)}`,
    quote(plainText(excerpt)),
    plainText(origin),
    usage,
    fenced(prompt),
    ...given.flatMap((part) => sections[part]),
    ...(more.length === 0 ? [] : [rest]),
  ].join('\n\n');
  const data = { slug, title, excerpt, url, license, provenance: origin, usage, prompt, more };
  return { text, data: Object.assign(data, ...given.map((part) => fieldsOf(part, document, texts))) };
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
