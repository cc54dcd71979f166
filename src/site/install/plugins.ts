import { createHash } from 'node:crypto';
import { OperationError, orElse } from '../../lib/errors.ts';
import { entry, groupBy } from '../../lib/groups.ts';
import { compareText } from '../../lib/text.ts';
import {
  type AgentRevisions,
  type PluginRelease,
  type PublishedPlugins,
  promptLicense,
  revisionOf,
  toJson,
} from '../../schema/documents.ts';
import { contributedPrompts } from '../../text/agent-sections.ts';
import { installMarkdown, installSource, installWays, marketplaceName, mcpUrl } from '../../text/install-ways.ts';
import { plainText, shortened } from '../../text/markdown-text.ts';
import { type Digest, jsonList, type Output, type RenderedFile } from '../output.ts';
import type { KnownVersions, PublishedAgent, Site } from '../site.ts';
import { skillFiles, zip } from './skills.ts';

/** A plugin: an agent as assistants install it. All manifests are made from it. */
type Plugin = ReturnType<typeof describePlugin>;

/** Describes an agent as a plugin, in the words that most manifests share. */
function describePlugin({ settings }: Pick<Site, 'settings'>, agent: PublishedAgent, version: string) {
  const { publisher, repository } = settings;
  const { document, slug, excerpt, tags } = agent;
  return {
    title: agent.title,
    category: document.category,
    publisher,
    shared: {
      name: slug,
      version,
      description: excerpt,
      homepage: document.url,
      ...(repository === undefined ? {} : { repository }),
      license: promptLicense.id,
      keywords: tags,
    },
  };
}

/** The manifests of a plugin, by path: what each client wants of it. */
const manifests: Readonly<Record<string, (plugin: Plugin) => object>> = {
  // Agent Plugins 1.0.0, which VS Code, Cursor and GitHub Copilot read.
  'plugin.json': ({ shared, publisher }) => ({
    $schema: 'https://agent-plugins.org/schemas/1.0.0/plugin.schema.json',
    ...shared,
    author: publisher,
  }),
  '.claude-plugin/plugin.json': ({ shared, publisher }) => ({ ...shared, author: publisher }),
  '.codex-plugin/plugin.json': ({ shared, publisher, title, category }) => ({
    ...shared,
    author: publisher,
    skills: './skills/',
    interface: {
      displayName: title,
      shortDescription: shared.description,
      longDescription: shared.description,
      developerName: publisher.name,
      category: codexCategory(category),
      capabilities: [],
      websiteURL: shared.homepage,
      defaultPrompt: [shortened(`Use ${title} on the text that follows.`, 128)],
    },
  }),
  '.cursor-plugin/plugin.json': ({ shared, publisher, title, category }) => ({
    ...shared,
    displayName: title,
    author: authorWithoutUrl(publisher),
    category,
  }),
};

/** The files of a plugin, by their path in its folder. */
function pluginFiles(site: Pick<Site, 'settings'>, agent: PublishedAgent, version: string): Map<string, string> {
  const plugin = describePlugin(site, agent, version);
  return new Map([
    ...Object.entries(manifests).map(([path, manifest]) => [path, toJson(manifest(plugin))] as const),
    ...[...skillFiles(site.settings, agent)].map(([path, text]) => [`skills/${agent.slug}/${path}`, text] as const),
  ]);
}

/** Cursor knows only the name and the email address of an author. */
function authorWithoutUrl({ name, email }: Plugin['publisher']): object {
  return { name, ...(email === undefined ? {} : { email }) };
}

/** The category of Codex for one of the catalog. */
export function codexCategory(category: string): string {
  const [match] = codexCategories.find(([, keys]) => keys.test(category)) ?? [];
  return match ?? 'Productivity';
}

const codexCategories: readonly (readonly [category: string, keys: RegExp])[] = [
  ['Developer Tools', /^(?:coding|devtools|development|programming|testing)$/],
  ['Data & Analytics', /^(?:data|analytics)$/],
  ['Creativity', /^(?:writing|design|creativity)$/],
  ['Education & Research', /^(?:research|education|learning)$/],
  ['Business & Operations', /^(?:ops|operations|business|management)$/],
  ['Communication', /^(?:communication|email|support)$/],
  ['Finance', /^finance$/],
  ['Security', /^security$/],
  ['Travel', /^travel$/],
];

/**
 * The versions of plugins. A plugin keeps the version of its last release as long as its files are the same, and gets
 * the next one otherwise, whatever changed them: the agent, the settings or the program. A plugin without a release gets
 * its version from the number of changes of the agent in Git.
 */
