import { mkdirSync, readdirSync, symlinkSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { bundled, inFolder, writeCatalog } from './support/catalog.ts';
import { run } from './support/process.ts';

/** What someone who installs the package gets: all that the program needs, and nothing else. */

test('the packed program works in another folder', async () => {
  await inFolder(async (folder) => {
    const packed = await run('npm', ['pack', '--ignore-scripts', '--json', '--pack-destination', folder], {
      cwd: bundled,
    });
    assert.is(packed.code, 0, packed.stderr);
    const [{ filename, files }] = JSON.parse(packed.stdout.slice(packed.stdout.indexOf('[')));
    const strangers = files
      .map(({ path }: { path: string }) => path)
      .filter(
        (path: string) =>
          !/^(?:bin|lib|agents|templates)\/|^(?:package\.json|README\.md|LICENSE|LICENSE-CONTENT|catalog\.config(?:\.schema)?\.json)$/.test(
            path,
          ),
      );
    assert.equal(strangers, []);

    const home = join(folder, 'home');
    const modules = join(home, 'node_modules');
    mkdirSync(join(modules, 'daily-agent-catalog'), { recursive: true });
    const untarred = await run('tar', [
      '-xzf',
      join(folder, filename),
      '--strip-components',
      '1',
      '-C',
      join(modules, 'daily-agent-catalog'),
    ]);
    assert.is(untarred.code, 0, untarred.stderr);
    const { dependencies } = (
      await import(join(modules, 'daily-agent-catalog', 'package.json'), { with: { type: 'json' } })
    ).default;
    for (const name of Object.keys(dependencies)) {
      mkdirSync(dirname(join(modules, name)), { recursive: true });
      symlinkSync(join(bundled, 'node_modules', name), join(modules, name));
    }

    writeCatalog(home, [{ slug: 'one', date: '2026-01-01' }]);
    const built = await run(process.execPath, [join(modules, 'daily-agent-catalog', 'bin', 'catalog.js'), 'build'], {
      cwd: home,
    });
    assert.is(built.code, 0, built.stderr);
    assert.ok(readdirSync(join(home, 'dist')).includes('index.html'));
    assert.equal(
      readdirSync(join(home, 'dist', 'assets')).filter((name) => name.endsWith('.js')),
      ['search.js', 'site.js'],
    );
  });
});

test.run();
