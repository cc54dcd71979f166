import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { fixesOf } from '../../../src/content/fix-and-rename.ts';
import { goodPrompt } from '../../support/good-agent.ts';

/** `catalog fix`: the exact bytes of files before and after. What a person has to decide stays as it is. */

const md = (front: string, body = 'It works as small agents do.\n') => `---\n${front}---\n${body}`;
const withPrompt = (tail: string) => `${goodPrompt}${tail}`;

/** Rows of: name, file, text before, text after, and whether the agent is published. */
const rows: [name: string, file: string, before: string, after: string, published?: boolean][] = [
  ['CRLF and a byte-order mark', 'sample-input.txt', '\ufeffa\r\nb\r\n', 'a\nb\n'],
  ['two byte-order marks', 'prompt.txt', '\ufeff\ufeffINPUT\n', 'INPUT\n'],
  ['no hyphens that YAML can read', 'agent.md', md('--- \ntitle: A\n'), md('--- \ntitle: A\n')],
  ['CR line endings', 'prompt.txt', 'INPUT\rRULES\rOUTPUT\r', 'INPUT\nRULES\nOUTPUT\n'],
  ['a missing final newline', 'prompt.txt', 'INPUT\nRULES\nOUTPUT', 'INPUT\nRULES\nOUTPUT\n'],
  ['blank lines at the end', 'prompt.txt', 'INPUT\nOUTPUT\n\n \n', 'INPUT\nOUTPUT\n'],
  [
    'trailing spaces of a prompt, but not in a code fence',
    'prompt.txt',
    withPrompt('a \t\n```\nb  \n```\n   \nc\n'),
    withPrompt('a\n```\nb  \n```\n\nc\n'),
  ],
  [
    'curly quotes of a prompt that enclose text, and apostrophes',
    'prompt.txt',
    withPrompt('Don’t write “unknown”, say ‘gap’.\n'),
    withPrompt("Don't write \"unknown\", say 'gap'.\n"),
  ],
  [
    'no curly quotes that may be meant: alone, around a straight one, in code, in other languages',
    'prompt.txt',
    withPrompt('The mark ” ends it. “a "b" c” `“x”` „Wort“ “”\n```\n“y”\n```\n'),
    withPrompt('The mark ” ends it. “a "b" c” `“x”` „Wort“ “”\n```\n“y”\n```\n'),
  ],
  [
    'every apostrophe and pair of curly quotes of a line, but none in its code',
    'prompt.txt',
    withPrompt('`“x”` Don’t, won’t, the 90’s: “a”, “5”, ‘b’, ‘c’ `“y”` “d”\n'),
    withPrompt("`“x”` Don't, won't, the 90's: \"a\", \"5\", 'b', 'c' `“y”` \"d\"\n"),
  ],
  [
    'no curly quotes in a prompt about them',
    'prompt.txt',
    withPrompt('Replace curly quotes such as “these”.\n'),
    withPrompt('Replace curly quotes such as “these”.\n'),
  ],
  ...['Curly quotes', 'typographic marks', 'Smart quotes'].map((subject): (typeof rows)[number] => [
    `no curly quotes in a prompt about ${subject}`,
    'prompt.txt',
    withPrompt(`${subject} are “these”.\n`),
    withPrompt(`${subject} are “these”.\n`),
  ]),
  [
    'the line endings and the final newline of a published prompt, but nothing else of it',
    'prompt.txt',
    withPrompt('a  \r\n“b”\n\n'),
    withPrompt('a  \n“b”\n'),
    true,
  ],
  ['nothing within the lines of a sample', 'sample-output.txt', 'a  \n“b”', 'a  \n“b”\n'],
  ['nothing but the line endings of a config', 'config.md', 'a  \r\n“b”\n\n', 'a  \n“b”\n\n'],
  [
    'the order of keys, with their comments and layout',
    'agent.md',
    md(
      '# About us\n\n# the label\ncategory:   coding # for now\ntags:\n- b\n\n- a\nx: 1\ntitle: "T"\n# when\ndate: 2026-01-01\n# end\n',
    ),
    md(
      '# About us\n\ntitle: "T"\n# when\ndate: 2026-01-01\n# the label\ncategory:   coding # for now\ntags:\n- b\n\n- a\nx: 1\n# end\n',
    ),
  ],
  [
    'the order of the demo, with its comments',
    'agent.md',
    md('title: T\ndemo:\n  # last\n  - second: 9\n    label: b\n  - { second: 0, label: a }\n'),
    md('title: T\ndemo:\n  - { second: 0, label: a }\n  # last\n  - second: 9\n    label: b\n'),
  ],
  [
    'the order of a demo before other keys, with the comment below its last point',
    'agent.md',
    md('demo:\n  - second: 9\n    label: b\n  - second: 0\n    label: a\n  # end\nx: 1\n'),
    md('demo:\n  - second: 0\n    label: a\n  - second: 9\n    label: b\n  # end\nx: 1\n'),
  ],
  [
    'no demo whose seconds are not numbers',
    'agent.md',
    md('demo:\n  - second: 9s\n  - second: 0\n'),
    md('demo:\n  - second: 9s\n  - second: 0\n'),
  ],
  [
    'no order in a demo in brackets',
    'agent.md',
    md('demo: [{ second: 9 }, { second: 0 }]\n'),
    md('demo: [{ second: 9 }, { second: 0 }]\n'),
  ],
  [
    'tags that differ only in case, spaces and underscores',
    'agent.md',
    md('tags: [Testing, "Unit Tests of It", very_small_talk, C++, ok] # Testing\n'),
    md('tags: [testing, "unit-tests-of-it", very-small-talk, C++, ok] # Testing\n'),
  ],
  [
    'several tags that become shorter',
    'agent.md',
    md('tags: ["Unit  Tests", "Small  Talk", Ok]\n'),
    md('tags: ["unit-tests", "small-talk", ok]\n'),
  ],
  ['no tag that would then be there twice', 'agent.md', md('tags: [a, A]\n'), md('tags: [a, A]\n')],
  ['one of two tags that would then be the same', 'agent.md', md('tags: [Git, GIT]\n'), md('tags: [Git, git]\n')],
  [
    'trailing spaces in agent.md, but not those that break a line or are part of a value',
    'agent.md',
    md('title: T  \nproblem: |\n  a  \n', 'a \nb  \nc  \n\nd\t\ne  \n \nf  \n'),
    md('title: T  \nproblem: |\n  a  \n', 'a\nb  \nc\n\nd\ne\n\nf\n'),
  ],
  [
    'trailing spaces after a value',
    'agent.md',
    md('title: T  \ndate: 2026-01-01 \n'),
    md('title: T\ndate: 2026-01-01\n'),
  ],
  ['no curly quotes in agent.md', 'agent.md', md('title: “T”\n', 'Don’t.\n'), md('title: “T”\n', 'Don’t.\n')],
  [
    'only the line endings of front matter that cannot be read',
    'agent.md',
    md('title: "T\r\ntags: [B]\r\n'),
    md('title: "T\ntags: [B]\n'),
  ],
  ...[
    ['a space after the hyphens that open the front matter', '--- \n', '---\n'],
    ['a tab after the hyphens that close it', '---\n', '---\t\n'],
    ['a no-break space and a carriage return after both', '---\u00a0\r\n', '--- \r\n'],
    ['blank lines and a space before the front matter', '\n \n ---\n', '---\n'],
  ].map(([name = '', opening, closing]): (typeof rows)[number] => [
    `${name}, and then the rest`,
    'agent.md',
    `${opening}tags: [B]\ntitle: T \n${closing}One: \n\n--- \nTwo`,
    md('title: T\ntags: [b]\n', 'One:\n\n---\nTwo\n'),
  ]),
  ['no other hyphens of front matter', 'agent.md', '----\ntags: [B]\n---\nA\n', '----\ntags: [B]\n---\nA\n'],
  ['no key of front matter that is never closed', 'agent.md', '--- \ntags: [B]\n', '---\ntags: [B]\n'],
  [
    'nothing where a fix would change a value in another way',
    'agent.md',
    md('tags: [b]\ntitle: |\n  a\n# b\n c: 1\n'),
    md('tags: [b]\ntitle: |\n  a\n# b\n c: 1\n'),
  ],
  [
    'no order in a demo that a move of lines would break',
    'agent.md',
    md('demo:\n  -\n    second: 9\n  -\n    second: 0\n'),
    md('demo:\n  -\n    second: 9\n  -\n    second: 0\n'),
  ],
  ['nothing in a file with a merge conflict', 'prompt.txt', '<<<<<<< HEAD\r\na \r\n', '<<<<<<< HEAD\r\na \r\n'],
  ['nothing in an empty file', 'prompt.txt', ' \r\n', ' \r\n'],
  ['nothing but the encoding of cases', 'evals/checks.yaml', '\ufeffa:  \r\n  b: “c”\r\n\r\n', 'a:  \n  b: “c”\n\n'],
  ['the line endings of an input', 'evals/case.txt', 'a \r\nb\rc', 'a \nb\nc'],
  ['the line endings of an empty input', 'evals/case.txt', '\r\n', '\n'],
  ['the line endings of recording.json', 'evals/recordings/m/recording.json', '{\r\n}', '{\n}'],
  ['the line endings of a recorded answer', 'evals/recordings/m/case.txt', '“a” \r\n', '“a” \n'],
  ['nothing in a file that is not of an agent', 'notes.txt', 'a \r\n', 'a \r\n'],
];

