import type { ServerResponse } from 'node:http';
import { type ErrorCode, errorCodes } from '../schema/api-errors.ts';

/** A request that is refused: not a fault of ours. Routes throw it; the app answers with it as an Error object. */
export class Refusal extends Error {
  override readonly name = 'Refusal';
  readonly code: ErrorCode;
  readonly headers: Record<string, string>;

  /** `message` is a sentence for the caller that names the field and the rule; `cause` is for the log alone. */
  constructor(code: ErrorCode, message: string, headers: Record<string, string> = {}, cause?: unknown) {
    super(message, { cause });
    this.code = code;
    this.headers = headers;
  }

  get status(): number {
    return errorCodes[this.code].status;
  }
}

/** Answers with an Error object (interface specification, part Errors). */
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

/** The Error object as text. */
export function errorBody(error: ErrorCode, message: string): string {
  return JSON.stringify({ error, message });
}
