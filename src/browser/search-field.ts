import { recall } from './memory.ts';

/** A search is in the form, in the filters of the archive, and in the address bar, under the same names. */

const names = ['q', 'category', 'difficulty', 'runtime', 'tag'] as const;

export type SearchState = Record<(typeof names)[number], string>;

type Field = HTMLInputElement | HTMLSelectElement;

const fieldOf = (form: HTMLFormElement, name: string) => form.elements.namedItem(name) as Field | null;

/** Whether the page shows a search: the one in the address, or filters that were chosen while the index was loading. */
export function isSearching(form: HTMLFormElement): boolean {
  return hasSearch(form) || !isEmpty({ ...readForm(form), q: '' });
}

/** Whether the address has a search that the page can show. */
function hasSearch(form: HTMLFormElement): boolean {
  const params = new URLSearchParams(location.search);
  return listOf() !== null && names.some((name) => fieldOf(form, name) !== null && (params.get(name) ?? '') !== '');
}

/** Reads the search from the form. */
export function readForm(form: HTMLFormElement): SearchState {
  return Object.fromEntries(names.map((name) => [name, fieldOf(form, name)?.value.trim() ?? ''])) as SearchState;
}

export function isEmpty(state: SearchState): boolean {
  return names.every((name) => state[name] === '');
}

/** Fills the form from the address. Adds an option for a value that the form does not offer. */
export function showAddress(form: HTMLFormElement): void {
  const params = new URLSearchParams(location.search);
  for (const name of names) {
    const field = fieldOf(form, name);
    if (field === null) continue;
    const value = params.get(name) ?? '';
    if (field instanceof HTMLSelectElement && ![...field.options].some((option) => option.value === value)) {
      field.add(new Option(value, value));
    }
    field.value = value;
  }
  // Narrow screens show the words here, since the field shows them only while it has the focus.
  listOf()?.count.setAttribute('data-query', (params.get('q') ?? '').trim());
}

/** Puts a search into the address bar. The back button undoes one at a time. */
export function writeAddress(state: SearchState): void {
  const address = new URL(location.href);
  // Links write the same search in different ways, such as a space as %20 or +.
  if (names.every((name) => (address.searchParams.get(name) ?? '').trim() === state[name])) return;
  for (const name of names) {
    if (state[name] === '') address.searchParams.delete(name);
    else address.searchParams.set(name, state[name]);
  }
  try {
    history.pushState(null, '', address);
  } catch {
    // Browsers refuse many changes in a short time. A later one succeeds.
  }
}

/**
 * Returns the parts of the archive that show the results of a search, and the list of all agents, which they replace; null
 * on other pages.
 */
export function listOf() {
  const [count, results, all] = ['main .results-count', '[data-results]', '[data-list]'].map((selector) =>
    document.querySelector<HTMLElement>(selector),
  );
  return count && results && all ? { count, results, all } : null;
}

/**
 * Starts the search in the header. Its script and index are loaded when the field or a filter of the archive gets the
 * focus, or if the address has a search. Ctrl+K and ⌘K move the focus to the field. A character alone would do so by accident,
 * as in dictation (WCAG 2.1.4).
 */
export function startSearch(): void {
  const form = document.querySelector<HTMLFormElement>('form[data-search]');
  const field = form?.querySelector('input');
  const count = form?.querySelector('.results-count');
  if (!form || !field || !count) return;
  const list = listOf();
  let [loading, attached] = [false, false];

  // Results of the address appear once script and index are loaded, and would push the page down. This reserves space.
  const reserve = (searched: boolean) => {
    if (list === null || attached) return;
    list.all.hidden = searched;
    list.results.hidden = !searched;
    list.results.classList.toggle('reserved', searched);
    // After "Back" or a reload, they are as high as before, and the browser finds the place where the reader was.
    const shown = recall(`results ${location.search}`, 'sessionStorage');
    list.results.style.minBlockSize = (searched && shown?.split(' ')[1]) || '';
  };
  const tell = (text: string, toType = '', inList = toType) => {
    if (attached) return;
    const told = readForm(form).q === '' || document.activeElement !== field ? '' : text + toType;
    if (count.textContent !== told) count.textContent = told;
    if (list !== null) list.count.textContent = isSearching(form) ? text + inList : '';
  };
  const load = () => {
    tell('Loading search …');
    if (loading) return;
    loading = true;
    // Browsers never load an address again that could not be imported. This one is new each time, and the file the same.
    import(`${form.dataset.script}#${Date.now()}`)
      .then((module: { attach(form: HTMLFormElement): Promise<void> }) => module.attach(form))
      .then(
        () => {
          list?.results.classList.remove('reserved');
          list?.results.style.removeProperty('min-block-size');
          attached = true;
        },
        () => {
          loading = false;
          reserve(false);
          tell('Search failed to load.', ' Press Enter to open the archive.', ' Below is the whole archive.');
        },
      );
  };

  for (const filters of document.querySelectorAll<HTMLFieldSetElement>('.filters')) {
    filters.hidden = false;
    filters.disabled = false;
    for (const event of ['focusin', 'input']) filters.addEventListener(event, load);
    filters.addEventListener('input', () => reserve(true));
  }
  for (const event of ['focusin', 'input']) form.addEventListener(event, load);
  form.addEventListener('focusout', () => form.classList.remove('afloat'));
  field.setAttribute('aria-keyshortcuts', 'Control+K Meta+K');
  document.addEventListener('keydown', (event) => {
    if (!/^k$/i.test(event.key) || event.ctrlKey === event.metaKey || event.shiftKey || event.altKey) return;
    // In a text, Ctrl+K deletes the rest of the line on macOS.
    if (document.activeElement?.matches('textarea, input:not([type="radio"])')) return;
    event.preventDefault();
    // Above the part of the page that the reader sees, the field would take them away from what they read.
    form.classList.toggle('afloat', form.getBoundingClientRect().top < 0);
    field.focus({ preventScroll: true });
    field.select();
  });
  if (!hasSearch(form)) return;
  showAddress(form);
  reserve(true);
  load();
}
