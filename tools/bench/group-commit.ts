import { open } from 'node:fs/promises';
import type { RequestListener } from 'node:http';

/** What waits for the next sync: the line of a vote, and what answers its request. */
interface Waiting {
  line: string;
  answer(): void;
}

/**
 * The least that stores votes durably: one write and one fdatasync for all votes that wait, without checks, limits, a log
 * or a router. What its disk and its processor allow, no server in JavaScript does much better.
 */
export async function groupCommitAlone(file: string): Promise<RequestListener> {
  const handle = await open(file, 'a');
  let waiting: Waiting[] = [];
  let running = false;

  async function run(): Promise<void> {
    running = true;
    while (waiting.length > 0) {
      const batch = waiting;
      waiting = [];
      await handle.appendFile(batch.map(({ line }) => line).join(''));
      await handle.datasync();
      for (const { answer } of batch) answer();
    }
    running = false;
  }

  return (request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const vote = JSON.parse(Buffer.concat(chunks).toString('utf8')) as object;
      const line = `${JSON.stringify({ time: new Date().toISOString(), ...vote })}\n`;
      const answer = () => {
        response.writeHead(200, { 'content-type': 'application/json', 'content-length': 11 });
        response.end('{"ok":true}');
      };
      waiting.push({ line, answer });
      if (!running) void run();
    });
  };
}
