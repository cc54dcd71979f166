import type { McpCatalog } from './catalog.ts';
import { dispatch, parseMessage, type Reply } from './dispatch.ts';
import { codes, RpcError } from './errors.ts';
import { errorResponse } from './messages.ts';

export interface StdioServer {
  input: AsyncIterable<Buffer>;
  /** Writes one line; resolves when more may be written. */
  write(line: Buffer): Promise<void>;
  /** The catalog of the moment. */
  catalog(): Promise<McpCatalog>;
  /** Hears of a fault of ours. */
  onFault(error: unknown): void;
}

/** The longest line that is taken, in bytes, as over HTTP. */
const maxLineBytes = 256 * 1024;
const lineEnd = Buffer.from('\n');

/**
 * Answers messages, one a line, in the order in which they come, until the input ends (MCP, stdio transport). A line that
 * cannot be read is answered with an error, and the next is taken.
 */
export async function serveStdio({ input, write, catalog, onFault }: StdioServer): Promise<void> {
  for await (const line of linesOf(input)) {
    const { json } = await replyTo(line, catalog).catch((error): Reply => {
      onFault(error);
      const fault = new RpcError(codes.internal, 'The server failed. Its log says more.');
      return { json: errorResponse(null, fault), failure: null };
    });
    if (json !== null) await write(Buffer.concat([json, lineEnd]));
  }
}

async function replyTo(line: Buffer | 'too long', catalog: StdioServer['catalog']): Promise<Reply> {
  if (line === 'too long') {
    const error = new RpcError(codes.refused, `A message may have ${maxLineBytes} bytes at most.`);
    return { json: errorResponse(null, error), failure: 'refused' };
  }
  const parsed = parseMessage(line);
  return 'value' in parsed ? dispatch(parsed.value, null, await catalog()) : parsed;
}

/** The lines of a stream that are not blank, also a last one without its end. No more than one is kept. */
async function* linesOf(input: AsyncIterable<Buffer>): AsyncGenerator<Buffer | 'too long'> {
  let parts: Buffer[] = [];
  let size = 0;
  const take = (): Buffer | 'too long' | null => {
    const line = size > maxLineBytes ? 'too long' : Buffer.concat(parts);
    parts = [];
    size = 0;
    return line === 'too long' || line.toString('latin1').trim() !== '' ? line : null;
  };
  const add = (part: Buffer) => {
    size += part.length;
    if (size <= maxLineBytes) parts.push(part);
    else parts = [];
  };
  for await (const chunk of input) {
    let start = 0;
    for (let end = chunk.indexOf(10); end !== -1; end = chunk.indexOf(10, start)) {
      add(chunk.subarray(start, end));
      start = end + 1;
      const line = take();
      if (line !== null) yield line;
    }
    add(chunk.subarray(start));
  }
  const last = take();
  if (last !== null) yield last;
}
