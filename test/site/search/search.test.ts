import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { loadContent } from '../../../src/content/load.ts';
import { select } from '../../../src/content/schedule.ts';
import { loadSettings } from '../../../src/content/settings.ts';
import { queryTerms, rootOf, searchAgents, stemOf } from '../../../src/site/search/query.ts';
import { searchIndex } from '../../../src/site/search/search-index.ts';
import { listedDocumentOf } from '../../../src/site/shared/agent-document.ts';
import { addresses } from '../../../src/site/site.ts';
import { bundledTexts } from '../../support/catalog.ts';
import {
  heldOutQueries,
  laterQueries,
  type SearchQuery,
  searchQueries,
  tuningQueries,
  untouchedQueries,
} from '../../support/search-queries.ts';

/** The search of pages and MCP, evaluated with the bundled agents and the words of people who do not know them. */

const test = suite('the search');
const cwd = bundledTexts();
const settings = loadSettings(cwd, {}, {});
const content = loadContent(cwd, settings, '2026-12-01');
const { agents: catalog } = select(content, { today: '2026-12-01', future: true });
const indexed = catalog.map((agent) => ({
  ...agent,
  changedOn: agent.date,
  document: listedDocumentOf(agent, settings, addresses(settings)),
}));
/** The first ten agents, among which most queries were answered. */
const documented = indexed.filter(({ date }) => date <= '2026-11-24');
const agents = documented;
const index = searchIndex(documented);

/** The slugs that a query finds, the best first. */
const found = (query: string, of = index) => searchAgents(of, query, () => true).map(({ id }) => id);

/**
 * Counts the queries with an answer in first place, and in the first three. Of the queries without an answer, counts
 * those that find nothing. `results` is how many agents a query with an answer finds on average.
 */
function figures(queries: readonly SearchQuery[], of = index) {
  const rows = queries.map(([query, best]) => ({ best, slugs: found(query, of) }));
  const answered = rows.filter(({ best }) => best.length > 0);
  const others = rows.filter(({ best }) => best.length === 0);
  const share = (hits: unknown[], all: unknown[]) => hits.length / all.length;
  return {
    first: share(
      answered.filter(({ best, slugs }) => best.includes(slugs[0] ?? '')),
      answered,
    ),
    third: share(
      answered.filter(({ best, slugs }) => slugs.slice(0, 3).some((slug) => best.includes(slug))),
      answered,
    ),
    nothing: share(
      others.filter(({ slugs }) => slugs.length === 0),
      others,
    ),
    results: answered.reduce((sum, { slugs }) => sum + slugs.length, 0) / answered.length,
  };
}

test('finds the best agent first in nine queries of ten, and nothing for a cake recipe', () => {
  const [tuned, heldOut] = [figures(searchQueries), figures(heldOutQueries)];
  assert.ok(tuned.first >= 0.9 && tuned.third >= 0.9 && tuned.nothing === 1, JSON.stringify(tuned));
  assert.ok(heldOut.first >= 0.8 && heldOut.third >= 0.85 && heldOut.nothing >= 0.85, JSON.stringify(heldOut));
  assert.equal(found('chocolate cake recipe'), []);
});

test('among all agents, finds the best first in more than eight queries of ten that never tuned it', () => {
  const all = searchIndex(indexed, settings.synonyms);
  const [tuned, untouched] = [figures(tuningQueries, all), figures(untouchedQueries, all)];
  assert.ok(tuned.first >= 0.95 && tuned.third >= 0.98 && tuned.nothing === 1, JSON.stringify(tuned));
  assert.ok(untouched.first >= 0.85 && untouched.third >= 0.92 && untouched.nothing >= 0.9, JSON.stringify(untouched));
  assert.ok(tuned.results <= 5 && untouched.results <= 5, JSON.stringify([tuned, untouched]));
});

test('finds the agent for slow queries first by the names of databases, in any order of the words', () => {
  const all = searchIndex(indexed, settings.synonyms);
  for (const query of ['mysql slow', 'slow mysql', 'postgres', 'PostgreSQL', 'slow postgres query', 'mariadb slow']) {
    assert.is(found(query, all)[0], 'sql-plan-explainer', query);
  }
  assert.is(found('mysql migration', all)[0], 'migration-rehearser');
});

test('finds an agent by a synonym in the settings, after one that has the word, and by the assistants that it is for', () => {
  const synonyms = [
    ['runbook', 'vademecum'],
    ['boundary', 'rim line'],
  ];
  // A synonym of several words needs all of them.
  assert.equal(found('quagga', searchIndex(documented, [['boundary zeppelin', 'quagga']])), []);
  const widened = searchIndex(documented, synonyms);
  assert.equal(found('vademecum', searchIndex(documented)), []);
  assert.equal(found('vademecum', widened), ['runbook-dry-runner']);
  assert.equal(found('rim line', widened), ['boundary-case-miner']);
  const cursor = documented.filter(({ runtimes }) => runtimes.includes('Cursor')).map(({ slug }) => slug);
  assert.equal(found('cursor').sort(), cursor.sort());
});

