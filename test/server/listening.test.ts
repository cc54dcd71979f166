import { existsSync, renameSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { connect, Server as NetServer, type Socket } from 'node:net';
import { networkInterfaces } from 'node:os';
import { join } from 'node:path';
import { pino } from 'pino';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { OperationError } from '../../src/lib/errors.ts';
import { sendError } from '../../src/server/http.ts';
import { answerUnparsed, HttpServer, Turns } from '../../src/server/http-server.ts';
import { serverSettings } from '../../src/server/settings.ts';
import { ask, exchange, parseAnswer, postJson } from '../support/requests.ts';
import { withRuntime } from '../support/server.ts';
import { testUnless } from '../support/skip.ts';
import { until, withStillClock } from '../support/until.ts';

/** How the server begins to listen, and the connections that it ends itself. */

const httpServer = (port: string, host = '127.0.0.1') =>
  new HttpServer(serverSettings({ port, host }, {}, '/'), pino({ level: 'silent' }), 30_000);

/** How a message to the MCP server is refused before it was read. */
const rpcError = (error: string, message: string) => ({
  jsonrpc: '2.0',
  id: null,
  error: { code: -32000, message, data: { error } },
});

test('until there is something to serve, the answer is 503 with a time to wait', async () => {
  const server = httpServer('0');
  const address = `http://127.0.0.1:${await server.listen()}/`;
  try {
    const { status, headers, text } = await ask(address, '/agents/one');
    assert.equal(
      [status, headers['retry-after'], JSON.parse(text)],
      [503, '1', { error: 'unavailable', message: 'The server is starting.' }],
    );
    const message = await postJson(address, '/api/mcp', { jsonrpc: '2.0', id: 1, method: 'ping' });
    assert.equal([message.status, message.headers['retry-after']], [503, '1']);
    assert.equal(JSON.parse(message.text), rpcError('unavailable', 'The server is starting.'));
    server.serve((_request, response) => sendError(response, 'not_found', 'There is nothing here.'));
    assert.is((await ask(address, '/agents/one')).status, 404);
  } finally {
    await server.close();
  }
});

test('a request has 20 seconds to arrive, and idle connections stay open for longer than proxies keep them', async () => {
  const { listen } = NetServer.prototype;
  let opened: Partial<Server> = {};
  NetServer.prototype.listen = function (this: Server, ...args: unknown[]) {
    opened = this;
    return Reflect.apply(listen, this, args);
  } as typeof listen;
  const server = httpServer('0');
  try {
    await server.listen();
    const { requestTimeout = 0, headersTimeout = 0, keepAliveTimeout = 0 } = opened;
    assert.is(requestTimeout, 20_000);
    assert.ok(headersTimeout <= requestTimeout && keepAliveTimeout > 20_000);
  } finally {
    NetServer.prototype.listen = listen;
    await server.close();
  }
});

test('a busy connection is closed seven seconds after the server was asked to stop', async () => {
  const server = httpServer('0');
  const port = await server.listen();
  let isBusy = false;
  server.serve(() => {
    isBusy = true;
  });
  const answer = ask(`http://127.0.0.1:${port}/`, '/').catch((error) => error.code);
  await until(() => isBusy);
  const { setTimeout: wait } = globalThis;
  const waits: unknown[] = [];
  globalThis.setTimeout = ((work: () => void, ms: number) => {
    waits.push(ms);
    return wait(work, 0);
  }) as typeof setTimeout;
  const closed = server.close();
  globalThis.setTimeout = wait;
  assert.equal([await answer, waits], ['ECONNRESET', [7_000]]);
  await closed;
});

const hasIpv6 = Object.values(networkInterfaces()).some((list) => list?.some(({ address }) => address === '::1'));
const shown: [host: string, address: string][] = [
  ['127.0.0.1', 'localhost'],
  ['0.0.0.0', 'localhost'],
  ['127.0.0.2', '127.0.0.2'],
  ['::1', 'localhost'],
  ['::', 'localhost'],
  ['0::1', '[::1]'],
];
for (const [host, name] of shown) {
  const isMissing = host.includes(':') && !hasIpv6;
  testUnless(isMissing && 'this machine has no IPv6')(`a server on ${host} is shown as ${name}, in the log too`, () =>
    withRuntime({ flags: { host } }, ({ server: { address, logged } }) => {
      assert.is(new URL(address).hostname, name);
      const line = logged()
        .split('\n')
        .find((each) => each.includes('"msg":"serving"'));
      assert.is(JSON.parse(line ?? '{}').address, address);
    }),
  );
}

test('after a rotation, new files follow for votes and for subscribers, and the log says so', () =>
  withRuntime({}, async ({ server, log, data }) => {
    const files = [log, join(data, 'signups.jsonl')];
    for (const file of files) renameSync(file, `${file}.1`);
    await server.reopen();
    assert.equal(files.map(existsSync), [true, true]);
    assert.match(server.logged(), '"msg":"opened new log files"');
  }));

const notHere = '192.0.2.1 is not an address of this machine. Choose one with --host.';
const refusals: [code: string, message: string][] = [
  [
    'EADDRINUSE',
    'Port 80 of 192.0.2.1 is already in use. Choose another one with --port or the variable PORT, or 0 for any free port.',
  ],
  ['EACCES', 'This user may not listen on port 80 of 192.0.2.1. Choose a port above 1023 with --port.'],
  ['ENOTFOUND', notHere],
  ['EAI_AGAIN', notHere],
  ['EADDRNOTAVAIL', notHere],
];

/** What the server says if the system refuses to listen with an error. */
async function refusedWith(error: Error): Promise<unknown> {
  const { listen } = NetServer.prototype;
  NetServer.prototype.listen = function (this: NetServer) {
    setImmediate(() => this.emit('error', error));
    return this;
  } as typeof listen;
  try {
    return await httpServer('80', '192.0.2.1')
      .listen()
      .catch((reason) => reason);
  } finally {
    NetServer.prototype.listen = listen;
  }
}

test('an address that cannot be used is named, with what to do', async () => {
  for (const [code, message] of refusals) {
    const reason = await refusedWith(Object.assign(new Error(`listen ${code}`), { code }));
    assert.ok(reason instanceof OperationError, code);
    assert.is(reason.message, message);
  }
  const other = Object.assign(new Error('listen EMFILE'), { code: 'EMFILE' });
  assert.is(await refusedWith(other), other);
});

test('a request that does not arrive in time gets 408, its body included', async () => {
  const turns = new Turns((request, response) => request.on('end', () => response.end()));
  const server: Server = createServer(
    { headersTimeout: 40, requestTimeout: 80, connectionsCheckingInterval: 10 },
    turns.listener,
  );
  answerUnparsed(server, turns);
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  const address = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
  const message = 'The request did not arrive in time.';
  const late = { error: 'request_timeout', message };
  try {
    for (const [start, body] of [
      ['GET / HTTP/1.1\r\nHost: x\r\nX-Slow: ', late],
      ['POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 5\r\n\r\n{', late],
      ['PUT /api/mcp HTTP/1.1\r\nHost: x\r\nContent-Length: 5\r\n\r\n{', late],
      ['POST /api/mcp/x HTTP/1.1\r\nHost: x\r\nContent-Length: 5\r\n\r\n{', late],
      ['POST /api/mcp HTTP/1.1\r\nHost: x\r\nContent-Length: 5\r\n\r\n{', rpcError('request_timeout', message)],
      [
        'POST http://x/a/api/mcp?y HTTP/1.1\r\nHost: x\r\nContent-Length: 5\r\n\r\n{',
        rpcError('request_timeout', message),
      ],
    ] as const) {
      const { status, headers, text } = parseAnswer((await exchange(address, start)).text);
      assert.equal([status, headers.connection, JSON.parse(text)], [408, 'close', body], start);
    }
  } finally {
    await new Promise((done) => server.close(done));
  }
});

const limits: [flags: object, limit: number, message: string][] = [
  [{ maxConnections: '2' }, 2, 'connections over --max-connections are closed'],
  [
    { maxClientConnections: '2' },
    2,
    'connections of one client over --max-client-connections are closed; if it is a proxy, set --trust-proxy',
  ],
];
for (const [flags, limit, message] of limits) {
  test(`connections over a limit are logged at most once a minute: ${JSON.stringify(flags)}`, () =>
    withStillClock((later) =>
      withRuntime({ flags }, async ({ server }) => {
        const sockets: Socket[] = [];
        const port = Number(new URL(server.address).port);
        const open = async () => {
          const socket = connect(port, '127.0.0.1');
          sockets.push(socket);
          let isClosed = false;
          let isAnswered = false;
          socket.on('error', () => {});
          socket.on('close', () => {
            isClosed = true;
          });
          socket.on('data', () => {
            isAnswered = true;
          });
          socket.write('GET /robots.txt HTTP/1.1\r\nHost: x\r\n\r\n');
          await until(() => isAnswered || isClosed);
          return isAnswered;
        };
        const warnings = () =>
          server
            .logged()
            .split('\n')
            .filter((line) => line.includes('"level":40'))
            .map((line) => JSON.parse(line))
            .map((line) => [line.limit, line.msg]);
        assert.equal([await open(), await open(), await open(), await open()], [true, true, false, false]);
        assert.equal(warnings(), [[limit, message]]);
        later(59_000);
        await open();
        assert.is(warnings().length, 1);
        later(1_001);
        await open();
        assert.equal(warnings(), [
          [limit, message],
          [limit, message],
        ]);
        for (const socket of sockets) socket.destroy();
      }),
    ));
}

test.run();
