import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { relatedAgents } from '../../src/site/shared/groups.ts';

/** A reader who liked one agent finds the most similar ones. */

test('shared tags count most, then the category and the words, rare ones more than common ones', () => {
  const agents = [
    agent('a', 'coding', ['testing', 'flaky'], 'Finds flaky tests'),
    agent('b', 'coding', ['testing'], 'Sorts imports'),
    agent('c', 'writing', ['flaky'], 'Writes about flaky tests'),
    agent('d', 'coding', ['style'], 'Finds style slips'),
    agent('e', 'coding', ['testing'], 'Finds tests that are missing'),
    agent('f', 'writing', ['poems'], 'Rhymes'),
  ];
  const related = relatedAgents(agents, 4)(0).map(({ slug }) => slug);
  assert.equal(related, ['c', 'e', 'b', 'd']);
});

test('without a common tag, the texts decide, and an agent with nothing in common is not listed', () => {
  const agents = [
    agent('a', 'coding', ['x'], 'Reads a changelog'),
    agent('b', 'writing', ['y'], 'Cooks soup'),
    agent('c', 'data', ['z'], 'Writes a changelog'),
  ];
  const related = relatedAgents(agents, 3)(0).map(({ slug }) => slug);
  assert.equal(related, ['c']);
});

test('if every agent of a large catalog has the same tag, only neighbors are considered', () => {
  const agents = Array.from({ length: 5000 }, (_, index) =>
    agent(`a${index}`, index % 2 === 0 ? 'even' : 'odd', ['same'], 'The same'),
  );
  const related = relatedAgents(agents, 3);
  for (const index of [0, 2500, 4999]) {
    const places = related(index).map(({ slug }) => Number(slug.slice(1)));
    assert.is(places.length, 3);
    assert.ok(places.every((place) => place !== index && Math.abs(place - index) <= 16 && (place - index) % 2 === 0));
  }
});

test('equally similar agents come in the order of the list, up to the requested number', () => {
  const agents = ['a', 'b', 'c', 'd', 'e'].map((slug) => agent(slug, 'coding', [slug < 'e' ? 'same' : 'other'], ''));
  const slugs = (index: number, count: number) => relatedAgents(agents, count)(index).map(({ slug }) => slug);
  assert.equal(slugs(1, 2), ['a', 'c']);
  assert.equal(slugs(3, 3), ['a', 'b', 'c']);
  // The last one shares only words that all agents have.
  assert.equal(slugs(4, 3), []);
  assert.equal(slugs(5, 3), []);
});

test('an agent that shares more rare words comes first', () => {
  const agents = [
    agent('a', 'one', ['a'], 'alpha bravo charlie delta'),
    agent('b', 'two', ['b'], 'zulu alpha yankee'),
    agent('c', 'three', ['c'], 'delta charlie xray bravo'),
    agent('d', 'four', ['d'], 'bravo delta'),
    agent('e', 'five', ['e'], 'whisky'),
  ];
  const slugs = (index: number) => relatedAgents(agents, 4)(index).map(({ slug }) => slug);
  assert.equal(slugs(0), ['c', 'd', 'b']);
  assert.equal(slugs(1), ['a']);
  assert.equal(slugs(4), []);
});

test('the nearest eight on each side are considered, even at the ends of the list', () => {
  const agents = Array.from({ length: 60 }, (_, index) => agent(`a${index}`, 'one', [`t${index}`], 'shared words'));
  agents.push(agent('other', 'two', ['other'], 'nothing alike'));
  const numbers = (index: number) => relatedAgents(agents, 100)(index).map(({ slug }) => Number(slug.slice(1)));
  assert.equal(numbers(0), [1, 2, 3, 4, 5, 6, 7, 8]);
  assert.equal(numbers(30), [22, 23, 24, 25, 26, 27, 28, 29, 31, 32, 33, 34]);
});

function agent(slug: string, category: string, tags: string[], excerpt: string) {
  return { slug, category, tags, title: '', excerpt, problem: '' };
}

test.run();
