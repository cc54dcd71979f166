import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { MessageChannel, type MessagePort, receiveMessageOnPort, Worker } from 'node:worker_threads';
import { OperationError } from '../errors.ts';
import { programFolder } from '../program.ts';

/** The input of a drawing thread. */
export interface WorkerInput {
  /** Receives SVG documents, and sends a Drawn for each, in the same order. */
  answers: MessagePort;
  /** Its first element grows by one with each answer of any thread. */
  answered: Int32Array;
  fontFiles: string[];
}

export type Drawn = { image: Uint8Array } | { failure: 'missing' | 'refused'; message: string };

type OnDrawn = (drawn: Drawn) => void;

interface Thread {
  worker: Worker;
  port: MessagePort;
  /** What to do with the documents that it has not drawn yet. */
  waiting: OnDrawn[];
}

/** The compiled module, even when this one runs from source: a thread has no TypeScript loader. */
const script = join(programFolder, 'lib/social-image/drawing-worker.js');

/** How long nothing may be drawn, in milliseconds. It includes the start of a thread. */
const patienceMs = 60_000;

/** How many documents a thread has at a time: one is drawn, and the next is ready. More would only take memory. */
const perThread = 2;

/**
 * Draws SVG documents as PNGs, in as many threads as there are cores, while the calling thread goes on. Threads start when
 * they are needed.
 */
export class Drawing {
  readonly #fontFiles: string[];
  readonly #answered = new Int32Array(new SharedArrayBuffer(4));
  readonly #threads: Thread[] = [];

  constructor(fontFiles: string[]) {
    this.#fontFiles = fontFiles;
  }

  /**
   * Draws a document. `onDrawn` is called during this or a later call of `draw` or `finish`. Throws OperationError if
   * nothing is drawn for a minute.
   */
  draw(svg: string, onDrawn: OnDrawn): void {
    let thread = this.#freeThread();
    while (thread === undefined) {
      this.#wait();
      thread = this.#freeThread();
    }
    thread.port.postMessage(svg);
    thread.waiting.push(onDrawn);
  }

  /** Whether a thread is ready for a document. */
  isReady(): boolean {
    this.#collect();
    return (
      this.#threads.length < availableParallelism() || this.#threads.some(({ waiting }) => waiting.length < perThread)
    );
  }

  /** Waits until everything is drawn. Throws as `draw` does. */
  finish(): void {
    while (this.#threads.some(({ waiting }) => waiting.length > 0)) this.#wait();
  }

  /** Stops the threads. */
  close(): void {
    for (const { worker } of this.#threads.splice(0)) worker.terminate();
  }

  #freeThread(): Thread | undefined {
    const idle = this.#threads.find(({ waiting }) => waiting.length === 0);
    if (idle !== undefined) return idle;
    if (this.#threads.length < availableParallelism()) return this.#start();
    return this.#threads.find(({ waiting }) => waiting.length < perThread);
  }

  #start(): Thread {
    // resvg's memory allocator, mimalloc, then keeps freed memory for the next image. By default, it returns it to the
    // system, which takes as long as half of the drawing. It reads this variable of the process when resvg is loaded.
    process.env.MIMALLOC_PURGE_DELAY ??= '-1';
    const { port1: port, port2: answers } = new MessageChannel();
    const workerData: WorkerInput = { answers, answered: this.#answered, fontFiles: this.#fontFiles };
    const worker = new Worker(script, { workerData, transferList: [answers], execArgv: [] });
    worker.unref();
    const thread = { worker, port, waiting: [] };
    this.#threads.push(thread);
    return thread;
  }

  #wait(): void {
    const answered = Atomics.load(this.#answered, 0);
    if (this.#collect()) return;
    if (Atomics.wait(this.#answered, 0, answered, patienceMs) === 'timed-out') {
      throw new OperationError(`A social image was not drawn within ${patienceMs / 1000} seconds.`);
    }
    this.#collect();
  }

  /** Hands on what was drawn. Returns whether there was anything. */
  #collect(): boolean {
    let found = false;
    for (const { port, waiting } of this.#threads) {
      for (let answer = receiveMessageOnPort(port); answer !== undefined; answer = receiveMessageOnPort(port)) {
        found = true;
        waiting.shift()?.(answer.message as Drawn);
      }
    }
    return found;
  }
}
