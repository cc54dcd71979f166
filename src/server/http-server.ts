import { createServer, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Logger } from 'pino';
import { OperationError } from '../errors.ts';
import { endStalled, limitConnections } from './connections.ts';
import { sendEarlyError } from './errors.ts';
import { hostProblem } from './host.ts';
import { Turns } from './pipelining.ts';
import type { ServerSettings } from './settings.ts';
import { answerUnparsed } from './unparsed.ts';

/** How long requests under way may take after the server was asked to stop, in milliseconds. */
const drainMs = 7_000;

/** How long a client may take to send its headers, a whole request, and its next request, in milliseconds. */
const timeouts = {
  headersTimeout: 10_000,
  requestTimeout: 20_000,
  keepAliveTimeout: 30_000,
  connectionsCheckingInterval: 1_000,
};

/** Node's HTTP server with guarded connections. It answers 503 until it gets a handler, and ends in an orderly way. */
export class HttpServer {
  readonly #settings: ServerSettings;
  readonly #turns: Turns;
  readonly #server: Server;
  #stopping = false;
  #handle: RequestListener = (request, response) => {
    sendEarlyError(request, response, 'unavailable', 'The server is starting.', { 'retry-after': '1' });
  };

  constructor(settings: ServerSettings, log: Logger, stalledMs: number) {
    this.#settings = settings;
    this.#turns = new Turns((request, response) => {
      if (this.#stopping) response.setHeader('connection', 'close');
      const problem = hostProblem(request);
      if (problem === null) this.#handle(request, response);
      else sendEarlyError(request, response, 'bad_request', problem, { connection: 'close' });
    });
    // Node would refuse a request without Host itself, without an Error object.
    this.#server = createServer({ ...timeouts, requireHostHeader: false }, this.#turns.listener);
    this.#server.on('checkExpectation', this.#turns.listener);
    endStalled(this.#server, stalledMs);
    const perClient = settings.trustProxy === 0 ? settings.maxClientConnections : 0;
    limitConnections(this.#server, { total: settings.maxConnections, perClient }, log);
    answerUnparsed(this.#server, this.#turns);
  }

  /** Resolves with the port. Rejects with OperationError if the address cannot be listened on. */
  async listen(): Promise<number> {
    const { port, host } = this.#settings;
    await new Promise<void>((done, failed) => {
      this.#server.once('error', (error: NodeJS.ErrnoException) => failed(explainListening(error, this.#settings)));
      this.#server.listen(port, host, done);
    });
    return (this.#server.address() as AddressInfo).port;
  }

  /** Answers all requests from now on with `handle`. */
  serve(handle: RequestListener): void {
    this.#handle = handle;
  }

  /** Finishes the answers under way and accepts nothing new. Resolves within eight seconds. */
  async close(): Promise<void> {
    this.#stopping = true;
    // Otherwise their connections would stay open for a next request and delay the end.
    for (const response of this.#turns.underWay) {
      if (!response.headersSent) response.setHeader('connection', 'close');
    }
    const closed = new Promise((done) => this.#server.close(done));
    this.#server.closeIdleConnections();
    const deadline = setTimeout(() => this.#server.closeAllConnections(), drainMs);
    await closed;
    clearTimeout(deadline);
  }
}

function explainListening(error: NodeJS.ErrnoException, { port, host }: ServerSettings): Error {
  switch (error.code) {
    case 'EADDRINUSE':
      return new OperationError(
        `Port ${port} of ${host} is already in use. Choose another one with --port, or 0 for any free port.`,
      );
    case 'EACCES':
      return new OperationError(
        `This user may not listen on port ${port} of ${host}. Choose a port above 1023 with --port.`,
      );
    case 'ENOTFOUND':
    case 'EAI_AGAIN':
    case 'EADDRNOTAVAIL':
      return new OperationError(`${host} is not an address of this machine. Choose one with --host.`);
    default:
      return error;
  }
}
