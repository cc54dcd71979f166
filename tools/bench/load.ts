/**
 * A load generator in a process of its own: for each message it gets, keeps as many connections busy for as long as it says, with
 * one request, each connection waiting for its answer before it asks again, and sends back what it measured.
 */
import { connect, type Socket } from 'node:net';

export interface Job {
  port: number;
  connections: number;
  /** How long is measured, in milliseconds. */
  ms: number;
  /** The bytes of the request. */
  request: string;
  /** The status that every answer has to have. */
  status: number;
}

export interface Measured {
  /** Answers a second. */
  rate: number;
  /** All answers, also those that came before and after the measured time. */
  answers: number;
  /** How long half of the answers took at most, and 99 in 100, in milliseconds. */
  p50: number;
  p99: number;
}

/** How long the answers to the last requests may take, in milliseconds. */
const patienceMs = 5_000;

process.on('message', async (job: Job) => {
  const answer = await run(job).catch((error: Error) => ({ error: error.message }));
  process.send?.(answer);
});

async function run({ port, connections, ms, request, status }: Job): Promise<Measured> {
  const bytes = Buffer.from(request);
  const sockets = await Promise.all(Array.from({ length: connections }, () => open(port)));
  // To accept so many connections at once takes longer than what is measured, so each first gets an answer.
  await Promise.all(sockets.map((socket) => keepBusy(socket, bytes, status, () => false)));
  const begun = performance.now();
  const deadline = begun + ms;
  const latencies: number[] = [];
  let count = 0;
  await Promise.all(
    sockets.map((socket) =>
      keepBusy(socket, bytes, status, (sent, now) => {
        latencies.push(now - sent);
        if (now <= deadline) count += 1;
        return now < deadline;
      }),
    ),
  );
  for (const socket of sockets) socket.destroy();
  latencies.sort((a, b) => a - b);
  const at = (share: number) => latencies[Math.min(latencies.length - 1, Math.floor(latencies.length * share))] ?? 0;
  return { rate: count / (ms / 1000), answers: latencies.length + connections, p50: at(0.5), p99: at(0.99) };
}

function open(port: number): Promise<Socket> {
  return new Promise((opened, failed) => {
    const socket = connect(port, '127.0.0.1', () => opened(socket));
    socket.setNoDelay(true);
    socket.once('error', failed);
  });
}

/** Sends `request` again and again for as long as `goOn`, which is told of each answer, says so. */
function keepBusy(
  socket: Socket,
  request: Buffer,
  status: number,
  goOn: (sent: number, now: number) => boolean,
): Promise<void> {
  return new Promise((done, failed) => {
    let pending: Buffer | null = null;
    let sent = 0;
    const patience = setInterval(() => {
      if (performance.now() - sent > patienceMs) fail(`no answer within ${patienceMs} ms`);
    }, 500);
    const fail = (reason: string) => {
      clearInterval(patience);
      socket.destroy();
      failed(new Error(reason));
    };
    const send = () => {
      sent = performance.now();
      socket.write(request);
    };
    socket.on('error', (error) => fail(error.message));
    socket.on('close', () => fail('the server closed a connection'));
    socket.on('data', (chunk: Buffer) => {
      const answer: Buffer = pending === null ? chunk : Buffer.concat([pending, chunk]);
      const length = lengthOf(answer);
      if (length === null || answer.length < length) {
        pending = answer;
        return;
      }
      pending = null;
      const got = answer.toString('latin1', 9, 12);
      if (got !== String(status)) return fail(`an answer has the status ${got}: ${answer.toString()}`);
      if (answer.length > length) return fail('an answer is longer than it says');
      if (goOn(sent, performance.now())) return send();
      clearInterval(patience);
      for (const event of ['data', 'close']) socket.removeAllListeners(event);
      done();
    });
    send();
  });
}

const headEnd = Buffer.from('\r\n\r\n');
const lastChunk = Buffer.from('\r\n0\r\n\r\n');

/** The length of a whole answer that begins so; null where its head is not whole yet. */
function lengthOf(answer: Buffer): number | null {
  const end = answer.indexOf(headEnd);
  if (end === -1) return null;
  const head = answer.toString('latin1', 0, end);
  if (/\r\ntransfer-encoding: *chunked/i.test(head)) {
    return answer.subarray(-lastChunk.length).equals(lastChunk) ? answer.length : null;
  }
  const length = /\r\ncontent-length: *(\d+)/i.exec(head)?.[1];
  return end + headEnd.length + (answer.toString('latin1', 9, 12) === '304' ? 0 : Number(length ?? 0));
}
