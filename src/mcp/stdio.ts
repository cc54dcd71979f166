import type { McpCatalog } from './catalog.ts';
import { dispatch, parseMessage, type Reply } from './dispatch.ts';
import { codes, RpcError } from './errors.ts';
import { ListChanges } from './list-changes.ts';
import { errorResponse, type JsonBytes } from './messages.ts';

export interface StdioServer {
  input: AsyncIterable<Buffer>;
  /** Writes one line and resolves when more may be written. */
  write(line: Buffer): Promise<void>;
  /** The current catalog. */
  catalog(): Promise<McpCatalog>;
  /** Called with an error that is a bug. */
  onBug(error: unknown): void;
  /** How often to check whether the catalog changed, in milliseconds. @default 1000 */
  lookMs?: number;
}

/** The longest line, in bytes. It is the limit of HTTP, too. */
const maxLineBytes = 256 * 1024;

/**
 * Answers messages, one on each line, in order, until the input ends (MCP, stdio transport). An unreadable line gets an
 * error and does not affect the next one. Clients are told when the lists of agents change.
 */
export async function serveStdio({ input, write, catalog, onBug, lookMs = 1_000 }: StdioServer): Promise<void> {
  const changes = new ListChanges(await catalog());
  const send = (json: JsonBytes) => write(Buffer.from(`${json}\n`, 'latin1'));
  const look = async () => {
    for (const notification of changes.of(await catalog())) await send(notification);
  };
  const timer = setInterval(() => void look().catch(onBug), lookMs);
  timer.unref();
  try {
    for await (const line of linesOf(input)) {
      const { json } = await replyTo(line, changes, catalog).catch((error): Reply => {
        onBug(error);
        const bug = new RpcError(codes.internal, 'The server failed. The error is in its log.');
        return { json: errorResponse(null, bug), failure: null };
      });
      if (json !== null) await send(json);
    }
  } finally {
    clearInterval(timer);
  }
}

async function replyTo(
  line: Buffer | 'too long',
  changes: ListChanges,
  catalog: StdioServer['catalog'],
): Promise<Reply> {
  if (line === 'too long') {
    const error = new RpcError(codes.refused, `A message can have at most ${maxLineBytes} bytes.`);
    return { json: errorResponse(null, error), failure: 'refused' };
  }
  const parsed = parseMessage(line);
  if (!('value' in parsed)) return parsed;
  const json = changes.answer(parsed.value);
  return json === null
    ? dispatch(parsed.value, null, { ...(await catalog()), listChanged: true })
    : { json, failure: null };
}

/** The non-blank lines of a stream, also a last one without a newline. It keeps at most one line in memory. */
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
