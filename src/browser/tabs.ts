import { make } from './make.ts';
import { recall, remember } from './memory.ts';

/** Where the browser remembers the tab that the reader chose last, on any page. */
const chosen = 'tab';

const steps: Record<string, (index: number, count: number) => number> = {
  ArrowLeft: (index, count) => (index + count - 1) % count,
  ArrowRight: (index, count) => (index + 1) % count,
  Home: () => 0,
  End: (_index, count) => count - 1,
};

/** Starts the lists whose parts are shown one at a time, as tabs. `data-tabs` is the name of the list of tabs. */
export function startTabs(): void {
  for (const group of document.querySelectorAll<HTMLElement>('[data-tabs]')) startGroup(group);
}

function startGroup(group: HTMLElement): void {
  const panels = [...group.children] as HTMLElement[];
  const tabs = panels.map((panel) => {
    const heading = panel.querySelector<HTMLElement>('h3');
    const tab = make('button', '', heading?.textContent ?? '');
    tab.type = 'button';
    tab.role = 'tab';
    tab.id = `${panel.id}-tab`;
    tab.setAttribute('aria-controls', panel.id);
    panel.role = 'tabpanel';
    panel.setAttribute('aria-labelledby', tab.id);
    heading?.toggleAttribute('hidden', true);
    return tab;
  });
  // On phones, the tabs are a row that scrolls sideways.
  const list = make('div', 'scroll', ...tabs);
  const show = (index: number) => {
    for (const [at, tab] of tabs.entries()) {
      tab.setAttribute('aria-selected', String(at === index));
      tab.tabIndex = at === index ? 0 : -1;
      panels[at]?.toggleAttribute('hidden', at !== index);
    }
  };
  const reveal = (index: number) => {
    list.scrollLeft += middleOf(tabs[index] ?? list) - middleOf(list);
  };
  list.role = 'tablist';
  list.setAttribute('aria-label', group.dataset.tabs ?? '');
  list.addEventListener('click', ({ target }) => {
    const index = tabs.indexOf(target as HTMLButtonElement);
    if (index === -1) return;
    show(index);
    reveal(index);
    remember(chosen, panels[index]?.id ?? '');
  });
  list.addEventListener('keydown', (event) => {
    const step = steps[event.key];
    if (step === undefined || event.altKey || event.ctrlKey || event.metaKey || event.shiftKey) return;
    event.preventDefault();
    const tab = tabs[step(tabs.indexOf(event.target as HTMLButtonElement), tabs.length)];
    tab?.focus();
    tab?.click();
  });
  const remembered = panels.findIndex(({ id }) => id === recall(chosen));
  group.prepend(list);
  show(Math.max(0, remembered));
  // While the page loads, the browser has no layout yet. To ask for one now would block it.
  if (remembered > 0) requestAnimationFrame(() => reveal(remembered));
}

function middleOf(element: Element): number {
  const { left, width } = element.getBoundingClientRect();
  return left + width / 2;
}

/**
 * Shows the part that the address names: a recorded answer, which its score links to, or the tab of an assistant. The list of
 * contents closes once a part is chosen.
 */
export function startFolds(): void {
  const open = (hash: string) => {
    const target = document.getElementById(hash.slice(1));
    if (target instanceof HTMLDetailsElement) target.open = true;
    document.getElementById(`${target?.id}-tab`)?.click();
    document.querySelector('.contents details')?.removeAttribute('open');
  };
  open(location.hash);
  addEventListener('hashchange', () => open(location.hash));
  // If the address already names the part, a click on its link does not change it.
  document.addEventListener('click', ({ target }) => {
    const link = target instanceof Element ? target.closest<HTMLAnchorElement>('a[href^="#"]') : null;
    if (link !== null) open(link.hash);
  });
}