test('among all agents, finds the best first in seven queries of ten', () => {
  const queries = [...searchQueries, ...heldOutQueries, ...laterQueries];
  const { first, third, nothing } = figures(queries, searchIndex(indexed));
  // Far below the aim for ten agents, 0.9: common words and tags of many agents outweigh the rare ones.
  assert.ok(first >= 0.7 && third >= 0.75 && nothing >= 0.85, JSON.stringify({ first, third, nothing }));
});

test('owes more to the agents’ own texts than to keywords', () => {
  const bare = searchIndex(documented.map((agent) => ({ ...agent, keywords: [] })));
  const { first } = figures([...searchQueries, ...heldOutQueries], bare);
  assert.ok(first >= 0.5, String(first));
  const keywords = new Map(
    agents.map(({ slug, keywords: list }) => [slug, new Set((list ?? []).flatMap(queryTerms).map(stemOf))]),
  );
  const all = [...searchQueries, ...heldOutQueries].filter(([, best]) => best.length > 0);
  const untouched = all.filter(([query, best]) => {
    return !queryTerms(query).some((word) => best.some((slug) => keywords.get(slug)?.has(stemOf(word))));
  });
  // Keywords written for these queries would leave hardly any of them untouched.
  assert.ok(untouched.length >= all.length * 0.3, `${untouched.length} of ${all.length}`);
});

test('finds forms of a word, prefixes of three letters, and longer words with a typo', () => {
  const rows: [query: string, slugs: string[]][] = [
    ['dependency', ['dependency-bump-judge']],
    ['dependencies', ['dependency-bump-judge']],
    ['dep', ['dependency-bump-judge']],
    ['de', []],
    ['spredsheet', ['spreadsheet-smell-tester']],
    ['runbok', ['runbook-dry-runner']],
    ['fom', []],
    ['what is it and how would you do this', []],
    ['the runbooks of our team', ['runbook-dry-runner']],
    ['', []],
    ['  ,;! ', []],
  ];
  for (const [query, slugs] of rows) assert.equal(found(query), slugs, query);
});

test('finds a word with two letters in the wrong order, two words that agents have as one, and related words', () => {
  const all = searchIndex(indexed, settings.synonyms);
  assert.is(found('tabel', all)[0], found('table', all)[0]);
  assert.is(found('run book', all)[0], 'runbook-dry-runner');
  assert.is(found('translater', all)[0], 'translation-line-by-line');
  for (const words of [
    ['translate', 'translated', 'translation', 'translator'],
    ['contradict', 'contradiction', 'contradictory'],
    ['require', 'requirement', 'requirements'],
    ['form', 'forms'],
    ['station', 'stations'],
  ]) {
    assert.is(new Set(words.map(rootOf)).size, 1, words.join());
    for (const word of words) assert.ok(word.startsWith(rootOf(word)), word);
  }
  assert.is.not(rootOf('station'), rootOf('state'));
});

test('a pasted text or a very long word stops neither a page nor a server', () => {
  let searched = 0;
  const search: typeof index.search = (query, options) => {
    searched += (query as { queries: readonly unknown[] }).queries.length;
    assert.ok(searched < 20_000, `more than ${searched} terms are searched`);
    return index.search(query, options);
  };
  const counting = Object.assign(Object.create(index) as typeof index, { search });
  const pasted = Array.from({ length: 10_000 }, (_, at) => `word${at}`).join(' ');
  for (const query of ['x'.repeat(100_000), pasted]) {
    searched = 0;
    assert.equal(found(query, counting), [], query.slice(0, 20));
  }
  assert.is(found(`flaky test ${'x'.repeat(100_000)}`)[0], found('flaky test')[0]);
});

test('scores how much of the query an agent has: 1 for every word in its title, tags or keywords', () => {
  const [hit] = searchAgents(index, 'flaky test', () => true);
  assert.equal([hit?.id, hit?.score, hit?.whole], ['flaky-test-detective', 1, true]);
  const [part] = searchAgents(index, 'flaky zeppelin', () => true);
  assert.is(part?.whole, false);
  assert.ok(part !== undefined && part.score > 0.4 && part.score < 0.6, String(part?.score));
});

