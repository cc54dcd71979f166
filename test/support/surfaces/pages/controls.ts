import { load } from 'cheerio';

/**
 * What browsers and assistive software are told of the parts of pages that a reader uses: forms, buttons, fields, boxes
 * that scroll, and parts that scripts show. Each kind of part once, with its class and attributes.
 */

const parts =
  'form, fieldset, button, input, select, textarea, pre, th, [role], [hidden], [aria-hidden], [aria-current], a[rel], a[target], .copy-status, .form-message';
/** Lists whose numbers fall, since the newest is first. */
const falling = 'ol.entries, ol.history';

const attributes = [
  ...['type', 'name', 'method', 'role', 'rel', 'target', 'scope', 'reversed', 'hidden', 'disabled', 'required'],
  ...[
    'tabindex',
    'maxlength',
    'autocomplete',
    'spellcheck',
    'dir',
    'aria-required',
    'aria-keyshortcuts',
    'aria-hidden',
    'aria-current',
  ],
];

/** The kinds of parts that pages have, sorted. */
export function controlsOf(pages: Iterable<string>): string[] {
  const found = new Set<string>();
  for (const html of pages) {
    const document = load(html);
    for (const { tagName, attribs } of document(`${parts}, ${falling}`).toArray()) {
      const name = attribs.class === undefined ? tagName : `${tagName}.${attribs.class.split(' ').pop()}`;
      const own = attributes
        .filter((key) => key in attribs && !(key === 'name' && attribs.type === 'radio'))
        .map((key) => (attribs[key] ? `${key}=${attribs[key]}` : key));
      found.add([name, ...own].join(' '));
    }
  }
  return [...found].sort();
}

/** All kinds of parts on the pages of the rich catalog. */
export const controls: readonly string[] = [
  'a aria-current=page',
  'a rel=license',
  'a rel=next',
  'a rel=noopener noreferrer target=_blank',
  'a rel=prev',
  'button type=button',
  'button type=button hidden',
  'button type=submit',
  'button type=submit hidden',
  'button type=submit name=vote',
  'button.copy type=button hidden',
  'button.more-results type=button hidden',
  'button.send-note type=submit hidden',
  'div.open-in hidden',
  'div.results hidden',
  'div.scroll role=group tabindex=0',
  'fieldset',
  'fieldset.filters hidden disabled',
  'fieldset.switch',
  'form.fill-in hidden',
  'form.search role=search',
  'form.subscribe method=post',
  'form.vote method=post',
  'input type=email name=email required maxlength=254 autocomplete=email',
  'input type=hidden name=form',
  'input type=hidden name=list',
  'input type=hidden name=slug',
  'input type=radio',
  'input type=search name=q role=combobox autocomplete=off spellcheck=false dir=auto',
  'input type=text name=website tabindex=-1 autocomplete=off',
  'kbd aria-hidden=true',
  'ol.entries reversed',
  'ol.history reversed',
  'ol.result-list',
  'p.forget-read hidden',
  'p.form-message',
  'p.form-message role=status',
  'p.honeypot hidden',
  'p.not-loaded hidden',
  'p.open-in-status role=status',
  'p.results-count role=status',
  'pre role=group',
  'pre.excerpted role=group tabindex=0 dir=auto',
  'pre.preformatted role=group tabindex=0 dir=auto',
  'pre.prompt role=group tabindex=0 dir=auto',
  'pre.source role=group tabindex=0 dir=auto',
  'select name=category',
  'select name=difficulty',
  'select name=runtime',
  'select name=tag',
  'span.copy-status role=status',
  'svg.mark aria-hidden=true',
  'svg.search-mark aria-hidden=true',
  'textarea name=note maxlength=500 dir=auto',
  'textarea spellcheck=false dir=auto',
  'textarea spellcheck=false dir=auto aria-required=true',
  'th scope=col',
];
