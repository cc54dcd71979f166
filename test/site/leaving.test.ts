import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { inFolder, type SmallAgent, snapshot, writeCatalog } from '../support/catalog.ts';
import { catalog, run } from '../support/process.ts';

/** Agents that are withdrawn, renamed or not ready: what readers must still find, and what nobody must see. */

const build = (folder: string, ...flags: string[]) =>
  catalog(['build', '--cwd', folder, '--today', '2026-02-01', '--format', 'json', ...flags]);
const read = (folder: string, path: string) => readFileSync(join(folder, 'dist', path), 'utf8');

test('a withdrawn agent leaves every output except a list of what to uninstall, and its number stays taken', async () => {
  await inFolder(async (folder) => {
    const agents: SmallAgent[] = [
      { slug: 'first', date: '2026-01-01', front: { issue: '1' } },
      { slug: 'regretted', date: '2026-01-02', front: { issue: '2', withdrawn: 'It gave bad advice.' } },
      { slug: 'third', date: '2026-01-03' },
    ];
    writeCatalog(folder, agents);
    const built = await build(folder);
    assert.is(built.code, 0, built.stderr);
    const naming = Object.entries(snapshot(join(folder, 'dist'))).filter((file) => file.join().includes('regretted'));
    assert.equal(
      naming.map(([path]) => path),
      ['marketplace.json'],
    );
    assert.equal(JSON.parse(read(folder, 'marketplace.json')).renames, { regretted: null });
    assert.is(JSON.parse(read(folder, 'api/agents/third.json')).agent.issue, 3);
  });
});

test('a withdrawn agent keeps its date', async () => {
  await inFolder(async (folder) => {
    writeCatalog(folder, [
      { slug: 'regretted', date: '2026-01-02', front: { issue: '1', withdrawn: 'It gave bad advice.' } },
      { slug: 'other', date: '2026-01-02' },
    ]);
    const built = await build(folder);
    assert.is(built.code, 1);
    assert.match(built.stderr, 'date/taken');
    assert.match(built.stderr, 'agents/other/agent.md');
  });
});

test('a former address points to the new one, for browsers and for search engines, and nothing lists it', async () => {
  await inFolder(async (folder) => {
    writeCatalog(folder, [{ slug: 'new-name', date: '2026-01-01', front: { formerSlugs: '[old-name]' } }], {
      baseUrl: 'https://press.example/catalog',
    });
    assert.is((await build(folder)).code, 0);
    for (const path of ['agents/old-name.html', 'agents/old-name/index.html']) {
      const page = read(folder, path);
      assert.match(page, '<link rel="canonical" href="https://press.example/catalog/agents/new-name">');
      assert.match(page, '<meta http-equiv="refresh" content="0; url=/catalog/agents/new-name">');
      assert.match(page, 'noindex');
      assert.match(page, '<a href="/catalog/agents/new-name">');
    }
    for (const path of ['sitemap.xml', 'api/agents.json', 'archive.html', 'search-index.json', 'llms.txt']) {
      assert.not.match(read(folder, path), 'old-name');
    }
    assert.not(existsSync(join(folder, 'dist/api/agents/old-name.json')));
    assert.equal(JSON.parse(read(folder, 'build.json')).moved, { 'old-name': 'new-name' });
  });
});

test('the id of an entry survives a change of the slug', async () => {
  await inFolder(async (folder) => {
    const ids = async () => [...read(folder, 'atom.xml').matchAll(/<id>([^<]*)<\/id>/g)].map(([, id]) => id);
    writeCatalog(join(folder), [{ slug: 'old-name', date: '2026-01-01', front: { issue: '1' } }]);
    await build(folder);
    const before = await ids();
    await inFolder(async (later) => {
      writeCatalog(later, [{ slug: 'new-name', date: '2026-01-01', front: { issue: '1', formerSlugs: '[old-name]' } }]);
      await build(later, '--out', join(folder, 'dist'));
    });
    assert.equal(await ids(), before);
    assert.is(before.length, 2);
  });
});

const faulty: SmallAgent[] = [
  { slug: 'first', date: '2026-01-01', front: { issue: '1' } },
  { slug: 'late', date: '2026-01-02', front: { difficulty: 'medum' } },
  { slug: 'fine', date: '2026-01-03' },
];

test('an error in a new agent that is due stops a build', async () => {
  await inFolder(async (folder) => {
    writeCatalog(folder, faulty);
    const built = await build(folder);
    assert.is(built.code, 1);
    assert.not(existsSync(join(folder, 'dist')));
  });
});

