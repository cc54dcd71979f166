import { type ErrorCode, errorCodes } from './api-errors.ts';
import { reference } from './openapi-parts.ts';

/** The error responses of an OpenAPI description, made from the codes of the Error object. */

const text = (description: string) => ({ description, schema: { type: 'string' } });
const retryAfter = { 'Retry-After': { description: 'Seconds to wait', schema: { type: 'integer', minimum: 1 } } };

/** The headers of the answers that a rate limit counts. */
export const limitHeaders = {
  RateLimit: text('How many requests are left, and for how many seconds'),
  'RateLimit-Policy': text('The limit: how many requests in how many seconds'),
};

/** The headers that the error responses of a status have, if they have some. */
export const errorHeaders: Readonly<Record<number, object>> = {
  405: { Allow: text('The methods that the address supports') },
  416: { 'Content-Range': text('The size of the file') },
  429: { ...retryAfter, ...limitHeaders },
  503: retryAfter,
};

/** Errors that every operation can get: its handler is not called, or it has a bug. */
export const anywhere = ['bad_request', 'request_timeout', 'headers_too_large', 'internal', 'unavailable'] as const;

/** Errors that every POST request of a reader can get. Its 400 is also that of a request that is not well-formed HTTP. */
export const refusals = [
  'invalid_body',
  'forbidden_origin',
  'method_not_allowed',
  'request_timeout',
  'payload_too_large',
  'unsupported_media_type',
  'rate_limited',
  'headers_too_large',
  'internal',
  'unavailable',
] as const;

/** References to the error responses of these codes, by status. No two of them have the same. */
export function failures(...codes: ErrorCode[]): Record<string, object> {
  return Object.fromEntries(
    codes.map((code) => [errorCodes[code].status, { $ref: `#/components/responses/${code}` }] as const),
  );
}

/** The response of every code, for the components of a description. */
export function errorResponses(): Record<ErrorCode, object> {
  const codes = Object.keys(errorCodes) as ErrorCode[];
  return Object.fromEntries(
    codes.map((code) => [code, responseOf(code === 'invalid_body' ? [code, 'bad_request'] : [code])]),
  ) as Record<ErrorCode, object>;
}

/** The response for codes with the same status. */
function responseOf(codes: readonly [ErrorCode, ...ErrorCode[]]): object {
  const { status } = errorCodes[codes[0]];
  const headers = errorHeaders[status];
  const examples = codes.map(
    (error) => [error, { value: { error, message: `${errorCodes[error].meaning}.` } }] as const,
  );
  return {
    description: codes.map((code) => `\`${code}\`: ${errorCodes[code].meaning}`).join('. '),
    ...(headers === undefined ? {} : { headers }),
    content: { 'application/json': { schema: reference('Error'), examples: Object.fromEntries(examples) } },
  };
}
