import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { temporaryFolder } from './support/catalog.ts';
import { loud } from './support/loud.ts';
import { renderRichCatalog, writeRichCatalog } from './support/rich-catalog.ts';
import { findings, shown } from './support/surfaces/index.ts';

/** Every text of an agent is where readers look for it, whole and in its place, on every output. */

const folder = temporaryFolder();
let found: ReadonlyMap<string, string[]> = new Map();
let files: ReadonlyMap<string, Buffer> = new Map();

test.before(
  loud(async () => {
    writeRichCatalog(folder.path);
    files = renderRichCatalog(folder.path);
    found = await findings(files);
  }),
);
test.after(() => folder.remove());

for (const path of shown) {
  test(`${path} shows every text where it belongs`, () => assert.equal(found.get(path), []));
}

test.run();
