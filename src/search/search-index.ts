import MiniSearch, { type AsPlainObject } from 'minisearch';
import type { PublishedAgent } from '../outputs/site.ts';
import { type SearchEntry, searchOptions } from './fields.ts';
import { inSlices } from './slices.ts';

/**
 * Of how many agents, the first ones, the problem and the steps are searched as well. They are the longest texts: with all
 * of them the index of 10,000 agents would be half as large again, and past what servers keep in memory and compress.
 */
const searchedTexts = 1_000;

/** What the search needs to know of an agent. */
export type SearchedAgent = Pick<PublishedAgent, 'document' | 'keywords' | 'changedOn'>;

/** The search index of some agents, newest first. The same agents in the same order give the same index. */
export function searchIndex(agents: readonly SearchedAgent[]): MiniSearch<SearchEntry> {
  const index = new MiniSearch<SearchEntry>(searchOptions);
  index.addAll(agents.map((agent, place) => searchEntry(agent, place < searchedTexts)));
  return index;
}

/**
 * An index as JSON, as MiniSearch.loadJSON takes it: one line for each agent's stored fields and for each term, so that
 * a server can read it in slices.
 */
export function searchIndexJson(index: MiniSearch<SearchEntry>): string {
  const { storedFields, index: terms, ...rest } = index.toJSON();
  const stored = Object.entries(storedFields).map(([id, fields]) => `${JSON.stringify(id)}:${JSON.stringify(fields)}`);
  const lines = terms.map((term) => JSON.stringify(term));
  return `${JSON.stringify(rest).slice(0, -1)},"storedFields":{\n${stored.join(',\n')}\n},"index":[\n${lines.join(',\n')}\n]}\n`;
}

/** Loads what searchIndexJson wrote, without blocking other work. Rejects with an Error for anything else. */
export async function loadSearchIndex(json: Buffer): Promise<MiniSearch<SearchEntry>> {
  return MiniSearch.loadJSAsync(await inSlices(readIndex(json)), searchOptions);
}

/** Parses an index line by line: as a whole, it would take the event loop a tenth of a second. */
function* readIndex(json: Buffer): Generator<void, AsPlainObject> {
  let index: AsPlainObject | undefined;
  let part: 'stored' | 'terms' = 'stored';
  for (const line of linesOf(json)) {
    if (index === undefined) index = { ...(JSON.parse(`${line}}}`) as AsPlainObject), index: [] };
    else if (line === '},"index":[') part = 'terms';
    else if (line === ']}') return index;
    else if (part === 'stored') Object.assign(index.storedFields, JSON.parse(`{${withoutComma(line)}}`));
    else if (line !== '') index.index.push(JSON.parse(withoutComma(line)) as AsPlainObject['index'][number]);
    yield;
  }
  throw new Error('it is not complete');
}

function* linesOf(text: Buffer): Generator<string, string> {
  let start = 0;
  for (let end = text.indexOf(10); end !== -1; end = text.indexOf(10, start)) {
    yield text.toString('utf8', start, end);
    start = end + 1;
  }
  return '';
}

function withoutComma(line: string): string {
  return line.endsWith(',') ? line.slice(0, -1) : line;
}

function searchEntry({ document, keywords, changedOn }: SearchedAgent, withTexts: boolean): SearchEntry {
  const { slug, title, excerpt, problem, steps, tags, category, categoryLabel, difficulty, runtimes, date, issue } =
    document;
  const shown = { slug, title, excerpt, tags, category, categoryLabel, difficulty, runtimes, date, issue };
  const texts = withTexts ? { problem, steps: steps.map(({ name }) => name) } : { problem: '', steps: [] };
  return { ...shown, ...texts, ...(changedOn > date ? { changedOn } : {}), keywords: keywords ?? [] };
}
