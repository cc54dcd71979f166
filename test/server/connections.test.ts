import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { connect, type Socket } from 'node:net';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { ask, parseAnswer } from '../support/requests.ts';
import { type Runtime, withRuntime } from '../support/server.ts';
import { until } from '../support/until.ts';

/** How much one connection and one client can make the server hold. */

const get = (path: string) => `GET ${path} HTTP/1.1\r\nHost: localhost\r\n\r\n`;

/** A connection that is not read until something listens to its `data` event, and whether it was closed. */
function client({ server }: Runtime, localAddress = '127.0.0.1'): { socket: Socket; isClosed: () => boolean } {
  let isClosed = false;
  const socket = connect({ host: '127.0.0.1', port: Number(new URL(server.address).port), localAddress });
  socket.pause();
  socket.on('error', () => {});
  socket.on('close', () => {
    isClosed = true;
  });
  return { socket, isClosed: () => isClosed };
}

/** Resolves once the server has closed a connection that is not read. Only a write can detect that. */
async function untilCutOff({ socket, isClosed }: ReturnType<typeof client>): Promise<void> {
  await until(() => {
    if (!isClosed()) socket.write('\r\n');
    return isClosed();
  });
}

/** Makes a text file so large that the system accepts only a part of it while nobody reads. */
function writeLargeFile({ folder }: Runtime, megabytes: number, name = 'llms-full.txt'): number {
  writeFileSync(join(folder, 'dist', name), Buffer.alloc(megabytes * 1024 * 1024, 'x'));
  return megabytes * 1024 * 1024;
}

test('a client that pipelines without reading has only one pending answer', async () => {
  const handled: string[] = [];
  await withRuntime({ onRequest: (path) => handled.push(path) }, async (here) => {
    writeLargeFile(here, 8);
    assert.is((await ask(here.server.address, '/llms-full.txt')).status, 200);
    await until(() => handled.length === 1);
    const { socket, isClosed } = client(here);
    socket.write(get('/llms-full.txt').repeat(60));
    await until(() => handled.length > 1);
    // Data that was sent earlier on another connection is handled earlier.
    for (let round = 0; round < 10; round += 1) await ask(here.server.address, '/robots.txt');
    const under = handled.filter((path) => path === '/llms-full.txt').length;
    assert.ok(under < 5, `${under} answers of 8 MB`);
    assert.is(isClosed(), false);
    socket.destroy();
  });
});

test('a client that pipelines thousands of requests is disconnected, and others are served', () =>
  withRuntime({}, async (here) => {
    const flooding = Array.from({ length: 3 }, () => client(here));
    for (const { socket } of flooding) socket.write(get('/nowhere').repeat(2000));
    for (const each of flooding) await untilCutOff(each);
    assert.is((await ask(here.server.address, '/')).status, 200);
  }));

test('a moderate number of pipelined requests is answered in order, and the connection stays', () =>
  withRuntime({}, async (here) => {
    const { socket, isClosed } = client(here);
    socket.resume();
    const paths = ['/', '/nowhere', '/api/agents.json', '/api/none.json', '/about'];
    const post = '{"slug":"one","vote":"yes"}';
    const vote = `POST /api/feedback HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: ${post.length}\r\n\r\n${post}`;
    for (let round = 1; round <= 2; round += 1) {
      let text = '';
      socket.on('data', (bytes: Buffer) => {
        text += bytes.toString('latin1');
      });
      socket.write((paths.map(get).join('') + vote).repeat(10));
      const statuses = () => [...text.matchAll(/HTTP\/1\.1 (\d+)/g)].map(([, status]) => status);
      await until(() => statuses().length >= 60);
      assert.equal(statuses(), Array(10).fill(['200', '404', '200', '404', '200', '200']).flat());
      socket.removeAllListeners('data');
    }
    assert.is(isClosed(), false);
    socket.destroy();
  }));

/** Runs `use` with the function that the server would call every `ms` milliseconds. Only the test calls it. */
async function withLooks(ms: number, use: (look: () => void) => Promise<void>): Promise<void> {
  const real = globalThis.setInterval;
  let look = () => {};
  globalThis.setInterval = ((work: () => void, every: number, ...rest: unknown[]) => {
    if (every !== ms) return Reflect.apply(real, globalThis, [work, every, ...rest]);
    look = work;
    return real(() => {}, 2 ** 31 - 1);
  }) as typeof setInterval;
  try {
    await use(() => look());
  } finally {
    globalThis.setInterval = real;
  }
}

