import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Request, Response } from 'polka';
import { cardPath } from '../../schema/mcp.ts';
import type { LiveBuild } from '../build-follower.ts';
import type { Gate } from '../forms.ts';
import {
  answerReadPreflight,
  isFresh,
  mediaType,
  Refusal,
  type Route,
  readBody,
  readRoutes,
  refuseMethod,
} from '../http.ts';
import type { Limit } from '../limits.ts';
import { requestId } from '../log.ts';
import { dispatch, parseMessage, type Reply } from './dispatch.ts';
import { errorResponse, idOf, type McpHeaders, type RequestId, RpcError } from './messages.ts';

/** The headers that the specification of server cards requires, and Vary, because GET answers by Accept. */
const headers = {
  'access-control-allow-origin': '*',
  'access-control-expose-headers': 'ETag',
  'cache-control': 'public, max-age=3600',
  vary: 'Accept',
  'x-content-type-options': 'nosniff',
};

/** Whether a GET accepts the card, and not only an event stream (C4.26). */
function acceptsCard({ headers }: IncomingMessage): boolean {
  const accept = headers.accept ?? '';
  return !/text\/event-stream/i.test(accept) || /application\/(?:\*|json|mcp-server-card\+json)|\*\/\*/i.test(accept);
}

/** Answers with the server card of the build. */
async function sendCard(request: IncomingMessage, response: ServerResponse, { files }: LiveBuild, type: string) {
  const file = await files.get(cardPath);
  if (file === null || file === 'large') throw new Error(`The build has no ${cardPath}`);
  const { body, etag } = file.plain;
  if (isFresh(request.headers['if-none-match'], etag)) return void response.writeHead(304, { ...headers, etag }).end();
  response.writeHead(200, { ...headers, etag, 'content-type': type, 'content-length': body.length }).end(body);
}

/** The largest body, in bytes. */
const maxBodyBytes = 256 * 1024;

/** The methods of the endpoint. */
const allow = 'GET, HEAD, POST, OPTIONS';

/**
 * The routes of the MCP endpoint at `path`: messages by POST, and the server card by GET, also at `server-card`. `messages` is
 * the limit on messages; each message of a batch counts.
 */
export function mcpRoutes(path: string, gate: Gate, messages: Limit): Route[] {
  const card = `${path}/server-card`;
  const cardOf = () => gate.follower.current();
  return [
    ['POST', path, (request, response) => takeMessage(request, response, gate, messages)],
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
          ? gate.preflight(request, response, postPreflight)
          : answerReadPreflight(response, allow),
    ],
    ['ALL', path, (_request, response) => refuseMethod(response, 'This address accepts GET and POST.', allow)],
    ...readRoutes(card, (request, response) =>
      sendCard(request, response, cardOf(), 'application/mcp-server-card+json'),
    ),
  ];
}

const postPreflight = {
  allow,
  'access-control-allow-headers': 'Content-Type, MCP-Protocol-Version, Mcp-Method, Mcp-Name',
};

/** Answers a message with JSON, never with an event stream (C4.25), and a notification with 202. */
async function takeMessage(request: Request, response: Response, gate: Gate, messages: Limit): Promise<void> {
  const { follower, log } = gate;
  const address = gate.addressOf(request);
  const { info, mcp } = follower.current();
  let cors: Record<string, string> = {};
  let id: RequestId | null = null;
  try {
    cors = gate.cors(request, info);
    if (mediaType(request) !== 'application/json') {
      throw new Refusal('unsupported_media_type', 'The content type has to be application/json.');
    }
    const parsed = parseMessage(await readBody(request, maxBodyBytes));
    if ('value' in parsed) {
      id = idOf(parsed.value);
      await messages.take(address, parsed.count);
    }
    const reply = 'value' in parsed ? await dispatch(parsed.value, headersOf(request), mcp) : parsed;
    const status = statusOf(reply);
    // Clients probe for revisions and methods, so 404 and -32022 are part of normal use and do not count.
    if (reply.failure === 'refused') await gate.refused.take(address);
    send(response, status, reply.json, cors);
  } catch (error) {
    if (error instanceof Refusal) {
      const { code, status, message, headers } = await gate.limited(error, address);
      send(response, status, errorResponse(id, new RpcError('refused', message, { error: code })), {
        ...headers,
        ...cors,
      });
    } else {
      log.error(
        { err: error, path: request.path, request: requestId(request) },
        'an MCP request failed because of a bug in the server',
      );
      const bug = new RpcError('internal', 'The server failed. The error is in its log.');
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
