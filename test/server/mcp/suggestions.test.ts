import { test } from 'uvu';
import * as assert from 'uvu/assert';
import type { McpCatalog } from '../../../src/server/mcp/catalog.ts';
import { keptResults } from '../../../src/server/mcp/catalog.ts';
import { temporaryFolder } from '../../support/catalog.ts';
import { loud } from '../../support/loud.ts';
import { ask, askTool, loadBuild } from '../../support/mcp-answers.ts';
import { mcpPath, request } from '../../support/mcp-messages.ts';
import { postJson } from '../../support/requests.ts';
import { renderRichCatalog, writeRichCatalog } from '../../support/rich-catalog.ts';
import { withRuntime } from '../../support/server.ts';

/** What MCP suggests for a wrong name, and if nothing was found. */

const folder = temporaryFolder();
let catalog: McpCatalog;
test.before(
  loud(async () => {
    writeRichCatalog(folder.path);
    ({ catalog } = await loadBuild(renderRichCatalog(folder.path)));
  }),
);
test.after(() => folder.remove());

test('two letters of a slug are not enough for a suggestion', async () => {
  const text = async (slug: string) => (await askTool(catalog, 'get_agent', { slug })).result.content[0].text;
  assert.is(await text('ne'), 'No agent has this slug. search_agents finds agents by what they are for.');
  assert.match(await text('new'), 'Did you mean newer?');
});

test('a wrong name of a prompt or tool is answered with the right ones', async () => {
  const prompt = async (name: string) => (await ask(catalog, 'prompts/get', { name })).error.message;
  const list = 'There is no such prompt; prompts/list lists them all.';
  assert.equal([await prompt('oewer'), await prompt('zzzzzz')], [`${list} Did you mean newer or older?`, list]);
  const { text } = (await askTool(catalog, 'get_agent', { slug: ' Oe--wer!' })).result.content[0];
  assert.match(text, 'Did you mean newer or older?');
  const { error } = await askTool(catalog, 'get_agents', {});
  assert.is(error.message, 'There is no such tool; the tools are list_agents, search_agents, get_agent.');
});

const nothing: [tool: string, filters: object, reason: string][] = [
  ['list_agents', { category: 'codin' }, ' No agent has this category; did you mean coding?'],
  ['list_agents', { tag: 'tag-tow' }, ' No agent has this tag; did you mean tag-two?'],
  ['list_agents', { tag: 'coding' }, ' No agent has this tag.'],
  ['list_agents', { category: 'other-tag' }, ' No agent has this category.'],
  ['list_agents', { category: 'x', tag: 'y' }, ' No agent has this category. No agent has this tag.'],
  ['list_agents', { category: 'WRITING', tag: ' Tag-One ' }, ''],
  ['list_agents', { category: 'writing label', tag: 'tag-one' }, ''],
  ['search_agents', { query: 'title', category: 'codin' }, ' No agent has this category; did you mean coding?'],
];
test('if nothing was found, the answer names the filter that no agent meets', async () => {
  for (const [tool, filters, reason] of nothing) {
    const { result } = await askTool(catalog, tool, filters);
    assert.is(result.content[0].text.split('\n')[0], `No agent was found.${reason}`, JSON.stringify(filters));
  }
});

test('while no agent is published, MCP says so, and no sentence has a hole', () =>
  withRuntime({ agents: [] }, async ({ server }) => {
    const result = async (method: string, params: object = {}) =>
      JSON.parse((await postJson(server.address, mcpPath, request(method, params))).text).result;
    const [{ description }] = (await result('tools/list')).tools;
    assert.match(description, 'use search_agents. Next, call get_agent');
    for (const [name, given] of [
      ['list_agents', {}],
      ['list_agents', { category: ' ', tag: 'x' }],
      ['search_agents', { query: 'notes' }],
      ['search_agents', { query: '' }],
    ]) {
      const { content, structuredContent } = await result('tools/call', { name, arguments: given });
      assert.is(content[0].text, 'The catalog has no agents yet.', JSON.stringify(given));
      assert.equal([structuredContent.total, structuredContent.tryInstead], [0, { categories: [], tags: [] }]);
    }
  }));

test('a list without a result names filters to try, and tags only if agents have some', async () => {
  const untagged = { ...catalog, tags: [], results: keptResults() };
  const text = async (from: McpCatalog) =>
    (await askTool(from, 'list_agents', { difficulty: 'none' })).result.content[0].text.split('\n');
  const categories = 'Try one of these categories: coding, writing';
  const tags = 'or one of these tags: tag-one, tag-two, other-tag.';
  assert.equal(await text(catalog), ['No agent was found.', `${categories};`, tags]);
  assert.equal(await text(untagged), ['No agent was found.', `${categories}.`]);
});

test('an empty query is named as the reason, and spaces around a slug do not count', async () => {
  const { result } = await askTool(catalog, 'search_agents', { query: ' ' });
  assert.is(result.content[0].text.split('\n')[0], 'The query is empty, so nothing was searched.');
  const found = await askTool(catalog, 'get_agent', { slug: ' rich\n' });
  assert.is(found.result.structuredContent.slug, 'rich');
});

test('a list has 20 agents unless the request sets a limit', async () => {
  const [agent] = catalog.agents;
  const agents = Array.from({ length: 30 }, (_, at) => ({ ...agent, slug: `agent-${at}`, issue: 30 - at }));
  const large = { ...catalog, agents, results: keptResults() } as McpCatalog;
  const count = async (given: object) =>
    (await askTool(large, 'list_agents', given)).result.structuredContent.agents.length;
  assert.equal([await count({}), await count({ limit: 3 }), await count({ limit: 100 })], [20, 3, 30]);
});

test('of many tags and categories, the 15 and 40 with the most agents are named', async () => {
  const many = (name: string) => Array.from({ length: 50 }, (_, at) => ({ key: `${name}-${at + 1}`, count: 99 - at }));
  const large = { ...catalog, tags: many('tag'), categories: many('category'), results: keptResults() };
  const { result } = await askTool(large, 'list_agents', { difficulty: 'none' });
  const { tags, categories } = result.structuredContent.tryInstead;
  assert.equal([tags.length, tags.at(-1), categories.length], [15, 'tag-15', 50]);
  const [{ description }] = (await ask(large, 'tools/list')).result.tools;
  assert.match(description, 'category-40.');
  assert.not.match(description, 'category-41');
});

test.run();
