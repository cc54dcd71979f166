import { type Server, STATUS_CODES } from 'node:http';
import type { Socket } from 'node:net';
import { type ErrorCode, errorCodes } from '../schema/api-errors.ts';
import type { Turns } from './connections.ts';
import { errorBody } from './errors.ts';

type ParserError = NodeJS.ErrnoException & { rawPacket?: Buffer; bytesParsed?: number };

/** Answers what never becomes a request, which Node's parser refuses or leaves to the server, with an Error object too. */
export function answerUnparsed(server: Server, turns: Turns): void {
  server.on('clientError', (error: ParserError, socket: Socket) => {
    if (error.code === 'ECONNRESET' || !socket.writable) {
      socket.destroy();
      return;
    }
    turns.refuse(socket, (request) => {
      const isHead = request === undefined ? mayBeHead(error) : request.method === 'HEAD';
      endWith(socket, ...refusalOf(error), { isHead });
    });
  });
  server.on('connect', (request) => {
    const { socket } = request;
    socket.on('error', () => socket.destroy());
    // It is the HTTP server's no longer, which would not go on with an answer, or end it at a stop.
    if (turns.owes(socket)) {
      socket.destroySoon();
      return;
    }
    socket.once('finish', () => socket.destroy());
    endWith(socket, 'method_not_allowed', 'This service is no proxy.', {
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
 * Whether the headers that the parser refused can be those of a HEAD request, whose answer has no body: a client would
 * take one for a further answer. The parser does not tell. The packet may begin with the end of another request, whose
 * body can be anything, but not reach back beyond an empty line. If the request began in an earlier packet, it is taken
 * for another one.
 */
function mayBeHead({ rawPacket, bytesParsed }: ParserError): boolean {
  const parsed = rawPacket?.subarray(0, bytesParsed).toString('latin1') ?? '';
  return parsed.slice(parsed.lastIndexOf('\r\n\r\n') + 1).includes('HEAD ');
}

/** Writes an Error object where there is no response to write it to, and ends the connection. `headers` end in CRLF. */
function endWith(
  socket: Socket,
  code: ErrorCode,
  message: string,
  { headers = '', isHead = false }: { headers?: string; isHead?: boolean } = {},
): void {
  if (!socket.writable) return;
  const body = errorBody(code, message);
  const { status } = errorCodes[code];
  socket.end(
    `HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\nContent-Type: application/json\r\nContent-Length: ${Buffer.byteLength(body)}\r\n` +
      `${headers}Connection: close\r\n\r\n${isHead ? '' : body}`,
  );
}
