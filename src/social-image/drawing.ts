import { MessageChannel, type MessagePort, receiveMessageOnPort, Worker } from 'node:worker_threads';
import { OperationError } from '../diagnostics/diagnostic.ts';

/** What the thread that draws is given. */
export interface WorkerInput {
  /** SVG documents come in, and what became of each goes out. */
  answers: MessagePort;
  /** Its first element turns from 0 to 1 when an answer has gone out. */
  signal: Int32Array;
  fontFiles: string[];
}

export type Drawn = { picture: Uint8Array } | { failure: 'missing' | 'refused'; message: string };

/** Draws SVG documents in a thread of its own, which begins with the first of them. */
export interface Drawing {
  /** A document as a PNG. Throws Error where it is refused, and OperationError where the renderer can't be loaded. */
  draw(svg: string): Uint8Array;
  /** Ends the thread. */
  close(): void;
}

/** The compiled module, also where this one runs from its source: a thread has no loader of TypeScript. */
const script = new URL('../../lib/social-image/drawing-worker.js', import.meta.url);

/** How long one picture may take, in milliseconds, the start of the thread included. */
const patienceMs = 60_000;

export function startDrawing(fontFiles: string[]): Drawing {
  let thread: { worker: Worker; port: MessagePort; signal: Int32Array } | undefined;

  function start() {
    const { port1: port, port2: answers } = new MessageChannel();
    const signal = new Int32Array(new SharedArrayBuffer(4));
    const workerData: WorkerInput = { answers, signal, fontFiles };
    const worker = new Worker(script, { workerData, transferList: [answers], execArgv: [] });
    worker.unref();
    return { worker, port, signal };
  }

  return {
    draw(svg) {
      thread ??= start();
      const { port, signal } = thread;
      Atomics.store(signal, 0, 0);
      port.postMessage(svg);
      Atomics.wait(signal, 0, 0, patienceMs);
      const drawn = receiveMessageOnPort(port)?.message as Drawn | undefined;
      if (drawn === undefined) {
        throw new OperationError(`A share picture was not drawn within ${patienceMs / 1000} seconds.`);
      }
      if ('picture' in drawn) return drawn.picture;
      if (drawn.failure === 'refused') throw new Error(drawn.message);
      throw new OperationError(
        `The renderer of the share pictures can't be loaded on this machine (${process.platform}, ${process.arch}): ${drawn.message} Install the packages again with their optional ones: npm ci --include=optional.`,
      );
    },
    close() {
      thread?.worker.terminate();
      thread = undefined;
    },
  };
}
