import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { modernVersion } from '../../../src/schema/mcp.ts';
import { dispatch } from '../../../src/server/mcp/dispatch.ts';
import type { McpHeaders } from '../../../src/server/mcp/messages.ts';
import { temporaryFolder } from '../../support/catalog.ts';
import { loud } from '../../support/loud.ts';
import { ask, askTool, envelope, loadBuild, parsedReply } from '../../support/mcp-answers.ts';
import { renderRichCatalog, rich, writeRichCatalog } from '../../support/rich-catalog.ts';

/**
 * Answers about a catalog in memory: how long they can be cached, which files they read, and why requests are refused.
 */

const folder = temporaryFolder();
let files: ReadonlyMap<string, Buffer> = new Map();
const load = (gone: readonly string[] = []) => loadBuild(files, gone);

test.before(
  loud(() => {
    writeRichCatalog(folder.path);
    files = renderRichCatalog(folder.path);
  }),
);
test.after(() => folder.remove());

const [hour, fiveMinutes] = [3_600_000, 300_000];
const kept: [method: string, params: object, ttlMs: number | undefined][] = [
  ['server/discover', {}, hour],
  ['resources/templates/list', {}, hour],
  ['tools/list', {}, fiveMinutes],
  ['resources/list', {}, fiveMinutes],
  ['resources/read', { uri: 'agent://rich' }, fiveMinutes],
  ['prompts/list', {}, fiveMinutes],
  ['skills/list', {}, fiveMinutes],
  ['skills/get', { uri: 'skill://rich/SKILL.md' }, fiveMinutes],
  ['prompts/get', { name: 'rich' }, undefined],
  ['tools/call', { name: 'list_agents' }, undefined],
];
test('clients can cache descriptions of the server for an hour, and content of the catalog for five minutes', async () => {
  const { catalog } = await load();
  for (const [method, params, ttlMs] of kept) {
    const { result } = await ask(catalog, method, params);
    assert.equal([result.ttlMs, result.cacheScope], [ttlMs, ttlMs === undefined ? undefined : 'public'], method);
  }
});

test('a repeated request is answered from memory, and a new one is not', async () => {
  const { catalog, read } = await load();
  const first = await askTool(catalog, 'get_agent', { slug: 'rich' });
  const count = read.length;
  assert.ok(count > 0);
  assert.equal(await askTool(catalog, 'get_agent', { slug: 'rich' }), first);
  assert.is(read.length, count);
  assert.is((await askTool(catalog, 'get_agent', { slug: 'older' })).result.structuredContent.slug, 'older');
});

test('a remembered result is not given to a client of another revision', async () => {
  const { catalog } = await load();
  const types = [];
  for (const meta of [{}, envelope, {}]) types.push((await ask(catalog, 'tools/list', {}, meta)).result.resultType);
  assert.equal(types, [undefined, 'complete', undefined]);
});

const skillFile = '.well-known/agent-skills/rich/SKILL.md';
test('an agent whose files have just gone is unknown, and the others are still listed', async () => {
  const { catalog } = await load(['api/agents/rich.json', skillFile]);
  const refused = { code: -32602, message: 'There is no such resource; resources/list lists them all.' };
  for (const uri of ['agent://rich', 'skill://rich/SKILL.md']) {
    const { error } = await ask(catalog, 'resources/read', { uri });
    assert.equal(error, { ...refused, data: { uri } });
  }
  const { result } = await ask(catalog, 'skills/list');
  assert.equal(
    result.skills.map(({ uri }: { uri: string }) => uri),
    ['skill://newer/SKILL.md', 'skill://older/SKILL.md'],
  );
  assert.is((await ask(catalog, 'skills/get', { uri: 'skill://rich/SKILL.md' })).error.code, -32602);
  assert.is((await askTool(catalog, 'get_agent', { slug: 'rich' })).result.isError, true);
  assert.is((await ask(catalog, 'prompts/get', { name: 'rich' })).error.code, -32602);
});

