import { readFileSync, writeFileSync } from 'node:fs';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { frontMatterSchema } from '../../src/schema/agent.ts';
import { methodParams, modernVersion } from '../../src/schema/mcp.ts';
import { loadMcpCatalog, type McpCatalog } from '../../src/server/mcp/catalog.ts';
import { dispatch } from '../../src/server/mcp/dispatch.ts';
import { outputs } from '../../src/site/index.ts';
import { temporaryFolder } from '../support/catalog.ts';
import { loud } from '../support/loud.ts';
import { parsedReply } from '../support/mcp-answers.ts';
import {
  renderBareCatalog,
  renderLargeCatalog,
  renderRichCatalog,
  renderSentMails,
  rich,
  writeRichCatalog,
} from '../support/rich-catalog.ts';
import { findings, shown } from '../support/surfaces/index.ts';
import type { Asked } from '../support/surfaces/mcp/asked.ts';
import { mcpRows } from '../support/surfaces/mcp/index.ts';
import { largeMcpRows } from '../support/surfaces/mcp/large.ts';
import { serverInfo } from '../support/surfaces/mcp/server.ts';
import { controls, controlsOf } from '../support/surfaces/pages/controls.ts';
import { names, namesOf } from '../support/surfaces/pages/names.ts';
import { differences, readJson, readMarkdown, textOf } from '../support/surfaces/reader.ts';

/** Every text of an agent is complete and in its place on every output. */

const folder = temporaryFolder();
let found: ReadonlyMap<string, string[]> = new Map();
let files: ReadonlyMap<string, Buffer> = new Map();
let builds: Record<string, ReadonlyMap<string, Buffer>> = {};
let mcp: McpCatalog;
let largeMcp: McpCatalog;

test.before(
  loud(async () => {
    writeRichCatalog(folder.path);
    files = renderRichCatalog(folder.path);
    const [large, bare] = [renderLargeCatalog(folder.path), renderBareCatalog(folder.path)];
    const sent = renderSentMails(folder.path);
    builds = { rich: files, large, bare, sent };
    found = await findings({ files, large, bare, sent });
    const { moved } = JSON.parse(files.get('build.json')?.toString('utf8') ?? '');
    mcp = await loadMcpCatalog(async (path) => files.get(path) ?? null, moved);
    largeMcp = await loadMcpCatalog(async (path) => large.get(path) ?? null, {});
  }),
);
test.after(() => folder.remove());

for (const path of shown) {
  test(`${path} shows every text where it belongs`, () => assert.equal(found.get(path), []));
}

/** A page of each kind in each build. */
const kinds: Record<string, string[]> = {
  rich: [
    ...['index.html', 'agents/rich.html', 'agents/older.html', 'archive.html', 'categories/coding.html'],
    ...['tags/tag-one.html', 'about.html', 'developers.html', '404.html', 'agents/formerly-rich.html'],
    ...['thanks/vote.html', 'thanks/sign-up.html', 'refused.html'],
    ...['confirm', 'confirmed', 'unsubscribe', 'unsubscribed', 'failed'].map((page) => `subscription/${page}.html`),
    ...['mail/2.html', 'og/rich.png', 'og/catalog.png', 'agents/rich.md', 'llms.txt'],
  ],
  large: ['archive.html', 'archive/2025.html', 'archive/2026/01.html', 'categories/writing/2.html'],
  bare: ['index.html', 'archive.html', 'about.html', 'developers.html', '404.html', 'agents/older.html'],
  sent: ['issue.html', 'digest.html'],
};

/** Lists and prompts that are long in some builds, and whole in others. */
const long: Record<string, string> = { large: ', ol, select', sent: ', .plate' };

test('no sentence, heading or label of any kind of page is lost: UPDATE=1 shows what a change does to them', () => {
  const frame = '.skip, .masthead, .colophon';
  const pages = Object.entries(kinds).flatMap(([build, paths]) =>
    paths.map((path) => {
      const text = builds[build]?.get(path)?.toString('utf8') ?? 'It does not exist.';
      const except = path === 'index.html' ? '' : `${frame}${long[build] ?? ''}`;
      return `=== ${build} ${path}\n${/(?:md|txt)$/.test(path) ? text : textOf(text, except)}`.trimEnd();
    }),
  );
  const expected = new URL('../fixtures/page-texts.txt', import.meta.url);
  if (process.env.UPDATE === '1') writeFileSync(expected, `${pages.join('\n\n')}\n`);
  const known = readFileSync(expected, 'utf8')
    .trimEnd()
    .split(/\n\n(?==== )/);
  assert.is(pages.length, known.length);
  for (const [at, page] of pages.entries()) assert.is(page, known[at]);
});

