import { readdir, readFile, stat, writeFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { openVoteLog } from '../../src/votes/jsonl.ts';
import type { VoteRecord } from '../../src/votes/store.ts';
import { shimDisk, systemError, testOptions, voteBy, votesIn, withFolder, withLog } from './support.ts';

const record = (number: number, note?: string): VoteRecord => ({
  id: `id-${number}`,
  time: '2026-11-20T00:00:00.000Z',
  slug: 'release-notes',
  vote: 'yes',
  ...(note === undefined ? {} : { note }),
  voter: '0123456789abcdef0123456789abcdef',
});
const line = (number: number, note?: string) => `${JSON.stringify(record(number, note))}\n`;
const half = line(2).slice(0, 60);

const rows: { name: string; before: string; kept: string; torn: string | null }[] = [
  { name: 'an empty log', before: '', kept: '', torn: null },
  { name: 'a whole log', before: line(1) + line(2), kept: line(1) + line(2), torn: null },
  { name: 'half a line after a whole one', before: line(1) + half, kept: line(1), torn: half },
  { name: 'half a line alone', before: half, kept: '', torn: half },
  { name: 'one byte alone', before: '{', kept: '', torn: '{' },
  { name: 'one byte after a whole line', before: `${line(1)}{`, kept: line(1), torn: '{' },
  {
    name: 'a line cut within a character',
    before: `${line(1)}{"note":"\ud83d`,
    kept: line(1),
    torn: '{"note":"\ufffd',
  },
  {
    name: 'a whole line without its newline',
    before: line(1) + line(2).trimEnd(),
    kept: line(1) + line(2),
    torn: null,
  },
  { name: 'one whole line without its newline', before: line(1).trimEnd(), kept: line(1), torn: null },
  { name: 'zeros that a crash left', before: `${line(1)}\0\0\0\0`, kept: line(1), torn: '\0\0\0\0' },
  { name: 'a last line that is no JSON', before: `${line(1)}{"id":\n`, kept: line(1), torn: '{"id":\n' },
  { name: 'a number, which may be the start of one', before: `${line(1)}12`, kept: line(1), torn: '12' },
  { name: 'a text', before: `${line(1)}"yes"`, kept: line(1), torn: '"yes"' },
  { name: 'a newline alone', before: '\n', kept: '\n', torn: null },
  {
    name: 'a torn line that is longer than a chunk',
    before: line(1) + half + 'x'.repeat(200_000),
    kept: line(1),
    torn: half + 'x'.repeat(200_000),
  },
  {
    name: 'a torn line whose newline before ends a chunk',
    before: line(1) + 'x'.repeat(65_536),
    kept: line(1),
    torn: 'x'.repeat(65_536),
  },
  {
    name: 'a long whole log',
    before: Array.from({ length: 2000 }, (_, number) => line(number)).join(''),
    kept: Array.from({ length: 2000 }, (_, number) => line(number)).join(''),
    torn: null,
  },
];

for (const { name, before, kept, torn } of rows) {
  test(`at start: ${name}`, () =>
    withFolder(async (file, folder) => {
      await writeFile(file, before);
      await withLog({ file }, async ({ store, warnings }) => {
        assert.is(await readFile(file, 'utf8'), kept);
        assert.equal(await tornIn(folder), torn === null ? [] : [torn]);
        assert.is(warnings.length, torn === null ? 0 : 1);
        const { id } = await store.append(voteBy(1));
        assert.is((await readFile(file, 'utf8')).slice(kept.length, -1), JSON.stringify((await votesIn(file)).at(-1)));
        assert.is((await votesIn(file)).at(-1)?.id, id);
      });
    }));
}

test('every length at which a log may be cut keeps all its whole lines', () =>
  withFolder(async (file) => {
    const whole = Buffer.from(line(1) + line(2, 'a\ud83d\ude00b'));
    const first = line(1).length;
    for (let length = 0; length <= whole.length; length += 1) {
      await writeFile(file, whole.subarray(0, length));
      await withLog({ file }, async () => {});
      const expected = length >= whole.length - 1 ? whole : length >= first - 1 ? whole.subarray(0, first) : '';
      assert.is(await readFile(file, 'utf8'), expected.toString(), `cut at ${length}`);
    }
  }));

test('what is set aside is named in the warning, and readable by its owner alone', () =>
  withFolder(async (file) => {
    await writeFile(file, half);
    const now = () => new Date('2026-11-21T01:02:03.456Z');
    await withLog({ file, now }, async ({ warnings }) => {
      assert.match(warnings[0] ?? '', `${basename(file)}.torn-20261121T010203456Z`);
      assert.is((await stat(`${file}.torn-20261121T010203456Z`)).mode & 0o777, 0o600);
    });
    await writeFile(file, `${half}again`);
    await withLog({ file, now }, async () => {
      assert.is(await readFile(`${file}.torn-20261121T010203456Z-1`, 'utf8'), `${half}again`);
    });
  }));

test('a log is not cut where what is torn cannot be set aside, and the lock is let go', () =>
  withFolder(async (file, folder) => {
    await writeFile(file, line(1) + half);
    const disk = shimDisk(async ({ op, path, run }) => {
      if (op === 'write' && path.includes('.torn-')) throw systemError('ENOSPC');
      return run();
    });
    const error = await openVoteLog(testOptions({ file, disk })).catch((cause: Error) => cause);
    assert.instance(error, Error);
    assert.is((error as Error).name, 'OperationError');
    assert.is(await readFile(file, 'utf8'), line(1) + half);
    assert.equal(await readdir(folder), [basename(file)]);
  }));

async function tornIn(folder: string): Promise<string[]> {
  const names = (await readdir(folder)).filter((name) => name.includes('.torn-'));
  return Promise.all(names.map((name) => readFile(join(folder, name), 'utf8')));
}

test.run();
