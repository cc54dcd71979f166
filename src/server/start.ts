import { randomBytes } from 'node:crypto';
import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { OperationError } from '../errors.ts';
import { openSignups } from '../subscribers/open.ts';
import { openVoteLog } from '../votes/jsonl.ts';
import { createApp } from './app.ts';
import { endStalled, inTurn, limitConnections } from './connections.ts';
import { sendError } from './errors.ts';
import type { SiteRules } from './file-cache.ts';
import { hostProblem } from './host.ts';
import { followBuild } from './live-build.ts';
import type { ServerLog } from './request-log.ts';
import type { ServerSettings } from './settings.ts';
import { answerUnparsed } from './unparsed.ts';

/** A server that listens. */
export interface RunningServer {
  /** Where the publication is on this machine, with a slash at its end. */
  address: string;
  /** Opens the logs anew, after they were renamed for rotation. */
  reopen(): Promise<void>;
  /** Answers what is under way, takes nothing new, closes the logs. Resolves in ten seconds at most. */
  close(): Promise<void>;
}

/** What a server needs besides its settings. */
export interface StartOptions {
  log: ServerLog;
  rules: SiteRules;
  /** Is called with the port before the build is read. It may make the build. */
  prepare?: (port: number) => void;
  /** How long a client may take no byte of an answer, in milliseconds. @default 30000 */
  stalledMs?: number | undefined;
}

/** How long requests under way may take after a stop was asked for, in milliseconds. */
const drainMs = 7_000;

/** How long a client may take to send its headers, a whole request, the next request, in milliseconds. */
const timeouts = {
  headersTimeout: 10_000,
  requestTimeout: 20_000,
  keepAliveTimeout: 30_000,
  connectionsCheckingInterval: 1_000,
};

/** How long a client may take no byte of an answer, in milliseconds; at most twice as long, as it is looked at by a timer. */
const stalledMs = 30_000;

/**
 * Listens, opens the logs, then calls `prepare` with the port, then serves the build in `dist`. Requests that come before
 * get 503.
 *
 * Rejects with OperationError when the port or a log is taken or there is no build, and with what `prepare` throws.
 */
export async function startServer(
  settings: ServerSettings,
  { log, rules, prepare = () => {}, stalledMs: patienceMs = stalledMs }: StartOptions,
): Promise<RunningServer> {
  let stopping = false;
  let handle: RequestListener = (_request, response) => {
    sendError(response, 'unavailable', 'The service is starting.', { 'retry-after': '1' });
  };
  const turns = inTurn((request, response) => {
    if (stopping) response.setHeader('connection', 'close');
    const problem = hostProblem(request);
    if (problem !== null) return sendError(response, 'bad_request', problem, { connection: 'close' });
    handle(request, response);
  });
  const { listener, underWay } = turns;
  // What Node would refuse by itself, without an Error object, is refused here, or answered.
  const server = createServer({ ...timeouts, requireHostHeader: false }, listener);
  endStalled(server, patienceMs);
  const perClient = settings.trustProxy === 0 ? settings.maxClientConnections : 0;
  limitConnections(server, { total: settings.maxConnections, perClient }, log.log);
  server.on('checkExpectation', listener);
  answerUnparsed(server, turns);
  await new Promise<void>((done, failed) => {
    server.once('error', (error: NodeJS.ErrnoException) => failed(explainListening(error, settings)));
    server.listen(settings.port, settings.host, done);
  });

  const opened: { close(): Promise<void> | void }[] = [];
  const close = async () => {
    stopping = true;
    // Their connections would stay open after the answer, for a next request, and hold the end up.
    for (const response of underWay.values()) if (!response.headersSent) response.setHeader('connection', 'close');
    const closed = new Promise((done) => server.close(done));
    server.closeIdleConnections();
    const deadline = setTimeout(() => server.closeAllConnections(), drainMs);
    await closed;
    clearTimeout(deadline);
    for (const part of opened.reverse()) await part.close();
    log.flush();
  };
  try {
    const { port } = server.address() as AddressInfo;
    const warn = (message: string) => log.log.warn(message);
    const keep = <Part extends { close(): Promise<void> }>(part: Part): Part => {
      opened.push(part);
      return part;
    };
    // Both at once: each may wait some seconds for the lock of a process that cannot be seen from here.
    const opening = [
      openVoteLog({ file: settings.votes, now: () => new Date(), random: randomBytes, warn }).then(keep),
      openSignups(settings.signups, { file: join(settings.data, 'signups.jsonl'), log: log.log }).then(keep),
    ] as const;
    await Promise.allSettled(opening);
    const [votes, signups] = await Promise.all(opening);
    // Only the owner of the logs may change the build: it is what another server may be serving.
    prepare(port);
    const follower = await followBuild(settings.dist, rules, log.log);
    opened.push({ close: follower.stop });
    handle = createApp({ follower, votes, signups, log, settings });
    const { info, basePath } = follower.current();
    const address = `http://${hostForPeople(settings.host)}:${port}${basePath}/`;
    log.log.info({ address, build: info.id, signups: signups.provider }, 'serving');
    return {
      address,
      close,
      async reopen() {
        await votes.reopen();
        await signups.reopen();
        log.log.info('opened the logs anew');
      },
    };
  } catch (error) {
    await close();
    throw error;
  }
}

function hostForPeople(host: string): string {
  if (['127.0.0.1', '::1', '0.0.0.0', '::'].includes(host)) return 'localhost';
  return host.includes(':') ? `[${host}]` : host;
}

function explainListening(error: NodeJS.ErrnoException, { port, host }: ServerSettings): Error {
  switch (error.code) {
    case 'EADDRINUSE':
      return new OperationError(`Port ${port} of ${host} is taken. Name another with --port, or 0 for any free one.`);
    case 'EACCES':
      return new OperationError(
        `Port ${port} of ${host} may not be used by this user. Name one above 1023 with --port.`,
      );
    case 'ENOTFOUND':
    case 'EAI_AGAIN':
    case 'EADDRNOTAVAIL':
      return new OperationError(`${host} is no address of this machine. Name one with --host.`);
    default:
      return error;
  }
}
