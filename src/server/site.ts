import type { Middleware, Request, Response } from 'polka';
import { answerReadPreflight, readCors, readMethods, refuseMethod, sendError } from './errors.ts';
import { type Files, withinBase } from './files.ts';
import type { BuildFollower, LiveBuild } from './live-build.ts';

export interface SiteParts {
  follower: BuildFollower;
  files: Files;
  /** The paths that the API is served below. */
  mounts: readonly string[];
}

/** Answers requests without a route: with a file of the build, or with 404. */
export function siteHandler({ follower, files, mounts }: SiteParts): Middleware {
  const isInApi = (path: string) => mounts.some((mount) => `${path}/`.startsWith(`${mount}/api/`));

  async function read(request: Request, response: Response): Promise<void> {
    const build = follower.current();
    if (isAboveBase(request, build)) return redirectToBase(response, build);
    if (await files.serve(request, response, build)) return;
    // The file may be in a build that was just put in place. If the folder of a build is gone, all of its files may be.
    await follower.refresh();
    const next = follower.current();
    if (next !== build && (await files.serve(request, response, next))) return;
    await notFound(request, response, next);
  }

  async function refuse(request: Request, response: Response): Promise<void> {
    const build = follower.current();
    const isKnown = isAboveBase(request, build) || (await files.exists(build, request.path));
    if (!isKnown) return notFound(request, response, build);
    if (isInApi(request.path)) return refuseMethod(response);
    response.writeHead(405, { allow: readMethods, ...readCors, 'content-type': 'text/plain; charset=utf-8' });
    response.end('Method not allowed\n');
  }

  async function notFound(request: Request, response: Response, build: LiveBuild): Promise<void> {
    if (!isInApi(request.path)) return files.page(response, build, { path: '404.html', status: 404 });
    sendError(response, 'not_found', notFoundMessage(withinBase(build, request.path)), readCors);
  }

  return (request, response) => {
    if (request.method === 'OPTIONS') return answerReadPreflight(response);
    if (request.method !== 'GET' && request.method !== 'HEAD') return refuse(request, response);
    return read(request, response);
  };
}

/** Whether a request is for the root of the host while the site is below a path. */
function isAboveBase({ path }: Request, build: LiveBuild): boolean {
  return path === '/' && withinBase(build, '/') === null;
}

function redirectToBase(response: Response, { basePath }: LiveBuild): void {
  response.writeHead(302, { location: `${basePath}/`, 'cache-control': 'no-store', 'content-length': 0 }).end();
}

function notFoundMessage(path: string | null): string {
  return path?.startsWith('/api/agents/')
    ? 'No agent has this slug; /api/agents.json lists them all.'
    : 'There is nothing at this address; /api/openapi.json lists all addresses.';
}