test('build --skip-invalid skips it by name, and publishes the rest with numbers in order', async () => {
  await inFolder(async (folder) => {
    // These have the same error, and are not due.
    const others: SmallAgent[] = [
      { slug: 'sketch', date: '2026-01-04', front: { difficulty: 'medum', draft: 'true' } },
      { slug: 'undated', date: '2026-01-05', front: { difficulty: 'medum', draft: 'true', date: null } },
      { slug: 'coming', date: '2026-02-02', front: { difficulty: 'medum' } },
    ];
    writeCatalog(folder, [...faulty, ...others]);
    const built = await build(folder, '--skip-invalid');
    assert.is(built.code, 0, built.stderr);
    assert.match(built.stderr, 'Skipped: late');
    assert.not.match(built.stderr, /Skipped: (?!late)/);
    const { skipped, warnings } = JSON.parse(built.stdout);
    assert.equal(skipped, ['late']);
    assert.ok(warnings.some(({ slug }: { slug: string }) => slug === 'late'));
    assert.equal(
      JSON.parse(read(folder, 'api/agents.json')).agents.map(({ slug, issue }: { slug: string; issue: number }) => [
        slug,
        issue,
      ]),
      [
        ['fine', 2],
        ['first', 1],
      ],
    );
    assert.not.match(JSON.stringify(snapshot(join(folder, 'dist'))), 'agents/late');
  });
});

test('the first free date is suggested for a skipped agent once a later one has its number', async () => {
  await inFolder(async (folder) => {
    writeCatalog(folder, [
      { slug: 'late', date: '2026-01-02' },
      { slug: 'fine', date: '2026-01-03', front: { issue: '2' } },
      { slug: 'coming', date: '2026-02-01' },
    ]);
    const { code, stdout } = await catalog(['validate', '--cwd', folder, '--today', '2026-02-01']);
    assert.is(code, 1);
    assert.match(stdout, 'agents/late/agent.md:3:7  error  date/backdated');
    assert.match(stdout, '2026-02-02 is free');
  });
});

test('if two agents have one number, the one on the default branch of the remote keeps it', async () => {
  await inFolder(async (folder) => {
    const [remote, clone] = [join(folder, 'remote.git'), join(folder, 'clone')];
    const git = async (...args: string[]) => {
      const identity = ['-c', 'user.name=Ada', '-c', 'user.email=ada@press.example', '-c', 'init.defaultBranch=main'];
      const { code, stderr } = await run('git', [...identity, ...args], { cwd: folder });
      assert.is(code, 0, stderr);
    };
    writeCatalog(clone, [{ slug: 'zebra', date: '2026-01-02', front: { issue: '1' } }]);
    await git('init', '-q', '--bare', remote);
    await git('init', '-q', clone);
    await git('-C', clone, 'add', '.');
    await git('-C', clone, 'commit', '-qm', 'zebra');
    await git('-C', clone, 'remote', 'add', 'origin', remote);
    await git('-C', clone, 'push', '-q', 'origin', 'HEAD:main');
    await git('-C', clone, 'fetch', '-q');
    writeCatalog(clone, [{ slug: 'aardvark', date: '2026-01-01', front: { issue: '1' } }]);
    const { code, stdout } = await catalog(['validate', '--cwd', clone, '--today', '2026-02-01']);
    assert.is(code, 1);
    assert.match(stdout, 'agents/aardvark/agent.md:30:8  error  issue/taken');
    assert.match(stdout, 'Issue number 1 already belongs to `zebra` on origin/main.');
    assert.not.match(stdout, 'agents/zebra');
  });
});

for (const [name, broken] of [
  ['whose front matter cannot be read', { 'agent.md': '---\ntitle: "x\nissue: 1\ndate: 2026-01-01\n---\nx\n' }],
  ['whose prompt is broken', { 'prompt.txt': 'Nothing\n' }],
] as const) {
  test(`a numbered agent ${name} stops the build even with --skip-invalid`, async () => {
    await inFolder(async (folder) => {
      writeCatalog(folder, [
        { slug: 'first', date: '2026-01-01', front: { issue: '1' }, files: broken },
        { slug: 'fine', date: '2026-01-03' },
      ]);
      const built = await build(folder, '--skip-invalid');
      assert.is(built.code, 1);
      assert.match(built.stderr, 'agents/first');
    });
  });
}

test.run();
