import { type DOMReadyEvent, HtmlElement, type HtmlValidate, type Plugin, Rule } from 'html-validate';

/** Elements that are empty in the page on purpose: scripts fill the first five lines, and texts of agents have blank lines and cells. */
const emptyOnPurpose = [
  'span.copy-status, span.vote-totals',
  'p.form-message',
  'p.open-in-status, p.results-count, .search-panel, #suggestions',
  'ol.result-list',
  'textarea',
  'pre.prompt span.line',
  '.rendered td',
  'div.ink td',
];

/** Elements that never hold anything (HTML, section 13.1.2), and those that are drawn or run. */
const withoutContent = /^(?:area|base|br|col|embed|hr|img|input|link|meta|source|track|wbr|progress|svg|path|script)$/;

/** Attributes that a template fills, or whose empty value would mean something else. */
const filled = /^(?:href|src|id|for|content|title|datetime|action|name|alt|aria-.*|data-(?:copy|accent|limit|home))$/;

/**
 * A rule for html-validate: every element of a page holds text or an element that needs none, and no attribute that a
 * template fills is empty. An empty one is a value that a template asked for and did not get.
 */
class Unfilled extends Rule {
  override setup(): void {
    this.on('dom:ready', ({ document }: DOMReadyEvent) => {
      const empty = new Set<HtmlElement>();
      // Elements come before those that they contain.
      for (const element of document.querySelectorAll('*').reverse()) {
        if (isEmpty(element, empty)) empty.add(element);
      }
      for (const element of document.querySelectorAll('*')) {
        for (const { key, value } of element.attributes) {
          if (filled.test(key) && value === '') this.report(element, `<${element.tagName} ${key}=""> is empty`);
        }
        if (empty.has(element) && !emptyOnPurpose.some((selector) => element.matches(selector))) {
          this.report(element, `<${element.tagName}> is empty`);
        }
      }
    });
  }
}

/** Whether an element has no text and nothing that is drawn. `empty` has the empty ones of the elements in it. */
function isEmpty(element: HtmlElement, empty: ReadonlySet<HtmlElement>): boolean {
  return (
    !withoutContent.test(element.tagName) &&
    element.childNodes.every((child) =>
      child instanceof HtmlElement ? empty.has(child) : child.textContent.trim() === '',
    )
  );
}

/** Adds the rule `unfilled` to html-validate. */
export const unfilledPlugin: Plugin = { name: 'catalog', rules: { unfilled: Unfilled } };

/** The elements of each document in their order, and the elements of each name. */
const listed = new WeakMap<HtmlElement, { all: HtmlElement[]; named: Map<string, HtmlElement[]> }>();

/**
 * Finds the elements of a document once. For each of hundreds of questions about a page, the package looks at all of it, and
 * copies the list of matches at each element, which takes longer than everything else.
 */
HtmlElement.prototype.getElementsByTagName = function (this: HtmlElement, tagName: string): HtmlElement[] {
  if (!this.isRootElement()) return descendants(this).filter((element) => element.is(tagName));
  let known = listed.get(this);
  // A parser only adds elements after the last one.
  if (known?.all.at(-1) !== lastOf(this)) known = undefined;
  if (known === undefined) {
    known = { all: descendants(this), named: new Map() };
    listed.set(this, known);
  }
  const matches = known.named.get(tagName) ?? known.all.filter((element) => element.is(tagName));
  known.named.set(tagName, matches);
  return [...matches];
};

function descendants(element: HtmlElement, found: HtmlElement[] = []): HtmlElement[] {
  for (const child of element.childNodes) {
    if (!(child instanceof HtmlElement)) continue;
    found.push(child);
    descendants(child, found);
  }
  return found;
}

/** The last element in an element; undefined if there is none. */
function lastOf(element: HtmlElement): HtmlElement | undefined {
  const last = element.childElements.at(-1);
  return last && (lastOf(last) ?? last);
}

/** Lets a judge use one configuration for all documents. It reads and merges it for each, which takes as long as judging. */
export async function configureOnce(judge: HtmlValidate): Promise<void> {
  const config = await judge.getConfigFor('page.html');
  judge.getConfigFor = async () => config;
}
