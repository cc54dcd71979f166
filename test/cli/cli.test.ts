import { existsSync, readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { inFolder, snapshot, writeCatalog, writeFiles } from '../support/catalog.ts';
import { catalog, catalogProcess, startServer } from '../support/process.ts';

/** What an editor or a script relies on: exit codes, stdout for data and stderr for talk, messages that help. */

const commands = [
  'init',
  'new',
  'rename',
  'validate',
  'status',
  'publish',
  'build',
  'serve',
  'mcp',
  'votes',
  'subscribers',
  'deploy',
  'ci',
];

test('help names every command and shows examples', async () => {
  const { code, stdout } = await catalogProcess(['--help']);
  assert.is(code, 0);
  for (const word of [...commands, 'Writing:', 'Publishing:', 'Running:', 'Examples:']) assert.match(stdout, word);
});

test('the process ends with the exit code that a script goes by', async () => {
  assert.is((await catalogProcess(['build', '--no-such-option'])).code, 2);
  await inFolder(async (folder) => assert.is((await catalogProcess(['status', '--cwd', folder])).code, 1));
});

for (const version of ['18.20.8', '20.10.0', '20.18.3']) {
  test(`Node.js ${version} gets one sentence that says which version is needed`, async () => {
    const old = `Object.defineProperty(process, 'versions', { value: { ...process.versions, node: '${version}' } })`;
    const node = ['--import', `data:text/javascript,${encodeURIComponent(old)}`];
    const { code, stdout, stderr } = await catalogProcess(['--help'], { node });
    assert.is(code, 1);
    assert.is(stdout, '');
    assert.is(stderr, `catalog needs Node.js 20.19.0 or later, and this is ${version}. Install a newer Node.js.\n`);
  });
}

for (const command of [...commands.filter((name) => name !== 'ci'), 'ci verify', 'ci notify']) {
  test(`the help of ${command} shows its options and examples`, async () => {
    const { code, stdout } = await catalog([...command.split(' '), '--help']);
    assert.is(code, 0);
    assert.match(stdout, '--cwd');
    assert.match(stdout, 'Examples:');
  });
}

test('the version is that of the package', async () => {
  const { version } = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8'));
  assert.is((await catalog(['--version'])).stdout.trim(), version);
});

const wrongUsage: [string, string[], RegExp, NodeJS.ProcessEnv?][] = [
  ['an unknown command', ['bild'], /unknown command 'bild'[\s\S]*Did you mean build/],
  ['an unknown option', ['build', '--colour'], /unknown option '--colour'/],
  ['an unknown option of a subcommand', ['ci', 'verify', '--colour'], /unknown option '--colour'/],
  ['a day that the calendar does not have', ['build', '--today', '2026-02-30'], /calendar date/],
  ['an unknown format', ['validate', '--format', 'xml'], /pretty, json/],
  ['a base URL that is none', ['build', '--base-url', 'example.com'], /--base-url is "example\.com"/],
  ['a base URL with a query', ['build', '--base-url', 'https://example.com/?a'], /without \? and #/],
  ['a base URL variable that is none', ['build'], /CATALOG_BASE_URL is "nowhere"/, { CATALOG_BASE_URL: 'nowhere' }],
  ['a port that is none', ['serve', '--port', '99999'], /--port is "99999"/],
  ['a port variable that is none', ['serve'], /PORT is "http"/, { PORT: 'http' }],
  ['a log level that is none', ['serve', '--log-level', 'loud'], /--log-level is "loud"/],
];
for (const [name, args, message, env] of wrongUsage) {
  test(`${name} is wrong usage: exit code 2 and its name`, async () => {
    const { code, stdout, stderr } = await catalog(args, env === undefined ? {} : { env });
    assert.is(code, 2);
    assert.is(stdout, '');
    assert.match(stderr, message);
  });
}

test('no command at all prints the help and is wrong usage', async () => {
  const { code, stderr } = await catalog([]);
  assert.is(code, 2);
  assert.match(stderr, /Usage: catalog/);
});

test('a folder without settings is named, with what to do', async () => {
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

test('validate can be asked about one agent', async () => {
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

test('an error in an agent that is not due does not stop the build, but is told', async () => {
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

test('build --json prints what was built, and nothing else, on stdout', async () => {
  await inFolder(async (folder) => {
    writeCatalog(folder, [{ slug: 'one', date: '2026-01-01' }]);
    const { code, stdout } = await catalog(['build', '--cwd', folder, '--today', '2026-01-01', '--format', 'json']);
    assert.is(code, 0);
    const result = JSON.parse(stdout);
    assert.is(result.today, '2026-01-01');
    assert.is(result.counts.agents, 1);
    assert.match(result.id, /^[0-9a-f]{32}$/);
    assert.is(JSON.parse(readFileSync(join(folder, 'dist', 'build.json'), 'utf8')).id, result.id);
  });
});

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
      'templates/404.hbs': '<h1>Lost in {{settings.title}}</h1>\n',
      'templates/assets/extra.css': 'a{}',
    });
    assert.is((await catalog(['build', '--cwd', folder])).code, 0);
    assert.match(readFileSync(join(folder, 'dist', '404.html'), 'utf8'), '<h1>Lost in Small Catalog</h1>');
    assert.ok(existsSync(join(folder, 'dist', 'assets', 'extra.css')));
    assert.ok(existsSync(join(folder, 'dist', 'assets', 'style.css')));
  });
});

test('serve --build builds, prints the address, serves it, and ends well on SIGTERM', async () => {
  await inFolder(async (folder) => {
    writeCatalog(folder, [{ slug: 'one', date: '2026-01-01' }]);
    const server = await startServer(['--build', '--cwd', folder]);
    const { agent } = (await (await fetch(`${server.address}api/agents/one.json`)).json()) as {
      agent: { url: string };
    };
    assert.is(agent.url, `${server.address}agents/one`);
    const { code } = await server.stop();
    assert.is(code, 0);
  });
});

test('a second serve --build on the same data is refused before it changes what the first one serves', async () => {
  await inFolder(async (folder) => {
    writeCatalog(folder, [{ slug: 'one', date: '2026-01-01' }]);
    const data = ['--data', join(folder, 'data')];
    const server = await startServer(['--build', '--cwd', folder, ...data]);
    try {
      const before = snapshot(join(folder, 'dist'));
      const second = await catalog(['serve', '--build', '--port', '0', '--cwd', folder, ...data]);
      assert.is(second.code, 1);
      assert.match(second.stderr, 'is in use by process');
      assert.equal(snapshot(join(folder, 'dist')), before);
    } finally {
      await server.stop();
    }
  });
});

test('serve --build ends with 1 and the diagnostics when nothing can be built', async () => {
  await inFolder(async (folder) => {
    writeCatalog(folder, [{ slug: 'one', date: '2026-01-01' }], { title: '' });
    const { code, stderr } = await catalog(['serve', '--build', '--port', '0', '--cwd', folder]);
    assert.is(code, 1);
    assert.match(stderr, 'catalog.config.json');
    assert.match(stderr, '`title`');
  });
});

test('serve without a build says how to make one', async () => {
  await inFolder(async (folder) => {
    writeCatalog(folder, []);
    const { code, stderr } = await catalog(['serve', '--port', '0', '--cwd', folder]);
    assert.is(code, 1);
    assert.match(stderr, 'catalog serve --build');
  });
});

test('serve names a port that is taken', async () => {
  const other = createServer();
  await new Promise<void>((done) => other.listen(0, '127.0.0.1', done));
  const { port } = other.address() as AddressInfo;
  try {
    await inFolder(async (folder) => {
      writeCatalog(folder, []);
      const { code, stderr } = await catalog(['serve', '--build', '--port', String(port), '--cwd', folder]);
      assert.is(code, 1);
      assert.match(stderr, `Port ${port} of 127.0.0.1 is taken`);
    });
  } finally {
    other.close();
  }
});

test.run();
