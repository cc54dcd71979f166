import { randomBytes } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { openVoteLog } from '../../../src/storage/file-votes.ts';
import { catalog } from '../../support/process.ts';
import { log, withLog } from '../../support/vote-log.ts';

/** `catalog votes redact` as an operator runs it. */

test('redact blanks one note and keeps everything else byte for byte', () =>
  withLog(async (folder) => {
    const file = join(folder, 'data', 'votes.jsonl');
    const { code, stdout, stderr } = await catalog(['votes', 'redact', 'v1', '--cwd', folder]);
    assert.is(code, 0, stderr);
    assert.is(stdout, '');
    assert.is(stderr, 'Deleted the note of vote v1.\n');
    assert.is(readFileSync(file, 'utf8'), log.replace('"too long"', '""'));
    const again = await catalog(['votes', 'redact', 'v1', '--file', file]);
    assert.is(again.code, 0);
    assert.match(again.stderr, 'has no note');
  }));

test('redact names rotated files that may keep the note, since it cannot read them', () =>
  withLog(async (folder) => {
    const packed = join(folder, 'data', 'votes.jsonl.2.zst');
    writeFileSync(packed, 'packed');
    const { code, stderr } = await catalog(['votes', 'redact', 'v1', '--cwd', folder]);
    assert.is(code, 0, stderr);
    assert.is(stderr, `Not searched, because compressed: ${packed}.\nDeleted the note of vote v1.\n`);
  }));

test('redact with an unknown id exits with 1', () =>
  withLog(async (folder) => {
    const { code, stderr } = await catalog(['votes', '--data', join(folder, 'data'), 'redact', 'v9']);
    assert.is(code, 1);
    assert.match(stderr, 'has the id v9');
    assert.is(readFileSync(join(folder, 'data', 'votes.jsonl'), 'utf8'), log);
  }));

test('redact without a vote log says that it does not exist', () =>
  withLog(async (folder) => {
    const file = join(folder, 'none', 'votes.jsonl');
    const { code, stderr } = await catalog(['votes', 'redact', 'v1', '--file', file]);
    assert.equal([code, stderr], [1, `error: The vote log ${file} does not exist.\n`]);
  }));

test('redact is refused while another process has the log, but the report can read it', () =>
  withLog(async (folder) => {
    const file = join(folder, 'data', 'votes.jsonl');
    const store = await openVoteLog({ file, now: () => new Date(), random: randomBytes, warn: () => {} });
    try {
      const before = readFileSync(file, 'utf8');
      const { code, stderr } = await catalog(['votes', 'redact', 'v1', '--cwd', folder]);
      assert.is(code, 1);
      assert.match(stderr, `in use by process ${process.pid}`);
      assert.is(readFileSync(file, 'utf8'), before);
      assert.match((await catalog(['votes', '--cwd', folder, '--format', 'csv'])).stdout, /^one,4,/m);
    } finally {
      await store.close();
    }
  }));

test.run();
