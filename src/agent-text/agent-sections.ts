import type { AgentDocument } from '../schema/documents.ts';
import { demoteHeadings, fenced, listItem, plainText } from './markdown-text.ts';

/**
 * The parts of an agent other than its prompt, as Markdown blocks. `config` is the text of the config file, or null.
 */
export function agentSections(document: AgentDocument, texts: { sampleOutput: string; config: string | null }) {
  const { problem, steps, howItWorks, demo, videoUrl, sampleInput, configFilename } = document;
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
    howItWorks: ['## How it works', demoteHeadings(howItWorks, 3)],
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
