import { MessageChannel, type MessagePort, receiveMessageOnPort, Worker } from 'node:worker_threads';
import { OperationError } from '../errors.ts';

/** The input of the drawing thread. */
export interface WorkerInput {
  /** Receives SVG documents, and sends a Drawn for each. */
  answers: MessagePort;
  /** Its first element changes from 0 to 1 when an answer has been sent. */
  signal: Int32Array;
  fontFiles: string[];
}

export type Drawn = { image: Uint8Array } | { failure: 'missing' | 'refused'; message: string };

/** Draws SVG documents in a thread, which starts with the first document. */
export interface Drawing {
  /** Draws a document as a PNG. Throws Error if it is invalid, and OperationError if resvg can't be loaded. */
  draw(svg: string): Uint8Array;
  /** Stops the thread. */
  close(): void;
}

/** The compiled module, even when this one runs from source: a thread has no TypeScript loader. */
const script = new URL('../../lib/social-image/drawing-worker.js', import.meta.url);

/** How long one image may take, in milliseconds, including the start of the thread. */
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
        throw new OperationError(`A social image was not drawn within ${patienceMs / 1000} seconds.`);
      }
      if ('image' in drawn) return drawn.image;
      if (drawn.failure === 'refused') throw new Error(drawn.message);
      throw new OperationError(
        `resvg, which draws the social images, can't be loaded on this machine (${process.platform}, ${process.arch}): ${drawn.message} Install the optional packages as well: npm ci --include=optional.`,
      );
    },
    close() {
      thread?.worker.terminate();
      thread = undefined;
    },
  };
}
