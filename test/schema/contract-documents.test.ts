import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { loadMcpCatalog } from '../../src/server/mcp/catalog.ts';
import { dispatch } from '../../src/server/mcp/dispatch.ts';
import { inFolder, writeCatalog } from '../support/catalog.ts';
import { parsedReply } from '../support/mcp-answers.ts';
import { render } from '../support/render.ts';

/**
 * The descriptions that clients are generated from. Each is compared with a copy in test/fixtures/, so that a change of
 * the contract is visible as a diff: `UPDATE=1 npm run -s unit -- contract-documents` updates the copies.
 */

const files = await inFolder((folder) => {
  writeCatalog(folder, [{ slug: 'one', date: '2026-01-01' }]);
  return render(folder, { today: '2026-02-01' });
});

function isCopied(name: string, document: unknown): void {
  const copy = new URL(`../fixtures/${name}`, import.meta.url);
  if (process.env.UPDATE === '1') {
    writeFileSync(copy, `${JSON.stringify(document, null, 2)}\n`);
    // As `npm run format` would, so that the diff has only what changed.
    execFileSync('npx', ['--no', 'biome', 'format', '--write', fileURLToPath(copy)], { stdio: 'ignore' });
  }
  assert.equal(document, JSON.parse(readFileSync(copy, 'utf8')));
}

for (const name of ['openapi.json', 'schema.json']) {
  test(`api/${name} is unchanged`, () => isCopied(name, JSON.parse(files.get(`api/${name}`) ?? '')));
}

test('MCP describes its tools in the same way', async () => {
  const message = { jsonrpc: '2.0', id: 1, method: 'tools/list', params: {} };
  const reply = await dispatch(
    message,
    null,
    await loadMcpCatalog(async (path) => Buffer.from(files.get(path) ?? ''), {}),
  );
  isCopied('mcp-tools.json', parsedReply(reply).result.tools);
});

test.run();
