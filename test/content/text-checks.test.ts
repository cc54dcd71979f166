import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { loadSettings } from '../../src/content/settings.ts';
import { ContentError } from '../../src/schema/diagnostics/content-error.ts';
import type { Diagnostic } from '../../src/schema/diagnostics/diagnostic.ts';
import { inFolder, type SmallAgent, smallAgent, writeCatalog, writeFiles } from '../support/catalog.ts';
import { contentOf } from '../support/memory.ts';
import { render } from '../support/render.ts';

/** Every string goes through the same check: forbidden text is also refused if it is written with escapes. */

const today = '2026-01-01';

/** Returns the findings in an agent that is made in memory. */
function check(change: Partial<SmallAgent>): { diagnostics: Diagnostic[]; isUsable: boolean } {
  const { diagnostics, folders } = contentOf([{ slug: 'one', date: today, ...change }], today);
  return { diagnostics, isUsable: folders[0]?.agent !== null };
}

const agentMd = String(smallAgent({ slug: 'one', date: today })['agent.md']);
const front = (keys: Record<string, string>) => ({ front: keys });
const body = (markdown: string) => ({ files: { 'agent.md': `${agentMd}\n${markdown}\n` } });
const config = (json: string) => ({ files: { 'config.json': `{\n  "a": ${json}\n}\n` } });
/** Where the Markdown of `body` starts. */
const line = agentMd.split('\n').length + 1;
/** Invented, and assembled at run time so that scanners do not report this file as a leak. */
const tail = 'Q7ZK2WM9XC4VB8NS';

const hidden = 'text/hidden-character';
const escapes: [name: string, change: Partial<SmallAgent>, at: string, code: string, names: string][] = [
  ['YAML \\u', front({ title: '"The \\u202E agent"' }), 'agent.md:2:8', hidden, 'U+202E'],
  ['YAML \\x', front({ excerpt: '"A \\x08 backspace"' }), 'agent.md:8:10', hidden, 'U+0008'],
  ['YAML \\e', front({ excerpt: '"\\e]0;title"' }), 'agent.md:8:10', hidden, 'U+001B'],
  ['YAML \\N, a control beyond ASCII', front({ excerpt: '"next\\Nline"' }), 'agent.md:8:10', hidden, 'U+0085'],
  ['YAML \\U, not a character', front({ title: '"A \\U0001FFFE"' }), 'agent.md:2:8', hidden, 'U+1FFFE'],
  ['YAML, half of a character', front({ title: '"A \\uD800 b"' }), 'agent.md:2:8', hidden, 'U+D800'],
  ['YAML, in a list', front({ tags: '[testing, "a\\u200Bb"]' }), 'agent.md:5:17', hidden, 'U+200B'],
  ['YAML, in a key', front({ '"withdra\\u200Bwn"': 'x' }), 'agent.md:30:1', hidden, 'U+200B'],
  ['YAML, a secret', front({ title: `"\\x41KIA${tail}"` }), 'agent.md:2:8', 'text/secret', 'an Amazon access key'],
  ['YAML, an address', front({ videoUrl: '"https://press.example/\\uFEFF"' }), 'agent.md:30:11', hidden, 'U+FEFF'],
  ['JSON \\u', config('"x\\u202ey"'), 'config.json:2:8', hidden, 'U+202E'],
  ['JSON, in a list', { files: { 'config.json': '[\n  "a\\u200bb"\n]\n' } }, 'config.json:2:3', hidden, 'U+200B'],
  ['JSON, a text alone', { files: { 'config.json': '"a\\u200bb"\n' } }, 'config.json:1:1', hidden, 'U+200B'],
  ['JSON, half of a character', config('["x\\ud800"]'), 'config.json:2:9', hidden, 'U+D800'],
  ['JSON, in a key', config('{"\\u0000": 1}'), 'config.json:2:9', hidden, 'U+0000'],
  ['JSON, a secret', config(`"\\u0041KIA${tail}"`), 'config.json:2:8', 'text/secret', 'an Amazon access key'],
  ['an entity', body('Text &#x202E; text'), `agent.md:${line}:1`, hidden, 'U+202E'],
  ['an entity in decimal', body('First.\n\nSecond &#8203;.'), `agent.md:${line + 2}:1`, hidden, 'U+200B'],
  ['an entity by its name', body('# soft&shy;hyphen'), `agent.md:${line}:1`, hidden, 'U+00AD'],
  ['an entity in a link target', body('[a](https://press.example/&#x2060;b)'), `agent.md:${line}:1`, hidden, 'U+2060'],
  ['an entity in a link title', body('[a](/b "c&zwnj;d")'), `agent.md:${line}:1`, hidden, 'U+200C'],
  ['an entity in the text of an image', body('![a&#8288;b](/c.png)'), `agent.md:${line}:1`, hidden, 'U+2060'],
  ['an entity after a fence', body('```a&#8288;b\nx\n```'), `agent.md:${line}:1`, hidden, 'U+2060'],
  [
    'percent signs that a link shows decoded',
    body('<https://press.example/%08>'),
    `agent.md:${line}:1`,
    hidden,
    'U+0008',
  ],
  ['percent signs in a target', body('[a](https://press.example/%E2%80%AE)'), `agent.md:${line}:1`, hidden, 'U+202E'],
  ['an entity in a secret', body(`&#65;KIA${tail}`), `agent.md:${line}:1`, 'text/secret', 'an Amazon access key'],
  [
    'a backslash within a secret',
    body(`ghp\\_${tail.repeat(3)}`),
    `agent.md:${line}:1`,
    'text/secret',
    'a GitHub token',
  ],
];
for (const [name, change, at, code, names] of escapes) {
  test(`refuses text that is hidden by escapes: ${name}`, () => {
    const { diagnostics, isUsable } = check(change);
    const found = diagnostics.filter((it) => it.code.startsWith('text/'));
    assert.equal(
      found.map(({ file, line, column, code }) => `${file.slice('agents/one/'.length)}:${line}:${column} ${code}`),
      [`${at} ${code}`],
    );
    assert.match(found[0]?.message ?? '', names);
    assert.not.ok(JSON.stringify(diagnostics).includes(tail.slice(-6)));
    assert.is(isUsable, false);
  });
}