test('an answer that nobody reads closes its connection; one that is read slowly arrives completely', () =>
  withLooks(987_654, (look) =>
    withRuntime({ stalledMs: 987_654 }, async (here) => {
      // Files of up to 8 MB are answered from memory, larger ones from the disk.
      const cases: [name: string, megabytes: number, times: number][] = [
        ['llms.txt', 8, 3],
        ['llms-full.txt', 24, 1],
      ];
      for (const [name, megabytes, times] of cases) {
        const size = times * writeLargeFile(here, megabytes, name);
        const requests = get(`/${name}`).repeat(times);
        const stalled = client(here);
        stalled.socket.write(requests);
        const slow = client(here);
        let read = 0;
        slow.socket.on('data', (bytes: Buffer) => {
          const before = read;
          read += bytes.length;
          if (Math.floor(before / 8e6) === Math.floor(read / 8e6)) return;
          look();
          slow.socket.pause();
          setTimeout(() => slow.socket.resume(), 30);
        });
        slow.socket.resume();
        slow.socket.write(requests.replace(/\r\n$/, 'Connection: close\r\n\r\n'));
        await until(slow.isClosed);
        assert.ok(read > size && read < size + times * 2000, `${name}: ${read} bytes of ${size}`);
        look();
        look();
        await untilCutOff(stalled);
      }
    }),
  ));

test('connections are limited in total and per client, and accepted again when others close', () =>
  withRuntime({ flags: { maxConnections: '6', maxClientConnections: '4' } }, async (here) => {
    const isTaken = async (each: ReturnType<typeof client>) => {
      let isAnswered = false;
      each.socket.once('data', () => {
        isAnswered = true;
      });
      each.socket.resume();
      each.socket.write(get('/robots.txt'));
      await until(() => isAnswered || each.isClosed());
      return isAnswered;
    };
    const open = async (localAddress: string) => {
      const each = client(here, localAddress);
      return { each, taken: await isTaken(each) };
    };
    const first = [];
    for (let count = 0; count < 5; count += 1) first.push(await open('127.0.0.1'));
    assert.equal(
      first.map(({ taken }) => taken),
      [true, true, true, true, false],
    );
    const second = [];
    for (let count = 0; count < 3; count += 1) second.push(await open('127.0.0.2'));
    assert.equal(
      second.map(({ taken }) => taken),
      [true, true, false],
    );
    for (const { each } of [...first, ...second]) each.socket.destroy();
    // Refused connections do not count later: all four are free again.
    await until(async () => {
      const again = [];
      for (let count = 0; count < 4; count += 1) again.push(await open('127.0.0.1'));
      for (const { each } of again) each.socket.destroy();
      return again.every(({ taken }) => taken);
    });
  }));

test('behind a proxy, which bundles many clients, there is no limit per client', () =>
  withRuntime({ flags: { maxClientConnections: '2', trustProxy: '1' } }, async (here) => {
    const clients = Array.from({ length: 10 }, () => client(here));
    const answered = clients.map(async ({ socket }) => {
      socket.write(get('/robots.txt'));
      await once(socket.resume(), 'data');
    });
    await Promise.all(answered);
    assert.is((await ask(here.server.address, '/')).status, 200);
    assert.equal(clients.filter(({ isClosed }) => isClosed()).length, 0);
    for (const { socket } of clients) socket.destroy();
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

const vote = '{"slug":"one","vote":"yes"}';
const posted = (headers: string) =>
  `POST /api/feedback HTTP/1.1\r\nHost: localhost\r\nContent-Type: ${headers}\r\n\r\n`;
const aVote = posted(`application/json\r\nContent-Length: ${vote.length}`) + vote;
const chunked = 'Transfer-Encoding: chunked';
const large = get('/llms-full.txt');

/** The data that is sent at once, the data that is sent once an answer has begun, and the expected answers in order. */
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
        if (raw === '' && second !== undefined) socket.write(second, 'latin1');
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

test.run();
