import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Polka } from 'polka';
import { dispatch, messagesIn, parseMessage, type Reply } from '../mcp/dispatch.ts';
import type { McpHeaders } from '../mcp/envelope.ts';
import { codes, RpcError } from '../mcp/errors.ts';
import { errorResponse, idOf, type RequestId } from '../mcp/messages.ts';
import { readBody, requireJson } from './body.ts';
import { clientAddress } from './client.ts';
import { Refusal, sendError } from './errors.ts';
import type { Limit } from './limits.ts';
import { acceptsCard, sendCard, sendCardPreflight } from './mcp-card.ts';
import { corsHeaders } from './origin.ts';
import { limited, type PostParts } from './posts.ts';

/** The largest body, in bytes. */
const maxBodyBytes = 256 * 1024;

/** What the MCP endpoint is made of. */
export interface McpParts extends PostParts {
  /** The limit on messages; a batch counts each of its messages. */
  messages: Limit;
}

const allowed = { endpoint: 'GET, HEAD, POST, OPTIONS', card: 'GET, HEAD, OPTIONS' };

/**
 * Adds what is at `/api/mcp` below `mount` besides messages: the server card by GET, there and at `server-card`, and what
 * browsers ask beforehand.
 */
export function addMcp(router: Polka, mount: string, parts: PostParts): void {
  const endpoint = `${mount}/api/mcp`;
  const card = `${endpoint}/server-card`;
  router.get(endpoint, (request, response) =>
    acceptsCard(request)
      ? sendCard(request, response, parts.follower.current(), 'application/json')
      : refuseMethod(response, 'There is no event stream here: POST a message, or GET the server card.'),
  );
  router.options(endpoint, (request, response) =>
    request.headers['access-control-request-method'] === 'POST'
      ? sendPostPreflight(request, response, parts)
      : sendCardPreflight(response, allowed.endpoint),
  );
  router.all(endpoint, (_request, response) => refuseMethod(response, 'This address takes GET and POST.'));
  router.get(card, (request, response) =>
    sendCard(request, response, parts.follower.current(), 'application/mcp-server-card+json'),
  );
  router.options(card, (_request, response) => sendCardPreflight(response, allowed.card));
  router.all(card, (_request, response) => refuseMethod(response, 'This address takes GET and HEAD.', allowed.card));
}

/** Answers a message with JSON, whatever else the client would accept; a notification with 202. */
export async function takeMessage(request: IncomingMessage, response: ServerResponse, parts: McpParts): Promise<void> {
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
    // Clients find out which revision and methods a server has by asking: they get 404 and -32022 in normal use.
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
      log.error({ err: error, path: request.url }, 'an MCP request failed by a fault of the service');
      const fault = new RpcError(codes.internal, 'The service failed. The fault is logged.');
      send(response, 500, errorResponse(id, fault), cors);
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
  // Names and values in turn, which is what writeHead takes fastest.
  const all = ['content-length', String(json?.length ?? 0), ...(json === null ? common : commonOfJson)];
  for (const name in headers) all.push(name, headers[name] as string);
  response.writeHead(status, all);
  response.end(json ?? undefined);
}

const common = ['cache-control', 'no-store', 'x-content-type-options', 'nosniff'];
const commonOfJson = ['content-type', 'application/json', ...common];

/** Lets the pages that may POST do so with the headers of the protocol. */
async function sendPostPreflight(request: IncomingMessage, response: ServerResponse, parts: PostParts): Promise<void> {
  try {
    const cors = corsHeaders(parts.origins.check(request, parts.follower.current().info));
    response.writeHead(204, {
      ...cors,
      allow: allowed.endpoint,
      'access-control-allow-methods': 'POST',
      'access-control-allow-headers': 'Content-Type, MCP-Protocol-Version, Mcp-Method, Mcp-Name',
      'access-control-max-age': '86400',
    });
    response.end();
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    await refuse(request, response, parts, error);
  }
}

/** 405. It counts toward no limit: the official clients try GET and DELETE at each connection, as the protocol says. */
function refuseMethod(response: ServerResponse, message: string, allow = allowed.endpoint): void {
  sendError(response, 'method_not_allowed', message, { allow, 'access-control-allow-origin': '*' });
}

async function refuse(
  request: IncomingMessage,
  response: ServerResponse,
  { refused, trustProxy }: PostParts,
  refusal: Refusal,
): Promise<void> {
  const { code, message, headers } = await limited(refusal, refused, clientAddress(request, trustProxy));
  sendError(response, code, message, headers);
}
