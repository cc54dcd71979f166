import type { IncomingMessage, RequestListener, Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { Logger } from 'pino';
import { networkOf } from '../votes/voter.ts';

/** How many connections are taken. */
export interface ConnectionLimits {
  /** In all; 0: as many as come. */
  total: number;
  /** From one address (IPv6: one /64); 0: as many as come, as from a proxy. */
  perClient: number;
}

/** How many requests may wait behind another one on their connection. Clients that pipeline at all send fewer. */
const maxWaiting = 100;

/** How often connections that were refused are logged at most, in milliseconds. */
const logMs = 60_000;

/** The answers of a server, in turn for each of its connections. */
export interface Turns {
  listener: RequestListener;
  /** The answers that are being made: one at most for each connection. */
  underWay: ReadonlyMap<Socket, ServerResponse>;
  /**
   * Ends a connection on which something came that is no request, with the refusal that `write` makes of it: after the
   * answers to what came before. `request` is the request whose body it came in, if it came in one; it is refused
   * instead of being answered, and if its answer has begun, the connection ends without a refusal.
   */
  refuse(socket: Socket, write: (request?: IncomingMessage) => void): void;
  /** Whether a connection has yet to get an answer, or a part of one. */
  owes(socket: Socket): boolean;
}

/**
 * Answers the requests of a connection one at a time: a request that was sent before the answer to the last one was read
 * (pipelining) is handled once the system has taken all of that answer. So a client that reads nothing makes the server
 * hold one answer, however much it sends. Node reads at most 64 KB more from it; a client that puts more than
 * `maxWaiting` requests in them is disconnected.
 */
export function inTurn(handle: RequestListener): Turns {
  const underWay = new Map<Socket, ServerResponse>();
  const waiting = new WeakMap<Socket, ServerResponse[]>();
  /** Of what was answered before its body had come, the last on each connection. */
  const answeredEarly = new WeakMap<Socket, ServerResponse>();
  const refusals = new WeakMap<Socket, (request?: IncomingMessage) => void>();

  function answer(request: IncomingMessage, response: ServerResponse): void {
    const { socket } = request;
    handle(request, response);
    if (!response.writableEnded) {
      underWay.set(socket, response);
      response.once('close', () => {
        if (underWay.get(socket) === response) underWay.delete(socket);
        if (!request.complete) answeredEarly.set(socket, response);
      });
    } else if (hasBody(request)) answeredEarly.set(socket, response);
  }

  const lastOn = (socket: Socket) => waiting.get(socket)?.at(-1) ?? underWay.get(socket) ?? answeredEarly.get(socket);

  return {
    underWay,
    listener(request, response) {
      const { socket } = request;
      if (socket.destroyed) return;
      if (response.socket !== null) {
        answer(request, response);
        return;
      }
      const queue = waiting.get(socket) ?? [];
      if (queue.length >= maxWaiting) {
        socket.destroy();
        return;
      }
      queue.push(response);
      waiting.set(socket, queue);
      // Node gives a response its socket when it is next in line.
      response.once('socket', () => {
        queue.shift();
        if (socket.destroyed) return;
        const refusal = refusals.get(socket);
        if (refusal !== undefined && !request.complete) refusal(request);
        else answer(request, response);
      });
    },
    refuse(socket, write) {
      if (refusals.has(socket)) return;
      refusals.set(socket, write);
      const last = lastOn(socket);
      const isAnswered = last === undefined || last.writableEnded;
      if (last === undefined || last.req.complete) {
        if (isAnswered) write();
        else last.once('finish', () => write());
      } else if (isAnswered) socket.end();
      else if (last.headersSent) last.once('finish', () => socket.end());
      // One that waits is refused when it is next in line.
      else if (last.socket !== null) write(last.req);
    },
    owes(socket) {
      const last = lastOn(socket);
      return last !== undefined && !last.writableEnded;
    },
  };
}

function hasBody({ headers }: IncomingMessage): boolean {
  return headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0;
}

/** Closes connections over the limits as soon as they come. The log says so once a minute at most. */
export function limitConnections(server: Server, { total, perClient }: ConnectionLimits, log: Logger): void {
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
 * Ends connections whose client took no byte of an answer between two looks, `stalledMs` apart. What the client sends
 * meanwhile does not count, as it does for `server.timeout`.
 */
export function endStalled(server: Server, stalledMs: number): void {
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

/** How far a connection has got with what it has to send; empty while that is nothing. */
function pendingOf(socket: Socket & { _handle?: { writeQueueSize?: number } | null }): string {
  const { writableLength, bytesWritten, _handle } = socket;
  // Of a large write, only the handle tells how much the system has taken of it; Node's own time-outs ask it too.
  return writableLength === 0 ? '' : `${writableLength} ${bytesWritten} ${_handle?.writeQueueSize}`;
}
