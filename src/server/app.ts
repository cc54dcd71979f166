import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Logger } from 'pino';
import type { IError, Middleware, Request, Response } from 'polka';
import polka from 'polka';
import type { SubscriberStore } from '../mail/provider.ts';
import type { VoteStore } from '../storage/vote.ts';
import { serveFromMemory, siteHandler } from './files.ts';
import {
  type Consent,
  originPolicy,
  type PostParts,
  postRoutes,
  subscriptionRoutes,
  takeSubscription,
  takeVote,
} from './forms.ts';
import { answerReadPreflight, literally, parseTarget, type Route, refuseMethod, sendEarlyError } from './http.ts';
import { rateLimit, type SharedLimits } from './limits.ts';
import { type BuildFollower, basePathOf, type LiveBuild } from './live-build.ts';
import { requestId, type ServerLog } from './log.ts';
import { mcpRoutes } from './mcp/http.ts';
import type { Metrics } from './metrics.ts';
import type { ServerSettings } from './settings.ts';

/** The body of /readyz: which checks pass. */
interface Readiness {
  ready: boolean;
  checks: Record<string, 'ok' | 'failing'>;
}

/** How long a result is reused, in milliseconds, so that frequent requests do not load the disk. */
const reuseMs = 1_000;

/** How long a check may take, in milliseconds, so that a disk that hangs fails it. */
const patienceMs = 3_000;

/** The routes for monitoring: whether the server runs, and whether it can store votes and subscriptions. */
function healthRoutes({ follower, votes, subscribers, log: { log }, isStopping = () => false }: AppParts): Route[] {
  const checks = readiness({ votes: () => votes.check(), subscribers: async () => subscribers.check?.() }, log);
  const build = () => follower.current().info.id;
  return [
    ...readRoutes('/healthz', (_request, response) => send(response, 200, { status: 'ok', build: build() })),
    ...readRoutes('/readyz', async (_request, response) => {
      const { ready, checks: results } = await checks();
      const status = isStopping() ? 'stopping' : ready ? 'ok' : 'unavailable';
      send(response, status === 'ok' ? 200 : 503, { status, build: build(), checks: results });
    }),
  ];
}

function readRoutes(path: string, handler: Middleware): Route[] {
  return [
    ['GET', path, handler],
    ['OPTIONS', path, (_request, response) => answerReadPreflight(response)],
    ['ALL', path, (_request, response) => refuseMethod(response)],
  ];
}

function send(response: Response, status: number, value: object): void {
  const body = JSON.stringify(value);
  response.writeHead(status, {
    'content-type': 'application/json',
    'content-length': body.length,
    'cache-control': 'no-store',
  });
  response.end(body);
}

/**
 * Runs the checks, which reject with a reason that is logged but never sent, and remembers the result for a second. Logs
 * when a check begins to fail and when it passes again.
 */
function readiness(checks: Record<string, () => Promise<void>>, log: Logger): () => Promise<Readiness> {
  const failing = new Set<string>();
  let last: { at: number; result: Promise<Readiness> } | undefined;

  async function run(name: string, check: () => Promise<void>): Promise<void> {
    try {
      await inTime(check());
      if (failing.delete(name)) log.info({ check: name }, 'a health check passes again');
    } catch (error) {
      if (!failing.has(name)) log.error({ err: error, check: name }, 'a health check fails');
      failing.add(name);
    }
  }

  async function runAll(): Promise<Readiness> {
    await Promise.all(Object.entries(checks).map(([name, check]) => run(name, check)));
    const results = Object.keys(checks).map((name) => [name, failing.has(name) ? 'failing' : 'ok']);
    return { ready: failing.size === 0, checks: Object.fromEntries(results) };
  }

  return () => {
    const now = performance.now();
    if (last === undefined || now - last.at > reuseMs) last = { at: now, result: runAll() };
    return last.result;
  };
}

async function inTime(work: Promise<void>): Promise<void> {
  const late = sleep(patienceMs, null, { ref: false }).then(() => {
    throw new Error(`The check took more than ${patienceMs} ms.`);
  });
  await Promise.race([work, late]);
}

