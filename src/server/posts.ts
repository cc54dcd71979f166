import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Logger } from 'pino';
import { type BodyKind, bodyKind, type Fields, parseFields, readBody } from './body.ts';
import { clientAddress } from './client.ts';
import { Refusal, sendError } from './errors.ts';
import type { Files } from './files.ts';
import type { Limit } from './limits.ts';
import type { BuildFollower, LiveBuild } from './live-build.ts';
import { corsHeaders, type OriginPolicy } from './origin.ts';

/** The largest body of a vote or a sign-up, in bytes: 2,000 code points escaped as \uXXXX\uXXXX are 24 KB. */
const maxBodyBytes = 64 * 1024;

/** What every route that takes what readers enter is made of. */
export interface PostParts {
  follower: BuildFollower;
  files: Files;
  origins: OriginPolicy;
  /** The limit on requests that are refused; valid requests never feel it. */
  refused: Limit;
  trustProxy: number;
  log: Logger;
}

/** Does the work of a route; the result are headers for the answer. Throws Refusal. */
export type Take = (fields: Fields, address: string) => Promise<Record<string, string>>;

/**
 * A route for JSON and for forms without JavaScript. The checks come in the order method (by the router), origin, type,
 * size, form of the body, then what `take` checks.
 *
 * `thanks` is the page, below the base URL, that a form is sent on to.
 */
export function postRoute(
  { follower, files, origins, refused, trustProxy, log }: PostParts,
  take: Take,
  thanks: string,
) {
  return async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const address = clientAddress(request, trustProxy);
    const build = follower.current();
    let cors: Record<string, string> = {};
    let kind: BodyKind = 'json';
    try {
      cors = corsHeaders(origins.check(request, build.info));
      kind = bodyKind(request);
      const fields = parseFields(await readBody(request, maxBodyBytes), kind);
      const headers = { ...(await take(fields, address)), ...cors };
      if (kind === 'form') sendOn(request, response, build, thanks, headers);
      else sendOk(response, headers);
    } catch (error) {
      if (!(error instanceof Refusal)) throw error;
      if (error.cause !== undefined) log.error({ err: error.cause, path: request.url }, error.message);
      const final = await limited(error, refused, address);
      await refuse(request, response, { build, files, kind, cors, refusal: final });
    }
  };
}

/** A refusal of a client that is refused too often becomes `rate_limited`. */
export async function limited(refusal: Refusal, refused: Limit, address: string): Promise<Refusal> {
  if (refusal.status >= 500 || refusal.code === 'rate_limited') return refusal;
  try {
    await refused.take(address);
    return refusal;
  } catch (error) {
    if (error instanceof Refusal) return error;
    throw error;
  }
}

function sendOk(response: ServerResponse, headers: Record<string, string>): void {
  const body = '{"ok":true}';
  response.writeHead(200, {
    'content-type': 'application/json',
    'content-length': body.length,
    'cache-control': 'no-store',
    'x-content-type-options': 'nosniff',
    ...headers,
  });
  response.end(body);
}

/** 303 to the page that thanks: on the static host if the form was there, else here. */
function sendOn(
  request: IncomingMessage,
  response: ServerResponse,
  { info, basePath }: LiveBuild,
  thanks: string,
  headers: Record<string, string>,
): void {
  const { origin, host } = request.headers;
  const fromStaticHost = origin === new URL(info.baseUrl).origin && new URL(origin).host !== host;
  const location = fromStaticHost ? `${info.baseUrl}/${thanks}` : `${basePath}/${thanks}`;
  response.writeHead(303, { location, 'content-length': 0, 'cache-control': 'no-store', ...headers });
  response.end();
}

interface Refused {
  build: LiveBuild;
  files: Files;
  kind: BodyKind;
  cors: Record<string, string>;
  refusal: Refusal;
}

/** An Error object; for a form in a browser, which shows what it gets to a person, a page that says the same. */
async function refuse(
  request: IncomingMessage,
  response: ServerResponse,
  { build, files, kind, cors, refusal }: Refused,
) {
  const { code, message, status } = refusal;
  const headers = { ...refusal.headers, ...cors };
  if (kind === 'form' && (request.headers.accept ?? '').includes('text/html')) {
    const fill = (text: string) => text.replaceAll('%MESSAGE%', escapeHtml(message));
    await files.page(request, response, build, { path: 'refused.html', status, headers, fill });
  } else sendError(response, code, message, headers);
  request.resume();
}

function escapeHtml(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}