export function versionsByRelease(
  site: Pick<Site, 'settings'>,
  published: PublishedPlugins,
  /** Saves the comparison of plugins that did not change since the last build. */
  before: KnownVersions = [],
): Site['plugins'] {
  const compared = new Map(before.map(([name, ...versions]) => [name, versions]));
  const versions = new Map<string, readonly [key: string, version: string]>();

  function compare(agent: PublishedAgent): readonly [key: string, version: string] {
    const [last] = [...(published.releases.get(agent.slug) ?? [])].sort(latestFirst);
    if (last === undefined) return ['', versionOf(agent.revision)];
    const key = [agent.fingerprint.whole, last.version, ...last.files.map(([, blob]) => blob)].join();
    const remembered = compared.get(agent.slug);
    if (remembered?.[0] === key) return remembered;
    return [key, isUnchanged(agent, last) ? last.version : versionOf((revisionOf(last.version) ?? 0) + 1)];
  }

  /** True for an agent that cannot be rendered: it is reported when its files are rendered. */
  function isUnchanged(agent: PublishedAgent, release: PluginRelease): boolean {
    return orElse(() => published.isRelease(release, pluginFiles(site, agent, release.version)), true);
  }

  return {
    of: (agent) => entry(versions, agent.slug, () => compare(agent))[1],
    get known() {
      return [...versions].filter(([, [key]]) => key !== '').map(([name, version]) => [name, ...version] as const);
    },
  };
}

/** The version of a plugin that was changed this many times. */
function versionOf(revision: number): string {
  return `1.${revision}.0`;
}

/** Orders the releases of a plugin. */
function latestFirst(a: PluginRelease, b: PluginRelease): number {
  return (revisionOf(b.version) ?? 0) - (revisionOf(a.version) ?? 0);
}

/** The releases other than the current ones: the releases of the plugins of published agents, then the releases under former slugs. */
function earlierReleases({ agents, moved, plugins, published }: Site) {
  const current = new Map(agents.map((agent) => [agent.slug, plugins.of(agent)]));
  return [...agents.map(({ slug }) => [slug, slug] as const), ...moved].map(([name, slug]) => ({
    name,
    slug,
    releases: (published.releases.get(name) ?? []).filter(({ version }) => version !== current.get(name)),
  }));
}

/**
 * Returns a function that lists the versions of an agent's plugin for api/revisions.json: the current one, then from the newest
 * to the first, and those under former slugs last.
 */
export function listPluginVersions(site: Site) {
  const releases = groupBy(earlierReleases(site), ({ slug }) => [slug]);
  return (agent: PublishedAgent) => {
    const version = site.plugins.of(agent);
    const earlier = (releases.get(agent.slug) ?? []).flatMap(({ name, releases }) =>
      releases.sort(latestFirst).map(({ version, skill }) => ({ name, version, skill })),
    );
    const value = (digest: Digest): AgentRevisions['plugins'] => {
      const skill = digest(`.well-known/agent-skills/${agent.slug}/SKILL.md`);
      return [{ name: agent.slug, version, skill }, ...earlier].map(({ name, version, skill }) => ({
        name,
        version,
        sha256: digest(archivePath(name, version)),
        skill,
      }));
    };
    return { inputs: [version, earlier], value };
  };
}

/** A marketplace of Claude Code that any host can serve: one file that names an archive for each plugin. */
const marketplace = jsonList(
  'marketplace.json',
  'Every agent as a plugin to install (marketplace of Claude Code)',
  'plugins',
  (site) => ({
    document: marketplaceHead(site),
    items: site.agents.map((agent) => {
      const version = site.plugins.of(agent);
      const value = (digest: Digest) => {
        const path = archivePath(agent.slug, version);
        const source = { source: 'archive', url: site.url.absolute(path), sha256: digest(path) };
        return Object.assign(marketplaceEntry(site, agent), { source });
      };
      return { input: `${agent.fingerprint.whole} ${version}`, value };
    }),
  }),
);

/** The current archive of every plugin, then the earlier ones, with the bytes that they had. */
const archives: Output = {
  path: 'plugins/{plugin}.zip',
  purpose: 'An agent as a plugin, in its current or an earlier version',
  *files(site) {
    for (const agent of site.agents) {
      const version = site.plugins.of(agent);
      yield {
        path: archivePath(agent.slug, version),
        agent: agent.slug,
        inputs: [agent.fingerprint.whole, version],
        render: () => zip(pluginFiles(site, agent, version)),
      };
    }
    yield* earlierArchives(site);
  },
};

