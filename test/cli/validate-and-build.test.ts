import { existsSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { inFolder, snapshot, writeCatalog, writeFiles } from '../support/catalog.ts';
import { goodPrompt } from '../support/good-agent.ts';
import { catalog } from '../support/process.ts';

/** `catalog validate` and `catalog build` as an editor or a script uses them: what they print, and with which exit code. */

test('a folder without settings is named, with the fix', async () => {
  await inFolder(async (folder) => {
    const { code, stderr } = await catalog(['build', '--cwd', folder]);
    assert.is(code, 1);
    assert.match(stderr, /settings\/missing/);
    assert.match(stderr, /--cwd/);
  });
});

test('validate reports every error of every folder at once, with file, line, column and code frame', async () => {
  await inFolder(async (folder) => {
    writeCatalog(folder, [
      { slug: 'a', date: '2026-01-01', front: { difficulty: 'medum' } },
      { slug: 'b', date: '2099-01-01', files: { 'prompt.txt': 'INPUT\n\nOUTPUT\n' } },
    ]);
    const { code, stdout } = await catalog(['validate', '--cwd', folder]);
    assert.is(code, 1);
    assert.match(stdout, 'agents/a/agent.md:6:13  error  front-matter/value');
    assert.match(stdout, '`difficulty` is "medum"; it has to be one of easy, medium, hard.');
    assert.match(stdout, '> 6 | difficulty: medum\n      |             ^^^^^');
    assert.match(stdout, 'Did you mean medium?');
    assert.match(stdout, 'agents/b/prompt.txt:1:1  error  prompt/sections');
    assert.match(stdout, '2 errors');
    assert.not.match(stdout, '\u001b');
  });
});

test('the last line of validate says how many problems catalog fix solves, none of which it then reports', async () => {
  await inFolder(async (folder) => {
    const words = {
      'sample-input.txt': 'A line.\r\n'.repeat(9),
      'prompt.txt': goodPrompt.replace('line of', 'line of “two”'),
    };
    writeCatalog(folder, [
      { slug: 'a', date: '2026-01-01', front: { difficulty: 'medum' }, files: { 'prompt.txt': words['prompt.txt'] } },
      { slug: 'b', date: '2026-01-02', files: words },
    ]);
    const validate = async (...slugs: string[]) =>
      (await catalog(['validate', ...slugs, '--cwd', folder])).stderr.trimEnd().split('\n').at(-1) ?? '';
    assert.is(await validate(), 'npx --no daily-agent-catalog fix --write solves 2 of 3 problems.');
    assert.match(await validate('a'), 'Every rule is explained at');
    assert.is(await validate('b'), 'npx --no daily-agent-catalog fix b --write solves 2 of 2 problems.');
    await catalog(['fix', '--write', '--cwd', folder]);
    assert.match(await validate(), 'Every rule is explained at');
    assert.is(await validate('b'), '1 agent checked, no errors.');
  });
});

test('validate --json is one JSON document on stdout', async () => {
  await inFolder(async (folder) => {
    writeCatalog(folder, [{ slug: 'a', date: '2026-01-01', front: { difficulty: 'medum' } }]);
    const { code, stdout } = await catalog(['validate', '--cwd', folder, '--format', 'json']);
    assert.is(code, 1);
    const { ok, diagnostics } = JSON.parse(stdout);
    assert.is(ok, false);
    assert.is(diagnostics.length, 1);
    const { code: rule, file, line, column, endColumn, severity, slug } = diagnostics[0];
    assert.equal(
      { rule, file, line, column, endColumn, severity, slug },
      {
        rule: 'front-matter/value',
        file: 'agents/a/agent.md',
        line: 6,
        column: 13,
        endColumn: 18,
        severity: 'error',
        slug: 'a',
      },
    );
  });
});

test('validate --today proposes dates from that day on', async () => {
  await inFolder(async (folder) => {
    writeCatalog(
      folder,
      ['one', 'two'].map((slug) => ({ slug, date: '2031-05-05' })),
    );
    const { stdout } = await catalog(['validate', '--today', '2031-05-05', '--cwd', folder]);
    assert.match(stdout, '2031-05-06');
  });
});

test('validate can check a single agent', async () => {
  await inFolder(async (folder) => {
    writeCatalog(folder, [
      { slug: 'a', date: '2026-01-01', front: { difficulty: 'medum' } },
      { slug: 'b', date: '2026-01-02' },
    ]);
    assert.is((await catalog(['validate', 'b', '--cwd', folder])).code, 0);
    assert.is((await catalog(['validate', 'a', '--cwd', folder])).code, 1);
    const unknown = await catalog(['validate', 'c', '--cwd', folder]);
    assert.is(unknown.code, 1);
    assert.match(unknown.stderr, 'There is no agent c');
  });
});

test('an error in an agent that is not due does not stop the build, but is reported', async () => {
  await inFolder(async (folder) => {
    writeCatalog(folder, [
      { slug: 'good', date: '2026-01-01' },
      { slug: 'coming', date: '2099-01-01', front: { difficulty: 'medum' } },
      { slug: 'draft', date: '2026-01-02', front: { draft: 'true', excerpt: null } },
    ]);
    const { code, stderr } = await catalog(['build', '--cwd', folder, '--today', '2026-02-01']);
    assert.is(code, 0, stderr);
    assert.match(stderr, 'agents/coming/agent.md');
    assert.match(stderr, '`excerpt` is missing');
    const site = snapshot(join(folder, 'dist'));
    assert.not.match(JSON.stringify(site), /coming|agents\/draft/);
  });
});

const previews: [flags: string[], built: string[]][] = [
  [['--future'], ['coming', 'good']],
  [['--drafts'], ['good', 'sketch']],
  [
    ['--future', '--drafts'],
    ['coming', 'good', 'sketch'],
  ],
];

for (const [flags, built] of previews) {
  test(`build ${flags.join(' ')} makes a preview of ${built.join(', ')} that says so and asks not to be indexed`, () =>
    inFolder(async (folder) => {
      writeCatalog(folder, [
        { slug: 'good', date: '2026-01-01' },
        { slug: 'coming', date: '2099-01-01' },
        { slug: 'sketch', date: '2026-01-02', front: { draft: 'true' } },
      ]);
      const { code, stderr } = await catalog(['build', '--cwd', folder, '--today', '2026-02-01', ...flags]);
      assert.is(code, 0, stderr);
      const site = snapshot(join(folder, 'dist'));
      const { agents } = JSON.parse(site['api/agents.json'] ?? '');
      assert.equal(agents.map(({ slug }: { slug: string }) => slug).sort(), built);
      for (const slug of built) {
        assert.match(site[`agents/${slug}.html`] ?? '', /This is a preview/);
        assert.match(site[`agents/${slug}.html`] ?? '', /noindex/);
      }
      assert.match(site['robots.txt'] ?? '', /Disallow: \//);
      assert.is(JSON.parse(site['build.json'] ?? '').preview, true);
    }));
}

test('build --json prints only the result to stdout', async () => {
  await inFolder(async (folder) => {
    writeCatalog(folder, [{ slug: 'one', date: '2026-01-01' }]);
    const { code, stdout } = await catalog(['build', '--cwd', folder, '--today', '2026-01-01', '--format', 'json']);
    assert.is(code, 0);
    const result = JSON.parse(stdout);
    assert.is(result.today, '2026-01-01');
    assert.match(result.id, /^[0-9a-f]{32}$/);
    assert.is(JSON.parse(readFileSync(join(folder, 'dist', 'build.json'), 'utf8')).id, result.id);
  });
});

test('build counts its agents and the files that it has, changed, removed and left alone, for programs and people', () =>
  inFolder(async (folder) => {
    writeCatalog(folder, [{ slug: 'one', date: '2026-01-01' }]);
    const assets = ['a', 'b', 'c'].map((name) => `templates/assets/${name}.css`);
    for (const asset of assets) writeFiles(folder, { [asset]: 'a{}' });
    const build = (...args: string[]) => catalog(['build', '--cwd', folder, '--today', '2026-01-01', ...args]);
    const countFiles = () => Object.keys(snapshot(join(folder, 'dist'))).length;
    const first = JSON.parse((await build('--format', 'json')).stdout);
    const files = countFiles();
    assert.equal(
      [first.counts, first.written],
      [
        { agents: 1, files },
        { changed: files, removed: 0, unchanged: 0 },
      ],
    );

    for (const asset of assets.slice(1)) rmSync(join(folder, asset));
    const second = JSON.parse((await build('--format', 'json')).stdout);
    // build.json is the one that changes.
    const written = { changed: 1, removed: 2, unchanged: files - 3 };
    assert.equal([second.counts, second.written], [{ agents: 1, files: files - 2 }, written]);

    writeFiles(folder, { 'templates/assets/d.css': 'a{}' });
    const { stderr } = await build();
    assert.match(
      stderr,
      `\nBuilt 1 agent for 2026-01-01 into dist: ${countFiles()} files, 2 changed, 0 removed (build `,
    );
  }));

test('an empty catalog builds: a publication starts before its first agent', async () => {
  await inFolder(async (folder) => {
    writeCatalog(folder, []);
    assert.is((await catalog(['build', '--cwd', folder])).code, 0);
    assert.equal(JSON.parse(readFileSync(join(folder, 'dist', 'api', 'agents.json'), 'utf8')).agents, []);
  });
});

test("a catalog's own template replaces the program's, file by file", async () => {
  await inFolder(async (folder) => {
    writeCatalog(folder, [{ slug: 'one', date: '2026-01-01' }]);
    writeFiles(folder, {
      'templates/404.hbs': "<h1>Lost in {{settings.title}}</h1>{{asset 'assets/My art/50%.css'}}\n",
      'templates/assets/extra.css': 'a{}',
      'templates/assets/My art/50%.css': 'a{}',
    });
    assert.is((await catalog(['build', '--cwd', folder])).code, 0);
    assert.match(
      readFileSync(join(folder, 'dist', '404.html'), 'utf8'),
      '<h1>Lost in Small Catalog</h1>/assets/My%20art/50%25.css?v',
    );
    assert.ok(existsSync(join(folder, 'dist', 'assets', 'My art', '50%.css')));
    assert.ok(existsSync(join(folder, 'dist', 'assets', 'extra.css')));
    assert.ok(existsSync(join(folder, 'dist', 'assets', 'style.css')));

    writeFiles(folder, { 'templates/404.hbs': "<p>\n{{asset 'assets/extra.cs'}}\n" });
    const { code, stderr } = await catalog(['build', '--cwd', folder]);
    assert.is(code, 1);
    assert.match(stderr, 'templates/404.hbs:2:1');
    assert.match(stderr, 'The helper `asset` fails here (there is no file templates/assets/extra.cs).');

    rmSync(join(folder, 'templates', '404.hbs'));
    for (const name of ['feed-entry', 'mail-digest']) {
      writeFiles(folder, { [`templates/${name}.hbs`]: '{{titel}}\n' });
      const { stdout } = await catalog(['validate', '--cwd', folder]);
      assert.match(stdout, `templates/${name}.hbs:1:3  error  template/syntax`);
      rmSync(join(folder, 'templates', `${name}.hbs`));
    }
  });
});

test.run();
