import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { smallAgent } from '../support/catalog.ts';
import { edit } from '../support/editorial-mistakes.ts';
import { goodPrompt } from '../support/good-agent.ts';
import { structuralRemarks } from '../support/memory.ts';

/** The messages for files that cannot be parsed. A wrong location would send the editor to the wrong place. */

const agentMd = String(smallAgent({ slug: 'one', date: '2026-01-01' })['agent.md']);
const x = (count: number) => 'x'.repeat(count);

const deeper = (levels: number) => `${'['.repeat(levels)}${']'.repeat(levels)}`;
const escapes = 'Write a backslash as \\\\, a line break as \\n, and a tab as \\t.';
const badText = 'This text has a backslash or a control character that JSON does not allow.';
const tooLarge = 'This number is too large: programs round it or cannot read it. ~ Put it in quotes.';
const noComments = 'JSON has no comments. ~ Remove it.';
const useless = 'Nothing follows this comma. ~ Remove the comma.';
const noComma = 'A comma is missing here. ~ Add a comma.';
const open = 'The quote that opens here is never closed. ~ Add the closing quote.';
const badWord = (word: string, fix = 'Put it in double quotes.') => `\`${word}\` is not a JSON value. ~ ${fix}`;
const badSign = (sign: string, what: string) => `\`${sign}\` cannot be here. ~ Write ${what} in double quotes.`;
const early = (bracket: string, line: number, closing: string) =>
  `The text ends before the \`${bracket}\` of line ${line} is closed. ~ Add the closing \`${closing}\`.`;

const json: [text: string, ...found: string[]][] = [
  ['{"a": 1} x', '1:10 There is text after the end of the JSON. ~ Remove it, or the bracket that closes too early.'],
  ['{"a": 1}}', '1:9 There is text after the end of the JSON. ~ Remove it, or the bracket that closes too early.'],
  [
    '{"a": [1}',
    '1:9 `}` does not match the bracket that it closes. ~ Close the brackets in the order in which they were opened.',
  ],
  [
    '[{"a": 1]',
    '1:9 `]` does not match the bracket that it closes. ~ Close the brackets in the order in which they were opened.',
  ],
  ['{"a" 1}', '1:5 A colon is missing after the key. ~ Add a colon.'],
  ['{"a":', `1:5 ${early('{', 1, '}')}`],
  ['{\n"a": [1', `2:7 ${early('[', 2, ']')}`],
  ['{\n"a": [\n1,\n{}', `4:2 ${early('[', 2, ']')}`],
  ['\n[{\n"a": [1]\n\n', `3:8 ${early('{', 2, '}')}`],
  ['/* none */', `1:1 ${noComments}`, '1:1 The text ends where a value is expected. ~ Write the value.'],
  ['{"a": 1 // one\n}', `1:9 ${noComments}`],
  ['{"a": 1 /* one\n two */, // three\n}', `1:9 ${noComments}`, `2:10 ${noComments}`, `2:8 ${useless}`],
  ['# one\n{"a": 1}', `1:1 ${noComments}`],
  ['{"a": 1} /* one', `1:10 ${noComments}`],
  ['{"a": 1 / 2}', `1:8 ${noComma}`, `1:9 ${badSign('/', 'a key')}`],
  ['{"a": 1,, "b": 2}', '1:9 There is an extra comma here. ~ Remove the comma.'],
  ['[1 2]', `1:3 ${noComma}`],
  ['[1\n2]', `1:3 ${noComma}`],
  ['["a""b"]', `1:5 ${noComma}`],
  [
    "[\"a\", 'b', 'c', 1 2]",
    `1:7 A text needs double quotes in JSON. ~ Write " instead of single quotes.`,
    `1:18 ${noComma}`,
  ],
  ["['it\\'s']", '1:2 A text needs double quotes in JSON. ~ Write " instead of single quotes.'],
  ['[True]', `1:2 ${badWord('True', 'Write true.')}`],
  ['[False]', `1:2 ${badWord('False', 'Write false.')}`],
  ['[undefined]', `1:2 ${badWord('undefined', 'Write null.')}`],
  ['[NaN]', `1:2 ${badWord('NaN')}`],
  ['[.5]', `1:2 ${badWord('.5')}`],
  ['[+1]', `1:2 ${badWord('+1')}`],
  ['[01]', `1:2 ${badWord('01')}`],
  ['[1.]', `1:2 ${badWord('1.')}`],
  ['[1e]', `1:2 ${badWord('1e')}`],
  ['[nulls]', `1:2 ${badWord('nulls')}`],
  ['[0, -10, 1.25, 1e15, 1E+5, 2e-3, true, false, null,]', `1:51 ${useless}`],
  ['{1: 2}', '1:2 `1` is a key without quotes. ~ Put it in double quotes.'],
  ['[}', `1:2 ${badSign('}', 'a value')}`],
  ['{"a": }', `1:7 ${badSign('}', 'a value')}`],
  ['{[1]: 2}', `1:2 ${badSign('[', 'a key')}`],
  ['["a\\q"]', `1:2 ${badText} ~ ${escapes}`],
  ['["a\tb"]', `1:2 ${badText} ~ ${escapes}`],
  ['["\\u00g1"]', `1:2 ${badText} ~ ${escapes}`],
  ['["a\nb"]', `1:2 ${open}`],
  ['["\\u00e9\\n\\/\\" é ~",]', `1:20 ${useless}`],
  ['{"a": [1, 2,], "b": {"c": 1,},}', `1:12 ${useless}`, `1:28 ${useless}`, `1:30 ${useless}`],
  ['[[], {}, [1], { },]', `1:18 ${useless}`],
  ['["a" , "a" , "a" , "a" ,\n\t\n]', `1:24 ${useless}`],
  ['{"a": 9007199254740993}', `1:7 ${tooLarge}`],
  ['[9007199254740991, -9007199254740992]', `1:20 ${tooLarge}`],
  ['[1.5e3, -0.5, 1e999]', `1:15 ${tooLarge}`],
  ['{"a": "9007199254740993 [[[", "b\\"9007199254740993": 1}'],
  [deeper(50)],
  [
    deeper(51),
    '1:51 The config is nested more than 50 levels deep. ~ Reduce the nesting: not every program can read this.',
  ],
  [`[${'[], '.repeat(60)}1]`],
];
for (const [text, ...found] of json) {
  test(`JSON: ${JSON.stringify(text.slice(0, 60))} has ${found.length} mistakes`, () => {
    assert.equal(
      structuralRemarks({ files: { 'config.json': `${text}\n` } }),
      found.map((line) => `config.json:${line.replace(' ', ' config/json ')}`),
    );
  });
}

