import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { fixesOf } from '../../src/content/fix-and-rename.ts';
import { loadContent } from '../../src/content/load.ts';
import { readAgents } from '../../src/content/read.ts';
import { select } from '../../src/content/schedule.ts';
import { loadSettings } from '../../src/content/settings.ts';
import { headingOf, inputsOf } from '../../src/text/prompt-text.ts';
import { bundled } from '../support/catalog.ts';

/** The bundled catalog as a whole: its prompts are different from each other, and its calendar and tags hold together. */

const settings = loadSettings(bundled, {}, {});
const content = loadContent(bundled, settings, '2026-11-22');
const { agents } = select(content, { today: '2026-11-22', future: true });

/** The words of a text in lower case. */
const wordsOf = (text: string): string[] => text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? [];

/** The runs of five words of a text, each once. */
function runsOf(text: string): Set<string> {
  const words = wordsOf(text);
  return new Set(words.map((_, at) => words.slice(at, at + 5).join(' ')).slice(0, -4));
}

/** The sentences of at least four words of a prompt, each once, without the headings of its sections. */
function sentencesOf(prompt: string): Set<string> {
  const sentences = prompt
    .split('\n')
    .filter((line) => headingOf(line) === undefined)
    .flatMap((line) => line.split(/(?<=[.:;!?]["')]?)\s+/))
    .map(wordsOf)
    .filter((words) => words.length >= 4);
  return new Set(sentences.map((words) => words.join(' ')));
}

/** Counts in how many of the lists each value occurs, the most frequent first. */
function countsOf(lists: readonly Iterable<string>[]): [value: string, count: number][] {
  const counts = new Map<string, number>();
  for (const value of lists.flatMap((list) => [...list])) counts.set(value, (counts.get(value) ?? 0) + 1);
  return [...counts].sort(([, a], [, b]) => b - a);
}

test('every input has a hint for the reader: one or two short sentences that start with what to do', () => {
  const hints = agents.flatMap(({ slug, inputs, texts }) =>
    inputsOf(texts().prompt).map(({ name }) => ({ place: `${slug}, ${name}`, hint: inputs?.[name] ?? '' })),
  );
  assert.ok(hints.length > 100);
  const verbs = /^(?:Copy|Describe|Enter|Give|Leave|List|Name|Paste|Say|Write) /;
  const others = hints.filter(({ hint }) => !verbs.test(hint) || !hint.endsWith('.') || hint.length > 150);
  assert.equal(others, []);
});

test('`catalog fix` has nothing to change', () => {
  const fixes = readAgents(bundled).flatMap((folder) => fixesOf(folder, true));
  assert.equal(
    fixes.map(({ file }) => file),
    [],
  );
});

test('no two prompts share more than a tenth of their runs of five words', () => {
  const texts = agents.map(({ slug, texts }) => ({ slug, runs: runsOf(texts().prompt) }));
  const pairs = texts.flatMap((a, at) =>
    texts.slice(at + 1).map((b) => {
      const shared = [...a.runs].filter((run) => b.runs.has(run)).length;
      return { share: shared / Math.min(a.runs.size, b.runs.size), pair: `${a.slug} and ${b.slug}` };
    }),
  );
  const alike = pairs
    .sort((a, b) => b.share - a.share)
    .map(({ share, pair }) => `${(share * 100).toFixed(1)}% ${pair}`);
  console.log(`runs of five words that two of ${agents.length} prompts share: ${alike.slice(0, 3).join(', ')}`);
  assert.equal(
    pairs.filter(({ share }) => share > 0.1).map(({ pair }) => pair),
    [],
  );
});

test('no sentence occurs in more than two prompts', () => {
  const counts = countsOf(agents.map(({ texts }) => sentencesOf(texts().prompt)));
  const repeated = counts.filter(([, count]) => count > 1).map(([sentence, count]) => `${count} times "${sentence}"`);
  console.log(
    `of ${counts.length} sentences, ${repeated.length} occur in two or more prompts`,
    ...repeated.slice(0, 3),
  );
  assert.equal(
    counts.filter(([, count]) => count > 2).map(([sentence]) => sentence),
    [],
  );
});

test('each category has at least four agents', () => {
  const counts = new Map(countsOf(agents.map(({ category }) => [category])));
  for (const category of Object.keys(settings.categories)) {
    assert.ok((counts.get(category) ?? 0) >= 4, `${category}: ${counts.get(category)}`);
  }
});

test('one agent appears on each day from the first date to the last', () => {
  const dates = agents.map(({ date }) => date).sort();
  const first = Date.parse(dates[0] ?? '');
  const expected = dates.map((_, day) => new Date(first + day * 86_400_000).toISOString().slice(0, 10));
  assert.equal(dates, expected);
});

test('all agents together have 12 to 20 tags', () => {
  const tags = countsOf(agents.map((agent) => agent.tags));
  assert.ok(tags.length >= 12 && tags.length <= 20, `${tags.length}: ${tags.map(([tag]) => tag).join(', ')}`);
});

test.run();
