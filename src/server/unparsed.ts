import { type IncomingMessage, type Server, STATUS_CODES } from 'node:http';
import type { Socket } from 'node:net';
import { type ErrorCode, errorCodes } from '../schema/api-errors.ts';
import { earlyErrorBody } from './errors.ts';
import type { Turns } from './pipelining.ts';

type ParserError = NodeJS.ErrnoException & { rawPacket?: Buffer; bytesParsed?: number };

/** Answers with an error where Node emits no request, or not all of it arrives: for malformed or slow HTTP, and for CONNECT. */
export function answerUnparsed(server: Server, turns: Turns): void {
  server.on('clientError', (error: ParserError, socket: Socket) => {
    if (error.code === 'ECONNRESET' || !socket.writable) {
      socket.destroy();
      return;
    }
    turns.refuse(socket, (request) => {
      const isHead = request === undefined ? mayBeHead(error) : request.method === 'HEAD';
      endWith(socket, ...refusalOf(error), { isHead, request });
    });
  });
  server.on('connect', (request) => {
    const { socket } = request;
    socket.on('error', () => socket.destroy());
    // Node's server has let go of this socket: it would neither finish an answer on it nor close it.
    if (turns.owes(socket)) {
      socket.destroySoon();
      return;
    }
    socket.once('finish', () => socket.destroy());
    endWith(socket, 'method_not_allowed', 'This server is not a proxy.', {
      headers: 'Allow: GET, HEAD, POST, OPTIONS\r\n',
    });
  });
}

function refusalOf({ code }: ParserError): [ErrorCode, string] {
  switch (code) {
    case 'HPE_HEADER_OVERFLOW':
      return ['headers_too_large', 'The headers are larger than allowed.'];
    case 'ERR_HTTP_REQUEST_TIMEOUT':
      return ['request_timeout', 'The request did not arrive in time.'];
    default:
      return ['bad_request', 'The request is not well-formed HTTP.'];
  }
}

/**
 * Whether the refused headers may belong to a HEAD request. Its answer has no body: a client would take one for the next
 * answer. The parser does not say, so this searches the packet after its last empty line, since it may begin with the
 * end of another request. A request that began in an earlier packet counts as another method.
 */
function mayBeHead({ rawPacket, bytesParsed }: ParserError): boolean {
  const parsed = rawPacket?.subarray(0, bytesParsed).toString('latin1') ?? '';
  return parsed.slice(parsed.lastIndexOf('\r\n\r\n') + 1).includes('HEAD ');
}

/** Writes an error to a socket without a response, and ends the connection. `headers` end in CRLF. */
function endWith(
  socket: Socket,
  code: ErrorCode,
  message: string,
  {
    headers = '',
    isHead = false,
    request,
  }: { headers?: string; isHead?: boolean; request?: IncomingMessage | undefined } = {},
): void {
  if (!socket.writable) return;
  const body = earlyErrorBody(request, code, message);
  const { status } = errorCodes[code];
  socket.end(
    `HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\nContent-Type: application/json\r\nContent-Length: ${body.length}\r\n` +
      `${headers}Connection: close\r\n\r\n${isHead ? '' : body}`,
    'latin1',
  );
}
