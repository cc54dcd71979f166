import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { temporaryFolder } from '../support/catalog.ts';
import { loud } from '../support/loud.ts';
import { agents } from '../support/mcp.ts';
import { type Answer, type Asking, ask, assertError, postJson } from '../support/requests.ts';
import { builtCatalog, type ServerHere, startRuntime, withRuntime } from '../support/server.ts';

/** Bad input over HTTP: what the revisions say, never a 500, and the server as well as before. */

const test = suite('bad MCP messages');
const path = '/api/mcp';
const folder = temporaryFolder();
let server: ServerHere;

test.before(
  loud(async () => {
    builtCatalog(folder.path, agents);
    server = await startRuntime(folder.path);
  }),
);
test.after(
  loud(async () => {
    await server?.stop();
    folder.remove();
  }),
);

const version = 'io.modelcontextprotocol/protocolVersion';
const meta = { [version]: '2026-07-28', 'io.modelcontextprotocol/clientCapabilities': {} };

/** The headers of a request of 2026-07-28. */
const modern = (method: string, name?: string) => ({
  'mcp-protocol-version': '2026-07-28',
  'mcp-method': method,
  ...(name === undefined ? {} : { 'mcp-name': name }),
});
const request = (method: string, params: object = {}, id: unknown = 1) => ({ jsonrpc: '2.0', id, method, params });
const modernRequest = (method: string, params: object = {}, more: object = {}) =>
  request(method, { ...params, _meta: { ...meta, ...more } });
const call = (name: unknown, given: unknown = {}) => request('tools/call', { name, arguments: given });
const nested = (levels: number) => `${'['.repeat(levels)}${']'.repeat(levels)}`;
/** A call whose arguments are `levels` lists deep; four levels more surround them. */
const deepCall = (levels: number) => JSON.stringify(call('list_agents', { x: '%' })).replace('"%"', nested(levels));
const many = (count: number) => Array.from({ length: count }, (_, id) => request('ping', {}, id));
const without = (key: string) => Object.fromEntries(Object.entries(meta).filter(([name]) => name !== key));

/** name, body, headers, status, code (null: a result; undefined: no body), what the answer holds besides. */
type Row = [string, unknown, Record<string, string>, number, number | null | undefined, object?];

