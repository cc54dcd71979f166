import { test } from 'uvu';
import * as assert from 'uvu/assert';
import {
  fold,
  indexTerms,
  isTooShort,
  queryTerms,
  searchAgents,
  stemOf,
  weightOf,
} from '../../../src/site/search/query.ts';
import {
  loadSearchIndex,
  type SearchedAgent,
  searchIndex,
  searchIndexJson,
} from '../../../src/site/search/search-index.ts';

/** What the search index has of each agent, how servers load it, and which words of a query count. */

const shown = {
  ...{ excerpt: 'An excerpt.', tags: ['tag-one', 'tag-two'], category: 'coding', categoryLabel: 'Code' },
  ...{ difficulty: 'easy', runtimes: ['Claude', 'Cursor'], date: '2026-01-05' },
};

function agentOf(issue: number, title: string, changedOn = shown.date): SearchedAgent {
  const document = {
    ...shown,
    slug: `a${issue}`,
    issue,
    title,
    problem: '',
    steps: [],
  } as unknown as SearchedAgent['document'];
  return { document, changedOn };
}

/** The slugs that a query finds among agents with these titles, which are numbered from 1. */
function found(query: string, ...titles: string[]): string[] {
  const index = searchIndex(titles.map((title, at) => agentOf(at + 1, title)));
  return searchAgents(index, query, () => true).map(({ id }) => id);
}

for (const [name, changedOn, changed] of [
  ['that did not change since its date', '2026-01-05', {}],
  ['that changed later', '2026-01-06', { changedOn: '2026-01-06' }],
] as const) {
  test(`an agent ${name} is found with what results show, and what they are filtered by`, () => {
    const index = searchIndex([agentOf(1, 'Sorting tables', changedOn)]);
    assert.equal(index.getStoredFields('a1'), { ...shown, issue: 1, title: 'Sorting tables', ...changed });
  });
}

/** Several times as large as what a server parses at a time, with letters of several bytes. */
const large = searchIndex(
  Array.from({ length: 600 }, (_, at) => agentOf(at, `Größe Ωμέγα ${at.toString(36)} ünïque${at}`)),
);

test('a server loads an index of any size as it was written, whatever its letters', async () => {
  const json = Buffer.from(searchIndexJson(large));
  assert.ok(json.length > 150_000, String(json.length));
  const loaded = (await loadSearchIndex(json)).toJSON();
  const written = large.toJSON();
  // Their order has no meaning. As texts, since a comparison that fails would print all of them.
  const termsOf = ({ index }: typeof written) => index.map((term) => JSON.stringify(term)).sort();
  assert.is(JSON.stringify(loaded.storedFields), JSON.stringify(written.storedFields));
  assert.ok(termsOf(loaded).join() === termsOf(written).join(), 'the terms differ');
  assert.equal({ ...loaded, index: [], storedFields: {} }, { ...written, index: [], storedFields: {} });
});

test('a server refuses an index that lacks a part', async () => {
  const json = searchIndexJson(large);
  const [stored, terms] = [json.indexOf('"storedFields"'), json.indexOf('"index":[\n')];
  const parts = [json.slice(0, stored), json.slice(0, terms), json.slice(0, -3), json.slice(stored), json.slice(terms)];
  for (const part of parts) {
    const error = await loadSearchIndex(Buffer.from(part)).catch((reason) => reason);
    assert.instance(error, Error, part.slice(0, 50));
  }
});

test('words count once, and single Latin letters not at all', () => {
  assert.equal(queryTerms('Test a plan B: test, C, TEST β 1'), ['test', 'plan', 'β', '1']);
});

test('a folded text has no accents on Latin, Greek and Cyrillic letters, and one Unicode form', () => {
  for (const [text, folded] of [
    ['CAFÉ Cafe\u0301', 'cafe cafe'],
    ['Straße GROẞ Ærø Łódź İIı ﬁnal ＡＩ', 'strasse gross aero lodz iii final ai'],
    ['Tiếng Việt', 'tieng viet'],
    ['Þórður Đuro ħobż Œuvre', 'thordur duro hobz oeuvre'],
    ['ΟΔΌΣ οδός', 'οδοσ οδοσ'],
    ['Ёлка й', 'елка и'],
    // Marks of other scripts stay: Hindi, Thai, Hebrew, Japanese, Korean.
    ['हिन्दी ที่ שָׁלוֹם', 'हिन्दी ที่ שָׁלוֹם'],
    ['が か\u3099 ｶﾞ', 'が が ガ'],
    ['\u1112\u1161\u11ab\u1100\u1173\u11af', '한글'],
  ] as const) {
    assert.is(fold(text), folded.normalize('NFC'), text);
  }
});

