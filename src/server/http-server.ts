import {
  createServer,
  type IncomingMessage,
  type RequestListener,
  type Server,
  type ServerResponse,
  STATUS_CODES,
} from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import type { Logger } from 'pino';
import { OperationError } from '../lib/errors.ts';
import { type ErrorCode, errorCodes } from '../schema/requests.ts';
import { networkOf } from '../storage/vote.ts';
import { earlyErrorBody, sendEarlyError } from './http.ts';
import type { ServerSettings } from './settings.ts';

type Limits = Pick<ServerSettings, 'maxConnections' | 'maxClientConnections' | 'trustProxy'>;

/** How long to wait before refused connections are logged again, in milliseconds. */
const logMs = 60_000;

/**
 * Closes connections over the limits as soon as they open, and logs it at most once a minute. They are limited in total,
 * and from one client (C8.24) unless a proxy is trusted; 0: no limit.
 */
export function limitConnections(
  server: Server,
  { maxConnections: total, maxClientConnections, trustProxy }: Limits,
  log: Logger,
): void {
  const perClient = trustProxy === 0 ? maxClientConnections : 0;
  const open = new Map<string, number>();
  let logged = Number.NEGATIVE_INFINITY;
  const refused = (limit: number, message: string) => {
    if (performance.now() - logged < logMs) return;
    logged = performance.now();
    log.warn({ limit }, message);
  };
  if (total > 0) {
    server.maxConnections = total;
    server.on('drop', () => refused(total, 'connections over --max-connections are closed'));
  }
  if (perClient === 0) return;
  server.on('connection', (socket: Socket) => {
    const client = networkOf(socket.remoteAddress ?? '');
    const count = (open.get(client) ?? 0) + 1;
    if (count > perClient) {
      socket.destroy();
      refused(
        perClient,
        'connections of one client over --max-client-connections are closed; if it is a proxy, set --trust-proxy',
      );
      return;
    }
    open.set(client, count);
    socket.once('close', () => {
      const left = (open.get(client) ?? 1) - 1;
      if (left === 0) open.delete(client);
      else open.set(client, left);
    });
  });
}

/**
 * Closes connections whose client reads no byte of an answer between two checks, `stalledMs` apart. Unlike for
 * `server.timeout`, it does not help a client to send something meanwhile.
 */
function endStalled(server: Server, stalledMs: number): void {
  const pending = new Map<Socket, string>();
  server.on('connection', (socket: Socket) => {
    pending.set(socket, '');
    socket.once('close', () => pending.delete(socket));
  });
  const timer = setInterval(() => {
    for (const [socket, before] of pending) {
      const now = pendingOf(socket);
      if (now !== '' && now === before) socket.destroy();
      else pending.set(socket, now);
    }
  }, stalledMs);
  timer.unref();
  server.once('close', () => clearInterval(timer));
}

/** How much a connection still has to send, as a text to compare; empty if it has nothing to send. */
function pendingOf(socket: Socket & { _handle?: { writeQueueSize?: number } | null }): string {
  const { writableLength, bytesWritten, _handle } = socket;
  // Only the handle knows how much of a large write the system has accepted; Node's own timeouts read it too.
  return writableLength === 0 ? '' : `${writableLength} ${bytesWritten} ${_handle?.writeQueueSize}`;
}

