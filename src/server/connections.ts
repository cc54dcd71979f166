import type { Server } from 'node:http';
import type { Socket } from 'node:net';
import type { Logger } from 'pino';
import { networkOf } from '../votes/voter.ts';

/** How many connections are accepted. */
export interface ConnectionLimits {
  /** In total; 0: no limit. */
  total: number;
  /** From one client, see C8.24; 0: no limit, as behind a proxy. */
  perClient: number;
}

/** How long to wait before refused connections are logged again, in milliseconds. */
const logMs = 60_000;

/** Closes connections over the limits as soon as they open, and logs it at most once a minute. */
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
 * Closes connections whose client reads no byte of an answer between two checks, `stalledMs` apart. Unlike for
 * `server.timeout`, it does not help a client to send something meanwhile.
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

/** How much a connection still has to send, as a text to compare; empty if it has nothing to send. */
function pendingOf(socket: Socket & { _handle?: { writeQueueSize?: number } | null }): string {
  const { writableLength, bytesWritten, _handle } = socket;
  // Only the handle knows how much of a large write the system has accepted; Node's own timeouts read it too.
  return writableLength === 0 ? '' : `${writableLength} ${bytesWritten} ${_handle?.writeQueueSize}`;
}
