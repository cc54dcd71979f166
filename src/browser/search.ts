/*! Holds MiniSearch, copyright Luca Ongaro, MIT License. */

import MiniSearch, { type AsPlainObject } from 'minisearch';
import { isTooShort, type SearchEntry, type StoredEntry, searchAgents, searchOptions } from '../site/search/query.ts';
import { make } from './make.ts';
import { recall, remember } from './memory.ts';
import { isEmpty, isSearching, listOf, readForm, type SearchState, showAddress, writeAddress } from './search-field.ts';

/** How many results the archive shows at first, and how many more each time. */
const portion = 20;
/** How many the panel under the field shows, and how many if there are only similar ones. */
const most = { matches: 6, near: 3 };

type Result = StoredEntry & { id: string };
/** The matches of a search, and a sentence about them. */
type Searched = { matches: Result[]; text: string };
type Index = MiniSearch<SearchEntry>;
/** The next agent, as far as the publisher wants readers to know. */
type Next = { date: string; from: string; name: string | null };

/** Loads the index of a search form, then searches as the reader types. Rejects if the index cannot be loaded. */
export async function attach(form: HTMLFormElement): Promise<void> {
  const { next, ...json } = await loadIndex(form.dataset.index ?? '');
  const index = await MiniSearch.loadJSAsync<SearchEntry>(json, searchOptions);
  startList(form, index);
  startSuggestions(form, index, next);
}

/** Loads the index of all agents. Browsers cache it, and use its ETag to ask whether it changed. */
async function loadIndex(address: string): Promise<AsPlainObject & { next?: Next }> {
  const response = await fetch(address);
  if (!response.ok) throw new Error(`The search index returned ${response.status}.`);
  return response.json();
}

/**
 * Suggests agents in the panel under the field while the reader types: a combobox with a list, as in the ARIA Authoring
 * Practices Guide. The focus stays in the field.
 */
function startSuggestions(form: HTMLFormElement, index: Index, next: Next | undefined): void {
  const field = form.querySelector('input') as HTMLInputElement;
  const count = form.querySelector('.results-count') as HTMLElement;
  const list = document.getElementById('suggestions') as HTMLElement;
  const panel = count.parentElement as HTMLElement;
  // Firefox before version 119 has no properties for these attributes.
  list.setAttribute('role', 'listbox');
  list.setAttribute('aria-label', 'Agents');

  const options = () => [...list.children] as HTMLAnchorElement[];
  const active = () => options().findIndex((option) => option.getAttribute('aria-selected') === 'true');
  const choose = (at: number) => {
    for (const [each, option] of options().entries()) option.setAttribute('aria-selected', String(each === at));
    const chosen = options()[at];
    if (chosen === undefined) field.removeAttribute('aria-activedescendant');
    else field.setAttribute('aria-activedescendant', chosen.id);
    chosen?.scrollIntoView({ block: 'nearest' });
  };
  const show = (text: string, shown: readonly HTMLElement[]) => {
    // If it were set again, a screen reader would repeat it for each letter that the reader types.
    if (count.textContent !== text) count.textContent = text;
    list.replaceChildren(...shown);
    for (const [at, option] of shown.entries()) {
      Object.assign(option, { id: `suggestion-${at + 1}`, tabIndex: -1 }).setAttribute('role', 'option');
    }
    field.setAttribute('aria-expanded', String(shown.length > 0));
    choose(-1);
    fit();
  };
  const suggest = () => {
    const { q } = readForm(form);
    if (q === '') return show('', []);
    const { matches, near, text } = suggestionsFor(index, q, next);
    const all = `${form.action}?${new URLSearchParams({ q })}`;
    const rest = matches.length > most.matches ? [linkTo(all, `Show all ${matches.length} agents`)] : [];
    if (matches.length === 0) rest.push(linkTo(form.action, 'See all agents, by month and category'));
    show(text, [...[...matches.slice(0, most.matches), ...near].map(suggestionLine(form)), ...rest]);
  };
  // A keyboard on the screen covers a part of the page, of which only the visual viewport knows.
  const fit = () => {
    const { height, offsetTop } = window.visualViewport ?? { height: innerHeight, offsetTop: 0 };
    panel.style.maxBlockSize = `${Math.max(120, offsetTop + height - panel.getBoundingClientRect().top - 8)}px`;
  };
  const keys: Record<string, () => boolean> = {
    ArrowDown: () => move(1),
    ArrowUp: () => move(-1),
    Enter: () => {
      const chosen = options()[active()];
      chosen?.click();
      return chosen !== undefined;
    },
    Escape: () => {
      if (count.textContent === '') field.value = '';
      show('', []);
      if (field.value === '') field.dispatchEvent(new Event('input'));
      return true;
    },
  };
  const move = (step: number) => {
    if (count.textContent === '') suggest();
    const stops = options().length + 1;
    choose(((active() + 1 + step + stops) % stops) - 1);
    return true;
  };

  field.addEventListener('input', suggest);
  field.addEventListener('keydown', (event) => {
    if (event.altKey || event.ctrlKey || event.metaKey || event.shiftKey || event.isComposing) return;
    if (keys[event.key]?.()) event.preventDefault();
  });
  form.addEventListener('focusout', () => show('', []));
  form.addEventListener('submit', () => show('', []));
  // Some browsers keep the page, and show it again after "Back".
  addEventListener('pagehide', () => show('', []));
  // A click in the panel must not take the focus from the field, which would close the panel before the click ends.
  panel.addEventListener('mousedown', (event) => event.preventDefault());
  window.visualViewport?.addEventListener('resize', fit);
  if (document.activeElement === field) suggest();
}

