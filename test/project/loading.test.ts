import { build as bundle, type Metafile } from 'esbuild';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { root } from '../support/process.ts';

/** What a command loads before it does its work. To start fast, it loads nothing that it may not need. */

const { metafile } = await bundle({
  entryPoints: ['src/main.ts'],
  absWorkingDir: root,
  bundle: true,
  format: 'esm',
  platform: 'node',
  packages: 'external',
  metafile: true,
  write: false,
  logLevel: 'error',
});

interface Reached {
  files: Set<string>;
  packages: Set<string>;
}

/** What the modules `from` import, directly or not. `follow` says whether an import is one of them. */
function reached(from: readonly string[], follow: (kind: string, path: string, file: string) => boolean): Reached {
  const { inputs }: Metafile = metafile;
  const files = new Set<string>();
  const packages = new Set<string>();
  const visit = (file: string) => {
    if (files.has(file)) return;
    files.add(file);
    for (const { path, kind, external } of inputs[file]?.imports ?? []) {
      if (!follow(kind, path, file)) continue;
      if (external !== true) visit(path);
      else if (!path.startsWith('node:')) packages.add(path);
    }
  };
  for (const file of from) visit(file);
  return { files, packages };
}

const immediately = (kind: string) => kind === 'import-statement';

test('the help of all commands loads no package but commander', () => {
  const isCommand = (path: string) => path.startsWith('src/cli/commands/');
  const commands = Object.keys(metafile.inputs).filter(isCommand);
  assert.ok(commands.length > 10);
  const { packages } = reached(['src/main.ts', ...commands], immediately);
  assert.equal([...packages], ['commander']);
});

test('a build finds out that nothing changed without loading another package', () => {
  const { packages } = reached(['src/build/last-build.ts', 'src/schema/diagnostics/report.ts'], immediately);
  assert.equal([...packages], []);
});

test('a build loads Handlebars without its compiler, and fflate without its threads', () => {
  const { packages } = reached(['src/build/build.ts'], immediately);
  assert.equal([...packages].filter((path) => /^(?:handlebars|fflate)/.test(path)).sort(), [
    'fflate/browser',
    'handlebars/runtime.js',
  ]);
});

test('a command that changes agents loads no code that renders', () => {
  const own = ['src/cli/commands/rename.ts', 'src/cli/options.ts'];
  const { files } = reached(own, (kind, _path, file) => immediately(kind) || own.includes(file));
  assert.ok(files.has('src/storage/lock.ts'));
  assert.equal(
    [...files].filter((file) => /^src\/(?:build|site)\//.test(file)),
    [],
  );
});

test('the server loads no code that renders or builds, unless it builds the catalog', () => {
  const serve = 'src/cli/commands/serve.ts';
  const { files, packages } = reached(
    [serve],
    (kind, path, file) => immediately(kind) || (file === serve && path !== 'src/cli/nightly-build.ts'),
  );
  assert.ok(files.has('src/server/app.ts'));
  const rendering = /^src\/(?:build|content|site\/(?!search)\w[\w-]*)\//;
  assert.equal([...files].filter((file) => rendering.test(file)).sort(), [
    'src/site/hosting/site-rules.ts',
    'src/site/mail/mail-styles.ts',
  ]);
  const renderers = ['@resvg/resvg-js', 'feed', 'fflate', 'handlebars', 'markdown-it', 'yaml'];
  assert.equal(
    [...packages].filter((path) => renderers.some((name) => path === name || path.startsWith(`${name}/`))),
    [],
  );
  assert.not.ok(packages.has('pg') || files.has('src/storage/postgres.ts'), 'loads code for databases');
});

test.run();
