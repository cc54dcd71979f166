import { setImmediate as nextTurn } from 'node:timers/promises';
import MiniSearch, { type AsPlainObject } from 'minisearch';
import { onceForEach } from '../../lib/lazy.ts';
import type { NextAgent, PublishedAgent } from '../site.ts';
import { queryTerms, type SearchEntry, searchOptions, stemOf } from './query.ts';

/**
 * How many agents, the newest, are also found by their problem and their steps. These are the longest texts: with all
 * of them, the index of 10,000 agents would be half as large again, and more than servers keep in memory and compress.
 */
const searchedTexts = 1_000;

/** The part of an agent that the search index needs. */
export type SearchedAgent = Pick<PublishedAgent, 'document' | 'keywords' | 'changedOn'>;

/**
 * Makes the search index of some agents, newest first. The same agents in the same order give the same index. `synonyms` are
 * groups of words that mean the same.
 */
export function searchIndex(
  agents: readonly SearchedAgent[],
  synonyms: readonly (readonly string[])[] = [],
): MiniSearch<SearchEntry> {
  const groups = synonyms.map((words) => words.map((word) => ({ word, stems: stemsOf(word) })));
  const processTerm = onceForEach(searchOptions.processTerm);
  const index = new MiniSearch<SearchEntry>({ ...searchOptions, processTerm });
  for (const [rank, agent] of agents.entries())
    index.add(withSynonyms(searchEntry(agent, rank < searchedTexts), groups));
  return index;
}

/** The JSON of an index around its stored fields and terms. */
const [beforeStored, beforeTerms, afterTerms] = [',"storedFields":{\n', '\n},"index":[\n', '\n]}\n'];

/**
 * Writes an index as JSON that MiniSearch.loadJSON reads. Each agent's stored fields and each term have a line of their
 * own, so that a server can parse the file in slices. Pages say what is `next` if they find nothing.
 */
export function searchIndexJson(index: MiniSearch<SearchEntry>, next: NextAgent | null = null): string {
  const { storedFields, index: terms, ...rest } = index.toJSON();
  const stored = Object.entries(storedFields).map(([id, fields]) => `${JSON.stringify(id)}:${JSON.stringify(fields)}`);
  const lines = terms.map((term) => JSON.stringify(term));
  const head = JSON.stringify(next === null ? rest : { ...rest, next }).slice(0, -1);
  return head + beforeStored + stored.join(',\n') + beforeTerms + lines.join(',\n') + afterTerms;
}

/** Loads what searchIndexJson wrote, without blocking other work. Rejects with an Error for anything else. */
export async function loadSearchIndex(json: Buffer): Promise<MiniSearch<SearchEntry>> {
  return MiniSearch.loadJSAsync(await inSlices(readIndex(json)), searchOptions);
}

function* readIndex(json: Buffer): Generator<void, AsPlainObject> {
  const stored = json.indexOf(beforeStored);
  const terms = json.indexOf(beforeTerms, stored);
  const end = json.lastIndexOf(afterTerms);
  if (stored === -1 || terms === -1 || end < terms) throw new Error('it is not complete');
  const index = JSON.parse(`${json.toString('utf8', 0, stored)},"storedFields":{},"index":[]}`) as AsPlainObject;
  for (const lines of portions(json, stored + beforeStored.length, terms)) {
    Object.assign(index.storedFields, JSON.parse(`{${lines}}`));
    yield;
  }
  for (const lines of portions(json, terms + beforeTerms.length, end)) {
    index.index.push(...(JSON.parse(`[${lines}]`) as AsPlainObject['index']));
    yield;
  }
  return index;
}

/** Small enough to parse in a millisecond. */
const portionBytes = 32_768;

/** Divides lines between two offsets into portions of whole lines, without the comma after the last. */
function* portions(json: Buffer, from: number, to: number): Generator<string> {
  for (let start = from; start < to; ) {
    const next = json.indexOf(',\n', start + portionBytes);
    const end = next === -1 ? to : Math.min(next, to);
    yield json.toString('utf8', start, end);
    start = end + 2;
  }
}

function searchEntry({ document, keywords, changedOn }: SearchedAgent, withTexts: boolean): SearchEntry {
  const { slug, title, excerpt, problem, steps, tags, category, categoryLabel, difficulty, runtimes, date, issue } =
    document;
  const shown = { slug, title, excerpt, tags, category, categoryLabel, difficulty, runtimes, date, issue };
  const texts = withTexts ? { problem, steps: steps.map(({ name }) => name) } : { problem: '', steps: [] };
  return {
    ...shown,
    ...texts,
    ...(changedOn > date ? { changedOn } : {}),
    keywords: [...(keywords ?? [])],
    synonyms: [],
  };
}

const stemsOf = (text: string) => queryTerms(text).map(stemOf);

/** Adds the other words of each group of which the agent has one in its title, excerpt, tags or keywords. */
function withSynonyms(
  entry: SearchEntry,
  groups: readonly (readonly { word: string; stems: readonly string[] }[])[],
): SearchEntry {
  if (groups.length === 0) return entry;
  const own = new Set(stemsOf([entry.title, entry.excerpt, ...entry.tags, ...entry.keywords].join(' ')));
  const has = ({ stems }: { stems: readonly string[] }) => stems.every((stem) => own.has(stem));
  const words = groups.flatMap((group) => (group.some(has) ? group.filter((other) => !has(other)) : []));
  return { ...entry, synonyms: words.map(({ word }) => word) };
}

/** How long a slice is, in milliseconds. */
const sliceMs = 8;

/**
 * Runs long work in slices, so that requests are answered in between. The work can be interrupted wherever it yields.
 * Each call starts with a new turn of the event loop, so that calls in a row do not add up to a long slice.
 */
async function inSlices<Result>(work: Generator<void, Result>): Promise<Result> {
  for (;;) {
    await nextTurn();
    const begun = performance.now();
    do {
      const step = work.next();
      if (step.done === true) return step.value;
    } while (performance.now() - begun < sliceMs);
  }
}
