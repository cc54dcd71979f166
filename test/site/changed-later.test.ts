import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { build } from '../../src/build/build.ts';
import { loadSettings } from '../../src/content/settings.ts';
import { snapshot, temporaryFolder, writeCatalog, writeFiles } from '../support/catalog.ts';
import { commitAt, gitSync } from '../support/git.ts';
import { loud } from '../support/loud.ts';
import { mcpCatalog } from '../support/mcp.ts';
import { ask, askTool } from '../support/mcp-answers.ts';
import { readXml } from '../support/xml.ts';

/** An agent that was corrected after newer ones were published, and one that was ready before its date: what readers and assistants are told about its date. */

const folder = temporaryFolder();
const dist = join(folder.path, 'dist');
let files: Record<string, string> = {};

test.before(
  loud(() => {
    const cwd = join(folder.path, 'catalog');
    writeCatalog(cwd, [
      { slug: 'older', date: '2026-01-01', front: { issue: '1' } },
      { slug: 'newer', date: '2026-01-02', front: { issue: '2' } },
      { slug: 'queued', date: '2026-01-20' },
    ]);
    gitSync(cwd, 'init', '--quiet', '--initial-branch', 'main');
    commitAt(cwd, '2026-01-01T08:00:00Z');
    writeFiles(cwd, { 'agents/queued/sample-output.txt': 'Improved\n' });
    commitAt(cwd, '2026-01-10T08:00:00Z');
    writeFiles(cwd, { 'agents/older/sample-output.txt': 'Corrected\n' });
    commitAt(cwd, '2026-02-03T08:00:00Z');
    build({ cwd, out: dist, settings: loadSettings(cwd, {}, {}), images: false, today: '2026-02-04' });
    files = snapshot(dist);
  }),
);
test.after(() => folder.remove());

const xml = (path: string) => readXml(files[path] ?? '');

test('feeds are as new as the correction', () => {
  assert.is(xml('atom.xml').feed.updated, '2026-02-03T08:00:00.000Z');
  assert.is(xml('feeds/coding.xml').feed.updated, '2026-02-03T08:00:00.000Z');
  assert.is(xml('feed.xml').rss.channel.lastBuildDate, 'Tue, 03 Feb 2026 08:00:00 GMT');
});

test('an agent counts as changed on its date, not on the day when it was written', () => {
  const { items } = JSON.parse(files['feed.json'] ?? '') as { items: { id: string; date_modified: string }[] };
  const changed = Object.fromEntries(items.map(({ id, date_modified }) => [id.split('/').at(-1), date_modified]));
  assert.equal(changed, {
    1: '2026-02-03T08:00:00.000Z',
    2: '2026-01-02T00:00:00.000Z',
    3: '2026-01-20T00:00:00.000Z',
  });
});

test('assistants get the prompt with the day of its last review, by a tool or as a prompt', async () => {
  const catalog = await mcpCatalog(dist);
  const told = async (slug: string) => {
    const answers = [await askTool(catalog, 'get_agent', { slug }), await ask(catalog, 'prompts/get', { name: slug })];
    return answers.map((answer) => /reviewed on ([\d-]+)/.exec(JSON.stringify(answer))?.[1]);
  };
  assert.equal(await told('older'), ['2026-02-03', '2026-02-03']);
  assert.equal(await told('newer'), ['2026-01-02', '2026-01-02']);
  assert.equal(await told('queued'), ['2026-01-20', '2026-01-20']);
});

test.run();
