import type { AgentDocument } from '../schema/documents.ts';
import { fenced, listItem, plainText } from './markdown-text.ts';

/** Texts of an agent that its document does not have in this form. */
interface SectionTexts {
  sampleOutput: string;
  /** The text of the config file, or null. */
  config: string | null;
  /** How the agent works, as embedded-markdown.ts writes it. */
  howItWorks: string;
}

/** The parts of an agent other than its prompt, as Markdown blocks. */
export function agentSections(document: AgentDocument, texts: SectionTexts) {
  const { problem, steps, demo, videoUrl, sampleInput, configFilename } = document;
  return {
    metadata: [
      [
        `- Issue: ${document.issue}, ${document.date}`,
        `- Category: ${plainText(document.categoryLabel)}`,
        `- Difficulty: ${plainText(document.difficulty)}`,
        `- Made for: ${plainText(document.runtimes.join(', '))}`,
        `- Tags: ${document.tags.join(', ')}`,
        `- Address: ${document.url}`,
      ].join('\n'),
    ],
    problem: ['## The problem', plainText(problem)],
    steps: ['## Steps', numbered(steps.map(({ name, text }) => [name, text]))],
    howItWorks: ['## How it works', texts.howItWorks],
    demo: [
      '## Walkthrough',
      numbered(demo.map(({ label, detail }) => [label, detail])),
      ...(videoUrl === null ? [] : [`Video: ${videoUrl}`]),
    ],
    sample: ['## Sample input', fenced(sampleInput), '## Sample output', fenced(texts.sampleOutput)],
    config: texts.config === null ? [] : ['## Config', `Save it as \`${configFilename}\`.`, fenced(texts.config)],
  };
}

function numbered(items: readonly [name: string, text: string][]): string {
  return items
    .map(([name, text], index) => listItem(`${index + 1}.`, `**${plainText(name)}** ${plainText(text)}`))
    .join('\n');
}
