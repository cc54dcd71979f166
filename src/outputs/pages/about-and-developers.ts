import { withoutShell } from '../../agent-text/client-names.ts';
import { plainText, quote } from '../../agent-text/markdown-text.ts';
import { contributedPrompts } from '../../agent-text/provenance.ts';
import { type AgentDocument, toJson } from '../../schema/documents.ts';
import { promptLicense } from '../../schema/license.ts';
import { catalogOf } from '../api/api.ts';
import { mcpSetup } from '../install/mcp-setup.ts';
import { listed, single, whole } from '../output.ts';
import { categoriesOf } from '../shared/groups.ts';
import { renderPage } from '../shared/page.ts';
import { breadcrumbNode } from '../shared/structured-data.ts';
import type { Site } from '../site.ts';

export const about = single(
  'about.html',
  'About the publication',
  (site) =>
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
  countOnly,
);

/** The same as Markdown, for language models. */
export const aboutMarkdown = single(
  'about.md',
  'About the publication, as Markdown',
  ({ settings, agents, url }) => {
    const { name, url: publisherUrl } = settings.publisher;
    const parts = [
      `# About ${plainText(settings.title)}`,
      quote(plainText(settings.description)),
      '## What an agent is',
      'One prompt that does one real job, with what you need to judge it: the problem, the steps, a sample input with a trap in it, and a worked answer.',
      'Every prompt has three sections. **INPUT** says what to paste, **RULES** how the assistant works, and **OUTPUT** what it returns. Text that you paste is treated as data; a missing fact is written as “unknown”, never made up.',
      'Nothing runs on this site. Copy the prompt into the assistant that you already use, and compare its answer with the sample.',
      contributedPrompts,
      '## One a day',
      `Every agent is published on its date with a permanent number and address. Published so far: ${agents.length}. [The catalog](${url.absolute('api/agents.json')}) lists them all.`,
      '## Reuse',
      `The prompts are published under [${promptLicense.name}](${promptLicense.url}). You may copy, change and sell them if you name ${plainText(name)} and link to the agent.`,
      '## Follow',
      `- [Atom](${url.absolute('atom.xml')})\n- [RSS](${url.absolute('feed.xml')})\n- [JSON Feed](${url.absolute('feed.json')})`,
      '## Publisher',
      `[${plainText(name)}](${publisherUrl})`,
    ];
    return `${parts.join('\n\n')}\n`;
  },
  countOnly,
);

export const developers = single(
  'developers.html',
  'How to use the API, MCP, the feeds and the skills',
  (site) =>
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
        baseUrl: withoutShell(site.settings.baseUrl),
        runtimeUrl: site.settings.runtimeUrl,
        example: exampleOf(site),
        exampleJson: exampleJson(site),
        categories: categoriesOf(site).map(({ key, label }) => ({ label, file: `${key}.xml` })),
        // Long paths may break after a slash.
        outputs: site.outputs.map((output) => ({ ...output, parts: output.path.split(/(?<=\/)/) })),
        mcp: mcpSetup(site.settings),
      },
    ),
  ({ agents }) => [...whole(agents.slice(0, 1)), ...listed(agents)],
);

function countOnly({ agents }: Site): string[] {
  return [String(agents.length)];
}

/** The newest agent, with addresses for commands; null without agents. */
function exampleOf({ agents }: Site): AgentDocument | null {
  const document = agents[0]?.document;
  if (document === undefined) return null;
  return { ...document, apiUrl: withoutShell(document.apiUrl), promptUrl: withoutShell(document.promptUrl) };
}

/** An API response with only the newest agent; null without agents. */
function exampleJson(site: Site): string | null {
  if (site.agents.length === 0) return null;
  return toJson({ ...catalogOf(site, 1), count: site.agents.length }).trimEnd();
}
