import * as z from 'zod';
import { orElse } from '../../lib/errors.ts';
import { handshakeVersions, modernVersion, protocolVersions } from '../../schema/mcp.ts';

/** The error codes of JSON-RPC 2.0 and of the Model Context Protocol, revision 2026-07-28. */
const codes = {
  parseError: -32700,
  invalidRequest: -32600,
  methodNotFound: -32601,
  invalidParams: -32602,
  internal: -32603,
  headerMismatch: -32020,
  unsupportedVersion: -32022,
  /** For requests that HTTP refuses. The protocol has no code for them. */
  refused: -32000,
} as const;

/** A request that is refused because of the client. */
export class RpcError extends Error {
  override readonly name = 'RpcError';
  readonly kind: keyof typeof codes;
  readonly data: unknown;

  /** `message` is a sentence for people; `data` has details for programs, if there are any. */
  constructor(kind: keyof typeof codes, message: string, data?: unknown) {
    super(message);
    this.kind = kind;
    this.data = data;
  }
}

/** The id of a request: a string or an integer, never null (MCP base protocol). */
export type RequestId = string | number;

/** The params of a message. The params of a request may be a list, which `perform` refuses. */
type Params = Record<string, unknown>;

/** A message of JSON-RPC 2.0 that a server can receive. */
type Message =
  | { kind: 'request'; id: RequestId; method: string; params: Params }
  | { kind: 'notification'; method: string; params: Params }
  | { kind: 'response' };

export type Request = Extract<Message, { kind: 'request' }>;

