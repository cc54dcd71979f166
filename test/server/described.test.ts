import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { ask, exchange, parseAnswer, postJson } from '../support/requests.ts';
import { withRuntime } from '../support/server.ts';
import { vote } from '../support/voting.ts';

/** Every answer of the server is described in the api/openapi.json that it serves: its status, its headers and its body. */

interface Described {
  $ref?: string;
  headers?: Record<string, object>;
  content?: Record<string, { schema: { $ref?: string } }>;
}
interface Description {
  paths: Record<string, Record<string, { responses: Record<string, Described> }>>;
  components: { responses: Record<string, Described> };
}

type Told = { status: number; headers: object; text: string };

/** Statuses that only a server in a bad state gives, beside those that the test provokes. */
const bad: [operation: string, statuses: string[]][] = [
  ['get /api/agents.json', ['400', '408', '500', '503']],
  ['get /llms.txt', ['400', '408', '431', '500', '503']],
  ['get /api/mcp', ['400', '405', '408', '431', '500', '503']],
  ['post /api/feedback', ['408', '500', '503']],
  ['post /api/subscribe', ['408', '500', '502', '503']],
  ['post /api/mcp', ['408', '500', '503']],
];

const json = { 'content-type': 'application/json' };
const form = { 'content-type': 'application/x-www-form-urlencoded' };
const person = { email: 'ada@example.com', list: 'daily' };
const long = (first: string) => `${first} HTTP/1.1\r\nHost: x\r\nX-Long: ${'x'.repeat(20_000)}\r\n\r\n`;

test('api/openapi.json describes every answer of the operations, also of requests that are refused', () =>
  withRuntime({ flags: { voteRate: '2/60', subscribeRate: '2/60', mcpRate: '1/60' } }, async ({ server }) => {
    const { address } = server;
    const { paths, components } = JSON.parse((await ask(address, '/api/openapi.json')).text) as Description;
    const resolved = (described: Described | undefined) =>
      components.responses[described?.$ref?.split('/').at(-1) ?? ''] ?? described;
    const range = { headers: { range: 'bytes=99999999-' } };
    const raw = async (bytes: string) => parseAnswer((await exchange(address, bytes)).text);
    const mcp = (body: object, headers = {}) => postJson(address, '/api/mcp', body, { headers });
    const ping = { jsonrpc: '2.0', id: 1, method: 'ping' };
    const answers: [operation: string, status: number, get: () => Promise<Told>][] = [
      ['get /api/agents.json', 416, () => ask(address, '/api/agents.json', range)],
      ['get /api/agents/{slug}.json', 404, () => ask(address, '/api/agents/none.json')],
      ['get /llms.txt', 416, () => ask(address, '/llms.txt', range)],
      ['get /api/agents.json', 431, () => raw(long('GET /api/agents.json'))],
      ['get /api/agents.json', 400, () => raw('GET /api/agents.json HTTP/1.1\r\n\r\n')],
      ['post /api/feedback', 431, () => raw(long('POST /api/feedback'))],
      ['post /api/feedback', 200, () => vote(address, 'a')],
      ['post /api/feedback', 303, () => post('/api/feedback', form, 'slug=one&vote=yes')],
      ['post /api/feedback', 429, () => vote(address, 'b')],
      ['post /api/feedback', 400, () => post('/api/feedback', json, '{')],
      ['post /api/feedback', 415, () => post('/api/feedback', {}, 'x')],
      ['post /api/feedback', 413, () => post('/api/feedback', json, 'x'.repeat(70_000))],
      ['post /api/subscribe', 200, () => postJson(address, '/api/subscribe', person)],
      ['post /api/subscribe', 303, () => post('/api/subscribe', form, 'email=a%40example.com&list=pro')],
      ['post /api/subscribe', 429, () => postJson(address, '/api/subscribe', person)],
      ['post /api/mcp', 431, () => raw(long('POST /api/mcp'))],
      ['post /api/mcp', 200, () => mcp(ping)],
      ['post /api/mcp', 429, () => mcp(ping)],
      ['post /api/mcp', 415, () => mcp(ping, { 'content-type': 'text/plain' })],
      ['get /api/mcp', 405, () => ask(address, '/api/mcp', { headers: { accept: 'text/event-stream' } })],
    ];
    const post = (path: string, headers: Record<string, string>, body: string) =>
      ask(address, path, { method: 'POST', headers, body });
    for (const [operation, status, get] of answers) {
      const answer = await get();
      const name = `${operation} ${status}`;
      assert.is(answer.status, status, `${name}: ${answer.text}`);
      const [method = '', path = ''] = operation.split(' ');
      const described = resolved(paths[path]?.[method]?.responses[status]);
      assert.ok(described, `${name} is not described`);
      const known = Object.keys(described.headers ?? {}).map((header) => header.toLowerCase());
      const telling = ['allow', 'content-range', 'location', 'ratelimit', 'ratelimit-policy', 'retry-after'];
      assert.equal(telling.filter((header) => header in answer.headers).sort(), known.sort(), name);
      assert.is('content' in described, answer.text !== '', `${name} has a body: ${answer.text}`);
      if (status < 400 || answer.text === '') continue;
      const schema = described.content?.['application/json']?.schema.$ref?.split('/').at(-1);
      assert.is(schema, 'jsonrpc' in JSON.parse(answer.text) ? 'McpError' : 'Error', name);
    }
    for (const [operation, statuses] of bad) {
      const [method = '', path = ''] = operation.split(' ');
      const described = Object.keys(paths[path]?.[method]?.responses ?? {});
      assert.equal(
        statuses.filter((status) => !described.includes(status)),
        [],
        operation,
      );
    }
  }));

test.run();
