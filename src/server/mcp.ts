import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Request, Response } from 'polka';
import { dispatch, messagesIn, parseMessage, type Reply } from '../mcp/dispatch.ts';
import type { McpHeaders } from '../mcp/envelope.ts';
import { codes, RpcError } from '../mcp/errors.ts';
import { errorResponse, idOf, type RequestId } from '../mcp/messages.ts';
import { readBody, requireJson } from './body.ts';
import { clientAddress } from './client.ts';
import { Refusal } from './errors.ts';
import type { Limit } from './limits.ts';
import { acceptsCard, sendCard } from './mcp-card.ts';
import { corsHeaders } from './origin.ts';
import { answerPreflight, limited, type PostParts } from './post-requests.ts';
import { answerReadPreflight, refuseMethod } from './read-methods.ts';
import { requestId } from './request-id.ts';
import type { Route } from './route.ts';

/** The largest body, in bytes. */
const maxBodyBytes = 256 * 1024;

/** What the MCP endpoint needs. */
export interface McpParts extends PostParts {
  /** The limit on messages. Each message of a batch counts. */
  messages: Limit;
}

/** The methods of the endpoint. */
const allow = 'GET, HEAD, POST, OPTIONS';

/** The routes of the MCP endpoint at `path`: messages by POST, and the server card by GET, also at `server-card`. */
export function mcpRoutes(path: string, parts: McpParts): Route[] {
  const card = `${path}/server-card`;
  const cardOf = () => parts.follower.current();
  return [
    ['POST', path, (request, response) => takeMessage(request, response, parts)],
    [
      'GET',
      path,
      (request, response) =>
        acceptsCard(request)
          ? sendCard(request, response, cardOf(), 'application/json')
          : refuseMethod(response, 'There is no event stream here: POST a message, or GET the server card.', allow),
    ],
    [
      'OPTIONS',
      path,
      (request, response) =>
        request.headers['access-control-request-method'] === 'POST'
          ? answerPreflight(request, response, parts, postPreflight)
          : answerReadPreflight(response, allow),
    ],
    ['ALL', path, (_request, response) => refuseMethod(response, 'This address accepts GET and POST.', allow)],
    ['GET', card, (request, response) => sendCard(request, response, cardOf(), 'application/mcp-server-card+json')],
    ['OPTIONS', card, (_request, response) => answerReadPreflight(response)],
    ['ALL', card, (_request, response) => refuseMethod(response)],
  ];
}

const postPreflight = {
  allow,
  'access-control-allow-headers': 'Content-Type, MCP-Protocol-Version, Mcp-Method, Mcp-Name',
};

/** Answers a message with JSON, never with an event stream (C4.25), and a notification with 202. */
async function takeMessage(request: Request, response: Response, parts: McpParts): Promise<void> {
  const { follower, origins, refused, messages, trustProxy, log } = parts;
  const address = clientAddress(request, trustProxy);
  const { info, mcp } = follower.current();
  let cors: Record<string, string> = {};
  let id: RequestId | null = null;
  try {
    cors = corsHeaders(origins.check(request, info));
    requireJson(request);
    const parsed = parseMessage(await readBody(request, maxBodyBytes));
    if ('value' in parsed) {
      id = idOf(parsed.value);
      await messages.take(address, messagesIn(parsed.value));
    }
    const reply = 'value' in parsed ? await dispatch(parsed.value, headersOf(request), mcp) : parsed;
    const status = statusOf(reply);
    // Clients probe for revisions and methods, so 404 and -32022 are part of normal use and do not count.
    if (reply.failure === 'refused') await refused.take(address);
    send(response, status, reply.json, cors);
  } catch (error) {
    if (error instanceof Refusal) {
      const { code, status, message, headers } = await limited(error, refused, address);
      send(response, status, errorResponse(id, new RpcError(codes.refused, message, { error: code })), {
        ...headers,
        ...cors,
      });
    } else {
      log.error(
        { err: error, path: request.path, request: requestId(request) },
        'an MCP request failed because of a bug in the server',
      );
      const bug = new RpcError(codes.internal, 'The server failed. The error is in its log.');
      send(response, 500, errorResponse(id, bug), cors);
    }
    request.resume();
  }
}

function headersOf({ headers }: IncomingMessage): McpHeaders {
  return {
    version: headers['mcp-protocol-version'] as string | undefined,
    method: headers['mcp-method'] as string | undefined,
    name: headers['mcp-name'] as string | undefined,
  };
}

function statusOf({ json, failure }: Reply): number {
  if (failure === 'refused' || failure === 'unsupported version') return 400;
  if (failure === 'unknown method') return 404;
  return json === null ? 202 : 200;
}

function send(response: ServerResponse, status: number, json: Reply['json'], headers: Record<string, string>): void {
  // Names and values in turn are the fastest form for writeHead.
  const all = ['content-length', String(json?.length ?? 0), ...(json === null ? common : commonOfJson)];
  for (const name in headers) all.push(name, headers[name] as string);
  response.writeHead(status, all);
  response.end(json ?? undefined, 'latin1');
}

const common = ['cache-control', 'no-store', 'x-content-type-options', 'nosniff'];
const commonOfJson = ['content-type', 'application/json', ...common];
