import type { IncomingMessage, ServerResponse } from 'node:http';
import polka, { type Polka } from 'polka';
import type { Signups } from '../subscribers/provider.ts';
import type { VoteStore } from '../votes/store.ts';
import { clientAddress } from './client.ts';
import { Refusal, sendError } from './errors.ts';
import { takeVote } from './feedback.ts';
import { fileServer, withinBase } from './files.ts';
import { readiness } from './health.ts';
import { type Rate, rateLimit } from './limits.ts';
import { type BuildFollower, basePathOf, type LiveBuild } from './live-build.ts';
import { addMcp, type McpParts, takeMessage } from './mcp.ts';
import { corsHeaders, originPolicy } from './origin.ts';
import { limited, type PostParts, postRoute, type Take } from './posts.ts';
import type { ServerLog } from './request-log.ts';
import { takeSignup } from './subscribe.ts';
import { parseTarget } from './target.ts';

/** The parts of the runtime. */
export interface AppParts {
  follower: BuildFollower;
  votes: VoteStore;
  signups: Signups;
  log: ServerLog;
  settings: {
    host: string;
    trustProxy: number;
    allowOrigin: readonly string[];
    voteRate: Rate;
    signupRate: Rate;
    mcpRate: Rate;
    refusedRate: Rate;
  };
}

type Handler = (request: IncomingMessage, response: ServerResponse) => void;

/**
 * The runtime: answers every request.
 *
 * Files that are in memory and messages of MCP are answered before the router: it would cost as much again. Every error under /api is an
 * Error object.
 */
export function createApp({ follower, votes, signups, log, settings }: AppParts): Handler {
  const files = fileServer();
  const parts: PostParts = {
    follower,
    files,
    origins: originPolicy(settings.allowOrigin, settings.host),
    refused: rateLimit('refused', settings.refusedRate),
    trustProxy: settings.trustProxy,
    log: log.log,
  };
  const limits = { votes: rateLimit('votes', settings.voteRate), signups: rateLimit('signups', settings.signupRate) };
  const vote: Take = (fields, address) => takeVote(fields, address, { votes, follower, limit: limits.votes });
  const signup: Take = (fields, address) => takeSignup(fields, address, { signups, limit: limits.signups });

  const router = polka({
    onError(error, request, response) {
      log.log.error(
        { err: error, method: request.method, path: request.path },
        'a request failed by a fault of the service',
      );
      if (response.headersSent) response.destroy();
      else sendError(response, 'internal', 'The service failed. The fault is logged.');
    },
    onNoMatch: (request, response) => serveFile(request, response),
  });
  router.get('/healthz', (request, response) =>
    sendHealth(request, response, 200, { status: 'ok', build: follower.current().info.id }),
  );
  const ready = readiness(
    [
      { name: 'votes', check: () => votes.check() },
      { name: 'signups', check: () => signups.check() },
    ],
    log.log,
  );
  router.get('/readyz', async (request, response) => {
    const { ready: isReady, checks } = await ready();
    const body = { status: isReady ? 'ok' : 'unavailable', build: follower.current().info.id, checks };
    sendHealth(request, response, isReady ? 200 : 503, body);
  });
  const mounts = mountsOf(follower.current());
  const mcpParts: McpParts = { ...parts, messages: rateLimit('messages', settings.mcpRate) };
  const mcpEndpoints = new Set(mounts.map((mount) => `${mount}/api/mcp`));
  for (const mount of mounts) {
    addPost(router, `${mount}/api/feedback`, postRoute(parts, vote, 'thanks/vote'), parts);
    addPost(router, `${mount}/api/subscribe`, postRoute(parts, signup, 'thanks/sign-up'), parts);
    addMcp(router, mount, mcpParts);
  }

  async function serveFile(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const build = follower.current();
    const target = parseTarget(request.url ?? '/');
    const path = target === null ? null : withinBase(build, target.path);
    const inApi = mounts.some((mount) => `${target?.path}/`.startsWith(`${mount}/api/`));
    if (request.method === 'OPTIONS') return answerPreflight(response);
    if (request.method !== 'GET' && request.method !== 'HEAD') {
      const exists = target !== null && (await files.exists(build, target));
      if (!exists && inApi) return sendError(response, 'not_found', notFoundMessage(path), readCors);
      if (!exists) return files.page(request, response, build, { path: '404.html', status: 404 });
      if (inApi)
        return sendError(response, 'method_not_allowed', 'This address takes GET and HEAD.', { allow: readMethods });
      response
        .writeHead(405, { allow: readMethods, 'content-type': 'text/plain; charset=utf-8' })
        .end('Method not allowed\n');
      return;
    }
    if (target?.path === '/' && path === null) {
      response
        .writeHead(302, { location: `${build.basePath}/`, 'cache-control': 'no-store', 'content-length': 0 })
        .end();
      return;
    }
    if (target !== null && (await files.serve(request, response, build, target))) return;
    // What is missing here may be in a build that came a moment ago, as may the files of one whose folder is gone.
    await follower.refresh();
    const next = follower.current();
    if (next !== build && target !== null && (await files.serve(request, response, next, target))) return;
    if (inApi) sendError(response, 'not_found', notFoundMessage(path), readCors);
    else await files.page(request, response, next, { path: '404.html', status: 404 });
  }

  /** Without `next`, polka runs its own chain and catches what a handler throws. */
  const route = router.handler as unknown as Handler;

  return (request, response) => {
    const begun = Date.now();
    const target = parseTarget(request.url ?? '/');
    const path = target?.path ?? '*';
    const isRead = request.method === 'GET' || request.method === 'HEAD';
    if (isRead && target !== null && files.serveFromMemory(request, response, follower.current(), target)) {
      log.request(request, response, path, begun);
      return;
    }
    response.once('close', () => log.request(request, response, path, begun));
    if (request.method === 'POST' && mcpEndpoints.has(path)) {
      takeMessage(request, response, mcpParts).catch((error) => {
        log.log.error({ err: error, path }, 'an MCP request failed by a fault of the service');
        response.destroy();
      });
      return;
    }
    if (target !== null) request.url = target.path + (target.version === null ? '' : `?v=${target.version}`);
    route(request, response);
  };
}