test('an agent without its sample output is answered with the rest', async () => {
  const { catalog } = await load(['agents/rich/sample-output.txt']);
  const { structuredContent } = (await askTool(catalog, 'get_agent', { slug: 'rich', include: ['sample'] })).result;
  assert.equal(
    [structuredContent.prompt, structuredContent.sampleInput, structuredContent.sampleOutput],
    [rich.prompt, rich.sampleInput, ''],
  );
});

test('an error repeats no more than 500 characters of an address', async () => {
  const { catalog } = await load();
  const uri = `agent://${'x'.repeat(600)}`;
  for (const method of ['resources/read', 'skills/get']) {
    assert.equal((await ask(catalog, method, { uri })).error.data, { uri: uri.slice(0, 500) }, method);
  }
});

test('an address that only starts like the address of a skill is unknown', async () => {
  const { catalog } = await load();
  for (const uri of ['skill://rich/SKILL.md/x', 'skill://rich/SKILL.md?x', 'xskill://rich/SKILL.md']) {
    assert.is((await ask(catalog, 'skills/get', { uri })).error?.code, -32602, uri);
  }
});

test('only the slug is completed in the address of an agent', async () => {
  const { catalog } = await load();
  const ref = { type: 'ref/resource', uri: 'agent://{slug}' };
  const { result } = await ask(catalog, 'completion/complete', { ref, argument: { name: 'tag', value: '' } });
  assert.equal(result.completion, { values: [], total: 0, hasMore: false });
});

test('spaces around a value do not keep it from being completed', async () => {
  const { catalog } = await load();
  const ref = { type: 'ref/resource', uri: 'agent://{slug}' };
  const { result } = await ask(catalog, 'completion/complete', { ref, argument: { name: 'slug', value: ' Ric ' } });
  assert.equal(result.completion.values, ['rich']);
});

test('each tool and each template of resources says what it is for', async () => {
  const { catalog } = await load();
  const { tools } = (await ask(catalog, 'tools/list')).result;
  const starts = tools.map(({ name, description }: Record<string, string>) => [name, description?.slice(0, 20)]);
  assert.equal(starts, [
    ['list_agents', 'Lists the agents of '],
    ['search_agents', 'Searches the agents '],
    ['get_agent', 'Gets the prompt of o'],
  ]);
  const { resourceTemplates } = (await ask(catalog, 'resources/templates/list')).result;
  assert.equal(
    resourceTemplates.map(({ uriTemplate, description }: Record<string, string>) => [uriTemplate, description]),
    [
      ['agent://{slug}', 'An agent with its prompt and config, by its slug'],
      ['agent://catalog{?category,tag}', 'The agents of a category, with a tag, or both'],
    ],
  );
});

test('the catalog is a resource on the first page only', async () => {
  const { catalog } = await load();
  const uris = async (cursor?: string) =>
    (await ask(catalog, 'resources/list', { cursor })).result.resources.map(({ uri }: { uri: string }) => uri);
  assert.equal(await uris(), ['agent://catalog', 'agent://newer', 'agent://rich', 'agent://older']);
  assert.equal(await uris(Buffer.from('before 3').toString('base64url')), ['agent://rich', 'agent://older']);
});

test('invalid params are explained', async () => {
  const { catalog } = await load();
  const { error } = await ask(catalog, 'prompts/list', { cursor: 5 });
  assert.is(error.code, -32602);
  assert.match(error.message, 'cursor');
});

