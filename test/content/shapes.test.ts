import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { type Change, edit, front, input, output, prompt } from '../support/editorial-mistakes.ts';
import { goodPrompt, goodSampleInput, goodSampleOutput } from '../support/good-agent.ts';
import { writingRemarks } from '../support/memory.ts';

/** The limits and patterns of the editorial rules, each with a text just inside and just outside. */

const x = (count: number) => 'x'.repeat(count);
const outputPart = goodPrompt.slice(goodPrompt.indexOf('Rows: <n>'));
const inputPart = goodPrompt.slice(goodPrompt.indexOf('- ROWS'), goodPrompt.indexOf('\nRULES'));
const points = (seconds: number[], label = 'Point') =>
  front('demo', seconds.map((second) => `\n  - { second: ${second}, label: ${label}, detail: It goes on. }`).join(''));
const steps = (count: number) => front('steps', '\n  - { name: A, text: It goes on. }'.repeat(count));
const tags = (count: number) =>
  front('tags', `[${Array.from({ length: count }, (_, index) => `tag-${index}`).join(', ')}]`);
const wordCount = goodPrompt.split(/\s+/).filter((word) => /[A-Za-z0-9]/.test(word)).length;
const promptOf = (count: number) => prompt('Find the rows', `${'Look '.repeat(count - wordCount)}Find the rows`);
const inOutput = (line: string): Change => prompt(outputPart, `${line}\n`);
const limitOf = (text: string): Change => ({
  files: { 'prompt.txt': edit(edit(goodPrompt, '(at most 20 lines)', text), ', in at most 8 words', '') },
});
const inInput = (text: string): Change => prompt(inputPart, text);
const noNames = 'Ask for what is missing.';
const seven = [0, 1, 2, 3, 4, 5, 6];
const spaced = (text: string) => input(edit(goodSampleInput, 'ROWS\n', text));
const titled = (title: string, problem: string): Change => ({ front: { title, problem } });

/** A change, and the rule that reports it. With a leading `-`, the rule must not report it. */
type Row = [name: string, rule: string, change: Change, language?: string];

/** Makes a row for each of the texts, which are separated by two semicolons. */
function each(rule: string, make: (text: string) => Change, texts: string): Row[] {
  return texts.split(' ;; ').map((text) => [text, rule, make(text)]);
}

