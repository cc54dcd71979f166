import { existsSync, readFileSync, utimesSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { inFolder, type SmallAgent, snapshot, writeCatalog, writeFiles } from '../support/catalog.ts';
import { catalog } from '../support/process.ts';
import { render } from '../support/render.ts';

/** Every option and variable of `catalog build` has an effect, also right after a build without it. */

const agents: SmallAgent[] = [
  { slug: 'one', date: '2026-01-01' },
  { slug: 'coming', date: '2026-03-01' },
  { slug: 'sketch', date: '2026-01-02', front: { draft: 'true' } },
];

/** What a build shows of its options: its addresses, and its agents in the order of their numbers. */
function factsOf(folder: string): Record<string, unknown> {
  const read = (path: string) => JSON.parse(readFileSync(join(folder, 'dist', path), 'utf8'));
  const { baseUrl, runtimeUrl, preview } = read('build.json');
  const slugs = read('api/agents.json').agents.map(({ slug }: { slug: string }) => slug);
  return { baseUrl, runtimeUrl, preview, slugs: slugs.reverse().join() };
}

const plain = { baseUrl: 'https://press.example', runtimeUrl: 'https://press.example', preview: false, slugs: 'one' };
const [a, b, c, d] = ['a', 'b', 'c', 'd'].map((name) => `https://${name}.example/prompts`) as [
  string,
  string,
  string,
  string,
];
/** Builds, one after the other. Each has one more option than the one before it, up to the last two. */
const builds: [name: string, args: string[], env: NodeJS.ProcessEnv, changed: object][] = [
  ['no option', [], {}, {}],
  ['CATALOG_BASE_URL', [], { CATALOG_BASE_URL: b }, { baseUrl: b, runtimeUrl: b }],
  ['--base-url, which wins', ['--base-url', a], {}, { baseUrl: a, runtimeUrl: a }],
  ['CATALOG_RUNTIME_URL', [], { CATALOG_RUNTIME_URL: d }, { runtimeUrl: d }],
  ['--runtime-url, which wins', ['--runtime-url', c], {}, { runtimeUrl: c }],
  ['--future', ['--future'], {}, { preview: true, slugs: 'one,coming' }],
  ['--drafts', ['--drafts'], {}, { slugs: 'one,sketch,coming' }],
];

test('an option or variable changes the build that was just made without it', () =>
  inFolder(async (folder) => {
    writeCatalog(folder, agents);
    const build = async (day: string, args: string[], env: NodeJS.ProcessEnv) => {
      const { code, stderr } = await catalog(['build', '--cwd', folder, '--today', day, ...args], { env });
      assert.is(code, 0, stderr);
      return factsOf(folder);
    };
    let facts: object = plain;
    const flags: string[] = [];
    const variables: NodeJS.ProcessEnv = {};
    for (const [name, args, env, changed] of builds) {
      flags.push(...args);
      Object.assign(variables, env);
      facts = { ...facts, ...changed };
      assert.equal(await build('2026-02-01', flags, variables), facts, name);
    }
    assert.equal(await build('2026-03-01', [], {}), { ...plain, slugs: 'one,coming' });
    assert.equal(await build('2026-02-01', [], {}), plain);
  }));

const empty = Object.fromEntries(
  [
    ...['CATALOG_BASE_URL', 'CATALOG_RUNTIME_URL', 'CATALOG_DIST', 'CATALOG_DATA', 'CATALOG_VOTES', 'CATALOG_SIGNUPS'],
    ...['GITHUB_OUTPUT', 'GITHUB_STEP_SUMMARY', 'GITHUB_WORKSPACE', 'NO_COLOR', 'TERM', 'RUNTIME_TARGET'],
    ...['RUNTIME_SSH_KEY', 'RUNTIME_KNOWN_HOSTS', 'XDG_CACHE_HOME'],
  ].map((name) => [name, '']),
);

test('variables that are set but empty, as workflows set them, count as not set', () =>
  inFolder(async (folder) => {
    writeCatalog(folder, []);
    const env = { ...empty, HOME: folder, CATALOG_CACHE: '' };
    const call = async (...args: string[]) => {
      const { code, stderr } = await catalog([...args, '--cwd', folder], { cwd: folder, env });
      assert.is(code, args[0] === 'deploy' && args.length === 1 ? 2 : 0, stderr);
      return stderr;
    };
    await call('validate', '--format', 'github');
    await call('build', '--format', 'github', '--today', '2026-02-01');
    assert.equal(factsOf(folder), { ...plain, slugs: '' });
    assert.ok(existsSync(join(folder, '.cache/daily-agent-catalog')));
    assert.match(await call('votes'), `${join(folder, 'data/votes.jsonl')} does not exist`);
    assert.match(await call('subscribers'), `${join(folder, 'data/signups.jsonl')} does not exist`);
    assert.match(await call('deploy'), 'Name the target, or set RUNTIME_TARGET.');
    await call('deploy', `host:${join(folder, 'host')}`, '--ssh', 'sh -c');
  }));

const faulty: SmallAgent = { slug: 'faulty', date: '2026-01-03', front: { difficulty: 'medum' } };

test('a failed build gives programs the errors on stdout, as JSON or as annotations', () =>
  inFolder(async (folder) => {
    writeCatalog(folder, [...agents, faulty]);
    const build = (format: string) => catalog(['build', '--cwd', folder, '--today', '2026-02-01', '--format', format]);
    const json = await build('json');
    assert.is(json.code, 1);
    const { ok, diagnostics } = JSON.parse(json.stdout);
    assert.equal([ok, diagnostics.map(({ file }: { file: string }) => file)], [false, ['agents/faulty/agent.md']]);
    assert.match(json.stderr, 'agents/faulty/agent.md:6:13  error  front-matter/value');
    const github = await build('github');
    assert.is(github.code, 1);
    assert.match(github.stdout, /^::error file=agents\/faulty\/agent\.md,line=6,.*\n$/);
    assert.is((await build('pretty')).stdout, '');
  }));

test('a build says which agents it skipped, and which errors it ignored', () =>
  inFolder(async (folder) => {
    const later: SmallAgent = { ...faulty, slug: 'later', date: '2026-06-01' };
    writeCatalog(folder, [...agents, faulty, later]);
    const build = (...args: string[]) => catalog(['build', '--cwd', folder, '--today', '2026-02-01', ...args]);
    const { code, stderr } = await build('--skip-invalid');
    assert.is(code, 0, stderr);
    // The second build is one that could be remembered: right after they were written, files are too new for that.
    await build('--skip-invalid');
    assert.match(stderr, '\n2 errors\nThe build ignores these errors: they are in agents that it does not publish.\n');
    assert.match(stderr, '\nSkipped: faulty has errors. Fix them to publish it.\n');
    // A build with warnings is not remembered: the next one says the same.
    const { skipped, warnings } = JSON.parse((await build('--skip-invalid', '--format', 'json')).stdout);
    assert.equal([skipped, warnings.map(({ slug }: { slug: string }) => slug)], [['faulty'], ['faulty', 'later']]);
    writeFiles(folder, { 'dist.txt': '' });
    const file = await build('--skip-invalid', '--out', 'dist.txt');
    assert.equal(
      [file.code, file.stderr],
      [1, 'error: dist.txt is a file. Name a folder with --out.\n'.replace('dist.txt', join(folder, 'dist.txt'))],
    );
  }));

test('every build says again what it warns of, also in agents that did not change', () =>
  inFolder(async (folder) => {
    const files = { 'sample-input.txt': 'ROWS\r\nlamp, 12\r\n' };
    const one: SmallAgent = { slug: 'one', date: '2026-01-01', files };
    writeCatalog(folder, [one, { slug: 'two', date: '2026-01-02' }], { rules: { 'file/line-ends': 'warning' } });
    // Right after they were written, files are too new to be remembered.
    const past = new Date(Date.now() - 60_000);
    for (const path of Object.keys(snapshot(join(folder, 'agents'))))
      utimesSync(join(folder, 'agents', path), past, past);
    for (const text of ['first', 'second', 'third']) {
      writeFiles(folder, { 'agents/two/sample-output.txt': `The ${text} text.\n` });
      const { stderr } = await catalog(['build', '--cwd', folder, '--today', '2026-02-01']);
      assert.match(stderr, 'agents/one/sample-input.txt:1:5  warning  file/line-ends');
    }
  }));

test('a changed style is built, under a new address, also with a cache', () =>
  inFolder(async (folder) => {
    writeCatalog(folder, agents);
    const style = 'templates/assets/style.css';
    const past = new Date(Date.now() - 60_000);
    const links: string[] = [];
    for (const color of ['#111', '#111', '#222']) {
      writeFiles(folder, { [style]: `a { color: ${color} }\n` });
      for (const path of Object.keys(snapshot(folder)))
        if (!path.startsWith('dist')) utimesSync(join(folder, path), past, past);
      await catalog(['build', '--cwd', folder, '--today', '2026-02-01']);
      assert.match(readFileSync(join(folder, 'dist/assets/style.css'), 'utf8'), color);
      const page = readFileSync(join(folder, 'dist/index.html'), 'utf8');
      links.push(/style\.css\?v[^"]+/.exec(page)?.[0] ?? '');
    }
    assert.is(links[0], links[1]);
    assert.is.not(links[1], links[2]);
  }));

test("a style, script or icon of the catalog replaces the program's", () =>
  inFolder((folder) => {
    writeCatalog(folder, agents);
    const own = {
      'style.css': 'a { color: red }\n',
      'site.js': '// own\n',
      'favicon.svg': '<svg/>\n',
      'new.js': '1\n',
    };
    for (const [name, text] of Object.entries(own)) writeFiles(folder, { [`templates/assets/${name}`]: text });
    const files = render(folder, { today: '2026-02-01' });
    for (const [name, text] of Object.entries(own)) assert.is(files.get(`assets/${name}`), text);
    assert.ok((files.get('assets/search.js') ?? '').length > 1000);
  }));

test.run();
