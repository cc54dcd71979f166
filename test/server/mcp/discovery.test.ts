import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { loadSettings } from '../../../src/content/settings.ts';
import { programVersion } from '../../../src/program.ts';
import type { McpCatalog } from '../../../src/server/mcp/catalog.ts';
import { listPrompts } from '../../../src/server/mcp/dispatch.ts';
import { mcpName, mcpSetup } from '../../../src/site/install/install-source.ts';
import { bundled, inFolder, writeCatalog } from '../../support/catalog.ts';
import { render } from '../../support/render.ts';
import { ask, assertError, postJson } from '../../support/requests.ts';
import { builtCatalog, withRuntime } from '../../support/server.ts';

/** How the user of an assistant finds the server: the card, the entry in the registry, and the setup to paste. */

test('the card is at both addresses, matches the server, and can be cached', async () => {
  await withRuntime({ settings: { mcpName: 'example.press/prompts' } }, async ({ server }) => {
    const [bare, card] = [await ask(server.address, '/api/mcp'), await ask(server.address, '/api/mcp/server-card')];
    assert.equal([bare.status, bare.headers['content-type']], [200, 'application/json']);
    assert.equal([card.status, card.headers['content-type']], [200, 'application/mcp-server-card+json']);
    assert.is(bare.text, card.text);
    assert.is(card.headers['access-control-allow-origin'], '*');
    assert.is(card.headers['cache-control'], 'public, max-age=3600');
    assert.is(card.headers['x-content-type-options'], 'nosniff');
    const fresh = await ask(server.address, '/api/mcp', { headers: { 'if-none-match': card.headers.etag } });
    assert.equal([fresh.status, fresh.text], [304, '']);
    // Scripts of other sites may read the card and its ETag, also if they have it already. A shared cache must not give the
    // card to a client that asks for an event stream, which gets 405.
    const ofCard = ['access-control-allow-origin', 'access-control-expose-headers', 'cache-control', 'vary'];
    for (const { headers } of [bare, card, fresh]) {
      assert.equal(
        ofCard.map((name) => headers[name]),
        ['*', 'ETag', 'public, max-age=3600', 'Accept'],
      );
    }
    const get = { origin: 'https://elsewhere.example', 'access-control-request-method': 'GET' };
    for (const path of ['/api/mcp', '/api/mcp/server-card']) {
      const { status, headers } = await ask(server.address, path, { method: 'OPTIONS', headers: get });
      assert.equal([status, headers['access-control-allow-methods']], [204, 'GET, HEAD'], path);
      assert.is(headers['access-control-allow-headers'], 'Content-Type, If-None-Match', path);
    }
    const head = await ask(server.address, '/api/mcp', { method: 'HEAD' });
    assert.equal([head.status, head.text, head.headers['content-length']], [200, '', String(card.body.length)]);
    for (const type of ['application/json', 'application/mcp-server-card+json', 'application/*', '*/*']) {
      const headers = { accept: `text/event-stream, ${type}` };
      assert.is((await ask(server.address, '/api/mcp', { headers })).status, 200, type);
    }
    assertError(await ask(server.address, '/api/mcp/server-card', { method: 'POST' }), 405, 'method_not_allowed');

    const { name, version, description, remotes } = JSON.parse(card.text);
    const initialize = { jsonrpc: '2.0', id: 1, method: 'initialize', params: { protocolVersion: '2025-11-25' } };
    const { result } = JSON.parse((await postJson(server.address, '/api/mcp', initialize)).text);
    assert.equal([name, version], [result.serverInfo.name, result.serverInfo.version]);
    assert.equal(result.serverInfo.icons, JSON.parse(card.text).icons);
    assert.is(result.serverInfo.description, description);
    const icon = await ask(server.address, '/assets/favicon.svg');
    assert.equal([icon.status, icon.headers['content-type']], [200, 'image/svg+xml']);
    assert.is(name, 'example.press/prompts');
    assert.ok(description.length >= 1 && description.length <= 100);
    assert.equal(remotes, [
      {
        type: 'streamable-http',
        url: 'https://press.example/api/mcp',
        supportedProtocolVersions: ['2026-07-28', '2025-11-25', '2025-06-18', '2025-03-26', '2024-11-05'],
      },
    ]);
  });
});

test('the name of the server is the reversed host unless the settings say otherwise', () => {
  for (const [baseUrl, name] of [
    ['https://agents.example.com/daily', 'com.example.agents/agents'],
    ['https://example.com./', 'com.example/agents'],
    ['http://localhost:3000', 'localhost/agents'],
    ['http://127.0.0.1:3000', '127.0.0.1/agents'],
    ['http://[::1]:3000', '--1/agents'],
    ['http://my_server.internal', 'internal.my-server/agents'],
  ] as const) {
    assert.is(mcpName({ baseUrl, mcpName: undefined }), name);
  }
});

