import * as assert from 'uvu/assert';
import type { Answer } from './requests.ts';

/** Messages of JSON-RPC as a client sends them to the MCP server over HTTP, and a check of what it answers. */

export const mcpPath = '/api/mcp';
export const versionKey = 'io.modelcontextprotocol/protocolVersion';
export const capabilitiesKey = 'io.modelcontextprotocol/clientCapabilities';
export const modernMeta = { [versionKey]: '2026-07-28', [capabilitiesKey]: {} };

export const request = (method: string, params: object = {}, id: unknown = 1) => ({
  jsonrpc: '2.0',
  id,
  method,
  params,
});
export const call = (name: unknown, given: unknown = {}) => request('tools/call', { name, arguments: given });
/** A batch of `count` messages. */
export const pings = (count: number) => Array.from({ length: count }, (_, id) => request('ping', {}, id));

/** A request of 2026-07-28; `meta` changes or adds keys of its `_meta`. */
export const modernRequest = (method: string, params: object = {}, meta: object = {}) =>
  request(method, { ...params, _meta: { ...modernMeta, ...meta } });

/** The headers of a request of 2026-07-28. */
export const modernHeaders = (method: string, name?: string) => ({
  'mcp-protocol-version': '2026-07-28',
  'mcp-method': method,
  ...(name === undefined ? {} : { 'mcp-name': name }),
});

/** name, body, headers, status, code (null: a result; undefined: no body), what else the answer holds. */
export type Exchange = [string, unknown, Record<string, string>, number, number | null | undefined, object?];

/** Fails unless the answer is the one that the row expects. */
export function assertAnswer(
  { status, headers, text }: Answer,
  [name, , , expected, code, holds = {}]: Exchange,
): void {
  assert.is(status, expected, `${name}: ${text}`);
  assert.equal([headers['cache-control'], headers['x-content-type-options']], ['no-store', 'nosniff'], name);
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
