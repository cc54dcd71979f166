import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { type Relatable, relatedAgents } from '../src/artifacts/related.ts';

/** A reader who liked one agent is led to those most like it. */

test('shared tags count most, then the category and the words of title and excerpt', () => {
  const agents = [
    agent('a', 'coding', ['testing', 'flaky'], 'Finds flaky tests'),
    agent('b', 'coding', ['testing'], 'Sorts imports'),
    agent('c', 'writing', ['flaky'], 'Writes about flaky tests'),
    agent('d', 'coding', ['style'], 'Finds style slips in tests'),
    agent('e', 'coding', ['testing'], 'Finds tests that are missing'),
    agent('f', 'writing', ['poems'], 'Rhymes'),
  ];
  const related = relatedAgents(agents, 4)(0).map(({ slug }) => slug);
  assert.equal(related, ['e', 'c', 'b', 'd']);
});

test('an agent with nothing in common is never named, nor the agent itself', () => {
  const agents = [agent('a', 'coding', ['x'], 'One'), agent('b', 'writing', ['y'], 'Two')];
  assert.equal(relatedAgents(agents, 3)(0), []);
});

test('one tag on every agent of a large catalog is answered from the neighbourhood', () => {
  const agents = Array.from({ length: 5000 }, (_, index) => agent(`a${index}`, 'coding', ['same'], 'The same'));
  const related = relatedAgents(agents, 3);
  for (const index of [0, 2500, 4999]) {
    const places = related(index).map(({ slug }) => Number(slug.slice(1)));
    assert.is(places.length, 3);
    assert.ok(places.every((place) => place !== index && Math.abs(place - index) <= 16));
  }
});

function agent(slug: string, category: string, tags: string[], excerpt: string): Relatable {
  return { slug, category, tags, title: '', excerpt };
}

test.run();
