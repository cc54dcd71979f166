import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { checkContent } from '../../src/content/load.ts';
import { splitFrontMatter } from '../../src/content/parse/front-matter.ts';
import { readAgents } from '../../src/content/read.ts';
import { editorialFindings } from '../../src/content/rules/index.ts';
import { markdownFindings } from '../../src/text/markdown.ts';
import { inFolder, smallAgent, smallSettings, writeCatalog } from '../support/catalog.ts';
import type { Change } from '../support/editorial-mistakes.ts';
import { goodPrompt } from '../support/good-agent.ts';

/** The limits of an agent's texts that no schema contains. A text at the limit is accepted; one past it is reported. */

const date = '2026-01-01';

/** Checks an agent that is made in memory. */
function checked(change: Change) {
  const files = Object.entries(smallAgent({ slug: 'one', date, ...change }));
  const source = {
    slug: 'one',
    files: files.map(([name, content]) => ({ name, bytes: Buffer.from(content), problem: null })),
    problem: null,
  };
  return checkContent([source], smallSettings, date);
}

/** Returns the findings of the editorial rules in an agent, as `code message`. */
function findings(change: Change): string[] {
  const { folders, diagnostics } = checked(change);
  assert.equal(diagnostics, []);
  return folders
    .flatMap((folder) => editorialFindings(folder, smallSettings.language))
    .map(({ code, message }) => `${code} ${message}`);
}

const front = (key: string, value: unknown): Change => ({ front: { [key]: JSON.stringify(value) } });
const times = <Item>(count: number, item: (index: number) => Item) =>
  Array.from({ length: count }, (_, at) => item(at));
const points = (count: number) =>
  times(count, (second) => ({ second, label: `Point ${second}`, detail: 'It goes on.' }));
/** Makes a demo whose second point has other values. */
const demoWith = (change: object) =>
  front(
    'demo',
    points(4).map((point, index) => (index === 3 ? { ...point, ...change } : point)),
  );
const rules = /RULES\n[\s\S]*?\n\nOUTPUT/;

/**
 * A limit of an editorial rule: its finding, the lowest and highest accepted count, and an agent with a given count.
 */
const ranges: [name: string, finding: RegExp, fewest: number | null, most: number, make: (count: number) => Change][] =
  [
    [
      'characters of the problem',
      /one-job/,
      40,
      400,
      (n) =>
        front(
          'problem',
          `Ada counts lamps${' again'.repeat(70)}`
            .slice(0, n - 1)
            .replace(/ $/, 's')
            .concat('.'),
        ),
    ],
    ['characters of the excerpt', /excerpt/, 60, 160, (n) => front('excerpt', `Finds r${'o'.repeat(n - 9)}w.`)],
    ['emoji of the excerpt', /excerpt/, 60, 160, (n) => front('excerpt', `Finds ${'🙂'.repeat(n - 7)}.`)],
    [
      'steps',
      /demo.*step/,
      3,
      7,
      (n) =>
        front(
          'steps',
          times(n, (index) => ({ name: `Step ${index}`, text: 'Do it.' })),
        ),
    ],
    ['points of the demo', /demo.*point/, 4, 8, (n) => front('demo', points(n))],
    ['seconds of the demo', /demo.*end by 90/, null, 90, (second) => demoWith({ second })],
    ['characters of a label', /demo.*at most 40/, null, 40, (n) => demoWith({ label: '🙂'.repeat(n) })],
    [
      'tags',
      /portable.*tag/,
      2,
      6,
      (n) =>
        front(
          'tags',
          times(n, (index) => `tag-${index}`),
        ),
    ],
    [
      'words of the prompt',
      /portable.*words/,
      120,
      900,
      (n) => ({ files: { 'prompt.txt': `INPUT\n- A\n\nRULES\n1. ${'word '.repeat(n - 5)}- –\n\nOUTPUT\n` } }),
    ],
    [
      'rules',
      /rules-count.*rule/,
      5,
      12,
      (n) => ({
        files: {
          'prompt.txt': goodPrompt.replace(
            rules,
            `RULES\n${times(n, (index) => `${index + 1}. Check column ${index} once.`).join('\n')}\n\nOUTPUT`,
          ),
        },
      }),
    ],
    ['lines of the sample', /sample.*lines/, 8, 60, (n) => ({ files: { 'sample-input.txt': 'lamp, 12\n'.repeat(n) } })],
  ];

