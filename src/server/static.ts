import { createReadStream, statSync } from 'node:fs';
import { join } from 'node:path';
import type { Request, Response } from 'polka';
import sirv from 'sirv';
import { contentType } from '../artifacts/index.ts';

/** Answers a GET or HEAD for `path` below the base path, or calls `next` when there is no such file. */
interface StaticFiles {
  (request: Request, response: Response, path: string, next: () => void): void;
  /** Answers with 404 and the page for it. */
  notFoundPage(request: Request, response: Response): void;
}

/** Files that a static host reads and no reader needs, and the page that is shown in place of others. */
const unserved = new Set(['/_headers', '/.nojekyll', '/404', '/404/', '/404.html']);

/** Serves the files of `dist`, measured anew at each request, with the types that the registry of artifacts gives. */
export function staticFiles(dist: string): StaticFiles {
  const serve = sirv(dist, {
    dev: true,
    etag: true,
    dotfiles: true,
    setHeaders(response, path) {
      const type = typeOf(path);
      if (type !== undefined) response.setHeader('content-type', type);
      response.setHeader('cache-control', 'no-cache');
      response.setHeader('x-content-type-options', 'nosniff');
    },
  });
  const files = (request: Request, response: Response, path: string, next: () => void) => {
    if (unserved.has(path)) return next();
    const { url } = request;
    request.url = path;
    serve(request, response, () => {
      request.url = url;
      next();
    });
  };
  return Object.assign(files, {
    notFoundPage(request: Request, response: Response) {
      const file = join(dist, '404.html');
      const size = statSync(file, { throwIfNoEntry: false })?.size;
      response.writeHead(404, {
        'content-type': 'text/html; charset=utf-8',
        'cache-control': 'no-store',
        ...(size === undefined ? {} : { 'content-length': size }),
      });
      if (size === undefined || request.method === 'HEAD') response.end();
      else
        createReadStream(file)
          .on('error', () => response.destroy())
          .pipe(response);
    },
  });
}

/** The type of what sirv finds for a path: the file itself, a page without its ending, or the index of a folder. */
function typeOf(path: string): string | undefined {
  const file = path.replace(/^\//, '').replace(/\/$/, '');
  const index = file === '' ? 'index.html' : `${file}/index.html`;
  return [file, `${file}.html`, index].map(contentType).find((type) => type !== undefined);
}
