import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { agents, mcpCatalog, stdioHere } from '../../support/mcp.ts';
import {
  assertAnswer,
  mcpPath,
  modernHeaders,
  modernRequest,
  pings,
  request,
  versionKey,
} from '../../support/mcp-messages.ts';
import { type Asking, ask, assertError, exchange, parseAnswer, postJson } from '../../support/requests.ts';
import { withRuntime } from '../../support/server.ts';
import { written } from '../../support/written.ts';

/** What HTTP allows and refuses at the address of the MCP server, and how many messages a client may send. */

test('HTTP refusals are JSON-RPC errors too, and a client that is refused too often has to wait', async () => {
  await withRuntime({ agents, flags: { refusedRate: '9/60' } }, async ({ server: limited }) => {
    const good = JSON.stringify(request('ping'));
    const large = Buffer.alloc(256 * 1024 + 1, ' ');
    const refusals: [string, Asking, number][] = [
      ['256 KiB and one', { body: large }, 413],
      [
        'a stream without a length',
        { body: '', pieces: Array.from({ length: 5 }, () => Buffer.alloc(70_000, ' ')) },
        413,
      ],
      ['text', { headers: { 'content-type': 'text/plain' } }, 415],
      ['a form', { headers: { 'content-type': 'application/x-www-form-urlencoded' } }, 415],
      ['a foreign Origin', { headers: { origin: 'https://evil.example' } }, 403],
      ['a name bound to this machine', { headers: { origin: 'http://evil.example', host: 'evil.example' } }, 403],
      ['the Origin null', { headers: { origin: 'null' } }, 403],
      ['an Origin that is none', { headers: { origin: 'example' } }, 403],
      ['an unsupported version', { headers: { 'mcp-protocol-version': '1' } }, 400],
      ['one more', { body: '{' }, 429],
    ];
    for (const [name, asking, status] of refusals) {
      const answer = await postJson(limited.address, mcpPath, good, asking);
      assertAnswer(answer, [name, null, {}, status, name === 'an unsupported version' ? -32600 : -32000]);
      if (status === 429) assert.ok(Number(answer.headers['retry-after']) > 0);
      assert.is(answer.headers['access-control-allow-origin'], undefined, name);
    }
    const whole = ` ${good}${' '.repeat(256 * 1024 - good.length - 1)}`;
    assert.is((await postJson(limited.address, mcpPath, whole)).status, 200);
    const own = await postJson(limited.address, mcpPath, good, { headers: { origin: 'https://press.example' } });
    assert.equal([own.status, own.headers['access-control-allow-origin']], [200, 'https://press.example']);
    const tooMany = await postJson(limited.address, mcpPath, '{', { headers: { origin: 'https://press.example' } });
    assert.equal([tooMany.status, tooMany.headers['access-control-allow-origin']], [429, 'https://press.example']);
  });
});

test('a message that is not well-formed HTTP gets a JSON-RPC error if its address arrived', () =>
  withRuntime({ agents }, async ({ server: { address } }) => {
    const rows: [name: string, bytes: string, message: string][] = [
      [
        'a chunk that is none',
        'POST /api/mcp HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n',
        'The request is not well-formed HTTP.',
      ],
      [
        'no Host',
        'POST /api/mcp HTTP/1.1\r\nContent-Type: application/json\r\nContent-Length: 2\r\n\r\n{}',
        'An HTTP/1.1 request needs a Host header.',
      ],
    ];
    for (const [name, bytes, message] of rows) {
      const { status, text } = parseAnswer((await exchange(address, bytes)).text);
      const error = { code: -32000, message, data: { error: 'bad_request' } };
      assert.equal([name, status, JSON.parse(text)], [name, 400, { jsonrpc: '2.0', id: null, error }]);
    }
  }));

test('a compressed body or another charset is 415 on every route that accepts a body', () =>
  withRuntime({ agents }, async ({ server }) => {
    const rows: [status: number, headers: Record<string, string>][] = [
      [415, { 'content-encoding': 'gzip' }],
      [415, { 'content-encoding': 'identity, br' }],
      [415, { 'content-encoding': 'identity,br' }],
      [415, { 'content-type': 'application/json; charset=iso-8859-1' }],
      [415, { 'content-type': 'application/json;charset="utf-16"' }],
      [415, { 'content-type': 'application/json; charset = latin1' }],
      [415, { 'content-type': 'application/json; charset=utf-8; charset=latin1' }],
      [415, { 'content-type': 'application/x-www-form-urlencoded; charset=windows-1252' }],
      [200, { 'content-encoding': 'Identity, identity' }],
      [200, { 'content-encoding': '' }],
      [200, { 'content-type': 'application/json; charset=utf-8' }],
      [200, { 'content-type': 'Application/JSON;Charset="UTF-8"' }],
      [200, { 'content-type': 'application/json; charset=UTF8 ; x=y' }],
    ];
    const bodies: Record<string, object> = {
      [mcpPath]: request('ping'),
      '/api/feedback': { slug: 'log-reader', vote: 'yes' },
      '/api/subscribe': { email: 'ann@example.com', list: 'daily' },
    };
    for (const [status, headers] of rows) {
      for (const [address, body] of Object.entries(bodies)) {
        const answer = await postJson(server.address, address, body, { headers });
        assert.is(answer.status, status, `${address} ${JSON.stringify(headers)} ${answer.text}`);
        const coded = status === 415 && 'content-encoding' in headers;
        assert.is(answer.headers['accept-encoding'], coded ? 'identity' : undefined);
        if (status === 415 && !coded) assert.match(answer.text, 'The charset of the body has to be UTF-8.');
      }
    }
  }));

