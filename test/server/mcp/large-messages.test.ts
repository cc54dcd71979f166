import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { agents } from '../../support/mcp.ts';
import { assertAnswer, call, type Exchange, mcpPath } from '../../support/mcp-messages.ts';
import { postJson } from '../../support/requests.ts';
import { withRuntime } from '../../support/server.ts';

/** Messages over HTTP that are nested too deeply or have too many arguments get an answer, and stop nothing. */

const nested = (levels: number) => `${'['.repeat(levels)}${']'.repeat(levels)}`;
/** A call whose arguments are lists nested `levels` deep, within four more levels. */
const deepCall = (levels: number) => JSON.stringify(call('list_agents', { x: '%' })).replace('"%"', nested(levels));

const rows: Exchange[] = [
  ['deep nesting', '['.repeat(100_000), {}, 400, -32700],
  ['arguments nested deeper than 64 levels', deepCall(62), {}, 400, -32600, { id: 1 }],
  ['arguments nested 60,000 deep', deepCall(60_000), {}, 400, -32600, { id: 1 }],
  ['a notification nested 60,000 deep', nested(60_000), {}, 400, -32600, { id: null }],
  ['arguments nested 61 deep', deepCall(61), {}, 200, null],
  ['brackets in text', call('search_agents', { query: '[{'.repeat(100) }), {}, 200, null],
];

test('a message that is nested too deeply is refused, and brackets in a text do not count', () =>
  withRuntime({ agents }, async ({ server }) => {
    for (const row of rows) assertAnswer(await postJson(server.address, mcpPath, row[1], { headers: row[2] }), row);
    assert.not.match(server.logged(), 'a bug in the server');
  }));

test('tens of thousands of wrong arguments are answered in one sentence', () =>
  withRuntime({ agents }, async ({ server }) => {
    const wide = Object.fromEntries(Array.from({ length: 20_000 }, (_, key) => [`k${key}`, 0]));
    for (const body of [call('list_agents', wide), call('list_agents', { ['k'.repeat(200_000)]: 0 })]) {
      const { text } = await postJson(server.address, mcpPath, body);
      assert.is(JSON.parse(text).result.isError, true);
      assert.ok(text.length < 1_000, text.slice(0, 200));
    }
  }));

test.run();
