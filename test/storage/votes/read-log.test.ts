import { writeFile } from 'node:fs/promises';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { readVotes } from '../../../src/storage/file-votes.ts';
import { withFolder } from '../../support/journal.ts';
import { all } from '../../support/votes.ts';

const record = (id: string, rest: object = {}) => ({
  id,
  time: '2026-11-21T00:00:00.000Z',
  slug: 'release-notes',
  vote: 'yes',
  voter: '0123456789abcdef0123456789abcdef',
  ...rest,
});
const line = (id: string, rest: object = {}) => `${JSON.stringify(record(id, rest))}\n`;

const rows: { name: string; log: string; ids: string[]; malformed?: number[] }[] = [
  { name: 'an empty log', log: '', ids: [] },
  { name: 'whole lines', log: line('a') + line('b'), ids: ['a', 'b'] },
  { name: 'a torn tail', log: `${line('a')}{"id":"b`, ids: ['a'] },
  { name: 'a whole tail without its newline', log: line('a') + line('b').trimEnd(), ids: ['a', 'b'] },
  { name: 'lines with CRLF, as an editor may leave them', log: line('a').replace('\n', '\r\n'), ids: ['a'] },
  { name: 'blank lines', log: `\n${line('a')}\n\n${line('b')}`, ids: ['a', 'b'] },
  { name: 'a line that is no JSON', log: `${line('a')}oops\n${line('b')}`, ids: ['a', 'b'], malformed: [2] },
  { name: 'a line that is no object', log: `null\n[]\n1\n${line('a')}`, ids: ['a'], malformed: [1, 2, 3] },
  { name: 'a vote that is neither yes nor no', log: line('a', { vote: 'maybe' }), ids: [], malformed: [1] },
  { name: 'a time that is none', log: line('a', { time: 'today' }), ids: [], malformed: [1] },
  {
    name: 'the year 0, which PostgreSQL lacks',
    log: line('a', { time: '0000-01-01T00:00:00Z' }),
    ids: [],
    malformed: [1],
  },
  { name: 'an id that PostgreSQL does not store', log: line('a\0'), ids: [], malformed: [1] },
  { name: 'a slug that is none', log: line('a', { slug: '../a' }), ids: [], malformed: [1] },
  { name: 'a missing field', log: line('a', { voter: undefined }), ids: [], malformed: [1] },
  { name: 'a voter of 33 digits', log: line('a', { voter: '0'.repeat(33) }), ids: [], malformed: [1] },
  { name: 'a field that a later version added', log: line('a', { later: 1 }), ids: ['a'] },
  { name: 'a line separator within a note', log: line('a', { note: 'x\u2028y\u2029z' }) + line('b'), ids: ['a', 'b'] },
  {
    name: 'more than a chunk',
    log: Array.from({ length: 1000 }, (_, id) => line(`${id}`, { note: '\ud83d\ude00'.repeat(100) })).join(''),
    ids: Array.from({ length: 1000 }, (_, id) => `${id}`),
  },
];

for (const { name, log, ids, malformed = [] } of rows) {
  test(`reads ${name}`, () =>
    withFolder(async (file) => {
      await writeFile(file, log);
      const found: number[] = [];
      const votes = await all(readVotes([file], (number) => void found.push(number)));
      assert.equal(
        votes.map(({ id }) => id),
        ids,
      );
      assert.equal(found, malformed);
    }));
}

test('keeps a note unchanged', () =>
  withFolder(async (file) => {
    const note = 'x\u2028y \ud83d\ude00 "q" \\ \ud800';
    await writeFile(file, line('a', { note }));
    assert.equal(await all(readVotes([file])), [record('a', { note })]);
  }));

test('reads a missing log as an empty one', () =>
  withFolder(async (file) => {
    assert.equal(await all(readVotes([file])), []);
  }));

test.run();
