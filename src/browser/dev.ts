import type { Diagnostic } from '../schema/diagnostics/diagnostic.ts';
import { make } from './make.ts';
import { recall, remember } from './memory.ts';

/**
 * The script that `catalog dev` adds to every page: it follows the changes of the catalog. All texts come from the
 * files of agents, so they are only ever set as text.
 */

/** As the preview sends it (build/dev/preview.ts). */
interface State {
  mark: string;
  styles: Record<string, string>;
  errors: Diagnostic[];
  checks: { findings: Diagnostic[]; passed: string[] } | null;
  unpublished: Record<string, string>;
}

const own = document.querySelector<HTMLScriptElement>('script[data-mark]');
const root = document.createElement('div').attachShadow({ mode: 'open' });
let source: EventSource | undefined;

function stylesheet(): HTMLLinkElement {
  return Object.assign(make('link'), { rel: 'stylesheet', href: '/__dev/dev.css' });
}

function count(number: number, noun: string): string {
  return `${number} ${noun}${number === 1 ? '' : 's'}`;
}

function itemOf({ code, severity, file, line, column, message, hint, frame }: Diagnostic): HTMLElement {
  return make(
    'li',
    severity,
    make('p', 'place', make('b', '', `${file}:${line}:${column}`), ` ${severity} ${code}`),
    make('p', '', message),
    ...(frame === '' ? [] : [make('pre', '', frame)]),
    ...(hint === '' ? [] : [make('p', 'hint', hint)]),
  );
}

/** The errors that the page shows, as JSON. */
let shownErrors = '[]';

/** Shows errors over the page. Once closed, they stay closed until they change, or until the editor opens them again. */
function showErrors(errors: readonly Diagnostic[]): void {
  const key = JSON.stringify(errors);
  // Each saved file causes a message, and most say the same about errors.
  if (key === shownErrors) return;
  shownErrors = key;
  root.querySelector('dialog')?.remove();
  root.querySelector('.reopen')?.remove();
  if (errors.length === 0) return;
  const close = make('button', '', 'Close');
  const title = make('h2', '', count(errors.length, 'error'));
  const about = make('p', 'about', 'The page updates when you save a fix.');
  const dialog = make('dialog', '', make('header', '', title, close), about, make('ol', '', ...errors.map(itemOf)));
  title.id = 'errors';
  dialog.setAttribute('aria-labelledby', 'errors');
  const reopen = make('button', 'reopen', count(errors.length, 'error'));
  reopen.addEventListener('click', () => dialog.showModal());
  close.addEventListener('click', () => dialog.close());
  dialog.addEventListener('close', () => remember('dev-closed', key, 'sessionStorage'));
  dock.prepend(reopen);
  root.append(dialog);
  if (recall('dev-closed', 'sessionStorage') !== key) dialog.showModal();
}

/** Shows what the rules say about the agent of the page. */
function showChecks(checks: State['checks']): void {
  const before = root.querySelector('details');
  before?.remove();
  if (checks === null) return;
  const { findings, passed } = checks;
  const said =
    findings.length === 0 ? `all ${passed.length} passed` : `${findings.length} to fix, ${passed.length} passed`;
  const names = passed.map((code) => code.replace(/^.*\//, ''));
  const panel = make(
    'details',
    findings.length === 0 ? 'clean' : '',
    make('summary', '', `Checks: ${said}`),
    make('ol', '', ...findings.map(itemOf)),
    make('p', 'passed', passed.length === 0 ? '' : `Passed: ${names.join(', ')}`),
  );
  panel.open = before?.open ?? recall('dev-panel', 'sessionStorage') === 'open';
  panel.addEventListener('toggle', () => remember('dev-panel', panel.open ? 'open' : '', 'sessionStorage'));
  dock.append(panel);
}

/** Marks agents that are not published yet, in lists and on their own pages. */
function showBadges(unpublished: State['unpublished']): void {
  for (const old of document.querySelectorAll('.dev-badge')) old.remove();
  const here = slugIn(location.pathname);
  const titles = [...document.querySelectorAll<HTMLAnchorElement>('main :is(h1, h2, h3, h4, li, dd) > a[href]')];
  const marked: [Element, string | null][] = titles
    .filter((link) => link.origin === location.origin && link.hash === '')
    .map((link) => [link, /^\/agents\/[^/]+$/.test(link.pathname) ? slugIn(link.pathname) : null]);
  const heading = document.querySelector('h1');
  if (heading !== null) marked.push([heading, here]);
  for (const [element, slug] of marked) {
    const text = slug !== null && Object.hasOwn(unpublished, slug) ? unpublished[slug] : undefined;
    if (text === undefined) continue;
    const badge = make('span', 'dev-badge');
    badge.attachShadow({ mode: 'open' }).append(stylesheet(), make('span', 'badge', text));
    if (element === heading) heading.append(' ', badge);
    else element.after(' ', badge);
  }
}

function slugIn(path: string): string | null {
  return /^\/agents\/([a-z0-9-]+)(?:$|[./])/.exec(path)?.[1] ?? null;
}

/** Replaces stylesheets that changed. The old one goes when the new one is loaded, so that the page stays styled. */
function updateStyles(styles: State['styles']): void {
  for (const link of document.querySelectorAll<HTMLLinkElement>('link[rel="stylesheet"]')) {
    const address = new URL(link.href);
    const version = styles[address.pathname];
    if (version === undefined || address.searchParams.get('v') === version) continue;
    address.searchParams.set('v', version);
    const next = link.cloneNode() as HTMLLinkElement;
    next.href = address.href;
    next.addEventListener('load', () => link.remove());
    link.after(next);
    link.rel = 'stylesheet old';
  }
}

function follow(): void {
  source?.close();
  // Browsers open few connections to one host, so only visible pages have one.
  if (document.hidden) return;
  source = new EventSource(`/__dev/events?path=${encodeURIComponent(location.pathname)}`);
  source.addEventListener('message', ({ data }) => {
    const state = JSON.parse(data) as State;
    if (state.mark !== own?.dataset.mark) {
      source?.close();
      location.reload();
      return;
    }
    updateStyles(state.styles);
    showErrors(state.errors);
    showChecks(state.checks);
    showBadges(state.unpublished);
  });
}

const dock = make('aside', 'dock');
dock.setAttribute('aria-label', 'Preview');
root.append(stylesheet(), dock);
document.body.append(root.host);
document.addEventListener('visibilitychange', follow);
window.addEventListener('pageshow', ({ persisted }) => persisted && follow());
window.addEventListener('pagehide', () => source?.close());
follow();
