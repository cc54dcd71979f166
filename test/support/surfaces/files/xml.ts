import { publication, rich, typeset } from '../../rich-catalog.ts';
import { address, base, coding } from '../known.ts';
import type { Expected } from '../reader.ts';

const { title: name, tagline, description, publisher, feedId } = publication;

/** A text of the agent `rich` in a feed whose summaries are HTML: the markup in it is text. */
const asHtml = (word: string) => `${word} &lt;i&gt;&amp;amp; "quoted" 'single' ]]&gt; Ωμέγα Жук`;

const item = '/rss/channel/item[2]';
const entry = '/a:feed/a:entry[2]';
const feedOf = (path: string, about: { id: string; title: string; page: string }): Expected => ({
  // newsboat shows a feed from right to left because of its language.
  '/a:feed/@xml:lang': 'en',
  '/a:feed/a:id': about.id,
  '/a:feed/a:title': about.title,
  '/a:feed/a:subtitle': description,
  '/a:feed/a:author/a:name': publisher.name,
  '/a:feed/a:author/a:uri': publisher.url,
  '/a:feed/a:rights': `${publisher.name}, CC BY 4.0`,
  '/a:feed/a:updated': '2026-03-03T20:00:00.000Z',
  '/a:feed/a:link[@rel="alternate"]/@href': `${base}/${about.page}`,
  '/a:feed/a:link[@rel="self"]/@href': `${base}/${path}`,
  [`${entry}/a:id`]: `${feedId}/issues/2`,
  [`${entry}/a:link/@href`]: address,
  [`${entry}/a:title`]: rich.title,
  [`${entry}/a:title/@type`]: 'text',
  [`${entry}/a:summary`]: asHtml('Excerpt'),
  [`${entry}/a:summary/@type`]: 'html',
  [`${entry}/a:published`]: '2026-02-27T15:00:00.000Z',
  [`${entry}/a:updated`]: '2026-03-03T20:00:00.000Z',
  [`${entry}/a:author/a:name`]: publisher.name,
  [`${entry}/a:category/@label`]: coding,
  [`${entry}/a:category/@term`]: 'coding',
  [`${entry}/a:category/@scheme`]: `${base}/archive`,
});

/** The namespaces of the XPath expressions below. */
export const namespaces = {
  a: 'http://www.w3.org/2005/Atom',
  s: 'http://www.sitemaps.org/schemas/sitemap/0.9',
  dc: 'http://purl.org/dc/elements/1.1/',
  content: 'http://purl.org/rss/1.0/modules/content/',
  svg: 'http://www.w3.org/2000/svg',
};

/** The first color of an accent, and the colors of texts, in social images. */
const [accent, black, gray] = ['#a6331b', '#1d1a16', '#615b50'];

/** Files that are XML. */
export const xmlFiles: Record<string, Expected> = {
  'feed.xml': {
    '/rss/channel/title': name,
    '/rss/channel/description': description,
    '/rss/channel/link': `${base}/`,
    '/rss/channel/language': 'en',
    '/rss/channel/lastBuildDate': 'Tue, 03 Mar 2026 20:00:00 GMT',
    '/rss/channel/copyright': `${publisher.name}, CC BY 4.0`,
    '/rss/channel/a:link/@href': `${base}/feed.xml`,
    '/rss/channel/item/guid': [`${feedId}/issues/3`, `${feedId}/issues/2`, `${feedId}/issues/1`],
    [`${item}/title`]: rich.title,
    [`${item}/description`]: asHtml('Excerpt'),
    [`${item}/link`]: address,
    [`${item}/pubDate`]: 'Fri, 27 Feb 2026 15:00:00 GMT',
    [`${item}/category`]: coding,
    // With an attribute, rss-parser gives programs an object instead of the label.
    [`${item}/category/@*`]: [],
    [`${item}/dc:creator`]: publisher.name,
  },
  'atom.xml': feedOf('atom.xml', { id: feedId, title: name, page: '' }),
  'feeds/coding.xml': feedOf('feeds/coding.xml', {
    id: `${feedId}/categories/coding`,
    title: `${name}: ${coding}`,
    page: 'categories/coding',
  }),
  'sitemap.xml': {
    '/s:urlset/s:url/s:loc': [
      ...['', 'agents/newer', 'agents/rich', 'agents/older', 'archive', 'categories/coding', 'categories/writing'],
      ...['tags/other-tag', 'tags/tag-one', 'tags/tag-two', 'about', 'developers'],
    ].map((path) => `${base}/${path}`),
    '/s:urlset/s:url/s:lastmod': [
      ...['2026-03-04', '2026-03-02', '2026-03-04', '2026-01-31', '2026-03-04', '2026-03-04', '2026-01-31'],
      ...['2026-03-02', '2026-03-04', '2026-03-04'],
    ],
  },
  'og/rich.png': {
    // Paper, the bar, the rule, the mark and its two lines; then the texts of both layers, each from top to bottom.
    '//@fill': ['#fbf9f4', accent, black, accent, 'none', 'none', black, gray, gray, accent, gray, black, accent],
    '//@transform': 'translate(64 46) scale(1.25)',
    '//@font-size': ['22', '18', '28', '28', '24', '176', '76', '29'],
    '//svg:tspan/@y': ['526', '560', '265', '347', '429', '494'],
    '//svg:text[@x="118"]': `${name.slice(0, name.lastIndexOf(' '))}…`,
    '//svg:text[@x="1128"][@text-anchor="end"]': tagline,
    '//@font-family': ['Libre Franklin Thin', 'Libre Franklin Thin', 'Besley'],
    '//@letter-spacing': '-0.01em',
    '//svg:text[@x="392"][@y="170"]': coding,
    '//svg:text[@y="206"]': '2',
    '//svg:text[@y="560"]/svg:tspan': ['Saturday', 'February 28, 2026'],
    '//svg:text[@letter-spacing]/svg:tspan': ['Title <i>&amp;', `"quoted" 'single'`, ']]> Ωμέγα Жук'],
    '(//svg:text)[last()]/svg:tspan': rich.excerpt,
  },
  'og/catalog.png': {
    '//@fill': ['#fbf9f4', accent, black, accent, 'none', 'none', black, accent, black],
    '//@transform': 'translate(52 150) scale(8)',
    '//@font-size': ['28', '28', '68', '29'],
    '//svg:tspan/@y': ['259', '332', '406', '470', '512'],
    '//svg:text[@x="72"]': 'site.example',
    '//svg:text[@x="392"]': tagline,
    '//svg:text[@letter-spacing]/svg:tspan': ['Publication', '<i>&amp; "quoted"', `'single' ]]> Ωμέγα Жук`],
  },
};

/** The HTML that feeds carry: where it is in them, and what it says. */
export const feedContent: Expected = {
  'body > p:first-of-type': rich.excerpt,
  h3: ['The problem', 'The prompt', 'How it works'],
  'h3:first-of-type + p': typeset(rich.problem),
  pre: rich.prompt,
  'h4, h5': 'Inner heading',
  em: 'stress',
  'body > p:last-of-type': `CC BY 4.0, ${publisher.name}`,
  'a @href': ['https://link.example/?a=1&b=2', address],
  i: [],
};
