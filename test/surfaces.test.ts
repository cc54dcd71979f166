import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { artifacts } from '../src/artifacts/index.ts';
import { temporaryFolder } from './support/catalog.ts';
import { loud } from './support/loud.ts';
import { renderBareCatalog, renderLargeCatalog, renderRichCatalog, writeRichCatalog } from './support/rich-catalog.ts';
import { findings, shown } from './support/surfaces/index.ts';

/** Every text of an agent is where readers look for it, whole and in its place, on every output. */

const folder = temporaryFolder();
let found: ReadonlyMap<string, string[]> = new Map();
let files: ReadonlyMap<string, Buffer> = new Map();

test.before(
  loud(async () => {
    writeRichCatalog(folder.path);
    files = renderRichCatalog(folder.path);
    const [large, bare] = [renderLargeCatalog(folder.path), renderBareCatalog(folder.path)];
    found = await findings({ files, large, bare });
  }),
);
test.after(() => folder.remove());

for (const path of shown) {
  test(`${path} shows every text where it belongs`, () => assert.equal(found.get(path), []));
}

/** Outputs that hold no text of an agent or the publication, with who checks them. */
const elsewhere: Record<string, string> = {
  'assets/{folder}/{file}': 'the same bytes as in templates/: test/pages.test.ts',
  'assets/{file}': 'the same bytes as in templates/: test/pages.test.ts',
  'robots.txt': 'test/contract.test.ts',
  '.well-known/security.txt': 'no contact is in these settings: test/text-outputs.test.ts',
  _headers: 'test/contract.test.ts',
  '.nojekyll': 'empty',
  'search-index.json': 'searched in a browser and over MCP: test/browser, test/mcp',
};

test('every output of the registry is read here, or somewhere else by name', () => {
  const read = shown.map((path) => path.replace(/ \(.*\)$/, ''));
  const unread = artifacts.filter(({ path }) => !(path in elsewhere) && !read.some((one) => patternOf(path).test(one)));
  assert.equal(
    unread.map(({ path }) => path),
    [],
  );
});

function patternOf(path: string): RegExp {
  return new RegExp(`^${path.replaceAll('.', '\\.').replace(/\{\w+\}/g, '[^/]+')}$`);
}

test('no page shows a text of an agent that does not belong there', () => {
  const fields = {
    sampleInput: ['agents/rich.html', 'agents/rich/index.html', 'agents/rich.md', 'api/agents/rich.json'],
    sampleOutput: [
      ...['agents/rich.html', 'agents/rich/index.html', 'agents/rich.md', 'agents/rich/sample-output.txt'],
    ],
    videoUrl: ['agents/rich.html', 'agents/rich/index.html', 'agents/rich.md', 'api/agents/rich.json'],
  };
  const marks = { sampleInput: 'Sample input <', sampleOutput: 'Sample output <', videoUrl: 'video-token' };
  for (const [field, paths] of Object.entries(fields)) {
    const mark = marks[field as keyof typeof marks];
    const holding = [...files].filter(([, bytes]) => {
      const text = bytes.toString('utf8').replaceAll('&lt;', '<').replaceAll('\\u003c', '<');
      return text.includes(mark);
    });
    assert.equal(holding.map(([path]) => path).sort(), [...paths].sort(), field);
  }
});

test.run();
