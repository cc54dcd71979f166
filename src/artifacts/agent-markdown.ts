import type { Artifact } from './artifact.ts';
import { demoteHeadings, fenced, plainText } from './markdown-text.ts';
import { provenance } from './provenance.ts';
import type { PublishedAgent, Site } from './site.ts';

/** The agent's page in Markdown, for language models and for people who read in a terminal. */
export default {
  path: 'agents/{slug}.md',
  type: 'text/markdown; charset=utf-8',
  purpose: 'The page of an agent in Markdown',
  *files(site) {
    for (const agent of site.agents) yield { path: `agents/${agent.slug}.md`, render: () => toMarkdown(site, agent) };
  },
} satisfies Artifact;

function toMarkdown({ settings }: Site, { document, sampleOutput, config, changedOn }: PublishedAgent): string {
  const { title, excerpt, problem, prompt, sampleInput, steps, demo, howItWorks } = document;
  const parts = [
    `# ${plainText(title)}`,
    `> ${plainText(excerpt)}`,
    [
      `- Issue: ${document.issue}, ${document.date}`,
      `- Category: ${document.categoryLabel}`,
      `- Difficulty: ${document.difficulty}`,
      `- Made for: ${document.runtimes.join(', ')}`,
      `- Tags: ${document.tags.join(', ')}`,
      `- Address: ${document.url}`,
    ].join('\n'),
    '## The problem',
    plainText(problem),
    '## The prompt',
    provenance({ ...document, date: changedOn }),
    fenced(prompt),
    '## Steps',
    steps.map(({ name, text }, index) => `${index + 1}. **${plainText(name)}** ${plainText(text)}`).join('\n'),
    '## How it works',
    demoteHeadings(howItWorks, 3),
    '## Demo',
    demo.map(({ second, label, detail }) => `- ${second} s: **${plainText(label)}** ${plainText(detail)}`).join('\n'),
    ...(document.videoUrl === null ? [] : [`Video: ${document.videoUrl}`]),
    '## Sample input',
    fenced(sampleInput),
    '## Sample output',
    fenced(sampleOutput),
    ...(config === null ? [] : ['## Config', `Save it as \`${document.configFilename}\`.`, fenced(config.text)]),
    '## Reuse',
    `“${title}” by ${settings.publisher.name}, ${document.url}, CC BY 4.0.`,
  ];
  return `${parts.join('\n\n')}\n`;
}
