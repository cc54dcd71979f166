import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { temporaryFolder } from '../../support/catalog.ts';
import { loud } from '../../support/loud.ts';
import { agents } from '../../support/mcp.ts';
import {
  assertAnswer,
  call,
  type Exchange,
  mcpPath,
  modernHeaders,
  modernMeta,
  modernRequest,
  pings,
  request,
  versionKey,
} from '../../support/mcp-messages.ts';
import { postJson } from '../../support/requests.ts';
import { builtCatalog, type ServerHere, startRuntime } from '../../support/server.ts';

/** Bad input over HTTP gets the answer that its revision requires, never a 500, and the server then works as before. */

const test = suite('bad MCP messages');
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

/** The body and the headers of a request of 2026-07-28. */
const modern = (method: string, params: object = {}, name?: string) =>
  [modernRequest(method, params), modernHeaders(method, name)] as const;

const rows: Exchange[] = [
  // Input that is not a message.
  ['bad JSON', '{"jsonrpc":', {}, 400, -32700, { id: null }],
  ['no body', '', {}, 400, -32700],
  ['a text', '"ping"', {}, 400, -32600, { id: null }],
  ['null', 'null', {}, 400, -32600],
  ['an empty object', {}, {}, 400, -32600],
  ['another JSON-RPC', { id: 7, method: 'ping' }, {}, 400, -32600, { id: 7 }],
  ['a method that is no text', { jsonrpc: '2.0', id: 1, method: 5 }, {}, 400, -32600],
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
  // The handshake revisions: everything that parses as a request is answered with 200.
  ['an unknown method', request('no/method'), {}, 200, -32601, { id: 1 }],
  ['params that are a list', request('ping', []), {}, 200, -32602, { id: 1 }],
  ['params that are a list of values', request('tools/call', ['get_agent']), {}, 200, -32602],
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
    'an argument that every object has',
    request('prompts/get', { name: 'log-reader', arguments: { constructor: 'x' } }),
    {},
    200,
    -32602,
  ],
  [
    'an input that is a number',
    request('prompts/get', { name: 'log-reader', arguments: { input: 5 } }),
    {},
    200,
    -32602,
  ],
  ['a cursor that is a number', request('prompts/list', { cursor: 5 }), {}, 200, -32602],
  ['an empty cursor', request('resources/list', { cursor: '' }), {}, 200, -32602],
  // It is a cursor of another list. A client that sent it would get the first page again, as if it were the next.
  ['a cursor of tools', request('tools/list', { cursor: 'YmVmb3JlIDI' }), {}, 200, -32602],
  ['a cursor of templates', request('resources/templates/list', { cursor: 'YmVmb3JlIDI' }), {}, 200, -32602],
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
    { jsonrpc: '2.0', method: 'notifications/cancelled', params: { _meta: modernMeta } },
    { 'mcp-protocol-version': '2026-07-28' },
    202,
    undefined,
  ],
  ['an answer', { jsonrpc: '2.0', id: 1, result: {} }, {}, 202, undefined],
  [
    'an answer, with a version',
    { jsonrpc: '2.0', id: 1, error: {} },
    { 'mcp-protocol-version': '2025-11-25' },
    202,
    undefined,
  ],
  ['an answer in the modern era', { jsonrpc: '2.0', id: 1, result: {} }, modernHeaders('x'), 400, -32600],
  // Batches, which only 2025-03-26 has.
  ['an empty batch', [], {}, 400, -32600],
  ['a batch of 101', pings(101), {}, 400, -32600],
  ['a batch at 2025-11-25', pings(2), { 'mcp-protocol-version': '2025-11-25' }, 400, -32600],
  ['a batch at 2025-06-18', pings(2), { 'mcp-protocol-version': '2025-06-18' }, 400, -32600],
  ['a batch at 2024-11-05', pings(2), { 'mcp-protocol-version': '2024-11-05' }, 400, -32600],
  ['a batch at 2026-07-28', pings(2), { 'mcp-protocol-version': '2026-07-28' }, 400, -32600],
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
    { ...modernHeaders('tools/list'), 'mcp-protocol-version': '2025-11-25' },
    400,
    -32020,
  ],
  ['no version header', modernRequest('tools/list'), { 'mcp-method': 'tools/list' }, 400, -32020],
  ['no method header', modernRequest('tools/list'), { 'mcp-protocol-version': '2026-07-28' }, 400, -32020],
  ['another method in the header', modernRequest('tools/list'), modernHeaders('tools/call'), 400, -32020],
  ['the method in capitals', modernRequest('tools/list'), modernHeaders('Tools/List'), 400, -32020],
  ['no name header', ...modern('tools/call', { name: 'list_agents' }), 400, -32020],
  ['another name in the header', ...modern('prompts/get', { name: 'log-reader' }, 'first-draft'), 400, -32020],
  ['another URI in the header', ...modern('resources/read', { uri: 'agent://catalog' }, 'agent://x'), 400, -32020],
  ['bad Base64 in the header', ...modern('tools/call', { name: 'list_agents' }, '=?base64?bGlzd?='), 400, -32020],
  ['Base64 that is no UTF-8', ...modern('tools/call', { name: '\ufffd' }, '=?base64?/w==?='), 400, -32020],
  ['the name as Base64', ...modern('tools/call', { name: 'list_agents' }, '=?base64?bGlzdF9hZ2VudHM=?='), 200, null],
  ['the name with spaces around', ...modern('tools/call', { name: 'list_agents' }, '  list_agents \t'), 200, null],
  ['the version only in the header', request('tools/list'), modernHeaders('tools/list'), 400, -32602],
  [
    'a version that is a number',
    modernRequest('tools/list', {}, { [versionKey]: 5 }),
    modernHeaders('tools/list'),
    400,
    -32020,
  ],
  [
    'no client capabilities',
    request('tools/list', { _meta: { [versionKey]: '2026-07-28' } }),
    modernHeaders('tools/list'),
    400,
    -32602,
  ],
  [
    'a client without a version',
    modernRequest('tools/list', {}, { 'io.modelcontextprotocol/clientInfo': { name: 'x' } }),
    modernHeaders('tools/list'),
    400,
    -32602,
  ],
  [
    'a version that is not served',
    modernRequest('tools/list', {}, { [versionKey]: '1900-01-01' }),
    { ...modernHeaders('tools/list'), 'mcp-protocol-version': '1900-01-01' },
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
    'a version as long as a book',
    modernRequest('tools/list', {}, { [versionKey]: '9'.repeat(500) }),
    { ...modernHeaders('tools/list'), 'mcp-protocol-version': '9'.repeat(500) },
    400,
    -32022,
    {
      data: {
        supported: ['2026-07-28', '2025-11-25', '2025-06-18', '2025-03-26', '2024-11-05'],
        requested: '9'.repeat(100),
      },
    },
  ],
  [
    'initialize with its version in _meta too',
    request('initialize', { protocolVersion: '2025-11-25', _meta: { [versionKey]: '2025-11-25' } }),
    {},
    200,
    null,
  ],
  [
    'initialize with a modern header',
    request('initialize', { protocolVersion: '2025-11-25' }),
    { 'mcp-protocol-version': '2026-07-28' },
    400,
    -32020,
  ],
  ['initialize, modern', ...modern('initialize'), 404, -32601],
  ['ping, modern', ...modern('ping'), 404, -32601],
  ['a subscription', ...modern('subscriptions/listen'), 404, -32601],
  ['an unknown method, modern', ...modern('no/method'), 404, -32601, { id: 1 }],
  ['an unknown tool, modern', ...modern('tools/call', { name: 'x' }, 'x'), 200, -32602],
  ['an unknown skill', ...modern('skills/get', { uri: 'skill://x/SKILL.md' }), 200, -32602],
  ['a call without a name, modern', ...modern('tools/call'), 200, -32602],
  [
    'params that a tool does not know',
    ...modern('tools/call', { name: 'list_agents', inputResponses: [], extra: 1 }, 'list_agents'),
    200,
    null,
  ],
];

test('every kind of bad message gets the status and code of its revision', async () => {
  for (const row of rows) assertAnswer(await postJson(server.address, mcpPath, row[1], { headers: row[2] }), row);
  assert.not.match(server.logged(), 'a bug in the server');
});

test.run();