for (const [asked, row] of Object.entries(mcpRows)) {
  test(`over MCP, ${asked} shows every text where it belongs, and no other text`, async () => {
    const { content, contents, ...result } = await askMcp(row, mcp);
    const text = content?.[0]?.text ?? contents?.[0]?.text ?? '';
    if (content !== undefined) assert.equal(content, [{ type: 'text', text }]);
    const documents = contents?.map(({ text: _, ...rest }) => rest);
    const json = JSON.stringify({ ...result, contents: documents });
    const withoutSchemas = JSON.parse(json, (key, value) => (/^(in|out)putSchema$/.test(key) ? undefined : value));
    if (row.result !== undefined) assert.equal(withoutSchemas, row.result);
    assert.equal(differences(readJson(json), row.places ?? {}), []);
    if (row.text !== undefined) assert.is(text, row.text);
    if (row.markdown !== undefined) assert.equal(differences(readMarkdown(text), row.markdown), []);
    if (row.document !== undefined) assert.equal(JSON.parse(text), row.document);
    if (row.file !== undefined) assert.is(text, files.get(row.file)?.toString('utf8'));
  });
}

for (const [asked, row] of Object.entries(largeMcpRows)) {
  test(`over MCP, of 205 agents, ${asked}`, async () => {
    const result = await askMcp(row, largeMcp);
    if (row.result !== undefined) assert.equal(result, row.result);
    assert.equal(differences(readJson(JSON.stringify(result)), row.places ?? {}), []);
  });
}

test('every method of MCP is tested here', () => {
  const asked = Object.values(mcpRows);
  assert.equal(
    [...new Set(asked.map(({ method }) => method))].sort(),
    Object.keys(methodParams)
      .filter((method) => method !== 'ping')
      .sort(),
  );
});

interface McpResult {
  content?: { type: string; text: string }[];
  contents?: { uri: string; text: string }[];
}

/** Sends requests to the MCP server of a catalog, and removes the fields that every result of the revision has. */
async function askMcp({ method, params = {} }: Asked, catalog: McpCatalog): Promise<McpResult> {
  const envelope = {
    'io.modelcontextprotocol/protocolVersion': modernVersion,
    'io.modelcontextprotocol/clientCapabilities': {},
  };
  const modern = method === 'initialize' ? {} : { _meta: envelope };
  const message = { jsonrpc: '2.0', id: 1, method, params: { ...params, ...modern } };
  const { result, error } = parsedReply(await dispatch(message, null, catalog));
  assert.is(error, undefined);
  if (method === 'initialize') return result;
  const { resultType, ttlMs: _, cacheScope: __, _meta, ...own } = result;
  assert.equal([resultType, _meta], ['complete', { 'io.modelcontextprotocol/serverInfo': serverInfo }]);
  return own;
}

/** Outputs that contain no text of an agent or the publication, with the tests that check them. */
const elsewhere: Record<string, string> = {
  'assets/{folder}/{file}': 'the same bytes as in templates/: test/site/pages.test.ts',
  'assets/{file}': 'the same bytes as in templates/: test/site/pages.test.ts',
  'search-index.json': 'searched in a browser and over MCP: test/browser, test/mcp',
};

test('every output of the registry is tested here, or in a named other test', () => {
  const read = shown.map((path) => path.replace(/ \(.*\)$/, ''));
  const unread = outputs.filter(({ path }) => !(path in elsewhere) && !read.some((one) => patternOf(path).test(one)));
  assert.equal(
    unread.map(({ path }) => path),
    [],
  );
});

function patternOf(path: string): RegExp {
  return new RegExp(`^${path.replaceAll('.', '\\.').replace(/\{\w+\}/g, '[^/]+')}$`);
}

