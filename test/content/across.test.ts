import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { findingsAcross } from '../../src/content/rules/across.ts';
import type { SmallAgent } from '../support/catalog.ts';
import { contentOf } from '../support/memory.ts';

/** The rules that compare agents: prompts that repeat an earlier one, and tags that are nearly the same. */

function findings(agents: readonly SmallAgent[]): string[] {
  return findingsAcross(contentOf(agents, '2026-02-01').folders).map(({ slug, message }) => `${slug}: ${message}`);
}

const words = (prefix: string, count: number) => Array.from({ length: count }, (_, index) => `${prefix}${index}`);

/** A prompt of 104 words, which are 100 runs of five. The first `shared` + 1 words are the same for all slugs. */
const promptOf = (slug: string, shared: number) =>
  `INPUT\n${[...words('shared', shared), ...words(slug, 99 - shared)].join(' ')}\n\nRULES\n${slug}a\n\nOUTPUT\n${slug}b\n`;

/** A prompt of some lists of words, between words of its own. */
const promptWith = (slug: string, ...parts: string[][]) =>
  `INPUT\n${[slug, ...parts.flat()].join(' ')}\n\nRULES\n${slug}a\n\nOUTPUT\n${slug}b\n`;

const agent = (slug: string, day: number, prompt: string, front: SmallAgent['front'] = {}): SmallAgent => ({
  slug,
  date: `2026-01-${String(day).padStart(2, '0')}`,
  front: { ...front, tags: '[small, testing]' },
  files: { 'prompt.txt': prompt },
});
const share = (percent: number, slug: string) =>
  `${percent}% of this prompt is also in \`${slug}\`, counted in runs of five words.`;

test('a prompt is reported from half of an earlier one on', () => {
  // 54 shared words are 50 runs of five.
  assert.equal(findings([agent('one', 1, promptOf('one', 53)), agent('two', 2, promptOf('two', 53))]), [
    `two: ${share(50, 'one')}`,
  ]);
  assert.equal(findings([agent('one', 1, promptOf('one', 52)), agent('two', 2, promptOf('two', 52))]), []);
});

test('case, punctuation and line breaks make no difference', () => {
  const original = agent('one', 1, promptOf('one', 99));
  for (const separator of [',\n', '\u00a0', '—', '、', '！', ' “']) {
    const changed = original.files?.['prompt.txt']
      ?.toString()
      .replaceAll(' ', separator)
      .replaceAll('shared', 'Shared');
    assert.equal(findings([original, agent('two', 2, changed ?? '')]), [`two: ${share(100, 'one')}`], separator);
  }
});

for (const [one, two] of [
  ['слово', 'дело'],
  ['á', 'à'],
  ['z', ''],
  ['a', ''],
] as const) {
  test(`prompts whose words begin with "${one}" and "${two}" share nothing`, () => {
    const prompt = (prefix: string) => promptOf('one', 99).replaceAll('shared', prefix);
    assert.equal(findings([agent('one', 1, prompt(one)), agent('two', 2, prompt(two))]), []);
    assert.equal(findings([agent('one', 1, prompt(one)), agent('two', 2, prompt(one))]), [`two: ${share(100, 'one')}`]);
  });
}

test('a prompt is compared with the one that it shares most with', () => {
  const half = `${words('x', 60).join(' ')}`;
  const whole = `${half} ${words('y', 30).join(' ')}`;
  const prompt = (text: string, slug: string) => `INPUT\n${slug} ${text}\n\nRULES\n${slug}a\n\nOUTPUT\n${slug}b\n`;
  const found = findings([
    agent('one', 1, prompt(half, 'one')),
    agent('two', 2, prompt(`${words('y', 30).join(' ')} ${half} ${words('z', 90).join(' ')}`, 'two')),
    agent('three', 3, prompt(whole, 'three')),
  ]);
  // Of its 92 runs, 56 are in one, and 56 + 26 in two.
  assert.equal(found, [`three: ${share(89, 'two')}`]);
});

test('a prompt is compared with the one that it shares more with, even if a later one has half of it too', () => {
  const [x, y, z, w] = [words('x', 60), words('y', 30), words('z', 10), words('w', 20)];
  const found = findings([
    agent('one', 1, promptWith('one', x, y)),
    agent('two', 2, promptWith('two', z, w, x)),
    agent('three', 3, promptWith('three', x, y, w)),
  ]);
  // Of the 92 runs of two, 56 are in one. Of the 112 runs of three, 86 are in one, and 56 + 16 in two.
  assert.equal(found, [`two: ${share(60, 'one')}`, `three: ${share(76, 'one')}`]);
});

test('of many earlier prompts that a prompt shares a passage with, it is compared with those that it shares most with', () => {
  const passages = Array.from({ length: 7 }, (_, at) => words(String.fromCharCode(112 + at), at === 3 ? 500 : 60));
  const found = findings([
    ...passages.map((passage, at) => agent(`n${at}`, at + 1, promptWith(`n${at}`, passage, words(`own${at}x`, 500)))),
    agent('last', 9, promptWith('last', ...passages)),
  ]);
  // Of its 862 runs, 496 are in the long passage.
  assert.equal(found, [`last: ${share(57, 'n3')}`]);
});

test('of two earlier prompts that a prompt shares as much with, the first is named', () => {
  const [x, y, z] = [words('x', 30), words('y', 30), words('z', 30)];
  const found = findings([
    agent('one', 1, promptWith('one', x, y)),
    agent('two', 2, promptWith('two', y, z)),
    agent('three', 3, promptWith('three', x, y, z, ['last'])),
  ]);
  // Of the 93 runs of three, 56 are in one, and 56 in two. Of the 62 of two, 26 are in one.
  assert.equal(found, [`three: ${share(60, 'one')}`]);
});

