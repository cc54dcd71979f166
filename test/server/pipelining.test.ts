import { once } from 'node:events';
import { createServer, type ServerResponse } from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { Turns } from '../../src/server/http-server.ts';
import { client, get, writeLargeFile } from '../support/connections.ts';
import { parseAnswer } from '../support/requests.ts';
import { withRuntime } from '../support/server.ts';
import { until } from '../support/until.ts';

/** Requests that arrive together on one connection are answered one after the other, in their order. */

const vote = '{"slug":"one","vote":"yes"}';
const posted = (headers: string) =>
  `POST /api/feedback HTTP/1.1\r\nHost: localhost\r\nContent-Type: ${headers}\r\n\r\n`;
const aVote = posted(`application/json\r\nContent-Length: ${vote.length}`) + vote;
const chunked = 'Transfer-Encoding: chunked';
const large = get('/llms-full.txt');

test('a moderate number of pipelined requests is answered in order, and the connection stays', () =>
  withRuntime({}, async (here) => {
    const { socket, isClosed } = client(here);
    socket.resume();
    const paths = ['/', '/nowhere', '/api/agents.json', '/api/none.json', '/about'];
    for (let round = 1; round <= 2; round += 1) {
      let text = '';
      socket.on('data', (bytes: Buffer) => {
        text += bytes.toString('latin1');
      });
      socket.write((paths.map(get).join('') + aVote).repeat(10));
      const statuses = () => [...text.matchAll(/HTTP\/1\.1 (\d+)/g)].map(([, status]) => status);
      await until(() => statuses().length >= 60);
      assert.equal(statuses(), Array(10).fill(['200', '404', '200', '404', '200', '200']).flat());
      socket.removeAllListeners('data');
    }
    assert.is(isClosed(), false);
    socket.destroy();
  }));

/**
 * Splits the data of a connection into answers, each with its status. Those that `expected` marks as empty have no
 * body.
 */
function answersIn(raw: string, expected: readonly string[]): string[] {
  const answers: string[] = [];
  for (let rest = raw; rest !== ''; ) {
    const { status, headers, text } = parseAnswer(rest);
    const length = expected[answers.length]?.endsWith('empty') ? 0 : Number(headers['content-length']);
    if (!(status > 0 && text.length >= length)) return [...answers, `cut off or mixed: ${rest.slice(0, 200)}`];
    answers.push(length > 1e6 ? `${status} large` : `${status} ${length === 0 ? 'empty' : 'body'}`);
    rest = text.slice(length);
  }
  return answers;
}

/**
 * The data that is sent at once, the data that is sent once an answer has begun (the end if it is empty), and the expected
 * answers in order.
 */
const astray: [name: string, packets: [first: string, second?: string], answers: string[]][] = [
  ['a vote, then no request', [`${aVote}GET /a b\r\n\r\n`], ['200 body', '400 body']],
  ['a large answer, then no request', [`${large}nothing\r\n\r\n`], ['200 large', '400 body']],
  ['two answers, then no request', [`${large}${aVote}nothing\r\n\r\n`], ['200 large', '200 body', '400 body']],
  ['a vote, then HEAD', [`${aVote}HEAD /\xff HTTP/1.1\r\n\r\n`], ['200 body', '400 empty']],
  [
    'a body that nobody waited for, then HEAD',
    [posted('text/plain\r\nContent-Length: 9'), '{}\r\n\r\n{}!HEAD /\xff HTTP/1.1\r\n\r\n'],
    ['415 body', '400 empty'],
  ],
  [
    'a body that nobody waited for, then GET',
    [posted('text/plain\r\nContent-Length: 9'), '{}\r\n\r\n{}!GET /\xff HTTP/1.1\r\n\r\n'],
    ['415 body', '400 body'],
  ],
  ['HEAD, then GET', [`${get('/').replace('GET', 'HEAD')}GET /\xff HTTP/1.1\r\n\r\n`], ['200 empty', '400 body']],
  ['a body that goes astray', [`${posted(`application/json\r\n${chunked}`)}zz\r\n`], ['400 body']],
  [
    'a body that goes astray, in turn',
    [`${large}${posted(`application/json\r\n${chunked}`)}zz\r\n`],
    ['200 large', '400 body'],
  ],
  ['a body that goes astray after its answer', [posted(`text/plain\r\n${chunked}`), 'zz\r\n'], ['415 body']],
  [
    'a body that ends early, after its answer',
    [`${get('/').trimEnd()}\r\nContent-Length: 9\r\n\r\n`, ''],
    ['200 body'],
  ],
  [
    'a body of HEAD that goes astray',
    [`HEAD /api/none HTTP/1.1\r\nHost: localhost\r\n${chunked}\r\n\r\n`, 'zz\r\n'],
    ['404 empty'],
  ],
  [
    'a body of HEAD that goes astray, in turn',
    [`${large}HEAD /api/none HTTP/1.1\r\nHost: localhost\r\n${chunked}\r\n\r\nzz\r\n`],
    ['200 large', '400 empty'],
  ],
  [
    'a body with the word HEAD that goes astray',
    [`${posted(`application/json\r\n${chunked}`)}5\r\nHEAD \r\nzz\r\n`],
    ['400 body'],
  ],
  ['a vote, then a tunnel', [`${aVote}CONNECT x:1 HTTP/1.1\r\nHost: x\r\n\r\n`], []],
  ['an answer, then a tunnel', [`${get('/')}CONNECT x:1 HTTP/1.1\r\nHost: x\r\n\r\n`], ['200 body', '405 body']],
];

test('malformed requests are refused after the answers to earlier requests, not between them', () =>
  withRuntime({}, async (here) => {
    writeLargeFile(here, 9);
    const wrong: string[] = [];
    for (const [name, [first, second], expected] of astray) {
      const { socket, isClosed } = client(here);
      let raw = '';
      socket.setEncoding('latin1').on('data', (part) => {
        if (raw === '' && second === '') socket.end();
        else if (raw === '' && second !== undefined) socket.write(second, 'latin1');
        raw += part;
      });
      socket.resume();
      socket.write(first, 'latin1');
      await until(isClosed);
      const answers = answersIn(raw, expected);
      if (String(answers) !== String(expected)) wrong.push(`${name}: ${answers}`);
    }
    assert.equal(wrong, []);
  }));

test('a refusal waits for the second of two answers too, and no answer is kept afterwards', async () => {
  const responses: ServerResponse[] = [];
  const turns = new Turns((_request, response) => responses.push(response));
  const server = createServer(turns.listener);
  server.on('clientError', (_error, socket) => {
    turns.refuse(socket as Socket, () => socket.end('HTTP/1.1 400 Bad Request\r\nContent-Length: 0\r\n\r\n'));
    responses[1]?.end();
  });
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  const socket = connect((server.address() as AddressInfo).port, '127.0.0.1');
  try {
    let text = '';
    socket.on('data', (bytes) => {
      text += bytes;
    });
    socket.write(get('/').repeat(2));
    await until(() => responses.length === 1);
    responses[0]?.end();
    await until(() => responses[0]?.closed === true && responses.length === 2);
    socket.write('nothing\r\n\r\n');
    await once(socket, 'close');
    assert.equal(text.match(/(?<=HTTP\/1\.1 )\d+/g), ['200', '200', '400']);
    await until(() => responses[1]?.closed === true);
    assert.equal([...turns.inProgress], []);
  } finally {
    socket.destroy();
    server.close();
  }
});

test.run();