for (const [name, finding, fewest, most, make] of ranges) {
  test(`${name}: ${fewest ?? 'none'} to ${most}`, () => {
    const counts = [...(fewest === null ? [] : [fewest - 1, fewest]), most, most + 1];
    const expected = [...(fewest === null ? [] : [true, false]), false, true];
    const found = counts.map((count) => findings(make(count)).filter((text) => finding.test(text)));
    assert.equal(
      found.map((texts) => texts.length > 0),
      expected,
      JSON.stringify(counts.map((count) => findings(make(count)))),
    );
  });
}

const nested = (levels: number) => `${'['.repeat(levels)}${']'.repeat(levels)}`;

test('a config nests 50 levels deep, and holds only numbers that every program reads alike', () => {
  const fine = [nested(50), `"${'['.repeat(60)}"`, '9007199254740991', '-9007199254740991', '1e308', '0.1'];
  const wrong = [nested(51), '9007199254740992', '-9007199254740992', '1e309'];
  const isRefused = (text: string) =>
    checked({ files: { 'config.json': text } }).diagnostics.some(({ code }) => code === 'config/json');
  assert.equal(fine.filter(isRefused), []);
  assert.equal(wrong.filter(isRefused), wrong);
});

test('the front matter has up to 65,536 characters', () => {
  const source = (length: number) => `---\ntitle: ${'x'.repeat(length - '---\ntitle: '.length)}\n---\nBody.\n`;
  const split = (length: number) => splitFrontMatter(source(length), 'agent.md', 'one');
  assert.ok('body' in split(65_536));
  const refused = split(65_537);
  assert.ok('message' in refused && refused.message.includes('65537 characters; at most 65536'));
});

const lists = (levels: number) => times(levels, (level) => `${'  '.repeat(level)}- x\n`).join('');
const markdown: [name: string, most: number, make: (count: number) => string][] = [
  ['characters', 65_536, (n) => 'x'.repeat(n)],
  ['headings', 100, (n) => '# x\n\n'.repeat(n)],
  ['headings beside a link', 100, (n) => `[a](/b)\n\n${'# x\n\n'.repeat(n)}`],
  ['underlined headings', 100, (n) => 'x\n=\n\n'.repeat(n)],
  ['nested lists', 20, lists],
  ['nested quotes', 20, (n) => `${'>'.repeat(n)} x\n`],
  [
    'lists in quotes',
    20,
    (n) =>
      `> > ${lists(n - 2)
        .trimEnd()
        .replaceAll('\n', '\n> > ')}\n`,
  ],
];

for (const [name, most, make] of markdown) {
  test(`Markdown has up to ${most} ${name}`, () => {
    const codes = (count: number) => markdownFindings(make(count)).map(({ code }) => code);
    assert.equal([codes(most), codes(most + 1)], [[], ['markdown/size']]);
  });
}

test('a file of an agent has up to 256 KiB', () =>
  inFolder((folder) => {
    writeCatalog(folder, [{ slug: 'one', date }]);
    const problemOf = (size: number) => {
      writeFileSync(join(folder, 'agents', 'one', 'prompt.txt'), Buffer.alloc(size, 'x'));
      return readAgents(folder)[0]?.files.find(({ name }) => name === 'prompt.txt')?.problem;
    };
    assert.is(problemOf(262_144), null);
    assert.equal(problemOf(262_145), { kind: 'too-large', reason: '262145' });
  }));

test.run();
