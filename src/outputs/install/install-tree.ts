import { marketplaceName } from '../../agent-text/client-names.ts';
import { toJson } from '../../schema/documents.ts';
import { mcpUrl } from '../api/mcp-card.ts';
import type { PublishedAgent, Site } from '../site.ts';
import { marketplaceEntry, marketplaceHead } from './marketplace.ts';
import { authorWithoutUrl, codexCategory, pluginFiles } from './plugin.ts';
import { skillFiles } from './skill-files.ts';
import { treeChangelog, treeLicense, treeReadme } from './tree-texts.ts';

/**
 * How many agents are skills at the root of the tree, the newest ones: Gemini CLI loads all of them as one extension, and
 * their descriptions take room in every conversation. Other clients find the rest in plugins/.
 */
const rootSkills = 50;

/** The manifests at the root of the tree, by path: what each client wants of the catalog. */
const manifests: Readonly<Record<string, (site: Site) => object>> = {
  // Also for GitHub Copilot and VS Code.
  '.claude-plugin/marketplace.json': (site) => ({
    ...marketplaceHead(site),
    plugins: site.agents.map((agent) => ({ ...marketplaceEntry(site, agent), source: `./${folderOf(agent)}` })),
  }),
  '.agents/plugins/marketplace.json': ({ settings, agents }) => ({
    name: marketplaceName(settings),
    interface: { displayName: settings.title },
    plugins: agents.map((agent) => ({
      name: agent.slug,
      source: { source: 'local', path: `./${folderOf(agent)}` },
      policy: { installation: 'AVAILABLE', authentication: 'ON_INSTALL' },
      category: codexCategory(agent.category),
    })),
  }),
  '.cursor-plugin/marketplace.json': ({ settings, agents }) => ({
    name: marketplaceName(settings),
    owner: authorWithoutUrl(settings.publisher),
    metadata: { description: settings.description },
    plugins: agents.map((agent) => ({
      name: agent.slug,
      source: folderOf(agent),
      description: agent.excerpt,
    })),
  }),
  'gemini-extension.json': ({ settings, agents }) => {
    const name = marketplaceName(settings);
    const url = mcpUrl(settings);
    return {
      name,
      version: `1.${newestIssue(agents)}.0`,
      description: settings.description,
      ...(url === null ? {} : { mcpServers: { [name]: { httpUrl: url } } }),
    };
  },
};

/**
 * Renders the tree of the branch `install`, from which assistants install agents as plugins and skills: the text of every
 * file by its path.
 */
export function installTree(site: Site): Map<string, string> {
  const files = new Map<string, string>();
  const add = (folder: string, texts: Iterable<readonly [path: string, text: string]>) => {
    for (const [path, text] of texts) files.set(`${folder}/${path}`, text);
  };
  for (const [path, manifest] of Object.entries(manifests)) files.set(path, toJson(manifest(site)));
  for (const agent of site.agents) add(folderOf(agent), pluginFiles(site, agent, site.plugins.of(agent)));
  for (const agent of site.agents.slice(0, rootSkills)) add(`skills/${agent.slug}`, skillFiles(site, agent));
  files.set('README.md', treeReadme(site));
  files.set('LICENSE', treeLicense(site.settings));
  files.set('CHANGELOG.md', treeChangelog(site));
  return files;
}

/** The number of the newest agent; 0 without agents. */
export function newestIssue(agents: readonly PublishedAgent[]): number {
  return agents.reduce((newest, { issue }) => Math.max(newest, issue), 0);
}

function folderOf({ slug }: PublishedAgent): string {
  return `plugins/${slug}`;
}
