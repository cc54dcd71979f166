import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Logger } from 'pino';
import { OperationError } from '../diagnostics.ts';
import { createApp } from './app.ts';
import { readBuildInfo } from './build-info.ts';
import type { ServerSettings } from './settings.ts';

/** A server that listens. */
export interface RunningServer {
  /** Where the publication is on this machine, with a slash at its end. */
  address: string;
  /** Answers what is under way, takes nothing new, and resolves when all connections are closed: in ten seconds at most. */
  close(): Promise<void>;
}

/** How long requests under way may take after a stop was asked for, in milliseconds. */
const drainMs = 8_000;

/**
 * Listens, then calls `prepare` with the port, then serves the build in `dist`. Requests that come before get 503.
 *
 * Rejects with OperationError when the port is taken or there is no build, and with what `prepare` throws; the port is
 * then free again.
 */
export async function startServer(
  settings: ServerSettings,
  log: Logger,
  prepare: (port: number) => void,
): Promise<RunningServer> {
  let handle: RequestListener = (_request, response) => {
    response.writeHead(503, { 'retry-after': '1', 'content-type': 'text/plain; charset=utf-8' }).end('Starting\n');
  };
  const server = createServer((request, response) => handle(request, response));
  await new Promise<void>((done, failed) => {
    server.once('error', (error: NodeJS.ErrnoException) => failed(explainListening(error, settings)));
    server.listen(settings.port, settings.host, done);
  });
  try {
    const { port } = server.address() as AddressInfo;
    prepare(port);
    const app = createApp({ dist: settings.dist, log });
    handle = app.handler as unknown as RequestListener;
    const build = readBuildInfo(settings.dist);
    const address = `http://${hostForPeople(settings.host)}:${port}${new URL(build.baseUrl).pathname.replace(/\/?$/, '/')}`;
    log.info({ address, build: build.id }, 'serving');
    return { address, close };
  } catch (error) {
    await close();
    throw error;
  }

  async function close(): Promise<void> {
    const closed = new Promise((done) => server.close(done));
    server.closeIdleConnections();
    const deadline = setTimeout(() => server.closeAllConnections(), drainMs);
    await closed;
    clearTimeout(deadline);
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
    case 'EADDRNOTAVAIL':
      return new OperationError(`${host} is no address of this machine. Name one with --host.`);
    default:
      return error;
  }
}
