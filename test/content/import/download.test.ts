import { once } from 'node:events';
import { createServer, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { download } from '../../../src/content/import/download.ts';
import { inFolder, writeCatalog } from '../../support/catalog.ts';
import { loud } from '../../support/loud.ts';
import { catalog } from '../../support/process.ts';

/** Imports from an address: what is refused, and the limits of a download. */

const limits = { maxBytes: 100, timeoutMs: 5_000, maxRedirects: 2 };
const answers: Record<string, RequestListener> = {
  '/ok': (_, response) => response.end('text'),
  '/hop2': (_, response) => response.writeHead(302, { location: 'ok' }).end(),
  '/hop1': (_, response) => response.writeHead(301, { location: '/hop2' }).end(),
  '/hop0': (_, response) => response.writeHead(308, { location: '/hop1' }).end(),
  '/out': (_, response) => response.writeHead(302, { location: 'http://example.com/' }).end(),
  '/named': (_, response) => response.writeHead(302, { location: 'https://a:b@example.com/' }).end(),
  '/script': (_, response) => response.writeHead(302, { location: 'file:///etc/passwd' }).end(),
  '/jump': (_, response) => response.writeHead(302, { location: '/deep/hop' }).end(),
  '/deep/hop': (_, response) => response.writeHead(302, { location: 'ok' }).end(),
  '/deep/ok': (_, response) => response.end('deep text'),
  '/full': (_, response) => response.end('x'.repeat(100)),
  '/long': (_, response) => response.end('x'.repeat(101)),
  '/parts': (_, response) =>
    void response.write('x'.repeat(60), () => setTimeout(() => response.end('x'.repeat(41)), 20)),
  '/page': (_, response) => response.writeHead(200, { 'content-type': 'text/html; charset=utf-8' }).end('<p>x'),
  '/slow': (_, response) => void response.write('x'),
  '/cut': (_, response) => void response.writeHead(200, { 'content-length': '9' }).write('x', () => response.destroy()),
  '/%zz.prompt.md': (_, response) => response.end('Count.'),
  '/a%20b.prompt.md': (_, response) => response.end('Count.'),
  '/prompts.csv': (_, response) => response.end('act,prompt\nCount rows,Count.\nCount twice,Count again.\n'),
  '/skills/counting/SKILL.md': (_, response) => response.end('---\nlicense: CC0-1.0\n---\nCount the rows.\n'),
};

let server: Server;
let base = '';
test.before(
  loud(async () => {
    server = createServer((request, response) => {
      const answer = answers[request.url ?? ''];
      if (answer === undefined) response.writeHead(404).end();
      else answer(request, response);
    }).listen(0, '127.0.0.1');
    await once(server, 'listening');
    base = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  }),
);
test.after(() => {
  server.closeAllConnections();
  server.close();
});

/** Returns the text at an address, or the message of the error without the start that all have. */
async function textAt(address: string, changed: Partial<typeof limits> = {}): Promise<string> {
  let text = '';
  try {
    for await (const chunk of download(address, { ...limits, ...changed })) text += chunk;
    return text;
  } catch (error) {
    assert.ok(['OperationError', 'UsageError'].includes((error as Error).name), String(error));
    return (error as Error).message.replace(address, '').replace(' cannot be downloaded: ', '');
  }
}

const rows: [path: string, expected: string, changed?: Partial<typeof limits>][] = [
  ['/ok', 'text'],
  ['/hop1', 'text'],
  ['/jump', 'deep text'],
  ['/hop0', 'it redirects more than 2 times.'],
  ['/out', 'it redirects to http://example.com/, which does not start with https.'],
  ['/named', 'it redirects to https://a:b@example.com/, which has a user name or password; remove it.'],
  ['/script', 'it redirects to file:///etc/passwd, which does not start with https.'],
  ['/full', 'x'.repeat(100)],
  ['/long', 'it has more than 100 bytes.'],
  ['/parts', 'it has more than 100 bytes.'],
  ['/page', 'it is a web page. For a file on GitHub, use the address behind “Raw”.'],
  ['/none', 'the answer was 404.'],
  ['/slow', 'it takes more than 0.2 seconds.', { timeoutMs: 200 }],
  ['/cut', 'the connection failed (UND_ERR_RES_CONTENT_LENGTH_MISMATCH).'],
];
for (const [path, expected, changed] of rows) {
  test(`${path}: ${expected.slice(0, 80)}`, async () => {
    assert.is(await textAt(base + path, changed), expected);
  });
}

test('only https is asked, except on this machine', async () => {
  assert.is(await textAt('http://example.com/a'), ' does not start with https.');
  assert.is(await textAt('https://a:b@example.com/a'), ' has a user name or password; remove it.');
  assert.is(await textAt('https://:b@example.com/a'), ' has a user name or password; remove it.');
  assert.is(await textAt('https://'), ' is not an address.');
  assert.is(await textAt('http://localhost.example.com/a'), ' does not start with https.');
  assert.is(await textAt('shttp://localhost/a'), ' does not start with https.');
  assert.is(await textAt('http://127.0.0.1:1/'), 'the connection failed.');
});

for (const local of ['http://127.0.0.1', 'https://127.8.9.1', 'https://localhost:8443', 'https://[::1]']) {
  test(`an address on the internet cannot redirect to ${local}, on this machine`, async () => {
    const real = globalThis.fetch;
    const asked: string[] = [];
    globalThis.fetch = async (url) => {
      asked.push(String(url));
      return new Response(null, { status: 302, headers: { location: local } });
    };
    try {
      assert.is(await textAt('https://example.com/a'), `it redirects to ${local}/, which is on this machine.`);
      assert.equal(asked, ['https://example.com/a']);
    } finally {
      globalThis.fetch = real;
    }
  });
}

test('a prompt at an address becomes a draft that names it', async () => {
  await inFolder(async (folder) => {
    writeCatalog(folder, []);
    const address = `${base}/skills/counting/SKILL.md`;
    const run = () =>
      catalog(['import', address, '--from', 'skill', '--cwd', folder, '--today', '2026-02-01', '--dry-run']);
    const { code, stdout, stderr } = await run();
    assert.is(code, 0, stderr);
    assert.is(stdout, 'agents/counting  2026-02-01  Counting\n  It has no sections yet; write them.\n');
    assert.match(stderr, /Would write 1 draft\.\n$/);
    const csv = await catalog([
      ...[
        'import',
        `${base}/prompts.csv`,
        '--from',
        'prompts-chat',
        '--cwd',
        folder,
        '--today',
        '2026-02-01',
        '--dry-run',
      ],
    ]);
    assert.equal(csv.stdout.match(/^agents.*$/gm), [
      'agents/count-rows  2026-02-01  Count rows',
      'agents/count-twice  2026-02-02  Count twice',
    ]);
    const odd = await catalog(['import', `${base}/%zz.prompt.md`, '--from', 'copilot', '--cwd', folder, '--dry-run']);
    assert.is(odd.code, 0, odd.stderr);
    assert.match(odd.stdout, /^agents\/zz /);
    const spaced = await catalog([
      ...['import', `${base}/a%20b.prompt.md`, '--from', 'copilot', '--cwd', folder, '--dry-run'],
    ]);
    assert.match(spaced.stdout, /^agents\/a-b /);
  });
});

test.run();
