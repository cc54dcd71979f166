import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { inFolder, writeFiles } from '../../support/catalog.ts';
import { catalog } from '../../support/process.ts';
import { line } from '../../support/vote-log.ts';

/** `catalog votes` on logs that an operator rotates: every vote counts, once and in the order of time. */

test('rotated files are counted too, compressed ones as well, and no vote twice', () =>
  inFolder(async (folder) => {
    const august = line({ id: 'd', time: '2026-08-05T10:00:00.000Z', voter: 4 });
    const october = line({ id: 'a', time: '2026-10-05T10:00:00.000Z', voter: 1, note: 'first' });
    const november = line({ id: 'b', time: '2026-11-05T10:00:00.000Z', voter: 2, vote: 'no', note: 'second' });
    writeFiles(folder, {
      'data/votes.jsonl': line({ id: 'c', time: '2026-12-05T10:00:00.000Z', voter: 3 }),
      'data/votes.jsonl.2.gz': gzipSync(october),
      'data/votes.jsonl.1': november,
      'data/votes.jsonl.1.gz': gzipSync(november).subarray(0, 20),
      'data/votes-20261201.jsonl': november,
      'data/votes-20260801.jsonl.gz': gzipSync(august),
      'data/votes.jsonl-20260901.xz': 'xz',
      'data/votes.jsonl.1.lock': 'x',
      // What killed processes left, next to the log and to a rotated one.
      ...Object.fromEntries(
        ['.redacting', '.1.redacting', '.erasing', '.1.erasing', '.torn', '.1.torn'].map((ending, index) => [
          `data/votes.jsonl${ending}`,
          line({ id: `left-${index}`, voter: 10 + index }),
        ]),
      ),
      'data/votes.jsonl.secret': 'x',
    });
    const { code, stdout, stderr } = await catalog(['votes', '--cwd', folder, '--format', 'json']);
    assert.is(code, 0, stderr);
    const { totals, malformed, notes } = JSON.parse(stdout);
    assert.equal(
      notes.map(({ note }: { note: string }) => note),
      ['second', 'first'],
    );
    assert.equal({ ...totals, malformed }, { votes: 4, yes: 3, no: 1, share: 0.75, malformed: 0 });
    assert.match(stderr, /Not counted: \S+votes\.jsonl-20260901\.xz\. Decompress/);

    const packed = await catalog(['votes', 'redact', 'a', '--cwd', folder]);
    assert.is(packed.code, 1);
    assert.match(packed.stderr, /Vote a is in \S+votes\.jsonl\.2\.gz\. Decompress/);
    writeFiles(folder, { 'data/votes.jsonl.2': october });
    assert.is((await catalog(['votes', 'redact', 'a', '--cwd', folder])).code, 0);
    assert.not.match(readFileSync(join(folder, 'data/votes.jsonl.2'), 'utf8'), 'first');

    // Two files have this vote: the note of either would be reported.
    writeFiles(folder, { 'data/votes.jsonl.1.gz': gzipSync(november) });
    assert.is((await catalog(['votes', 'redact', 'b', '--cwd', folder])).code, 0);
    for (const command of [[], ['export']]) {
      const report = await catalog(['votes', ...command, '--cwd', folder]);
      assert.not.match(report.stdout, 'second');
    }
  }));

test('a compressed log that is damaged, as after a full disk, is named, and nothing is counted without it', () =>
  inFolder(async (folder) => {
    const packed = gzipSync(line({ id: 'a', time: '2026-10-05T10:00:00.000Z', voter: 1 }));
    for (const bytes of [packed.subarray(0, 20), Buffer.from('not gzip'), Buffer.alloc(0)]) {
      writeFiles(folder, { 'data/votes.jsonl.1.gz': bytes });
      const name = join(folder, 'data/votes.jsonl.1.gz');
      const message = `error: ${name} is not a whole gzip file. Restore it from a backup, or move it elsewhere.\n`;
      for (const command of [[], ['export'], ['redact', 'b']]) {
        const { code, stdout, stderr } = await catalog(['votes', ...command, '--cwd', folder]);
        assert.equal([code, stdout], [1, '']);
        assert.ok(stderr.endsWith(message), stderr);
      }
    }
  }));

test('until the next vote after a rotation there is no log, and its votes are still counted without a warning', () =>
  inFolder(async (folder) => {
    writeFiles(folder, { 'data/votes.jsonl.1': line({}), dist: '' });
    const { stdout, stderr } = await catalog(['votes', '--cwd', folder, '--format', 'json']);
    assert.is(JSON.parse(stdout).totals.votes, 1);
    assert.not.match(stderr, 'votes.jsonl');
  }));

/** The names of a log's files, the one with the oldest votes first, by the kind of rotation. */
const rotations: [name: string, files: string[]][] = [
  ['numbers', ['votes.jsonl.10', 'votes.jsonl.9', 'votes.jsonl.2', 'votes.jsonl.1']],
  ['numbers, compressed', ['votes.jsonl.10.gz', 'votes.jsonl.2.gz', 'votes.jsonl.1']],
  ['days', ['votes.jsonl-20261001', 'votes.jsonl-20261101.gz', 'votes.jsonl-20261201']],
  ['days before the ending', ['votes-20261001.jsonl.gz', 'votes-20261101.jsonl']],
  [
    'two kinds, one after the other',
    ['votes.jsonl.3', 'votes.jsonl.1', 'votes-20261001.jsonl', 'votes.jsonl-20261101'],
  ],
];
for (const [name, rotated] of rotations) {
  test(`of logs rotated by ${name}, the last vote of a reader counts, with its note`, () =>
    inFolder(async (folder) => {
      const names = [...rotated, 'votes.jsonl'];
      const logs = names.map((name, index): [string, string | Buffer] => {
        const time = new Date(Date.UTC(2026, 10, 2, index)).toISOString();
        // Each file changes the vote of the one before it; the last one says yes.
        const vote = (names.length - index) % 2 === 1 ? 'yes' : 'no';
        const changed = line({ id: `v${index}`, time, vote, note: `note ${index}` });
        return [`data/${name}`, name.endsWith('.gz') ? gzipSync(changed) : changed];
      });
      writeFiles(folder, Object.fromEntries(logs));
      const { stdout } = await catalog(['votes', '--cwd', folder, '--format', 'json']);
      const { totals, agents, notes } = JSON.parse(stdout);
      assert.equal(totals, { votes: 1, yes: 1, no: 0, share: 1 });
      assert.is(agents[0].lastNote.note, `note ${rotated.length}`);
      assert.equal(
        notes.map(({ note }: { note: string }) => note),
        [`note ${rotated.length}`],
      );
    }));
}

test.run();
