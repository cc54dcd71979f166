import type { RequestListener } from 'node:http';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { temporaryFolder, writeFiles } from '../../support/catalog.ts';
import { published, serveFiles, today, writeRevisions } from '../../support/copies.ts';
import { loud } from '../../support/loud.ts';
import { catalog } from '../../support/process.ts';

/** What `catalog verify` prints about sites that are hostile, broken or no catalogs, and about wrong addresses. */

const folder = temporaryFolder();
let cwd = '';
let files: ReadonlyMap<string, Buffer> = new Map();
let site: Awaited<ReturnType<typeof serveFiles>>;
const answer =
  (body: string): RequestListener =>
  (_, response) =>
    void response.end(body);
const edited = (
  change: (document: Record<string, unknown> & { agents: [{ url: string; plugins: object[] }] }) => void,
) => {
  const document = JSON.parse(files.get('api/revisions.json')?.toString('utf8') ?? '');
  change(document);
  return JSON.stringify(document);
};

test.before(
  loud(async () => {
    cwd = writeRevisions(folder.path);
    ({ files } = published(cwd).rendered);
    const special: Record<string, RequestListener> = {
      'page/api/revisions.json': (_, response) => response.writeHead(200, { 'content-type': 'text/html' }).end('<p>'),
      'deep/api/revisions.json': answer('['.repeat(100_000)),
      'list/api/revisions.json': answer('[1]'),
      'escape/api/revisions.json': answer(edited(({ agents }) => Object.assign(agents[0], { slug: '\u001b[31m' }))),
      'version/api/revisions.json': answer(
        edited(({ agents }) => Object.assign(agents[0].plugins[0] ?? {}, { version: '../../x' })),
      ),
      'away/api/revisions.json': (_, response) => response.writeHead(302, { location: 'http://10.0.0.1/' }).end(),
      'other/api/revisions.json': answer(edited(() => {})),
      'other/plugins/uno-1.1.0.zip': answer('PK'),
      'quiet/api/revisions.json': (_, response) => void response.destroy(),
    };
    site = await serveFiles(files, special);
    writeFiles(folder.path, { 'SKILL.md': `${files.get('.well-known/agent-skills/one/SKILL.md')}More.\n` });
  }),
);
test.after(
  loud(() => {
    site.close();
    folder.remove();
  }),
);

const verify = (path: string, ...args: string[]) => catalog(['verify', path, '--cwd', cwd, '--today', today, ...args]);

/** Rows of: the path of the site, the exit code and the message. */
const sites: [path: string, code: number, message: string][] = [
  ['/page', 1, '/page/ the address of a catalog that was built with this program?\n'],
  ['/none', 1, '/none/api/revisions.json cannot be downloaded: the answer was 404.'],
  ['/deep', 1, '/deep/api/revisions.json is not a document that catalogs publish: it is not JSON.'],
  ['/list', 1, '/list/api/revisions.json is not a document that catalogs publish: its root is wrong. Is http'],
  ['/escape', 1, 'publish: agents.0.slug is wrong. Is http'],
  ['/version', 1, 'publish: agents.0.plugins.0.version is wrong. Is http'],
  ['/away', 1, 'it redirects to http://10.0.0.1/, which does not start with https.'],
  ['/quiet', 1, '/quiet/api/revisions.json cannot be downloaded: the connection failed'],
  ['/other/', 1, '/other/: plugins/uno-1.1.0.zip does not have the digest in api/revisions.json.'],
];
for (const [path, code, message] of sites) {
  test(`a site with a wrong answer is refused: ${path}`, async () => {
    const result = await verify(join(folder.path, 'SKILL.md'), '--site', site.address + path);
    assert.match(result.stderr, message);
    assert.not.match(result.stderr, '\u001b');
    assert.equal([result.code, result.stdout], [code, '']);
  });
}
for (const [address, message] of [
  ['press.example', 'press.example is not the address of a site, such as https://agents.example.com.'],
  ['file:///etc', 'is not the address of a site'],
  ['https://a:b@press.example', 'The address of the site has a user name or password; remove it.'],
  ['http://press.example', 'http://press.example/api/revisions.json does not start with https.'],
]) {
  test(`${address} is no address of a site`, async () => {
    const { code, stdout, stderr } = await verify('x', '--site', address ?? '');
    assert.match(stderr, message ?? '');
    assert.equal([code, stdout], [2, '']);
    assert.not.match(stderr, 'a:b');
  });
}

test.run();