test('every field that an editor can fill is filled, so that it is looked for', () => {
  const { shape } = frontMatterSchema({ categories: null, difficulties: null, runtimes: null });
  // The prompt of `rich` declares no inputs.
  const others = ['draft', 'withdrawn', 'inputs'];
  assert.equal(
    Object.keys(shape).filter((field) => !(field in rich)),
    others,
  );
});

/** A text of the agent `rich`, and the only files that may contain it, unchanged or with markup and quotes escaped. */
const pages = ['agents/rich.html', 'agents/rich/index.html'];
const agentOnly = [...pages, 'agents/rich.md', 'api/agents/rich.json'];
const evals = [...pages, 'api/evals/rich.json'];
const feeds = ['atom.xml', 'feed.json', 'feed.xml', 'feeds/coding.xml'];
const described = ['api/agents.json', 'api/openapi.json', 'archive.html', 'search-index.json', 'index.html'];
const mails = ['mail/2.html', 'mail/2.txt'];
const packed = ['.well-known/agent-skills/rich.zip', 'plugins/rich-1.3.0.zip'];
const skill = ['.well-known/agent-skills/rich/SKILL.md', ...packed];
const belongs: Record<string, string[]> = {
  'Difficulty <': [...agentOnly, ...described.slice(0, 4)],
  'Runtime two <': [...agentOnly, ...described.slice(0, 4)],
  'Problem <': [...agentOnly, ...feeds, ...mails],
  'Step two <': agentOnly,
  'Step two text <': agentOnly,
  'Demo last <': agentOnly,
  'Demo last detail <': agentOnly,
  'How it works "': [...agentOnly, ...feeds, ...skill],
  'Prompt rule <': [...agentOnly, ...feeds, ...mails, ...skill, 'agents/rich/prompt.txt', 'llms-full.txt'],
  'Sample input <': [...agentOnly, ...packed, 'api/evals/rich.json'],
  'Sample output <': [...pages, ...mails, 'agents/rich.md', 'agents/rich/sample-output.txt', ...packed],
  'Config value <': [...agentOnly, 'agents/rich/config.json'],
  'config-name.json': agentOnly,
  'https://source.example': [...pages, 'agents/rich.md'],
  'video-token': agentOnly,
  seekword: ['search-index.json'],
  'Check value <': evals,
  'Why <': evals,
  'About <': evals,
  'Hard input <': evals,
  'Model one <': evals,
  'Note <': evals,
  'Good answer <': evals,
  'Bad answer <': evals,
  'Old answer <': evals,
  'Bare answer <': evals,
  'formerly-rich': [
    ...['agents/formerly-rich.html', 'agents/formerly-rich/index.html'],
    ...['api/revisions.json', 'build.json', 'marketplace.json'],
  ],
};

test('no file shows a text of an agent that does not belong there', () => {
  const texts = [...files].map(([path, bytes]): [string, string] => [path, unescaped(bytes.toString('utf8'))]);
  for (const [mark, paths] of Object.entries(belongs)) {
    const holding = texts.filter(([, text]) => text.toLowerCase().includes(mark.toLowerCase()));
    assert.equal(holding.map(([path]) => path).sort(), [...paths].sort(), mark);
  }
});

test('browsers and assistive software are told the purpose of every button, field and box', () => {
  const paths = [...files.keys()].filter((path) => path.endsWith('.html') && !path.startsWith('mail/'));
  const pages = paths.map((path) => files.get(path)?.toString('utf8') ?? '');
  assert.equal(controlsOf(pages), controls);
  assert.equal(namesOf(pages), names);
});

test('the example of listAgents in openapi.json counts the two agents that it lists', () => {
  const { paths } = JSON.parse(files.get('api/openapi.json')?.toString('utf8') ?? '');
  const { example } = paths['/api/agents.json'].get.responses['200'].content['application/json'];
  assert.equal([example.count, example.agents.length], [2, 2]);
});

test('only an agent with recorded answers has a document of them', () => {
  const documents = [...files.keys()].filter((path) => path.startsWith('api/evals/'));
  assert.equal(documents, ['api/evals/rich.json']);
});

/** Returns a text without the escapes of HTML, XML, JSON and Markdown for the characters above. */
function unescaped(text: string): string {
  return text.replace(/&lt;|\\u003c|\\</g, '<').replace(/&quot;|&#34;|\\"/g, '"');
}

test.run();
