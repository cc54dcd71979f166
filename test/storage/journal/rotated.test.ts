import { symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { isPacked, rotatedFiles } from '../../../src/storage/line-file.ts';
import { inFolder, writeFiles } from '../../support/catalog.ts';

/** Which files next to a log are its rotated files, by their names alone. */

const rotated = [
  'votes-2026-12-01.jsonl',
  'votes-20261201.jsonl',
  'votes-20261201.jsonl.gz',
  'votes-20261201T0300_1.jsonl.zst',
  'votes.1.jsonl',
  'votes.jsonl-20261201',
  'votes.jsonl-20261201.xz',
  'votes.jsonl.1',
  'votes.jsonl.10.bz2',
  'votes.jsonl.2.zip',
];
const others = [
  'other.jsonl.1',
  'signups.jsonl',
  'votes',
  'votes-20261201',
  'votes-20261201.json',
  'votes-20261201.jsonl.bak',
  'votes-20261201x.jsonl',
  'votes-old-20261201.jsonl',
  'votes-old.jsonl',
  'votes.jsonl',
  'votes.jsonl.1 (copy)',
  'votes.jsonl.1.erasing',
  'votes.jsonl.1.lock',
  'votes.jsonl.1.lock.0123',
  'votes.jsonl.1.redacting',
  'votes.jsonl.1.secret',
  'votes.jsonl.1.torn',
  'votes.jsonl.bak',
  'votes.jsonl.gz',
  'votes.jsonl1',
  'votes20261201.jsonl',
  'my-votes.jsonl.1',
];

test('rotated files are found by number or day, with or without compression, and nothing else is', () =>
  inFolder(async (folder) => {
    writeFiles(folder, Object.fromEntries([...others, ...rotated].map((name) => [name, ''])));
    assert.equal(
      await rotatedFiles(join(folder, 'votes.jsonl')),
      rotated.map((name) => join(folder, name)),
    );
  }));

test('a log without an ending has rotated files too', () =>
  inFolder(async (folder) => {
    writeFiles(folder, { votes: '', 'votes.1': '', 'votes-2': '', 'votes-2.jsonl': '' });
    const found = await rotatedFiles(join(folder, 'votes'));
    assert.equal(found.slice(0, 1), [join(folder, 'votes-2')]);
    assert.ok(found.includes(join(folder, 'votes.1')));
  }));

test('a log that is a link has its rotated files next to the real file', () =>
  inFolder(async (folder) => {
    writeFiles(folder, { 'disk/votes.jsonl': '', 'disk/votes.jsonl.1': '' });
    symlinkSync(join(folder, 'disk/votes.jsonl'), join(folder, 'link.jsonl'));
    assert.equal(await rotatedFiles(join(folder, 'link.jsonl')), [join(folder, 'disk/votes.jsonl.1')]);
  }));

test('without the folder there are none', () =>
  inFolder(async (folder) => assert.equal(await rotatedFiles(join(folder, 'none', 'votes.jsonl')), [])));

test('a compressed file is known by its ending', () => {
  for (const ending of ['gz', 'bz2', 'xz', 'zst', 'zip']) assert.ok(isPacked(`votes.jsonl.1.${ending}`), ending);
  for (const name of ['votes.gz.1', 'votes.jsonl.1', 'gz']) assert.not(isPacked(name), name);
});

test.run();