test('a text in escapes is reported once, also if another file has the same kind of text without escapes', () => {
  const change = { files: { ...config('"\\u202e \u202e"').files, 'sample-input.txt': 'a\u202eb\n' } };
  const both = check({ files: { ...config('"\\u202e"').files, 'sample-input.txt': 'a\u202eb\n' } }).diagnostics;
  const files = (found: readonly Diagnostic[]) => found.filter(({ code }) => code === hidden).map(({ file }) => file);
  assert.equal(files(both).sort(), ['agents/one/config.json', 'agents/one/sample-input.txt']);
  assert.equal(files(check(change).diagnostics).sort(), ['agents/one/config.json', 'agents/one/sample-input.txt']);
});

test('reports at most ten hidden texts or secrets of each kind', () => {
  const texts: [name: string, change: Partial<SmallAgent>, code: string][] = [
    ['Markdown', body('&#x202E;\n\n'.repeat(12)), hidden],
    ['JSON', config(`[${'"\\u202e", '.repeat(12)}1]`), hidden],
    ['YAML', front({ keywords: `[${'"\\u202e", '.repeat(12)}a]` }), hidden],
    ['plain text', { files: { 'sample-input.txt': `AKIA${tail}\n`.repeat(12) } }, 'text/secret'],
  ];
  for (const [name, change, code] of texts) {
    const found = check(change).diagnostics.filter((diagnostic) => diagnostic.code === code);
    assert.is(found.length, 10, name);
  }
});

/** The last lines of a sample, and the line with the conflict marker; 0 if there is none. */
const conflicts: [text: string, line: number][] = [
  ['<<<<<<<\na\n=======\nb\n>>>>>>>', 1],
  ['<<<<<<< HEAD\na', 1],
  ['=======\nb\n>>>>>>>', 3],
  ['=======\nb\n>>>>>>> main', 3],
  ['```\n<<<<<<<\n```\n<<<<<<< HEAD', 4],
  ['```\n=======\n```\n>>>>>>> main', 0],
  ['>>>>>>>\n=======', 0],
  ['<<<<<<<x\n=======\n>>>>>>>x', 0],
  ['a <<<<<<< b\n=======\n a >>>>>>> b', 0],
  ['<<<<<<<< a\n ======= \n>>>>>>> b', 0],
];
for (const [text, at] of conflicts) {
  test(`${JSON.stringify(text)} has ${at === 0 ? 'no conflict marker' : `a conflict marker in line ${at}`}`, () => {
    const found = check({ files: { 'sample-input.txt': `${text}\n` } }).diagnostics;
    assert.equal(
      found.map(({ code, line, column }) => `${code} ${line}:${column}`),
      at === 0 ? [] : [`text/conflict ${at}:1`],
    );
  });
}

