import type { attach } from './search.ts';
import { hasSearch, listOf, readForm, showAddress } from './search-state.ts';

/**
 * Starts the search in the header. Its script and index are loaded when the field or a filter of the archive gets the
 * focus, or if the address has a search. The key `/` moves the focus to the field.
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
  };
  const tell = (text: string) => {
    if (attached) return;
    count.textContent = readForm(form).q === '' || document.activeElement !== field ? '' : text;
    if (list !== null) list.count.textContent = hasSearch(form) ? text : '';
  };
  const load = () => {
    tell('Loading search …');
    if (loading) return;
    loading = true;
    import(form.dataset.script ?? '')
      .then((module: { attach: typeof attach }) => module.attach(form))
      .then(
        () => {
          attached = true;
          list?.results.classList.remove('reserved');
        },
        () => {
          loading = false;
          reserve(false);
          tell('Search failed to load. Press Enter to open the archive.');
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
  document.addEventListener('keydown', (event) => {
    if (event.key !== '/' || event.ctrlKey || event.metaKey || event.altKey || isTyping(event.target)) return;
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

function isTyping(target: EventTarget | null): boolean {
  return target instanceof HTMLElement && (target.isContentEditable || target.matches('input, textarea, select'));
}