const rows: Row[] = [
  // What is no message.
  ['bad JSON', '{"jsonrpc":', {}, 400, -32700, { id: null }],
  ['no body', '', {}, 400, -32700],
  ['deep nesting', '['.repeat(100_000), {}, 400, -32700],
  ['arguments nested deeper than 64 levels', deepCall(62), {}, 400, -32600, { id: 1 }],
  ['arguments nested 60,000 deep', deepCall(60_000), {}, 400, -32600, { id: 1 }],
  ['a notification nested 60,000 deep', nested(60_000), {}, 400, -32600, { id: null }],
  ['arguments nested 61 deep', deepCall(61), {}, 200, null],
  ['brackets in text', call('search_agents', { query: '[{'.repeat(100) }), {}, 200, null],
  ['a text', '"ping"', {}, 400, -32600, { id: null }],
  ['null', 'null', {}, 400, -32600],
  ['an empty object', {}, {}, 400, -32600],
  ['another JSON-RPC', { id: 7, method: 'ping' }, {}, 400, -32600, { id: 7 }],
  ['a method that is no text', { jsonrpc: '2.0', id: 1, method: 5 }, {}, 400, -32600],
  ['params that are a list', { jsonrpc: '2.0', id: 1, method: 'ping', params: [] }, {}, 400, -32600],
  ['params that are null', { jsonrpc: '2.0', id: 1, method: 'ping', params: null }, {}, 400, -32600],
  // Ids.
  ['an id that is text', request('ping', {}, 'a'), {}, 200, null, { id: 'a' }],
  ['an id that is empty text', request('ping', {}, ''), {}, 200, null, { id: '' }],
  ['an id that is 0', request('ping', {}, 0), {}, 200, null, { id: 0 }],
  ['an id below 0', request('ping', {}, -3), {}, 200, null, { id: -3 }],
  ['an id that is null', request('ping', {}, null), {}, 400, -32600, { id: null }],
  ['an id that is a fraction', request('ping', {}, 1.5), {}, 400, -32600, { id: null }],
  ['an id beyond whole numbers', '{"jsonrpc":"2.0","id":12345678901234567890,"method":"ping"}', {}, 400, -32600],
  ['an id that is true', request('ping', {}, true), {}, 400, -32600],
  ['an id that is an object', request('ping', {}, {}), {}, 400, -32600],
  // The handshake revisions: what parses as a request is answered 200.
  ['an unknown method', request('no/method'), {}, 200, -32601, { id: 1 }],
  ['a method of Object', request('constructor'), {}, 200, -32601],
  ['a removed capability', request('logging/setLevel', { level: 'info' }), {}, 200, -32601],
  ['a modern method', request('server/discover'), {}, 200, -32601],
  ['initialize without a version', request('initialize'), {}, 200, -32602],
  ['a call without a name', request('tools/call', {}), {}, 200, -32602],
  ['a call with a number', call(5), {}, 200, -32602],
  ['arguments that are a list', call('get_agent', []), {}, 200, -32602],
  ['an unknown tool', call('nothing'), {}, 200, -32602],
  ['a resource without a URI', request('resources/read'), {}, 200, -32602],
  [
    'an unknown resource',
    request('resources/read', { uri: 'agent://no' }),
    {},
    200,
    -32602,
    { data: { uri: 'agent://no' } },
  ],
  ['part of the catalog by a wrong key', request('resources/read', { uri: 'agent://catalog?slug=a' }), {}, 200, -32602],
  ['an unknown prompt', request('prompts/get', { name: 'nothing' }), {}, 200, -32602],
  ['an unknown argument', request('prompts/get', { name: 'log-reader', arguments: { imput: 'x' } }), {}, 200, -32602],
  [
    'an input that is a number',
    request('prompts/get', { name: 'log-reader', arguments: { input: 5 } }),
    {},
    200,
    -32602,
  ],
  ['a cursor that is a number', request('prompts/list', { cursor: 5 }), {}, 200, -32602],
  ['an empty cursor', request('resources/list', { cursor: '' }), {}, 200, -32602],
  ['a completion without a ref', request('completion/complete', {}), {}, 200, -32602],
  [
    'a completion of an unknown kind',
    request('completion/complete', { ref: { type: 'x' }, argument: { name: 'a', value: '' } }),
    {},
    200,
    -32602,
  ],
  ['a version header of a revision', request('ping'), { 'mcp-protocol-version': '2024-11-05' }, 200, null],
  ['an unsupported version header', request('ping'), { 'mcp-protocol-version': '1900-01-01' }, 400, -32600],
  ['a session that nobody gave out', request('ping'), { 'mcp-session-id': 'x', 'last-event-id': '1' }, 200, null],
  ['another _meta key', request('ping', { _meta: { progressToken: 1 } }), {}, 200, null],
  // Notifications and answers.
  ['a notification', { jsonrpc: '2.0', method: 'notifications/initialized' }, {}, 202, undefined],
  ['an unknown notification', { jsonrpc: '2.0', method: 'no/such' }, {}, 202, undefined],
  [
    'a modern notification',
    { jsonrpc: '2.0', method: 'notifications/cancelled', params: { _meta: meta } },
    { 'mcp-protocol-version': '2026-07-28' },
    202,
    undefined,
  ],
  ['an answer', { jsonrpc: '2.0', id: 1, result: {} }, {}, 202, undefined],
  ['an answer in the modern era', { jsonrpc: '2.0', id: 1, result: {} }, modern('x'), 400, -32600],
  // Batches, which 2025-03-26 alone has.
  ['an empty batch', [], {}, 400, -32600],
  ['a batch of 101', many(101), {}, 400, -32600],
  ['a batch at 2025-11-25', many(2), { 'mcp-protocol-version': '2025-11-25' }, 400, -32600],
  ['a batch at 2025-06-18', many(2), { 'mcp-protocol-version': '2025-06-18' }, 400, -32600],
  ['a batch at 2024-11-05', many(2), { 'mcp-protocol-version': '2024-11-05' }, 400, -32600],
  ['a batch at 2026-07-28', many(2), { 'mcp-protocol-version': '2026-07-28' }, 400, -32600],
  [
    'a batch of notifications',
    [{ jsonrpc: '2.0', method: 'a' }],
    { 'mcp-protocol-version': '2025-03-26' },
    202,
    undefined,
  ],
  // 2026-07-28.
  [
    'another version in the header',
    modernRequest('tools/list'),
    { ...modern('tools/list'), 'mcp-protocol-version': '2025-11-25' },
    400,
    -32020,
  ],
  ['no version header', modernRequest('tools/list'), { 'mcp-method': 'tools/list' }, 400, -32020],
  ['no method header', modernRequest('tools/list'), { 'mcp-protocol-version': '2026-07-28' }, 400, -32020],
  ['another method in the header', modernRequest('tools/list'), modern('tools/call'), 400, -32020],
  ['the method in capitals', modernRequest('tools/list'), modern('Tools/List'), 400, -32020],
  ['no name header', modernRequest('tools/call', { name: 'list_agents' }), modern('tools/call'), 400, -32020],
  [
    'another name in the header',
    modernRequest('prompts/get', { name: 'log-reader' }),
    modern('prompts/get', 'first-draft'),
    400,
    -32020,
  ],
  [
    'another URI in the header',
    modernRequest('resources/read', { uri: 'agent://catalog' }),
    modern('resources/read', 'agent://x'),
    400,
    -32020,
  ],
  [
    'bad Base64 in the header',
    modernRequest('tools/call', { name: 'list_agents' }),
    modern('tools/call', '=?base64?bGlzd?='),
    400,
    -32020,
  ],
  [
    'Base64 that is no UTF-8',
    modernRequest('tools/call', { name: '\ufffd' }),
    modern('tools/call', '=?base64?/w==?='),
    400,
    -32020,
  ],
  [
    'the name as Base64',
    modernRequest('tools/call', { name: 'list_agents' }),
    modern('tools/call', '=?base64?bGlzdF9hZ2VudHM=?='),
    200,
    null,
  ],
  [
    'the name with spaces around',
    modernRequest('tools/call', { name: 'list_agents' }),
    modern('tools/call', '  list_agents \t'),
    200,
    null,
  ],
  ['the version only in the header', request('tools/list'), modern('tools/list'), 400, -32602],
  ['a version that is a number', modernRequest('tools/list', {}, { [version]: 5 }), modern('tools/list'), 400, -32020],
  [
    'no client capabilities',
    request('tools/list', { _meta: without('io.modelcontextprotocol/clientCapabilities') }),
    modern('tools/list'),
    400,
    -32602,
  ],
  [
    'a client without a version',
    modernRequest('tools/list', {}, { 'io.modelcontextprotocol/clientInfo': { name: 'x' } }),
    modern('tools/list'),
    400,
    -32602,
  ],
  [
    'a version that is not served',
    modernRequest('tools/list', {}, { [version]: '1900-01-01' }),
    { ...modern('tools/list'), 'mcp-protocol-version': '1900-01-01' },
    400,
    -32022,
    {
      data: {
        supported: ['2026-07-28', '2025-11-25', '2025-06-18', '2025-03-26', '2024-11-05'],
        requested: '1900-01-01',
      },
    },
  ],
  [
    'initialize with a modern header',
    request('initialize', { protocolVersion: '2025-11-25' }),
    { 'mcp-protocol-version': '2026-07-28' },
    400,
    -32020,
  ],
  ['initialize, modern', modernRequest('initialize'), modern('initialize'), 404, -32601],
  ['ping, modern', modernRequest('ping'), modern('ping'), 404, -32601],
  ['a subscription', modernRequest('subscriptions/listen'), modern('subscriptions/listen'), 404, -32601],
  ['an unknown method, modern', modernRequest('no/method'), modern('no/method'), 404, -32601, { id: 1 }],
  ['an unknown tool, modern', modernRequest('tools/call', { name: 'x' }), modern('tools/call', 'x'), 200, -32602],
  ['an unknown skill', modernRequest('skills/get', { uri: 'skill://x/SKILL.md' }), modern('skills/get'), 200, -32602],
  ['a call without a name, modern', modernRequest('tools/call'), modern('tools/call'), 200, -32602],
  [
    'params that a tool does not know',
    modernRequest('tools/call', { name: 'list_agents', inputResponses: [], extra: 1 }),
    modern('tools/call', 'list_agents'),
    200,
    null,
  ],
];

