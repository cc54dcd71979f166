/*! Holds MiniSearch, copyright Luca Ongaro, MIT License. */

import MiniSearch from 'minisearch';
import { type SearchEntry, type StoredEntry, searchOptions } from '../search/fields.ts';
import { searchAgents } from '../search/query.ts';
import {
  clearForm,
  hasSearch,
  isEmpty,
  readForm,
  type SearchState,
  showAddress,
  writeAddress,
} from './search-state.ts';

/** How many results are shown at first, and added each time. */
const portion = 20;

type Result = StoredEntry & { id: string };

/** Brings a search form to life, once its index is loaded. Rejects where the index cannot be had. */
export async function attach(form: HTMLFormElement): Promise<void> {
  const field = form.querySelector<HTMLInputElement>('input[type="search"]');
  const results = form.querySelector<HTMLElement>('[data-results]');
  const count = form.querySelector<HTMLElement>('.results-count');
  const list = form.querySelector<HTMLElement>('.result-list');
  const more = form.querySelector<HTMLButtonElement>('.more-results');
  if (field === null || results === null || count === null || list === null || more === null) return;

  if (hasSearch(form)) showAddress(form);
  const tell = (text: string) => {
    if (isEmpty(readForm(form))) return;
    results.hidden = false;
    count.textContent = text;
  };
  const wait = () => tell('Loading the search …');
  wait();
  form.addEventListener('input', wait);
  const index = await loadIndex(form.dataset.index ?? '')
    .catch((error) => {
      tell('The search cannot be loaded. Enter leads to the archive.');
      throw error;
    })
    .finally(() => form.removeEventListener('input', wait));
  const lineOf = resultLine(form.dataset.agents ?? '');
  let found: Result[] = [];

  const showMore = () => {
    const shown = list.childElementCount;
    list.append(...found.slice(shown, shown + portion).map(lineOf));
    more.hidden = list.childElementCount >= found.length;
  };
  const search = () => {
    const state = readForm(form);
    const wasHidden = results.hidden;
    results.hidden = isEmpty(state);
    const answer = isEmpty(state) ? { found: [], text: '' } : searchIndex(index, state);
    found = answer.found;
    list.replaceChildren();
    showMore();
    // A status is read out when it changes, which one that just appeared has not done.
    if (wasHidden) requestAnimationFrame(() => (count.textContent = answer.text));
    else count.textContent = answer.text;
  };
  const linksOf = () => [...list.querySelectorAll('a')];
  const clear = () => {
    clearForm(form);
    search();
    writeAddress(readForm(form), { typed: false });
    field.focus();
  };

  form.addEventListener('input', ({ target }) => {
    search();
    writeAddress(readForm(form), { typed: target === field });
  });
  form.addEventListener('submit', () => (linksOf()[0] ?? field).focus());
  form.addEventListener('keydown', (event) => {
    if (event.altKey || event.ctrlKey || event.metaKey || event.shiftKey || event.isComposing) return;
    if (event.key === 'Escape' && !isEmpty(readForm(form))) {
      event.preventDefault();
      clear();
    }
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    const places = [field, ...linksOf()];
    const place = places.indexOf(event.target as HTMLInputElement);
    if (step === undefined || place < 0) return;
    event.preventDefault();
    places[place + step]?.focus();
  });
  more.addEventListener('click', () => {
    const shown = list.childElementCount;
    showMore();
    linksOf()[shown]?.focus();
  });
  addEventListener('popstate', () => {
    showAddress(form);
    search();
  });

  search();
  writeAddress(readForm(form), { typed: true });
}

/** The index of all agents. Browsers keep it and ask with its ETag whether it changed. */
async function loadIndex(address: string): Promise<MiniSearch<SearchEntry>> {
  const response = await fetch(address);
  if (!response.ok) throw new Error(`The search index answered ${response.status}.`);
  return MiniSearch.loadJSONAsync<SearchEntry>(await response.text(), searchOptions);
}

/** The agents that a search finds, the best first; without words, the newest first. And how that is put to the reader. */
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
    const all = index.search(MiniSearch.wildcard) as unknown as (Result & StoredEntry)[];
    const found = all.filter(fits).sort((a, b) => b.issue - a.issue);
    return { found, text: countText(found.length) };
  }
  const found = searchAgents(index, q, fits);
  if (found.length === 0 && q.length < 3) return { found, text: 'Type at least three letters.' };
  if (found[0]?.whole === false) return { found, text: `No agent has every word; ${found.length} with some of them.` };
  return { found, text: countText(found.length) };
}

function countText(count: number): string {
  if (count === 0) return 'No agent found. Fewer words or filters find more.';
  return count === 1 ? '1 agent found' : `${count} agents found`;
}

/** Makes results as they are shown; `agents` is the path that the pages of agents are under. */
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
