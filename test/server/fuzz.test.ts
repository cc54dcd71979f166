import { readFileSync } from 'node:fs';
import http from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import fc from 'fast-check';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { type Asking, ask, exchange } from '../support/requests.ts';
import { withRuntime } from '../support/server.ts';
import { notesIn, vote } from '../support/voting.ts';

/**
 * Generated requests that are bad or at least odd. None of them may be answered with 5xx, hang, or leave a trace. A
 * request counts as hanging if it gets 408, or nothing until `ask` or `exchange` gives up.
 */

const seed = 20261121;

/** The characters that Node's client can send in a path: the visible ones of latin-1. */
const visible = (max: number) =>
  fc.string({
    unit: fc
      .integer({ min: 0x21, max })
      .filter((code) => code !== 0x7f)
      .map((code) => String.fromCharCode(code)),
    maxLength: 60,
  });
const pathText = fc.oneof({ weight: 4, arbitrary: visible(0x7e) }, { weight: 1, arbitrary: visible(0xff) });
const headerText = fc.string({
  unit: fc
    .integer({ min: 0x20, max: 0xff })
    .filter((code) => code !== 0x7f)
    .map((code) => String.fromCharCode(code)),
  maxLength: 80,
});

const path = fc.oneof(
  pathText.map((text) => `/${text}`),
  fc.constantFrom('/api/feedback', '/api/subscribe', '/api/mcp', '/api/agents.json', '/', '*', '//', '/%', '/api/'),
  fc
    .tuple(fc.constantFrom('/api/', '/agents/', '/api/agents/', '/api/feedback', 'http://x/', '/assets/'), pathText)
    .map(([start, rest]) => start + rest),
);

