import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { agents } from '../../support/mcp.ts';
import { call, mcpPath, modernHeaders, modernRequest, pings, request } from '../../support/mcp-messages.ts';
import { postJson } from '../../support/requests.ts';
import { withRuntime } from '../../support/server.ts';

/** How the answers differ between revisions: batches, the handshake, and the additional fields of 2026-07-28. */

test('a batch of 2025-03-26 is answered message by message', () =>
  withRuntime({ agents }, async ({ server }) => {
    const batch = [
      request('ping', {}, 'a'),
      { jsonrpc: '2.0', method: 'notifications/initialized' },
      call('nothing'),
      5,
      request('initialize', { protocolVersion: '2025-03-26' }, 3),
      modernRequest('tools/list'),
    ];
    for (const headers of [{}, { 'mcp-protocol-version': '2025-03-26' }]) {
      const { status, text } = await postJson(server.address, mcpPath, batch, { headers });
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
    assert.is(JSON.parse((await postJson(server.address, mcpPath, pings(100))).text).length, 100);
  }));

test('the handshake grants the requested revision, except the one that has no handshake', () =>
  withRuntime({ agents }, async ({ server }) => {
    for (const [asked, granted] of [
      ['2025-11-25', '2025-11-25'],
      ['2025-06-18', '2025-06-18'],
      ['2025-03-26', '2025-03-26'],
      ['2024-11-05', '2024-11-05'],
      ['2026-07-28', '2025-11-25'],
      ['1.0', '2025-11-25'],
    ]) {
      const { text } = await postJson(server.address, mcpPath, request('initialize', { protocolVersion: asked }));
      const { result } = JSON.parse(text);
      assert.is(result.protocolVersion, granted);
      for (const key of ['resultType', 'ttlMs', 'cacheScope', '_meta']) assert.not.ok(key in result, key);
    }
  }));

test('every result of 2026-07-28 says that it is complete, which server it is from, and how long it can be cached', () =>
  withRuntime({ agents }, async ({ server }) => {
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
      const { text } = await postJson(server.address, mcpPath, modernRequest(method, params), {
        headers: modernHeaders(method, name),
      });
      const { result } = JSON.parse(text);
      assert.is(result.resultType, 'complete', text);
      assert.is(result._meta['io.modelcontextprotocol/serverInfo'].name, 'example.press/agents');
      const isKept = kept.some(([one]) => one === method);
      assert.equal(
        [Number.isInteger(result.ttlMs), result.cacheScope],
        [isKept, isKept ? 'public' : undefined],
        method,
      );
    }
  }));

test.run();
