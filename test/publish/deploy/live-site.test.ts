import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { readLiveSite } from '../../../src/publish/deploy.ts';

/** The live build is known even behind a cache that keeps every address. */

test('a new build is detected behind a cache', async () => {
  const kept = new Map<string, string>();
  const [first, second] = ['1', '2'].map((digit) => digit.repeat(32));
  let id = first;
  const server = createServer((request, response) => {
    const url = request.url ?? '';
    const isBuild = url.startsWith('/build.json');
    const now = JSON.stringify(isBuild ? { id, counts: { agents: 0, files: 1 } } : { skills: [] });
    kept.set(url, kept.get(url) ?? now);
    response.end(kept.get(url));
  });
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  const { port } = server.address() as AddressInfo;
  const real = Date.now;
  try {
    Date.now = () => 1;
    assert.equal(await readLiveSite(`http://127.0.0.1:${port}`), { id: first, problems: [] });
    id = second;
    Date.now = () => 2;
    assert.equal(await readLiveSite(`http://127.0.0.1:${port}`), { id: second, problems: [] });
  } finally {
    Date.now = real;
    server.closeAllConnections();
    server.close();
  }
});

test.run();
