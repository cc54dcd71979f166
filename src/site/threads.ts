import { MessageChannel, type MessagePort, receiveMessageOnPort, Worker, workerData } from 'node:worker_threads';
import { OperationError } from '../lib/errors.ts';

/** The values that a thread starts with. */
interface Start<Input> {
  input: Input;
  port: MessagePort;
  /** Its first element grows by one with each answer of any thread. */
  answered: Int32Array;
}

type Reply<Answer> = { answer: Answer } | { error: Error; fields: object };

interface Thread<Answer> {
  worker: Worker;
  port: MessagePort;
  /** The callbacks for the answers that it has not given yet. */
  waiting: ((answer: Answer) => void)[];
}

interface Threads {
  /** The path of a compiled module that calls `answerJobs`: a thread has no TypeScript loader. */
  script: string;
  /** The values that each thread starts with. */
  input: unknown;
  /**
   * How many there are at most. One starts when each of the others has `each` jobs: starting one takes longer than most
   * jobs.
   */
  most: number;
  /** How many jobs each has at a time, including the one that it does. More only take memory. */
  each: number;
  /** The start of the message if nothing is answered for a minute: what did not happen. */
  late: string;
}

/** How long nothing may be answered, in milliseconds. It includes the start of a thread. */
const patienceMs = 60_000;

/** Jobs leave nothing behind, so a thread needs no room for objects that may live longer; the default is 48 MiB. */
const resourceLimits = { maxYoungGenerationSizeMb: 4 };

/** Threads that do jobs while the caller goes on, without returning to its event loop: a build is a single turn of it. */
export class JobThreads<Job, Answer> {
  readonly #options: Threads;
  readonly #answered = new Int32Array(new SharedArrayBuffer(4));
  readonly #threads: Thread<Answer>[] = [];

  constructor(options: Threads) {
    this.#options = options;
  }

  /**
   * Gives a job to a thread, when one is free. `onAnswer` is called during this or a later call. Throws what an earlier
   * job threw, and OperationError if nothing is answered for a minute.
   */
  send(job: Job, onAnswer: (answer: Answer) => void): void {
    let thread = this.#freeThread();
    while (thread === undefined) {
      this.#wait();
      thread = this.#freeThread();
    }
    thread.port.postMessage(job);
    thread.waiting.push(onAnswer);
  }

  /** Whether a thread is free for a job. Throws what an earlier job threw. */
  isReady(): boolean {
    this.#collect();
    const { most, each } = this.#options;
    return this.#threads.length < most || this.#threads.some(({ waiting }) => waiting.length < each);
  }

  /** Waits until every job is answered. Throws as `send` does. */
  finish(): void {
    while (this.#isBusy()) this.#wait();
  }

  /** Waits for the jobs that were sent, even if they throw, and stops the threads. */
  close(): void {
    while (this.#isBusy()) {
      try {
        this.#wait();
      } catch (error) {
        if (error instanceof OperationError) break;
      }
    }
    this.stop();
  }

  /** Stops the threads, even in the middle of a job. */
  stop(): void {
    for (const { worker } of this.#threads.splice(0)) worker.terminate();
  }

  #isBusy(): boolean {
    return this.#threads.some(({ waiting }) => waiting.length > 0);
  }

  #freeThread(): Thread<Answer> | undefined {
    const { most, each } = this.#options;
    const [thread] = [...this.#threads].sort((a, b) => a.waiting.length - b.waiting.length);
    if (thread !== undefined && thread.waiting.length < each) return thread;
    return this.#threads.length < most ? this.#start() : undefined;
  }

  #start(): Thread<Answer> {
    const { script, input } = this.#options;
    const { port1: port, port2 } = new MessageChannel();
    const workerData: Start<unknown> = { input, port: port2, answered: this.#answered };
    const worker = new Worker(script, { workerData, transferList: [port2], execArgv: [], resourceLimits });
    worker.unref();
    const thread = { worker, port, waiting: [] };
    this.#threads.push(thread);
    return thread;
  }

  #wait(): void {
    const answered = Atomics.load(this.#answered, 0);
    if (this.#collect()) return;
    if (Atomics.wait(this.#answered, 0, answered, patienceMs) === 'timed-out') {
      throw new OperationError(`${this.#options.late} within ${patienceMs / 1000} seconds.`);
    }
    this.#collect();
  }

  /** Hands on the answers that are there. Returns whether there were any. */
  #collect(): boolean {
    let any = false;
    for (const { port, waiting } of this.#threads) {
      for (let reply = receiveMessageOnPort(port); reply !== undefined; reply = receiveMessageOnPort(port)) {
        any = true;
        const onAnswer = waiting.shift();
        const message = reply.message as Reply<Answer>;
        if ('error' in message) throw Object.assign(message.error, message.fields);
        onAnswer?.(message.answer);
      }
    }
    return any;
  }
}

/** Answers the jobs of a thread, in its script. `prepare` gets the input of the thread, and returns what does a job. */
export function answerJobs<Input, Job, Answer>(prepare: (input: Input) => (job: Job) => Answer): void {
  const { input, port, answered } = workerData as Start<Input>;
  const work = prepare(input);
  const answer = (job: Job) => {
    port.postMessage(replyOf(() => work(job)));
    Atomics.add(answered, 0, 1);
    Atomics.notify(answered, 0);
  };
  // Each job gets a turn of its own. A turn that did jobs on receipt would not end as long as messages keep arriving, and
  // some memory is only freed between two turns.
  port.on('message', (job: Job) => setImmediate(answer, job));
}

/** A copy of an error for another thread has no fields, such as the code of a system error. */
function replyOf<Answer>(answer: () => Answer): Reply<Answer> {
  try {
    return { answer: answer() };
  } catch (failure) {
    const error = failure instanceof Error ? failure : new Error(String(failure));
    return { error, fields: { ...error } };
  }
}
