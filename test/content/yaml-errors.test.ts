import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { smallAgent } from '../support/catalog.ts';
import { edit } from '../support/editorial-mistakes.ts';
import { structuralRemarks } from '../support/memory.ts';

/** The messages for front matter that is not well-formed YAML: where the mistake is, and how to correct it. */

const agentMd = String(smallAgent({ slug: 'one', date: '2026-01-01' })['agent.md']);
const x = (count: number) => 'x'.repeat(count);
const inQuotes = 'Put the whole text in quotes';
const colon = 'front-matter/yaml This text has a colon and a space, which YAML takes for another key.';
const special = (sign: string) =>
  `front-matter/yaml This text starts with \`${sign}\`, which has a special meaning in YAML. ~ ${inQuotes}.`;
const anchor = (name: string) =>
  `front-matter/anchor \`${name}\` is a YAML anchor or alias, which front matter must not have. ~ If it is meant as text, put the whole text in quotes; otherwise write the value out.`;
const twice = (name: string) => `front-matter/duplicate-key \`${name}\` appears twice. ~ Keep one of the two lines.`;
const indented = (name: string) =>
  `front-matter/yaml \`${name}\` is indented, so it belongs to the line above. ~ Start the key in the first column. If the line continues a text, put that whole text in quotes.`;
const noColon = (fix: string) =>
  `front-matter/yaml This line has no colon, so it is not a key with a value. ~ Write \`${fix}\`, or put the text on the line of its key.`;
const noSpace = (fix: string) => `front-matter/yaml There is no space after the hyphen. ~ Write \`${fix}\`.`;
const malformed = (why: string) =>
  `front-matter/yaml The front matter is not well-formed YAML here: ${why}. ~ Check the indentation and the quotes of this line and the one before it.`;

const unclosed = (bracket: string) =>
  `front-matter/yaml The bracket that opens here is never closed. ~ Add the closing \`${bracket}\`. If this is text, put it in quotes.`;
const halfQuoted =
  'front-matter/yaml The quote that opens here is never closed. ~ Add the closing quote at the end of the text.';
const afterQuote = (fix: string) => `front-matter/yaml There is text after the closing quote. ~ ${inQuotes}: ${fix}.`;

const severalLines =
  'front-matter/yaml YAML takes several lines for one key here. ~ Write each key with its colon on one line. Indent a list or a text that continues below its key.';
const notOpened = (bracket: string) =>
  `front-matter/yaml \`${bracket}\` closes a bracket that was never opened. ~ Remove it, or add the opening bracket. If this is text, put it in quotes.`;
const noHyphen =
  'front-matter/yaml This line is in a list, but it neither starts an entry nor continues one. ~ Start an entry with a hyphen and a space. Indent the other lines of an entry like its first key.';

const uneven =
  'front-matter/yaml The indentation of this line does not match the lines around it. ~ Start the keys of one level in the same column; start the entries of a list with two spaces, a hyphen, and a space.';

const tooDeep =
  'front-matter/yaml The front matter is nested more than 100 levels deep here. ~ No key of an agent needs more than two levels. If this is text, put it in quotes.';

