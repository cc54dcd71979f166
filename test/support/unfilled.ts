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
      const excused = new Set(emptyOnPurpose.flatMap((selector) => document.querySelectorAll(selector)));
      for (const element of document.querySelectorAll('*')) {
        for (const { key, value } of element.attributes) {
          if (filled.test(key) && value === '') this.report(element, `<${element.tagName} ${key}=""> is empty`);
        }
        if (!excused.has(element) && isEmpty(element)) this.report(element, `<${element.tagName}> is empty`);
      }
    });
  }
}

function isEmpty(element: HtmlElement): boolean {
  if (withoutContent.test(element.tagName) || element.textContent.trim() !== '') return false;
  return element.childElements.every(isEmpty);
}

/** Adds the rule `unfilled` to html-validate. */
export const unfilledPlugin: Plugin = { name: 'catalog', rules: { unfilled: Unfilled } };

/** Finds elements in one pass. The package copies the list of matches at each element, which takes half of the judging. */
HtmlElement.prototype.getElementsByTagName = function (this: HtmlElement, tagName: string): HtmlElement[] {
  const matches: HtmlElement[] = [];
  const visit = (parent: HtmlElement) => {
    for (const element of parent.childElements) {
      if (element.is(tagName)) matches.push(element);
      visit(element);
    }
  };
  visit(this);
  return matches;
};

/** Lets a judge use one configuration for all documents. It reads and merges it for each, which takes as long as judging. */
export async function configureOnce(judge: HtmlValidate): Promise<void> {
  const config = await judge.getConfigFor('page.html');
  judge.getConfigFor = async () => config;
}