test('a passage that a prompt repeats counts once', () => {
  const x = words('x', 60).join(' ');
  const prompt = (text: string, slug: string) => `INPUT\n${slug} ${text}\n\nRULES\n${slug}a\n\nOUTPUT\n${slug}b\n`;
  // Of the 62 runs of two, 57 are in one: 56 of the passage, and one that also has RULES.
  assert.equal(findings([agent('one', 1, prompt(`${x} ${x}`, 'one')), agent('two', 2, prompt(x, 'two'))]), [
    `two: ${share(91, 'one')}`,
  ]);
});

test('the earlier agent is the one with the lower number, then the earlier date; drafts come last', () => {
  const text = promptOf('one', 99);
  const numbered = agent('numbered', 9, text, { issue: '1' });
  const draft = agent('draft', 1, text, { draft: 'true' });
  const found = findings([draft, agent('b', 3, text), agent('a', 2, text), numbered]);
  assert.equal(
    found.sort(),
    ['a', 'b', 'draft'].map((slug) => `${slug}: ${share(100, 'numbered')}`),
  );
  assert.equal(findings([agent('b', 3, text), agent('a', 4, text)]), [`a: ${share(100, 'b')}`]);
  assert.equal(findings([draft, agent('b', 3, text)]), [`draft: ${share(100, 'b')}`]);
});

test('withdrawn agents, short prompts and prompts with placeholders are not compared', () => {
  const text = promptOf('one', 99);
  const withdrawn = agent('one', 1, text, { issue: '1', withdrawn: 'It was wrong.' });
  assert.equal(findings([withdrawn, agent('two', 2, text)]), []);
  const short = `INPUT\n${words('a', 30).join(' ')}\n\nRULES\na\n\nOUTPUT\nb\n`;
  assert.equal(findings([agent('one', 1, short), agent('two', 2, short)]), []);
  const started = `[Write 5 to 12 rules, one line each. At least three have a number, a limit or a yes/no test; a prohibition says what to do instead.]\n${text}`;
  assert.equal(findings([agent('one', 1, started), agent('two', 2, started)]), []);
  assert.equal(findings([agent('one', 1, started), agent('two', 2, text)]), []);
});

test('in scripts without spaces, characters are compared', () => {
  const text = Array.from({ length: 60 }, (_, index) => String.fromCodePoint(0x4e00 + index)).join('');
  const prompt = (slug: string) => `INPUT\n${text}\n\nRULES\n${slug}\n\nOUTPUT\n${slug}\n`;
  // 65 words are 61 runs. INPUT, the ideographs and RULES are the same: 62 words, or 58 runs.
  assert.equal(findings([agent('one', 1, prompt('one')), agent('two', 2, prompt('two'))]), [
    `two: ${share(95, 'one')}`,
  ]);
});

const tagged = (slug: string, day: number, tags: string, front = {}): SmallAgent => ({
  ...agent(slug, day, promptOf(slug, 0), front),
  front: { ...front, tags: `[${tags}]` },
});
const close = (tag: string, known: string, count: string) =>
  `The tag \`${tag}\` is close to \`${known}\`, which ${count}.`;

const pairs: [name: string, first: string, second: string, isClose: boolean][] = [
  ['a plural', 'unit-tests', 'unit-test', true],
  ['a hyphen', 'code-review', 'codereview', true],
  ['two hyphens', 'end-to-end', 'endtoend', true],
  ['a letter of six', 'review', 'reviev', true],
  ['a letter of five', 'tests', 'texts', false],
  ['two letters of ten', 'accessible', 'accesssibl', true],
  ['two letters of nine', 'databases', 'dataabse', false],
  ['the plural of two letters', 'cs', 'css', false],
  ['a number', 'python-2', 'python-3', false],
  ['two letters of seven', 'release', 'relapse', false],
];
for (const [name, first, second, isClose] of pairs) {
  test(`tags that differ in ${name} are ${isClose ? '' : 'not '}close`, () => {
    const found = findings([tagged('one', 1, first), tagged('two', 2, second)]);
    assert.equal(found, isClose ? [`two: ${close(second, first, 'another agent has')}`] : []);
  });
}

test('the tag that fewer agents have is reported for each of them', () => {
  const found = findings([
    tagged('one', 1, 'unit-test, small'),
    tagged('two', 2, 'unit-tests'),
    tagged('three', 3, 'unit-tests'),
    tagged('four', 4, 'unit-tests'),
    tagged('five', 5, 'unit-test'),
  ]);
  assert.equal(found, [
    `one: ${close('unit-test', 'unit-tests', '3 agents have')}`,
    `five: ${close('unit-test', 'unit-tests', '3 agents have')}`,
  ]);
});

test('a tag is close to its plural rather than to a tag with another letter, which more agents have', () => {
  const tags = ['unit-texts', 'unit-texts', 'unit-texts', 'unit-test', 'unit-test', 'small, unit-tests'];
  const agents = tags.map((tag, index) => tagged(`n${index}`, index + 1, tag));
  assert.equal(findings(agents), [`n5: ${close('unit-tests', 'unit-test', '2 agents have')}`]);
  const { line, column } = findingsAcross(contentOf(agents, '2026-02-01').folders)[0] ?? {};
  // tags: [small, unit-tests]
  assert.equal([line, column], [5, 15]);
});

test.run();
