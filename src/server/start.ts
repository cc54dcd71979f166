import { randomBytes } from 'node:crypto';
import type { RequestListener } from 'node:http';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Logger } from 'pino';
import { openSubscribers } from '../mail/subscribers.ts';
import { openVoteLog } from '../storage/file-votes.ts';
import type { Database } from '../storage/postgres.ts';
import type { VoteStore } from '../storage/vote.ts';
import { createApp } from './app.ts';
import { openConsent } from './forms.ts';
import { HttpServer } from './http-server.ts';
import { sharedLimits } from './limits.ts';
import type { SiteRules } from './live-build.ts';
import { type BuildFollower, followBuild } from './live-build.ts';
import type { ServerLog } from './log.ts';
import type { Metrics } from './metrics.ts';
import type { ServerSettings } from './settings.ts';

/** A server that listens. */
export interface RunningServer {
  /** The address of the publication on this machine, with a slash at its end. */
  address: string;
  /** Whether the build that was loaded at the start is a preview. */
  isPreview: boolean;
  /** Opens new log files after the old ones were renamed for rotation. */
  reopen(): Promise<void>;
  /** After `drain` seconds, finishes the answers in progress, accepts nothing new and closes the logs, within ten seconds. */
  close(): Promise<void>;
}

/** What a server needs besides its settings. */
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
export async function startServer(settings: ServerSettings, options: StartOptions): Promise<RunningServer> {
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
    const consent = await openConsent(settings, subscribers, { follower, log: log.log });
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
      address,
      isPreview: info.preview,
      async close() {
        isStopping = true;
        await sleep(settings.drain * 1_000);
        await close();
      },
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
  const { openServerDatabase } = await import('../storage/migrate.ts');
  return openServerDatabase({ url, connections, warn: (message) => log.warn(message) });
}

async function openVotes(
  { votes: file }: ServerSettings,
  database: Database | null,
  log: Logger,
  metrics: Metrics | undefined,
): Promise<VoteStore> {
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
