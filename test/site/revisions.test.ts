import { createHash } from 'node:crypto';
import { appendFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { strFromU8, unzipSync } from 'fflate';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import type { Revisions } from '../../src/schema/documents.ts';
import { temporaryFolder, writeCatalog, writeFiles } from '../support/catalog.ts';
import { otherPrompt, published, revisions, writeRevisions } from '../support/copies.ts';
import { commitAt, gitSync } from '../support/git.ts';
import { loud } from '../support/loud.ts';

/** The digests by which copies are recognized, from the history of a catalog. */

const folder = temporaryFolder();
let cwd = '';
let files: ReadonlyMap<string, Buffer> = new Map();
test.before(
  loud(() => {
    cwd = writeRevisions(folder.path);
    ({ files } = published(cwd).rendered);
  }),
);
test.after(() => folder.remove());

const sha256 = (content: string | Uint8Array) => createHash('sha256').update(content).digest('hex');
const documentOf = (some: ReadonlyMap<string, Buffer>): Revisions =>
  JSON.parse(some.get('api/revisions.json')?.toString('utf8') ?? '');
const promptsIn = (catalog: string, slug: string) =>
  documentOf(published(catalog).rendered.files).agents.find((agent) => agent.slug === slug)?.prompts;
const [first, second, third] = revisions;

test('every revision is listed, also under former slugs, and nothing of withdrawn agents', () => {
  const { agents, ...rest } = documentOf(files);
  assert.equal(rest, { complete: true });
  assert.equal(
    agents.map(({ slug }) => slug),
    ['two', 'one'],
  );
  assert.equal(agents[1], {
    slug: 'one',
    issue: 1,
    url: 'https://press.example/agents/one',
    formerSlugs: ['uno'],
    prompts: [
      { sha256: sha256(third), date: '2026-11-15' },
      { sha256: sha256(second), date: '2026-11-13' },
      { sha256: sha256(first), date: '2026-11-01' },
    ],
    plugins: [
      ['one', '1.2.0'],
      ['one', '1.1.0'],
      ['uno', '1.1.0'],
    ].map(([name, version]) => {
      const archive = files.get(`plugins/${name}-${version}.zip`) ?? Buffer.alloc(0);
      const skill = strFromU8(unzipSync(archive)[`skills/${name}/SKILL.md`] ?? new Uint8Array());
      return { name, version, sha256: sha256(archive), skill: sha256(skill) };
    }),
    lines: [...new Set(third.split('\n'))]
      .filter((line) => line !== '')
      .map((line) => sha256(line.trim()).slice(0, 8))
      .join(''),
  });
});

test('a revision begins with the first commit that has its text, and one that comes back is the newest', () => {
  const catalog = join(folder.path, 'back');
  const commit = (prompt: string, day: string) => {
    writeFiles(join(catalog, 'agents/two'), { 'prompt.txt': prompt });
    commitAt(catalog, `${day}T23:30:00Z`);
  };
  writeCatalog(catalog, [{ slug: 'two', date: '2026-11-11' }], { timezone: 'Asia/Tokyo' });
  gitSync(catalog, 'init', '--quiet', '--initial-branch', 'main');
  commit(first, '2026-11-01');
  commit(second.replaceAll('\n', '\r\n'), '2026-11-02');
  commit(second, '2026-11-03');
  commit(first, '2026-11-04');
  assert.equal(promptsIn(catalog, 'two'), [
    { sha256: sha256(first), date: '2026-11-05' },
    { sha256: sha256(second), date: '2026-11-03' },
  ]);
  // Two commits had this text before.
  commit(second, '2026-11-05');
  assert.equal(promptsIn(catalog, 'two'), [
    { sha256: sha256(second), date: '2026-11-06' },
    { sha256: sha256(first), date: '2026-11-05' },
  ]);
});

test('a text that is not committed is the newest revision', () => {
  const path = join(cwd, 'agents/two/prompt.txt');
  appendFileSync(path, 'Really.\n');
  assert.equal(promptsIn(cwd, 'two'), [
    { sha256: sha256(`${otherPrompt}Really.\n`), date: '2026-11-11' },
    { sha256: sha256(otherPrompt), date: '2026-11-01' },
  ]);
  gitSync(cwd, 'checkout', '--quiet', '--', 'agents');
});

test('a changed copy is recognized by each different line, without blank lines and the spaces around lines', () => {
  const catalog = join(folder.path, 'lines');
  const text = 'INPUT\n- TEXT: the text\n\nRULES\n  Same line.\nSame line.\n\tSame line. \n \nOUTPUT\nSame line.\n';
  writeCatalog(catalog, [{ slug: 'two', date: '2026-11-01', files: { 'prompt.txt': text } }]);
  const [agent] = documentOf(published(catalog).rendered.files).agents;
  const different = ['INPUT', '- TEXT: the text', 'RULES', 'Same line.', 'OUTPUT'];
  assert.is(agent?.lines, different.map((line) => sha256(line).slice(0, 8)).join(''));
});

test('a shallow clone has the current revisions, and says that it does not know others', () => {
  const shallow = join(folder.path, 'shallow');
  gitSync(folder.path, 'clone', '--quiet', '--depth', '1', pathToFileURL(cwd).href, shallow);
  const { complete, agents } = documentOf(published(shallow).rendered.files);
  assert.is(complete, false);
  assert.equal(
    agents.map(({ prompts }) => prompts),
    [[{ sha256: sha256(otherPrompt), date: '2026-11-11' }], [{ sha256: sha256(third), date: '2026-11-10' }]],
  );
  rmSync(shallow, { recursive: true });
});

test.run();
