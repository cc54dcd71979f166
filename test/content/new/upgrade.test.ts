import { execFileSync, spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { bundled, inFolder, snapshot, writeFiles } from '../../support/catalog.ts';
import { catalog } from '../../support/process.ts';
import { init, read } from '../../support/scaffold.ts';
import { testUnless } from '../../support/skip.ts';

/** `catalog upgrade` replaces what nobody changed, and loses nothing of the editor's. */

const upgrade = (cwd: string, ...args: string[]) => catalog(['upgrade', ...args, '--cwd', cwd]);

/** Replaces a file by an earlier version of the program, as the stamp then says. */
function age(folder: string, path: string, text: string) {
  const stamp = JSON.parse(read(folder, '.catalog/files.json'));
  stamp.files[path] = createHash('sha256').update(text).digest('hex');
  writeFiles(folder, { [path]: text, '.catalog/files.json': JSON.stringify(stamp) });
}

test('after an update of the program, untouched workflows are new, and an edited one stays as the editor left it', () =>
  inFolder(async (folder) => {
    await init(folder);
    const fresh = snapshot(folder);
    assert.equal([(await upgrade(folder, '--check')).code, snapshot(folder)], [0, fresh], 'nothing to do');

    age(folder, '.github/workflows/validate.yml', 'name: Old\n');
    age(folder, '.github/workflows/publish.yml', 'name: Old\n');
    age(folder, 'deploy/Dockerfile', 'FROM old\n');
    writeFiles(folder, {
      '.github/workflows/publish.yml': 'name: Mine\n',
      '.github/CODEOWNERS': '* @mine\n',
      'README.md': 'Mine.\n',
    });
    rmSync(join(folder, 'deploy/Dockerfile'));
    const before = snapshot(folder);
    const check = await upgrade(folder, '--check');
    assert.is(check.code, 1);
    assert.equal(snapshot(folder), before, '--check writes nothing');

    const { code, stdout, stderr } = await upgrade(folder);
    assert.is(code, 0, stderr);
    assert.match(stdout, 'Replaced:\n  .github/workflows/validate.yml\n\n');
    assert.match(stdout, '.github/workflows/publish.yml has changes of yours.');
    assert.match(stdout, '\n-name: Mine\n+');
    assert.match(stderr, 'upgrade --keep');
    const after = snapshot(folder);
    assert.is(after['.github/workflows/validate.yml'], fresh['.github/workflows/validate.yml']);
    for (const path of ['.github/workflows/publish.yml', '.github/CODEOWNERS', 'README.md'])
      assert.is(after[path], before[path], path);
    assert.not.ok(existsSync(join(folder, 'deploy/Dockerfile')), 'what the editor removed stays removed');

    assert.is((await upgrade(folder, '--check')).code, 1, 'it is shown until it is reviewed');
    await upgrade(folder, '--keep');
    assert.is(read(folder, '.github/workflows/publish.yml'), 'name: Mine\n');
    assert.is((await upgrade(folder, '--check')).code, 0);
  }));

const firstVersion = '0a1dbf0';
const isShallow = spawnSync('git', ['cat-file', '-e', firstVersion], { cwd: bundled }).status !== 0;

testUnless(isShallow && 'this clone does not have version 0.1.0')(
  'the workflows of a catalog that version 0.1.0 made are replaced, and the missing files are added',
  () =>
    inFolder(async (folder) => {
      await init(folder);
      const fresh = snapshot(folder);
      const old = (path: string) =>
        execFileSync('git', ['show', `${firstVersion}:${path}`], { cwd: bundled, encoding: 'utf8' });
      rmSync(join(folder, '.catalog'), { recursive: true });
      rmSync(join(folder, 'deploy'), { recursive: true });
      const path = '.github/workflows/publish.yml';
      const edited = `${old('.github/workflows/validate.yml')}# mine\n`;
      writeFiles(folder, { [path]: old(path), '.github/workflows/validate.yml': edited });
      const { stdout, code } = await upgrade(folder, '--format', 'json');
      assert.is(code, 0);
      const { from, changed } = JSON.parse(stdout);
      assert.is(from, '0.1.0');
      assert.equal(
        changed.map((file: { path: string }) => file.path),
        ['.github/workflows/validate.yml'],
      );
      const after = snapshot(folder);
      assert.is(after[path], fresh[path]);
      assert.is(after['.github/workflows/validate.yml'], edited);
      assert.is(after['deploy/Dockerfile'], fresh['deploy/Dockerfile']);
    }),
);

test('validate says that the copied files are older than the program, until they are upgraded', () =>
  inFolder(async (folder) => {
    await init(folder);
    const stamp = JSON.parse(read(folder, '.catalog/files.json'));
    writeFiles(folder, { '.catalog/files.json': JSON.stringify({ ...stamp, version: '0.0.9' }) });
    const validated = await catalog(['validate', '--cwd', folder]);
    assert.is(validated.code, 0);
    assert.match(validated.stderr, 'are of version 0.0.9, and the program is');
    await upgrade(folder);
    assert.is((await catalog(['validate', '--cwd', folder])).stderr, '1 agent checked, no errors.\n');
  }));

test('scripts with the names of version 0.1 still work, and are told the new ones', () =>
  inFolder(async (folder) => {
    const signups = await catalog(['signups', '--csv', '--cwd', folder]);
    assert.match(signups.stderr, 'notice: signups is now subscribers. The old name works until version 0.3.\n');
    assert.match(signups.stderr, 'notice: --csv is now --format=csv.');
    assert.equal(
      [signups.code, signups.stdout],
      [0, (await catalog(['subscribers', '--format', 'csv', '--cwd', folder])).stdout],
    );
    await init(folder);
    const built = await catalog(['build', '--hold-back', '--cwd', folder]);
    assert.is(built.code, 0, built.stderr);
    assert.match(built.stderr, 'notice: --hold-back is now --skip-invalid.');
    const alert = await catalog(['alert', '--help']);
    assert.match(alert.stdout, 'Usage: catalog ci notify');
  }));

test('a catalog of a newer program, a damaged stamp, and a folder that is in the way change nothing', () =>
  inFolder(async (folder) => {
    await init(folder);
    const wrong: [text: string, message: RegExp][] = [
      ['{"version":"10.0.0","files":{}}', /upgraded to version 10\.0\.0, and this program is .* Install that version/],
      ['{', /\.catalog\/files\.json is damaged, and nothing was written\. Restore it from Git/],
    ];
    for (const [text, message] of wrong) {
      writeFiles(folder, { '.catalog/files.json': text });
      const before = snapshot(folder);
      const { code, stderr } = await upgrade(folder);
      assert.is(code, 1);
      assert.match(stderr, message);
      assert.equal(snapshot(folder), before);
    }
  }));

test.run();
