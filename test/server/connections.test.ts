import { EventEmitter, once } from 'node:events';
import { type Server, ServerResponse } from 'node:http';
import { pino } from 'pino';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { limitConnections } from '../../src/server/http-server.ts';
import { client, get, writeLargeFile } from '../support/connections.ts';
import { ask, exchange } from '../support/requests.ts';
import { withRuntime } from '../support/server.ts';
import { until } from '../support/until.ts';

/** How much one connection and one client can make the server hold. */

/** Resolves once the server has closed a connection that is not read. Only a write can detect that. */
async function untilCutOff({ socket, isClosed }: ReturnType<typeof client>): Promise<void> {
  await until(() => {
    if (!isClosed()) socket.write('\r\n');
    return isClosed();
  });
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

test('100 requests may wait on a connection, and one more closes it', () =>
  withRuntime({}, async ({ server }) => {
    // One is being answered; Node reads all of them at once.
    const answers = async (waiting: number) => {
      const last = get('/robots.txt').replace('Host', 'Connection: close\r\nHost');
      const { text } = await exchange(server.address, get('/robots.txt').repeat(waiting) + last);
      return text.split('HTTP/1.1 200').length - 1;
    };
    assert.is(await answers(100), 101);
    assert.ok((await answers(101)) < 100);
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

test('a body without end is cut off, so that nobody can keep the server reading', () =>
  withRuntime({}, async (here) => {
    const { socket, isClosed } = client(here);
    socket.resume();
    const type = 'Content-Type: application/json\r\nTransfer-Encoding: chunked';
    socket.write(`POST /api/feedback HTTP/1.1\r\nHost: x\r\n${type}\r\n\r\n`);
    const chunk = `40000\r\n${'x'.repeat(0x40000)}\r\n`;
    for (let sent = 0; sent < 64 && !isClosed(); sent += 1) {
      if (!socket.write(chunk)) await until(() => isClosed() || !socket.writableNeedDrain);
    }
    assert.is(isClosed(), true, 'the server read 16 MB');
  }));

test('the connections of an IPv6 network count for one client', () => {
  const server = new EventEmitter();
  limitConnections(
    server as Server,
    { maxConnections: 0, maxClientConnections: 2, trustProxy: 0 },
    pino({ level: 'silent' }),
  );
  const isTaken = (remoteAddress: string) => {
    let isClosed = false;
    const destroy = () => {
      isClosed = true;
    };
    const socket = Object.assign(new EventEmitter(), { remoteAddress, destroy });
    server.emit('connection', socket);
    return { socket, taken: !isClosed };
  };
  const addresses = ['2001:db8::1', '2001:db8::2', '2001:db8:0:0:ffff::3', '2001:db8:0:1::1', '192.0.2.1'];
  const opened = addresses.map(isTaken);
  assert.equal(
    opened.map(({ taken }) => taken),
    [true, true, false, true, true],
  );
  opened[0]?.socket.emit('close');
  assert.equal([isTaken('2001:db8::4').taken, isTaken('2001:db8::5').taken], [true, false]);
});

test('an answer that fails after it has begun ends its connection, and the bug is logged', () =>
  withRuntime({}, async ({ server }) => {
    const { end } = ServerResponse.prototype;
    ServerResponse.prototype.end = () => {
      ServerResponse.prototype.end = end;
      throw new Error('a bug');
    };
    const code = await ask(server.address, '/no-such-page').catch((error) => error.code);
    assert.is(code, 'ECONNRESET');
    assert.match(server.logged(), '"msg":"a request failed because of a bug in the server"');
  }));

test.run();
