import { existsSync, readFileSync, realpathSync } from 'node:fs';
import { join } from 'node:path';
import * as z from 'zod';
import { OperationError } from '../errors.ts';
import { type BuildInfo, buildFile, buildInfo } from '../schema/build-info.ts';
import { parseBoundedJson } from '../text-safety/bounded-input.ts';
import { findPending } from './unfinished-build.ts';

/** The slugs of the agents in a build. */
export interface Published {
  slugs: ReadonlySet<string>;
  /** Maps each former slug to the current one. */
  formerSlugs: ReadonlyMap<string, string>;
}

const catalogShape = z.object({ agents: z.array(z.object({ slug: z.string() })) });

/** Reads which agents the build in `dist` has. Throws OperationError if there is no build. */
export function readPublished(dist: string): Published {
  const { moved } = readJson(dist, buildFile, buildInfo.pick({ moved: true }));
  const { agents } = readJson(dist, 'api/agents.json', catalogShape);
  return { slugs: new Set(agents.map(({ slug }) => slug)), formerSlugs: new Map(Object.entries(moved)) };
}

const marketplaceShape = z.object({ renames: z.record(z.string(), z.string().nullable()) });

/** Reads the slugs of withdrawn agents, also former ones, from the build in `dist`; null if it does not list them. */
export function readWithdrawn(dist: string): ReadonlySet<string> | null {
  try {
    const { renames } = readJson(dist, 'marketplace.json', marketplaceShape);
    return new Set(Object.keys(renames).filter((slug) => renames[slug] === null));
  } catch {
    return null;
  }
}

/** Reads build.json in `dist`. Throws OperationError if there is no build. */
export function readBuildInfo(dist: string): Pick<BuildInfo, 'id' | 'baseUrl' | 'counts' | 'preview'> {
  return readJson(dist, buildFile, buildInfo.pick({ id: true, baseUrl: true, counts: true, preview: true }));
}

/** Throws OperationError if build.json in `dist` cannot be read. Called before a server creates its logs. */
export function requireBuild(dist: string): void {
  try {
    readText(realpathSync(dist), buildFile);
  } catch (error) {
    throw noBuild(dist, error);
  }
}

/** Returns the error for a server that has no build to serve. `why` is what was thrown when `dist` was read. */
export function noBuild(dist: string, why: unknown): OperationError {
  const { code, message } = why as NodeJS.ErrnoException;
  const problem = code === 'ENOENT' ? 'has no build' : `has no build that can be served (${code ?? message})`;
  return new OperationError(
    `${dist} ${problem}. Run \`catalog build\` first, or start with \`catalog serve --build\`.`,
  );
}

/** Reads a JSON file of a build. */
function readJson<Shape extends z.ZodType>(dist: string, file: string, shape: Shape): z.infer<Shape> {
  try {
    return shape.parse(parseBoundedJson(readText(dist, file)));
  } catch (error) {
    const why = (error as NodeJS.ErrnoException).code ?? 'it has an unknown format';
    throw new OperationError(`${dist} has no build (${file} cannot be read: ${why}). Run catalog build first.`, {
      cause: error,
    });
  }
}

/** Reads a file of a build, including one that a killed process did not move into place. */
function readText(dist: string, file: string): string {
  const pending = findPending(dist);
  const folder = pending !== null && existsSync(join(pending.staged, file)) ? pending.staged : dist;
  return readFileSync(join(folder, file), 'utf8');
}
