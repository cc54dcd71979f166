import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Middleware, Polka } from 'polka';
import { orElse } from '../lib/errors.ts';
import { type ErrorCode, errorCodes } from '../schema/requests.ts';
import { errorResponse, type JsonBytes, jsonBytes, RpcError } from './mcp/messages.ts';

/** The target of a request: `pathname` as it was sent, and `search` with its question mark. */
type Target = ReturnType<Polka['parse']>;

/** Parses the target of a request, in origin form or absolute form (RFC 9112, section 3.2); the path of any other is `*`. */
export function parseTarget(raw: string): Target {
  const target = raw.startsWith('/') ? raw : originForm(raw);
  const end = target.indexOf('?');
  const pathname = end === -1 ? target : target.slice(0, end);
  return { pathname, search: end === -1 ? '' : target.slice(end), query: undefined, hash: undefined, raw };
}

/**
 * The paths below dist/ where the file for a path can be, best first. Empty for a path that leads out of dist/ or is
 * malformed.
 */
export function candidates(path: string): string[] {
  const decoded = orElse(() => decodeURIComponent(path), null);
  if (decoded === null || !decoded.startsWith('/')) return [];
  if (/[\0\\]|\/\.{1,2}(?:\/|$)|\/\//.test(decoded)) return [];
  const name = decoded.slice(1);
  if (name === '') return ['index.html'];
  if (name.endsWith('/')) return [`${name}index.html`, `${name.slice(0, -1)}.html`];
  return [name, `${name}.html`, `${name}/index.html`];
}

function originForm(url: string): string {
  const match = /^https?:\/\/[^/?#]*([/?].*)?$/i.exec(url);
  if (match === null) return '*';
  const rest = match[1] ?? '';
  return rest.startsWith('/') ? rest : `/${rest}`;
}

/** A path as a part of a regular expression that matches nothing else. */
export function literally(path: string): string {
  return path.replace(/[$()*+.?[\\\]^{|}]/g, '\\$&');
}

/** One row of the table of routes. `ALL` is every method that no earlier row of the same path has. */
export type Route = [method: 'GET' | 'POST' | 'OPTIONS' | 'ALL', path: string, handler: Middleware];

/** A request that is refused because of the client. Routes throw it, and the answer is an Error object (C7.20). */
export class Refusal extends Error {
  override readonly name = 'Refusal';
  readonly code: ErrorCode;
  readonly headers: Record<string, string>;

  /**
   * `message` is a sentence for the client that names the field and the rule. `cause` is only for the log; it is left out if
   * the log has the outage already.
   */
  constructor(code: ErrorCode, message: string, headers: Record<string, string> = {}, cause?: unknown) {
    super(message, { cause });
    this.code = code;
    this.headers = headers;
  }

  get status(): number {
    return errorCodes[this.code].status;
  }
}

/** Answers with an Error object (C2.5). */
export function sendError(
  response: ServerResponse,
  code: ErrorCode,
  message: string,
  headers: Record<string, string> = {},
): void {
  sendJson(response, errorCodes[code].status, jsonBytes({ error: code, message }), headers);
}

/** Answers a request whose route is not known, with the error that its address promises. */
export function sendEarlyError(
  request: IncomingMessage,
  response: ServerResponse,
  code: ErrorCode,
  message: string,
  headers: Record<string, string> = {},
): void {
  sendJson(response, errorCodes[code].status, earlyErrorBody(request, code, message), headers);
}

/** An error as JSON: a JSON-RPC error for a POST to the MCP endpoint, else an Error object (C7.20). */
export function earlyErrorBody(request: IncomingMessage | undefined, error: ErrorCode, message: string): JsonBytes {
  const isMcp = request?.method === 'POST' && parseTarget(request.url ?? '').pathname.endsWith('/api/mcp');
  if (!isMcp) return jsonBytes({ error, message });
  const rpcError =
    error === 'internal' ? new RpcError('internal', message) : new RpcError('refused', message, { error });
  return errorResponse(null, rpcError);
}

/** Answers with JSON that is not stored by caches. */
export function sendJson(
  response: ServerResponse,
  status: number,
  body: JsonBytes,
  headers: Record<string, string>,
): void {
  response.writeHead(status, {
    'content-type': 'application/json',
    'content-length': body.length,
    'cache-control': 'no-store',
    'x-content-type-options': 'nosniff',
    ...headers,
  });
  response.end(body, 'latin1');
}

/** The methods of every address that is only read. */
export const readMethods = 'GET, HEAD, OPTIONS';

/** Lets scripts of every origin read an answer (C4.24). */
export const readCors = { 'access-control-allow-origin': '*' };

/**
 * Answers 405 with an Error object at an address that can be read. This counts toward no limit, since the official MCP
 * clients try GET and DELETE on every connection.
 */
export function refuseMethod(
  response: ServerResponse,
  message = 'This address accepts GET and HEAD.',
  allow = readMethods,
): void {
  sendError(response, 'method_not_allowed', message, { allow, ...readCors });
}

/** Answers OPTIONS for reads at an address, from any origin. */
export function answerReadPreflight(response: ServerResponse, allow = readMethods): void {
  response.writeHead(204, {
    allow,
    ...readCors,
    'access-control-allow-methods': 'GET, HEAD',
    'access-control-allow-headers': 'Content-Type, If-None-Match',
    'access-control-max-age': '86400',
  });
  response.end();
}

/** The routes of an address that is only read. */
export function readRoutes(path: string, handler: Middleware): Route[] {
  return [
    ['GET', path, handler],
    ['OPTIONS', path, (_request, response) => answerReadPreflight(response)],
    ['ALL', path, (_request, response) => refuseMethod(response)],
  ];
}

/** Whether If-None-Match contains `etag`, by weak comparison (RFC 9110, section 13.1.2). */
export function isFresh(ifNoneMatch: string | undefined, etag: string): boolean {
  if (ifNoneMatch === undefined) return false;
  return (
    ifNoneMatch === etag ||
    ifNoneMatch.split(',').some((tag) => tag.trim() === '*' || tag.trim().replace(/^W\//, '') === etag)
  );
}

/** The media type in lower case, without parameters. Throws Refusal for a compressed body or another charset than UTF-8. */
export function mediaType({ headers }: IncomingMessage): string {
  const coding = headers['content-encoding'];
  if (coding !== undefined && !/^[\s,]*(?:identity[\s,]*)*$/i.test(coding)) {
    throw new Refusal('unsupported_media_type', 'The body has to be sent without Content-Encoding.', {
      'accept-encoding': 'identity',
    });
  }
  const [type = '', ...parameters] = (headers['content-type'] ?? '').split(';');
  for (const parameter of parameters) {
    const charset = /^\s*charset\s*=\s*(.*)$/i.exec(parameter)?.[1]?.trim();
    if (charset !== undefined && !/^(?:utf-?8|"utf-?8"|'utf-?8')$/i.test(charset)) {
      throw new Refusal('unsupported_media_type', 'The charset of the body has to be UTF-8.');
    }
  }
  return type.trim().toLowerCase();
}

/** How much of a body beyond the limit is read and dropped, in bytes, so that the sender gets to read the answer. */
const droppedBytes = 1024 * 1024;

/**
 * Reads a whole body of at most `maxBytes`.
 *
 * Throws Refusal `payload_too_large`, or `invalid_body` if the connection ends too early.
 */
export function readBody(request: IncomingMessage, maxBytes: number): Promise<Buffer> {
  const tooLarge = () => new Refusal('payload_too_large', `The body has more than ${maxBytes} bytes.`);
  return new Promise((done, failed) => {
    const chunks: Buffer[] = [];
    let size = 0;
    request.on('data', (chunk: Buffer) => {
      size += chunk.length;
      if (size <= maxBytes) chunks.push(chunk);
      else {
        chunks.length = 0;
        failed(tooLarge());
        if (size > maxBytes + droppedBytes) request.socket.destroy();
      }
    });
    if (Number(request.headers['content-length'] ?? 0) > maxBytes) failed(tooLarge());
    request.on('end', () => done(chunks.length === 1 ? (chunks[0] as Buffer) : Buffer.concat(chunks)));
    // A request that fails also closes. To create an Error for every one would add a tenth to the cost of a vote.
    request.on('close', () => {
      if (!request.readableEnded) failed(new Refusal('invalid_body', 'The body ended too early.'));
    });
  });
}
