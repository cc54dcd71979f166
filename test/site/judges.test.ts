import { mkdirSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import Ajv from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import jsonFeedSchema from '../fixtures/json-feed-1.1.schema.json' with { type: 'json' };
import { bundled, copyBundled, snapshot, temporaryFolder, writeFiles } from '../support/catalog.ts';
import { crawl } from '../support/crawl.ts';
import { git } from '../support/git.ts';
import { loud } from '../support/loud.ts';
import { catalog, run } from '../support/process.ts';
import { builtBundled, type ServerHere, startRuntime } from '../support/server.ts';

/** Independent validators and a check of every link: the published files are valid outside of this project too. */

const folder = temporaryFolder();
const bases = ['https://agents.example.com', 'https://example.github.io/catalog'];
/** The second catalog has a few agents, of each kind of configuration one. */
const catalogs = [bundled, join(folder.path, 'few')] as const;
const few = ['claim-ladder', 'codebook-first', 'dependency-bump-judge', 'runbook-dry-runner'];
/** The first build has the base URL of the settings. The second one comes with an install tree. */
const builds = [builtBundled(), join(folder.path, 'dist')] as const;
const tree = join(folder.path, 'tree');
const openapi = join(builds[0], 'api/openapi.json');
const servers: ServerHere[] = [];
let site: Record<string, string>;
const text = (path: string) => Buffer.from(site[path] ?? '', 'latin1').toString('utf8');
const tool = (name: string) => fileURLToPath(new URL(`../../node_modules/.bin/${name}`, import.meta.url));
/** Agents, categories and tags have a page each: 10 + 8 + 16. */
const fewestPages = 34;
const fewest = [fewestPages, 20];
const quiet = { REDOCLY_TELEMETRY: 'off', DISABLE_TELEMETRY: '1', DO_NOT_TRACK: '1' };

test.before(
  loud(async () => {
    copyBundled(catalogs[1], few);
    const built = await catalog([
      ...['build', '--cwd', catalogs[1], '--base-url', bases[1] as string, '--out', builds[1]],
      ...['--install-tree', tree, '--today', '2027-06-01'],
    ]);
    assert.is(built.code, 0, built.stderr);
    for (const [index, out] of builds.entries()) {
      servers.push(await startRuntime(folder.path, { flags: { out, data: `data-${index}` } }));
    }
    site = snapshot(builds[0]);
  }),
);
test.after(
  loud(async () => {
    await Promise.all(servers.map((server) => server.stop()));
    folder.remove();
  }),
);

test('redocly finds no error in api/openapi.json', async () => {
  const { code, stdout, stderr } = await run(tool('redocly'), ['lint', openapi], {
    env: quiet,
  });
  assert.is(code, 0, stdout + stderr);
});

test('spectral finds no error in api/openapi.json', async () => {
  writeFiles(folder.path, { 'spectral.yaml': 'extends: ["spectral:oas"]\n' });
  const args = ['lint', openapi, '--ruleset', join(folder.path, 'spectral.yaml')];
  const { code, stdout, stderr } = await run(tool('spectral'), args, { env: quiet });
  assert.is(code, 0, stdout + stderr);
});

test('api/openapi.json names the twelve operations of the contract, and three beside it', () => {
  const { openapi, info, paths } = JSON.parse(text('api/openapi.json'));
  assert.match(openapi, /^3\.1\./);
  assert.is(info.version, '1.1.0');
  const operations = Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods as Record<string, { operationId?: string }>).flatMap(([method, { operationId }]) =>
      operationId === undefined ? [] : [`${operationId} ${method.toUpperCase()} ${path}`],
    ),
  );
  assert.equal(operations.sort(), [
    'atom GET /atom.xml',
    'getAgent GET /api/agents/{slug}.json',
    'getEvals GET /api/evals/{slug}.json',
    'getOpenApi GET /api/openapi.json',
    'getRevisions GET /api/revisions.json',
    'getSchema GET /api/schema.json',
    'listAgents GET /api/agents.json',
    'listEvals GET /api/evals.json',
    'llmsFull GET /llms-full.txt',
    'llmsTxt GET /llms.txt',
    'mcpCard GET /api/mcp',
    'mcpRpc POST /api/mcp',
    'rss GET /feed.xml',
    'sendFeedback POST /api/feedback',
    'subscribe POST /api/subscribe',
  ]);
});

