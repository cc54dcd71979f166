import type { attach } from './search.ts';
import { hasSearch, isEmpty, readForm } from './search-state.ts';

/**
 * Starts the search of a page. Its script and index are loaded when it gets the focus, or if the address has a search.
 * The key `/` moves the focus to it.
 */
export function startSearch(): void {
  const form = document.querySelector<HTMLFormElement>('form[data-search]');
  const field = form?.querySelector<HTMLInputElement>('input[type="search"]');
  const results = form?.querySelector<HTMLElement>('[data-results]') ?? null;
  if (form == null || field == null) return;
  let loading: Promise<void> | undefined;

  const load = () => {
    loading ??= import(form.dataset.script ?? '').then((module: { attach: typeof attach }) => module.attach(form));
    return loading.catch((error) => {
      loading = undefined;
      throw error;
    });
  };
  // Results appear once script and index are loaded, and would push the page down. This reserves space for them.
  let attached = false;
  const reserve = (searched: boolean) => {
    results?.classList.toggle('reserved', searched && !attached);
    if (results !== null && !attached) results.hidden = !searched;
  };
  const count = form.querySelector('.results-count');
  const sayFailed = () => {
    const searched = hasSearch(form) || !isEmpty(readForm(form));
    reserve(searched);
    results?.classList.remove('reserved');
    const text = searched ? 'Search failed to load. Press Enter to open the archive.' : '';
    if (count !== null) count.textContent = text;
  };
  const loadQuietly = () =>
    void load().then(() => {
      attached = true;
    }, sayFailed);

  for (const filters of form.querySelectorAll<HTMLFieldSetElement>('.filters')) {
    filters.hidden = false;
    filters.disabled = false;
  }
  for (const event of ['focusin', 'input']) form.addEventListener(event, loadQuietly);
  form.addEventListener('input', () => reserve(!isEmpty(readForm(form))));
  form.addEventListener('submit', (event) => {
    event.preventDefault();
    // If the search cannot be loaded, the archive opens, as it does without scripts.
    load().catch(() => form.submit());
  });
  document.addEventListener('keydown', (event) => {
    if (event.key !== '/' || event.ctrlKey || event.metaKey || event.altKey || isTyping(event.target)) return;
    event.preventDefault();
    field.focus();
    field.select();
  });
  if (!hasSearch(form)) return;
  reserve(true);
  loadQuietly();
}

function isTyping(target: EventTarget | null): boolean {
  return target instanceof HTMLElement && (target.isContentEditable || target.matches('input, textarea, select'));
}
