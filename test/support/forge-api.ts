import { existsSync, readFileSync } from 'node:fs';
import { createServer, type IncomingMessage, type Server } from 'node:http';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';

/** What people and workflows wrote on a forge. */
export interface Discussion {
  /** The titles and bodies of the issues that were opened. */
  issues: { title: string; body: string }[];
  pulls: { number: number; html_url: string; title: string; head: string; base: string; body: string; state: string }[];
  comments: { id: number; issue: number; body: string; user: { type: string } }[];
  /** Whether workflows may open pull requests, which is off in a new repository. */
  mayOpenPulls: boolean;
}

export function newDiscussion(): Discussion {
  return { issues: [], pulls: [], comments: [], mayOpenPulls: true };
}

const site = 'https://github.example/press/catalog';
const perPage = 100;

/** Serves deployed files, and the part of GitHub's API that the workflows use. */
export function serveForge(pages: string, discussion: Discussion): Promise<Server> {
  const server = createServer((request, response) => {
    const { pathname, searchParams } = new URL(request.url ?? '/', 'http://localhost');
    const answer = (status: number, body: string | Buffer) => response.writeHead(status).end(body);
    const path = pathname.replace('/api/repos/press/catalog/', '');
    if (path !== pathname) {
      if (request.headers.authorization !== 'Bearer token-of-the-job') return void answer(401, '{}');
      callApi(request, path, searchParams, discussion).then(([status, value]) => answer(status, JSON.stringify(value)));
      return;
    }
    try {
      const file = join(pages, pathname);
      // GitHub Pages also serves pages without the end of their names.
      answer(200, readFileSync(existsSync(`${file}.html`) ? `${file}.html` : file));
    } catch {
      answer(404, 'not found');
    }
  });
  return new Promise((resolve) => server.listen(0, '127.0.0.1', () => resolve(server)));
}

async function callApi(
  request: IncomingMessage,
  path: string,
  parameters: URLSearchParams,
  { issues, pulls, comments, mayOpenPulls }: Discussion,
): Promise<[status: number, value: unknown]> {
  const body = request.method === 'GET' ? {} : JSON.parse(await text(request));
  const page = (list: readonly unknown[]) =>
    list.slice((Number(parameters.get('page') ?? 1) - 1) * perPage).slice(0, perPage);
  const id = Number(/\d+/.exec(path)?.[0]);
  // In GitHub's OpenAPI description, no body of a request may be null. Its limit is in issues of actions that exceeded it.
  if (body.body === null || body.body?.length > 65_536)
    return [422, { message: 'Body is null or too long (maximum is 65536 characters)' }];
  switch (`${request.method} ${path.replace(/\d+/, 'N')}`) {
    case 'GET issues':
      return [200, parameters.get('state') === 'open' ? page(issues) : []];
    case 'POST issues':
      issues.push(body);
      return [201, { html_url: `${site}/issues/${issues.length}` }];
    case 'GET pulls': {
      const found = pulls.filter(({ state, head }) => state === 'open' && `press:${head}` === parameters.get('head'));
      return [200, parameters.get('state') === 'open' ? found : []];
    }
    case 'POST pulls':
      if (!mayOpenPulls)
        return [403, { message: 'GitHub Actions is not permitted to create or approve pull requests.' }];
      pulls.push({
        ...body,
        number: 100 + pulls.length,
        html_url: `${site}/pull/${100 + pulls.length}`,
        state: 'open',
      });
      return [201, pulls.at(-1)];
    case 'PATCH pulls/N':
      return [200, Object.assign(pulls.find(({ number }) => number === id) ?? {}, body)];
    case 'GET issues/N/comments':
      return [200, page(comments.filter(({ issue }) => issue === id))];
    case 'POST issues/N/comments':
      comments.push({ ...body, id: comments.length + 1, issue: id, user: { type: 'Bot' } });
      return [201, comments.at(-1)];
    case 'PATCH issues/comments/N':
      return [200, Object.assign(comments.find((comment) => comment.id === id) ?? {}, body)];
    default:
      return [404, {}];
  }
}
