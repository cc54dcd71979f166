import Ajv, { type ValidateFunction } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { methodParams, methodResults } from '../../src/schema/mcp.ts';
import { loadMcpCatalog } from '../../src/server/mcp/catalog.ts';
import { dispatch } from '../../src/server/mcp/dispatch.ts';
import { inFolder, type SmallAgent, writeCatalog } from '../support/catalog.ts';
import { evalsFiles } from '../support/evals.ts';
import { agents } from '../support/mcp.ts';
import { parsedReply } from '../support/mcp-answers.ts';
import { render } from '../support/render.ts';

/**
 * Clients that are generated from api/openapi.json send requests that the service accepts, and accept its responses.
 */

const files = await inFolder((folder) => {
  const [first, ...others] = agents;
  writeCatalog(folder, [{ ...(first as SmallAgent), files: { ...first?.files, ...evalsFiles } }, ...others]);
  return render(folder, { today: '2026-02-01' });
});
const read = (path: string) => JSON.parse(files.get(path) ?? '');
const description = read('api/openapi.json');

const ajv = new Ajv.default({ strict: false, allErrors: true, validateSchema: false });
addFormats.default(ajv);
ajv.addSchema(description, 'https://press.example/openapi.json');
/** Returns a function that validates with the schema at these keys of the description. */
const at = (...keys: string[]): ValidateFunction => {
  const pointer = keys.map((key) => encodeURIComponent(key.replaceAll('~', '~0').replaceAll('/', '~1'))).join('/');
  return ajv.compile({ $ref: `https://press.example/openapi.json#/${pointer}` });
};
const request = at('paths', '/api/mcp', 'post', 'requestBody', 'content', 'application/json', 'schema');
const response = at('paths', '/api/mcp', 'post', 'responses', '200', 'content', 'application/json', 'schema');

interface Media {
  schema?: object;
  example?: unknown;
  examples?: Record<string, { value: unknown }>;
}

/** Lists every part of the description that has a JSON schema, with its keys. */
function* mediaOf(part: unknown, keys: string[] = []): Generator<[string[], Media]> {
  if (typeof part !== 'object' || part === null) return;
  for (const [key, value] of Object.entries(part)) {
    if (key === 'application/json' || (keys.at(-1) === 'parameters' && 'schema' in value))
      yield [[...keys, key], value];
    else yield* mediaOf(value, [...keys, key]);
  }
}

test('every example matches its schema, and every body except descriptions has an example', () => {
  const without: string[] = [];
  const media = [
    ...mediaOf(description.paths, ['paths']),
    ...mediaOf(description.components.responses, ['components', 'responses']),
  ];
  for (const [keys, { example, examples = {} }] of media) {
    const values = [example, ...Object.values(examples).map(({ value }) => value)].filter(
      (value) => value !== undefined,
    );
    const fits = at(...keys, 'schema');
    for (const value of values) assert.ok(fits(value), `${keys.join(' ')}: ${JSON.stringify(fits.errors)}`);
    if (values.length === 0) without.push(keys[1] ?? '');
  }
  assert.equal(without, [
    '/api/evals/{slug}.json',
    '/api/schema.json',
    '/api/openapi.json',
    '/api/revisions.json',
    '/api/evals.json',
  ]);
});

test('no body has a schema that accepts any object', () => {
  for (const [keys, { schema }] of mediaOf(description.paths, ['paths'])) {
    assert.not.equal(schema, { type: 'object' }, keys.join(' '));
  }
});

test('no schema names a property `$ref`, which some programs take for a reference', () => {
  JSON.stringify(description, (key, value) => {
    if (key === '$ref') assert.type(value, 'string');
    return value;
  });
});

for (const [path, address = `/${path}`] of [
  ['api/schema.json'],
  ['api/openapi.json'],
  ['api/revisions.json'],
  ['api/evals.json'],
  [`api/evals/${agents[0]?.slug}.json`, '/api/evals/{slug}.json'],
  ['api/mcp/server-card', '/api/mcp'],
]) {
  test(`${path} matches the schema of its operation`, () => {
    const fits = at('paths', address ?? '', 'get', 'responses', '200', 'content', 'application/json', 'schema');
    assert.ok(fits(read(path ?? '')), JSON.stringify(fits.errors));
    assert.not.ok(fits({}));
  });
}

const calls: { [method in keyof typeof methodResults]: object } = {
  initialize: { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'test', version: '1' } },
  ping: {},
  'tools/list': {},
  'tools/call': { name: 'search_agents', arguments: { query: 'log' } },
  'resources/list': {},
  'resources/read': { uri: 'agent://log-reader' },
};

test('the requests and responses of each MCP method match the description', async () => {
  const catalog = await loadMcpCatalog(async (path) => Buffer.from(files.get(path) ?? ''), {});
  for (const [method, params] of Object.entries(calls)) {
    const message = { jsonrpc: '2.0', id: 1, method, params };
    assert.ok(request(message), `${method}: ${JSON.stringify(request.errors)}`);
    const answer: unknown = parsedReply(await dispatch(message, null, catalog));
    assert.ok(response(answer), `${method}: ${JSON.stringify(response.errors)}`);
    const { result } = answer as { result: unknown };
    assert.ok(methodResults[method as keyof typeof calls].safeParse(result).success, method);
  }
  for (const method of Object.keys(methodParams)) {
    const modern = { _meta: { 'io.modelcontextprotocol/protocolVersion': '2026-07-28' } };
    const reply = await dispatch({ jsonrpc: '2.0', id: 'x', method, params: modern }, null, catalog);
    assert.ok(response(parsedReply(reply)), method);
  }
});

test('clients of both eras get the results of their era, no matter which asks first', async () => {
  const meta = { 'io.modelcontextprotocol/protocolVersion': '2026-07-28' };
  const capabilities = { 'io.modelcontextprotocol/clientCapabilities': {} };
  for (const order of [
    ['handshake', 'modern', 'handshake'],
    ['modern', 'handshake', 'modern'],
  ]) {
    const catalog = await loadMcpCatalog(async (path) => Buffer.from(files.get(path) ?? ''), {});
    const kinds: unknown[] = [];
    for (const era of order) {
      const params = era === 'modern' ? { _meta: { ...meta, ...capabilities } } : {};
      const reply = await dispatch({ jsonrpc: '2.0', id: 1, method: 'tools/list', params }, null, catalog);
      const { result } = parsedReply(reply);
      kinds.push(result.resultType === undefined ? 'handshake' : 'modern');
    }
    assert.equal(kinds, order);
  }
});

test('messages that the server would refuse do not match the description', () => {
  const wrong: object[] = [
    { id: 1, method: 'ping' },
    { jsonrpc: '1.0', id: 1, method: 'ping' },
    { jsonrpc: '2.0', method: 'ping' },
    { jsonrpc: '2.0', id: null, method: 'ping' },
    { jsonrpc: '2.0', id: 1.5, method: 'ping' },
    { jsonrpc: '2.0', id: 1 },
    { jsonrpc: '2.0', id: 1, method: 'no/such' },
    { jsonrpc: '2.0', id: 1, method: 'tools/call' },
    { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'no_such_tool' } },
    { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'get_agent', arguments: {} } },
    { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'list_agents', arguments: { limit: 101 } } },
    { jsonrpc: '2.0', id: 1, method: 'resources/read', params: {} },
  ];
  for (const message of wrong) assert.not.ok(request(message), JSON.stringify(message));
});

test.run();