/** A host with an optional port (RFC 3986, section 3.2.2): a name, an IPv4 address, or an IPv6 address in brackets. */
const hostPattern = /^(?:[a-z0-9._~!$&'()*+,;=%-]+|\[[0-9a-f:.]+\])(?::\d*)?$/i;

/** The problem with the Host of a request, as a sentence; null if it has none (RFC 9112, section 3.2). HTTP/1.0 needs no Host. */
function hostProblem({ headers: { host }, rawHeaders, httpVersion }: IncomingMessage): string | null {
  if (host === undefined) return httpVersion === '1.1' ? 'An HTTP/1.1 request needs a Host header.' : null;
  let count = 0;
  for (let index = 0; index < rawHeaders.length; index += 2) {
    const name = rawHeaders[index] as string;
    if (name.length === 4 && name.toLowerCase() === 'host') count += 1;
  }
  if (count > 1) return 'A request can have only one Host header.';
  return hostPattern.test(host) ? null : 'The Host header is not a host name or an address.';
}

/** How many requests may wait on a connection. The few clients that pipeline send fewer. */
const maxWaiting = 100;

/** Writes a refusal; `request` is the request that it answers, if the refused bytes are part of one's body. */
type WriteRefusal = (request?: IncomingMessage) => void;

/**
 * Answers the requests of a connection one at a time. A request that arrives before the previous answer was read
 * (pipelining) is handled once the system has accepted all of that answer.
 *
 * So a client that reads nothing makes the server hold one answer, however much it sends. Node reads at most 64 KB more
 * from it, and a client with more than `maxWaiting` requests in them is disconnected.
 */
export class Turns {
  readonly #handle: RequestListener;
  /**
   * The answer in progress on each connection, or null. An entry stays as long as its connection. If each request added and
   * deleted one, the map would often replace its table. Replaced tables keep their entries alive, which the garbage
   * collector would then copy for ten milliseconds at a time.
   */
  readonly #inProgress = new Map<Socket, ServerResponse | null>();
  readonly #waiting = new WeakMap<Socket, ServerResponse[]>();
  /** The last answer on each connection that was given before all of its request's body had arrived. */
  readonly #answeredEarly = new WeakMap<Socket, ServerResponse>();
  readonly #refusals = new WeakMap<Socket, WriteRefusal>();

  constructor(handle: RequestListener) {
    this.#handle = handle;
  }

  /** The answers in progress, at most one for each connection. */
  get inProgress(): ServerResponse[] {
    return [...this.#inProgress.values()].filter((response) => response !== null);
  }

  /** Takes a request from Node's server. */
  readonly listener: RequestListener = (request, response) => {
    const { socket } = request;
    if (socket.destroyed) return;
    if (response.socket === null) this.#wait(request, response);
    else this.#answer(request, response);
  };

  /**
   * Ends a connection that sent bytes that are no request, with the refusal that `write` sends after the answers to
   * earlier requests. If the bytes are in the body of a request, that request is refused instead of being answered; if
   * its answer has begun, the connection ends without a refusal.
   */
  refuse(socket: Socket, write: WriteRefusal): void {
    if (this.#refusals.has(socket)) return;
    this.#refusals.set(socket, write);
    const last = this.#lastOn(socket);
    const isAnswered = last === undefined || last.writableEnded;
    if (last === undefined || last.req.complete) {
      if (isAnswered) write();
      else last.once('finish', () => write());
    } else if (isAnswered) socket.end();
    else if (last.headersSent) last.once('finish', () => socket.end());
    // A request that waits is refused when its turn comes.
    else if (last.socket !== null) write(last.req);
  }

  /** Whether a connection still has to get an answer, or the rest of one. */
  owes(socket: Socket): boolean {
    const last = this.#lastOn(socket);
    return last !== undefined && !last.writableEnded;
  }

  #wait(request: IncomingMessage, response: ServerResponse): void {
    const { socket } = request;
    const queue = this.#waiting.get(socket) ?? [];
    if (queue.length >= maxWaiting) {
      socket.destroy();
      return;
    }
    queue.push(response);
    this.#waiting.set(socket, queue);
    // Node gives a response its socket when its turn comes.
    response.once('socket', () => {
      queue.shift();
      if (socket.destroyed) return;
      const refusal = this.#refusals.get(socket);
      if (refusal !== undefined && !request.complete) refusal(request);
      else this.#answer(request, response);
    });
  }

  #answer(request: IncomingMessage, response: ServerResponse): void {
    const { socket } = request;
    this.#handle(request, response);
    if (!response.writableEnded) {
      if (!this.#inProgress.has(socket)) socket.once('close', () => this.#inProgress.delete(socket));
      this.#inProgress.set(socket, response);
      response.on('close', () => {
        if (this.#inProgress.get(socket) === response) this.#inProgress.set(socket, null);
        if (!request.complete) this.#answeredEarly.set(socket, response);
      });
    } else if (hasBody(request)) this.#answeredEarly.set(socket, response);
  }

  #lastOn(socket: Socket): ServerResponse | undefined {
    return this.#waiting.get(socket)?.at(-1) ?? this.#inProgress.get(socket) ?? this.#answeredEarly.get(socket);
  }
}

function hasBody({ headers }: IncomingMessage): boolean {
  return headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0;
}

type ParserError = NodeJS.ErrnoException & { rawPacket?: Buffer; bytesParsed?: number };

/** Answers with an error where Node emits no request, or not all of it arrives: for malformed or slow HTTP, and for CONNECT. */
export function answerUnparsed(server: Server, turns: Turns): void {
  server.on('clientError', (error: ParserError, socket: Socket) => {
    if (error.code === 'ECONNRESET' || !socket.writable) {
      socket.destroy();
      return;
    }
    turns.refuse(socket, (request) => {
      const isHead = request === undefined ? mayBeHead(error) : request.method === 'HEAD';
      endWith(socket, ...refusalOf(error), { isHead, request });
    });
  });
  server.on('connect', (request) => {
    const { socket } = request;
    socket.on('error', () => socket.destroy());
    // Node's server has let go of this socket: it would neither finish an answer on it nor close it.
    if (turns.owes(socket)) {
      socket.destroySoon();
      return;
    }
    socket.once('finish', () => socket.destroy());
    endWith(socket, 'method_not_allowed', 'This server is not a proxy.', {
      headers: 'Allow: GET, HEAD, POST, OPTIONS\r\n',
    });
  });
}

function refusalOf({ code }: ParserError): [ErrorCode, string] {
  if (code === 'HPE_HEADER_OVERFLOW') return ['headers_too_large', 'The headers are larger than allowed.'];
  if (code === 'ERR_HTTP_REQUEST_TIMEOUT') return ['request_timeout', 'The request did not arrive in time.'];
  return ['bad_request', 'The request is not well-formed HTTP.'];
}

/**
 * Whether the refused headers may belong to a HEAD request. Its answer has no body: a client would take one for the next
 * answer. The parser does not say, so this searches the packet after its last empty line, since it may begin with the
 * end of another request. A request that began in an earlier packet counts as another method.
 */
function mayBeHead({ rawPacket, bytesParsed }: ParserError): boolean {
  const parsed = rawPacket?.subarray(0, bytesParsed).toString('latin1') ?? '';
  return parsed.slice(parsed.lastIndexOf('\r\n\r\n') + 1).includes('HEAD ');
}

/** Writes an error to a socket without a response, and ends the connection. `headers` end in CRLF. */
function endWith(
  socket: Socket,
  code: ErrorCode,
  message: string,
  {
    headers = '',
    isHead = false,
    request,
  }: { headers?: string; isHead?: boolean; request?: IncomingMessage | undefined } = {},
): void {
  if (!socket.writable) return;
  const body = earlyErrorBody(request, code, message);
  const { status } = errorCodes[code];
  socket.end(
    `HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\nContent-Type: application/json\r\nContent-Length: ${body.length}\r\n` +
      `${headers}Connection: close\r\n\r\n${isHead ? '' : body}`,
    'latin1',
  );
}

/** How long requests in progress may take after the server was asked to stop, in milliseconds. */
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
    limitConnections(this.#server, settings, log);
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

  /** Finishes the answers in progress and accepts nothing new. Resolves within eight seconds. */
  async close(): Promise<void> {
    this.#stopping = true;
    // Otherwise their connections would stay open for a next request and delay the end.
    for (const response of this.#turns.inProgress) {
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
  const elsewhere = `${host} is not an address of this machine. Choose one with --host.`;
  const reasons: Record<string, string> = {
    EADDRINUSE: `Port ${port} of ${host} is already in use. Choose another one with --port or the variable PORT, or 0 for any free port.`,
    EACCES: `This user may not listen on port ${port} of ${host}. Choose a port above 1023 with --port.`,
    ENOTFOUND: elsewhere,
    EAI_AGAIN: elsewhere,
    EADDRNOTAVAIL: elsewhere,
  };
  const reason = reasons[error.code ?? ''];
  return reason === undefined ? error : new OperationError(reason);
}
