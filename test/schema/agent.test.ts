import { createHash } from 'node:crypto';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { isPublishable, lineDigests, publishableLicenses, revisionOf } from '../../src/schema/documents.ts';
import { storedNote } from '../../src/schema/requests.ts';

/** What may be published, and how it is recognized. */

test('an imported prompt can be published under licenses that ask no more than credit, however they are written', () => {
  const open = ['CC-BY-4.0', 'CC0-1.0', '0BSD', 'MIT-0', 'Unlicense'];
  assert.is(publishableLicenses, open.join(', '));
  for (const license of open) assert.ok(isPublishable(license) && isPublishable(license.toLowerCase()), license);
  for (const license of ['MIT', 'CC-BY-SA-4.0', 'unknown', '']) assert.not.ok(isPublishable(license), license);
});

test('a note is stored without characters that databases refuse, and an empty one is none', () => {
  assert.equal([undefined, '', ' \n ', 'a'].map(storedNote), [undefined, undefined, undefined, 'a']);
  assert.is(storedNote('a\0b\ud800c😀\n'), 'a\ufffdb\ufffdc😀\n');
});

test('a prompt is recognized by its different lines, without spaces around them and without blank ones', () => {
  const digests = ['a', 'b'].map((line) => createHash('sha256').update(line).digest('hex').slice(0, 8));
  assert.equal(lineDigests('a\n\n  b\n b \na\n'), digests);
});

test('the version of a plugin says how often it was changed', () => {
  for (const revision of [0, 7, 10, 123456789]) assert.is(revisionOf(`1.${revision}.0`), revision);
  for (const other of ['1.01.0', '2.1.0', '1.1.1', '1.1234567890.0', 'v1.1.0', '1.1.0-a', '1.1a.0', 1, undefined]) {
    assert.is(revisionOf(other), null, String(other));
  }
});

test.run();
