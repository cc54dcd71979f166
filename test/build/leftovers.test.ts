import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { memoryFile, readChecked, writeChecked } from '../../src/build/last-build.ts';
import { inFolder, writeFiles } from '../support/catalog.ts';
import { writeBuild } from '../support/write-build.ts';

/** What builds leave next to dist/ and in the cache, and which of it a later build removes. */

test('files of builds that were killed are removed, and files of a running build stay', () =>
  inFolder((folder) => {
    const kept = [
      `.dist.staging-${process.ppid}`,
      '.dist.staging-mine',
      '.other.staging-999999',
      'dist.staging-999999',
      '.dist2.ready-1',
    ];
    const removed = [`.dist.staging-${process.pid}`, '.dist.staging-999999', '.dist.ready-1'];
    for (const name of [...kept, ...removed]) mkdirSync(join(folder, name));
    writeBuild(join(folder, 'dist'), new Map([['build.json', Buffer.from('{}')]]));
    assert.equal(readdirSync(folder).sort(), [...kept, 'dist'].sort());
  }));

test('a value in the cache is read as it was written, and a damaged or missing one is none', () =>
  inFolder((folder) => {
    const file = join(folder, 'new', 'builds', 'a.json');
    const value = {
      text: 'ü',
      none: [],
      list: Array.from({ length: 2001 }, (_, index) => [`ü${index}`, null]),
      last: {},
    };
    writeChecked(file, value);
    assert.equal(readChecked(file), value);
    assert.equal(readdirSync(join(folder, 'new', 'builds')), ['a.json']);
    // It may contain drafts.
    assert.is(statSync(file).mode & 0o777, 0o600);
    const whole = readFileSync(file, 'utf8');
    for (const damaged of [
      whole.slice(0, -1),
      `${whole} `,
      whole.replace('ü', 'u'),
      '',
      '{}',
      `${whole.split('\n')[0]}\n`,
      whole.split('\n')[1] ?? '',
    ]) {
      writeFileSync(file, damaged);
      assert.is(readChecked(file), null, damaged);
    }
    assert.is(readChecked(join(folder, 'none')), null);
  }));

test('values that no build used for 60 days are removed, and a cache that cannot be written is no error', () =>
  inFolder((folder) => {
    writeFiles(folder, { 'old.json': '', 'recent.json': '', file: '' });
    for (const [name, days] of [
      ['old.json', 61],
      ['recent.json', 59],
    ] as const) {
      const then = Date.now() / 1000 - days * 86_400;
      utimesSync(join(folder, name), then, then);
    }
    writeChecked(join(folder, 'new.json'), {});
    assert.equal(readdirSync(folder).sort(), ['file', 'new.json', 'recent.json']);
    writeChecked(join(folder, 'file', 'new.json'), {});
    assert.ok(existsSync(join(folder, 'file')));
  }));

test('each build folder and each kind of value has its own file in the cache', () => {
  const files = ['/a/dist', '/b/dist'].flatMap((out) =>
    ['files', 'unchanged'].map((what) => memoryFile('/c', out, what)),
  );
  assert.is(new Set(files).size, 4);
  assert.is(memoryFile('/c', '/a/b/../dist', 'files'), files[0]);
  for (const file of files) assert.match(file, /^\/c\/builds\/[0-9a-f]{32}-(?:files|unchanged)\.json$/);
});

test.run();
