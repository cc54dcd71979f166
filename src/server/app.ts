import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import polka, { type IError, type Request, type Response } from 'polka';
import type { SubscriberStore } from '../mail/provider.ts';
import type { VoteStore } from '../storage/vote.ts';
import { sendEarlyError } from './errors.ts';
import { Files } from './files.ts';
import { originPolicy, type PostParts, postRoutes, type Take, takeSubscription, takeVote } from './forms.ts';
import { healthRoutes } from './health.ts';
import type { SharedLimits } from './limits.ts';
import { type Rate, rateLimit } from './limits.ts';
import { type BuildFollower, basePathOf, type LiveBuild } from './live-build.ts';
import type { ServerLog } from './log.ts';
import { requestId } from './log.ts';
import { mcpRoutes } from './mcp/http.ts';
import type { Metrics } from './metrics.ts';
import { siteHandler } from './site.ts';
import type { Consent } from './subscriptions.ts';
import { subscriptionRoutes } from './subscriptions.ts';
import type { Route } from './target.ts';
import { parseTarget, type Target } from './target.ts';

/** The parts of the server. */
export interface AppParts {
  follower: BuildFollower;
  votes: VoteStore;
  subscribers: SubscriberStore;
  /** What the links in mails need; null without mails. */
  consent: Consent | null;
  log: ServerLog;
  /** @default each limit counts in the memory of this process */
  limits?: SharedLimits | undefined;
  metrics?: Metrics | undefined;
  /** Whether the server is about to stop, and should get no new clients. @default never */
  isStopping?: () => boolean;
  settings: {
    host: string;
    trustProxy: number;
    allowOrigin: readonly string[];
    voteRate: Rate;
    subscribeRate: Rate;
    mcpRate: Rate;
    refusedRate: Rate;
  };
}

interface ParsedRequest extends IncomingMessage {
  _parsedUrl: Target;
}

/**
 * Answers every request: files in memory first, then the routes, then other files of the build.
 *
 * Reads of files in memory do not pass through the router, which would add a tenth to what they cost.
 */
export function createApp(app: AppParts): RequestListener {
  const { follower, log, metrics } = app;
  const files = new Files();
  const mounts = mountsOf(follower.current());
  const router = polka({ onError: answerBug(log), onNoMatch: siteHandler({ follower, files, mounts }) });
  // The target was parsed before the request came to the router.
  router.parse = (request) => (request as ParsedRequest)._parsedUrl;
  for (const [method, path, handler] of routes(app, files, mounts)) {
    // A path as text would also match in another case, and with a slash at its end.
    const exactly = new RegExp(`^${path.replace(/[$()*+.?[\\\]^{|}]/g, '\\$&')}$`);
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
    if (files.serveFromMemory(request, response, follower.current(), target)) {
      answered(request, response, target.pathname, begun);
    } else {
      response.on('close', () => answered(request, response, target.pathname, begun));
      (request as ParsedRequest)._parsedUrl = target;
      route(request, response);
    }
  };
}

/** The table of routes: those for monitoring, and below each mount those that accept a body. */
function routes(
  { follower, votes, subscribers, consent, log, settings, limits: shared, isStopping }: AppParts,
  files: Files,
  mounts: readonly string[],
): Route[] {
  const parts: PostParts = {
    follower,
    files,
    origins: originPolicy(settings.allowOrigin, settings.host),
    refused: rateLimit('refused', settings.refusedRate, shared),
    trustProxy: settings.trustProxy,
    log: log.log,
  };
  const limits = {
    votes: rateLimit('votes', settings.voteRate, shared),
    subscribers: rateLimit('subscriptions', settings.subscribeRate, shared),
  };
  // Reading needs no database, so messages are counted by each server.
  const messages = rateLimit('messages', settings.mcpRate);
  const vote: Take = (fields, address) => takeVote(fields, address, { votes, follower, limit: limits.votes });
  const subscription: Take = (fields, address) =>
    takeSubscription(fields, address, {
      subscribers,
      confirmations: consent?.confirmations ?? null,
      limit: limits.subscribers,
    });
  return [
    ...healthRoutes({ follower, votes, subscribers, log: log.log, isStopping }),
    ...mounts.flatMap((mount) => [
      ...postRoutes(`${mount}/api/feedback`, { take: vote, thanks: 'thanks/vote' }, parts),
      ...postRoutes(`${mount}/api/subscribe`, { take: subscription, thanks: 'thanks/sign-up' }, parts),
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
