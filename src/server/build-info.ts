import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type BuildInfo, buildFile } from '../build/render.ts';
import { OperationError } from '../diagnostics.ts';

/** What build.json in the folder `dist` says. Throws OperationError when there is no build. */
export function readBuildInfo(dist: string): BuildInfo {
  try {
    return JSON.parse(readFileSync(join(dist, buildFile), 'utf8')) as BuildInfo;
  } catch (error) {
    throw new OperationError(
      `${dist} holds no build (${buildFile} cannot be read: ${(error as NodeJS.ErrnoException).code ?? 'not JSON'}). ` +
        'Run `catalog build` first, or start with `catalog serve --build`.',
    );
  }
}
