import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

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
   * The answer under way on each connection, or null. An entry stays as long as its connection. If each request added and
   * deleted one, the map would often replace its table. Replaced tables keep their entries alive, which the garbage
   * collector would then copy for ten milliseconds at a time.
   */
  readonly #underWay = new Map<Socket, ServerResponse | null>();
  readonly #waiting = new WeakMap<Socket, ServerResponse[]>();
  /** The last answer on each connection that was given before all of its request's body had arrived. */
  readonly #answeredEarly = new WeakMap<Socket, ServerResponse>();
  readonly #refusals = new WeakMap<Socket, WriteRefusal>();

  constructor(handle: RequestListener) {
    this.#handle = handle;
  }

  /** The answers under way, at most one for each connection. */
  get underWay(): ServerResponse[] {
    return [...this.#underWay.values()].filter((response) => response !== null);
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
      if (!this.#underWay.has(socket)) socket.once('close', () => this.#underWay.delete(socket));
      this.#underWay.set(socket, response);
      response.on('close', () => {
        if (this.#underWay.get(socket) === response) this.#underWay.set(socket, null);
        if (!request.complete) this.#answeredEarly.set(socket, response);
      });
    } else if (hasBody(request)) this.#answeredEarly.set(socket, response);
  }

  #lastOn(socket: Socket): ServerResponse | undefined {
    return this.#waiting.get(socket)?.at(-1) ?? this.#underWay.get(socket) ?? this.#answeredEarly.get(socket);
  }
}

function hasBody({ headers }: IncomingMessage): boolean {
  return headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0;
}
