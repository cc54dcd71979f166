import { shortened } from '../../agent-text/shortened.ts';
import { toJson } from '../../schema/documents.ts';
import { promptLicense } from '../../schema/license.ts';
import type { PublishedAgent, Site } from '../site.ts';
import { skillFiles } from './skill-files.ts';

/** A plugin: an agent as assistants install it. All manifests are made from it. */
export type Plugin = ReturnType<typeof describePlugin>;

/** Describes an agent as a plugin, in the words that most manifests share. */
export function describePlugin({ settings }: Pick<Site, 'settings'>, agent: PublishedAgent, version: string) {
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
export function pluginFiles(site: Pick<Site, 'settings'>, agent: PublishedAgent, version: string): Map<string, string> {
  const plugin = describePlugin(site, agent, version);
  return new Map([
    ...Object.entries(manifests).map(([path, manifest]) => [path, toJson(manifest(plugin))] as const),
    ...[...skillFiles(site, agent)].map(([path, text]) => [`skills/${agent.slug}/${path}`, text] as const),
  ]);
}

/** Cursor knows only the name and the email address of an author. */
export function authorWithoutUrl({ name, email }: Plugin['publisher']): object {
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