test('a word has one term, and a text without spaces terms of two characters, in alphabets of three, which overlap', () => {
  assert.equal(indexTerms('翻訳者'), ['翻訳', '訳者', '者']);
  assert.equal(['A+`CSS`', '', 'The'].map(indexTerms), [['css'], [], []]);
  assert.equal(indexTerms('AIエー𠮷2'), ['ai', 'エー', 'ー𠮷', '𠮷', '2']);
  assert.equal(indexTerms('กขคง'), ['กขค', 'ขคง', 'คง', 'ง']);
  assert.equal(queryTerms('翻訳者 者 AIエー𠮷2'), ['翻訳', '訳者', '者', 'ai', 'エー', 'ー𠮷', '2']);
  assert.equal(queryTerms('กขคง กข'), ['กขค', 'ขคง', 'กข']);
});

for (const [query, title] of [
  ['npm', 'Use `npm` wisely'],
  ['`npm`', 'Use npm wisely'],
  ['100', 'Budget of $100'],
  ['publish', 'From <draft> to <publish>'],
  ['css', 'HTML+CSS review'],
  ['css', 'HTML+CSS für alle'],
] as const) {
  test(`${query} finds ${title}, since symbols separate words`, () => {
    assert.equal(found(query, title, 'Another title'), ['a1']);
  });
}

test('a word that is a stop word only without its accent is searched', () => {
  assert.equal(found('thé', 'Thé vert', 'The other'), ['a1']);
  assert.equal(found('the', 'Thé vert', 'The other'), []);
});

test('an agent with half of the best match is found, and one with a verb of any request alone is not', () => {
  assert.equal(found('alpha beta', 'Alpha beta', 'Alpha', 'Beta', 'Gamma').sort(), ['a1', 'a2', 'a3']);
  const titles = ['Write notes', 'Haiku', 'Haiku', 'Haiku', 'Haiku', 'One', 'Two', 'Three', 'Four', 'Five'];
  assert.equal(found('write haiku', ...titles).sort(), ['a2', 'a3', 'a4', 'a5']);
  assert.equal(found('write notes', ...titles), ['a1']);
});

test('only words of five letters may have a typo, and only words of eight two', () => {
  const titles = ['Lynx', 'Zebra', 'Penguin', 'Flamingo'];
  for (const [query, slugs] of [
    ['lynq', []],
    ['zebrq', ['a2']],
    ['zebqq', []],
    ['penguqn', ['a3']],
    ['pengqqn', []],
    ['flamqqgo', ['a4']],
    ['flaqqqgo', []],
  ] as const) {
    assert.equal(found(query, ...titles), slugs, query);
  }
});

test('a word of one or two letters or digits is searched as a beginning only in scripts where it can be a word', () => {
  assert.equal(found('翻', '翻訳者', 'Translator'), ['a1']);
  assert.equal(found('tr', '翻訳者', 'Translator'), []);
  assert.equal(found('𠮷', '𠮷野家', 'Translator'), ['a1']);
  assert.equal(found('20', '2026 planner', 'Rule 20'), ['a2']);
  // Digits of two UTF-16 units each.
  assert.equal(found('𞥒𞥐', '𞥒𞥐𞥒𞥖 planner', 'Rule 𞥒𞥐'), ['a2']);
});

test('a query is too short if its letters or digits are searched only as a whole word', () => {
  const titles = ['k8s', 'h264', '3dsmax', '2026', 'plan', 'émigré', '𞥒𞥐𞥒𞥖', '翻訳者', '𠮷野家'];
  for (const query of ['k8', 'h2', '3d', '20', 'pl', 'ém', '𞥒𞥐', ' k8 ', 'k8s', '202', 'pla', '𞥒𞥐𞥒', '翻', '𠮷']) {
    assert.is(isTooShort(query), found(query, ...titles).length === 0, query);
  }
});

test('verbs that start any request count less, in all of their forms', () => {
  for (const word of ['write', 'writes', 'writing', 'summarized', 'plans', 'checking'])
    assert.is(weightOf(word), 0.3, word);
  for (const word of ['letter', 'checkout', 'planet']) assert.is(weightOf(word), 1, word);
  assert.equal(found('write zeppelin', 'Write a story', 'Zeppelin pilot'), ['a2']);
});

test('a word that only looks like another form stays', () => {
  for (const word of ['news', 'new', 'status', 'glass', 'bring', 'spring', 'shed', 'embed', 'thing2s', 'naïves'])
    assert.is(stemOf(word), word);
  assert.equal(['writing', 'writer', 'writes'].map(stemOf), ['writ', 'writer', 'writ']);
});

test.run();
