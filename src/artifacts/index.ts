import * as agentFiles from './agent-files.ts';
import agentMarkdown from './agent-markdown.ts';
import agentPage from './agent-page.ts';
import * as answers from './answer-pages.ts';
import * as api from './api.ts';
import type { Artifact } from './artifact.ts';
import * as assets from './assets.ts';
import * as feeds from './feeds.ts';
import * as crawlers from './for-crawlers.ts';
import homePage from './home-page.ts';
import * as hostFiles from './host-files.ts';
import jsonFeed from './json-feed.ts';
import * as lists from './list-pages.ts';
import mcpCard from './mcp-card.ts';
import movedPage from './moved-page.ts';
import notFoundPage from './not-found-page.ts';
import searchIndex from './search-index.ts';
import sharePicture from './share-picture.ts';
import type { Output } from './site.ts';
import * as skills from './skills.ts';
import * as text from './text-indexes.ts';
import * as textPages from './text-pages.ts';

/**
 * What the site consists of, in the order in which it is put in place: what belongs to one agent first, then what
 * lists and links agents, so that no list ever names what is not there yet.
 */
export const artifacts: readonly Artifact[] = [
  assets.folders,
  assets.files,
  agentFiles.prompt,
  agentFiles.sampleOutput,
  agentFiles.config,
  api.agent,
  skills.skill,
  sharePicture,
  agentMarkdown,
  agentPage,
  movedPage,
  notFoundPage,
  answers.thanks,
  answers.refused,
  lists.categoriesFurther,
  lists.categories,
  lists.tagsFurther,
  lists.tags,
  lists.archiveMonths,
  lists.archiveYears,
  lists.archive,
  textPages.about,
  textPages.aboutMarkdown,
  textPages.developers,
  homePage,
  api.schema,
  api.openapi,
  api.catalog,
  mcpCard,
  text.llms,
  text.llmsFull,
  feeds.rss,
  feeds.atom,
  feeds.category,
  jsonFeed,
  searchIndex,
  skills.index,
  crawlers.sitemap,
  crawlers.robots,
  hostFiles.securityContact,
  hostFiles.headers,
  hostFiles.noJekyll,
];

/** The outputs as the registry describes them, for pages and docs that list them. */
export function outputs(): Output[] {
  return artifacts.map(({ path, type, purpose }) => ({ path, type: typeof type === 'string' ? type : null, purpose }));
}

/** The content type of a path below dist/, or undefined where no artifact has it. */
export function contentType(path: string): string | undefined {
  const artifact = patterns.find(({ pattern }) => pattern.test(path))?.artifact;
  return typeof artifact?.type === 'function' ? artifact.type(path) : artifact?.type;
}

const patterns = artifacts.flatMap((artifact) =>
  [artifact.path, artifact.also]
    .filter((path) => path !== undefined)
    .map((path) => ({
      artifact,
      pattern: new RegExp(`^${path.replaceAll('.', '\\.').replace(/\{\w+\}/g, '[^/]+')}$`),
    })),
);
