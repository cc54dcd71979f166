import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { csv } from '../../src/lib/text.ts';
import { renderReport, type VoteReport } from '../../src/storage/vote-report.ts';
import { inFolder, writeFiles } from '../support/catalog.ts';
import { catalog } from '../support/process.ts';

/** A reader may write any note: no exported table runs it in a spreadsheet, and each contains it whole. */

const cells: { name: string; note: string; expected: string }[] = [
  { name: 'plain text', note: 'Hello', expected: 'Hello' },
  { name: 'a comma', note: 'a,b', expected: '"a,b"' },
  { name: 'quotes', note: 'say "hi", ok', expected: '"say ""hi"", ok"' },
  { name: 'lines', note: 'one\r\ntwo', expected: '"one\r\ntwo"' },
  { name: 'a formula', note: '=HYPERLINK("http://x")', expected: `"'=HYPERLINK(""http://x"")"` },
  ...['+1', '-1', '@SUM(A1)', '＝1', '＋1', '－1', '＠x'].map((note) => ({
    name: `a formula that starts with ${note[0]}`,
    note,
    expected: `'${note}`,
  })),
  { name: 'a formula after a carriage return', note: '\r=1', expected: `"\r'=1"` },
  { name: 'a formula after spaces', note: ' \t=1', expected: `" \t'=1"` },
  { name: 'a formula after a line break', note: 'a\n=1', expected: `"a\n'=1"` },
  { name: 'a formula after a tab', note: 'a\t=1', expected: `"a\t'=1"` },
  { name: 'a formula after a semicolon', note: 'a; =1;b', expected: `"a; '=1;b"` },
  { name: 'two formulas', note: '=1;=2', expected: `"'=1;'=2"` },
  { name: 'a formula after quotes that a program may drop', note: 'a;"=1', expected: `"a;""'=1"` },
  { name: 'signs within text', note: 'a = b - c @ d', expected: 'a = b - c @ d' },
];

const time = '2026-01-01T00:00:00Z';
const columns = 'time,email,list,note,requested,form,confirmed,unsubscribed';
for (const { name, note, expected } of cells) {
  test(`${name} is the same harmless field in the tables of votes, notes and addresses`, async () => {
    const vote = { id: '1', time, slug: 'one', vote: 'no' as const, note };
    const counts = { votes: 1, yes: 0, no: 1, notes: 1 };
    const agent = { slug: 'one', title: 'T', ...counts, share: 0, withdrawn: false, lastNote: vote };
    const report = { agents: [agent], notes: [vote] } as unknown as VoteReport;
    assert.is(renderReport(report, 'agents.csv').split(',').slice(14).join(','), `${expected},1,T\r\n`);
    assert.is(renderReport(report, 'notes.csv'), `time,slug,vote,note,id\r\n${time},one,no,${expected},1\r\n`);
    await inFolder(async (folder) => {
      const line = JSON.stringify({ id: '1', time, email: 'a@example.com', list: 'custom', note });
      writeFiles(folder, { 'signups.jsonl': `${line}\n` });
      const { stdout } = await catalog(['subscribers', '--data', folder, '--format', 'csv']);
      // A command also prints no lone carriage return.
      const field = expected.replace(/\r(?!\n)/, '\ufffd');
      assert.is(stdout, `${columns}\r\n${time},a@example.com,custom,${field},,,,\r\n`);
    });
  });
}

test('numbers stay numbers, even negative ones', () => {
  assert.is(csv(['a', 'b'], [[-1, 0.5]]), 'a,b\r\n-1,0.5\r\n');
});

test.run();