/** The results in the panel for some words: agents or, if there are none, agents with some of the words. */
function suggestionsFor(index: Index, q: string, next: Next | undefined): Searched & { near: Result[] } {
  const { matches, text } = searchIndex(index, q, () => true);
  if (matches.length > 0) return { matches, near: [], text };
  const near = searchAgents(index, q, () => true, { near: most.near }).slice(0, most.near);
  const isComing = next !== undefined && Date.now() < Date.parse(next.from);
  const scheduled = isComing ? ` Next: ${next.name ? `${next.name}, ` : ''}${dateText(next.date)}.` : '';
  return { matches, near, text: text + scheduled + (near.length > 0 ? ' With some of the words:' : '') };
}

/** Returns a function that renders a suggestion. */
function suggestionLine(form: HTMLFormElement): (result: Result) => HTMLElement {
  return ({ id, title, excerpt, issue, categoryLabel }) =>
    linkTo(
      `${form.dataset.agents}/${id}`,
      make('span', 'suggestion-title', title),
      make('span', 'dateline', `No. ${issue} · ${categoryLabel}`),
      make('span', 'excerpt', excerpt),
    );
}

/** Lists the results of a search in the archive, instead of all agents: a search in the address, by a filter or by Enter. */
function startList(form: HTMLFormElement, index: Index): void {
  const parts = listOf();
  const list = parts?.results.querySelector<HTMLElement>('.result-list');
  const more = parts?.results.querySelector<HTMLButtonElement>('.more-results');
  const field = form.querySelector('input');
  if (!parts || !list || !more || !field) return;
  const { count, results, all } = parts;
  const lineOf = resultLine(form.dataset.agents ?? '');
  let matches: Result[] = [];
  let address = location.search;
  /** Where this tab remembers how many results of a search it showed, and how high they were: `40 6000px`. */
  const key = () => `results ${location.search}`;

  const showMore = (count = portion) => {
    const shown = list.childElementCount;
    list.append(...matches.slice(shown, shown + count).map(lineOf));
    more.hidden = list.childElementCount >= matches.length;
    remember(key(), `${list.childElementCount} ${results.offsetHeight}px`, 'sessionStorage');
    return list.children[shown]?.querySelector('a');
  };
  const search = () => {
    const state = readForm(form);
    const searched = searchFiltered(index, state);
    count.dataset.query = state.q;
    // After "Back", Safari sets a field without autocomplete to its default.
    field.defaultValue = state.q;
    matches = searched.matches;
    results.hidden = matches.length === 0;
    // If nothing is found, readers can browse instead.
    all.hidden = matches.length > 0;
    list.replaceChildren();
    count.textContent = searched.text + (results.hidden && searched.text ? ' Below is the whole archive.' : '');
    return showMore(Math.max(portion, Number.parseInt(recall(key(), 'sessionStorage') ?? '0', 10)));
  };
  const commit = () => {
    writeAddress(readForm(form));
    address = location.search;
    return search();
  };
  for (const filters of document.querySelectorAll('.filters')) filters.addEventListener('input', commit);
  form.addEventListener('submit', (event) => {
    event.preventDefault();
    commit()?.focus();
  });
  more.addEventListener('click', () => showMore()?.focus());
  addEventListener('popstate', () => {
    // A link within the page leaves the search as it is.
    if (location.search === address) return;
    address = location.search;
    showAddress(form);
    search();
  });
  field.addEventListener('input', () => {
    if (field.value === '') commit();
  });
  // Enter searches for the text in the field.
  if (isSearching(form)) commit();
}

