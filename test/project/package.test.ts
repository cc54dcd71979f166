import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import {
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { createServer } from 'node:http';
import { isBuiltin } from 'node:module';
import type { AddressInfo } from 'node:net';
import { dirname, join, posix } from 'node:path';
import { build as bundle } from 'esbuild';
import yaml from 'js-yaml';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { browserBundles } from '../../tools/browser-bundles.ts';
import { releaseNotes } from '../../tools/release-notes.ts';
import { bundled, inFolder, snapshot, temporaryFolder } from '../support/catalog.ts';
import { loud } from '../support/loud.ts';
import { manifestFaults } from '../support/plugin-schemas.ts';
import { catalog, inherited, run } from '../support/process.ts';

/** The package contains everything that the program needs, and nothing else. */

const name = 'daily-agent-catalog';
const shelf = temporaryFolder();
let tarball = '';
let files: string[] = [];

test.before(
  loud(async () => {
    // Without `prepare`: other tests use lib/ at the same time.
    await runScript('prepack', bundled);
    // Both packages at once: npm takes as long to start as to pack.
    tarball = await pack(bundled, shelf.path, ['--ignore-scripts', '.', './packages/create']);
    files = (await succeed('tar', ['-tzf', tarball])).match(/(?<=^package\/).+/gm) ?? [];
    await succeed('tar', ['-xzf', tarball, '-C', shelf.path]);
  }),
);
test.after(() => shelf.remove());

async function succeed(command: string, args: string[], cwd = bundled, env: NodeJS.ProcessEnv = {}): Promise<string> {
  const { code, stdout, shown } = await run(command, args, { cwd, env });
  assert.is(code, 0, shown);
  return stdout;
}

/** Runs a script of the package as npm does, which itself takes longer than the scripts. */
async function runScript(name: string, cwd: string): Promise<void> {
  const { scripts } = JSON.parse(readFileSync(join(cwd, 'package.json'), 'utf8'));
  await succeed('sh', ['-c', scripts[name]], cwd);
}

/** Lets npm write only below the folder of these tests, and ask no registry whether there is a newer npm. */
const offline = () => ({ npm_config_cache: join(shelf.path, 'npm-cache'), npm_config_update_notifier: 'false' });

async function pack(cwd: string, destination: string, options: string[] = [], env = {}): Promise<string> {
  const packing = { ...offline(), ...env };
  const packed = await succeed('npm', ['pack', ...options, '--pack-destination', destination], cwd, packing);
  return join(destination, /\S+\.tgz$/m.exec(packed)?.[0] ?? '');
}

/** Installs the packed program in a folder as npm does, with links as dependencies, so that no network is needed. */
function install(home: string): string {
  const modules = join(home, 'node_modules');
  const own = join(modules, name);
  cpSync(join(shelf.path, 'package'), own, { recursive: true });
  const { dependencies } = JSON.parse(readFileSync(join(own, 'package.json'), 'utf8'));
  for (const dependency of Object.keys(dependencies)) {
    mkdirSync(dirname(join(modules, dependency)), { recursive: true });
    symlinkSync(join(bundled, 'node_modules', dependency), join(modules, dependency));
  }
  mkdirSync(join(modules, '.bin'));
  symlinkSync(join('..', name, 'bin', 'catalog.js'), join(modules, '.bin', 'catalog'));
  return join(own, 'bin', 'catalog.js');
}

/**
 * Serves our dependencies as a registry of npm does, and no package of our name. Calls `use` with the environment in which npm
 * installs from it, and with the paths that it answers.
 */
async function withRegistry(folder: string, use: (env: NodeJS.ProcessEnv, asked: string[]) => Promise<void>) {
  const asked: string[] = [];
  const installed = Object.keys(JSON.parse(readFileSync(join(bundled, 'package-lock.json'), 'utf8')).packages);
  const registry = createServer(async ({ url = '', headers: { host } }, response) => {
    const [name = '', file = ''] = decodeURIComponent(url.slice(1)).split('/-/');
    asked.push(name);
    const versions: Record<string, object> = {};
    for (const path of installed.filter((each) => each.endsWith(`node_modules/${name}`))) {
      const folderOfIt = join(bundled, path);
      if (!existsSync(folderOfIt)) continue;
      const described = JSON.parse(readFileSync(join(folderOfIt, 'package.json'), 'utf8'));
      const tarball = `http://${host}/${name}/-/${described.version}.tgz`;
      versions[described.version] = { ...described, dist: { tarball } };
      if (file === `${described.version}.tgz`) {
        // npm reads archives that are not compressed, too.
        const archive = join(folder, `${name.replace('/', '-')}-${file}`);
        const options = ['--transform', 's/^[.]/package/', '--exclude', './node_modules'];
        await succeed('tar', ['-cf', archive, ...options, '-C', folderOfIt, '.']);
        return response.end(readFileSync(archive));
      }
    }
    response.writeHead(Object.keys(versions).length > 0 ? 200 : 404, { 'Content-Type': 'application/json' });
    response.end(JSON.stringify({ name, 'dist-tags': {}, versions }));
  }).listen(0, '127.0.0.1');
  await once(registry, 'listening');
  const { port } = registry.address() as AddressInfo;
  const settings = {
    registry: `http://127.0.0.1:${port}/`,
    cache: join(folder, 'cache'),
    audit: 'false',
    fund: 'false',
    update_notifier: 'false',
  };
  const own = Object.fromEntries(Object.entries(process.env).filter(([key]) => !key.startsWith('npm_')));
  try {
    await use(
      { ...own, ...Object.fromEntries(Object.entries(settings).map(([key, value]) => [`npm_config_${key}`, value])) },
      asked,
    );
  } finally {
    registry.closeAllConnections();
    registry.close();
  }
}

/** Runs `npm start` in a catalog, and calls `use` with the address at which it is served. */
async function withStarted(home: string, use: (address: string) => Promise<void>): Promise<void> {
  // The server gets its own process group, since npm starts it through a shell.
  const npm = spawn('npm', ['start'], { cwd: home, env: inherited({ PORT: '0', ...offline() }), detached: true });
  const ended = once(npm, 'close');
  try {
    let output = '';
    const address = await new Promise<string>((found, failed) => {
      npm.on('close', () => failed(new Error(`npm start ended: ${output}`)));
      for (const stream of [npm.stdout, npm.stderr]) {
        stream.setEncoding('utf8').on('data', (text) => {
          output += text;
          const [, served] = /Serving the catalog at (\S+)/.exec(output) ?? [];
          if (served !== undefined) found(served);
        });
      }
    });
    await use(address);
  } finally {
    process.kill(-(npm.pid ?? 0), 'SIGTERM');
    await ended;
  }
}

test('the package contains only the compiled program and the files that it reads', () => {
  const needed = [
    /^(?:package\.json|(?:README|ARCHITECTURE|CHANGELOG|CONTRIBUTING|SECURITY)\.md|LICENSE|(?:catalog\.config|evals)\.schema\.json|bin\/catalog\.js)$/,
    /^lib\/(?:.+\.js|templates\.cjs|dev\/dev\.css|licenses\.txt|sbom\.cdx\.json)$/,
    /^docs\/[\w-]+\.md$/,
    /^templates\//,
    /^migrations\/\d{3}-[\w-]+\.sql$/,
    /^starter\//,
    /^deploy\/(?:catalog(?:-\w+)?\.(?:service|timer)|(?:logrotate|nginx)\.conf|Caddyfile)$/,
    /^\.github\/(?:CODEOWNERS|PULL_REQUEST_TEMPLATE\.md|dependabot\.yml|(?:ISSUE_TEMPLATE|workflows)\/[\w-]+\.yml)$/,
  ];
  const strangers = files.filter((path) => !needed.some((pattern) => pattern.test(path)));
  assert.equal(strangers, []);
});

const bundles = () =>
  files
    .filter((path) => /^lib\/.+\.js$/.test(path))
    .map((path) => readFileSync(join(shelf.path, 'package', path), 'utf8'))
    .join('\n');

test('scanners find each package whose code is in the bundles, with its version and license', async () => {
  // The bundler names each file that it copies in a comment. The minified scripts of the pages have no comments.
  const commented = bundles().match(/(?<=^\s*\/\/ )node_modules\/.+/gm) ?? [];
  const scripts = await Promise.all(
    browserBundles.map((options) => bundle({ ...options, absWorkingDir: bundled, metafile: true, write: false })),
  );
  const minified = scripts.flatMap(({ metafile }) =>
    Object.values(metafile.outputs).flatMap(({ inputs }) => Object.keys(inputs)),
  );
  const folders = [...commented, ...minified].flatMap((file) => /^.*node_modules\/(?:@[^/]+\/)?[^/]+/.exec(file) ?? []);
  assert.ok(folders.includes('node_modules/minisearch') && folders.includes('node_modules/zod'));
  const bundledPackages = new Set(
    folders.map((folder) => {
      const { name, version, license } = JSON.parse(readFileSync(join(bundled, folder, 'package.json'), 'utf8'));
      return `${name} ${version} ${license} pkg:npm/${name.replace('@', '%40')}@${version}`;
    }),
  );
  const { components } = JSON.parse(readFileSync(join(shelf.path, 'package/lib/sbom.cdx.json'), 'utf8'));
  const listed: { name: string; version: string; purl: string; licenses: [{ license: { id: string } }] }[] = components;
  const lines = listed.map(
    ({ name, version, purl, licenses }) => `${name} ${version} ${licenses[0].license.id} ${purl}`,
  );
  assert.equal(lines, [...bundledPackages].sort());
  const texts = readFileSync(join(shelf.path, 'package/lib/licenses.txt'), 'utf8');
  assert.equal(
    listed.filter(({ name, version }) => !texts.includes(`\n${name} ${version}\n`)),
    [],
  );
});

test('installing the program brings exactly the packages that it loads', () => {
  const { dependencies } = JSON.parse(readFileSync(join(shelf.path, 'package/package.json'), 'utf8'));
  const loads = /(?:\bfrom|\bimport|\brequire\d*\(|\bimport\() ?"((?:@[a-z-]+\/)?[a-z-]+)(?:\/[\w./-]+)?"/g;
  const loaded = new Set([...bundles().matchAll(loads)].map(([, name = '']) => name));
  assert.equal(Object.keys(dependencies), [...loaded].filter((name) => !isBuiltin(name)).sort());
});

test('a release has the notes of its version, and is refused if a file is about another one', async () => {
  await inFolder((folder) => {
    const version = { version: '1.2.0' };
    const write = (name: string, value: object) => writeFileSync(join(folder, name), JSON.stringify(value));
    write('package.json', version);
    write('package-lock.json', version);
    mkdirSync(join(folder, 'packages/create'), { recursive: true });
    write('packages/create/package.json', { ...version, dependencies: { [name]: '1.2.0' } });
    write('server.json', { ...version, packages: [version] });
    writeFileSync(
      join(folder, 'CHANGELOG.md'),
      '# Changelog\n\n## Unreleased\n\n- Later.\n\n## 1.2.0 (2026-12-01)\n\n### Fixed\n\n- This one.\n\n## 1.20.0\n\n- Earlier.\n',
    );
    assert.is(releaseNotes('v1.2.0', folder), '### Fixed\n\n- This one.\n');
    assert.throws(
      () => releaseNotes('v1.3.0', folder),
      /The tag v1\.3\.0 needs version 1\.3\.0, and package\.json has 1\.2\.0\./,
    );
    write('server.json', { ...version, packages: [{ version: '1.1.0' }] });
    assert.throws(() => releaseNotes('v1.2.0', folder), /the package in server\.json has 1\.1\.0/);
    write('server.json', { ...version, packages: [version] });
    write('packages/create/package.json', { ...version, dependencies: { [name]: '1.1.0' } });
    assert.throws(() => releaseNotes('v1.2.0', folder), /the program that packages\/create starts has 1\.1\.0/);
    write('packages/create/package.json', { ...version, dependencies: { [name]: '1.2.0' } });
    writeFileSync(join(folder, 'CHANGELOG.md'), '# Changelog\n\n## Unreleased\n');
    assert.throws(() => releaseNotes('v1.2.0', folder), /CHANGELOG\.md has no heading "## 1\.2\.0"/);
  });
});

test('the entry in the registry of MCP servers is about this package, and says how to start it', () => {
  const [server, own] = ['server.json', 'package.json'].map((file) =>
    JSON.parse(readFileSync(join(bundled, file), 'utf8')),
  );
  assert.equal(manifestFaults('server.json', JSON.stringify(server)), []);
  // The registry looks for its name in the package.
  assert.is(server.name, own.mcpName);
  assert.is(server.version, own.version);
  const [{ identifier, version, packageArguments }, ...others] = server.packages;
  assert.equal([identifier, version], [own.name, own.version]);
  // Clients ask for a required argument without a value (Input and NamedArgument in the registry's schema of 2025-12-11).
  // They start servers in any folder.
  const [command, { name, isRequired, value }, ...more] = packageArguments;
  assert.equal(
    [command, name, isRequired, value, more],
    [{ type: 'positional', value: 'mcp' }, '--cwd', true, undefined, []],
  );
  assert.equal(others, []);

  const faults = (changed: object) => manifestFaults('server.json', JSON.stringify({ ...server, ...changed }));
  assert.equal(faults({ version: '^0.2.0', description: 'a'.repeat(101), runtimes: [] }), [
    'server.json must NOT have additional properties',
    'server.json/description must NOT have more than 100 characters',
    'server.json/version must NOT be valid',
  ]);
});

test('the changelog has notes of this version, and begins with an empty part for the next one', () => {
  const { version } = JSON.parse(readFileSync(join(bundled, 'package.json'), 'utf8'));
  assert.match(releaseNotes(`v${version}`), /^- \w/m);
  assert.match(readFileSync(join(bundled, 'CHANGELOG.md'), 'utf8'), /^# Changelog\n\n## Unreleased\n/);
});

test('a release can be packed again by anyone, with the same bytes', async () => {
  await inFolder(async (folder) => {
    const needed = new Set(files.map((path) => path.replace(/\/.*/, '')).filter((path) => path !== 'lib'));
    const copy = 'umask 077; folder=$1; shift; cp -R "$@" "$folder"; ln -s "$PWD/node_modules" "$folder"';
    await succeed('sh', ['-c', copy, 'sh', folder, ...needed, 'src', 'tools', 'tsconfig.json']);
    const there = await pack(folder, folder, [], { TZ: 'Pacific/Kiritimati', LANG: 'de_DE.UTF-8' });
    assert.ok(readFileSync(tarball).equals(readFileSync(there)), (await run('tar', ['-tvzf', there])).stdout);
  });
});

test('an installation takes at most 20 MB on the disk', () => {
  const { packages } = JSON.parse(readFileSync(join(bundled, 'package-lock.json'), 'utf8'));
  const installed = Object.keys(packages).filter((path) => path !== '' && packages[path].dev !== true);
  const folders = [join(shelf.path, 'package'), ...installed.map((path) => join(bundled, path))].filter(existsSync);
  assert.ok(folders.length > 20);
  const paths = folders.flatMap((folder) =>
    readdirSync(folder, { recursive: true, encoding: 'utf8' })
      .filter((path) => !/^node_modules(?:\/|$)/.test(path))
      .map((path) => join(folder, path)),
  );
  // Files and folders take whole blocks, as `du` counts them.
  const sizes = [...folders, ...paths].map((path) => Math.ceil(statSync(path).size / 4096) * 4096);
  const size = sizes.reduce((sum, bytes) => sum + bytes);
  assert.ok(size <= 20 * 2 ** 20, `${size} bytes`);
});

test('npm installs the unpacked package without its tools', async () => {
  await runScript('prepare', join(shelf.path, 'package'));
});

test('ARCHITECTURE.md says in one line what each package is used for, and whether it is installed', () => {
  const [, text = ''] = readFileSync(join(bundled, 'ARCHITECTURE.md'), 'utf8').split(/^## Dependencies\n/m);
  const named = (tables = '') =>
    [...tables.matchAll(/^\| ([@a-z][^|]+) \|/gm)]
      .flatMap(([, names = '']) => names.split(', '))
      .filter((name) => !['package', '@types/*'].includes(name))
      .sort();
  const [installed, others] = text.split('\nBundled:\n').map(named);
  const { dependencies, devDependencies } = JSON.parse(readFileSync(join(bundled, 'package.json'), 'utf8'));
  assert.equal(installed, Object.keys(dependencies).sort());
  assert.equal(
    others,
    Object.keys(devDependencies)
      .filter((name) => !name.startsWith('@types/'))
      .sort(),
  );
});

test('every page that editors and operators read leads only to pages that the package has', () => {
  const aboutTheRepository = ['docs/performance.md', 'docs/testing.md'];
  const pages = files.filter((path) => /^docs\/.+\.md$/.test(path) && !aboutTheRepository.includes(path));
  assert.ok(pages.length > 15);
  const lost = pages.flatMap((page) =>
    [...readFileSync(join(shelf.path, 'package', page), 'utf8').matchAll(/\]\((?![a-z]+:)([^)\s#]+)/g)]
      .map(([, link = '']) => posix.join('docs', link))
      .filter((path) => !files.includes(path) && !files.some((file) => file.startsWith(`${path}/`)))
      .map((path) => `${page}: ${path}`),
  );
  assert.equal(lost, []);
});

test('npm shows the origin of the program, and both names of its command work', () => {
  const { repository, homepage, bugs, keywords, bin } = JSON.parse(readFileSync(join(bundled, 'package.json'), 'utf8'));
  for (const address of [repository.url.replace(/^git\+/, ''), homepage, bugs])
    assert.ok(URL.canParse(address), address);
  assert.ok(keywords.includes('prompts'));
  // `npx daily-agent-catalog` runs this program even if nothing is installed. A package called catalog is a different
  // one.
  assert.equal(bin, { catalog: 'bin/catalog.js', [name]: 'bin/catalog.js' });
});

test('Dependabot updates packages and pinned actions, new major versions of packages one by one', () => {
  assert.ok(files.includes('.github/dependabot.yml'));
  const { version, updates } = yaml.load(readFileSync(join(bundled, '.github/dependabot.yml'), 'utf8')) as {
    version: number;
    updates: {
      'package-ecosystem': string;
      directory: string;
      schedule: { interval: string };
      groups: Record<string, { patterns: string[]; 'update-types'?: string[] }>;
    }[];
  };
  assert.is(version, 2);
  assert.equal(
    updates.map(({ 'package-ecosystem': ecosystem, directory, schedule, groups }) => [
      ...[ecosystem, directory, schedule.interval],
      ...Object.values(groups).map(({ patterns, 'update-types': types = [] }) => [patterns, types].join(': ')),
    ]),
    [
      ['npm', '/', 'weekly', '*: minor,patch'],
      ['github-actions', '/', 'weekly', '*: '],
    ],
  );
});

test('from the tarballs alone, init or npm create, npm install and npm start serve a page', async () => {
  await inFolder((folder) =>
    withRegistry(folder, async (env, asked) => {
      const begin = performance.now();
      // As npm unpacks them for `npm create`, next to each other.
      const tools = join(folder, 'tools');
      const init = install(tools);
      const create = join(tools, 'node_modules/create-daily-agent-catalog');
      const { version } = JSON.parse(readFileSync(join(bundled, 'package.json'), 'utf8'));
      const starter = join(shelf.path, `create-${name}-${version}.tgz`);
      mkdirSync(create);
      await succeed('tar', ['-xzf', starter, '--strip-components=1', '-C', create]);
      const start = join(create, 'create.js');
      const { dependencies: needs } = JSON.parse(readFileSync(join(create, 'package.json'), 'utf8'));
      assert.equal(needs, { [name]: version }, 'both packages have one version');

      const home = join(folder, 'my catalog');
      const made = await run(process.execPath, [start, home], { cwd: tools, env });
      assert.is(made.code, 0, made.stderr);

      await succeed('npm', ['install', '--loglevel', 'error'], home, env);
      assert.not.ok(asked.includes(name), 'npm asks for no package of our name: the catalog has it');

      // No registry has the program: its copy has the bytes that npm packed, and the lock file their digest.
      const [file = ''] = readdirSync(join(home, 'vendor'));
      const copy = readFileSync(join(home, 'vendor', file));
      assert.ok(copy.equals(readFileSync(join(shelf.path, file))), 'a copy of a copy is the same package');
      const { dependencies } = JSON.parse(readFileSync(join(home, 'package.json'), 'utf8'));
      assert.equal(dependencies, { [name]: `file:vendor/${file}` });
      const locked = JSON.parse(readFileSync(join(home, 'package-lock.json'), 'utf8'));
      const digest = `sha512-${createHash('sha512').update(copy).digest('base64')}`;
      assert.is(locked.packages[`node_modules/${name}`].integrity, digest);
      assert.equal(locked.packages[''].dependencies, dependencies);
      assert.match(made.stderr, /was not installed from a registry, so the catalog has a copy in vendor\//);

      // If npm installed it from a registry, a version is enough.
      const resolved = `https://registry.example/${name}/-/${file}`;
      const list = { packages: { [`node_modules/${name}`]: { resolved } } };
      writeFileSync(join(tools, 'node_modules/.package-lock.json'), JSON.stringify(list));
      for (const [first, ...args] of [[start], [init, 'init']]) {
        const other = await run(process.execPath, [first ?? '', ...args, `${args.length}/other`], { cwd: folder, env });
        assert.is(other.code, 0, other.stderr);
      }
      assert.equal(snapshot(join(folder, '0/other')), snapshot(join(folder, '1/other')), 'npm create is init');
      const { dependencies: published } = JSON.parse(readFileSync(join(folder, '0/other/package.json'), 'utf8'));
      assert.equal(published, { [name]: `^${version}` });
      assert.not.ok(existsSync(join(folder, '0/other/vendor')));
      const workflows = join(home, '.github/workflows');
      const files = readdirSync(workflows);
      assert.equal(files.sort(), ['intake.yml', 'publish.yml', 'validate.yml']);
      const validated = await catalog(['validate', '--format', 'json'], { cwd: home });
      assert.equal(JSON.parse(validated.stdout).diagnostics, []);
      // The paths in deploy/ exist: the unit and the image start the program under them.
      const unit = readFileSync(join(home, 'deploy/catalog.service'), 'utf8');
      const [, started = ''] = /^ExecStart=\/usr\/bin\/node (\S+) serve --build$/m.exec(unit) ?? [];
      assert.ok(existsSync(join(home, started)), started);
      const image = readFileSync(join(home, 'deploy/Dockerfile'), 'utf8');
      assert.match(image, 'ln -s /app/node_modules/.bin/catalog /usr/local/bin/catalog');
      assert.ok(existsSync(join(home, 'node_modules/.bin/catalog')));

      await withStarted(home, async (address) => {
        const { agents } = (await (await fetch(`${address}api/agents.json`)).json()) as { agents: { title: string }[] };
        assert.equal(
          agents.map(({ title }) => title),
          ['Handover Gap Finder'],
        );
        assert.match(await (await fetch(address)).text(), 'My Catalog');
        assert.equal(
          readdirSync(join(home, 'dist/assets')).filter((name) => name.endsWith('.js')),
          ['search.js', 'site.js'],
        );
        console.log(`From the tarballs to a page in ${((performance.now() - begin) / 1000).toFixed(1)} s`);
      });
    }),
  );
});

test.run();
