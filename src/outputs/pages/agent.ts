import { inputsOf } from '../../agent-text/prompt-inputs.ts';
import { installTabs } from '../install/install-source.ts';
import type { Output } from '../output.ts';
import { documentsOf } from '../shared/agent-document.ts';
import { renderPage } from '../shared/page.ts';
import { agentNodes, breadcrumbNode } from '../shared/structured-data.ts';
import { agentImage } from '../shared/urls.ts';
import type { PublishedAgent, Site } from '../site.ts';
import { assistants } from './assistants.ts';
import { plateOf } from './plate.ts';
import { proofSection } from './proof.ts';

/** The same bytes at two paths, so that no host redirects, with or without a slash at the end of the address. */
export default {
  path: 'agents/{slug}.html',
  also: 'agents/{slug}/index.html',
  purpose: 'An agent’s page',
  *files(site, only) {
    const bySlug = new Map(site.agents.map((agent) => [agent.slug, agent]));
    for (const [index, agent] of site.agents.entries()) {
      if (only !== undefined && only !== agent.slug) continue;
      const [newer, older] = [site.agents[index - 1], site.agents[index + 1]];
      const related = (site.related.slugs[index] ?? []).flatMap((slug) => bySlug.get(slug) ?? []);
      const others = [newer, older, ...related].map((other) => other?.fingerprint.listed ?? '');
      yield {
        path: `agents/${agent.slug}.html`,
        copy: `agents/${agent.slug}/index.html`,
        agent: agent.slug,
        inputs: [agent.fingerprint.whole, ...others],
        render: () => renderAgent(site, agent, { newer, older, related }),
      };
    }
  },
} satisfies Output;

interface Neighbors {
  newer: PublishedAgent | undefined;
  older: PublishedAgent | undefined;
  related: readonly PublishedAgent[];
}

function renderAgent(site: Site, agent: PublishedAgent, { newer, older, related }: Neighbors): string {
  const { document } = agent;
  const category = { name: document.categoryLabel, path: `categories/${agent.category}` };
  return renderPage(
    site,
    {
      template: 'agent',
      title: agent.title,
      description: agent.excerpt,
      path: `agents/${agent.slug}`,
      category: agent.category,
      image: {
        path: agentImage(agent.slug),
        text: `No. ${agent.issue} of ${site.settings.title}: ${agent.title}`,
      },
      plates: true,
      alternates: [
        { type: 'text/markdown', href: `${document.url}.md`, title: 'Markdown' },
        { type: 'application/json', href: document.apiUrl, title: 'JSON' },
        { type: 'text/plain', href: document.promptUrl, title: 'Prompt' },
      ],
      graph: [
        ...agentNodes(site, agent),
        breadcrumbNode(site, [category, { name: agent.title, path: `agents/${agent.slug}` }]),
      ],
    },
    {
      agent: document,
      plate: plateOf(agent.prompt),
      inputs: inputsOf(agent.prompt),
      reviewed: agent.changedOn,
      howItWorks: site.markdown.forPage(agent.howItWorks, document.url),
      sampleOutput: agent.sampleOutput,
      proof: proofSection(agent),
      configText: agent.config?.text ?? null,
      configLink: document.configUrl === null ? null : new URL(document.configUrl).pathname,
      assistants,
      ways: installTabs(site, document),
      source: agent.source == null ? null : { address: null, ...agent.source },
      history: promptChanges(agent),
      related: documentsOf(related),
      newer: newer?.document ?? null,
      older: older?.document ?? null,
    },
  );
}

/**
 * The changes of a prompt as sentences, newest first. Commit messages are not for readers, and may contain anything.
 */
function promptChanges({ history }: PublishedAgent): { day: string; what: string }[] {
  return history.flatMap(({ day, prompt }) => (prompt === null ? [] : [{ day, what: inWords(prompt) }]));
}

function inWords({ added, removed }: { added: number; removed: number }): string {
  const lines = (count: number) => `${count} ${count === 1 ? 'line' : 'lines'}`;
  const parts = [added > 0 ? `${lines(added)} added` : '', removed > 0 ? `${lines(removed)} removed` : ''];
  return parts.filter((part) => part !== '').join(', ');
}