const rows: Row[] = [
  ['39 characters of a problem', 'one-job', front('problem', x(39))],
  ['40 characters of a problem', '-one-job', front('problem', x(40))],
  ['400 characters of a problem', '-one-job', front('problem', x(400))],
  ['401 characters of a problem', 'one-job', front('problem', x(401))],
  ['40 characters beyond UTF-16', '-one-job', front('problem', '😀'.repeat(40))],
  ['39 characters beyond UTF-16', 'one-job', front('problem', '😀'.repeat(39))],
  ['a title of one word at the start', 'one-job', titled('Rows', `Rows are wrong ${x(40)}`)],
  ['a title of two words at the start', 'one-job', titled('Wrong rows', `Wrong rows, ${x(40)}`)],
  ['a title of two words later', '-one-job', titled('Wrong rows', `The wrong rows ${x(40)}`)],
  ['a title of three words later', 'one-job', titled('The wrong rows', `Find the wrong rows ${x(40)}`)],
  ['a part of a title', '-one-job', titled('The wrong rows', `The wrong rowset ${x(40)}`)],
  ['seven words of the excerpt', '-one-job', front('problem', 'Ada says that the catalog can hold an agent, or not.')],
  [
    'eight words of the excerpt',
    'one-job',
    front('problem', 'Ada says it checks that the catalog can hold an agent, or not.'),
  ],
  [
    'the last eight words of the excerpt',
    'one-job',
    { front: { excerpt: `Finds ${x(20)} in a b c d e f g h.`, problem: `Ada says that a b c d e f g h ${x(20)}` } },
  ],
  ['59 characters of an excerpt', 'excerpt', front('excerpt', `Finds ${x(52)}.`)],
  ['60 characters of an excerpt', '-excerpt', front('excerpt', `Finds ${x(53)}.`)],
  ['160 characters of an excerpt', '-excerpt', front('excerpt', `Finds ${x(153)}.`)],
  ['161 characters of an excerpt', 'excerpt', front('excerpt', `Finds ${x(154)}.`)],
  ['three dots', 'excerpt', front('excerpt', `Finds ${x(55)}...`)],
  ['a full stop in Chinese', '-excerpt', front('excerpt', `Finds ${x(55)}。`)],
  ['a full stop in Hindi', '-excerpt', front('excerpt', `Finds ${x(55)}।`)],
  ['a question and a sentence', 'excerpt', front('excerpt', `Finds what? ${x(20)} Anything in ${x(20)}! Says it.`)],
  ['an abbreviation', '-excerpt', front('excerpt', `Finds rows of vol. Two and p. Three in ${x(30)}.`)],
  ['2 steps', 'demo', steps(2)],
  ['3 steps', '-demo', steps(3)],
  ['7 steps', '-demo', steps(7)],
  ['8 steps', 'demo', steps(8)],
  ['3 points', 'demo', points(seven.slice(0, 3))],
  ['4 points', '-demo', points(seven.slice(0, 4))],
  ['8 points', '-demo', points([...seven, 7])],
  ['9 points', 'demo', points([...seven, 7, 8])],
  ['a demo of 90 seconds', '-demo', points([0, 1, 2, 90])],
  ['a demo of 91 seconds', 'demo', points([0, 1, 2, 91])],
  ['a label of 40 characters', '-demo', points([0, 1, 2, 3], x(40))],
  ['a label of 41 characters', 'demo', points([0, 1, 2, 3], x(41))],
  ['1 tag', 'portable', tags(1)],
  ['2 tags', '-portable', tags(2)],
  ['6 tags', '-portable', tags(6)],
  ['7 tags', 'portable', tags(7)],
  ['900 words', '-portable', promptOf(900)],
  ['901 words', 'portable', promptOf(901)],
  ['many words, four signs of Japanese in a row', '-portable', prompt('Find the', `${'Look '.repeat(900)}ひらがな `)],
  ['many words, three signs of Japanese in a row', 'portable', prompt('Find the', `${'Look '.repeat(900)}ひらが `)],
  ['a space at the end', 'portable', prompt('INPUT\n', 'INPUT \n')],
  ['a tab at the end', 'portable', prompt('INPUT\n', 'INPUT\t\n')],
  ...each('portable', (quote) => prompt('"wrong"', quote), '“ ;; ” ;; ‘ ;; ’'),
  ...each(
    'portable',
    (braces) => prompt('line of ROWS', `line ${braces} of ROWS`),
    '{{name}} ;; {{ a b }} ;; {% if x %} ;; {{}}',
  ),
  ...each(
    '-portable',
    (braces) => prompt('line of ROWS', `line ${braces} of ROWS`),
    '`{{name}}` ;; \\{{name}} ;; {{{name} ;; `{% if %}` ;; \\{% if %} ;; {% ;; {{name} ;; {{a{b}}',
  ),
  ['braces in a fence', '-portable', prompt('| article | shown', '~~~\n{{name}}\n~~~\n\n| article | shown')],
  ['braces after a fence', 'portable', prompt('| article | shown', '```\nx\n```\n{{name}}\n\n| article | shown')],
  ['braces in a longer fence', '-portable', prompt('| article', '````\n```\n{{name}}\n````\n\n| article')],
  ['braces after a fence with a word', '-portable', prompt('| article', '```\n```x\n{{name}}\n```\n\n| article')],
  ['a shell command after a !', 'portable', prompt('line of ROWS', 'line !`ls` of ROWS')],
  ['a block of shell commands', 'portable', prompt('| article | shown', '```!\nls\n```\n\n| article | shown')],
  ['a ! apart from a text in backquotes', '-portable', prompt('line of ROWS', 'line! `ls` of ROWS')],
  ['7 lines of a sample', 'sample', input('lamp\n'.repeat(7))],
  ['8 lines of a sample', '-sample', input('lamp\n'.repeat(8))],
  ['60 lines of a sample', '-sample', input('lamp\n'.repeat(60))],
  ['61 lines of a sample', 'sample', input('lamp\n'.repeat(61))],
  ['a second address beside a harmless one', 'sample', spaced('a@example.com b@lamps.com\n')],
  ['an address in the answer', 'sample', output(edit(goodSampleOutput, 'Odd: nothing', 'Odd: b@lamps.com'))],
  [
    'a table with other spaces and capitals',
    '-sample',
    output(goodSampleOutput.replace('| article | shown', '|Article|SHOWN')),
  ],
  ...each(
    '-sample',
    (line) => shows(line, 'Rows: 5. # Odd one {"rows" :[]}'),
    '## Odd one ;; #  odd ONE ;; Rows: <n> ;; - Rows: <n> ;; {"rows": [], "b": 1}',
  ),
  ...each(
    'sample',
    (line) => shows(line, 'Rows 5. Odd {row}'),
    '## Odd one ;; Rows: <n> ;; * Rows: <n> ;; {"rows": []} ;; "odd-rows" : 1',
  ),
  ...each(
    '-sample',
    (line) => shows(line, 'x'),
    '#Odd ;; ## <odd> ;; ## Odd <n> of all ;; Rows: all ;; Rows <n> ;; {rows: 1} ;; | <a> |\n|---| ;; | a | ;; "a b": 1',
  ),
  ['4 rules without numbers', 'rules-count', plain(4)],
  ['5 rules without numbers, apart', '-rules-count', plain(5)],
  ['4 rules', 'rules-count', fewer(2)],
  ['5 rules', '-rules-count', fewer(1)],
  ['12 rules', '-rules-count', prompt('\n\nOUTPUT', `\n${more(6)}\nOUTPUT`)],
  ['13 rules', 'rules-count', prompt('\n\nOUTPUT', `\n${more(7)}\nOUTPUT`)],
  ['bullets below a rule', 'rules-count', prompt('count the lines.', 'count the lines:\n   - all of them\n   - twice')],
  ...each(
    '-output-shape',
    (line) => inOutput(line),
    '| a | b | ;; # Rows ;; ###### Rows ;; - row ;; * row ;; + row ;; • row ;; 1. row ;; 2) row ;; R3: row ;; [row] ;; { "rows": 1 } ;; "rows" ;; *rows* ;; _rows_ ;; All <row> here ;; <n> ;; Rows: all ;; Rows: ;; ```\nno rows\n```',
  ),
  ...each(
    'output-shape',
    (line) => inOutput(line),
    `####### Rows ;; #Rows ;; -row ;; All < row > here ;; a <b ;; One. Two: x ;; ${x(42)}: y ;; 12 rows ;; a:b`,
  ),
  ...each(
    '-output-shape',
    (limit) => limitOf(limit),
    '(20 lines) ;; one line ;; two words ;; three rows ;; four items ;; five sentences ;; six characters ;; seven bullets ;; eight points ;; nine pages ;; ten paragraphs ;; twelve entries ;; fifteen tokens ;; twenty findings ;; thirty-line ;; forty short lines ;; fifty rows ;; a single sentence ;; 1 word ;; 1 item ;; 1 character ;; 1 bullet ;; 1 point ;; 1 page ;; 1 paragraph ;; 1 token ;; 1 finding ;; 1 row ;; at most 3 ;; no more than 3 ;; not more than 3 ;; up to three ;; maximum: 3 ;; max 3 ;; limit 3 ;; within 3 ;; under 3 ;; fewer than 3 ;; less than 3 ;; at most, and that is all, 3',
  ),
  ...each(
    'output-shape',
    (limit) => limitOf(limit),
    `lines ;; twenty ;; a few lines ;; 20 things ;; atmost 3 ;; at most some. 3 ;; at most ${x(25)} 3`,
  ),
  ...each(
    '-input-contract',
    (line) => inInput(`${line}\n${noNames}\n`),
    '- the rows ;; * the rows ;; + the rows ;; • the rows ;; 1. the rows ;; 2) the rows ;; A1: the rows ;; | rows | all | ;; Rows: all ;; **Rows** (all) ;; `Rows`: all ;; "Rows" = all ;; <Rows>: all ;; [Rows]: all ;; {Rows}: all ;; {{rows}} ;;   - the rows ;; Größe: all',
  ),
  ...each(
    'input-contract',
    (line) => inInput(`${line}\n${noNames}\n`),
    `the rows ;; -the rows ;; rows: all ;; R${x(31)}: all ;; Rows and all ;; 1 row`,
  ),
  ...each(
    '-input-contract',
    (word) => inInput(`- the rows, ${word}\n`),
    'missing ;; absent ;; empty ;; unavailable ;; left out ;; not there ;; not given ;; not provided ;; not pasted ;; lack ;; lacks ;; lacking ;; unknown ;; without ;; otherwise ;; default ;; ask ;; assume ;; skip ;; none',
  ),
  ...each(
    'input-contract',
    (word) => inInput(`- the rows, ${word}\n`),
    'task ;; defaults ;; left ;; not here ;; nonetheless ;; black',
  ),
  ...each(
    'input-contract',
    (line) => inInput(`${inputPart}${line}\n`),
    '- PLAN: the plan ;; - **PLAN**: it ;; - `PLAN` (all) ;; - <PLAN> = it ;; - [PLAN] – it ;; - PLAN - it ;; - PLAN ;; - SHOP PLAN: it ;; - SHOP-PLAN: it ;; - PLAN_2: it',
  ),
  ...each(
    '-input-contract',
    (line) => inInput(`${inputPart}${line}\n`),
    '- Plan: the plan ;; - P: it ;; - PLAN of it ;; - PLAN-it',
  ),
  ...each('-input-contract', (use) => planUsedAs(use), 'the plan ;; PLANS ;; Plan.'),
  [
    'a name that another input mentions',
    '-input-contract',
    prompt('NOTES (optional):', 'PLAN: it\n- NOTES (optional): of PLAN,'),
  ],
  [
    'a name that a line without a name mentions',
    'input-contract',
    prompt('- NOTES', '- PLAN: it\n- all that the PLAN has\n- NOTES'),
  ],
  ['a rule about a missing input', '-input-contract', missing('ROWS are missing')],
  ['a rule about something else that is missing', 'input-contract', missing('a price is missing')],
  ['German without the English words', '-input-contract', inInput('- die Zeilen\n'), 'de'],
  ['German without a limit', '-output-shape', limitOf(''), 'de-AT'],
  ['English of Britain without a limit', 'output-shape', limitOf(''), 'EN-GB'],
];

