/** The script of every page. Reading, voting and subscribing work without it. */

import { startForms } from './forms.ts';
import { make } from './make.ts';
import { recall, remember } from './memory.ts';
import { copyButton, startCopying, startFillIn, startOpenIn } from './prompt.ts';
import { startSearch } from './search-field.ts';

/** Where the browser remembers the tab that the reader chose last, on any page. */
const tabKey = 'tab';

/** Starts the lists whose parts are shown one at a time, as tabs. `data-tabs` is the name of the list of tabs. */
function startTabs(): void {
  for (const group of document.querySelectorAll<HTMLElement>('[data-tabs]')) startTabGroup(group);
}

function startTabGroup(group: HTMLElement): void {
  const panels = [...group.children] as HTMLElement[];
  const tabs = panels.map((panel) => {
    const heading = panel.querySelector<HTMLElement>('h3');
    const tab = make('button', '', heading?.textContent ?? '');
    tab.type = 'button';
    tab.setAttribute('role', 'tab');
    tab.id = `${panel.id}-tab`;
    tab.setAttribute('aria-controls', panel.id);
    panel.setAttribute('role', 'tabpanel');
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
  list.setAttribute('role', 'tablist');
  list.setAttribute('aria-label', group.dataset.tabs ?? '');
  list.addEventListener('click', ({ target }) => {
    // Browsers that translate a page put elements into the tabs.
    const index = tabs.findIndex((tab) => tab.contains(target as Element));
    if (index === -1) return;
    show(index);
    reveal(index);
    remember(tabKey, panels[index]?.id ?? '');
  });
  list.addEventListener('keydown', (event) => {
    const index = tabs.indexOf(event.target as HTMLButtonElement);
    const right = document.dir === 'rtl' ? -1 : 1;
    const keys: Record<string, number> = { ArrowLeft: index - right, ArrowRight: index + right, Home: 0, End: -1 };
    const next = keys[event.key];
    if (next === undefined || event.altKey || event.ctrlKey || event.metaKey || event.shiftKey) return;
    event.preventDefault();
    const tab = tabs.at(next % tabs.length);
    tab?.focus();
    tab?.click();
  });
  const remembered = panels.findIndex(({ id }) => id === recall(tabKey));
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
function startFolds(): void {
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

/** Starts the buttons that share the page of an agent, whose address is in `data-share`, or copy its title and address. */
function startSharing(): void {
  for (const button of document.querySelectorAll<HTMLButtonElement>('button[data-share]')) {
    const { copy } = copyButton(button, button.nextElementSibling);
    const [title = '', url = ''] = [document.querySelector('h1')?.textContent ?? '', button.dataset.share];
    button.hidden = false;
    button.addEventListener('click', () => {
      if (!('share' in navigator)) return copy(`${title}\n${url}`);
      // It is rejected if the reader closes the sheet.
      return navigator.share({ title, url }).catch(() => {});
    });
  }
}

/** Leads from the former address of an agent to the part or the vote that the link named: the refresh of the page drops both. */
function startMoved(): void {
  const address = document.querySelector<HTMLMetaElement>('meta[http-equiv="refresh"]')?.content.replace(/^.*url=/, '');
  if (address !== undefined) location.replace(address + location.search + location.hash);
}

/** Removes what a page says about the next agent once its time, in `data-until`, is over: a static page stays as it was built. */
function startNext(): void {
  for (const part of document.querySelectorAll<HTMLElement>('[data-until]'))
    if (Date.now() >= Date.parse(part.dataset.until ?? '')) part.remove();
}

/** Where the browser remembers the agents that the reader opened, as the paths of their pages. */
const readKey = 'read';
/** How many it remembers. */
const mostRead = 1_000;

/** Remembers the agent of this page, and marks the links in lists that lead to agents which this browser has opened. */
function startReadMarks(): void {
  const readPaths = () => new Set(recall(readKey)?.split('\n'));
  const here = location.pathname.replace(/\/$/, '');
  if (document.querySelector('article.agent') !== null)
    remember(readKey, [...readPaths().add(here)].slice(-mostRead).join('\n'));
  const clear = document.querySelector<HTMLElement>('.forget-read');
  const mark = () => {
    const read = readPaths();
    for (const old of document.querySelectorAll('.read-mark')) old.remove();
    for (const link of document.querySelectorAll<HTMLAnchorElement>('.entry h3 a, .titles a'))
      if (read.has(link.pathname)) link.after(make('span', 'read-mark', ' opened'));
    // A long archive has most of the marks on its other pages.
    clear?.toggleAttribute('hidden', read.size === 0);
  };
  mark();
  // A reader opens an agent in another tab, comes back to this page, or gets other results in the archive.
  for (const event of ['storage', 'pageshow']) addEventListener(event, mark);
  const results = document.querySelector('.result-list');
  if (results !== null) new MutationObserver(mark).observe(results, { childList: true });
  clear?.querySelector('button')?.addEventListener('click', () => {
    remember(readKey, null);
    mark();
    document.querySelector<HTMLElement>('#content a')?.focus();
  });
}

document.documentElement.classList.add('js');
for (const start of [
  startMoved,
  startNext,
  startCopying,
  startFillIn,
  startOpenIn,
  startTabs,
  startFolds,
  startForms,
  startSearch,
  startSharing,
  startReadMarks,
]) {
  try {
    start();
  } catch (error) {
    // The other parts work without this one.
    reportError(error);
  }
}
