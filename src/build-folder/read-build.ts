import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import { OperationError } from '../errors.ts';
import { type BuildInfo, buildFile, buildInfo } from '../schema/build-info.ts';
import { findPending } from './pending.ts';

/** The agents of a build, as far as others have to know them. */
export interface Published {
  slugs: ReadonlySet<string>;
  /** Former slug → slug. */
  formerSlugs: ReadonlyMap<string, string>;
}

const catalogShape = z.object({ agents: z.array(z.object({ slug: z.string() })) });

/** Reads which agents the build in the folder `dist` has. Throws OperationError when there is none. */
export function readPublished(dist: string): Published {
  const { moved } = readJson(dist, buildFile, buildInfo.pick({ moved: true }));
  const { agents } = readJson(dist, 'api/agents.json', catalogShape);
  return { slugs: new Set(agents.map(({ slug }) => slug)), formerSlugs: new Map(Object.entries(moved)) };
}

/** What build.json in the folder `dist` says of the build there. Throws OperationError when there is none. */
export function readBuildInfo(dist: string): Pick<BuildInfo, 'id' | 'baseUrl' | 'counts'> {
  return readJson(dist, buildFile, buildInfo.pick({ id: true, baseUrl: true, counts: true }));
}

/** A file of the build counts as soon as the build does: one that was killed may still have it beside its folder. */
function readJson<Shape extends z.ZodType>(dist: string, file: string, shape: Shape): z.infer<Shape> {
  try {
    const pending = findPending(dist);
    const folder = pending !== null && existsSync(join(pending.staged, file)) ? pending.staged : dist;
    return shape.parse(JSON.parse(readFileSync(join(folder, file), 'utf8')));
  } catch (error) {
    const why = (error as NodeJS.ErrnoException).code ?? 'it is not what a build writes';
    throw new OperationError(`${dist} has no build (${file} cannot be read: ${why}).`, { cause: error });
  }
}
