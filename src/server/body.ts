import { isUtf8 } from 'node:buffer';
import type { IncomingMessage } from 'node:http';
import { parseBoundedJson, TooDeep } from '../lib/bounded.ts';
import { Refusal } from './errors.ts';

/** How a body was sent: as JSON, or by a form without JavaScript. */
export type BodyKind = 'json' | 'form';

/** The fields of a body. */
export type Fields = Record<string, unknown>;

/**
 * The kind of body, according to the headers. Throws Refusal `unsupported_media_type` for other content types, for other
 * charsets than UTF-8, and for compressed bodies.
 */
export function bodyKind(request: IncomingMessage): BodyKind {
  const type = mediaType(request);
  if (type === 'application/json') return 'json';
  if (type === 'application/x-www-form-urlencoded') return 'form';
  throw new Refusal(
    'unsupported_media_type',
    'The content type has to be application/json, or application/x-www-form-urlencoded for forms.',
  );
}

/** Throws Refusal `unsupported_media_type` unless the body is uncompressed JSON in UTF-8, according to the headers. */
export function requireJson(request: IncomingMessage): void {
  if (mediaType(request) !== 'application/json') {
    throw new Refusal('unsupported_media_type', 'The content type has to be application/json.');
  }
}

/** The media type in lower case, without parameters. Throws Refusal for a compressed body or another charset than UTF-8. */
function mediaType({ headers }: IncomingMessage): string {
  const coding = headers['content-encoding'];
  if (coding !== undefined && !/^[\s,]*(?:identity[\s,]*)*$/i.test(coding)) {
    throw new Refusal('unsupported_media_type', 'The body has to be sent without Content-Encoding.', {
      'accept-encoding': 'identity',
    });
  }
  const [type = '', ...parameters] = (headers['content-type'] ?? '').split(';');
  for (const parameter of parameters) {
    const charset = /^\s*charset\s*=\s*(.*)$/i.exec(parameter)?.[1]?.trim();
    if (charset !== undefined && !/^(?:utf-?8|"utf-?8"|'utf-?8')$/i.test(charset)) {
      throw new Refusal('unsupported_media_type', 'The charset of the body has to be UTF-8.');
    }
  }
  return type.trim().toLowerCase();
}

/** How much of a body beyond the limit is read and dropped, in bytes, so that the sender gets to read the answer. */
const droppedBytes = 1024 * 1024;

/**
 * Reads a whole body of at most `maxBytes`.
 *
 * Throws Refusal `payload_too_large`, or `invalid_body` if the connection ends too early.
 */
export function readBody(request: IncomingMessage, maxBytes: number): Promise<Buffer> {
  const tooLarge = () => new Refusal('payload_too_large', `The body has more than ${maxBytes} bytes.`);
  return new Promise((done, failed) => {
    const chunks: Buffer[] = [];
    let size = 0;
    request.on('data', (chunk: Buffer) => {
      size += chunk.length;
      if (size <= maxBytes) chunks.push(chunk);
      else {
        chunks.length = 0;
        failed(tooLarge());
        if (size > maxBytes + droppedBytes) request.socket.destroy();
      }
    });
    if (Number(request.headers['content-length'] ?? 0) > maxBytes) failed(tooLarge());
    request.on('end', () => done(chunks.length === 1 ? (chunks[0] as Buffer) : Buffer.concat(chunks)));
    // A request that fails also closes. To create an Error for every one would add a tenth to the cost of a vote.
    request.on('close', () => {
      if (!request.readableEnded) failed(new Refusal('invalid_body', 'The body ended too early.'));
    });
  });
}

/** Parses the fields of a body. Throws Refusal `invalid_body` if it is malformed or not an object. */
export function parseFields(body: Buffer, kind: BodyKind): Fields {
  if (!isUtf8(body)) throw new Refusal('invalid_body', 'The body is not UTF-8 text.');
  return kind === 'json' ? parseJson(body.toString('utf8')) : parseForm(body.toString('utf8'));
}

function parseJson(text: string): Fields {
  let value: unknown;
  try {
    value = parseBoundedJson(text);
  } catch (error) {
    if (error instanceof TooDeep) throw new Refusal('invalid_body', error.message);
    throw new Refusal('invalid_body', 'The body is not well-formed JSON.');
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    throw new Refusal('invalid_body', 'The body has to be a JSON object.');
  }
  return value as Fields;
}

/** Parses application/x-www-form-urlencoded (URL standard), but refuses invalid UTF-8. The first of two fields with one name counts. */
function parseForm(text: string): Fields {
  const fields: Fields = Object.create(null);
  for (const pair of text.split('&')) {
    if (pair === '') continue;
    const [name = '', ...rest] = pair.split('=');
    try {
      const key = decodeFormText(name);
      fields[key] ??= decodeFormText(rest.join('='));
    } catch {
      throw new Refusal('invalid_body', 'The form has an escape sequence that is not UTF-8.');
    }
  }
  return fields;
}

function decodeFormText(text: string): string {
  return decodeURIComponent(text.replaceAll('+', ' ')).replaceAll('\r\n', '\n');
}
