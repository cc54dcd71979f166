import fs, { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, symlinkSync } from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import { join, relative } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { BuildWriter } from '../../src/build/write.ts';
import { inFolder, type SmallAgent, snapshot, writeCatalog, writeFiles } from '../support/catalog.ts';
import { systemError } from '../support/journal.ts';
import { catalog } from '../support/process.ts';
import { writeBuild } from '../support/write-build.ts';

/** A build changes only the files of dist/ that have to change, syncs them first, and leaves other folders alone. */

const before: SmallAgent[] = [
  { slug: 'kept', date: '2026-01-01' },
  { slug: 'removed', date: '2026-01-02' },
];
const build = (folder: string) => catalog(['build', '--cwd', folder, '--today', '2026-02-01']);

test('a build without changes still clears what a killed build left next to dist/', async () => {
  await inFolder(async (folder) => {
    writeCatalog(folder, before);
    // The second build is the one that is remembered: right after they were written, files are too new for that.
    for (let count = 0; count < 2; count += 1) assert.is((await build(folder)).code, 0);
    mkdirSync(join(folder, '.dist.ready-1'));
    assert.is((await build(folder)).code, 0);
    assert.equal(readdirSync(folder).sort(), ['agents', 'catalog.config.json', 'dist']);
  });
});

test('if the disk fails while files are moved into place, nothing stays next to dist/', async () => {
  await inFolder((folder) => {
    const dist = join(folder, 'dist');
    writeBuild(dist, new Map([['build.json', Buffer.from('old')]]));
    const writer = new BuildWriter(dist);
    writer.write('build.json', [], Buffer.from('new'));
    const { fsyncSync } = fs;
    Object.assign(fs, {
      fsyncSync() {
        throw new Error('EIO');
      },
    });
    syncBuiltinESMExports();
    try {
      assert.throws(() => writer.finish(), 'EIO');
    } finally {
      Object.assign(fs, { fsyncSync });
      syncBuiltinESMExports();
    }
    assert.equal(readdirSync(folder), ['dist']);
    assert.is(readFileSync(join(dist, 'build.json'), 'utf8'), 'old');
  });
});

test('a build whose folder another program changes ends with a message, and is not put in place', async () => {
  for (const [removed, left] of [['dist', []] as const, ['dist/kept.txt', ['dist']] as const])
    await inFolder((folder) => {
      const dist = join(folder, 'dist');
      const kept = Buffer.from('kept');
      writeBuild(dist, new Map(Object.entries({ 'kept.txt': kept, 'build.json': Buffer.from('old') })));
      const writer = new BuildWriter(dist);
      writer.write('kept.txt', [], kept);
      writer.write('build.json', [], 'new');
      rmSync(join(folder, removed), { recursive: true });
      assert.throws(() => writer.finish(), /^Another program changed .*dist during/);
      assert.equal(readdirSync(folder), left);
      const first = new BuildWriter(join(folder, 'new'));
      first.write('build.json', [], 'new');
      writeFiles(folder, { 'new/precious.txt': 'years of work' });
      assert.throws(() => first.finish(), /^Another program changed .*new during/);
    });
});

test('a mounted folder is refused before anything is made, since nothing can be moved into it in one step', async () => {
  await inFolder((folder) => {
    const dist = join(folder, 'dist');
    mkdirSync(dist);
    const { statSync } = fs;
    const mounted = (path: string) => Object.assign(statSync(path), path === dist ? { dev: 0 } : {});
    Object.assign(fs, { statSync: mounted });
    syncBuiltinESMExports();
    try {
      assert.throws(() => new BuildWriter(dist), /dist is a file system of its own.* Name a folder in it with --out\./);
    } finally {
      Object.assign(fs, { statSync });
      syncBuiltinESMExports();
    }
    assert.equal(readdirSync(folder), ['dist']);
  });
});

test('a failed build leaves dist/ unchanged', async () => {
  await inFolder(async (folder) => {
    writeCatalog(folder, before);
    await build(folder);
    const good = snapshot(join(folder, 'dist'));
    writeFiles(folder, { 'agents/kept/prompt.txt': 'No sections\n' });
    const failed = await build(folder);
    assert.is(failed.code, 1);
    assert.equal(snapshot(join(folder, 'dist')), good);
  });
});

test('a file whose bytes come early or late keeps its place in the order', async () => {
  await inFolder((folder) => {
    const writer = new BuildWriter(join(folder, 'dist'));
    const write = (path: string) => writer.write(path, [], Buffer.from(path));
    write('early');
    write('first');
    for (const path of ['early', 'late']) writer.reserve(path);
    write('last');
    write('late');
    assert.equal([...writer.files.keys()], ['first', 'early', 'late', 'last']);
    assert.equal(writer.finish(), { changed: 4, removed: 0, unchanged: 0 });
  });
});

