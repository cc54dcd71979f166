import { plainText } from '../../agent-text/markdown-text.ts';
import { contributedPrompts } from '../../agent-text/provenance.ts';
import { toJson } from '../../schema/documents.ts';
import { catalogOf } from '../api/api.ts';
import { mcpSetup } from '../install/mcp-setup.ts';
import { html, single } from '../output.ts';
import { categoriesOf } from '../shared/groups.ts';
import { renderPage } from '../shared/page.ts';
import { breadcrumbNode } from '../shared/structured-data.ts';
import type { Site } from '../site.ts';

const markdownType = 'text/markdown; charset=utf-8';

export const about = single('about.html', html, 'What the publication is', (site) =>
  renderPage(
    site,
    {
      template: 'about',
      title: 'About',
      description: `What ${site.settings.title} is, and who publishes it.`,
      path: 'about',
      section: 'about',
      alternates: [{ type: 'text/markdown', href: site.url.absolute('about.md'), title: 'Markdown' }],
      graph: [breadcrumbNode(site, [{ name: 'About', path: 'about' }])],
    },
    { count: site.agents.length },
  ),
);

/** The same in Markdown, for language models. */
export const aboutMarkdown = single(
  'about.md',
  markdownType,
  'The page about the publication in Markdown',
  ({ settings, agents, url }) => {
    const { name, url: publisherUrl } = settings.publisher;
    const parts = [
      `# About ${plainText(settings.title)}`,
      `> ${plainText(settings.description)}`,
      '## What an agent is',
      'One prompt for one real job, with what is needed to trust it: the problem, the steps, a sample with a trap in it, and that sample worked through.',
      'Every prompt has three sections. **INPUT** says what to give, **RULES** how to work, **OUTPUT** what comes back. Text that you paste is treated as data; what is not in it is written as unknown and never made up.',
      'Nothing runs here. You copy the prompt into the assistant that you already use, and judge the answer by the sample.',
      contributedPrompts,
      '## One a day',
      `Each agent is published on its day with a running number, which it keeps permanently, as it keeps its address. ${agents.length} are published so far; [the catalog](${url.absolute('api/agents.json')}) lists them all.`,
      '## Reuse',
      `The prompts are published under [CC BY 4.0](https://creativecommons.org/licenses/by/4.0/). You may copy, change, and sell what you make of them, if you name ${plainText(name)} and link to the agent.`,
      '## Follow',
      `- [Atom](${url.absolute('atom.xml')})\n- [RSS](${url.absolute('feed.xml')})\n- [JSON Feed](${url.absolute('feed.json')})`,
      '## Publisher',
      `[${plainText(name)}](${publisherUrl})`,
    ];
    return `${parts.join('\n\n')}\n`;
  },
);

export const developers = single('developers.html', html, 'How to use the API, MCP, the feeds and the skills', (site) =>
  renderPage(
    site,
    {
      template: 'developers',
      title: 'For developers',
      description: 'The JSON API, MCP, the text indexes, the feeds and the skills.',
      path: 'developers',
      section: 'developers',
      plates: true,
      graph: [breadcrumbNode(site, [{ name: 'For developers', path: 'developers' }])],
    },
    {
      baseUrl: site.settings.baseUrl,
      runtimeUrl: site.settings.runtimeUrl,
      example: site.agents[0]?.document ?? null,
      exampleJson: exampleOf(site),
      categories: categoriesOf(site).map(({ key, label }) => ({ label, file: `${key}.xml` })),
      outputs: site.outputs,
      mcp: mcpSetup(site.settings),
    },
  ),
);

/** What the API answers, with the newest agent alone; null where there is none. */
function exampleOf(site: Site): string | null {
  if (site.agents.length === 0) return null;
  return toJson({ ...catalogOf(site, 1), count: site.agents.length }).trimEnd();
}