test('a cursor is accepted only unchanged', async () => {
  const { catalog } = await load();
  const refusal = 'list_agents did not return this `cursor`. Leave it out to start from the newest agent.';
  const rows: [text: string, slugs: string[] | null][] = [
    ['before 3', ['rich', 'older']],
    ['before 1', []],
    ['before 0', null],
    ['before 02', null],
    ['before 1234567890', null],
    ['before 2 ', null],
    ['after 2', null],
  ];
  const cursors = rows.map(([text, slugs]): [string, string[] | null] => [
    Buffer.from(text).toString('base64url'),
    slugs,
  ]);
  // The same bytes in another spelling.
  for (const [cursor, slugs] of [...cursors, ['YmVmb3JlIDI=', null], ['YmVmb3JlIDJ', null]] as const) {
    const { result } = await askTool(catalog, 'list_agents', { cursor });
    const found = result.structuredContent?.agents.map(({ slug }: { slug: string }) => slug) ?? null;
    assert.equal(found, slugs, cursor);
    if (slugs === null) assert.is(result.content[0].text, refusal);
    const { error } = await ask(catalog, 'prompts/list', { cursor });
    assert.is(error?.code, slugs === null ? -32602 : undefined, cursor);
  }
});

const named: [header: string | undefined, fits: boolean][] = [
  ['rich', true],
  ['=?base64?cmljaA==?=', true],
  ['=?base64?cmljaA?=', false],
  ['=?base64?cmlj aA==?=', false],
  ['=?base64?cmljaA==', false],
  ['x=?base64?cmljaA==?=', false],
  ['=?base64??=', false],
  ['ric', false],
  [undefined, false],
];
test('the name in a header is the name of the request, as text or as Base64', async () => {
  const { catalog } = await load();
  for (const [name, fits] of named) {
    const headers: McpHeaders = { version: modernVersion, method: 'prompts/get', name };
    const message = { jsonrpc: '2.0', id: 1, method: 'prompts/get', params: { name: 'rich', _meta: envelope } };
    const { error } = parsedReply(await dispatch(message, headers, catalog));
    assert.is(error?.code, fits ? undefined : -32020, name ?? 'no header');
  }
});

const differing: [headers: McpHeaders, message: string][] = [
  [
    { version: '2025-11-25', method: 'ping', name: undefined },
    'The header MCP-Protocol-Version is "2025-11-25"; `_meta` of the request names another version.',
  ],
  [
    { version: modernVersion, method: undefined, name: undefined },
    'The header Mcp-Method is missing; the method of the request is tools/list.',
  ],
];
test('a header that differs from the request is reported with both values', async () => {
  const { catalog } = await load();
  for (const [headers, message] of differing) {
    const list = { jsonrpc: '2.0', id: 1, method: 'tools/list', params: { _meta: envelope } };
    const { error } = parsedReply(await dispatch(list, headers, catalog));
    assert.is(error.message, message);
  }
});

const about: [name: string, key: 'clientInfo' | 'logLevel', value: unknown, fits: boolean][] = [
  ['with a name and a version', 'clientInfo', { name: 'client', version: '1' }, true],
  ['without a version', 'clientInfo', { name: 'client' }, false],
  ['without a name', 'clientInfo', { version: '1' }, false],
  ['with a log level', 'logLevel', 'info', true],
  ['with a number as its log level', 'logLevel', 5, false],
];
for (const [name, of, value, fits] of about) {
  test(`a client that describes itself ${name} is ${fits ? 'answered' : 'refused'}`, async () => {
    const { catalog } = await load();
    const key = `io.modelcontextprotocol/${of}`;
    const { error } = await ask(catalog, 'tools/list', {}, { ...envelope, [key]: value });
    assert.equal(error?.data, fits ? undefined : { keys: [key] });
  });
}

test('a request that also has a result is still a request', async () => {
  const { catalog } = await load();
  const reply = await dispatch({ jsonrpc: '2.0', id: 1, method: 'ping', result: {} }, null, catalog);
  assert.equal(parsedReply(reply), { jsonrpc: '2.0', id: 1, result: {} });
  assert.is((await dispatch({ jsonrpc: '2.0', id: 1, error: {} }, null, catalog)).json, null);
});

test.run();
