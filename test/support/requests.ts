import http from 'node:http';
import { connect } from 'node:net';
import * as assert from 'uvu/assert';
import { patienceMs } from './until.ts';

export interface Answer {
  status: number;
  headers: http.IncomingHttpHeaders;
  body: Buffer;
  /** The body as text. */
  text: string;
  ms: number;
}

export interface Asking {
  method?: string;
  headers?: http.OutgoingHttpHeaders;
  body?: string | Buffer;
  agent?: http.Agent;
  /** Sends the body in these pieces, without a length. */
  pieces?: readonly Buffer[];
  localAddress?: string;
}

/** Requests `path` unchanged, without following redirects or decoding. Rejects if the answer is incomplete. */
export function ask(address: string, path: string, asking: Asking = {}): Promise<Answer> {
  const { method = 'GET', headers = {}, body, agent, pieces, localAddress } = asking;
  const { hostname, port } = new URL(address);
  // Of DELETE and some others Node's client would send a body without saying so: bytes that are no part of the request.
  const length = body === undefined ? {} : { 'content-length': Buffer.byteLength(body) };
  const framing = pieces === undefined ? length : { 'transfer-encoding': 'chunked' };
  const begun = performance.now();
  return new Promise((answered, failed) => {
    const request = http.request({
      host: hostname.replace(/^\[|\]$/g, ''),
      port,
      path,
      method,
      headers: { ...headers, ...framing },
      ...(agent === undefined ? {} : { agent }),
      ...(localAddress === undefined ? {} : { localAddress }),
    });
    request.setTimeout(patienceMs, () => request.destroy(new Error(`No answer to ${method} ${path}`)));
    request.on('error', failed);
    request.on('response', (response) => {
      const chunks: Buffer[] = [];
      response.on('data', (chunk) => chunks.push(chunk));
      response.on('error', failed);
      response.on('end', () => {
        const whole = Buffer.concat(chunks);
        const { statusCode: status = 0, headers: received } = response;
        answered({
          status,
          headers: received,
          body: whole,
          get text() {
            return whole.toString('utf8');
          },
          ms: performance.now() - begun,
        });
      });
    });
    if (pieces === undefined) request.end(body);
    else {
      for (const piece of pieces) request.write(piece);
      request.end();
    }
  });
}

const json = { 'content-type': 'application/json' };

/** Posts a value as JSON. */
export function postJson(address: string, path: string, value: unknown, asking: Asking = {}): Promise<Answer> {
  const body = typeof value === 'string' ? value : JSON.stringify(value);
  return ask(address, path, { method: 'POST', body, ...asking, headers: { ...json, ...asking.headers } });
}

/** Sends bytes over a new connection, and returns everything received before it closed. */
export function exchange(address: string, bytes: string | Buffer, { finish = false } = {}): Promise<{ text: string }> {
  const { hostname, port } = new URL(address);
  return new Promise((done, failed) => {
    let text = '';
    const socket = connect(Number(port), hostname.replace(/^\[|\]$/g, ''));
    socket.setEncoding('latin1');
    const timer = setTimeout(() => {
      socket.destroy();
      failed(new Error(`The connection stayed open after: ${text}`));
    }, patienceMs);
    socket.on('data', (part) => {
      text += part;
    });
    socket.on('error', () => {});
    socket.on('close', () => {
      clearTimeout(timer);
      done({ text });
    });
    socket.write(typeof bytes === 'string' ? Buffer.from(bytes, 'latin1') : bytes);
    if (finish) socket.end();
  });
}

/** Fails unless the answer is an Error object with this status and code. */
export function assertError({ status, headers, text }: Answer, expected: number, code: string): void {
  assert.is(status, expected, text);
  assert.is(headers['content-type'], 'application/json', text);
  const value = JSON.parse(text) as Record<string, unknown>;
  assert.equal(Object.keys(value), ['error', 'message']);
  assert.is(value.error, code, text);
  assert.ok(typeof value.message === 'string' && value.message.length > 10, text);
}

/** A raw answer, taken apart. */
export function parseAnswer(raw: string): Answer {
  const end = raw.indexOf('\r\n\r\n');
  const [first = '', ...lines] = raw.slice(0, Math.max(0, end)).split('\r\n');
  const headers = Object.fromEntries(
    lines.map((line) => [line.slice(0, line.indexOf(':')).toLowerCase(), line.slice(line.indexOf(':') + 1).trim()]),
  );
  const text = end === -1 ? '' : raw.slice(end + 4);
  return { status: Number(first.split(' ')[1]), headers, text, body: Buffer.from(text, 'latin1'), ms: 0 };
}
