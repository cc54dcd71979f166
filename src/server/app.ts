import { randomBytes } from 'node:crypto';
import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Logger } from 'pino';
import polka, { type IError, type Request, type Response } from 'polka';
import { explainSystemError } from '../lib/errors.ts';
import { Consent } from '../mail/consent.ts';
import type { SubscriberStore } from '../mail/provider.ts';
import { openSubscribers } from '../mail/subscribers.ts';
import { openVoteLog } from '../storage/file-votes.ts';
import type { Database } from '../storage/postgres.ts';
import type { VoteStore, VoteTotal } from '../storage/vote.ts';
import { type BuildFollower, followBuild, type SiteRules } from './build-follower.ts';
import { serveFromMemory, siteHandler } from './files.ts';
import { formRoutes, Gate } from './forms.ts';
import { literally, parseTarget, type Route, readCors, readRoutes, sendEarlyError, sendError } from './http.ts';
import { HttpServer } from './http-server.ts';
import { rateLimit, type SharedLimits, sharedLimits } from './limits.ts';
import { requestId, type ServerLog } from './log.ts';
import { mcpRoutes } from './mcp/http.ts';
import type { Metrics } from './metrics.ts';
import type { ServerSettings } from './settings.ts';

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
      const results = await checks();
      const isReady = !Object.values(results).includes('failing');
      const status = isStopping() ? 'stopping' : isReady ? 'ok' : 'unavailable';
      send(response, status === 'ok' ? 200 : 503, { status, build: build(), checks: results });
    }),
  ];
}

/** How many votes an agent needs before everyone may know them: with fewer, one reader would recognize another's vote. */
const fewestVotes = 5;

/** The totals of votes that pages show. They are counted at most once a minute, and if that takes long, less often. */
function totalsRoutes(path: string, { votes, follower, log: { log } }: AppParts): Route[] {
  let last: { until: number; totals: Promise<VoteTotal[]> } | undefined;
  const count = () => {
    const begun = performance.now();
    if (last !== undefined && begun < last.until) return last.totals;
    const counting = { until: Number.POSITIVE_INFINITY, totals: votes.totals() };
    const reuse = (ms: number) => {
      counting.until = performance.now() + ms;
    };
    counting.totals.then(
      () => reuse(Math.max(60_000, 20 * (performance.now() - begun))),
      () => reuse(reuseMs),
    );
    last = counting;
    return counting.totals;
  };
  return readRoutes(path, async (_request, response) => {
    try {
      const totals = new Map<string, { yes: number; no: number }>();
      for (const { slug: voted, yes, no } of await count()) {
        const slug = follower.current().mcp.slugOf(voted);
        const total = totals.get(slug ?? '') ?? { yes: 0, no: 0 };
        if (slug !== undefined) totals.set(slug, { yes: total.yes + yes, no: total.no + no });
      }
      const shown = [...totals].filter(([, { yes, no }]) => yes + no >= fewestVotes);
      const cors = { ...readCors, 'cache-control': 'public, max-age=60' };
      send(response, 200, { version: 1, totals: Object.fromEntries(shown) }, cors);
    } catch (error) {
      log.error({ err: error }, 'votes cannot be counted');
      sendError(response, 'unavailable', 'The votes cannot be counted right now.', {
        ...readCors,
        'retry-after': '30',
      });
    }
  });
}

function send(response: Response, status: number, value: object, headers: Record<string, string> = {}): void {
  const body = JSON.stringify(value);
  response.writeHead(status, {
    'content-type': 'application/json',
    'content-length': Buffer.byteLength(body),
    'cache-control': 'no-store',
    ...headers,
  });
  response.end(body);
}

/**
 * Runs the checks, which reject with a reason that is logged but never sent, and remembers for a second which ones pass. Logs
 * when a check begins to fail and when it passes again.
 */