test('server.json is rendered from the settings, as the MCP registry takes it, if there is a server', async () => {
  const rendered = (settings: object) =>
    inFolder((folder) => {
      writeCatalog(folder, [], settings);
      return JSON.parse(render(folder, { today: '2026-02-01' }).get('server.json') ?? 'null');
    });
  const long =
    'Prompts that do one real job each, with a worked sample to judge them by, one each day of the year, and more.';
  const entry = {
    $schema: 'https://static.modelcontextprotocol.io/schemas/2025-12-11/server.schema.json',
    name: 'example.press/agents',
    version: programVersion,
    title: 'Small Catalog',
    description: 'Prompts for tests',
    websiteUrl: 'https://press.example',
    icons: [{ src: 'https://press.example/assets/favicon.svg', mimeType: 'image/svg+xml', sizes: ['any'] }],
    remotes: [{ type: 'streamable-http', url: 'https://press.example/api/mcp' }],
  };
  assert.equal(await rendered({}), entry);
  const forge = { url: 'https://github.com/press/prompts', source: 'github' };
  const settings = { tagline: long, repository: forge.url, mcpName: 'io.github.press/prompts' };
  const { description, ...rest } = await rendered(settings);
  assert.ok(description.length <= 100 && long.startsWith(description.slice(0, 90)), description);
  assert.equal({ ...rest, description }, { ...entry, name: settings.mcpName, description, repository: forge });
  const other = {
    repository: 'https://forge.example/press/prompts',
    runtimeUrl: 'https://run.example/r',
    baseUrl: 'http://localhost:3000',
  };
  // Addresses without https, and repositories that are not on GitHub or GitLab: modelcontextprotocol/registry,
  // internal/validators/validators.go and utils.go (validateWebsiteURL, validateIcon, IsValidRepositoryURL).
  const { icons, repository, websiteUrl, remotes } = await rendered(other);
  assert.equal([icons, repository, websiteUrl], [[], undefined, undefined]);
  assert.is(remotes[0].url, 'https://run.example/r/api/mcp');
  const iconsOf = async (length: number) => {
    const baseUrl = `https://press.example/${'a'.repeat(length - 'https://press.example//assets/favicon.svg'.length)}`;
    const { icons } = await rendered({ baseUrl });
    return icons.map(({ src }: { src: string }) => src.length);
  };
  assert.equal([await iconsOf(255), await iconsOf(256)], [[255], []]);
  assert.is(await rendered({ runtimeUrl: null }), null);
});

test('the developers page has the setup of nine clients, and none without a server', async () => {
  const page = (runtimeUrl?: null) =>
    inFolder((folder) => {
      const dist = builtCatalog(folder, undefined, runtimeUrl === null ? { runtimeUrl } : {});
      return readFileSync(join(dist, 'developers.html'), 'utf8');
    });
  const html = await page();
  for (const client of [
    'Claude Code',
    'Claude Desktop',
    'ChatGPT',
    'Cursor',
    'VS Code',
    'Codex',
    'Gemini CLI',
    'Copilot CLI',
    'opencode',
  ]) {
    assert.match(html, `<strong>${client}`);
  }
  assert.match(html, 'claude mcp add --transport http small-catalog &quot;https://press.example/api/mcp&quot;');
  assert.not.match(await page(null), 'mcp add');
});

test('the lists that an assistant loads at its start leave room for the conversation', async () => {
  const file = (slug: string, name: string) => readFileSync(join(bundled, 'agents', slug, name), 'utf8');
  const agents = readdirSync(join(bundled, 'agents')).slice(0, 40);
  const catalog = {
    agents: agents.map((slug, at) => ({
      slug,
      issue: 40 - at,
      excerpt: /^excerpt: (.*)$/m.exec(file(slug, 'agent.md'))?.[1],
    })),
    prompt: async (slug: string) => file(slug, 'prompt.txt'),
  } as unknown as McpCatalog;
  const prompts = JSON.stringify(await listPrompts({}, catalog));
  const tools = JSON.stringify(JSON.parse(readFileSync(join(bundled, 'test/fixtures/mcp-tools.json'), 'utf8')));
  // By o200k_base, a token is 4.6 characters of the prompts and 4.1 of the tools: 4,000 and 3,000 tokens.
  assert.ok(agents.length === 40 && prompts.length < 18_400, `prompts/list has ${prompts.length} characters`);
  assert.ok(tools.length < 12_300, `tools/list has ${tools.length} characters`);
});

test('no schema of a tool has what strict clients refuse: a list of types, or an empty additionalProperties', () => {
  const tools = readFileSync(join(bundled, 'test/fixtures/mcp-tools.json'), 'utf8');
  assert.equal(tools.match(/"type": \[|"additionalProperties": \{\}/g), null);
});

test('docs/mcp.md has the same setup as the developers page', () => {
  const docs = readFileSync(join(bundled, 'docs/mcp.md'), 'utf8');
  const clients = mcpSetup(loadSettings(bundled, {}, {}))?.clients ?? [];
  assert.is(clients.length, 9);
  for (const { name, paste } of clients) assert.match(docs, paste, name);
});

test('install links contain the settings of the client, and nothing that a shell would run', () => {
  const setup = mcpSetup({ title: 'Prompts & „Mehr“', runtimeUrl: 'https://example.com/$(id)' });
  assert.is(setup?.url, 'https://example.com/%24%28id%29/api/mcp');
  const link = (name: string) => setup?.clients.find((client) => client.name === name)?.installUrl ?? '';
  const cursor = new URL(link('Cursor'));
  assert.equal(JSON.parse(Buffer.from(cursor.searchParams.get('config') ?? '', 'base64').toString()), {
    url: setup?.url,
  });
  assert.equal(JSON.parse(decodeURIComponent(link('VS Code').split('?')[1] ?? '')), {
    name: 'prompts-mehr',
    type: 'http',
    url: setup?.url,
  });
  assert.is(new URL(link('Claude Desktop and claude.ai')).searchParams.get('connectorUrl'), setup?.url);
  const local = mcpSetup({ title: 'A', runtimeUrl: 'http://localhost:3000' });
  assert.is(local?.clients.find(({ name }) => name.startsWith('Claude Desktop'))?.installUrl, null);
});

test.run();
