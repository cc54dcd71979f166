import { type Artifact, html } from './artifact.ts';
import { assistants } from './assistants.ts';
import { installCommands } from './install-commands.ts';
import { renderPage } from './page.ts';
import type { PublishedAgent, Site } from './site.ts';

/** The same bytes at two paths, so that no host redirects, whether an address ends with a slash or not. */
export default {
  path: 'agents/{slug}.html',
  also: 'agents/{slug}/index.html',
  type: html,
  purpose: 'The page of an agent',
  *files(site) {
    for (const [index, agent] of site.agents.entries()) {
      let page: string | undefined;
      const render = () => {
        page ??= renderAgent(site, agent, index);
        return page;
      };
      yield { path: `agents/${agent.slug}.html`, render };
      yield { path: `agents/${agent.slug}/index.html`, render };
    }
  },
} satisfies Artifact;

function renderAgent(site: Site, agent: PublishedAgent, index: number): string {
  const { document } = agent;
  return renderPage(
    site,
    {
      template: 'agent',
      title: agent.title,
      description: agent.excerpt,
      path: `agents/${agent.slug}`,
      alternates: [
        { type: 'text/markdown', href: `${document.url}.md`, title: 'Markdown' },
        { type: 'application/json', href: document.apiUrl, title: 'JSON' },
        { type: 'text/plain', href: document.promptUrl, title: 'Prompt' },
      ],
    },
    {
      agent: document,
      howItWorks: site.markdown.forPage(agent.howItWorks, document.url),
      sampleOutput: agent.sampleOutput,
      configText: agent.config?.text ?? null,
      configLink: document.configUrl === null ? null : new URL(document.configUrl).pathname,
      assistants,
      commands: installCommands(site, document),
      newer: site.agents[index - 1]?.document ?? null,
      older: site.agents[index + 1]?.document ?? null,
    },
  );
}
