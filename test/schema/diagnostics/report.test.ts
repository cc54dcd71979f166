import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { sortDiagnostics } from '../../../src/schema/diagnostics/content-error.ts';
import { codeFrame, type Diagnostic, diagnose, locationAt } from '../../../src/schema/diagnostics/diagnostic.ts';
import { githubReport, jsonReport, prettyReport } from '../../../src/schema/diagnostics/report.ts';

/** How a problem is shown: the lines around it, the order, the totals, and the annotations of GitHub. */

const long = `${'a'.repeat(120)}BAD${'z'.repeat(120)}`;
const frames: [name: string, text: string, at: [line: number, column: number, length: number], frame: string[]][] = [
  ['the first line', 'one\ntwo\nthree', [1, 2, 2], ['> 1 | one', '    |  ^^', '  2 | two']],
  ['the last line', 'one\ntwo', [2, 1, 3], ['  1 | one', '> 2 | two', '    | ^^^']],
  ['the only line', 'one', [1, 4, 1], ['> 1 | one', '    |    ^']],
  ['line numbers of two widths', `${'x\n'.repeat(9)}y`, [9, 1, 1], ['   8 | x', '>  9 | x', '     | ^', '  10 | y']],
  ['empty lines, and Windows line endings', '\r\nb\r\n', [2, 1, 1], ['  1 |', '> 2 | b', '    | ^', '  3 |']],
  [
    'joiners',
    'pass\u200cword \u0645\u06cc\u200c\u062e b',
    [1, 16, 1],
    ['> 1 | pass\ufffdword \u0645\u06cc\u200c\u062e b', `    | ${' '.repeat(14)}^`],
  ],
  ['control characters', 'a\x1b\u202eb', [1, 4, 1], ['> 1 | a\ufffd\ufffdb', '    |    ^']],
  ['wide letters', '日本b\u0301c', [1, 3, 3], ['> 1 | 日本b\u0301c', '    |     ^^']],
  ['a wide letter', '日本', [1, 2, 1], ['> 1 | 日本', '    |   ^^']],
  ['a column up to 80', long, [1, 80, 3], [`> 1 | ${'a'.repeat(100)}`, `    | ${' '.repeat(79)}^^^`]],
  [
    'a column far to the right',
    long,
    [1, 121, 3],
    [`> 1 | ${'a'.repeat(40)}BAD${'z'.repeat(57)}`, `    | ${' '.repeat(40)}^^^`],
  ],
  [
    'a range that goes on past the end of what is shown',
    long,
    [1, 1, 243],
    [`> 1 | ${'a'.repeat(100)}`, `    | ${'^'.repeat(100)}`],
  ],
];
for (const [name, text, [line, column, length], frame] of frames) {
  test(`the frame around ${name}`, () => assert.is(codeFrame(text, { line, column, length }), frame.join('\n')));
}

test('a line that does not exist has no frame', () => {
  assert.is(codeFrame('one\ntwo', { line: 3, column: 1, length: 1 }), '');
});

const places: [offset: number, length: number, at: [line: number, column: number, length: number]][] = [
  [0, 1, [1, 1, 1]],
  [1, 9, [1, 2, 2]],
  [3, 1, [1, 4, 1]],
  [4, 3, [2, 1, 3]],
  [9, 5, [4, 1, 1]],
  [99, 1, [4, 2, 1]],
  [-5, 1, [1, 1, 1]],
];
for (const [offset, length, [line, column, marked]] of places) {
  test(`offset ${offset} with ${length} units is in line ${line}, column ${column}`, () => {
    assert.equal(locationAt('one\ntwo\n\nx', offset, length), { line, column, length: marked });
  });
}

const problem = (rest: Partial<Diagnostic>): Diagnostic => ({
  ...diagnose({ code: 'front-matter/value', file: 'agents/one/agent.md', message: 'It is wrong.', hint: 'Fix it.' }),
  ...rest,
});

test('a message and a hint are one line each, whatever they quote', () => {
  const { message, hint } = diagnose({
    code: 'date/taken',
    file: 'a',
    message: 'One\ntwo\x1b.',
    hint: 'Three\r\nfour\x07.',
  });
  assert.equal([message, hint], ['One two\ufffd.', 'Three four\ufffd.']);
});

test('problems are in the order of file, line, column and code', () => {
  const expected = [
    problem({ file: 'a', line: 2, column: 1 }),
    problem({ file: 'a', line: 2, column: 9, code: 'date/taken' }),
    problem({ file: 'a', line: 2, column: 9, code: 'text/secret' }),
    problem({ file: 'a', line: 10, column: 1 }),
    problem({ file: 'b', line: 1, column: 1 }),
  ];
  assert.equal(sortDiagnostics([...expected].reverse()), expected);
  assert.equal(
    jsonReport([...expected].reverse()).diagnostics.map(({ file, line, column, code }) => [file, line, column, code]),
    expected.map(({ file, line, column, code }) => [file, line, column, code]),
  );
});

