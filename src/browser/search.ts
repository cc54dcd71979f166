/*! Holds MiniSearch, copyright Luca Ongaro, MIT License. */

import MiniSearch from 'minisearch';
import { type SearchEntry, type StoredEntry, searchOptions } from '../site/search/fields.ts';
import { isTooShort, searchAgents } from '../site/search/query.ts';
import {
  clearForm,
  hasSearch,
  isEmpty,
  readForm,
  type SearchState,
  showAddress,
  writeAddress,
} from './search-state.ts';

/** How many results are shown at first, and how many more each time. */
const portion = 20;

type Result = StoredEntry & { id: string };

interface Elements {
  form: HTMLFormElement;
  field: HTMLInputElement;
  results: HTMLElement;
  count: HTMLElement;
  list: HTMLElement;
  more: HTMLButtonElement;
}

/** Loads the index of a search form, then searches as the reader types. Rejects if the index cannot be loaded. */
export async function attach(form: HTMLFormElement): Promise<void> {
  const elements = elementsOf(form);
  if (elements === null) return;
  if (hasSearch(form)) showAddress(form);
  new SearchPanel(elements, await loadForReader(elements)).start();
}

function elementsOf(form: HTMLFormElement): Elements | null {
  const field = form.querySelector<HTMLInputElement>('input[type="search"]');
  const results = form.querySelector<HTMLElement>('[data-results]');
  const count = form.querySelector<HTMLElement>('.results-count');
  const list = form.querySelector<HTMLElement>('.result-list');
  const more = form.querySelector<HTMLButtonElement>('.more-results');
  if (field === null || results === null || count === null || list === null || more === null) return null;
  return { form, field, results, count, list, more };
}

/** Loads the index. Tells a reader who is already typing that it is loading. */
async function loadForReader({ form, results, count }: Elements): Promise<MiniSearch<SearchEntry>> {
  const wait = () => {
    const searched = !isEmpty(readForm(form));
    if (searched) results.hidden = false;
    count.textContent = searched ? 'Loading search …' : '';
  };
  wait();
  form.addEventListener('input', wait);
  try {
    return await loadIndex(form.dataset.index ?? '');
  } finally {
    form.removeEventListener('input', wait);
  }
}

/** A search form with its results. */
class SearchPanel {
  readonly #elements: Elements;
  readonly #index: MiniSearch<SearchEntry>;
  readonly #lineOf: (result: Result) => HTMLElement;
  #found: Result[] = [];

  constructor(elements: Elements, index: MiniSearch<SearchEntry>) {
    this.#elements = elements;
    this.#index = index;
    this.#lineOf = resultLine(elements.form.dataset.agents ?? '');
  }

  start(): void {
    const { form, field, more } = this.#elements;
    form.addEventListener('input', ({ target }) => {
      this.#search();
      writeAddress(readForm(form), { typed: target === field });
    });
    form.addEventListener('submit', () => (this.#links()[0] ?? field).focus());
    form.addEventListener('keydown', (event) => this.#press(event));
    more.addEventListener('click', () => this.#focusMore());
    addEventListener('popstate', () => {
      showAddress(form);
      this.#search();
    });
    this.#search();
    writeAddress(readForm(form), { typed: true });
  }

  #search(): void {
    const { form, results, count, list } = this.#elements;
    const state = readForm(form);
    const { found, text } = isEmpty(state) ? { found: [], text: '' } : searchIndex(this.#index, state);
    this.#found = found;
    results.hidden = found.length === 0;
    list.replaceChildren();
    this.#showMore();
    count.textContent = text;
  }

  #showMore(): void {
    const { list, more } = this.#elements;
    const shown = list.childElementCount;
    list.append(...this.#found.slice(shown, shown + portion).map(this.#lineOf));
    more.hidden = list.childElementCount >= this.#found.length;
  }

  #focusMore(): void {
    const shown = this.#elements.list.childElementCount;
    this.#showMore();
    this.#links()[shown]?.focus();
  }

  #press(event: KeyboardEvent): void {
    const { form, field } = this.#elements;
    if (event.altKey || event.ctrlKey || event.metaKey || event.shiftKey || event.isComposing) return;
    if (event.key === 'Escape' && !isEmpty(readForm(form))) {
      event.preventDefault();
      this.#clear();
    }
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    const stops = [field, ...this.#links()];
    const focused = stops.indexOf(event.target as HTMLInputElement);
    if (step === undefined || focused < 0) return;
    event.preventDefault();
    stops[focused + step]?.focus();
  }

  #clear(): void {
    const { form, field } = this.#elements;
    clearForm(form);
    this.#search();
    writeAddress(readForm(form), { typed: false });
    field.focus();
  }

  #links(): HTMLAnchorElement[] {
    return [...this.#elements.list.querySelectorAll('a')];
  }
}

/** Loads the index of all agents. Browsers cache it, and use its ETag to ask whether it changed. */
async function loadIndex(address: string): Promise<MiniSearch<SearchEntry>> {
  const response = await fetch(address);
  if (!response.ok) throw new Error(`The search index returned ${response.status}.`);
  return MiniSearch.loadJSONAsync<SearchEntry>(await response.text(), searchOptions);
}

/**
 * Finds agents and a sentence about the result. The best match is first or, for a search without words, the newest
 * agent.
 */
function searchIndex(
  index: MiniSearch<SearchEntry>,
  { q, category, difficulty, runtime, tag }: SearchState,
): { found: Result[]; text: string } {
  const fits = (agent: StoredEntry) =>
    (category === '' || agent.category === category) &&
    (difficulty === '' || agent.difficulty === difficulty) &&
    (runtime === '' || agent.runtimes.includes(runtime)) &&
    (tag === '' || agent.tags.includes(tag));
  if (q === '') {
    const all = index.search(MiniSearch.wildcard) as unknown as Result[];
    const found = all.filter(fits).sort((a, b) => b.issue - a.issue);
    return { found, text: countText(found.length) };
  }
  const found = searchAgents(index, q, fits);
  if (found.length === 0 && isTooShort(q)) {
    return { found, text: 'No agents found. To find longer words, type at least three letters or digits.' };
  }
  if (found[0]?.whole === false)
    return { found, text: `No agent has every word. ${countText(found.length)} with some of them.` };
  return { found, text: countText(found.length) };
}

function countText(count: number): string {
  if (count === 0) return 'No agents found. Try fewer words or filters.';
  return count === 1 ? '1 agent found' : `${count} agents found`;
}

/** Returns a function that renders a result. `agents` is the path of the folder with the pages of agents. */
function resultLine(agents: string): (result: Result) => HTMLElement {
  const dates = new Intl.DateTimeFormat(document.documentElement.lang, { dateStyle: 'long', timeZone: 'UTC' });
  return ({ id, title, excerpt, issue, date, categoryLabel }) => {
    const time = element('time', {}, dates.format(new Date(`${date}T00:00:00Z`)));
    time.setAttribute('datetime', date);
    const link = element('a', { href: `${agents}/${id}` }, title);
    return element(
      'li',
      {},
      element(
        'article',
        { className: 'result' },
        element('p', { className: 'dateline' }, `No. ${issue} · `, time, ` · ${categoryLabel}`),
        element('h3', {}, link),
        element('p', { className: 'excerpt' }, excerpt),
      ),
    );
  };
}

function element<Name extends keyof HTMLElementTagNameMap>(
  name: Name,
  properties: Partial<HTMLElementTagNameMap[Name]>,
  ...children: (string | Node)[]
): HTMLElementTagNameMap[Name] {
  const made = Object.assign(document.createElement(name), properties);
  made.append(...children);
  return made;
}
