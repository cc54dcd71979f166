/** A search is in the form and in the address bar, under the same names. */

const names = ['q', 'category', 'difficulty', 'runtime', 'tag'] as const;

export type SearchState = Record<(typeof names)[number], string>;

type Field = HTMLInputElement | HTMLSelectElement;

function fieldOf(form: HTMLFormElement, name: string): Field | null {
  return form.querySelector<Field>(`[name="${name}"]`);
}

/** Whether the address has a search that the form can show. */
export function hasSearch(form: HTMLFormElement): boolean {
  const params = new URLSearchParams(location.search);
  return names.some((name) => fieldOf(form, name) !== null && (params.get(name) ?? '') !== '');
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

/** Clears the form. */
export function clearForm(form: HTMLFormElement): void {
  for (const name of names) {
    const field = fieldOf(form, name);
    if (field !== null) field.value = '';
  }
}

/**
 * Puts a search into the address bar. The back button undoes one choice at a time, or everything typed since the last
 * one.
 */
export function writeAddress(state: SearchState, { typed }: { typed: boolean }): void {
  const address = new URL(location.href);
  for (const name of names) {
    if (state[name] === '') address.searchParams.delete(name);
    else address.searchParams.set(name, state[name]);
  }
  if (address.search === location.search) return;
  try {
    if (typed && history.state?.typed === true) history.replaceState({ typed }, '', address);
    else history.pushState({ typed }, '', address);
  } catch {
    // Browsers refuse many changes in a short time. A later one succeeds.
  }
}
