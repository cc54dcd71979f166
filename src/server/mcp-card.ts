import type { IncomingMessage, ServerResponse } from 'node:http';
import { cardPath } from '../schema/mcp.ts';
import type { LiveBuild } from './live-build.ts';
import { isFresh } from './negotiate.ts';

/** The headers that the specification of server cards requires. */
const headers = {
  'access-control-allow-origin': '*',
  'access-control-expose-headers': 'ETag',
  'cache-control': 'public, max-age=3600',
  'x-content-type-options': 'nosniff',
};

/** Whether a GET accepts the card, and not only an event stream (C4.26). */
export function acceptsCard({ headers }: IncomingMessage): boolean {
  const accept = headers.accept ?? '';
  return !/text\/event-stream/i.test(accept) || /application\/(?:\*|json|mcp-server-card\+json)|\*\/\*/i.test(accept);
}

/** Answers with the server card of the build. */
export async function sendCard(
  request: IncomingMessage,
  response: ServerResponse,
  { files }: LiveBuild,
  type: string,
): Promise<void> {
  const file = await files.get(cardPath);
  if (file === null || file === 'large') throw new Error(`The build has no ${cardPath}`);
  const { body, etag } = file.plain;
  if (isFresh(request.headers['if-none-match'], etag)) {
    response.writeHead(304, { ...headers, etag });
    response.end();
    return;
  }
  response.writeHead(200, { ...headers, etag, 'content-type': type, 'content-length': body.length });
  response.end(body);
}
