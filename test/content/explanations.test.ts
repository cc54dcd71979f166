import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { goodPrompt } from '../support/good-agent.ts';
import { structuralRemarks } from '../support/memory.ts';

/** The messages for files that cannot be parsed. A wrong location would send the editor to the wrong place. */

const deeper = (levels: number) => `${'['.repeat(levels)}${']'.repeat(levels)}`;
const escapes = 'Write a backslash as \\\\, a line break as \\n, and a tab as \\t.';
const badText = 'This text has a backslash or a control character that JSON does not allow.';
const tooLarge = 'This number is too large: programs round it or cannot read it. ~ Put it in quotes.';
const noComments = 'JSON does not allow comments. ~ Remove the comment.';
const useless = 'Nothing follows this comma. ~ Remove the comma.';
const noComma = 'A comma is missing here. ~ Add a comma.';
const open = 'The quote that opens here is never closed. ~ Add the closing quote at the end of the text.';
const badWord = (word: string, fix = 'Put it in double quotes.') => `\`${word}\` is not a JSON value. ~ ${fix}`;
const badSign = (sign: string) => `\`${sign}\` is not allowed here.`;
const noValue = 'A colon is missing after the key. ~ Write only a colon between it and its value.';
const keyInQuotes = 'Write a key in double quotes (").';
const anyValue = 'Write a value; text needs double quotes (").';
const early = (bracket: string, line: number, closing: string) =>
  `The \`${bracket}\` on line ${line} is never closed. ~ Add the closing \`${closing}\`.`;

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
  ['{"a" 1}', `1:5 ${noValue}`],
  ['{"a" = 1}', `1:5 ${noValue}`],
  ['"a": 1}', '1:1 The `{` before the first key is missing. ~ Add it at the start of the file.'],
  ['{True: 2}', '1:2 `True` is a key without quotes. ~ Put it in double quotes.'],
  ['{"a":', `1:5 ${early('{', 1, '}')}`],
  ['{\n"a": [1', `2:7 ${early('[', 2, ']')}`],
  ['{\n"a": [\n1,\n{}', `4:2 ${early('[', 2, ']')}`],
  ['\n[{\n"a": [1]\n\n', `3:8 ${early('{', 2, '}')}`],
  ['/* none */', `1:1 ${noComments}`, '1:1 The file has no JSON value. ~ Write one, such as {}.'],
  ['{"a": 1 // one\n}', `1:9 ${noComments}`],
  ['{"a": 1 /* one\n two */, // three\n}', `1:9 ${noComments}`, `2:10 ${noComments}`, `2:8 ${useless}`],
  ['# one\n{"a": 1}', `1:1 ${noComments}`],
  ['{"a": 1} /* one', `1:10 ${noComments}`],
  ['{"a": 1 / 2}', `1:8 ${noComma}`, `1:9 ${badSign('/')} ~ ${keyInQuotes}`],
  ['{"a": 1,, "b": 2}', '1:9 There is an extra comma here. ~ Remove the comma.'],
  ['[1 2]', `1:3 ${noComma}`],
  ['[1\n2]', `1:3 ${noComma}`],
  ['{\n"a": 1\n"b": tru\n}', `2:7 ${noComma}`, `3:6 ${badWord('tru')}`],
  ['{\n"a": 1\n"b": [', `2:7 ${noComma}`, `3:6 ${early('[', 3, ']')}`],
  ['["a""b"]', `1:5 ${noComma}`],
  ['{"a": "b": 1}', `1:10 ${noComma}`],
  [
    "[\"a\", 'b', 'c', 1 2]",
    `1:7 Text needs double quotes in JSON. ~ Write " instead of single quotes.`,
    `1:18 ${noComma}`,
  ],
  [`['say "hi"']`, '1:2 Text needs double quotes in JSON. ~ Write " instead of single quotes.'],
  ["['it\\'s']", '1:2 Text needs double quotes in JSON. ~ Write " instead of single quotes.'],
  ['[True]', `1:2 ${badWord('True', 'Write true.')}`],
  ['[False]', `1:2 ${badWord('False', 'Write false.')}`],
  ['[undefined]', `1:2 ${badWord('undefined', 'Write null.')}`],
  ['[NaN]', `1:2 ${badWord('NaN')}`],
  ['[.5]', `1:2 ${badWord('.5')}`],
  ['[+1]', `1:2 ${badWord('+1')}`],
  ['[01]', `1:2 ${badWord('01', 'Write 1, or put it in double quotes if it is text.')}`],
  ['[1.]', `1:2 ${badWord('1.')}`],
  ['[1e]', `1:2 ${badWord('1e')}`],
  ['[nulls]', `1:2 ${badWord('nulls')}`],
  ['[0, -10, 1.25, 1e15, 1E+5, 2e-3, true, false, null,]', `1:51 ${useless}`],
  ['{1: 2}', '1:2 `1` is a key without quotes. ~ Put it in double quotes.'],
  ['[}', `1:2 ${badSign('}')} ~ ${anyValue}`],
  ['{"a": }', `1:7 ${badSign('}')} ~ ${anyValue}`],
  ['{[1]: 2}', `1:2 ${badSign('[')} ~ ${keyInQuotes}`],
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

