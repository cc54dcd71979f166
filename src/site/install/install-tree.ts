import { createHash } from 'node:crypto';
import { compareText } from '../../lib/text.ts';
import { promptLicense, toJson } from '../../schema/documents.ts';
import { contributedPrompts } from '../../text/agent-sections.ts';
import { installMarkdown, installWays, marketplaceName } from '../../text/install-ways.ts';
import { plainText } from '../../text/markdown-text.ts';
import type { PublishedAgent, Site } from '../site.ts';
import { installSource, mcpUrl } from './install-source.ts';
import { authorWithoutUrl, codexCategory, marketplaceEntry, marketplaceHead, pluginFiles } from './plugins.ts';
import { skillFiles } from './skills.ts';

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
  'gemini-extension.json': ({ settings, agents, plugins }) => {
    const name = marketplaceName(settings);
    const url = mcpUrl(settings);
    const { description } = settings;
    const rest = { description, ...(url === null ? {} : { mcpServers: { [name]: { httpUrl: url } } }) };
    const skills = agents.slice(0, rootSkills).map((agent) => [agent.slug, plugins.of(agent)]);
    const digest = createHash('sha256')
      .update(JSON.stringify([rest, skills]))
      .digest();
    // Gemini CLI updates an extension only if its version differs, so the last part is tied to the content.
    return { name, version: `1.${newestIssue(agents)}.${digest.readUInt32BE()}`, ...rest };
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

/** The texts at the root of the branch `install`, for people who open it on GitHub. */

/** How many agents the README lists: the newest ones. */
const listed = 50;

/** Shows how to install from the branch with each assistant. */
function treeReadme({ settings, agents }: Site): string {
  const ways = installWays(installSource({ repository: 'https://github.com/OWNER/REPOSITORY', ...settings }));
  const example = agents[0]?.document ?? { slug: 'SLUG', promptUrl: settings.baseUrl };
  const parts = [
    `# ${plainText(settings.title)}`,
    plainText(settings.description),
    `Every agent of ${settings.baseUrl} as a plugin and as a skill. This branch is written by a program: change the agents on the default branch instead.`,
    contributedPrompts,
    ...(settings.repository === undefined ? ['Replace `OWNER/REPOSITORY` with the name of this repository.'] : []),
    '## Install all agents',
    installMarkdown(ways(null)),
    '## Install one agent',
    `Each agent can be installed like \`${example.slug}\`:`,
    installMarkdown(ways({ slug: example.slug, promptUrl: example.promptUrl })),
    '## Agents',
    agents
      .slice(0, listed)
      .map(({ document }) => `- [${plainText(document.title)}](${document.url}): ${plainText(document.excerpt)}`)
      .join('\n'),
    ...(agents.length > listed ? [`${agents.length - listed} more are at ${settings.baseUrl}/archive.`] : []),
    '## License',
    `The agents are under [${promptLicense.name}](${promptLicense.url}): credit ${plainText(settings.publisher.name)} when you reuse one.`,
  ];
  return `${parts.filter((part) => part !== '').join('\n\n')}\n`;
}

/** Says which license the agents have, and what it asks for. */
function treeLicense({ publisher }: Site['settings']): string {
  return `Everything in this branch is published under the Creative Commons Attribution
4.0 International license (${promptLicense.name}), SPDX identifier ${promptLicense.id}.

You may copy, change and redistribute it, also commercially, if you name
${publisher.name} (${publisher.url}), link to the license, and say what you
changed.

The license: ${promptLicense.url}
The full text: ${promptLicense.url}legalcode
`;
}

/** Lists when each plugin last changed, the newest change first. */
export function treeChangelog({ agents, plugins }: Site): string {
  const changes = [...agents].sort((a, b) => compareText(b.changedOn, a.changedOn) || b.issue - a.issue);
  const lines = changes.map(
    (agent) =>
      `- ${agent.changedOn}: ${plainText(agent.title)} (\`${agent.slug}\`, No. ${agent.issue}), version ${plugins.of(agent)}`,
  );
  return `# Changelog\n\nThe last change of each plugin, newest first.\n\n${lines.join('\n')}\n`;
}