function assertAnswer({ status, headers, text }: Answer, [name, , , expected, code, holds = {}]: Row): void {
  assert.is(status, expected, `${name}: ${text}`);
  if (code === undefined) {
    assert.is(text, '', name);
    return;
  }
  assert.is(headers['content-type'], 'application/json', name);
  const answer = JSON.parse(text);
  assert.is(answer.jsonrpc, '2.0', name);
  if (code === null) assert.ok('result' in answer, `${name}: ${text}`);
  else {
    assert.is(answer.error.code, code, `${name}: ${text}`);
    assert.ok(answer.error.message.length > 10, name);
  }
  for (const [key, value] of Object.entries(holds)) {
    assert.equal(key === 'data' ? answer.error.data : answer[key], value, `${name}: ${text}`);
  }
}

test('every kind of bad message has the status and code of its revision', async () => {
  for (const row of rows) assertAnswer(await postJson(server.address, path, row[1], { headers: row[2] }), row);
  assert.not.match(server.logged(), 'a bug in the server');
});

test('what HTTP refuses is a JSON-RPC error too, and a client that is refused too often has to wait', async () => {
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
      const answer = await postJson(limited.address, path, good, asking);
      assertAnswer(answer, [name, null, {}, status, name === 'an unsupported version' ? -32600 : -32000]);
      if (status === 429) assert.ok(Number(answer.headers['retry-after']) > 0);
    }
    const whole = ` ${good}${' '.repeat(256 * 1024 - good.length - 1)}`;
    assert.is((await postJson(limited.address, path, whole)).status, 200);
    const own = await postJson(limited.address, path, good, { headers: { origin: 'https://press.example' } });
    assert.equal([own.status, own.headers['access-control-allow-origin']], [200, 'https://press.example']);
  });
});

