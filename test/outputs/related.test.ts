import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { relatedAgents } from '../../src/outputs/pages/related.ts';

/** A reader who liked one agent is led to those most like it. */

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

test('without a tag in common the texts decide, and an agent with nothing in common is not named', () => {
  const agents = [
    agent('a', 'coding', ['x'], 'Reads a changelog'),
    agent('b', 'writing', ['y'], 'Cooks soup'),
    agent('c', 'data', ['z'], 'Writes a changelog'),
  ];
  const related = relatedAgents(agents, 3)(0).map(({ slug }) => slug);
  assert.equal(related, ['c']);
});

test('one tag on every agent of a large catalog is answered from the neighbourhood', () => {
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

function agent(slug: string, category: string, tags: string[], excerpt: string) {
  return { slug, category, tags, title: '', excerpt, problem: '' };
}

test.run();