/** Finds the agents of a search with filters. Without words, the newest is first. */
function searchFiltered(index: Index, state: SearchState): Searched {
  const { q, category, difficulty, runtime, tag } = state;
  const fits = (agent: StoredEntry) =>
    (category === '' || agent.category === category) &&
    (difficulty === '' || agent.difficulty === difficulty) &&
    (runtime === '' || agent.runtimes.includes(runtime)) &&
    (tag === '' || agent.tags.includes(tag));
  if (isEmpty(state)) return { matches: [], text: '' };
  if (q !== '') return searchIndex(index, q, fits);
  const all = index.search(MiniSearch.wildcard) as unknown as Result[];
  const matches = all.filter(fits).sort((a, b) => b.issue - a.issue);
  return { matches, text: countText(matches.length) };
}

/** Finds agents by words, the best first. */
function searchIndex(index: Index, q: string, fits: (agent: StoredEntry) => boolean): Searched {
  const matches = searchAgents(index, q, fits);
  if (matches.length === 0 && isTooShort(q))
    return { matches, text: 'No agents found. To find longer words, type at least three letters or digits.' };
  if (matches[0]?.whole === false)
    return { matches, text: `No agent has every word. ${countText(matches.length)} with some of them.` };
  return { matches, text: countText(matches.length) };
}

function countText(count: number): string {
  if (count === 0) return 'No agents found.';
  return count === 1 ? '1 agent found' : `${count} agents found`;
}

/**
 * Returns a function that renders a result in the archive, as pages list agents. `agents` is the path of the folder with the
 * pages of agents.
 */
function resultLine(agents: string): (result: Result) => HTMLElement {
  return ({ id, title, excerpt, issue, date, category, categoryLabel }) => {
    const time = Object.assign(make('time', '', dateText(date)), { dateTime: date });
    const number = make('span', 'number', make('span', 'visually-hidden', 'No. '), String(issue));
    const article = make(
      'article',
      'entry',
      make('p', 'dateline', number, ' ', make('span', '', time, ' ', make('span', 'kicker', categoryLabel))),
      make('div', '', make('h3', '', linkTo(`${agents}/${id}`, title)), make('p', 'excerpt', excerpt)),
    );
    for (const text of article.querySelectorAll<HTMLElement>('h3, .excerpt')) text.dir = 'auto';
    // The list of categories on this page has their colors.
    const [link] = document.querySelectorAll(`.subjects a[href$="/categories/${category}"]`);
    article.dataset.accent = link?.closest('li')?.dataset.accent ?? '';
    return make('li', '', article);
  };
}

function dateText(date: string): string {
  const names = new Intl.DateTimeFormat([document.documentElement.lang, 'en'], { dateStyle: 'long', timeZone: 'UTC' });
  return names.format(new Date(`${date}T00:00:00Z`));
}

function linkTo(href: string, ...children: (string | Node)[]): HTMLAnchorElement {
  return Object.assign(make('a', '', ...children), { href });
}