const headerName = fc.oneof(
  fc.constantFrom(
    ...['accept', 'accept-encoding', 'range', 'if-range', 'if-none-match', 'origin', 'x-forwarded-for', 'cookie'],
    ...['access-control-request-method', 'content-encoding', 'if-modified-since', 'authorization', 'accept-language'],
  ),
  fc.stringMatching(/^x-[a-z0-9!#$&'*+.^_`|~-]{1,20}$/),
);
const headers = fc.dictionary(
  headerName,
  fc.oneof(headerText, fc.constantFrom('bytes=0-', 'bytes=-1', 'bytes=9-1', '*', 'null', 'br;q=x', '"', 'W/"')),
  { maxKeys: 5 },
);

/** A valid body except for one field. */
const nearly = fc
  .tuple(
    fc.constantFrom(
      ...(['slug', 'vote'] as const).map((key) => [key, { slug: 'one', vote: 'yes' }] as const),
      ...(['email', 'list'] as const).map((key) => [key, { email: 'a@example.com', list: 'daily' }] as const),
    ),
    fc.jsonValue().filter((value) => !['one', 'yes', 'no', 'daily', 'pro', 'custom'].some((good) => good === value)),
  )
  .map(([[key, fields], value]) => JSON.stringify({ ...fields, [key]: value }));

const body = fc.oneof(
  fc.json(),
  nearly,
  fc.uint8Array({ maxLength: 400 }).map((bytes) => Buffer.from(bytes)),
  fc
    .array(fc.tuple(fc.constantFrom('slug', 'vote', 'note', 'email', '__proto__', 'a[b]'), fc.string()))
    .map((pairs) => pairs.map((pair) => pair.join('=')).join('&')),
  fc.integer({ min: 1, max: 80_000 }).map((size) => Buffer.alloc(size, '[{"a":')),
);

const contentType = fc.oneof(
  fc.constantFrom('application/json', 'application/json', 'application/x-www-form-urlencoded', 'text/plain'),
  headerText,
);

const allMethods = http.METHODS.filter((name) => name !== 'CONNECT');
const sentTo = (methods: string[], paths: fc.Arbitrary<string>) =>
  fc.record({ method: fc.constantFrom(...methods), path: paths, headers, body, contentType, inPieces: fc.boolean() });
const request = fc.oneof(
  { weight: 5, arbitrary: sentTo(['POST'], fc.constantFrom('/api/feedback', '/api/subscribe')) },
  { weight: 3, arbitrary: sentTo(['GET', 'HEAD', 'OPTIONS'], path) },
  { weight: 2, arbitrary: sentTo(allMethods, path) },
);

/** Bytes that start like a request and then go wrong. */
const wild = fc
  .tuple(
    fc.constantFrom('GET', 'POST', 'CONNECT', '', 'PRI', 'get'),
    fc.constantFrom(
      ' /api/feedback HTTP/1.1\r\n',
      ' / HTTP/1.0\r\n',
      ' * HTTP/2.0\r\n',
      '\r\n\r\n',
      ' http:// HTTP/1.1\r\n',
    ),
    fc.constantFrom(
      'Host: x\r\n',
      'Host: x\r\nHost: y\r\n',
      'Host:\r\n',
      '',
      'Content-Length: 99999999999999999999\r\n',
      'Expect: x\r\nHost: x\r\n',
    ),
    fc.uint8Array({ maxLength: 200 }),
  )
  .map(([method, target, lines, rest]) => Buffer.concat([Buffer.from(method + target + lines), Buffer.from(rest)]));

setFlagsFromString('--expose-gc');
const collectGarbage = runInNewContext('gc') as () => void;

/** Returns the memory in use after garbage collection, in megabytes. What has a finalizer is gone only after the second. */
async function memory(): Promise<number> {
  collectGarbage();
  await new Promise((done) => setTimeout(done, 50));
  collectGarbage();
  const { heapUsed, arrayBuffers } = process.memoryUsage();
  return (heapUsed + arrayBuffers) / 2 ** 20;
}

test('2,000 generated requests cause no 5xx, no hang, no line in a log, and no growth of memory', () =>
  withRuntime({}, async ({ server, log, data }) => {
    const agent = new http.Agent({ keepAlive: true, maxSockets: 16 });
    const wrong: string[] = [];
    const statuses = new Map<number, number>();
    const note = (sent: unknown, what: string) => wrong.push(`${what}: ${JSON.stringify(sent).slice(0, 400)}`);

    async function send(sent: ReturnType<typeof toRequest>): Promise<void> {
      try {
        const { status, text } = await ask(server.address, sent.path, { ...sent.asking, agent });
        statuses.set(status, (statuses.get(status) ?? 0) + 1);
        if (status >= 500 || status === 408) note(sent, `${status}, ${text}`);
      } catch (error) {
        note(sent, String(error));
      }
    }

    const requests = fc.sample(request, { seed, numRuns: 2000 }).map(toRequest);
    await inTurns(requests.slice(0, 1000), 16, send);
    const before = await memory();
    await inTurns(requests.slice(1000), 16, send);
    const grown = (await memory()) - before;
    assert.is(requests.length, 2000);
    assert.ok(grown < 4, `${grown} MB more`);

    await inTurns(fc.sample(wild, { seed, numRuns: 300 }), 16, async (bytes) => {
      const { text } = await exchange(server.address, bytes, { finish: true });
      if (/^HTTP\/1\.1 (5|408)/.test(text)) note(bytes.toString('latin1'), text);
    }).catch((error) => wrong.push(String(error)));

    assert.equal(wrong.slice(0, 5), []);
    const told = JSON.stringify([...statuses]);
    for (const status of [200, 204, 400, 404, 405, 415]) assert.ok((statuses.get(status) ?? 0) > 10, told);
    assert.equal(notesIn(log), []);
    assert.is(readFileSync(join(data, 'signups.jsonl'), 'utf8'), '');
    assert.is((await vote(server.address, 'well')).status, 200);
    agent.destroy();
  }));

test('a body that a test sends arrives as the body, with any method', async () => {
  const echo = http.createServer((request, response) => request.pipe(response));
  await new Promise<void>((done) => echo.listen(0, '127.0.0.1', done));
  const address = `http://127.0.0.1:${(echo.address() as AddressInfo).port}/`;
  const bodies: Asking[] = [{ body: 'text' }, { pieces: [Buffer.from('te'), Buffer.from('xt')] }];
  const wrong: string[] = [];
  for (const method of allMethods) {
    if (method === 'HEAD') continue;
    for (const asking of bodies) {
      const { text } = await ask(address, '/', { method, ...asking });
      if (text !== 'text') wrong.push(`${method}: ${text}`);
    }
  }
  echo.close();
  assert.equal(wrong, []);
});

type Sent = typeof request extends fc.Arbitrary<infer Value> ? Value : never;

function toRequest({ method, path, headers, body, contentType, inPieces }: Sent): { path: string; asking: Asking } {
  if (['GET', 'HEAD', 'OPTIONS', 'TRACE'].includes(method)) return { path, asking: { method, headers } };
  const bytes = Buffer.from(body as string);
  const asking = { method, headers: { ...headers, 'content-type': contentType } };
  return { path, asking: inPieces ? { ...asking, pieces: [bytes] } : { ...asking, body: bytes } };
}

/** Calls `work` for every item, `width` at a time. */
async function inTurns<Item>(
  items: readonly Item[],
  width: number,
  work: (item: Item) => Promise<void>,
): Promise<void> {
  const left = items.values();
  await Promise.all(
    Array.from({ length: width }, async () => {
      for (const item of left) await work(item);
    }),
  );
}

test.run();
