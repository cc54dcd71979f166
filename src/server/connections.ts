import type { RequestListener, Server } from 'node:http';
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

/**
 * Answers the requests of a connection one at a time: a request that was sent before the answer to the last one was read
 * (pipelining) is handled once the system has taken all of that answer. So a client that reads nothing makes the server
 * hold one answer, however much it sends. Node reads at most 64 KB more from it; a client that puts more than
 * `maxWaiting` requests in them is disconnected.
 */
export function inTurn(handle: RequestListener): RequestListener {
  const waiting = new WeakMap<Socket, number>();
  return (request, response) => {
    const { socket } = request;
    if (socket.destroyed) return;
    if (response.socket !== null) {
      handle(request, response);
      return;
    }
    const count = (waiting.get(socket) ?? 0) + 1;
    if (count > maxWaiting) {
      socket.destroy();
      return;
    }
    waiting.set(socket, count);
    // Node gives a response its socket when it is next in line.
    response.once('socket', () => {
      waiting.set(socket, (waiting.get(socket) ?? 0) - 1);
      if (!socket.destroyed) handle(request, response);
    });
  };
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
