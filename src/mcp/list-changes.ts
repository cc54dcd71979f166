import { listenParams } from '../schema/mcp-messages.ts';
import type { McpCatalog } from './catalog.ts';
import { checkEnvelope, eraOf } from './envelope.ts';
import { codes, RpcError } from './errors.ts';
import { errorResponse, idOf, isObject, type JsonBytes, jsonBytes, type RequestId, readMessage } from './messages.ts';

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
  #isInitialized = false;
  readonly #subscriptions = new Map<RequestId, Kind[]>();

  constructor(catalog: McpCatalog) {
    this.#catalog = catalog;
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
    checkEnvelope(message, null);
    const { data } = listenParams.safeParse(message.params);
    if (data === undefined) {
      const names = kinds.map((kind) => `\`${kind}\``).join(', ');
      throw new RpcError(codes.invalidParams, `\`notifications\` has to be an object with ${names}, or some of them.`);
    }
    if (this.#subscriptions.size >= mostSubscriptions) {
      throw new RpcError(codes.internal, `A client can have at most ${mostSubscriptions} subscriptions.`);
    }
    const { notifications } = data;
    const wanted = kinds.filter((kind) => notifications[kind] === true);
    this.#subscriptions.set(message.id, wanted);
    const granted = Object.fromEntries(wanted.map((kind) => [kind, true]));
    return notification('notifications/subscriptions/acknowledged', { notifications: granted }, message.id);
  }

  /** Returns the notifications that follow from the current catalog: none if the same agents are listed as before. */
  of(catalog: McpCatalog): JsonBytes[] {
    const [before, now] = [this.#catalog, catalog].map(({ card, agents }) => ({ card, agents }));
    const isSame = this.#catalog === catalog || JSON.stringify(before) === JSON.stringify(now);
    this.#catalog = catalog;
    if (isSame) return [];
    return [
      ...(this.#isInitialized ? kinds.map((kind) => notification(methods[kind])) : []),
      ...[...this.#subscriptions].flatMap(([id, wanted]) => wanted.map((kind) => notification(methods[kind], {}, id))),
    ];
  }
}

/** A notification as JSON. With the id of a subscription, it is part of it. */
function notification(method: string, params?: object, id?: RequestId): JsonBytes {
  const _meta = { 'io.modelcontextprotocol/subscriptionId': id };
  return jsonBytes({ jsonrpc: '2.0', method, params: params && { ...params, _meta } });
}