/** The pages of the first site, by the path under which a link leads to them. */
let reached: ReadonlyMap<string, string> = new Map();

for (const [index, base] of bases.entries()) {
  test(`every internal link and anchor resolves, with the base URL ${base}`, async () => {
    const { pages, broken } = await crawl(servers[index]?.address ?? '', base);
    if (index === 0) reached = pages;
    assert.equal(broken, []);
    assert.ok(pages.size > (fewest[index] ?? 0), `only ${pages.size} pages`);
  });
}

test('every page can be reached from the home page', () => {
  const paths = Object.keys(site).filter(
    (path) => path.endsWith('.html') && !/^404|^mail|^thanks|^refused|^subscription|\/index\.html$|^index/.test(path),
  );
  assert.ok(paths.length > fewestPages, `only ${paths.length} pages`);
  for (const path of paths) assert.ok(reached.has(`/${path.replace(/\.html$/, '')}`), path);
});

test('the sitemap lists exactly the pages that have an address', () => {
  const canonical = Object.entries(site)
    .filter(([path]) => path.endsWith('.html'))
    .flatMap(([, page]) => /<link rel="canonical" href="([^"]*)"/.exec(page)?.[1] ?? []);
  const listed = [...text('sitemap.xml').matchAll(/<loc>([^<]*)<\/loc>/g)].map(([, address]) => address ?? '');
  assert.ok(listed.length > fewestPages, `only ${listed.length} pages`);
  assert.equal([...listed].sort(), [...new Set(canonical)].sort());
  assert.is(new Set(listed).size, listed.length);
});

test('feed.json is a JSON Feed 1.1 with the ids of Atom', () => {
  const ajv = new Ajv.default({ strict: false, allErrors: true });
  addFormats.default(ajv);
  const feed = JSON.parse(text('feed.json'));
  assert.ok(ajv.validate(jsonFeedSchema, feed), JSON.stringify(ajv.errors));
  const ids = [...text('atom.xml').matchAll(/<id>(tag:[^<]*issues[^<]*)<\/id>/g)].map(([, id]) => id);
  assert.equal(
    feed.items.map(({ id }: { id: string }) => id),
    ids,
  );
});

test('a category has its own feed, with the same ids as in the whole one', () => {
  const feed = text('feeds/research.xml');
  assert.match(feed, '<id>tag:agents.example.com,2026:catalog/issues/2</id>');
  assert.match(feed, 'href="https://agents.example.com/feeds/research.xml"');
  assert.not.match(feed, 'issues/1<');
});

for (const [index, base] of bases.entries()) {
  test(`skills add installs every agent from the served site, with the base URL ${base}`, async () => {
    const home = join(folder.path, `home-${index}`);
    mkdirSync(home);
    const args = ['add', servers[index]?.address ?? '', '--yes', '--skill', '*', '--agent', 'claude-code', '--copy'];
    const { code, stdout, stderr } = await run(tool('skills'), args, { cwd: home, env: { ...quiet, HOME: home } });
    assert.is(code, 0, stdout + stderr);
    const installed = readdirSync(join(home, '.claude', 'skills')).sort();
    assert.equal(installed, readdirSync(join(catalogs[index] as string, 'agents')).sort());
    const skill = readFileSync(join(home, '.claude', 'skills', 'claim-ladder', 'SKILL.md'), 'utf8');
    assert.is(
      skill,
      readFileSync(join(builds[index] as string, '.well-known/agent-skills/claim-ladder/SKILL.md'), 'utf8'),
    );
    assert.match(skill, readFileSync(join(bundled, 'agents', 'claim-ladder', 'prompt.txt'), 'utf8').trimEnd());
    const sample = readFileSync(join(home, '.claude', 'skills', 'claim-ladder', 'references', 'sample.md'), 'utf8');
    for (const name of ['sample-input.txt', 'sample-output.txt']) {
      assert.match(sample, readFileSync(join(bundled, 'agents', 'claim-ladder', name), 'utf8').trimEnd());
    }
  });
}