for (const [name, file, before, after, published = false] of rows) {
  test(`fixes ${name}`, () => {
    const fixed = (text: string) => {
      const files = [{ name: file, bytes: Buffer.from(text), problem: null }];
      return fixesOf({ slug: 'one', files, problem: null }, published)[0]?.after ?? text;
    };
    assert.is(fixed(before), after);
    assert.is(fixed(after), after, 'a second run changes something');
  });
}

test('text that is not UTF-8 stays as it is', () => {
  for (const bytes of [Buffer.from('a \r\n\xff', 'latin1'), Buffer.from('a \r\n', 'utf16le')])
    assert.equal(
      fixesOf({ slug: 'one', files: [{ name: 'prompt.txt', bytes, problem: null }], problem: null }, false),
      [],
    );
});

const long: [before: string, after: string][] = [
  [`a${'\n'.repeat(200_000)}b`, `a${'\n'.repeat(200_000)}b\n`],
  [`a${' '.repeat(200_000)}b\n`, `a${' '.repeat(200_000)}b\n`],
  [`“${'a'.repeat(200_000)}\n`, `“${'a'.repeat(200_000)}\n`],
  ['a \n'.repeat(60_000), 'a\n'.repeat(60_000)],
];
test('long texts are fixed in linear time, which a hanging test would show', () => {
  for (const [before, after] of long) {
    const files = [{ name: 'prompt.txt', bytes: Buffer.from(before), problem: null }];
    const [fix] = fixesOf({ slug: 'one', files, problem: null }, false);
    assert.ok((fix?.after ?? before) === after);
    if (before.startsWith('a \n')) assert.is(fix?.diff, '(too many changes to show)\n');
  }
});

test.run();