test('all new files are synced before the first of them is moved into place', async () => {
  await inFolder(async (folder) => {
    const dist = join(folder, 'dist');
    writeBuild(dist, new Map(['same', 'one', 'build.json'].map((path) => [path, Buffer.from('old')])));
    const synced: string[] = [];
    let before: string[] | undefined;
    const { openSync, fsyncSync, renameSync } = fs;
    let opened = '';
    Object.assign(fs, {
      openSync(...args: Parameters<typeof openSync>) {
        opened = relative(folder, String(args[0])).replace(/^[^/]*staging-\d+/, 'staging');
        return openSync(...args);
      },
      fsyncSync(file: number) {
        synced.push(opened);
        fsyncSync(file);
      },
      renameSync(...args: Parameters<typeof renameSync>) {
        before ??= [...synced];
        renameSync(...args);
      },
    });
    syncBuiltinESMExports();
    try {
      const files = { same: 'old', one: 'new', 'a/two': 'new', 'build.json': 'new' };
      writeBuild(dist, new Map(Object.entries(files).map(([path, text]) => [path, Buffer.from(text)])));
    } finally {
      Object.assign(fs, { openSync, fsyncSync, renameSync });
      syncBuiltinESMExports();
    }
    assert.equal(before, [
      ...['one', 'a/two', 'build.json'].map((path) => join('staging/files', path)),
      join('staging', 'plan.json'),
    ]);
  });
});

test('a file that another process has just moved into place is no error, and a file that cannot be moved is one', async () => {
  await inFolder((folder) => {
    const dist = join(folder, 'dist');
    const write = (text: string) =>
      writeBuild(dist, new Map(['one', 'build.json'].map((path) => [path, Buffer.from(text)])));
    write('old');
    const { renameSync } = fs;
    let moved = (from: string, to: string) => renameSync(from, to);
    Object.assign(fs, {
      renameSync(from: string, to: string) {
        if (to === join(dist, 'one')) moved(from, to);
        renameSync(from, to);
      },
    });
    syncBuiltinESMExports();
    try {
      write('new');
      assert.equal(snapshot(dist), { one: 'new', 'build.json': 'new' });
      for (const code of ['EIO', 'ENOENT']) {
        moved = () => {
          throw systemError(code);
        };
        assert.throws(() => write(code), code);
        assert.equal(snapshot(dist), { one: 'new', 'build.json': 'new' });
      }
    } finally {
      Object.assign(fs, { renameSync });
      syncBuiltinESMExports();
    }
  });
});

test('unchanged files are not touched, and removed files are deleted with their empty folders', async () => {
  await inFolder(async (folder) => {
    writeCatalog(folder, before);
    await build(folder);
    const dist = join(folder, 'dist');
    const stamp = (path: string) => statSync(join(dist, path), { bigint: true });
    const [kept, index] = [stamp('agents/kept.md'), stamp('api/agents.json')];
    rmSync(join(folder, 'agents', 'removed'), { recursive: true });
    const built = await catalog(['build', '--cwd', folder, '--today', '2026-02-01', '--format', 'json']);
    assert.is(built.code, 0, built.stderr);
    assert.is(stamp('agents/kept.md').ino, kept.ino);
    assert.is(stamp('agents/kept.md').mtimeNs, kept.mtimeNs);
    assert.is.not(stamp('api/agents.json').ino, index.ino);
    assert.not(existsSync(join(dist, 'agents', 'removed')));
    assert.ok(JSON.parse(built.stdout).written.removed > 3);
  });
});

test('a folder with other files is left alone, and an empty one is used', async () => {
  await inFolder(async (folder) => {
    writeCatalog(folder, before);
    writeFiles(folder, { 'precious/thesis.txt': 'years of work' });
    const built = await catalog(['build', '--cwd', folder, '--out', 'precious']);
    assert.is(built.code, 1);
    assert.match(built.stderr, /precious contains files but no build\.json/);
    assert.equal(readdirSync(join(folder, 'precious')), ['thesis.txt']);
    mkdirSync(join(folder, 'empty'));
    assert.is((await catalog(['build', '--cwd', folder, '--out', 'empty'])).code, 0);
    assert.ok(existsSync(join(folder, 'empty', 'build.json')));
  });
});

test('a file replaces a folder, and a folder replaces a file', async () => {
  await inFolder((folder) => {
    const dist = join(folder, 'dist');
    for (const path of ['tags/a', 'tags/a/b/c', 'tags/a/b', 'tags']) {
      const files = { [path]: path, 'build.json': `{ "with": "${path}" }` };
      writeBuild(dist, new Map(Object.entries(files).map(([name, text]) => [name, Buffer.from(text)])));
      assert.equal(snapshot(dist), files);
      assert.equal(readdirSync(folder), ['dist']);
    }
  });
});

test('if dist/ is a symbolic link, the build is written to its target', async () => {
  await inFolder(async (folder) => {
    writeCatalog(folder, before);
    assert.is((await catalog(['build', '--cwd', folder, '--out', 'builds/a'])).code, 0);
    symlinkSync('builds/a', join(folder, 'dist'));
    rmSync(join(folder, 'agents', 'removed'), { recursive: true });
    assert.is((await build(folder)).code, 0);
    assert.not.match(readFileSync(join(folder, 'builds', 'a', 'api', 'agents.json'), 'utf8'), /removed/);
  });
});

test.run();