/** The parts of the server. */
export interface AppParts {
  follower: BuildFollower;
  votes: VoteStore;
  subscribers: SubscriberStore;
  /** What the links in emails need; null without emails. */
  consent: Consent | null;
  log: ServerLog;
  /** @default each limit counts in the memory of this process */
  limits?: SharedLimits | undefined;
  metrics?: Metrics | undefined;
  /** Whether the server is about to stop, and should get no new clients. @default never */
  isStopping?: () => boolean;
  settings: Pick<
    ServerSettings,
    'host' | 'trustProxy' | 'allowOrigin' | 'voteRate' | 'subscribeRate' | 'mcpRate' | 'refusedRate'
  >;
}

/**
 * Answers every request: files in memory first, then the routes, then other files of the build.
 *
 * Reads of files in memory do not pass through the router, which would add a tenth to what they cost.
 */
export function createApp(app: AppParts): RequestListener {
  const { follower, log, metrics } = app;
  const mounts = mountsOf(follower.current());
  const router = polka({ onError: answerBug(log), onNoMatch: siteHandler(follower, mounts) });
  // Polka's own parser does not know targets in absolute form.
  router.parse = ({ url = '/' }) => parseTarget(url);
  for (const [method, path, handler] of routes(app, mounts)) {
    // A path as text would also match in another case, and with a slash at its end.
    const exactly = new RegExp(`^${literally(path)}$`);
    if (method === 'ALL') router.all(exactly, handler);
    else router.add(method, exactly, handler);
  }
  // Polka's types ask for the third argument, which it fills itself.
  const route = router.handler as RequestListener;
  const answered = (request: IncomingMessage, response: ServerResponse, path: string, begun: number) => {
    log.request(request, response, path, begun);
    metrics?.request(path, response.statusCode, Date.now() - begun);
  };
  return (request, response) => {
    const begun = Date.now();
    const target = parseTarget(request.url ?? '/');
    requestId(request, app.settings.trustProxy);
    if (serveFromMemory(request, response, follower.current(), target)) {
      answered(request, response, target.pathname, begun);
    } else {
      response.on('close', () => answered(request, response, target.pathname, begun));
      route(request, response);
    }
  };
}

/** The table of routes: those for monitoring, and below each mount those that accept a body. */
function routes(app: AppParts, mounts: readonly string[]): Route[] {
  const { follower, votes, subscribers, consent, log, settings, limits: shared } = app;
  const parts: PostParts = {
    follower,
    origins: originPolicy(settings.allowOrigin, settings.host),
    refused: rateLimit('refused', settings.refusedRate, shared),
    trustProxy: settings.trustProxy,
    log: log.log,
  };
  // Reading needs no database, so messages are counted by each server.
  const messages = rateLimit('messages', settings.mcpRate);
  const vote = takeVote({ votes, follower, limit: rateLimit('votes', settings.voteRate, shared) });
  const subscription = takeSubscription({
    subscribers,
    confirmations: consent?.confirmations ?? null,
    limit: rateLimit('subscriptions', settings.subscribeRate, shared),
  });
  return [
    ...healthRoutes(app),
    ...mounts.flatMap((mount) => [
      ...postRoutes(`${mount}/api/feedback`, vote, 'thanks/vote', parts),
      ...postRoutes(`${mount}/api/subscribe`, subscription, 'thanks/sign-up', parts),
      ...subscriptionRoutes(mount, { consent, ...parts }),
      ...mcpRoutes(`${mount}/api/mcp`, { ...parts, messages }),
    ]),
  ];
}

/** Logs a bug in a handler and answers 500, if the answer has not begun. */
function answerBug({ log }: ServerLog) {
  return (error: string | IError, request: Request, response: Response): void => {
    const { method, path } = request;
    log.error(
      { err: error, method, path, request: requestId(request) },
      'a request failed because of a bug in the server',
    );
    if (response.headersSent) response.destroy();
    else sendEarlyError(request, response, 'internal', 'The server failed. The error is in its log.');
  };
}

/** The paths that the API is served below: that of the base URL and, if different, that of `runtimeUrl`. */
function mountsOf({ info, basePath }: LiveBuild): string[] {
  return [...new Set([basePath, ...(info.runtimeUrl === null ? [] : [basePathOf(info.runtimeUrl)])])];
}
