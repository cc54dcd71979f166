import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Logger } from 'pino';
import type { Request, Response } from 'polka';
import { readerMessage } from '../schema/reader-message.ts';
import { type BodyKind, bodyKind, type Fields, parseFields, readBody } from './body.ts';
import { clientAddress } from './client.ts';
import { Refusal, sendError } from './errors.ts';
import type { Files } from './files.ts';
import type { Limit } from './limits.ts';
import type { BuildFollower, LiveBuild } from './live-build.ts';
import { corsHeaders, type OriginPolicy } from './origin.ts';
import { requestId } from './request-id.ts';
import type { Route } from './route.ts';

/** The largest body of a vote or a subscription, in bytes. 2,000 code points escaped as \uXXXX\uXXXX take 24 KB. */
const maxBodyBytes = 64 * 1024;

/** What every route needs that stores what a reader sends. */
export interface PostParts {
  follower: BuildFollower;
  files: Files;
  origins: OriginPolicy;
  /** The limit on refused requests. Valid requests never count toward it. */
  refused: Limit;
  trustProxy: number;
  log: Logger;
}

/** Does the work of a route and returns headers for the answer. Throws Refusal. */
export type Take = (fields: Fields, address: string) => Promise<Record<string, string>>;

/** One operation: its work, and the page below the base URL to which a form is redirected. */
export interface Operation {
  take: Take;
  thanks: string;
}

/** The routes of one operation, for JSON and for forms without JavaScript, with its preflight and its 405. */
export function postRoutes(path: string, operation: Operation, parts: PostParts): Route[] {
  return [
    ['POST', path, (request, response) => answerPost(request, response, operation, parts)],
    ['OPTIONS', path, (request, response) => answerPreflight(request, response, parts, preflight)],
    ['ALL', path, (request, response) => sendRefusal(request, response, notPost(), parts)],
  ];
}

const preflight = { allow: 'POST, OPTIONS', 'access-control-allow-headers': 'Content-Type' };
const notPost = () => new Refusal('method_not_allowed', 'This address accepts POST.', { allow: preflight.allow });

/** The checks run in the order of C4.22. The router has checked the method; `take` checks the fields and the rest. */
async function answerPost(request: Request, response: Response, { take, thanks }: Operation, parts: PostParts) {
  const { follower, files, origins, refused, trustProxy, log } = parts;
  const address = clientAddress(request, trustProxy);
  const build = follower.current();
  let cors: Record<string, string> = {};
  let kind: BodyKind = 'json';
  try {
    cors = corsHeaders(origins.check(request, build.info));
    kind = bodyKind(request);
    const fields = parseFields(await readBody(request, maxBodyBytes), kind);
    const headers = { ...(await take(fields, address)), ...cors };
    if (kind === 'form') redirectToThanks(request, response, build, thanks, headers);
    else sendOk(response, headers);
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    if (error.cause !== undefined)
      log.error({ err: error.cause, path: request.path, request: requestId(request) }, error.message);
    const final = await limited(error, refused, address);
    await refuse(request, response, { build, files, kind, cors, refusal: final });
  }
}

/** Lets pages of known origins POST. `headers` are what differs between the routes. */
export async function answerPreflight(
  request: Request,
  response: Response,
  parts: PostParts,
  headers: Record<string, string>,
): Promise<void> {
  try {
    response.writeHead(204, {
      ...corsHeaders(parts.origins.check(request, parts.follower.current().info)),
      ...headers,
      'access-control-allow-methods': 'POST',
      'access-control-max-age': '86400',
    });
    response.end();
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    await sendRefusal(request, response, error, parts);
  }
}

async function sendRefusal(request: Request, response: Response, refusal: Refusal, parts: PostParts): Promise<void> {
  const { code, message, headers } = await limited(refusal, parts.refused, clientAddress(request, parts.trustProxy));
  sendError(response, code, message, headers);
}

/** Turns a refusal into `rate_limited` if the client was refused too often (C8.23). */
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

/** Redirects to the page that thanks: on the static host if the form was there, else here. */
function redirectToThanks(
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

/** Answers with an Error object, or with a page that says the same if a person sent a form. */
async function refuse(
  request: IncomingMessage,
  response: ServerResponse,
  { build, files, kind, cors, refusal }: Refused,
) {
  const { code, message, status } = refusal;
  const headers = { ...refusal.headers, ...cors };
  if (kind === 'form' && (request.headers.accept ?? '').includes('text/html')) {
    const fill = (text: string) => text.replaceAll('%MESSAGE%', escapeHtml(readerMessage(message)));
    await files.page(response, build, { path: 'refused.html', status, headers, fill });
  } else sendError(response, code, message, headers);
  request.resume();
}

function escapeHtml(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}
