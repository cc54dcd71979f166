import { createHash } from 'node:crypto';
import fs, { readdirSync, readFileSync, statSync } from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { BuildWriter } from '../../src/build/write.ts';
import { explainSystemError } from '../../src/lib/errors.ts';
import { outputStampOf } from '../../src/lib/files.ts';
import { inFolder } from '../support/catalog.ts';

/** The files of a large first build are written by another thread. They are the same, and so is what is known of them. */

const sha256 = (bytes: Uint8Array) => createHash('sha256').update(bytes).digest('base64url');

/** Writes so many files that another thread writes those that follow. */
function writeMany(writer: BuildWriter): void {
  for (let index = 0; index < 600; index += 1) writer.write(`many/${index}`, [], `File ${index}`);
}

test('every file of a large first build has its bytes, digest and stamp, also copies and parts of buffers', async () => {
  await inFolder((folder) => {
    const dist = join(folder, 'dist');
    const writer = new BuildWriter(dist);
    const parts = Array.from({ length: 500 }, (_, index) => ({
      input: `${index}`,
      render: () => `${index}é`.repeat(200),
    }));
    const list = Buffer.from(parts.map(({ render }) => render()).join(''));
    // Parts may need the digests of other files.
    const last = { input: 'last', render: () => writer.digest('early list') };
    writer.writeParts('early list', [], parts);
    writeMany(writer);
    writer.writeParts('late list', [], [...parts, last]);
    const reused = Buffer.from('before, PNG, after');
    const contents: [path: string, content: string | Uint8Array, bytes: Buffer][] = [
      ['text', 'naïve 日本 🙂', Buffer.from('naïve 日本 🙂')],
      ['empty', '', Buffer.alloc(0)],
      ['long', 'ü'.repeat(600_000), Buffer.from('ü'.repeat(600_000))],
      ['part', reused.subarray(8, 11), Buffer.from('PNG')],
      ['deep/er/whole', new Uint8Array([0, 255]), Buffer.from([0, 255])],
    ];
    for (const [path, content] of contents) writer.write(path, [], content);
    reused.fill('x');
    writer.writeParts(
      'list',
      [],
      [
        { input: 'a', render: () => 'é' },
        { input: 'b', render: () => 'b' },
      ],
    );
    writer.copy('deep/copy', 'text');
    assert.is(writer.digest('deep/copy'), sha256(Buffer.from('naïve 日本 🙂')));
    writer.write('build.json', [], '{}');
    assert.equal(writer.finish(), { changed: 610, removed: 0, unchanged: 0 });

    const expected = new Map([
      ...contents.map(([path, , bytes]) => [path, bytes] as const),
      ['list', Buffer.from('éb')],
      ['early list', list],
      ['late list', Buffer.concat([list, Buffer.from(sha256(list))])],
      ['deep/copy', Buffer.from('naïve 日本 🙂')],
      ['many/0', Buffer.from('File 0')],
      ['many/599', Buffer.from('File 599')],
      ['build.json', Buffer.from('{}')],
    ]);
    for (const [path, bytes] of expected) {
      assert.ok(readFileSync(join(dist, path)).equals(bytes), path);
      const { digest, stamp } = writer.files.get(path) ?? {};
      assert.is(digest, sha256(bytes), path);
      assert.is(stamp, outputStampOf(statSync(join(dist, path))), path);
    }
    assert.equal(writer.files.get('list')?.parts, [
      ['a', 2],
      ['b', 1],
    ]);
    assert.equal(readdirSync(folder), ['dist']);
  });
});

test('a large first build of many megabytes has the right bytes in each file, though it uses the same memory again', async () => {
  await inFolder((folder) => {
    const writer = new BuildWriter(join(folder, 'dist'));
    writeMany(writer);
    const contents = Array.from({ length: 80 }, (_, index) => `${index} `.repeat(40_000));
    for (const [index, content] of contents.entries()) writer.write(`large/${index}`, [], content);
    writer.finish();
    for (const [index, content] of contents.entries()) {
      const path = `large/${index}`;
      assert.ok(readFileSync(join(folder, 'dist', path), 'utf8') === content, path);
      assert.is(writer.files.get(path)?.digest, sha256(Buffer.from(content)), path);
    }
  });
});

test('if a file of a large first build cannot be written, the error of the system names it, and nothing stays', async () => {
  await inFolder((folder) => {
    const writer = new BuildWriter(join(folder, 'dist'));
    writeMany(writer);
    const name = 'n'.repeat(300);
    try {
      writer.write(name, [], 'text');
      writeMany(writer);
      writer.finish();
      assert.unreachable();
    } catch (error) {
      const { code, path } = error as NodeJS.ErrnoException;
      assert.is(code, 'ENAMETOOLONG');
      assert.ok(path?.endsWith(name), path);
    } finally {
      writer.discard();
    }
    assert.equal(readdirSync(folder), []);
  });
});

test('if the disk is full, the error names the file and so the disk, although the system names none', () =>
  inFolder((folder) => {
    const writer = new BuildWriter(join(folder, 'dist'));
    const { writeFileSync } = fs;
    Object.assign(fs, {
      writeFileSync() {
        throw Object.assign(new Error('ENOSPC: no space left on device, write'), { code: 'ENOSPC', syscall: 'write' });
      },
    });
    syncBuiltinESMExports();
    try {
      writer.write('index.html', [], 'text');
      assert.unreachable();
    } catch (error) {
      const message = explainSystemError(error) ?? '';
      assert.ok(message.startsWith(`${folder}/.dist.staging-`), message);
      assert.ok(message.endsWith('/index.html cannot be used: the disk is full (ENOSPC).'), message);
    } finally {
      Object.assign(fs, { writeFileSync });
      syncBuiltinESMExports();
      writer.discard();
    }
  }));

test('when a large first build is given up, nothing is written any more', async () => {
  await inFolder((folder) => {
    const writer = new BuildWriter(join(folder, 'dist'));
    for (let count = 0; count < 5; count += 1) writeMany(writer);
    writer.discard();
    assert.equal(readdirSync(folder), []);
  });
});

test.run();