test('a report has the place, severity and code, the frame and the hint, and the totals', () => {
  const frame = '> 1 | x\n    | ^';
  const both = [problem({ line: 2, column: 3, frame }), problem({ severity: 'warning', line: 9, hint: '' })];
  assert.is(
    prettyReport(both, { color: false }),
    `agents/one/agent.md:2:3  error  front-matter/value
  It is wrong.
  > 1 | x
      | ^
  Fix it.

agents/one/agent.md:9:1  warning  front-matter/value
  It is wrong.

1 error, 1 warning`,
  );
  assert.match(prettyReport([problem({ file: 'a\x1bb' })], { color: false }), /^a\ufffdb:1:1 {2}error/);
  const head = (severity: Diagnostic['severity']) =>
    prettyReport([problem({ severity })], { color: true }).split('\n')[0];
  const place = '\x1b[1magents/one/agent.md:1:1\x1b[0m';
  const code = '\x1b[2mfront-matter/value\x1b[0m';
  assert.is(head('error'), `${place}  \x1b[31merror\x1b[0m  ${code}`);
  assert.is(head('warning'), `${place}  \x1b[33mwarning\x1b[0m  ${code}`);
  assert.is(prettyReport([], { color: false }), '');
  assert.match(prettyReport([...both, ...both], { color: false }), /\n2 errors, 2 warnings$/);
  assert.match(prettyReport(both.slice(1), { color: false }), /\n1 warning$/);
});

test('an editor reads sixteen problems of one cause once, with a list of places; GitHub marks each place', () => {
  const at = (file: string, line: number, rest: Partial<Diagnostic> = {}) =>
    problem({ file: `agents/${file}`, line, column: 3, ...rest });
  const crlf = (file: string) => at(file, 1, { code: 'file/line-ends', message: `${file.slice(4)} has CR.` });
  const long = (line: number, count: number) => at('one/b.md', line, { message: `This has ${count} of 9, "x".` });
  const found = [
    ...[at('one/a.md', 7), at('one/a.md', 9), at('one/a.md', 12), at('two/a.md', 3)],
    ...[crlf('one/b.md'), crlf('two/c.txt')],
    ...[long(4, 20), long(5, 30), long(6, 30)],
    ...[at('two/d.md', 1, { hint: 'Fix it otherwise.' }), at('two/d.md', 2, { severity: 'warning' })],
  ];
  const blocks = prettyReport(found, { color: false }).split('\n\n');
  assert.equal(blocks, [
    `agents/one/a.md:7:3  error  front-matter/value
  It is wrong.
  Fix it.
  Also in 3 other places:
    agents/one/a.md:9:3, 12:3
    agents/two/a.md:3:3`,
    `agents/one/b.md:1:3  error  file/line-ends
  b.md has CR.
  Fix it.
  Also in 1 other place:
    agents/two/c.txt:1:3`,
    `agents/one/b.md:4:3  error  front-matter/value
  This has 20 of 9, "x".
  Fix it.
  Also in 2 other places:
    agents/one/b.md:5:3, 6:3  This has 30 of 9, "x".`,
    'agents/two/d.md:1:3  error  front-matter/value\n  It is wrong.\n  Fix it otherwise.',
    'agents/two/d.md:2:3  warning  front-matter/value\n  It is wrong.\n  Fix it.',
    '10 errors, 1 warning',
  ]);
  assert.is(jsonReport(found).diagnostics.length, 11);
  assert.is(githubReport(found, '').split('\n').length, 11);
});

test('programs get whether there are errors, and the address of each rule', () => {
  assert.is(jsonReport([problem({ severity: 'warning' })]).ok, true);
  const { ok, diagnostics } = jsonReport([problem({})]);
  assert.is(ok, false);
  assert.match(diagnostics[0]?.url ?? '', /^https:\/\/.*\/docs\/rules\.md#front-mattervalue$/);
});

test('an annotation has every value escaped, and errors come before warnings', () => {
  const odd = problem({ file: 'agents/a,b:c%/agent.md', line: 4, column: 2, endColumn: 7, message: '50%: a, b' });
  const warning = problem({ severity: 'warning', file: 'a', hint: '' });
  assert.is(
    githubReport([warning, odd], 'press/catalog/'),
    '::error file=press/catalog/agents/a%2Cb%3Ac%25/agent.md,line=4,col=2,endColumn=7,title=front-matter/value::50%25: a, b%0AFix it.\n' +
      '::warning file=press/catalog/a,line=1,col=1,endColumn=2,title=front-matter/value::It is wrong.',
  );
});

test('ten annotations are shown, and of eleven only nine and how many more there are', () => {
  const count = (number: number) =>
    githubReport(
      Array.from({ length: number }, (_, index) => problem({ severity: 'warning', line: index + 1 })),
      '',
    ).split('\n');
  assert.is(count(10).length, 10);
  assert.not.match(count(10).join(), 'more');
  const [errors, warnings] = [problem({}), problem({ severity: 'warning' })].map((one) => Array(11).fill(one));
  assert.equal(
    githubReport([...(warnings ?? []), ...(errors ?? [])], '')
      .split('\n')
      .map((line) => /^::(\w+) (?:title=And \d+ more)?/.exec(line)?.[0]),
    [...['error', 'warning'].flatMap((level) => [...Array(9).fill(`::${level} `), `::${level} title=And 2 more`])],
  );
  const lines = count(11);
  assert.is(lines.length, 10);
  assert.is(
    lines[9],
    '::warning title=And 2 more::2 more warnings: run npx --no daily-agent-catalog validate to see all of them.',
  );
});

test.run();
