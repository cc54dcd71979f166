/** A search is in the form, in the filters of the archive, and in the address bar, under the same names. */

const names = ['q', 'category', 'difficulty', 'runtime', 'tag'] as const;

export type SearchState = Record<(typeof names)[number], string>;

type Field = HTMLInputElement | HTMLSelectElement;

const fieldOf = (form: HTMLFormElement, name: string) => form.elements.namedItem(name) as Field | null;

/** Whether the address has a search that the page can show. */
export function hasSearch(form: HTMLFormElement): boolean {
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
}

/** Puts a search into the address bar. The back button undoes one at a time. */
export function writeAddress(state: SearchState): void {
  const address = new URL(location.href);
  for (const name of names) {
    if (state[name] === '') address.searchParams.delete(name);
    else address.searchParams.set(name, state[name]);
  }
  if (address.search === location.search) return;
  try {
    history.pushState(null, '', address);
  } catch {
    // Browsers refuse many changes in a short time. A later one succeeds.
  }
}

/** The parts of the archive that show the results of a search, and the list of all agents, which they replace. */
export interface ResultList {
  count: HTMLElement;
  results: HTMLElement;
  all: HTMLElement;
}

/** Returns the parts of this page, or null on other pages than the archive. */
export function listOf(): ResultList | null {
  const [count, results, all] = ['main .results-count', '[data-results]', '[data-list]'].map((selector) =>
    document.querySelector<HTMLElement>(selector),
  );
  return count && results && all ? { count, results, all } : null;
}
