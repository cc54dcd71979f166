import type { AgentDocument } from '../schema/documents.ts';
import { demoteHeadings, fenced, plainText } from './markdown-text.ts';

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
    steps: [
      '## Steps',
      steps.map(({ name, text }, index) => `${index + 1}. **${plainText(name)}** ${plainText(text)}`).join('\n'),
    ],
    howItWorks: ['## How it works', demoteHeadings(howItWorks, 3)],
    demo: [
      '## Walkthrough',
      demo.map(({ label, detail }, index) => `${index + 1}. **${plainText(label)}** ${plainText(detail)}`).join('\n'),
      ...(videoUrl === null ? [] : [`Video: ${videoUrl}`]),
    ],
    sample: ['## Sample input', fenced(sampleInput), '## Sample output', fenced(texts.sampleOutput)],
    config: texts.config === null ? [] : ['## Config', `Save it as \`${configFilename}\`.`, fenced(texts.config)],
  };
}