test('accepts escapes that hide nothing', () => {
  const changes = [
    front({ title: '"Caf\\u00e9 \\\\ \\x41"' }),
    config('"caf\\u00e9 \\n \\t \\ud83d\\ude00"'),
    body(
      'A &amp; B &copy; &nbsp; \\*stars\\* 100% [a](/b%20c) <https://press.example/%C3%A9> [m](mailto:a@b.example?body=a%0D%0Ab)',
    ),
    body(`A line &amp; another: AKIA${tail.slice(0, 8)}\n${tail.slice(8)}`),
  ];
  for (const change of changes) assert.equal(check(change).diagnostics, []);
});

test('refuses the same text in the settings as in agents', async () => {
  const labels: [label: string, found: string][] = [
    ['Coding\u202e', '15:23 This is the hidden character U+202E, which changes the direction of text.'],
    ['Coding\0', '15:16 This is the hidden character U+0000, a control character.'],
  ];
  await inFolder((folder) => {
    writeCatalog(folder, [], { title: `AKIA${tail}`, tagline: 'Tiny\u202e' });
    const text = readFileSync(join(folder, 'catalog.config.json'), 'utf8').replace('AKIA', '\\u0041KIA');
    writeFiles(folder, { 'catalog.config.json': text });
    const both = refusal(() => loadSettings(folder, {}, {})).diagnostics;
    assert.equal(
      both.map(({ code, line }) => `${code} ${line}`),
      ['text/secret 2', `${hidden} 3`],
    );
    assert.not.match(JSON.stringify(both), tail);
    for (const [label, found] of labels) {
      writeCatalog(folder, [], { categories: { coding: { label, description: 'Programs.' } } });
      const error = refusal(() => loadSettings(folder, {}, {}));
      assert.equal(
        error.diagnostics.map(({ code, line, column, message }) => `${code} ${line}:${column} ${message}`),
        [`${hidden} ${found}`],
      );
    }
  });
});

function refusal(act: () => unknown): ContentError {
  try {
    act();
  } catch (error) {
    if (error instanceof ContentError) return error;
    throw error;
  }
  throw new Error('Nothing was refused.');
}

test('feeds are well-formed even if a template contains control characters', async () => {
  await inFolder((folder) => {
    writeCatalog(folder, [{ slug: 'one', date: today }]);
    writeFiles(folder, { 'templates/feed-entry.hbs': 'A\x08B\uFFFFC {{agent.title}}\n' });
    const files = render(folder, { today });
    for (const path of ['feed.xml', 'atom.xml', 'feeds/coding.xml']) {
      const xml = files.get(path) ?? '';
      assert.ok(xml.includes('A�B�C The one agent'), path);
      assert.not.match(xml, /[^\t\n\r\x20-\uD7FF\uE000-\uFFFD\u{10000}-\u{10FFFF}]/u, path);
      assert.not.match(
        xml.replace(/<!\[CDATA\[[\s\S]*?\]\]>/g, ''),
        /\]\]>|&(?!(?:amp|lt|gt|quot|apos|#\d+|#x[\da-fA-F]+);)/,
        path,
      );
    }
  });
});

test('a file with thousands of mistakes gets a limited number of reports, as fast as a file with a few', () => {
  const many = (make: (index: number) => string) => Array.from({ length: 6_000 }, (_, index) => make(index)).join('');
  const files: [name: string, text: string][] = [
    ['agent.md', agentMd.replace('---\n', `---\n${many((index) => `k${index}: 1\n`)}`)],
    ['agent.md', agentMd.replace('---\n', `---\n${many(() => 'title: a\n')}`)],
    ['agent.md', agentMd.replace('---\n', `---\n${many((index) => `k${index}: &a x\n`)}`)],
    ['agent.md', `${agentMd}\n${many(() => '# a\n\n')}`],
    ['agent.md', `${agentMd}\n${many(() => '<a ')}`],
    ['agent.md', `${agentMd}\n${many(() => '&#x202E;\n\n')}`],
    ['config.json', `{${many((index) => `"k${index}":"\\u202e",`)}"x":1}\n`],
    ['sample-input.txt', many(() => `AKIA${tail}\n`)],
  ];
  // If the time were quadratic, each of these would take from ten seconds to minutes.
  for (const [name, text] of files) {
    const { diagnostics } = check({ files: { [name]: text } });
    assert.ok(diagnostics.length <= 60, `${diagnostics.length} in ${name}`);
  }
});

test('a secret in the wrong place is masked in the message, also if the message cuts it', () => {
  const secret = `dop_v1_${'0123456789abcdef'.repeat(4)}`;
  const messages = check(front({ difficulty: secret })).diagnostics.map(({ message }) => message);
  assert.ok(messages.some((message) => message.includes('it has to be one of')));
  assert.not.match(messages.join('\n'), '0123');
});

test.run();
