import { existsSync, mkdirSync, readdirSync, statSync, utimesSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { imageCache } from '../../../src/site/social-image/renderer.ts';
import { inFolder } from '../../support/catalog.ts';

/** Images that builds still use stay in the cache, and others are removed. */

const image = Buffer.from('an image');

const uses: [name: string, days: number, isRead: boolean, isKept: boolean][] = [
  ['was used 59 days ago', 59, false, true],
  ['was used 61 days ago', 61, false, false],
  ['was drawn 61 days ago and is used now', 61, true, true],
];
for (const [name, days, isRead, isKept] of uses) {
  test(`an image that ${name} is ${isKept ? 'kept' : 'removed'} when the next one is drawn`, () =>
    inFolder((folder) => {
      imageCache(folder).write('old', image);
      const path = join(folder, 'social-images', 'old.png');
      const then = Date.now() / 1000 - days * 86_400;
      utimesSync(path, then, then);
      const cache = imageCache(folder);
      if (isRead) assert.equal(cache.read('old'), image);
      cache.write('new', image);
      assert.is(existsSync(path), isKept);
      assert.equal(cache.read('new'), image);
    }));
}

test('the use of an image is recorded as now, so that it can become old again', () =>
  inFolder((folder) => {
    const cache = imageCache(folder);
    cache.write('old', image);
    const path = join(folder, 'social-images', 'old.png');
    utimesSync(path, 0, 0);
    const before = Date.now();
    cache.read('old');
    const { mtimeMs } = statSync(path);
    assert.ok(mtimeMs >= before - 1000 && mtimeMs <= Date.now() + 1000, new Date(mtimeMs).toISOString());
  }));

test('an image that cannot be put into its place leaves nothing behind', () =>
  inFolder((folder) => {
    mkdirSync(join(folder, 'social-images', 'one.png'), { recursive: true });
    const cache = imageCache(folder);
    cache.write('one', image);
    assert.is(cache.read('one'), null);
    assert.equal(readdirSync(join(folder, 'social-images')), ['one.png']);
  }));

test.run();
