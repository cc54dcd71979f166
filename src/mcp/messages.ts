import { codes, RpcError } from './errors.ts';

/** The id of a request: a string or an integer, never null (MCP base protocol). */
export type RequestId = string | number;

/** The params of a message. Those of a request may be a list, which `perform` refuses. */
export type Params = Record<string, unknown>;

/** A message of JSON-RPC 2.0 that a server can receive. */
export type Message =
  | { kind: 'request'; id: RequestId; method: string; params: Params }
  | { kind: 'notification'; method: string; params: Params }
  | { kind: 'response' };

export type Request = Extract<Message, { kind: 'request' }>;

/** Reads a parsed value as a message. Throws RpcError -32600 if it is not one. */
export function readMessage(value: unknown): Message {
  if (!isObject(value) || value.jsonrpc !== '2.0') {
    throw new RpcError(codes.invalidRequest, 'A message must be a JSON object with "jsonrpc": "2.0".');
  }
  const { id, method, params = {} } = value;
  if (method === undefined && ('result' in value || 'error' in value)) return { kind: 'response' };
  if (typeof method !== 'string') throw new RpcError(codes.invalidRequest, '`method` has to be text.');
  if ('id' in value && !isRequestId(id)) {
    throw new RpcError(codes.invalidRequest, '`id` has to be text or a whole number.');
  }
  // JSON-RPC also has lists as params. No method takes one, but such a request is well-formed (C7.22).
  if (!isObject(params) && !Array.isArray(params)) {
    throw new RpcError(codes.invalidRequest, '`params` has to be an object.');
  }
  const given = params as Params;
  return isRequestId(id)
    ? { kind: 'request', id, method, params: given }
    : { kind: 'notification', method, params: given };
}

/** The id for the answer to an invalid message: its own if it has one, else null. */
export function idOf(value: unknown): RequestId | null {
  return isObject(value) && isRequestId(value.id) ? value.id : null;
}

/**
 * JSON in UTF-8, as a text with a character for each byte (`latin1`). Node writes such a text together with the headers of
 * an answer. Buffers of the id and the result would first be copied into a new one for each answer.
 */
export type JsonBytes = string;

/** A value as JSON. */
export function jsonBytes(value: unknown): JsonBytes {
  return Buffer.from(JSON.stringify(value)).toString('latin1');
}

/** An answer with an error. */
export function errorResponse(id: RequestId | null, { code, message, data }: RpcError): JsonBytes {
  return jsonBytes({ jsonrpc: '2.0', id, error: { code, message, data } });
}

/** An answer with a result that is already JSON. */
export function resultResponse(id: RequestId, result: JsonBytes): JsonBytes {
  return `{"jsonrpc":"2.0","id":${typeof id === 'number' ? id : jsonBytes(id)},"result":${result}}`;
}

/** Whether a value is an object with keys. */
export function isObject(value: unknown): value is Params {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function isRequestId(id: unknown): id is RequestId {
  return typeof id === 'string' || Number.isSafeInteger(id);
}
