import { marketplaceName } from '../../agent-text/client-names.ts';
import { OperationError } from '../../errors.ts';
import type { PluginRelease } from '../../schema/plugins.ts';
import type { Output, RenderedFile } from '../output.ts';
import { jsonParts } from '../shared/json-parts.ts';
import type { PublishedAgent, Site } from '../site.ts';
import { describePlugin, pluginFiles } from './plugin.ts';
import { zip } from './zip.ts';

/** The path of the marketplace below the base URL. */
export const marketplacePath = 'marketplace.json';

/** A marketplace of Claude Code that any host can serve: one file that names an archive for each plugin. */
export const marketplace: Output = {
  path: marketplacePath,
  purpose: 'Every agent as a plugin to install (marketplace of Claude Code)',
  *files(site) {
    const { agents, plugins, url } = site;
    const head = marketplaceHead(site);
    const entries = agents.map((agent) => ({ agent, input: `${agent.fingerprint.whole} ${plugins.of(agent)}` }));
    yield {
      path: marketplacePath,
      inputs: [JSON.stringify(head), ...entries.map(({ input }) => input)],
      render: (digest) =>
        jsonParts(
          head,
          'plugins',
          entries.map(({ agent, input }) => ({
            input,
            value: () => {
              const path = archivePath(agent.slug, plugins.of(agent));
              const source = { source: 'archive', url: url.absolute(path), sha256: digest(path) };
              return Object.assign(marketplaceEntry(site, agent), { source });
            },
          })),
        ),
    };
  },
};

/** The current archive of every plugin, then the earlier ones, with the bytes that they had. */
export const archives: Output = {
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
function* earlierArchives({ agents, moved, plugins, published }: Site): Iterable<RenderedFile> {
  const current = new Map(agents.map((agent) => [agent.slug, plugins.of(agent)]));
  const earlier = [...current.keys(), ...moved.keys()].flatMap((name) =>
    (published.releases.get(name) ?? [])
      .filter(({ version }) => version !== current.get(name))
      .map((release) => ({ name, ...release })),
  );
  let texts: ReadonlyMap<string, string> = new Map();
  for (const [index, { name, version, files }] of earlier.entries()) {
    const render = () => {
      if (files.some(([, blob]) => !texts.has(blob))) {
        texts = published.read(earlier.slice(index, index + batch).flatMap(blobsOf));
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
export function archivePath(name: string, version: string): string {
  return `plugins/${name}-${version}.zip`;
}

/** The fields of a marketplace other than its plugins, as Claude Code and GitHub Copilot read them. */
export function marketplaceHead({ settings, moved, withdrawn, agents }: Site): object {
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
export function marketplaceEntry(site: Site, agent: PublishedAgent): object {
  const { shared, title, category, publisher } = describePlugin(site, agent, site.plugins.of(agent));
  return Object.assign({}, shared, { displayName: title, author: publisher, category, tags: shared.keywords });
}
