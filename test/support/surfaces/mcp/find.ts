import { rich } from '../../rich-catalog.ts';
import { coding } from '../known.ts';
import { type Asked, richInFull, richLineInFull, short, shortLine, type summaries } from './asked.ts';

/** A search, and what it finds; each agent has the words of the query in the one field that is named. */
function search(query: string, found: (keyof typeof summaries)[], score: number): Asked {
  const lines = found.map((key) => shortLine(key, `, score ${score}`));
  return {
    method: 'tools/call',
    params: { name: 'search_agents', arguments: { query } },
    result: {
      structuredContent: {
        agents: found.map((key) => ({ ...short(key), score })),
        ...{ total: found.length, matched: 'every word' },
      },
    },
    text: `Showing ${found.length} of ${found.length}, best match first.\n\n${lines.join('\n')}`,
  };
}

const alternatives = `one of these categories: coding, writing;
or one of these tags: tag-one, tag-two, other-tag.`;
const tryInstead = { categories: ['coding', 'writing'], tags: ['tag-one', 'tag-two', 'other-tag'] };
/** A search for a word of a field that is not searched. */
const findsNothing = (query: string): Asked => ({
  method: 'tools/call',
  params: { name: 'search_agents', arguments: { query } },
  result: { structuredContent: { agents: [], total: 0, matched: 'nothing', tryInstead } },
  text: `No agent was found.\nTry fewer or other words, or list_agents with ${alternatives}`,
});

/** The requests that list and search agents. */
export const findRows: Record<string, Asked> = {
  list_agents: {
    method: 'tools/call',
    params: { name: 'list_agents' },
    result: { structuredContent: { agents: [short('newer'), short('rich'), short('older')], total: 3 } },
    text: `Showing 3 of 3, newest first:\n\n${[shortLine('newer'), shortLine('rich'), shortLine('older')].join('\n')}`,
  },
  'list_agents in full, a page of it, by all filters': {
    method: 'tools/call',
    params: {
      name: 'list_agents',
      arguments: { limit: 1, detail: 'full', tag: 'tag-two', runtime: '', category: '', difficulty: '' },
    },
    // The cursor is `before 2`: what follows are the agents with lower numbers.
    result: { structuredContent: { agents: [richInFull], total: 2, nextCursor: 'YmVmb3JlIDI' } },
    text: `Showing 1 of 2, newest first:\n\n${richLineInFull})\n\nMore follow: call list_agents with cursor "YmVmb3JlIDI".`,
  },
  'list_agents by the label of the category, difficulty and runtime': {
    method: 'tools/call',
    params: {
      name: 'list_agents',
      arguments: { category: coding, difficulty: rich.difficulty, runtime: rich.runtimes[1] },
    },
    result: { structuredContent: { agents: [short('rich')], total: 1 } },
    text: `Showing 1 of 1, newest first:\n\n${shortLine('rich')}`,
  },
  'list_agents of a category and a tag that there are not': {
    method: 'tools/call',
    params: { name: 'list_agents', arguments: { category: 'codin', tag: 'tag-on' } },
    result: { structuredContent: { agents: [], total: 0, tryInstead } },
    text: `No agent was found. No agent has this category; did you mean coding? No agent has this tag; did you mean tag-one?\nTry ${alternatives}`,
  },
  'search_agents by a title': search('title', ['rich'], 1),
  'search_agents by a keyword': search('seekword', ['rich'], 1),
  'search_agents by an excerpt': search('excerpt', ['rich'], 0.8),
  'search_agents by a category': search('coding', ['newer', 'rich'], 0.6),
  'search_agents by a problem': search('problem', ['rich'], 0.4),
  'search_agents by the name of a step': search('step', ['rich'], 0.4),
  'search_agents by an assistant': search('runtime', ['rich'], 0.6),
  'search_agents by a tag, in full': {
    method: 'tools/call',
    params: {
      name: 'search_agents',
      arguments: { query: 'TAG-TWO', category: 'Coding', tag: 'tag-two', detail: 'full' },
    },
    result: { structuredContent: { agents: [{ ...richInFull, score: 1 }], total: 1, matched: 'every word' } },
    text: `Showing 1 of 1, best match first.\n\n${richLineInFull}, score 1)`,
  },
  ...Object.fromEntries(
    ['text', 'sample', 'demo', 'inner', 'prompt', 'config', 'difficulty', 'formerly', 'video'].map((word) => [
      `search_agents by ${word}, which is not searched`,
      findsNothing(word),
    ]),
  ),
  'search_agents by words of which one is nowhere': {
    method: 'tools/call',
    params: { name: 'search_agents', arguments: { query: 'seekword zebra' } },
    places: { 'structuredContent.agents.*.slug': 'rich', 'structuredContent.matched': 'some words' },
    text: `Showing 1 of 1, best match first. No agent has every word of the query; these have some.\n\n${shortLine('rich', ', score 0.5')}`,
  },
};