test('finds words of any script, with their combining marks', () => {
  const titles = {
    hindi: 'हिन्दी अनुवाद',
    thai: 'แปลภาษา',
    german: 'Mu\u0308ll trennen',
    greek: 'Γλώσσα 2.0',
    digits: '١٢٣',
  };
  const [agent] = documented;
  const all = Object.entries(titles).map(([slug, title]) => ({
    ...(agent as (typeof documented)[number]),
    keywords: [],
    document: { ...(agent as (typeof documented)[number]).document, slug, title },
  }));
  const others = searchIndex(all);
  for (const [slug, title] of Object.entries(titles)) {
    assert.equal(found(title, others), [slug], title);
    assert.equal(found(title.toUpperCase(), others), [slug], title);
  }
  assert.equal(queryTerms('हिन्दी, Mu\u0308ll!'), ['हिन्दी', 'mull']);
});

test('of agents that match alike, the newest comes first; those with a word of a longer query come after them', () => {
  const [agent] = documented as [(typeof documented)[number]];
  const entry = (issue: number, title: string, rest: object = {}) => ({
    ...agent,
    keywords: [],
    document: {
      ...agent.document,
      slug: `a${issue}`,
      issue,
      title,
      tags: [],
      excerpt: '',
      problem: '',
      steps: [],
      ...rest,
    },
  });
  const of = searchIndex([
    entry(4, 'Zebra'),
    entry(5, 'Giraffe zebra'),
    entry(3, 'Zebra'),
    entry(2, 'Horse', { excerpt: 'A zebra.' }),
    entry(1, 'Zebracorn'),
  ]);
  assert.equal(found('zebra', of), ['a4', 'a3', 'a5', 'a2', 'a1']);
  assert.equal(found('giraffe zebra', of), ['a5']);
  assert.equal(
    searchAgents(of, 'zebra', ({ issue }) => issue < 4).map(({ id }) => id),
    ['a3', 'a2', 'a1'],
  );
  const named = searchIndex([entry(2, 'Horse', { tags: ['okapi'] }), entry(1, 'Okapi'), entry(3, 'Lion')]);
  assert.equal(found('okapi', named), ['a1', 'a2'], 'a title counts more than a tag');
});

test('agents that the filter leaves out do not hide weaker matches', () => {
  const [agent] = documented as [(typeof documented)[number]];
  const bare = { tags: [], excerpt: '', problem: '', steps: [] };
  const entry = (issue: number, title: string) => ({
    ...agent,
    keywords: [],
    document: { ...agent.document, ...bare, slug: `a${issue}`, issue, title },
  });
  const of = searchIndex([entry(2, 'Giraffe okapi zebra'), entry(1, 'Zebra'), entry(3, 'Horse')]);
  assert.equal(found('giraffe okapi zebra', of), ['a2']);
  assert.equal(
    searchAgents(of, 'giraffe okapi zebra', ({ issue }) => issue !== 2).map(({ id }) => id),
    ['a1'],
  );
});

test('only the newest 1,000 agents are found by their problem and their steps, and all by their title', () => {
  const [agent] = documented as [(typeof documented)[number]];
  const texts = (slug: string) => ({
    problem: `Unlike${slug} is the problem.`,
    steps: [{ name: `Step${slug}`, text: '' }],
  });
  const of = searchIndex(
    Array.from({ length: 1_001 }, (_, rank) => {
      const slug = `a${rank}`;
      return { ...agent, keywords: [], document: { ...agent.document, slug, title: `Title${slug}`, ...texts(slug) } };
    }),
  );
  for (const [query, slugs] of [
    ['unlikea999', ['a999']],
    ['stepa999', ['a999']],
    ['unlikea1000', []],
    ['titlea1000', ['a1000']],
  ] as const) {
    assert.equal(
      found(query, of).filter((slug) => query.endsWith(slug)),
      slugs,
      query,
    );
  }
});

test('ignores stop words, and knows the forms of other words by their stem', () => {
  assert.equal(queryTerms('Which of the Agents can help me to write a Poem?'), ['agents', 'write', 'poem']);
  const forms = [
    ['update', 'updates', 'updated', 'updating'],
    ['plan', 'plans', 'planned', 'planning'],
    ['policy', 'policies'],
    ['box', 'boxes'],
    ['meeting', 'meetings'],
    ['news'],
    ['speed'],
    ['übung'],
    ['class', 'classes'],
    ['wish', 'wishes', 'wished', 'wishing'],
    ['movie', 'movies'],
    ['status'],
    ['analysis'],
    ['canvas'],
    ['ring', 'rings'],
    ['succeed', 'succeeds', 'succeeding'],
    ['need', 'needs'],
    ['bug', 'bugs'],
    ['debug', 'debugs', 'debugged', 'debugging'],
    ['call', 'calls', 'called', 'calling'],
  ];
  for (const words of forms) {
    assert.is(new Set(words.map(stemOf)).size, 1, words.join());
    for (const word of words) assert.ok(word.startsWith(stemOf(word)), word);
  }
});

test.run();