/** An agent whose OUTPUT shows one line, and whose sample output is this text. */
function shows(line: string, answer: string): Change {
  const files = { ...inOutput(line).files, ...output(`${answer}\n`).files };
  return { files };
}

/** The good prompt with rules that are lines without numbers, each after a blank line. */
function plain(count: number): Change {
  const rules = goodPrompt.slice(goodPrompt.indexOf('1. Read'), goodPrompt.indexOf('\nOUTPUT'));
  return prompt(rules, `${'\nQuote "unknown" once.\n'.repeat(count)}`);
}

function planUsedAs(use: string): Change {
  const declared = edit(goodPrompt, 'NOTES are data', '- PLANS: it\nNOTES are data');
  return { files: { 'prompt.txt': edit(declared, 'only when', `by ${use} only when`) } };
}

/** A prompt with a rule for this case, whose INPUT does not say what to do without the input. */
function missing(what: string): Change {
  const rules = edit(goodPrompt, 'price first.', `price first. If ${what}, say so.`);
  return { files: { 'prompt.txt': edit(rules, inputPart, '- ROWS: the rows\n') } };
}

/** The good prompt without its last rules. */
function fewer(count: number): Change {
  const rules = goodPrompt.match(/^\d\. .*\n/gm) ?? [];
  return prompt(rules.slice(rules.length - count).join(''), '');
}

function more(count: number): string {
  return Array.from({ length: count }, (_, index) => `${index + 7}. Check column ${index + 1}.\n`).join('');
}

for (const [name, rule, change, language] of rows) {
  const silent = rule.startsWith('-');
  test(`${silent ? rule.slice(1) : rule} ${silent ? 'passes' : 'reports'} ${name}`, () => {
    const found = writingRemarks(change, language).filter((remark) => remark.startsWith(`${rule.replace(/^-/, '')} `));
    assert.is(found.length > 0, !silent, found.join('\n'));
  });
}

test.run();