test('arguments by the ten thousands are answered in one sentence', async () => {
  const wide = Object.fromEntries(Array.from({ length: 20_000 }, (_, key) => [`k${key}`, 0]));
  for (const body of [call('list_agents', wide), call('list_agents', { ['k'.repeat(200_000)]: 0 })]) {
    const { text } = await postJson(server.address, path, body);
    assert.is(JSON.parse(text).result.isError, true);
    assert.ok(text.length < 1_000, text.slice(0, 200));
  }
});

test('a compressed body or another charset is 415 wherever a body is taken', async () => {
  const rows: [status: number, headers: Record<string, string>][] = [
    [415, { 'content-encoding': 'gzip' }],
    [415, { 'content-encoding': 'identity, br' }],
    [415, { 'content-type': 'application/json; charset=iso-8859-1' }],
    [415, { 'content-type': 'application/json;charset="utf-16"' }],
    [415, { 'content-type': 'application/json; charset=utf-8; charset=latin1' }],
    [415, { 'content-type': 'application/x-www-form-urlencoded; charset=windows-1252' }],
    [200, { 'content-encoding': 'Identity' }],
    [200, { 'content-encoding': '' }],
    [200, { 'content-type': 'application/json; charset=utf-8' }],
    [200, { 'content-type': 'Application/JSON;Charset="UTF-8"' }],
    [200, { 'content-type': 'application/json; charset=UTF8 ; x=y' }],
  ];
  const bodies: Record<string, object> = {
    [path]: request('ping'),
    '/api/feedback': { slug: 'log-reader', vote: 'yes' },
    '/api/subscribe': { email: 'ann@example.com', list: 'daily' },
  };
  for (const [status, headers] of rows) {
    for (const [address, body] of Object.entries(bodies)) {
      const answer = await postJson(server.address, address, body, { headers });
      assert.is(answer.status, status, `${address} ${JSON.stringify(headers)} ${answer.text}`);
      const coded = status === 415 && 'content-encoding' in headers;
      assert.is(answer.headers['accept-encoding'], coded ? 'identity' : undefined);
    }
  }
});