test('JSON: only the first 20 mistakes are reported, and wrong quotes only once', () => {
  const count = (text: string) => structuralRemarks({ files: { 'config.json': `${text}\n` } }).length;
  assert.is(count(`[${','.repeat(19)}1]`), 19);
  assert.is(count(`[${','.repeat(30)}1]`), 20);
  assert.is(count(`[${"'a', ".repeat(300)}1]`), 1);
});

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
const malformed = (why: string) =>
  `front-matter/yaml The front matter is not well-formed YAML here: ${why}. ~ Check the indentation and the quotes of this line and the one before it.`;

/** The replacement of the line `title: The one agent`, and the expected findings. */
const yaml: [title: string, ...found: string[]][] = [
  [`title: A: ${x(57)}`, `2:8 ${colon} ~ ${inQuotes}: 'A: ${x(57)}'.`],
  [`title: A: ${x(58)}`, `2:8 ${colon} ~ ${inQuotes}: 'A: ${x(54)}…'.`],
  ["title: Ada's agent: a story", `2:8 ${colon} ~ ${inQuotes}: "Ada's agent: a story".`],
  ['title: %agent', `2:8 ${special('%')}`],
  ['title: `agent`', `2:8 ${special('`')}`],
  ["title: 'The' agent", `2:14 front-matter/yaml There is text after the closing quote. ~ ${inQuotes}: "'The' agent".`],
  ['title: "The one agent" # once more'],
  ['title: The one agent\n# once more\n'],
  [
    'title: {a',
    '2:8 front-matter/yaml The bracket that opens here is never closed. ~ Add the closing `}`. If this is text, put it in quotes.',
  ],
  ['title: The one agent\nkeywords: [&a testing, *a]', `3:12 ${anchor('&a')}`],
  ['title: The one agent\nkeywords: [testing, *a]', `3:21 ${anchor('*a')}`],
  ['title: The one agent\n"title": Again', `3:1 ${twice('"title"')}`],
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
  ['title: "The one \\q agent"', `2:17 ${malformed('invalid escape sequence \\q')}`],
  ['title: !own The one agent', `2:26 ${malformed('unknown tag !<!own>')}`],
  [
    'title: |\n  The one\n  -agent\n agent',
    '5:1 front-matter/yaml This line is not indented like the lines that it belongs to. ~ Start the keys of one level in the same column; start the entries of a list with two spaces, a hyphen, and a space.',
  ],
  [
    `title: ${deeper(101)}`,
    '2:108 front-matter/yaml The front matter is nested too deeply here: more than 100 lists and keys are open. ~ No key of an agent needs more than two levels. If this is text, put it in quotes.',
  ],
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

const bytes = (hex: string) => Uint8Array.from(Buffer.from(hex.replaceAll(' ', ''), 'hex'));
const notText = (more = '') => `file/encoding sample-input.txt is not UTF-8 text${more}. ~ Save the file in UTF-8.`;
const crs =
  'file/line-ends sample-input.txt has CR line endings (Windows or old Mac). ~ Save the file with LF line endings; the `.gitattributes` line `* text=auto eol=lf` enforces them.';
const empty = 'file/empty sample-input.txt is empty. ~ Write its text, or remove the file if it is not needed.';

const encodings: [name: string, content: Uint8Array, ...found: string[]][] = [
  ['UTF-16 with its mark, little-endian', bytes('ff fe 61 00 0a 00'), `1:1 ${notText(' but UTF-16')}`],
  ['UTF-16 with its mark, big-endian', bytes('fe ff 00 61 00 0a'), `1:1 ${notText(' but UTF-16')}`],
  ['UTF-16 without a mark, little-endian', bytes('61 00 0a 00'), `1:1 ${notText(' but UTF-16')}`],
  ['UTF-16 without a mark, big-endian', bytes('00 61 00 0a'), `1:1 ${notText(' but UTF-16')}`],
  ['half of the mark', bytes('61 0a fe 41 0a'), `2:1 ${notText()}`],
  ['the first byte of the mark alone', bytes('ff 41 42 43'), `1:1 ${notText()}`],
  ['the second half of the mark alone', bytes('41 fe 42 43'), `1:2 ${notText()}`],
  ['Latin-1', bytes('61 0a 62 e9 63 0a'), `2:2 ${notText()}`],
  ['Latin-1 after a character of two bytes', bytes('c3 a9 e9 0a'), `1:2 ${notText()}`],
  ['a character that is cut off', bytes('61 62 e2 82'), `1:3 ${notText()}`],
  ['old Mac', Buffer.from('one\ntwo\rthree\n'), `2:4 ${crs}`],
  ['Windows', Buffer.from('one\r\ntwo\r\n'), `1:4 ${crs}`],
  ['blank lines alone', Buffer.from(' \n\n'), `1:1 ${empty}`],
];
for (const [name, content, ...found] of encodings) {
  test(`encoding: ${name}`, () => {
    assert.equal(
      structuralRemarks({ files: { 'sample-input.txt': content } }),
      found.map((line) => `sample-input.txt:${line}`),
    );
  });
}

test('encoding: a single zero byte does not make a file UTF-16', () => {
  for (const hex of ['61 00 62 63', '00 61 62 63', '61 62 00 63', '61 62 63 00']) {
    const codes = structuralRemarks({ files: { 'sample-input.txt': bytes(hex) } }).map((line) => line.split(' ')[1]);
    assert.equal(codes, ['text/hidden-character'], hex);
  }
});

const otherNames = {
  INPUT:
    'INPUTS EINGABE ENTRÉE ENTRADA ENTRADAS INGRESSO INVOER WEJŚCIE 输入 入力 Input: **Input** #INPUT 1)INPUT -INPUT >INPUT _INPUT_ (INPUT) INPT',
  RULES: 'RULE REGELN RÈGLES REGLAS REGOLE REGRAS REGELS ZASADY 规则 ルール Rules: Rules- rules– rules— 2.Rules RULLES',
  OUTPUT: 'OUTPUTS AUSGABE SORTIE SALIDA SAÍDA USCITA UITVOER WYJŚCIE 输出 出力 Output(short) <OUTPUT> [Output] OUPUT',
};
for (const [name, words] of Object.entries(otherNames)) {
  test(`${name} under another name is recognized, and other words are not`, () => {
    const messages = (heading: string) => {
      const prompt = goodPrompt.replace(new RegExp(`^${name}.*$`, 'm'), () => heading);
      return structuralRemarks({ files: { 'prompt.txt': prompt } }).map((line) => line.replace(/^\S+ \S+ /, ''));
    };
    const hint = `Start the line with ${name} in capitals, such as \`${name}\` or \`## ${name}\`.`;
    for (const word of words.split(' ')) {
      assert.equal(messages(word), [`\`${word}\` is not a section heading. ~ ${hint}`]);
    }
    const missing = `The prompt has no section ${name}. ~ Start a line outside code fences with ${name}; the order is INPUT, RULES, OUTPUT.`;
    for (const word of [`The ${name}`, `${name.toLowerCase()} follow here`, 'Notes', 'LETTER']) {
      assert.equal(messages(word), [missing], word);
    }
  });
}

test.run();