const readMethods = 'GET, HEAD, OPTIONS';
const readCors = { 'access-control-allow-origin': '*' };

/** The paths under which the API is: the runtime's and, where it differs, that of the base URL. */
function mountsOf({ info, basePath }: LiveBuild): string[] {
  return [...new Set([basePath, ...(info.runtimeUrl === null ? [] : [basePathOf(info.runtimeUrl)])])];
}

function addPost(router: Polka, path: string, post: ReturnType<typeof postRoute>, parts: PostParts): void {
  const { origins, follower } = parts;
  router.post(path, post);
  router.options(path, async (request, response) => {
    try {
      const origin = origins.check(request, follower.current().info);
      response.writeHead(204, {
        ...corsHeaders(origin),
        allow: 'POST, OPTIONS',
        'access-control-allow-methods': 'POST',
        'access-control-allow-headers': 'Content-Type',
        'access-control-max-age': '86400',
      });
      response.end();
    } catch (error) {
      await sendRefusal(request, response, error, parts);
    }
  });
  router.all(path, async (request, response) => {
    const refusal = new Refusal('method_not_allowed', 'This address takes POST.', { allow: 'POST, OPTIONS' });
    await sendRefusal(request, response, refusal, parts);
  });
}

async function sendRefusal(
  request: IncomingMessage,
  response: ServerResponse,
  error: unknown,
  parts: PostParts,
): Promise<void> {
  if (!(error instanceof Refusal)) throw error;
  const { code, message, headers } = await limited(error, parts.refused, clientAddress(request, parts.trustProxy));
  sendError(response, code, message, headers);
}

function sendHealth({ method }: IncomingMessage, response: ServerResponse, status: number, value: object): void {
  const body = JSON.stringify(value);
  response.writeHead(status, {
    'content-type': 'application/json',
    'content-length': body.length,
    'cache-control': 'no-store',
  });
  response.end(method === 'HEAD' ? undefined : body);
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
    : 'There is nothing at this address; /api/openapi.json lists what there is.';
}