test('what clients do in normal use never counts as refused', async () => {
  await withRuntime({ agents, flags: { refusedRate: '2/60' } }, async ({ server: { address } }) => {
    const post = (body: object, headers: object) => postJson(address, path, body, { headers: { ...headers } });
    const unserved = modernRequest('tools/list', {}, { [version]: '2099-01-01' });
    for (let count = 0; count < 4; count += 1) {
      const statuses = [
        await ask(address, path, { headers: { accept: 'text/event-stream' } }),
        await ask(address, path, { method: 'DELETE', headers: { 'mcp-session-id': 'x' } }),
        await post(modernRequest('ping'), modern('ping')),
        await post(unserved, { ...modern('tools/list'), 'mcp-protocol-version': '2099-01-01' }),
        await ask(address, path, { method: 'OPTIONS', headers: { 'access-control-request-method': 'POST' } }),
      ].map(({ status }) => status);
      assert.equal(statuses, [405, 405, 404, 400, 204]);
    }
    const malformed = async () => (await postJson(address, path, '{')).status;
    assert.equal([await malformed(), await malformed(), await malformed()], [400, 400, 429]);
  });
});

test('over the rate of messages a client has to wait; a batch counts each of its messages', async () => {
  await withRuntime({ agents, flags: { mcpRate: '5/60' } }, async ({ server: { address } }) => {
    const statuses = [await postJson(address, path, many(3)), await postJson(address, path, request('ping'))];
    const notified = await postJson(address, path, { jsonrpc: '2.0', method: 'notifications/initialized' });
    assert.equal(
      [...statuses, notified].map(({ status }) => status),
      [200, 200, 202],
    );
    const over = await postJson(address, path, request('ping', {}, 'last'));
    assertAnswer(over, ['one more', null, {}, 429, -32000, { id: 'last', data: { error: 'rate_limited' } }]);
    assert.ok(Number(over.headers['retry-after']) > 0);
    assert.match(over.headers.ratelimit as string, /^"messages";r=0;t=\d+$/);
    assert.is((await ask(address, path)).status, 200);
  });
});

test('a batch of 2025-03-26 is answered message by message', async () => {
  const batch = [
    request('ping', {}, 'a'),
    { jsonrpc: '2.0', method: 'notifications/initialized' },
    call('nothing'),
    5,
    request('initialize', { protocolVersion: '2025-03-26' }, 3),
    modernRequest('tools/list'),
  ];
  for (const headers of [{}, { 'mcp-protocol-version': '2025-03-26' }]) {
    const { status, text } = await postJson(server.address, path, batch, { headers });
    assert.is(status, 200);
    const answers = (JSON.parse(text) as { id: unknown; error?: { code: number } }[]).map(({ id, error }) => [
      id,
      error?.code,
    ]);
    assert.equal(answers, [
      ['a', undefined],
      [1, -32602],
      [null, -32600],
      [3, -32600],
      [1, -32600],
    ]);
  }
  assert.is(JSON.parse((await postJson(server.address, path, many(100))).text).length, 100);
});

