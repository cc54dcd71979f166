import { readFileSync } from 'node:fs';
import { Script } from 'node:vm';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { grade, gradeEach, tooSlow } from '../../../src/content/evals/grade.ts';
import { messageOf, promptfooConfig } from '../../../src/content/evals/promptfoo.ts';
import { modelFolder, modelFolderPattern } from '../../../src/content/parse/evals.ts';
import { parseYaml } from '../../../src/content/parse/yaml.ts';
import { type Check, check, checkKind } from '../../../src/schema/evals.ts';

/**
 * docs/evals.md has a section for each kind of check, with a check, an answer that passes and one that fails, and the input
 * if it matters. Each is graded as the page says.
 */

const page = readFileSync(new URL('../../../docs/evals.md', import.meta.url), 'utf8');
const sections = page.split(/^### (?=`)/m).slice(1);
const documented: string[] = [];

for (const section of sections) {
  const [heading = ''] = section.split('\n', 1);
  const blocks = [...section.matchAll(/^(Input|Check|Passes|Fails):\n\n```\w+\n([\s\S]*?)^```$/gm)].map(
    ([, label = '', text = '']) => ({ label, text }),
  );
  const text = (label: string) => blocks.find((block) => block.label === label)?.text ?? '';
  const kinds = [...heading.matchAll(/`([\w-]+)`/g)].map(([, kind = '']) => kind);
  documented.push(...kinds);
  test(`docs/evals.md: the examples of ${kinds.join(', ')}`, () => {
    const [entry] = (parseYaml(text('Check')) as unknown[]).map((one) => check.parse(one));
    assert.ok(entry !== undefined && kinds[0] !== undefined && Object.hasOwn(entry, kinds[0]));
    const failures = (answer: string) => grade([entry], answer, text('Input')).map(({ failure }) => failure);
    assert.equal(failures(text('Passes')), [null]);
    assert.type(failures(text('Fails'))[0], 'string');
    comparePromptfoo(entry, text('Passes'), true);
    comparePromptfoo(entry, text('Fails'), false);
    for (const kind of kinds.slice(1)) {
      const other = check.parse({ [kind]: entry[kinds[0] as keyof typeof entry] });
      assert.equal(grade([other], text('Passes'), '')[0]?.failure === null, !kind.startsWith('not-'), kind);
      assert.equal(grade([other], text('Fails'), '')[0]?.failure === null, kind.startsWith('not-'), kind);
    }
  });
}

test('docs/evals.md has every kind of check', () => {
  assert.equal([...documented].sort(), [...checkKind.options].sort());
});

/** Compares the verdict of the JavaScript in which promptfoo gets a check, if it gets it so. */
function comparePromptfoo(entry: Check, answer: string, passes: boolean): void {
  const one = { name: 'a', about: null, input: '', checks: [entry], counterexamples: [], turns: [] };
  const { config } = promptfooConfig([{ slug: 'a', prompt: '', cases: [one] }], []);
  const [{ assert: exported }] = (config as { tests: [{ assert: { type: string; value: string }[] }] }).tests;
  for (const { value } of exported.filter(({ type }) => type === 'javascript'))
    assert.is(new Function('output', `return ${value}`)(answer.trim()), passes, value);
}

/** What the page says in words: kind, value, answer, and whether it passes. */
const rows: [string, unknown, string, boolean][] = [
  ['equals', 'Odd: nothing', '\n Odd: nothing \n\n', true],
  ['icontains', 'ODD', 'odd', true],
  ['contains', 'ODD', 'odd', false],
  ['contains-all', ['a', 'b'], 'a', false],
  ['icontains-all', ['A', 'B'], 'b, a', true],
  ['regex', '(?i)^odd$', 'so\nODD\nso', true],
  ['regex', '^odd$', 'so\nODD\nso', false],
  ['regex', '^(\\w+\\s?)*$', `${'a'.repeat(40)}!`, false],
  ['word-count', { min: 2 }, 'one', false],
  ['word-count', { min: 2, max: 2 }, 'one two', true],
  ['line-count', { min: 2, max: 3 }, 'one\n\n\ntwo\n \nthree', true],
  ['line-count', { min: 4 }, 'one\n\n\ntwo\n \nthree', false],
  ['headings', ['Odd', 'Rows'], '1. **Odd**\nx\n### rows :\n', true],
  ['headings', ['Odd'], 'The odd rows', false],
  ['table-columns', ['a', 'b'], 'a | b\n--|:-:\n1 | 2', true],
  ['table-columns', ['a', 'b'], '| a | b |\n| 1 | 2 |', false],
  ['table-columns', ['a', 'b'], '| x |\n|---|\n| 1 |\n\n| a | b |\n|---|---|\n', true],
  ['last-line', ['Ask'], 'Ask: x\nYes', false],
  ['lines-in-order', ['a', 'A'], 'a', false],
  ['lines-in-order', ['a', 'A'], 'a\nb\nA', true],
  ['matching-lines', { regex: '^- ', max: 1 }, '- a\n- b', false],
  ['matching-lines', { regex: '^- ', min: 2 }, '- a\n- b', true],
  ['matching-lines', { regex: '^(\\w+\\s?)*$', max: 5 }, `${'a'.repeat(40)}!`, false],
  ['computed-number', { after: 'fell', is: '(1012 - 1240) / 1240 * 100', within: 0.05 }, 'It fell by 18.4%', true],
  ['computed-number', { after: 'fell', is: '(1012 - 1240) / 1240 * 100', within: 0.01 }, 'It fell by 18.4%', false],
  ['computed-number', { after: 'total', is: 1240 }, 'A total of 1,240, or so', true],
  ['computed-number', { after: 'total', is: '0.1 + 0.2' }, 'Total: 0.3', true],
  ['computed-number', { after: 'total', is: 7 }, '7 in total', false],
  ['table-cell', { row: 'b', column: 'x', never: ['no'] }, '| k | x |\n|---|---|\n| **b** | No |', false],
  ['table-cell', { row: 'b', column: 'y', says: ['1'] }, '| k | x |\n|---|---|\n| b | 1 |', false],
  ['table-cell', { row: 'b', column: 'x', says: ['1'] }, '| k | x |\n|---|---|\n| a | 0 |\n\n| b | 1 |', false],
  ['says', { about: ['row 4'], accept: ['late'] }, 'Late\nrow 4', false],
  ['says', { about: ['row 4'], accept: ['late'] }, 'Row 4 is LATE.', true],
  ['says', { about: ['Row 4'], accept: ['late'], never: ['No'] }, 'Row 4: late\nrow 4: no', false],
  ['says', { about: ['row 4'], accept: ['late'], never: ['no'] }, 'Row 4: late\nno', true],
  ['line-count', { max: 1 }, 'one\n\ntwo', false],
  ['quotes-in-input', true, 'It says “two rows   have no price”, and "short".', true],
  ['quotes-in-input', true, 'It says "two rows … have no price".', true],
  ['quotes-in-input', true, 'It says "two rows have no price … and never a tent".', false],
  ['quotes-in-input', true, 'It says «two rows have a price».', false],
  ['quotes-in-input', { allow: ['never a price'] }, 'It says "never a price".', true],
  ['quotes-in-input', { min: 2 }, 'It says "two rows have no price".', false],
  ['numbers-in-input', true, 'On 2026-11-22 at 14:05, Q3 had 1,240.50 in v9.', true],
  ['numbers-in-input', true, 'There are 3.', false],
  ['numbers-in-input', { upTo: 3 }, 'There are 3, not 4.', false],
  ['numbers-in-input', { upTo: 3, allow: ['3,5', 4] }, 'There are 3, not 4.0 or 3,5.', true],
  ['numbers-in-input', { allow: ['1,500'] }, 'There are 1500.', true],
  ['numbers-in-input', { upTo: 9 }, '12. First\n  13) Second\n### **14.** Third', true],
  ['numbers-in-input', true, 'About 77. That is all.', false],
  ['quotes-in-input', true, 'It says "a dozen wide".', false],
  ['quotes-in-input', true, 'It says “a cheap price tag”.', false],
  ['quotes-in-input', true, 'It says "two rows ... [...] have no price!".', true],
  ['equals', 'Odd: nothing\n', 'Odd: nothing', true],
  ['icontains', 'straße', 'STRASSE', false],
  ['headings', ['Odd:'], 'odd', true],
  ['headings', ['Odd'], 'See # Odd', false],
  ['headings', ['Odd: x'], 'Oddx', false],
  ['headings', ['Top 3 rows'], 'Top rows', false],
  ['table-columns', ['a', 'b'], 'a | b\n-', false],
  ['table-columns', ['a', 'b'], 'a | b\n|:|', false],
  ['table-columns', ['a', 'b'], '| a | b |\n|---|---| and more', false],
  ['not-equals', 'fine\n', 'fine', false],
  ['headings', ['Odd', 'Odd'], '# Odd\nx', false],
  ['headings', ['Odd', 'Odd'], '# Odd\nx\n# Odd', true],
  ['headings', ['Odd', 'Rows'], '12. Odd\n13 Rows', true],
  ['quotes-in-input', { min: 1 }, 'It says "two rows have no price".', true],
  ['quotes-in-input', true, 'It says "The tent isn’t | here."', true],
  ['quotes-in-input', true, 'It says "eleven rows", and "twelve: rows".', false],
  ['quotes-in-input', true, 'It says "eleven rows".', true],
  ['quotes-in-input', true, 'It says "two rows have no price?!".', true],
  ['quotes-in-input', true, 'It says «He said “no more tents”».', true],
  ['quotes-in-input', { allow: ['a very cheap', 'tent again'] }, 'It says "cheaptent again".', false],
  ['numbers-in-input', true, 'There is 1.', false],
  ['numbers-in-input', true, '## 12. First', true],
  ['numbers-in-input', true, 'Case B-77 is closed.', true],
  ['numbers-in-input', true, 'It fell by -77.', false],
  ['numbers-in-input', { upTo: 40 }, 'There are 33.', true],
  ['numbers-in-input', { upTo: 40 }, 'There are 3.5.', false],
  ['numbers-in-input', { allow: ['12,400', '1,240,500'] }, 'There are 12400 of 1240500.', true],
  ['numbers-in-input', { allow: ['1234567'] }, 'There are 1234,567.', false],
  ['numbers-in-input', { allow: ['123456'] }, 'There are 1,234,56.', false],
  ['headings', ['Odd rows'], 'Odd # rows', false],
  ['computed-number', { after: 'total', is: 7 }, 'In total 3−7', true],
  ['computed-number', { after: 'total', is: 7 }, 'Total: 7\nThe total of the others is 3', true],
  ['computed-number', { after: 'total:', is: 276 }, 'Total: 276. That is a lot.', true],
  ['computed-number', { after: 'total (', is: 276 }, 'Total (276) in all', true],
  ['computed-number', { after: 'total', is: 0.05 }, 'Total: .05', true],
  ['computed-number', { after: 'total', is: '1.1 * 20000000' }, 'Total: 22,000,000.01', false],
  ['computed-number', { after: 'total', is: '0.07 * 300000000' }, 'Total: 21,000,000', true],
  ['computed-number', { after: 'total', is: '0.07 * 300000000' }, 'Total: 21,000,001', false],
  ['computed-number', { after: 'in', is: 12 }, 'İİİİİİ in 12', true],
  ['numbers-in-input', true, 'It is .77 of it.', false],
  ['numbers-in-input', { allow: [0.77] }, 'It is .77 of v.8 and so on ...9', true],
  ['numbers-in-input', true, 'Line 8 has the price.', true],
  [
    'table-cell',
    { row: '4 May', column: 'x', says: ['1'] },
    '| k | x |\n|---|---|\n| 3 May | 0 |\n| 4 May | 1 |',
    true,
  ],
  [
    'table-cell',
    { row: 'b', column: '4 weeks', says: ['1'] },
    '| k | 2 weeks | 4 weeks |\n|---|---|---|\n| b | 0 | 1 |',
    true,
  ],
  ['table-columns', ['k', '2 weeks'], '| k | 4 weeks |\n|---|---|', false],
  [
    'table-cell',
    { row: 'b', column: 'x', says: ['1'] },
    '| k | y | x |\n|---|---|---|\n| b | text \\| null | 1 |',
    true,
  ],
  ['table-cell', { row: 'text | null', column: 'x', says: ['0 | 1'] }, 'k | x\n-|-\ntext \\| null | 0 \\| 1', true],
  ['table-cell', { row: 'b', column: 'y', never: ['no'] }, '| k | x |\n|---|---|\n| b | 1 |', false],
  ['table-cell', { row: 'k', column: 'x', says: ['x'] }, '| k | x |\n|---|---|\n| b | 1 |', false],
  ['says', { about: ['row 4'], accept: ['late'] }, 'Row 4: late\nRow 4 is the last', true],
];
const input =
  'Two rows\nhave: two rows\n  have no price. 2026-11-22 14:05, 1240.5\nThe tent isn\'t \\| here.\nHe said "no more tents".\n8. A price\n';
for (const [kind, value, answer, passes] of rows) {
  test(`${kind} ${JSON.stringify(value)} ${passes ? 'passes' : 'fails'} ${JSON.stringify(answer)}`, () => {
    const entry = check.parse({ [kind]: value });
    const failure = grade([entry], answer, input)[0]?.failure;
    assert.is(failure === null, passes);
    // promptfoo has no time limit.
    if (failure !== tooSlow) comparePromptfoo(entry, answer, passes);
  });
}

/** What readers see of a check that fails: kind, value, answer, the value as text, and the reason. */
const failures: [string, unknown, string, string, string][] = [
  ['equals', 'Fine.', 'Good.', 'Fine.', 'The answer is a different text.'],
  [
    'contains-all',
    ['a', 'b', 'c', 'd', 'e'],
    'e',
    'a · b · c · d · e',
    'It does not contain "a", "b", "c" and 1 more.',
  ],
  ['contains-all', ['a', 'b', 'c'], 'x', 'a · b · c', 'It does not contain "a", "b", "c".'],
  ['contains-any', ['a', 'b'], 'c', 'a · b', 'It contains none of them.'],
  ['icontains-any', ['a', 'b'], 'c', 'a · b', 'It contains none of them.'],
  ['starts-with', 'Verdict', `Sure!\nVerdict`, 'Verdict', 'It starts with "Sure!".'],
  ['starts-with', 'Verdict', 'x'.repeat(80), 'Verdict', `It starts with "${'x'.repeat(80)}".`],
  ['starts-with', 'Verdict', 'x'.repeat(81), 'Verdict', `It starts with "${'x'.repeat(77)}…".`],
  ['is-json', true, 'x', '', 'It is not JSON.'],
  ['word-count', { min: 2, max: 3 }, 'one', 'min 2, max 3', 'It has 1 word.'],
  ['line-count', { max: 1 }, 'one\ntwo', 'max 1', 'It has 2 lines.'],
  ['not-equals', 'fine', 'fine', 'fine', 'It is exactly this text.'],
  ['not-icontains', 'ODD', 'odd', 'ODD', 'It contains "ODD".'],
  ['not-contains-any', ['a', 'b'], 'b', 'a · b', 'It contains "b".'],
  ['not-starts-with', 'Sure', 'Sure!', 'Sure', 'It starts with this text.'],
  ['not-regex', 'd{2}', 'odd', 'd{2}', 'A part of it matches.'],
  ['headings', ['Rows', 'Odd'], '# Odd\n# Rows', 'Rows · Odd', 'The heading "Odd" is in the wrong order.'],
  ['headings', ['Rows'], 'x', 'Rows', 'The heading "Rows" is missing.'],
  ['table-columns', ['a', 'b'], 'x', 'a · b', 'It has no table.'],
  ['table-columns', ['a', 'b'], '| a | c |\n|---|---|', 'a · b', 'The columns are a, c.'],
  ['quotes-in-input', { min: 1 }, 'x', 'min 1', 'It has 0 quotations.'],
  ['quotes-in-input', true, '"nowhere to be found"', '', 'Not in the input: "nowhere to be found".'],
  [
    'numbers-in-input',
    true,
    '31 32 33 34 35 36 37 38 39 40 41',
    '',
    'Not in the input: 31, 32, 33, 34, 35, 36, 37, 38, 39, 40.',
  ],
  ['numbers-in-input', { upTo: 3, allow: [4, '5'] }, '6 or 1,007', 'upTo 3, allow 4, 5', 'Not in the input: 6, 1007.'],
  ['last-line', ['Ask'], 'Ask\nYes', 'Ask', 'The last line is "Yes".'],
  ['lines-in-order', ['a', 'b'], 'b\na', 'a · b', 'No line with "b" comes after the others.'],
  ['matching-lines', { regex: '^-', min: 2 }, '- a', 'regex ^-, min 2', 'It has 1 such line.'],
  ['computed-number', { after: 'total', is: 7 }, 'x', 'after total, is 7', 'No line has "total".'],
  [
    'computed-number',
    { after: 'total', is: 7 },
    'Total: unknown',
    'after total, is 7',
    'It has to be 7, and it is missing.',
  ],
  [
    'computed-number',
    { after: 'total', is: '1 / 3' },
    'Total: 1 2 3 4 5 6',
    'after total, is 1 / 3',
    'It has to be 0.333333, and it is 1, 2, 3, 4, 5.',
  ],
  [
    'table-cell',
    { row: 'b', column: 'y', says: ['1'] },
    '| k | x |\n|---|---|\n| b | 1 |',
    'row b, column y, says 1',
    'No table has a cell in the row "b" and the column "y".',
  ],
  [
    'table-cell',
    { row: 'b', column: 'x', says: ['1'] },
    '| k | x |\n|---|---|\n| b | 2 |',
    'row b, column x, says 1',
    'It says "2".',
  ],
  ['says', { about: ['row 4'], accept: ['late'] }, 'x', 'about row 4, accept late', 'No line is about "row 4".'],
  ['says', { about: ['row 4'], accept: ['late'] }, 'Row 4: no', 'about row 4, accept late', 'It says "Row 4: no".'],
];
for (const [kind, value, answer, shown, failure] of failures) {
  test(`${kind} ${JSON.stringify(value)} says why ${JSON.stringify(answer.slice(0, 20))} fails`, () => {
    const results = grade([check.parse({ [kind]: value, why: 'It matters.' })], answer, input);
    assert.equal(results, [{ kind, value: shown, why: 'It matters.', failure }]);
  });
}

const late = 'The regular expression took more than half a second.';

/**
 * Runs `grading` while attempts to match run out of time if `isLate` says so of their number, from 1, each after `usedMs` of
 * processor time. Returns its result and the time limits of all attempts.
 */
function withLateAttempts<Result>(usedMs: number, isLate: (attempt: number) => boolean, grading: () => Result) {
  const { runInThisContext } = Script.prototype;
  const { cpuUsage } = process;
  const limits: unknown[] = [];
  process.cpuUsage = () => ({ user: 800 * usedMs, system: 200 * usedMs });
  Script.prototype.runInThisContext = function (this: Script, options) {
    limits.push((options as { timeout: number }).timeout);
    if (!isLate(limits.length)) return runInThisContext.call(this, options);
    throw Object.assign(new Error('Script execution timed out.'), { code: 'ERR_SCRIPT_EXECUTION_TIMEOUT' });
  };
  try {
    return { result: grading(), limits };
  } finally {
    Script.prototype.runInThisContext = runInThisContext;
    process.cpuUsage = cpuUsage;
  }
}

test('a forbidden regular expression that takes too long is no success', () => {
  const checks = [check.parse({ 'not-regex': 'slow' })];
  const { result } = withLateAttempts(
    500,
    () => true,
    () => grade(checks, 'a', ''),
  );
  assert.is(result[0]?.failure, late);
});

test('after a regular expression that takes too long, no other one is tried', () => {
  const checks = [{ regex: 'slow' }, { regex: 'a' }, { contains: 'a' }].map((one) => check.parse(one));
  const answers = ['a slow one', 'a', 'a slow one'];
  // All together, the first answer, the second one, and its first regular expression.
  const isLate = (attempt: number) => attempt !== 2;
  const { result, limits } = withLateAttempts(500, isLate, () => gradeEach(checks, answers, ''));
  assert.equal(
    result.map((results) => results.map(({ failure }) => failure)),
    [
      [null, null, null],
      [late, late, null],
      [late, late, null],
    ],
  );
  assert.is(limits.length, 4);
});

test('a regular expression may take longer while other processes have the processor, up to half a minute', () => {
  /** Grades while the machine is so busy that the first `busy` attempts get an eighth of a second of processor time each. */
  const gradeOn = (busy: number, ...sources: string[]) => {
    const checks = sources.map((regex) => check.parse({ regex }));
    const grading = () => grade(checks, 'ab', '')[0]?.failure;
    return withLateAttempts(125, (attempt) => attempt <= busy, grading);
  };
  assert.equal(gradeOn(2, 'a'), { result: null, limits: [500, 2_000, 8_000] });
  const each = [500, 2_000, 8_000, 32_000];
  assert.equal(gradeOn(99, 'a', 'b'), { result: late, limits: [...each, ...each] }, 'together with others, then alone');
  assert.equal(gradeOn(99, 'a'), { result: late, limits: each }, 'alone, once');
});

test('the message to a model is the prompt, a blank line, and the input', () => {
  assert.is(messageOf('Find it.\n\nOUTPUT\nOne line.\n', 'a\n\nb\n'), 'Find it.\n\nOUTPUT\nOne line.\n\na\n\nb\n');
});

const folders: [string, string][] = [
  ['claude-sonnet-4.5', 'claude-sonnet-4.5'],
  ['meta/llama-3.1:8b', 'meta-llama-3.1-8b'],
  ['../../etc/passwd', 'etc-passwd'],
  ['C:\\Models\\Qwen 3..', 'c-models-qwen-3'],
  ['nul', 'model'],
  ['模型', 'model'],
  ['a'.repeat(80), 'a'.repeat(64)],
  [`${'a'.repeat(63)}-b`, 'a'.repeat(63)],
  ['v1.-x', 'v1-x'],
];
for (const [model, folder] of folders) {
  test(`the folder of ${model} is ${folder}`, () => {
    assert.is(modelFolder(model), folder);
    assert.match(folder, modelFolderPattern);
  });
}

test('the time to grade an answer that repeats one line of a table grows with its length, not with its square', () => {
  const checks = [{ 'table-columns': ['a', 'b'] }, { 'table-cell': { row: 'a', column: 'b', never: ['c'] } }];
  const before = process.cpuUsage();
  const results = grade(checks, '|---|---|\n'.repeat(4_000), '');
  const { user } = process.cpuUsage(before);
  assert.is(results.filter(({ failure }) => failure !== null).length, 2);
  assert.ok(user < 1_000_000, `${user} µs`);
});

test.run();