function readiness(checks: Record<string, () => Promise<void>>, log: Logger) {
  const failing = new Set<string>();
  let last: { at: number; results: ReturnType<typeof runAll> } | undefined;

  async function run(name: string, check: () => Promise<void>): Promise<void> {
    try {
      await inTime(check());
      if (failing.delete(name)) log.info({ check: name }, 'a health check passes again');
    } catch (error) {
      if (!failing.has(name)) log.error({ err: error, check: name }, 'a health check fails');
      failing.add(name);
    }
  }

  async function runAll(): Promise<Record<string, 'ok' | 'failing'>> {
    await Promise.all(Object.entries(checks).map(([name, check]) => run(name, check)));
    return Object.fromEntries(Object.keys(checks).map((name) => [name, failing.has(name) ? 'failing' : 'ok']));
  }

  return () => {
    const now = performance.now();
    if (last === undefined || now - last.at > reuseMs) last = { at: now, results: runAll() };
    return last.results;
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
  /** The dependencies of the links in emails; null without emails. */
  consent: Consent | null;
  log: ServerLog;
  /** @default each limit counts in the memory of this process */
  limits?: SharedLimits | undefined;
  metrics?: Metrics | undefined;
  /** Whether the server is about to stop, and should get no new clients. @default never */
  isStopping?: () => boolean;
  settings: ServerSettings;
}

/**
 * Answers every request: files in memory first, then the routes, then other files of the build.
 *
 * Reads of files in memory do not pass through the router, which would add a tenth to what they cost.
 */
export function createApp(app: AppParts): RequestListener {
  const { follower, log, metrics } = app;
  /** The paths that the API is served below. The paths of earlier builds stay, for pages that are still open. */
  const mounts = new Set<string>();
  const router = polka({ onError: answerBug(log), onNoMatch: siteHandler(follower, mounts) });
  // Polka's own parser does not know targets in absolute form.
  router.parse = ({ url = '/' }) => parseTarget(url);
  const add = ([method, path, handler]: Route) => {
    // A path as text would also match in another case, and with a slash at its end.
    const exactly = new RegExp(`^${literally(path)}$`);
    if (method === 'ALL') router.all(exactly, handler);
    else router.add(method, exactly, handler);
  };
  healthRoutes(app).forEach(add);
  const below = routesBelow(app);
  const mount = (path: string) => {
    if (mounts.has(path)) return;
    mounts.add(path);
    below(path).forEach(add);
  };
  const answered = (request: IncomingMessage, response: ServerResponse, path: string, begun: number) => {
    const ms = performance.now() - begun;
    log.request(request, response, path, ms);
    metrics?.request(path, response.statusCode, ms);
  };
  return (request, response) => {
    const begun = performance.now();
    const target = parseTarget(request.url ?? '/');
    requestId(request, app.settings.trustProxy);
    if (serveFromMemory(request, response, follower.current(), target)) {
      answered(request, response, target.pathname, begun);
    } else {
      response.on('close', () => answered(request, response, target.pathname, begun));
      follower.current().mounts.forEach(mount);
      // Polka's types ask for the third argument, which it fills itself.
      (router.handler as RequestListener)(request, response);
    }
  };
}

/** Returns the table of routes below a path: those that accept a body, and the totals of votes. */
function routesBelow(app: AppParts): (mount: string) => Route[] {
  const { follower, log, settings, limits: shared } = app;
  const refused = rateLimit('refused', settings.refusedRate, shared);
  const gate = new Gate({ follower, refused, log: log.log, settings });
  // Reading needs no database, so messages are counted by each server.
  const messages = rateLimit('messages', settings.mcpRate);
  const voteLimit = rateLimit('votes', settings.voteRate, shared);
  const subscribeLimit = rateLimit('subscriptions', settings.subscribeRate, shared);
  return (mount) => [
    ...totalsRoutes(`${mount}/api/votes.json`, app),
    ...formRoutes(mount, { ...app, voteLimit, subscribeLimit }, gate),
    ...mcpRoutes(`${mount}/api/mcp`, gate, messages),
  ];
}

/** Logs why a handler failed, which is a bug unless the system refused it a file, and answers 500, if the answer has not begun. */
function answerBug({ log }: ServerLog) {
  return (error: string | IError, request: Request, response: Response): void => {
    const { method, path } = request;
    log.error(
      { err: error, method, path, request: requestId(request) },
      explainSystemError(error) ?? 'a request failed because of a bug in the server',
    );
    if (response.headersSent) response.destroy();
    else sendEarlyError(request, response, 'internal', 'The server failed. The error is in its log.');
  };
}

/** A server that listens. */
export type RunningServer = Awaited<ReturnType<typeof startServer>>;

/** The dependencies of a server, besides its settings. */
interface StartOptions {
  log: ServerLog;
  rules: SiteRules;
  /** Called with the port before the build is read. It may make the build. */
  prepare?: (port: number) => void | Promise<void>;
  /** Called with the port after `prepare`. Returns the build to serve. @default the one in `settings.dist` */
  follow?: (port: number) => Promise<BuildFollower>;
  /** Returns the handler of all requests, given the one for the build. */
  wrap?: (handle: RequestListener) => RequestListener;
  /** How long a client may go without reading a byte of an answer, in milliseconds. @default 30000 */
  stalledMs?: number | undefined;
}

/**
 * Listens, opens the logs, calls `prepare`, then serves the build in `settings.dist`. Earlier requests get 503.
 *
 * Rejects with OperationError if the port or a log is taken or there is no build, and with anything `prepare` throws.
 */
export async function startServer(settings: ServerSettings, options: StartOptions) {
  const { log, rules, prepare = () => {}, wrap = (handle) => handle, stalledMs = 30_000 } = options;
  const { follow = () => followBuild(settings.dist, rules, log.log) } = options;
  const server = new HttpServer(settings, log.log, stalledMs);
  const port = await server.listen();
  const opened: Closable[] = [];
  let isStopping = false;
  const close = async () => {
    await server.close();
    for (const part of opened.reverse()) await part.close();
    log.flush();
  };
  try {
    const metrics = await openMetrics(settings, log.log);
    if (metrics !== undefined) opened.push(metrics);
    const { votes, subscribers, database } = await openStores(settings, log.log, opened, metrics);
    // Only the owner of the logs may change the build: another server may be serving it.
    await prepare(port);
    const follower = await follow(port);
    opened.push({ close: follower.stop });
    const consent = await Consent.open(settings, subscribers, {
      title: () => follower.current().mcp.card.title,
      runtimeUrl: () => follower.current().info.runtimeUrl,
      log: log.log,
    });
    if (consent?.confirmations) opened.push(consent.confirmations);
    const limits = database === null ? undefined : sharedLimits(database, settings.limitFailure, log.log);
    metrics?.observe({
      build: () => follower.current().info.id,
      isDatabaseUp: database === null ? null : () => database.failure() === null,
    });
    const parts = { follower, votes, subscribers, consent, log, settings, limits, metrics };
    server.serve(wrap(createApp({ ...parts, isStopping: () => isStopping })));
    const { info, basePath } = follower.current();
    const address = `http://${hostForPeople(settings.host)}:${port}${basePath}/`;
    log.log.info({ address, build: info.id, subscribers: subscribers.name }, 'serving');
    return {
      /** The address of the publication on this machine, with a slash at its end. */
      address,
      /** Whether the build that was loaded at the start is a preview. */
      isPreview: info.preview,
      /** After `drain` seconds, finishes the answers in progress, accepts nothing new and closes the logs, within ten seconds. */
      async close() {
        isStopping = true;
        await sleep(settings.drain * 1_000);
        await close();
      },
      /** Opens new log files after the old ones were renamed for rotation. */
      async reopen() {
        await votes.reopen();
        await subscribers.reopen?.();
        log.log.info('opened new log files');
      },
    };
  } catch (error) {
    await close();
    throw error;
  }
}

interface Closable {
  close(): Promise<void> | void;
}

/** Opens both stores at once, since each may wait some seconds for the lock of a process on another machine. */
async function openStores(settings: ServerSettings, log: Logger, opened: Closable[], metrics?: Metrics) {
  const keep = <Store extends Closable>(store: Store): Store => {
    opened.push(store);
    return store;
  };
  const database = await openDatabase(settings, log);
  if (database !== null) opened.push(database);
  const opening = [
    openVotes(settings, database, log, metrics).then(keep),
    openSubscribers(settings.subscribers, { file: join(settings.data, 'signups.jsonl'), database, log }).then(keep),
  ] as const;
  await Promise.allSettled(opening);
  const [votes, subscribers] = await Promise.all(opening);
  return { votes: metrics?.counted(votes) ?? votes, subscribers, database };
}

/** Code for databases is only loaded if there is one. */
async function openDatabase(settings: ServerSettings, log: Logger): Promise<Database | null> {
  const { database: url, databaseConnections: connections } = settings;
  if (url === null) return null;
  const { openServerDatabase } = await import('../storage/postgres.ts');
  return openServerDatabase({ url, connections, warn: (message) => log.warn(message) });
}

async function openVotes({ votes: file }: ServerSettings, database: Database | null, log: Logger, metrics?: Metrics) {
  const tools = { now: () => new Date(), random: randomBytes, ...(metrics && { onPass: metrics.onPass }) };
  if (database === null) return openVoteLog({ ...tools, file, warn: (message) => log.warn(message) });
  const { openDatabaseVotes } = await import('../storage/database-votes.ts');
  return openDatabaseVotes({ ...tools, database });
}

/** The library for metrics is only loaded if there are any. */
async function openMetrics({ metrics: at }: ServerSettings, log: Logger): Promise<Metrics | undefined> {
  if (at === null) return undefined;
  const { startMetrics } = await import('./metrics.ts');
  const metrics = await startMetrics(at);
  log.info({ address: metrics.address }, 'serving metrics');
  return metrics;
}

function hostForPeople(host: string): string {
  if (['127.0.0.1', '::1', '0.0.0.0', '::'].includes(host)) return 'localhost';
  return host.includes(':') ? `[${host}]` : host;
}
