import type { ServerResponse } from 'node:http';
import { type ErrorCode, errorCodes } from '../schema/api-errors.ts';

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
  const body = errorBody(code, message);
  response.writeHead(errorCodes[code].status, {
    'content-type': 'application/json',
    'content-length': Buffer.byteLength(body),
    'cache-control': 'no-store',
    'x-content-type-options': 'nosniff',
    ...headers,
  });
  response.end(body);
}

/** The Error object as JSON. */
export function errorBody(error: ErrorCode, message: string): string {
  return JSON.stringify({ error, message });
}