/** Reads a parsed value as a message. Throws RpcError -32600 if it is not one. */
export function readMessage(value: unknown): Message {
  if (!isObject(value) || value.jsonrpc !== '2.0') {
    throw new RpcError('invalidRequest', 'A message must be a JSON object with "jsonrpc": "2.0".');
  }
  const { id, method, params = {} } = value;
  if (method === undefined && ('result' in value || 'error' in value)) return { kind: 'response' };
  if (typeof method !== 'string') throw new RpcError('invalidRequest', '`method` has to be text.');
  if ('id' in value && !isRequestId(id)) {
    throw new RpcError('invalidRequest', '`id` has to be text or a whole number.');
  }
  // JSON-RPC also has lists as params. No method takes one, but such a request is well-formed (C7.22).
  if (!isObject(params) && !Array.isArray(params)) {
    throw new RpcError('invalidRequest', '`params` has to be an object.');
  }
  const fields = params as Params;
  return isRequestId(id)
    ? { kind: 'request', id, method, params: fields }
    : { kind: 'notification', method, params: fields };
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
export function errorResponse(id: RequestId | null, { kind, message, data }: RpcError): JsonBytes {
  return jsonBytes({ jsonrpc: '2.0', id, error: { code: codes[kind], message, data } });
}

/** Whether a value is an object with keys. */
export function isObject(value: unknown): value is Params {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function isRequestId(id: unknown): id is RequestId {
  return typeof id === 'string' || Number.isSafeInteger(id);
}

/** The family of revisions of a message. */
export type Era = 'modern' | 'handshake';

/** The headers of the transport that repeat parts of the message. */
export type McpHeaders = Record<'version' | 'method' | 'name', string | undefined>;

const prefix = 'io.modelcontextprotocol/';
const versionKey = `${prefix}protocolVersion`;

/** The `_meta` of a request in revision 2026-07-28. Other keys are ignored. */
const envelope = z.object({
  [versionKey]: z.string(),
  [`${prefix}clientCapabilities`]: z.record(z.string(), z.unknown()),
  [`${prefix}clientInfo`]: z.object({ name: z.string(), version: z.string() }).optional(),
  [`${prefix}logLevel`]: z.string().optional(),
});

/**
 * The era of a message. It is modern if the message has a version in `_meta`, valid or not, or the modern one in the header.
 *
 * `headers` is null if the transport has none (stdio).
 */
export function eraOf(message: Exclude<Message, { kind: 'response' }>, headers: McpHeaders | null): Era {
  const { method, params } = message;
  const meta = metaOf(params);
  const claims = versionKey in meta;
  if (method === 'initialize' && !(claims && envelope.safeParse(meta).success)) {
    if (headers?.version !== modernVersion) return 'handshake';
    throw new RpcError(
      'headerMismatch',
      `Revision ${modernVersion}, named in MCP-Protocol-Version, has no \`initialize\`.`,
    );
  }
  return claims || headers?.version === modernVersion ? 'modern' : 'handshake';
}

/**
 * Checks a request by the rules of its era. `headers` is null if the transport has none.
 *
 * Throws RpcError: in the modern era, as checkEnvelope; in the other one, -32600 if the version header has no revision of that era.
 */
export function checkRequest(request: Request, era: Era, headers: McpHeaders | null): void {
  const version = headers?.version;
  if (era === 'modern') checkEnvelope(request, headers);
  else if (version !== undefined && !(handshakeVersions as readonly string[]).includes(version)) {
    throw new RpcError(
      'invalidRequest',
      `MCP-Protocol-Version is ${version.slice(0, 100)}; this server supports ${protocolVersions.join(', ')}.`,
    );
  }
}

/**
 * Checks `_meta` and the headers of a request in the modern era.
 *
 * Throws RpcError: -32020 if the two differ, -32602 if keys are missing, -32022 for an unsupported version.
 */
function checkEnvelope({ method, params }: Request, headers: McpHeaders | null): void {
  const meta = metaOf(params);
  const version = meta[versionKey];
  if (headers !== null && version !== undefined && headers.version !== version) {
    throw mismatch('MCP-Protocol-Version', headers.version, `\`_meta\` of the request names another version`);
  }
  const issues = envelope.safeParse(meta).error?.issues ?? [];
  if (issues.length > 0) {
    const keys = [...new Set(issues.map(({ path }) => String(path[0])))];
    throw new RpcError(
      'invalidParams',
      `A request of revision ${modernVersion} needs these keys in \`params._meta\`, with valid values: ${keys.join(', ')}.`,
      { keys },
    );
  }
  if (version !== modernVersion) {
    const requested = String(version).slice(0, 100);
    throw new RpcError('unsupportedVersion', `Protocol version ${requested} is not supported in \`_meta\`.`, {
      supported: protocolVersions,
      requested,
    });
  }
  if (headers === null) return;
  if (headers.method !== method) {
    throw mismatch('Mcp-Method', headers.method, `the method of the request is ${method.slice(0, 100)}`);
  }
  const named = namedBy(method, params);
  if (named !== undefined && decodeHeader(headers.name) !== named) {
    throw mismatch('Mcp-Name', headers.name, 'it does not match the name or URI in the request');
  }
}

function metaOf({ _meta }: Params): Params {
  return isObject(_meta) ? _meta : {};
}

/** The value that Mcp-Name has to repeat; undefined if the method needs none, or its params are invalid anyway. */
function namedBy(method: string, params: Params): string | undefined {
  const key = { 'tools/call': 'name', 'prompts/get': 'name', 'resources/read': 'uri' }[method];
  const value = key === undefined ? undefined : params[key];
  return typeof value === 'string' ? value : undefined;
}

/** The value of a header, decoded if it has the form `=?base64?…?=`; undefined if that is not UTF-8 text. */
function decodeHeader(value: string | undefined): string | undefined {
  const encoded = /^=\?base64\?(.*)\?=$/.exec(value ?? '')?.[1];
  if (encoded === undefined) return value;
  if (!/^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/.test(encoded)) return undefined;
  return orElse(
    () => new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(Buffer.from(encoded, 'base64')),
    undefined,
  );
}

function mismatch(header: string, value: string | undefined, why: string): RpcError {
  const actual = value === undefined ? 'is missing' : `is ${JSON.stringify(value.slice(0, 100))}`;
  return new RpcError('headerMismatch', `The header ${header} ${actual}; ${why}.`);
}