test('JSON: after 200 wrong quotes, the rest is not checked', () => {
  const count = (quotes: number) =>
    structuralRemarks({ files: { 'config.json': `[${"'a', ".repeat(quotes)}1 2]\n` } }).length;
  assert.equal([count(200), count(201)], [2, 1]);
});

test('JSON: only the first 20 mistakes are reported, and wrong quotes only once', () => {
  const count = (text: string) => structuralRemarks({ files: { 'config.json': `${text}\n` } }).length;
  assert.is(count(`[${','.repeat(19)}1]`), 19);
  assert.is(count(`[${','.repeat(30)}1]`), 20);
  assert.is(count(`[${"'a', ".repeat(300)}1]`), 1);
});

const bytes = (hex: string) => Uint8Array.from(Buffer.from(hex.replaceAll(' ', ''), 'hex'));
const notText = (what = 'not UTF-8 text') => `file/encoding sample-input.txt is ${what}. ~ Save the file as UTF-8.`;
const utf16 = notText('UTF-16 text; it has to be UTF-8');
const crs =
  'file/line-ends sample-input.txt has CR line endings (Windows or old Mac). ~ Save the file with LF line endings; the `.gitattributes` line `* text=auto eol=lf` enforces them.';
const empty = 'file/empty sample-input.txt is empty. ~ Write its text: an input that a reader can try the prompt with.';

const encodings: [name: string, content: Uint8Array, ...found: string[]][] = [
  ['UTF-16 with its mark, little-endian', bytes('ff fe 61 00 0a 00'), `1:1 ${utf16}`],
  ['UTF-16 with its mark, big-endian', bytes('fe ff 00 61 00 0a'), `1:1 ${utf16}`],
  ['UTF-16 without a mark, little-endian', bytes('61 00 0a 00'), `1:1 ${utf16}`],
  ['UTF-16 without a mark, big-endian', bytes('00 61 00 0a'), `1:1 ${utf16}`],
  ['half of the mark', bytes('61 0a fe 41 0a'), `2:1 ${notText()}`],
  ['the first byte of the mark alone', bytes('ff 41 42 43'), `1:1 ${notText()}`],
  ['the first byte of the other mark alone', bytes('fe 41 42 43'), `1:1 ${notText()}`],
  ['the second half of the mark alone', bytes('41 fe 42 43'), `1:2 ${notText()}`],
  ['the second byte of the other mark alone', bytes('41 ff 42 43'), `1:2 ${notText()}`],
  ['Latin-1', bytes('61 0a 62 e9 63 0a'), `2:2 ${notText()}`],
  ['Latin-1 after a character of two bytes', bytes('c3 a9 e9 0a'), `1:2 ${notText()}`],
  [
    'an invalid byte after a replacement character that the file itself contains',
    bytes('ef bf bd ff 0a'),
    `1:2 ${notText()}`,
  ],
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

test('files: a folder with nothing but a config has one mistake, not four', () => {
  const files = { 'agent.md': null, 'prompt.txt': null, 'sample-input.txt': null, 'sample-output.txt': null };
  assert.equal(structuralRemarks({ files: { ...files, 'config.json': '{}\n' } }), [
    ':1:1 folder/missing-file All required files are missing: agent.md, prompt.txt, sample-input.txt, sample-output.txt. ~ Add them, or delete the folder.',
  ]);
});

const heading = 'prompt/sections';
const several: [name: string, prompt: string, ...found: string[]][] = [
  [
    'two sections are missing',
    goodPrompt.replace(/^(?:INPUT|RULES).*\n/gm, ''),
    `1:1 ${heading} The prompt has no section INPUT and no section RULES. ~ Start a line with INPUT, and one with RULES; the order is INPUT, RULES, OUTPUT. Lines in code fences do not count.`,
  ],
  [
    'a fence takes in two sections',
    goodPrompt.replace('RULES\n', '```\nRULES\n'),
    `8:1 ${heading} This code fence is never closed, so everything after it counts as code, including RULES and OUTPUT. ~ Close it with the same marks on a line of their own.`,
  ],
  [
    'two sections come twice',
    `${goodPrompt}INPUT\nRULES\n`,
    `25:1 ${heading} The prompt has the section INPUT twice. ~ Make it one section: remove this heading, or start the line with another word.`,
    `26:1 ${heading} The prompt has the section RULES twice. ~ Make it one section: remove this heading, or start the line with another word.`,
  ],
];
for (const [name, prompt, ...found] of several) {
  test(`sections: ${name}`, () => {
    assert.equal(
      structuralRemarks({ files: { 'prompt.txt': prompt } }),
      found.map((line) => `prompt.txt:${line}`),
    );
  });
}

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
    const missing = `The prompt has no section ${name}. ~ Start a line with ${name}; the order is INPUT, RULES, OUTPUT. Lines in code fences do not count.`;
    for (const word of [`The ${name}`, `${name.toLowerCase()} follow here`, 'Notes', 'LETTER']) {
      assert.equal(messages(word), [missing], word);
    }
  });
}

test.run();
