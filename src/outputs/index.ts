import * as api from './api/api.ts';
import * as evals from './api/evals.ts';
import mcpCard, { registryEntry } from './api/mcp-card.ts';
import revisions from './api/revisions.ts';
import { contentTypes, outputPattern } from './content-types.ts';
import * as feeds from './feeds/feeds.ts';
import jsonFeed from './feeds/json-feed.ts';
import * as assets from './hosting/assets.ts';
import * as crawlers from './hosting/crawlers.ts';
import * as hostFiles from './hosting/host-files.ts';
import * as plugins from './install/marketplace.ts';
import * as skills from './install/skills.ts';
import * as mail from './mail/outputs.ts';
import type { Output } from './output.ts';
import * as textPages from './pages/about-and-developers.ts';
import agentPage from './pages/agent.ts';
import * as archives from './pages/archive.ts';
import * as answers from './pages/form-answers.ts';
import * as groups from './pages/groups.ts';
import homePage from './pages/home.ts';
import movedPage from './pages/moved.ts';
import notFoundPage from './pages/not-found.ts';
import searchIndex from './pages/search-index.ts';
import socialImage from './pages/social-image.ts';
import type { OutputDescription } from './site.ts';
import * as agentFiles from './text/agent-files.ts';
import agentMarkdown from './text/agent-markdown.ts';
import * as text from './text/llms-txt.ts';

/**
 * All outputs, in the order in which their files are written: the files of agents come before the lists that link to
 * them, so that no list ever names a missing file.
 */
export const outputs: readonly Output[] = [
  assets.folders,
  assets.files,
  agentFiles.prompt,
  agentFiles.sampleOutput,
  agentFiles.config,
  api.agent,
  evals.agent,
  skills.skill,
  skills.bundle,
  plugins.archives,
  socialImage,
  agentMarkdown,
  agentPage,
  movedPage,
  mail.html,
  mail.text,
  notFoundPage,
  answers.thanks,
  answers.refused,
  answers.subscriptionPages,
  groups.categoriesFurther,
  groups.categories,
  groups.tagsFurther,
  groups.tags,
  archives.archiveMonths,
  archives.archiveYears,
  archives.archive,
  textPages.about,
  textPages.aboutMarkdown,
  textPages.developers,
  homePage,
  api.schema,
  api.openapi,
  api.catalog,
  evals.list,
  mcpCard,
  registryEntry,
  text.llms,
  text.llmsFull,
  feeds.rss,
  feeds.atom,
  feeds.category,
  jsonFeed,
  searchIndex,
  skills.index,
  plugins.marketplace,
  revisions,
  crawlers.sitemap,
  crawlers.robots,
  hostFiles.securityContact,
  hostFiles.headers,
  hostFiles.noJekyll,
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
