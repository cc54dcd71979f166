import * as api from './api/api.ts';
import * as feeds from './feeds/feeds.ts';
import * as hosting from './hosting/host-files.ts';
import { contentTypes, outputPattern } from './hosting/site-rules.ts';
import { mcpCard, registryEntry } from './install/install-source.ts';
import * as plugins from './install/plugins.ts';
import * as skills from './install/skills.ts';
import * as mail from './mail/mail.ts';
import type { Output } from './output.ts';
import { agentPage } from './pages/agent.ts';
import * as lists from './pages/lists.ts';
import * as pages from './pages/single-pages.ts';
import type { OutputDescription } from './site.ts';
import { socialImage } from './social-image/social-image.ts';

/**
 * All outputs. The files of agents are written before the lists that link to them, so that no list ever names a missing
 * file. The build id depends on the order of the outputs.
 */
export const outputs: readonly Output[] = [
  hosting.folders,
  hosting.files,
  api.prompt,
  api.sampleOutput,
  api.config,
  api.agent,
  api.agentEvals,
  skills.skill,
  skills.bundle,
  skills.indexOfOne,
  plugins.archives,
  socialImage,
  api.agentMarkdown,
  agentPage,
  pages.movedPage,
  mail.html,
  mail.text,
  pages.notFoundPage,
  pages.thanks,
  pages.refused,
  pages.subscriptionPages,
  lists.categoriesFurther,
  lists.categories,
  lists.tagsFurther,
  lists.tags,
  lists.archiveMonths,
  lists.archiveYears,
  lists.archive,
  pages.about,
  pages.aboutMarkdown,
  pages.developers,
  pages.homePage,
  api.schema,
  api.openapi,
  api.catalog,
  api.evalsList,
  mcpCard,
  registryEntry,
  api.llms,
  api.llmsFull,
  feeds.rss,
  feeds.atom,
  feeds.category,
  feeds.jsonFeed,
  pages.searchIndexFile,
  skills.skillIndex,
  plugins.marketplace,
  api.revisions,
  hosting.sitemap,
  hosting.robots,
  hosting.securityContact,
  hosting.headers,
  hosting.noJekyll,
];

/** Describes the outputs, for pages and docs that list them. */
export function describeOutputs(): OutputDescription[] {
  return outputs.map(({ path, purpose }) => {
    const type = contentTypes[path];
    return { path, type: typeof type === 'string' ? type : null, purpose };
  });
}

/** The outputs that may have a file at a path below dist/. */
export function outputsAt(path: string): Output[] {
  return patterns.filter(({ pattern }) => pattern.test(path)).map(({ output }) => output);
}

const patterns = outputs.flatMap((output) =>
  [output.path, output.also]
    .filter((path) => path !== undefined)
    .map((path) => ({ output, pattern: outputPattern(path) })),
);
