import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { snapshot, temporaryFolder } from '../support/catalog.ts';
import { loud } from '../support/loud.ts';
import { builtBundled, type ServerHere, startRuntime } from '../support/server.ts';

/** Every GET operation of the contract except mcpCard, on a running server. */

const folder = temporaryFolder();
let server: ServerHere;
let site: Record<string, string>;

test.before(
  loud(async () => {
    const out = builtBundled('2026-11-21');
    site = snapshot(out);
    server = await startRuntime(folder.path, { flags: { out } });
  }),
);

test.after(
  loud(async () => {
    await server?.stop();
    folder.remove();
  }),
);

const slug = 'dependency-bump-judge';
const json = 'application/json';
const rows: { operation: string; path: string; file: string; type: string }[] = [
  { operation: 'listAgents', path: 'api/agents.json', file: 'api/agents.json', type: json },
  { operation: 'getAgent', path: `api/agents/${slug}.json`, file: `api/agents/${slug}.json`, type: json },
  { operation: 'getSchema', path: 'api/schema.json', file: 'api/schema.json', type: json },
  { operation: 'getOpenApi', path: 'api/openapi.json', file: 'api/openapi.json', type: json },
  { operation: 'llmsTxt', path: 'llms.txt', file: 'llms.txt', type: 'text/plain; charset=utf-8' },
  { operation: 'llmsFull', path: 'llms-full.txt', file: 'llms-full.txt', type: 'text/plain; charset=utf-8' },
  { operation: 'rss', path: 'feed.xml', file: 'feed.xml', type: 'application/rss+xml; charset=utf-8' },
  { operation: 'atom', path: 'atom.xml', file: 'atom.xml', type: 'application/atom+xml; charset=utf-8' },
  {
    operation: 'the prompt',
    path: `agents/${slug}/prompt.txt`,
    file: `agents/${slug}/prompt.txt`,
    type: 'text/plain; charset=utf-8',
  },
  { operation: 'the JSON config', path: `agents/${slug}/config.json`, file: `agents/${slug}/config.json`, type: json },
  {
    operation: 'the Markdown config',
    path: 'agents/form-friction-finder/config.md',
    file: 'agents/form-friction-finder/config.md',
    type: 'text/markdown; charset=utf-8',
  },
  { operation: 'the home page', path: '', file: 'index.html', type: 'text/html; charset=utf-8' },
  {
    operation: "the agent's page",
    path: `agents/${slug}`,
    file: `agents/${slug}.html`,
    type: 'text/html; charset=utf-8',
  },
  {
    operation: 'the same with a slash',
    path: `agents/${slug}/`,
    file: `agents/${slug}.html`,
    type: 'text/html; charset=utf-8',
  },
  { operation: 'the sitemap', path: 'sitemap.xml', file: 'sitemap.xml', type: 'application/xml; charset=utf-8' },
];

for (const { operation, path, file, type } of rows) {
  test(`${operation} answers with the built file and its type`, async () => {
    const response = await fetch(server.address + path);
    assert.is(response.status, 200);
    assert.is(response.headers.get('content-type'), type);
    // Scripts on any page may read it.
    assert.is(response.headers.get('access-control-allow-origin'), '*');
    assert.is(response.headers.get('access-control-expose-headers'), 'ETag');
    assert.is(Buffer.from(await response.arrayBuffer()).toString('latin1'), site[file]);
  });

  test(`${operation} answers HEAD with the same headers and no body`, async () => {
    const response = await fetch(server.address + path, { method: 'HEAD' });
    assert.is(response.status, 200);
    assert.is(await response.text(), '');
    const full = await fetch(server.address + path);
    await full.arrayBuffer();
    // Headers that depend on the time or the connection can differ.
    const own = ['date', 'connection', 'keep-alive'];
    const named = ({ headers }: Response) => Object.fromEntries([...headers].filter(([name]) => !own.includes(name)));
    assert.equal(named(response), named(full));
  });

  test(`${operation} is not sent again to a reader who already has it`, async () => {
    const first = await fetch(server.address + path);
    await first.arrayBuffer();
    const again = await fetch(server.address + path, { headers: { 'if-none-match': first.headers.get('etag') ?? '' } });
    assert.is(again.status, 304);
    assert.is(again.headers.get('access-control-allow-origin'), '*');
  });
}

test('an unknown slug is 404 with an Error object', async () => {
  const response = await fetch(`${server.address}api/agents/no-such-agent.json`);
  assert.is(response.status, 404);
  assert.is(response.headers.get('content-type'), json);
  assert.is(response.headers.get('access-control-allow-origin'), '*');
  const body = (await response.json()) as { error: string; message: string };
  assert.is(body.error, 'not_found');
  assert.type(body.message, 'string');
});

test('an agent that is not due yet is unknown', async () => {
  const response = await fetch(`${server.address}api/agents/meeting-cost-gatekeeper.json`);
  assert.is(response.status, 404);
  assert.not.match(Object.values(site).join('\n'), /meeting-cost-gatekeeper/);
});

test('any other missing path is 404 with a page', async () => {
  for (const path of ['nothing-here', '404', '404.html', 'agents/no-such-agent', '%2e%2e/package.json', 'a%00b']) {
    const response = await fetch(server.address + path);
    assert.is(response.status, 404, path);
    assert.is(response.headers.get('content-type'), 'text/html; charset=utf-8', path);
    assert.match(await response.text(), /Not found/, path);
  }
});

test('the envelope has exactly the fields of the contract', async () => {
  const envelope = (await (await fetch(`${server.address}api/agents/claim-ladder.json`)).json()) as Record<
    string,
    unknown
  >;
  assert.equal(Object.keys(envelope), ['version', 'schema', 'agent']);
  assert.is(envelope.version, '1.1.0');
  assert.is(envelope.schema, 'https://agents.example.com/api/schema.json');
  assert.equal(
    Object.keys(envelope.agent as object).sort(),
    [
      ...['title', 'slug', 'date', 'issue', 'category', 'categoryLabel', 'tags', 'difficulty', 'runtimes', 'excerpt'],
      ...['problem', 'videoUrl', 'url', 'apiUrl', 'promptUrl', 'configUrl', 'configFilename', 'license', 'howItWorks'],
      ...['steps', 'demo', 'sampleInput', 'prompt', 'config'],
    ].sort(),
  );
});

test('the addresses in an agent lead to the right documents', async () => {
  const read = async (address: string) =>
    (await fetch(address.replace('https://agents.example.com/', server.address))).text();
  const { agent } = JSON.parse(await read(`${server.address}api/agents/${slug}.json`)) as {
    agent: Record<string, string>;
  };
  assert.is(await read(agent.promptUrl ?? ''), agent.prompt);
  assert.equal(JSON.parse(await read(agent.configUrl ?? '')), agent.config);
  assert.match(await read(agent.url ?? ''), new RegExp(agent.title ?? ''));
});

test('the catalog lists published agents, newest first', async () => {
  const { count, agents } = (await (await fetch(`${server.address}api/agents.json`)).json()) as {
    count: number;
    agents: { issue: number; date: string }[];
  };
  assert.is(count, agents.length);
  assert.equal(
    agents.map(({ issue }) => issue),
    [7, 6, 5, 4, 3, 2, 1],
  );
});

test.run();