/** The replacement of the line `title: The one agent`, and the expected findings. */
const yaml: [title: string, ...found: string[]][] = [
  [`title: A: ${x(57)}`, `2:8 ${colon} ~ ${inQuotes}: 'A: ${x(57)}'.`],
  [`title: A: ${x(58)}`, `2:8 ${colon} ~ ${inQuotes}: 'A: ${x(54)}…'.`],
  ["title: Ada's agent: a story", `2:8 ${colon} ~ ${inQuotes}: "Ada's agent: a story".`],
  ['title: %agent', `2:8 ${special('%')}`],
  ['title: `agent`', `2:8 ${special('`')}`],
  ["title: 'The' agent", `2:14 ${afterQuote(`"'The' agent"`)}`],
  ['title: "The one agent" # once more'],
  ['title: The one agent\n# once more\n'],
  ['title: {a', `2:8 ${unclosed('}')}`],
  ['title: The one agent\nkeywords: [&a testing, *a]', `3:12 ${anchor('&a')}`],
  ['title: The one agent\nkeywords: [testing, *a]', `3:21 ${anchor('*a')}`],
  ['title: The one agent\n"title": Again', `3:1 ${twice('"title"')}`],
  ['title: The one agent\nvideo: {:a: 1, :a: 2}', `3:16 ${twice(':a')}`],
  ['title: The one agent\nvideo: {: 1, : 2}', `3:14 ${twice(':')}`],
  ['title: The one agent\nvideo: {a: 1, a: 2}', `3:15 ${twice('a')}`],
  ['title: The one agent\n  keywords: [a]', `3:1 ${indented('keywords')}`],
  ['  title: The one agent', `2:1 ${indented('title')}`],
  ['title', `2:1 ${noColon('title: ')}`],
  [`title ${x(61)}`, `2:1 ${noColon(`title: ${x(57)}…`)}`],
  [`title:${x(60)}`, `2:6 front-matter/yaml There is no space after the colon. ~ Write \`title: ${x(60)}\`.`],
  [
    'title: The one agent\nkeywords:\n \t\t- testing',
    '4:1 front-matter/yaml This line is indented with a tab. ~ Use spaces.',
  ],
  [
    'title: "The one \\q agent"',
    '2:17 front-matter/yaml In double quotes, YAML takes this backslash for the start of an escape. ~ Put the text in single quotes instead, or write the backslash as \\\\.',
  ],
  [`title: Ada's "agent": a C:\\ story`, `2:8 ${colon} ~ ${inQuotes}: "Ada's \\"agent\\": a C:\\\\ story".`],
  ['title: !own The one agent', `2:8 ${special('!')}`],
  ['title: | The one agent', `2:8 ${special('|')}`],
  ['title: ? The one agent', `2:8 ${special('?')}`],
  ['title: [x] The one agent', `2:8 ${special('[')}`],
  ['title: The one agent\n  in a text: it', `3:1 ${indented('in')}`],
  ['title = The one agent', `2:1 ${noColon('title: The one agent')}`],
  ['title: The one agent\nkeywords:\n  - a: b\n     c: d', `5:1 ${uneven}`],
  ['title: The one agent\nkeywords:\n  a: b\n    c: d', `5:1 ${uneven}`],
  [
    'title: The one agent\nkeywords:\n  - a: b\n    c:d',
    '5:5 front-matter/yaml There is no space after the colon. ~ Write `c: d`.',
  ],
  [
    'title: The one agent\nkeywords:\n  - a:b\n    c: d',
    '4:5 front-matter/yaml There is no space after the colon. ~ Write `a: b`.',
  ],
  ['title: The one agent\nkeywords:\n  - { a: b: c, d: e }', `4:10 ${colon} ~ ${inQuotes}: 'b: c'.`],
  ['title: The one agent\nkeywords:\n  - { a: b\n  - c: d', `4:5 ${unclosed('}')}`],
  ['title: |\n  The one\n  -agent\n agent', `5:1 ${uneven}`],
  ['title: The one agent\nkeywords:\n  - a |b\n  -testing: x', `5:3 ${noSpace('- testing: x')}`],
  [`title: ${'['.repeat(101)}${']'.repeat(101)}`, `2:108 ${tooDeep}`],
  [`title: ${']'.repeat(5000)}${'['.repeat(5000)}`, `2:5108 ${tooDeep}`],
  ...['- ', '? ', ': ', '-  '].map((sign): [string, string] => [`title: ${sign.repeat(100)}a`, `2:6 ${tooDeep}`]),
  [
    `title: The one agent\ntag: [${'{ a: 1 }, [b], '.repeat(101)}]`,
    '3:1 front-matter/unknown-key `tag` is not a known key. ~ Did you mean `tags`?',
  ],
  ['# first\ntitle: @agent', `3:8 ${special('@')}`],
  ['title: [a', `2:8 ${unclosed(']')}`],
  ['title: The one agent\nkeywords: [a,\n  b', `3:11 ${unclosed(']')}`],
  ['\ntitle: @agent', `3:8 ${special('@')}`],
  ['title: The one agent\nkeywords:\n  a: "b \\" c"\n  d: "half', `5:6 ${halfQuoted}`],
  ["title: The one agent\nkeywords:\n  a: 'b '' c'\n  d: 'half", `5:6 ${halfQuoted}`],
  ["title: 'half '' more", `2:8 ${halfQuoted}`],
  ["title: 'half", `2:8 ${halfQuoted}`],
  ['title: "half \\" of', `2:8 ${halfQuoted}`],
  ['title: "half\nvideoUrl: \'half', `2:8 ${halfQuoted}`, `3:11 ${halfQuoted}`],
  ["title: 'it''s' so", `2:16 ${afterQuote(`"'it''s' so"`)}`],
  ['title: "a\\"b" so', `2:15 ${afterQuote(`'"a\\"b" so'`)}`],
  ['title: "a" "b"', `2:12 ${afterQuote(`'"a" "b"'`)}`],
  ['title: The one agent\nkeywords: "a: b": c', `3:17 ${afterQuote(`'"a: b": c'`)}`],
  ['"title": The "one" agent: x', `2:10 ${colon} ~ ${inQuotes}: 'The "one" agent: x'.`],
  ['title: , a', `2:8 ${special(',')}`],
  ['title: & a', `2:8 ${anchor('&')}`],
  ['title: * a', `2:8 ${anchor('*')}`],
  ['title: The one agent\n- a', `3:1 ${severalLines}`],
  ['title: - a', `2:8 ${special('-')}`],
  ['title: The one agent\nkeywords:\n  - a: b\n   c: d', `5:1 ${noHyphen}`],
  ['title: The one agent\nkeywords:\n  a: b\n  testing', `5:3 ${noColon('testing: ')}`],
  ['title: The one agent\nkeywords: ["a" "b"]', `3:16 front-matter/yaml A comma is missing here. ~ Add a comma.`],
  [
    'title: The one agent\nkeywords: [a,, b]',
    `3:14 front-matter/yaml There is an extra comma here. ~ Remove the comma.`,
  ],
  ['title: |x\n  The', `2:8 ${special('|')}`],
  ['title: ] a', `2:8 ${notOpened(']')}`],
  ['title: !!int x', `2:8 ${special('!')}`],
  [
    'title: The one agent\n:',
    `3:1 ${malformed('incomplete explicit mapping pair; a key node is missed; or followed by a non-tabulated empty line')}`,
  ],
  ['title: The one agent\n=======x', `3:1 ${noColon('=======x: ')}`],
  ...['=======', '>>>>>>>', '>>>>>>> main', '|||||||', '||||||| base'].map((line): [string, string] => [
    `title: The one agent\n${line}`,
    '3:1 text/conflict This line is a merge conflict marker. ~ Delete it, and keep one version of the lines around it.',
  ]),
];
for (const [title, ...found] of yaml) {
  test(`YAML: ${JSON.stringify(title.slice(0, 60))} has ${found.length} mistakes`, () => {
    const text = edit(agentMd, 'title: The one agent', title);
    assert.equal(
      structuralRemarks({ files: { 'agent.md': text } }),
      found.map((line) => `agent.md:${line}`),
    );
  });
}

test('YAML: lists, comments and quoted keys next to a mistake are read correctly', () => {
  const lists = 'tags:\n- testing\n# both\n- small\n"keywords": [a]';
  const text = edit(edit(agentMd, 'tags: [testing, small]', lists), 'The one agent', '@agent');
  assert.equal(structuralRemarks({ files: { 'agent.md': text } }), [`agent.md:2:8 ${special('@')}`]);
});

test('YAML: only the first 20 mistakes are reported', () => {
  const text = agentMd.replace('---\n', `---\n${Array.from({ length: 30 }, (_, index) => `k${index} a\n`).join('')}`);
  const found = structuralRemarks({ files: { 'agent.md': text } });
  assert.is(found.filter((line) => line.includes('has no colon')).length, 20);
});

test.run();
