import { sha256Of } from '../../lib/files.ts';
import { listenParams } from '../../schema/mcp.ts';
import type { McpCatalog } from './catalog.ts';
import { dispatch, parseMessage, type Reply } from './dispatch.ts';
import {
  checkRequest,
  eraOf,
  errorResponse,
  idOf,
  isObject,
  type JsonBytes,
  jsonBytes,
  type RequestId,
  RpcError,
  readMessage,
} from './messages.ts';

/** The notifications that lists changed, by the name that a client requests them with in revision 2026-07-28. */
const methods = {
  toolsListChanged: 'notifications/tools/list_changed',
  promptsListChanged: 'notifications/prompts/list_changed',
  resourcesListChanged: 'notifications/resources/list_changed',
} as const;
type Kind = keyof typeof methods;
const kinds = Object.keys(methods) as Kind[];

/** A client has one subscription. More than this many are a mistake. */
const mostSubscriptions = 100;

/**
 * Tells a client over stdio when lists change: one of the handshake era once it is initialized, one of 2026-07-28 what it
 * requested with subscriptions/listen.
 */
export class ListChanges {
  #catalog: McpCatalog;
  #lists: Promise<string>;
  #isInitialized = false;
  readonly #subscriptions = new Map<RequestId, Kind[]>();

  constructor(catalog: McpCatalog) {
    this.#catalog = catalog;
    this.#lists = listsOf(catalog);
  }

  /** Follows a message of the client. Returns the answer to subscriptions/listen, and null for any other message. */
  answer(value: unknown): JsonBytes | null {
    if (!isObject(value)) return null;
    const { method, params } = value;
    if (method === 'notifications/initialized') this.#isInitialized = true;
    if (method === 'notifications/cancelled' && isObject(params)) {
      this.#subscriptions.delete(params.requestId as RequestId);
    }
    if (method !== 'subscriptions/listen') return null;
    try {
      return this.#listen(value);
    } catch (error) {
      if (!(error instanceof RpcError)) throw error;
      return errorResponse(idOf(value), error);
    }
  }

  #listen(value: unknown): JsonBytes | null {
    const message = readMessage(value);
    if (message.kind !== 'request' || eraOf(message, null) === 'handshake') return null;
    checkRequest(message, 'modern', null);
    const { data } = listenParams.safeParse(message.params);
    if (data === undefined) {
      const names = kinds.map((kind) => `\`${kind}\``).join(', ');
      throw new RpcError('invalidParams', `\`notifications\` has to be an object with ${names}, or some of them.`);
    }
    if (this.#subscriptions.size >= mostSubscriptions) {
      throw new RpcError('internal', `A client can have at most ${mostSubscriptions} subscriptions.`);
    }
    const { notifications } = data;
    const subscribed = kinds.filter((kind) => notifications[kind] === true);
    this.#subscriptions.set(message.id, subscribed);
    const granted = Object.fromEntries(subscribed.map((kind) => [kind, true]));
    return notification('notifications/subscriptions/acknowledged', { notifications: granted }, message.id);
  }

  /** Returns the notifications that follow from the current catalog: none if its lists are the same as before. */
  async of(catalog: McpCatalog): Promise<JsonBytes[]> {
    if (this.#catalog === catalog) return [];
    const before = this.#lists;
    this.#catalog = catalog;
    this.#lists = listsOf(catalog);
    const notifications = [
      ...(this.#isInitialized ? kinds.map((kind) => notification(methods[kind])) : []),
      ...[...this.#subscriptions].flatMap(([id, kinds]) => kinds.map((kind) => notification(methods[kind], {}, id))),
    ];
    return (await before) === (await this.#lists) ? [] : notifications;
  }
}

/** A digest of what the lists show: the card, the agents, and their prompts, which declare the arguments. Never rejects. */
async function listsOf({ card, agents, promptDigests }: McpCatalog): Promise<string> {
  return sha256Of(JSON.stringify([card, agents, await promptDigests().catch(() => null)]));
}

/** A notification as JSON. With the id of a subscription, it is part of it. */
function notification(method: string, params?: object, id?: RequestId): JsonBytes {
  const _meta = { 'io.modelcontextprotocol/subscriptionId': id };
  return jsonBytes({ jsonrpc: '2.0', method, params: params && { ...params, _meta } });
}

interface StdioServer {
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
    for (const notification of await changes.of(await catalog())) await send(notification);
  };
  const timer = setInterval(() => void look().catch(onBug), lookMs);
  timer.unref();
  try {
    for await (const line of linesOf(input)) {
      const { json } = await replyTo(line, changes, catalog).catch((error): Reply => {
        onBug(error);
        const bug = new RpcError('internal', 'The server failed. The error is in its log.');
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
    const error = new RpcError('refused', `A message can have at most ${maxLineBytes} bytes.`);
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
