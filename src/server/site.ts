import type { IncomingMessage, ServerResponse } from 'node:http';
import { sendError } from './errors.ts';
import { type Files, withinBase } from './files.ts';
import type { BuildFollower, LiveBuild } from './live-build.ts';
import type { Handler } from './route.ts';
import type { Target } from './target.ts';

export interface SiteParts {
  follower: BuildFollower;
  files: Files;
  /** The paths that the API is served below. */
  mounts: readonly string[];
}

const readMethods = 'GET, HEAD, OPTIONS';
const readCors = { 'access-control-allow-origin': '*' };

/** Answers requests without a route: with a file of the build, or with 404. */
export function siteHandler({ follower, files, mounts }: SiteParts): Handler {
  const isInApi = (path: string) => mounts.some((mount) => `${path}/`.startsWith(`${mount}/api/`));

  async function read(request: IncomingMessage, response: ServerResponse, target: Target): Promise<void> {
    const build = follower.current();
    if (target.pathname === '/' && withinBase(build, '/') === null) return redirectToBase(response, build);
    if (await files.serve(request, response, build, target)) return;
    // The file may be in a build that was just put in place. If the folder of a build is gone, all of its files may be.
    await follower.refresh();
    const next = follower.current();
    if (next !== build && (await files.serve(request, response, next, target))) return;
    await notFound(response, next, target);
  }

  async function refuse(response: ServerResponse, target: Target): Promise<void> {
    const build = follower.current();
    if (!(await files.exists(build, target.pathname))) return notFound(response, build, target);
    if (isInApi(target.pathname)) {
      sendError(response, 'method_not_allowed', 'This address accepts GET and HEAD.', { allow: readMethods });
      return;
    }
    response.writeHead(405, { allow: readMethods, 'content-type': 'text/plain; charset=utf-8' });
    response.end('Method not allowed\n');
  }

  async function notFound(response: ServerResponse, build: LiveBuild, { pathname }: Target): Promise<void> {
    if (!isInApi(pathname)) return files.page(response, build, { path: '404.html', status: 404 });
    sendError(response, 'not_found', notFoundMessage(withinBase(build, pathname)), readCors);
  }

  return (request, response, target) => {
    if (request.method === 'OPTIONS') return answerPreflight(response);
    if (request.method !== 'GET' && request.method !== 'HEAD') return refuse(response, target);
    return read(request, response, target);
  };
}

function redirectToBase(response: ServerResponse, { basePath }: LiveBuild): void {
  response.writeHead(302, { location: `${basePath}/`, 'cache-control': 'no-store', 'content-length': 0 }).end();
}

function answerPreflight(response: ServerResponse): void {
  response.writeHead(204, {
    allow: readMethods,
    ...readCors,
    'access-control-allow-methods': 'GET, HEAD',
    'access-control-allow-headers': 'Content-Type, If-None-Match',
    'access-control-max-age': '86400',
  });
  response.end();
}

function notFoundMessage(path: string | null): string {
  return path?.startsWith('/api/agents/')
    ? 'No agent has this slug; /api/agents.json lists them all.'
    : 'There is nothing at this address; /api/openapi.json lists all addresses.';
}
