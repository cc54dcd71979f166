import { writeFileSync } from 'node:fs';
import { connect, type Socket } from 'node:net';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { ask, type Here, until, withServerHere } from '../support/runtime.ts';

/** What one connection, and one client, can make the server hold. */

const get = (path: string) => `GET ${path} HTTP/1.1\r\nHost: localhost\r\n\r\n`;

/** A connection that is not read until its `data` event is listened to, and whether it was closed. */
function client({ address }: Here, localAddress = '127.0.0.1'): { socket: Socket; isClosed: () => boolean } {
  let isClosed = false;
  const socket = connect({ host: '127.0.0.1', port: Number(new URL(address).port), localAddress });
  socket.pause();
  socket.on('error', () => {});
  socket.on('close', () => {
    isClosed = true;
  });
  return { socket, isClosed: () => isClosed };
}

/** Resolves once the server has closed a connection that is not read, which only a write finds out. */
async function untilCutOff({ socket, isClosed }: ReturnType<typeof client>): Promise<void> {
  await until(() => {
    if (!isClosed()) socket.write('\r\n');
    return isClosed();
  });
}

/** Makes llms-full.txt so large that the system takes only a part of it while nobody reads. */
function writeLargeFile({ folder }: Here, megabytes: number): number {
  writeFileSync(join(folder, 'dist/llms-full.txt'), Buffer.alloc(megabytes * 1024 * 1024, 'x'));
  return megabytes * 1024 * 1024;
}

test('a client that pipelines and does not read has one answer under way, not all', async () => {
  const handled: string[] = [];
  await withServerHere({ onRequest: (path) => handled.push(path) }, async (here) => {
    writeLargeFile(here, 8);
    assert.is((await ask(here.address, '/llms-full.txt')).status, 200);
    await until(() => handled.length === 1);
    const { socket, isClosed } = client(here);
    socket.write(get('/llms-full.txt').repeat(60));
    await until(() => handled.length > 1);
    // What was sent before on another connection is handled before.
    for (let round = 0; round < 10; round += 1) await ask(here.address, '/robots.txt');
    const under = handled.filter((path) => path === '/llms-full.txt').length;
    assert.ok(under < 5, `${under} answers of 8 MB`);
    assert.is(isClosed(), false);
    socket.destroy();
  });
});

test('a client that pipelines thousands of requests is disconnected, and others are served', () =>
  withServerHere({}, async (here) => {
    const flooding = Array.from({ length: 5 }, () => client(here));
    for (const { socket } of flooding) socket.write(get('/nowhere').repeat(5000));
    for (const each of flooding) await untilCutOff(each);
    assert.is((await ask(here.address, '/')).status, 200);
  }));

test('a moderate number of pipelined requests is answered in order, and the connection stays', () =>
  withServerHere({}, async (here) => {
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

for (const [kind, megabytes] of [
  ['from memory', 8],
  ['from the disk', 24],
] as const) {
  test(`an answer ${kind} that nobody reads ends its connection; one that is read slowly arrives whole`, () =>
    withServerHere({ stalledMs: 150 }, async (here) => {
      const size = writeLargeFile(here, megabytes);
      const stalled = client(here);
      // More than the system takes of an answer from memory.
      stalled.socket.write(get('/llms-full.txt').repeat(megabytes > 8 ? 1 : 5));
      const slow = client(here);
      let read = 0;
      slow.socket.write(get('/llms-full.txt').replace('\r\n\r\n', '\r\nConnection: close\r\n\r\n'));
      slow.socket.on('data', (bytes: Buffer) => {
        read += bytes.length;
        if (read % 20 === 0) return;
        slow.socket.pause();
        setTimeout(() => slow.socket.resume(), 1);
      });
      slow.socket.resume();
      await untilCutOff(stalled);
      await until(() => slow.isClosed());
      assert.ok(read > size && read < size + 2000, `${read} bytes of ${size}`);
    }));
}

test('connections are limited in all and for each client, and are taken again when others end', () =>
  withServerHere({ flags: { maxConnections: '6', maxClientConnections: '4' } }, async (here) => {
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
    await until(async () => {
      const { each, taken } = await open('127.0.0.1');
      each.socket.destroy();
      return taken;
    });
  }));

test('behind a proxy, which has the connections of many clients, there is no limit for each client', () =>
  withServerHere({ flags: { maxClientConnections: '2', trustProxy: '1' } }, async (here) => {
    const clients = Array.from({ length: 10 }, () => client(here));
    await sleep(20);
    assert.is((await ask(here.address, '/')).status, 200);
    assert.equal(clients.filter(({ isClosed }) => isClosed()).length, 0);
    for (const { socket } of clients) socket.destroy();
  }));

test.run();
