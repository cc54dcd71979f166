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

/** Loads what searchIndexJson wrote, without holding other work up. Rejects with an Error for anything else. */
export async function loadSearchIndex(json: Buffer): Promise<MiniSearch<SearchEntry>> {
  return inSlices(LoadedIndex.read(json));
}

/** MiniSearch loads an index whole, or in slices that wait a millisecond each; this one does neither. */
class LoadedIndex extends MiniSearch<SearchEntry> {
  static *read(json: Buffer): Generator<void, LoadedIndex> {
    const loaded = new LoadedIndex(searchOptions);
    let part: 'head' | 'stored' | 'terms' = 'head';
    for (const line of linesOf(json)) {
      if (part === 'head') {
        yield* loaded.#takeHead(JSON.parse(`${line}}}`) as AsPlainObject);
        part = 'stored';
      } else if (line === '},"index":[') part = 'terms';
      else if (line === ']}') return loaded;
      else if (part === 'stored')
        loaded.#takeStored(JSON.parse(`{${withoutComma(line)}}`) as AsPlainObject['storedFields']);
      else if (line !== '') yield* loaded.#takeTerm(JSON.parse(withoutComma(line)) as AsPlainObject['index'][number]);
      yield;
    }
    throw new Error('it does not end as this version of the program writes it');
  }

  *#takeHead(head: AsPlainObject): Generator<void> {
    this._documentCount = head.documentCount;
    this._nextId = head.nextId;
    this._fieldIds = head.fieldIds;
    this._avgFieldLength = head.averageFieldLength;
    this._dirtCount = head.dirtCount ?? 0;
    for (const [id, slug] of Object.entries(head.documentIds)) {
      this._documentIds.set(Number(id), slug);
      this._idToShortId.set(slug, Number(id));
      yield;
    }
    for (const [id, lengths] of Object.entries(head.fieldLength)) {
      this._fieldLength.set(Number(id), lengths);
      yield;
    }
  }

  #takeStored(entries: AsPlainObject['storedFields']): void {
    for (const id in entries) this._storedFields.set(Number(id), entries[id]);
  }

  *#takeTerm([term, fields]: AsPlainObject['index'][number]): Generator<void> {
    const byField = new Map<number, Map<number, number>>();
    for (const [field, frequencies] of Object.entries(fields)) {
      const byDocument = new Map<number, number>();
      for (const id in frequencies) byDocument.set(Number(id), frequencies[id] as number);
      byField.set(Number(field), byDocument);
      yield;
    }
    this._index.set(term, byField);
  }
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
