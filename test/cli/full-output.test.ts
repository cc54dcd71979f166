import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { inFolder, writeCatalog, writeFiles } from '../support/catalog.ts';
import { bin, run } from '../support/process.ts';
import { testUnless } from '../support/skip.ts';

/** Results and messages that cannot be written, such as to a file on a full disk. */

const device = '/dev/full';
const onFullDisk = testUnless(!existsSync(device) && `${device} is missing`);
const expected = 'error: The results cannot be written to stdout: the disk is full (ENOSPC).\n';

/** Runs a command in a shell that redirects an output to the full disk. */
const redirected = (folder: string, args: string[], descriptor: 1 | 2) =>
  run('/bin/sh', ['-c', `exec "$@" ${descriptor}>${device}`, 'sh', process.execPath, bin, ...args], { cwd: folder });

const vote = { id: '0', time: '2026-02-01T00:00:00.000Z', slug: 'one', vote: 'yes', voter: '0'.repeat(32) };

for (const args of [['status'], ['status', '--format', 'json'], ['votes', 'export'], ['--help']]) {
  onFullDisk(`catalog ${args.join(' ')} says that its results do not fit on the disk, and fails`, () =>
    inFolder(async (folder) => {
      writeCatalog(folder, [{ slug: 'one', date: '2026-01-01' }]);
      writeFiles(folder, { 'data/votes.jsonl': `${JSON.stringify(vote)}\n` });
      const { code, stderr } = await redirected(folder, args, 1);
      assert.equal([code, stderr], [1, expected]);
    }),
  );
}

onFullDisk('a command whose messages do not fit on the disk fails, and its result is written', () =>
  inFolder(async (folder) => {
    writeCatalog(folder, [{ slug: 'one', date: '2026-01-01' }]);
    const built = await redirected(folder, ['build'], 2);
    assert.equal([built.code, built.stdout], [1, '']);
    assert.ok(existsSync(join(folder, 'dist/build.json')));
    const misspelled = await redirected(folder, ['bild'], 2);
    assert.is(misspelled.code, 2);
  }),
);

test.run();
