import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { exchange, parseAnswer } from '../support/requests.ts';
import { withRuntime } from '../support/server.ts';
import { notesIn, vote } from '../support/voting.ts';

/** Requests that are not well-formed HTTP, or barely: the server answers each, stores nothing, and works as before. */

const requestLine = (first: string, headers = 'Host: 127.0.0.1\r\n', text = '') =>
  `${first}\r\n${headers}Connection: close\r\n${text === '' ? '' : `Content-Length: ${text.length}\r\n`}\r\n${text}`;
const post = 'Content-Type: application/json\r\n';

const raw: [name: string, bytes: string, status: number, code: string | null][] = [
  ['absolute form', requestLine('GET http://127.0.0.1/api/agents.json HTTP/1.1'), 200, null],
  ['absolute form with another host', requestLine('GET http://evil.example/api/agents.json?x HTTP/1.1'), 200, null],
  ['absolute form that climbs', requestLine('GET http://x/../../etc/passwd HTTP/1.1'), 404, null],
  ['absolute form of the API', requestLine('GET http://x/api/none HTTP/1.1'), 404, 'not_found'],
  ['absolute form of another scheme', requestLine('GET ftp://x/api/agents.json HTTP/1.1'), 404, null],
  [
    'absolute form of a bad vote',
    requestLine('POST http://x/api/feedback HTTP/1.1', `Host: x\r\n${post}`, '{}'),
    400,
    'invalid_body',
  ],
  ['an asterisk', requestLine('OPTIONS * HTTP/1.1'), 204, null],
  ['HEAD of a path that is none', requestLine('HEAD /api/\xff\xfe HTTP/1.1'), 400, null],
  ['no HTTP', 'hello\r\n\r\n', 400, 'bad_request'],
  ['TLS', '\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03\r\n\r\n', 400, 'bad_request'],
  ['an unknown method', requestLine('BREW /api/feedback HTTP/1.1'), 400, 'bad_request'],
  ['a space in the path', requestLine('GET /api/a b HTTP/1.1'), 400, 'bad_request'],
  ['no Host', requestLine('GET /api/agents.json HTTP/1.1', ''), 400, 'bad_request'],
  ['two Hosts', requestLine('GET /api/agents.json HTTP/1.1', 'Host: x\r\nhost: x\r\n'), 400, 'bad_request'],
  ['a second Host after others', requestLine('GET / HTTP/1.0', 'Host: x\r\nA: b\r\nHOST: y\r\n'), 400, 'bad_request'],
  [
    'one Host beside other names of four letters',
    requestLine('GET /api/agents.json HTTP/1.1', 'From: a\r\nHost: x\r\nDate: b\r\n'),
    200,
    null,
  ],
  ['an empty Host', requestLine('GET /api/agents.json HTTP/1.1', 'Host:\r\n'), 400, 'bad_request'],
  ['a Host of two words', requestLine('GET / HTTP/1.1', 'Host: a b\r\n'), 400, 'bad_request'],
  ['a Host with a path', requestLine('GET / HTTP/1.1', 'Host: a/b\r\n'), 400, 'bad_request'],
  ['a Host with a user', requestLine('GET / HTTP/1.1', 'Host: a@b\r\n'), 400, 'bad_request'],
  ['a Host with a port that is none', requestLine('GET / HTTP/1.1', 'Host: a:b\r\n'), 400, 'bad_request'],
  ['HTTP/1.0 without a Host', requestLine('GET /api/agents.json HTTP/1.0', ''), 200, null],
  ['a Host with a port', requestLine('GET /api/agents.json HTTP/1.1', 'Host: [::1]:3000\r\n'), 200, null],
  [
    'two lengths',
    requestLine('POST /api/feedback HTTP/1.1', `Host: x\r\n${post}Content-Length: 5\r\n`, '{}'),
    400,
    'bad_request',
  ],
  [
    'length and chunks',
    requestLine('POST /api/feedback HTTP/1.1', `Host: x\r\n${post}Transfer-Encoding: chunked\r\n`, '{}'),
    400,
    'bad_request',
  ],
  [
    'a length below zero',
    `POST /api/feedback HTTP/1.1\r\nHost: x\r\n${post}Content-Length: -1\r\n\r\n`,
    400,
    'bad_request',
  ],
  [
    'a chunk that is none',
    `POST /api/feedback HTTP/1.1\r\nHost: x\r\n${post}Transfer-Encoding: chunked\r\n\r\nzz\r\n`,
    400,
    'bad_request',
  ],
  ['a NUL in a header', requestLine('GET / HTTP/1.1', 'Host: x\r\nX-A: \0\r\n'), 400, 'bad_request'],
  [
    'headers of 20 KB',
    requestLine('GET /api/agents.json HTTP/1.1', `Host: x\r\nX-A: ${'a'.repeat(20_000)}\r\n`),
    431,
    'headers_too_large',
  ],
  [
    'six thousand headers',
    requestLine('POST /api/feedback HTTP/1.1', `Host: x\r\n${'X-A: b\r\n'.repeat(6000)}`),
    431,
    'headers_too_large',
  ],
  ['a path of 20 KB', requestLine(`GET /api/${'a'.repeat(20_000)} HTTP/1.1`), 431, 'headers_too_large'],
  ['a path of 10 KB', requestLine(`GET /api/${'a'.repeat(10_000)} HTTP/1.1`), 404, 'not_found'],
  [
    'an expectation',
    requestLine('POST /api/feedback HTTP/1.1', `Host: x\r\n${post}Expect: the-best\r\n`, '{}'),
    400,
    'invalid_body',
  ],
  ['a tunnel', requestLine('CONNECT evil.example:443 HTTP/1.1'), 405, 'method_not_allowed'],
  [
    'an upgrade',
    requestLine('GET /api/none HTTP/1.1', 'Host: x\r\nUpgrade: websocket\r\nSec-WebSocket-Key: x\r\n'),
    404,
    'not_found',
  ],
];

test('malformed requests get an Error object too', () =>
  withRuntime({}, async ({ server, log }) => {
    const wrong: string[] = [];
    for (const [name, bytes, status, code] of raw) {
      const { text } = await exchange(server.address, bytes);
      const answer = parseAnswer(text);
      const isRight =
        answer.status === status &&
        // A refusal of a method names those that are allowed (RFC 9110, section 15.5.6).
        (status !== 405 || answer.headers.allow === 'GET, HEAD, POST, OPTIONS') &&
        (!bytes.startsWith('HEAD') || answer.text === '') &&
        (code === null ||
          (JSON.parse(answer.text || '{}').error === code && answer.headers['content-type'] === 'application/json'));
      if (!isRight) wrong.push(`${name}: ${text.slice(0, 300)}`);
    }
    assert.equal(wrong, []);
    assert.equal(notesIn(log), []);
    assert.is((await vote(server.address, 'well')).status, 200);
  }));

test.run();
