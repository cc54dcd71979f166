import type { Logger } from 'pino';
import polka, { type Polka, type Request, type Response } from 'polka';
import { type ErrorCode, errorCodes } from '../schema/errors.ts';
import { readBuildInfo } from './build-info.ts';
import { staticFiles } from './static.ts';

/** What the runtime serves and where it reports. */
export interface AppOptions {
  /** The folder of the build. */
  dist: string;
  log: Logger;
}

/**
 * The runtime as a Polka application: the files of a build under the path of its base URL.
 *
 * Every error under /api is an Error object. Throws OperationError when `dist` holds no build.
 */
export function createApp({ dist, log }: AppOptions): Polka {
  const { baseUrl } = readBuildInfo(dist);
  const basePath = new URL(baseUrl).pathname.replace(/\/$/, '');
  const serve = staticFiles(dist);

  const app = polka({
    onError(error, request, response) {
      log.error({ err: error, method: request.method, path: request.path }, 'request failed');
      if (!response.headersSent) sendError(response, 'internal', 'The service failed. The fault is logged.');
    },
    onNoMatch: (request, response) => notFound(request, response),
  });
  /** The path of a request below the base path, or null when it lies outside of it. */
  const within = (path: string): string | null => {
    if (path === basePath) return '/';
    return path.startsWith(`${basePath}/`) ? path.slice(basePath.length) : null;
  };

  app.use((request, response, next) => {
    const path = within(request.path);
    if (request.path === '/' && path === null) return void response.writeHead(302, { location: `${basePath}/` }).end();
    if (path === null) return notFound(request, response);
    if (request.method !== 'GET' && request.method !== 'HEAD') return refuseMethod(response, path);
    serve(request, response, path, next);
  });

  function refuseMethod(response: Response, path: string): void {
    response.setHeader('Allow', 'GET, HEAD');
    if (isApi(path)) sendError(response, 'method_not_allowed', 'This address takes GET and HEAD.');
    else response.writeHead(405, { 'content-type': 'text/plain; charset=utf-8' }).end('Method not allowed\n');
  }

  function notFound(request: Request, response: Response): void {
    const path = within(request.path);
    if (path !== null && isApi(path)) {
      const message = path.startsWith('/api/agents/')
        ? 'No agent has this slug; /api/agents.json lists them all.'
        : 'There is nothing at this address; /api/openapi.json lists what there is.';
      sendError(response, 'not_found', message);
    } else serve.notFoundPage(request, response);
  }
  return app;
}

function isApi(path: string): boolean {
  return path === '/api' || path.startsWith('/api/');
}

/** Answers with an Error object (interface specification, part Errors). */
export function sendError(response: Response, error: ErrorCode, message: string): void {
  const body = JSON.stringify({ error, message });
  response.writeHead(errorCodes[error].status, {
    'content-type': 'application/json',
    'content-length': Buffer.byteLength(body),
    'cache-control': 'no-store',
  });
  response.end(body);
}