/** How many archives are read from Git at once. */
const batch = 200;

/**
 * The earlier archives of the agents that are published, also those under former slugs. A reader whose assistant still
 * has yesterday's marketplace.json can install what it names.
 */
function* earlierArchives(site: Site): Iterable<RenderedFile> {
  const earlier = earlierReleases(site).flatMap(({ name, releases }) =>
    releases.map((release) => ({ name, ...release })),
  );
  let texts: ReadonlyMap<string, string> = new Map();
  for (const [index, { name, version, files }] of earlier.entries()) {
    const render = () => {
      if (files.some(([, blob]) => !texts.has(blob))) {
        texts = site.published.read(earlier.slice(index, index + batch).flatMap(blobsOf));
      }
      return zip(new Map(files.map(([path, blob]) => [path, textOf(texts, blob, `${name} ${version}`)])));
    };
    yield { path: archivePath(name, version), inputs: blobsOf({ files }), render };
  }
}

function blobsOf({ files }: Pick<PluginRelease, 'files'>): string[] {
  return files.map(([, blob]) => blob);
}

function textOf(texts: ReadonlyMap<string, string>, blob: string, plugin: string): string {
  const text = texts.get(blob);
  if (text !== undefined) return text;
  throw new OperationError(
    `This clone lacks a file of the plugin ${plugin} on the branch install. Fetch it again, with its whole history.`,
  );
}

/** The path of a plugin's archive below the base URL. */
function archivePath(name: string, version: string): string {
  return `plugins/${name}-${version}.zip`;
}

/** The fields of a marketplace other than its plugins, as Claude Code and GitHub Copilot read them. */
function marketplaceHead({ settings, moved, withdrawn, agents }: Site): object {
  const listed = new Set(agents.map(({ slug }) => slug));
  const renames = [...moved, ...withdrawn.map((slug) => [slug, null] as const)].filter(([slug]) => !listed.has(slug));
  return {
    $schema: 'https://anthropic.com/claude-code/marketplace.schema.json',
    name: marketplaceName(settings),
    description: settings.description,
    owner: settings.publisher,
    // Installed copies follow these: to the new name, or nowhere.
    renames: Object.fromEntries(renames),
  };
}

/** An entry of such a marketplace, without its source. */
function marketplaceEntry(site: Site, agent: PublishedAgent): object {
  const { shared, title, category, publisher } = describePlugin(site, agent, site.plugins.of(agent));
  return Object.assign({}, shared, { displayName: title, author: publisher, category, tags: shared.keywords });
}

/**
 * How many agents are skills at the root of the tree, the newest ones: Gemini CLI loads all of them as one extension, and
 * their descriptions take room in every conversation. Other clients find the rest in plugins/.
 */
const rootSkills = 50;

/** The manifests at the root of the tree, by path: what each client wants of the catalog. */
const treeManifests: Readonly<Record<string, (site: Site) => object>> = {
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
  'gemini-extension.json': (site) => {
    const { settings, agents } = site;
    const name = marketplaceName(settings);
    const url = mcpUrl(settings);
    const { description } = settings;
    const rest = { description, ...(url === null ? {} : { mcpServers: { [name]: { httpUrl: url } } }) };
    const skills = agents.slice(0, rootSkills).map((agent) => [agent.slug, ...skillFiles(settings, agent)]);
    const digest = createHash('sha256')
      .update(JSON.stringify([rest, skills]))
      .digest();
    // Gemini CLI updates an extension only if its version differs, so the last part is tied to what it loads.
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
  for (const [path, manifest] of Object.entries(treeManifests)) files.set(path, toJson(manifest(site)));
  for (const agent of site.agents) add(folderOf(agent), pluginFiles(site, agent, site.plugins.of(agent)));
  for (const agent of site.agents.slice(0, rootSkills)) add(`skills/${agent.slug}`, skillFiles(site.settings, agent));
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
const listedInReadme = 50;

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
      .slice(0, listedInReadme)
      .map(({ document }) => `- [${plainText(document.title)}](${document.url}): ${plainText(document.excerpt)}`)
      .join('\n'),
    ...(agents.length > listedInReadme
      ? [`${agents.length - listedInReadme} more are at ${settings.baseUrl}/archive.`]
      : []),
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

export const pluginOutputs: readonly Output[] = [archives, marketplace];
