import { agentSections } from '../../agent-text/agent-sections.ts';
import { embeddedMarkdown } from '../../agent-text/embedded-markdown.ts';
import { fenced, plainText, quote } from '../../agent-text/markdown-text.ts';
import { provenance } from '../../agent-text/provenance.ts';
import { promptLicense } from '../../schema/license.ts';
import { forAgents } from '../output.ts';
import type { PublishedAgent, Site } from '../site.ts';

/** An agent's page as Markdown, for language models and for readers in a terminal. */
export default forAgents('agents/{slug}.md', 'An agent’s page as Markdown', toMarkdown);

function toMarkdown({ settings }: Site, { document, sampleOutput, config, changedOn, source }: PublishedAgent): string {
  const { title, excerpt, prompt } = document;
  const howItWorks = embeddedMarkdown(document.howItWorks, document);
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
