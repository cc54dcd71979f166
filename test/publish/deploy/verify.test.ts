import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { inFolder, writeCatalog } from '../../support/catalog.ts';
import { catalog } from '../../support/process.ts';

/** `catalog ci verify` says which build a live site serves, and what is wrong with it. */

const id = '0f3c'.repeat(8);
const build = { status: 200, body: JSON.stringify({ id, counts: { agents: 2, files: 9 } }) };
const skills = (count: number) => ({
  status: 200,
  body: JSON.stringify({ skills: Array.from({ length: count }, (_, index) => ({ url: `/${index}` })) }),
});
type Answer = typeof build;

/** Runs the command for a site below a path, whose two files have these answers. */
async function verify(files: { build: Answer; skills: Answer }, ...args: string[]) {
  const asked: string[] = [];
  const server = createServer((request, response) => {
    const { pathname, searchParams } = new URL(request.url ?? '', 'http://localhost');
    asked.push(`${pathname} ${request.headers['cache-control']} ${/^\d+$/.test(searchParams.get('at') ?? '')}`);
    const known: Record<string, Answer> = {
      '/site/build.json': files.build,
      '/site/.well-known/agent-skills/index.json': files.skills,
    };
    const { status, body } = known[pathname] ?? { status: 404, body: '' };
    response.writeHead(status).end(body);
  });
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  const site = `http://127.0.0.1:${(server.address() as AddressInfo).port}/site`;
  try {
    return await inFolder(async (folder) => {
      writeCatalog(folder, []);
      const flags = ['--cwd', folder, '--base-url', site, '--expect', id];
      const { code, stdout, stderr } = await catalog(['ci', 'verify', ...flags, ...args]);
      assert.is(stdout, '');
      return { code, said: stderr.replaceAll(site, 'SITE'), asked };
    });
  } finally {
    server.closeAllConnections();
    server.close();
  }
}

const rows: [name: string, build: Answer, skills: Answer, code: number, said: string][] = [
  ['the expected build', build, skills(2), 0, 'SITE serves build 0f3c0f3c0f3c.\n'],
  [
    'another build',
    { ...build, body: build.body.replace('0f3c', 'aaaa') },
    skills(2),
    1,
    'error: SITE serves build aaaa0f3c0f3c, not 0f3c0f3c0f3c.\n',
  ],
  [
    'a preview',
    { ...build, body: build.body.replace('{', '{"preview":true,') },
    skills(2),
    1,
    'error: SITE serves a preview, which may show drafts and agents that are not due yet.\n',
  ],
  ['no build', { status: 404, body: 'x' }, skills(2), 1, 'error: SITE/build.json returned status 404.\n'],
  [
    'a page instead of a build',
    { status: 200, body: '<h1>Parked</h1>' },
    skills(2),
    1,
    'error: SITE/build.json was not written by catalog build.\n',
  ],
  [
    'a build.json without an id',
    { status: 200, body: '{"counts":{"agents":2,"files":9}}' },
    skills(2),
    1,
    'error: SITE/build.json was not written by catalog build.\n',
  ],
  [
    'no hidden folders',
    build,
    { status: 404, body: '' },
    1,
    'error: SITE/.well-known/agent-skills/index.json returned status 404.\n',
  ],
  [
    'fewer skills than agents',
    build,
    skills(1),
    1,
    'error: The skills index has 1 skill, but the build has 2 agents.\n',
  ],
];
for (const [name, buildAnswer, skillsAnswer, code, said] of rows) {
  test(`a site with ${name} ends with ${code}, after one look`, async () => {
    // A wait that is shorter than the pause before another look.
    const found = await verify({ build: buildAnswer, skills: skillsAnswer }, '--wait', '4');
    assert.equal({ code: found.code, said: found.said }, { code, said });
    assert.is(found.asked[0], '/site/build.json no-cache true');
    assert.is(found.asked.filter((each) => each.startsWith('/site/build.json')).length, 1);
  });
}

test('a site that does not answer is named, with the reason', () =>
  inFolder(async (folder) => {
    writeCatalog(folder, []);
    const gone = createServer();
    await new Promise<void>((done) => gone.listen(0, '127.0.0.1', done));
    const address = `127.0.0.1:${(gone.address() as AddressInfo).port}`;
    await new Promise((done) => gone.close(done));
    const flags = ['--cwd', folder, '--base-url', `http://${address}`, '--expect', id];
    const { code, stderr } = await catalog(['ci', 'verify', ...flags]);
    const message = `http://${address}/build.json does not answer (connect ECONNREFUSED ${address}).`;
    assert.equal([code, stderr], [1, `error: ${message}\n`]);
  }));

for (const wait of ['-1', '1.5', 'soon', '12345']) {
  test(`--wait ${wait} is wrong usage`, async () => {
    const { code, stderr } = await catalog(['ci', 'verify', `--wait=${wait}`]);
    assert.is(code, 2);
    assert.match(stderr, 'It must be a whole number from 0 to 9999.');
  });
}

test.run();
