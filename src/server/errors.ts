import type { IncomingMessage, ServerResponse } from 'node:http';
import { type ErrorCode, errorCodes } from '../schema/requests.ts';
import { codes, errorResponse, type JsonBytes, jsonBytes, RpcError } from './mcp/messages.ts';
import { parseTarget } from './target.ts';

/** A request that is refused because of the client. Routes throw it, and the answer is an Error object (C7.20). */
export class Refusal extends Error {
  override readonly name = 'Refusal';
  readonly code: ErrorCode;
  readonly headers: Record<string, string>;

  /** `message` is a sentence for the client that names the field and the rule; `cause` is only for the log. */
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
  send(response, code, jsonBytes({ error: code, message }), headers);
}

/** Answers a request whose route is not known, with the error that its address promises. */
export function sendEarlyError(
  request: IncomingMessage,
  response: ServerResponse,
  code: ErrorCode,
  message: string,
  headers: Record<string, string> = {},
): void {
  send(response, code, earlyErrorBody(request, code, message), headers);
}

/** An error as JSON: a JSON-RPC error for a POST to the MCP endpoint, else an Error object (C7.20). */
export function earlyErrorBody(request: IncomingMessage | undefined, error: ErrorCode, message: string): JsonBytes {
  if (request === undefined || !isMcpMessage(request)) return jsonBytes({ error, message });
  const rpcError =
    error === 'internal' ? new RpcError(codes.internal, message) : new RpcError(codes.refused, message, { error });
  return errorResponse(null, rpcError);
}

function isMcpMessage({ method, url = '' }: IncomingMessage): boolean {
  return method === 'POST' && parseTarget(url).pathname.endsWith('/api/mcp');
}

function send(response: ServerResponse, code: ErrorCode, body: JsonBytes, headers: Record<string, string>): void {
  response.writeHead(errorCodes[code].status, {
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
