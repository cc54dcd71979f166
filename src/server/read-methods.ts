import type { ServerResponse } from 'node:http';
import { sendError } from './errors.ts';

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