for (const [index, base] of bases.entries()) {
  test(`skills add with the page of an agent downloads one archive and not all, with the base URL ${base}`, async () => {
    const home = join(folder.path, `home-one-${index}`);
    mkdirSync(home);
    const args = ['add', `${servers[index]?.address}agents/claim-ladder`, '--yes', '--agent', 'claude-code', '--copy'];
    const before = servers[index]?.logged().length;
    const { code, stdout, stderr } = await run(tool('skills'), args, { cwd: home, env: { ...quiet, HOME: home } });
    assert.is(code, 0, stdout + stderr);
    assert.equal(readdirSync(join(home, '.claude', 'skills')), ['claim-ladder']);
    const archives = servers[index]
      ?.logged()
      .slice(before)
      .match(/[\w.-]+\.zip/g);
    assert.equal(archives, ['claim-ladder.zip']);
  });
}

test('skills add installs every agent from a clone of the install tree, also those that are only in plugins/', async () => {
  rmSync(join(tree, 'skills', 'claim-ladder'), { recursive: true });
  await git(tree, 'init', '--quiet', '--initial-branch', 'install');
  await git(tree, 'add', '--all');
  await git(tree, 'commit', '--quiet', '--message', 'Publish');
  const home = join(folder.path, 'home-tree');
  const clone = join(home, 'clone');
  mkdirSync(home);
  await git(home, 'clone', '--quiet', '--depth', '1', `file://${tree}`, clone);
  const args = ['add', clone, '--yes', '--skill', '*', '--agent', 'claude-code', '--copy'];
  const { code, stdout, stderr } = await run(tool('skills'), args, { cwd: home, env: { ...quiet, HOME: home } });
  assert.is(code, 0, stdout + stderr);
  const installed = join(home, '.claude', 'skills');
  assert.equal(readdirSync(installed).sort(), readdirSync(join(tree, 'plugins')).sort());
  for (const file of ['SKILL.md', 'references/sample.md']) {
    assert.is(
      readFileSync(join(installed, 'claim-ladder', file), 'utf8'),
      readFileSync(join(tree, 'plugins/claim-ladder/skills/claim-ladder', file), 'utf8'),
    );
  }
});

test('a static host finds its files: _headers with the types of the registry, .nojekyll, and security.txt if set', async () => {
  assert.match(text('_headers'), '/feed.xml\n  Content-Type: application/rss+xml; charset=utf-8');
  assert.match(text('_headers'), "frame-ancestors 'none'");
  for (const [path, type] of [
    ['agents/*/prompt.txt', 'text/plain; charset=utf-8'],
    ['agents/*/config.json', 'application/json'],
    ['agents/*/config.yaml', 'text/plain; charset=utf-8'],
    ['agents/*.md', 'text/markdown; charset=utf-8'],
  ]) {
    assert.match(text('_headers'), `/${path}\n  Content-Type: ${type}`);
  }
  // Hosts join the values of all rules that match.
  const typed = [...text('_headers').matchAll(/^(\/\S*)\n(?: {2}.*\n)*? {2}Content-Type: /gm)].map(
    ([, path = '']) => new RegExp(`^${path.replaceAll('.', '\\.').replaceAll('*', '.*')}$`),
  );
  const twice = Object.keys(site).filter((path) => typed.filter((rule) => rule.test(`/${path}`)).length > 1);
  assert.equal(twice, []);
  assert.is(site['.nojekyll'], '');
  assert.not('.well-known/security.txt' in site);
});

test('the Markdown version of a page has the prompt, the sample and its answer', () => {
  const twin = text('agents/claim-ladder.md');
  for (const name of ['prompt.txt', 'sample-input.txt', 'sample-output.txt']) {
    assert.match(twin, readFileSync(join(bundled, 'agents', 'claim-ladder', name), 'utf8').trimEnd());
  }
  assert.match(
    text('agents/claim-ladder.html'),
    'type="text/markdown" href="https://agents.example.com/agents/claim-ladder.md"',
  );
});

test('the search index finds an agent by a misspelled word of its problem', async () => {
  const { default: MiniSearch } = await import('minisearch');
  const { searchOptions } = await import('../../src/site/search/query.ts');
  const { searchAgents } = await import('../../src/site/search/query.ts');
  const index = MiniSearch.loadJSON(text('search-index.json'), searchOptions);
  assert.is(searchAgents(index, 'changelgos', () => true)[0]?.id, 'dependency-bump-judge');
});

test.run();