test('normal use never counts as refused', async () => {
  await withRuntime({ agents, flags: { refusedRate: '2/60' } }, async ({ server: { address } }) => {
    const post = (body: object, headers: object) => postJson(address, mcpPath, body, { headers: { ...headers } });
    const unserved = modernRequest('tools/list', {}, { [versionKey]: '2099-01-01' });
    for (let count = 0; count < 4; count += 1) {
      const statuses = [
        await ask(address, mcpPath, { headers: { accept: 'text/event-stream' } }),
        await ask(address, mcpPath, { method: 'DELETE', headers: { 'mcp-session-id': 'x' } }),
        await post(modernRequest('ping'), modernHeaders('ping')),
        await post(unserved, { ...modernHeaders('tools/list'), 'mcp-protocol-version': '2099-01-01' }),
        await ask(address, mcpPath, { method: 'OPTIONS', headers: { 'access-control-request-method': 'POST' } }),
      ].map(({ status }) => status);
      assert.equal(statuses, [405, 405, 404, 400, 204]);
    }
    const malformed = async () => (await postJson(address, mcpPath, '{')).status;
    assert.equal([await malformed(), await malformed(), await malformed()], [400, 400, 429]);
  });
});

test('texts and ids in any script arrive as they were written, over HTTP and over stdio', async () => {
  const title = 'Größe, 表 and 🙂';
  const catalog = [{ slug: 'scripts', date: '2026-01-01', front: { title } }];
  const id = '번호 é 🙂';
  const message = request('tools/call', { name: 'get_agent', arguments: { slug: 'scripts' } }, id);
  await withRuntime({ agents: catalog }, async ({ server, dist }) => {
    const answer = await postJson(server.address, mcpPath, message);
    const given = JSON.parse(answer.text);
    assert.equal([given.id, given.result.structuredContent.title], [id, title]);
    assert.is(Number(answer.headers['content-length']), Buffer.byteLength(answer.text));
    // The second answer has a result that was kept.
    assert.equal(JSON.parse((await postJson(server.address, mcpPath, message)).text), given);
    const { input, output, ended } = stdioHere(await mcpCatalog(dist));
    input.end(JSON.stringify(message));
    await ended;
    assert.equal(JSON.parse(written(output)), given);
  });
});

test('a client over its rate of messages has to wait; each message of a batch counts', async () => {
  await withRuntime({ agents, flags: { mcpRate: '5/60' } }, async ({ server: { address } }) => {
    const statuses = [await postJson(address, mcpPath, pings(3)), await postJson(address, mcpPath, request('ping'))];
    const notified = await postJson(address, mcpPath, { jsonrpc: '2.0', method: 'notifications/initialized' });
    assert.equal(
      [...statuses, notified].map(({ status }) => status),
      [200, 200, 202],
    );
    const over = await postJson(address, mcpPath, request('ping', {}, 'last'));
    assertAnswer(over, ['one more', null, {}, 429, -32000, { id: 'last', data: { error: 'rate_limited' } }]);
    assert.ok(Number(over.headers['retry-after']) > 0);
    assert.match(over.headers.ratelimit as string, /^"messages";r=0;t=\d+$/);
    assert.is((await ask(address, mcpPath)).status, 200);
  });
});

test('GET for an event stream, DELETE and other methods are not allowed; HEAD and OPTIONS are', () =>
  withRuntime({ agents }, async ({ server }) => {
    const refused: Asking[] = [
      { headers: { accept: 'text/event-stream' } },
      { method: 'DELETE' },
      { method: 'PUT', body: '{}' },
      { method: 'HEAD', headers: { accept: 'text/event-stream' } },
    ];
    for (const asking of refused) {
      const answer = await ask(server.address, mcpPath, asking);
      assert.is(answer.headers.allow, 'GET, HEAD, POST, OPTIONS');
      assert.is(answer.headers['access-control-allow-origin'], '*');
      if (asking.method === 'HEAD') assert.is(answer.status, 405);
      else assertError(answer, 405, 'method_not_allowed');
    }
    const preflight = (headers: Record<string, string>) => ask(server.address, mcpPath, { method: 'OPTIONS', headers });
    const post = { 'access-control-request-method': 'POST' };
    const own = await preflight({ origin: 'https://press.example', ...post });
    assert.equal([own.status, own.headers['access-control-allow-origin']], [204, 'https://press.example']);
    // Every header of a request that a browser asks about.
    assert.equal(own.headers['access-control-allow-headers']?.split(', ').sort(), [
      'Content-Type',
      'MCP-Protocol-Version',
      'Mcp-Method',
      'Mcp-Name',
    ]);
    assertError(await preflight({ origin: 'https://evil.example', ...post }), 403, 'forbidden_origin');
    const read = await preflight({ origin: 'https://evil.example', 'access-control-request-method': 'GET' });
    assert.equal([read.status, read.headers['access-control-allow-origin']], [204, '*']);
  }));

test.run();