test('the handshake grants the revision that is asked for, and never the one that has none', async () => {
  for (const [asked, granted] of [
    ['2025-11-25', '2025-11-25'],
    ['2025-06-18', '2025-06-18'],
    ['2025-03-26', '2025-03-26'],
    ['2024-11-05', '2024-11-05'],
    ['2026-07-28', '2025-11-25'],
    ['1.0', '2025-11-25'],
  ]) {
    const { text } = await postJson(server.address, path, request('initialize', { protocolVersion: asked }));
    const { result } = JSON.parse(text);
    assert.is(result.protocolVersion, granted);
    for (const key of ['resultType', 'ttlMs', 'cacheScope', '_meta']) assert.not.ok(key in result, key);
  }
});

test('every result of 2026-07-28 says that it is complete, whose it is, and, for what may be kept, how long', async () => {
  const kept: [string, object, string?][] = [
    ['server/discover', {}],
    ['tools/list', {}],
    ['prompts/list', {}],
    ['resources/list', {}],
    ['resources/templates/list', {}],
    ['resources/read', { uri: 'agent://log-reader' }, 'agent://log-reader'],
    ['skills/list', {}],
    ['skills/get', { uri: 'skill://log-reader/SKILL.md' }],
  ];
  const notKept: [string, object, string?][] = [
    ['tools/call', { name: 'get_agent', arguments: { slug: 'log-reader' } }, 'get_agent'],
    ['prompts/get', { name: 'log-reader' }, 'log-reader'],
    [
      'completion/complete',
      { ref: { type: 'ref/prompt', name: 'log-reader' }, argument: { name: 'input', value: '' } },
    ],
  ];
  for (const [method, params, name] of [...kept, ...notKept]) {
    const { text } = await postJson(server.address, path, modernRequest(method, params), {
      headers: modern(method, name),
    });
    const { result } = JSON.parse(text);
    assert.is(result.resultType, 'complete', text);
    assert.is(result._meta['io.modelcontextprotocol/serverInfo'].name, 'example.press/agents');
    const isKept = kept.some(([one]) => one === method);
    assert.equal([Number.isInteger(result.ttlMs), result.cacheScope], [isKept, isKept ? 'public' : undefined], method);
  }
});

test('GET for an event stream, DELETE and other methods are not allowed; HEAD and OPTIONS are', async () => {
  const refused: Asking[] = [
    { headers: { accept: 'text/event-stream' } },
    { method: 'DELETE' },
    { method: 'PUT', body: '{}' },
    { method: 'HEAD', headers: { accept: 'text/event-stream' } },
  ];
  for (const asking of refused) {
    const answer = await ask(server.address, path, asking);
    assert.is(answer.headers.allow, 'GET, HEAD, POST, OPTIONS');
    if (asking.method === 'HEAD') assert.is(answer.status, 405);
    else assertError(answer, 405, 'method_not_allowed');
  }
  const preflight = (headers: Record<string, string>) => ask(server.address, path, { method: 'OPTIONS', headers });
  const post = { 'access-control-request-method': 'POST' };
  const own = await preflight({ origin: 'https://press.example', ...post });
  assert.equal([own.status, own.headers['access-control-allow-origin']], [204, 'https://press.example']);
  assert.match(own.headers['access-control-allow-headers'] ?? '', 'Mcp-Method');
  assertError(await preflight({ origin: 'https://evil.example', ...post }), 403, 'forbidden_origin');
  const read = await preflight({ origin: 'https://evil.example', 'access-control-request-method': 'GET' });
  assert.equal([read.status, read.headers['access-control-allow-origin']], [204, '*']);
});

test.run();
