import { renameSync, rmSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { SkillsClient } from '@modelcontextprotocol/client/ext/skills';
import MiniSearch from 'minisearch';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { loadMcpCatalog } from '../../../src/server/mcp/catalog.ts';
import { type SearchEntry, searchAgents, searchOptions } from '../../../src/site/search/query.ts';
import { loadSearchIndex } from '../../../src/site/search/search-index.ts';
import { inFolder } from '../../support/catalog.ts';
import { agents } from '../../support/mcp.ts';
import { ask, postJson } from '../../support/requests.ts';
import { builtCatalog, withRuntime } from '../../support/server.ts';
import { until } from '../../support/until.ts';

/** MCP serves the current build, with the same search and the same skills as the site. */

async function call(address: string, name: string, given: object) {
  const message = { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name, arguments: given } };
  return JSON.parse((await postJson(address, '/api/mcp', message)).text).result;
}

test('search and lists have the agents of a new build at once, and no others', async () => {
  await withRuntime({ agents: agents.slice(0, 1) }, async ({ server, folder }) => {
    const found = async (query: string) =>
      (await call(server.address, 'search_agents', { query })).structuredContent.agents.map(
        ({ slug }: { slug: string }) => slug,
      );
    assert.equal(await found('table'), []);
    builtCatalog(folder, agents);
    await until(async () => (await found('table')).length > 0);
    assert.equal(await found('table'), ['table-sorter']);
    assert.is((await call(server.address, 'list_agents', {})).structuredContent.total, 3);
    const withdrawn = { ...agents[1], front: { ...agents[1]?.front, withdrawn: 'No more.', formerSlugs: null } };
    builtCatalog(folder, [agents[0], withdrawn, ...agents.slice(2)] as typeof agents);
    await until(async () => (await found('table')).length === 0);
    assert.is((await call(server.address, 'get_agent', { slug: 'table-sorter' })).isError, true);
  });
});

test('a build without its search index is refused; the last good one stays', async () => {
  await withRuntime({ agents: agents.slice(0, 1) }, async ({ server, folder, dist }) => {
    const next = builtCatalog(join(folder, 'next'), agents);
    rmSync(join(next, 'search-index.json'));
    renameSync(dist, join(folder, 'former'));
    renameSync(next, dist);
    await until(() => server.logged().includes('cannot be served'));
    assert.match(server.logged(), 'search-index.json is missing');
    assert.is((await call(server.address, 'search_agents', { query: 'draft' })).structuredContent.total, 1);
  });
});

for (const indent of [0, 1, 4]) {
  test(`the list of agents is read with an indentation of ${indent} too, with brackets and quotes in its texts`, async () => {
    await inFolder(async (folder) => {
      const dist = builtCatalog(folder, agents);
      const list = JSON.parse(await readFile(join(dist, 'api/agents.json'), 'utf8'));
      list.agents[0].excerpt = 'Ends with a bracket ]} and a quote "\\';
      const changed = Buffer.from(JSON.stringify(list, null, indent));
      const read = async (path: string) => (path === 'api/agents.json' ? changed : readFile(join(dist, path)));
      assert.equal((await loadMcpCatalog(read, {})).agents, list.agents);
    });
  });
}

test('a build with a search index that cannot be read is refused, and the error names the file', () =>
  inFolder(async (folder) => {
    const dist = builtCatalog(folder, agents);
    const read = async (path: string) =>
      path === 'search-index.json' ? Buffer.from('{}') : readFile(join(dist, path));
    const error = await loadMcpCatalog(read, {}).catch((reason) => reason);
    assert.match(String(error), /^Error: search-index\.json cannot be read: ./);
  }));

test('the index that the server loads in slices finds what the page’s index finds, in the same order', async () => {
  await inFolder(async (folder) => {
    const bytes = await readFile(join(builtCatalog(folder, agents), 'search-index.json'));
    const page = MiniSearch.loadJSON<SearchEntry>(bytes.toString('utf8'), searchOptions);
    const server = await loadSearchIndex(bytes);
    for (const query of ['table', 'tabl sort', 'log', 'agent called', 'zeppelin']) {
      const [ofServer, ofPage] = [server, page].map((index) => searchAgents(index, query, () => true));
      assert.equal(ofServer, ofPage, query);
      assert.is(ofServer?.length === 0, query === 'zeppelin', query);
    }
    assert.is(server.documentCount, 3);
    for (const broken of ['', '{}', '{"documentCount":1}\n', bytes.toString('utf8').slice(0, -20)]) {
      const error = await loadSearchIndex(Buffer.from(broken)).catch((reason) => reason);
      assert.instance(error, Error, broken);
    }
  });
});

test('skills are files of the site, as the official client of the extension verifies', async () => {
  await withRuntime({ agents }, async ({ server }) => {
    const client = new Client({ name: 'test', version: '1' }, { versionNegotiation: { mode: 'auto' } });
    await client.connect(new StreamableHTTPClientTransport(new URL(`${server.address}api/mcp`)));
    const skills = new SkillsClient(client);
    const { skills: entries } = await skills.list();
    assert.equal(
      entries.map(({ uri }) => uri),
      ['log-reader', 'table-sorter', 'first-draft'].map((slug) => `skill://${slug}/SKILL.md`),
    );
    const manifest = await skills.read(entries[0] as (typeof entries)[number]);
    const site = await ask(server.address, '/.well-known/agent-skills/log-reader/SKILL.md');
    assert.ok(JSON.stringify(manifest).includes(JSON.stringify(site.text).slice(1, 200)));
    await client.close();
  });
});

test.run();
