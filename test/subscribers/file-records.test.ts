import { appendFile, mkdir, rename, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { fileRecords } from '../../src/subscribers/file-records.ts';
import { withFolder } from '../support/subscribers-file.ts';

/** Reading a file of subscribers that another process owns. */

test('a reader of the file notices what another process adds, rotates or replaces, and leaves half lines', () =>
  withFolder(async (path) => {
    const line = (id: string) =>
      `${JSON.stringify({ id, time: '2026-11-22T10:00:00Z', email: `${id}@example.com`, list: 'daily' })}\n`;
    const records = fileRecords(path);
    const ids = async () => (await records.find({ list: 'daily' })).map(({ id }) => id).join(' ');
    assert.is(await ids(), '');
    await mkdir(dirname(path));
    await writeFile(path, `${line('a')}torn\n${line('b').slice(0, 20)}`);
    assert.is(await ids(), 'a');
    await appendFile(path, line('b').slice(20) + line('c'));
    assert.equal(await Promise.all([ids(), ids()]), ['a b c', 'a b c']);
    await rename(path, `${path}.1`);
    await writeFile(path, line('d'));
    assert.is(await ids(), 'a b c d');
    await writeFile(`${path}.new`, line('e'));
    await rename(`${path}.new`, path);
    assert.is(await ids(), 'a b c e');
    // Another program cuts it.
    await writeFile(path, line('f').replace('2026-11-22T10:00:00Z', '2026-11-22'));
    assert.is(await ids(), 'a b c f');
  }));

test.run();
