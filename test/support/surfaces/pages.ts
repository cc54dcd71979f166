import { createHash } from 'node:crypto';
import { outputs } from '../../../src/outputs/index.ts';
import { newer, older, publication, rich } from '../rich-catalog.ts';
import type { Expected } from './reader.ts';

/** What the pages of the rich catalog say, element by element, as its texts and the calendar have it. */

const base = 'https://site.example/base';
const { title: name, tagline, description, publisher, categories } = publication;
const coding = categories.coding.label;
const writing = categories.writing.label;

/** The texts of a page that it has in common with all others. */
interface Frame {
  title: string;
  /** In the title bar, before the publication; by default the title. */
  bar?: string;
  description: string;
  /** The path below the base URL; null if the page has no address. */
  path: string | null;
  picture?: string;
  pictureShows?: string;
  kind?: 'article' | 'website';
  current?: string;
  fonts?: string[];
  accent?: string;
  noindex?: boolean;
  /** Whether the footer has the search. */
  search?: boolean;
}

/** The address of an asset with the hash of its bytes, as pages write it. */
const asset = (files: ReadonlyMap<string, Buffer>, path: string) =>
  `/base/${path}?v=${createHash('sha256')
    .update(files.get(path) ?? '')
    .digest('hex')
    .slice(0, 12)}`;

function frame(files: ReadonlyMap<string, Buffer>, page: Frame): Expected {
  const { title, path, kind = 'article', current = [], fonts = [], noindex = false, search = true } = page;
  const picture = page.picture ?? 'og/catalog.png';
  const preloaded = ['besley-basic', 'libre-franklin-basic', ...fonts].map((font) => `assets/fonts/${font}.woff2`);
  return {
    'html @lang': 'en',
    'meta[http-equiv="Content-Security-Policy"] @content':
      "default-src 'none'; style-src 'self'; img-src 'self'; font-src 'self'; script-src 'self'; connect-src 'self' https://runtime.example; form-action 'self' https://runtime.example; base-uri 'none'; require-trusted-types-for 'script'; trusted-types 'none'",
    title: page.bar ?? `${title} · ${name}`,
    'meta[name=description] @content': page.description,
    'link[rel=preload] @href': preloaded.map((font) => asset(files, font)),
    'link[rel=stylesheet] @href': asset(files, 'assets/style.css'),
    'link[rel=icon] @href': asset(files, 'assets/favicon.svg'),
    'script[type=module] @src': asset(files, 'assets/site.js'),
    'meta[name=robots] @content': noindex ? ['noindex'] : [],
    'link[rel=canonical] @href': path === null ? [] : [`${base}/${path}`],
    'meta[property="og:url"] @content': path === null ? [] : [`${base}/${path}`],
    'meta[property="og:type"] @content': kind,
    'meta[property="og:site_name"] @content': name,
    'meta[property="og:title"] @content': title,
    'meta[property="og:description"] @content': page.description,
    'meta[property="og:image"] @content': `${base}/${picture}`,
    'meta[property="og:image:alt"] @content': page.pictureShows ?? `${name}: ${tagline}`,
    'link[rel=alternate][type="application/atom+xml"] @title': `${name} (Atom)`,
    'link[rel=alternate][type="application/atom+xml"] @href': '/base/atom.xml',
    'link[rel=alternate][type="application/rss+xml"] @title': `${name} (RSS)`,
    'link[rel=alternate][type="application/rss+xml"] @href': '/base/feed.xml',
    'link[rel=alternate][type="application/feed+json"] @title': `${name} (JSON Feed)`,
    'link[rel=alternate][type="application/feed+json"] @href': '/base/feed.json',
    'body @data-accent': page.accent ?? [],
    '.preview': [],
    '.nameplate': name,
    '.nameplate a @href': '/base/',
    '.nameplate svg @viewBox': '0 0 32 32',
    '.main-navigation a': ['Today', 'Archive', 'About', 'Developers'],
    '.main-navigation a @href': ['/base/', '/base/archive', '/base/about', '/base/developers'],
    '.main-navigation a[aria-current=page]': current,
    'footer.colophon .search @action': search ? ['/base/archive'] : [],
    'footer.colophon .colophon-columns p': [
      `${name}${tagline}. Published by ${publisher.name}.`,
      'Every prompt is free to reuse under CC BY 4.0: name the publisher, and link to the agent.',
      'Follow as Atom, RSS or JSON feed. For developers: API and MCP, llms.txt.',
    ],
    'footer.colophon .colophon-columns a @href': [
      publisher.url,
      'https://creativecommons.org/licenses/by/4.0/',
      ...['/base/atom.xml', '/base/feed.xml', '/base/feed.json', '/base/developers', '/base/llms.txt'],
    ],
    'form.search @data-script': asset(files, 'assets/search.js'),
    'form.search @data-index': '/base/search-index.json',
    'form.search @data-agents': '/base/agents',
  };
}

/** The form that subscribes. */
const subscribe: Expected = {
  'form.subscribe @action': 'https://runtime.example/run/api/subscribe',
  'form.subscribe input[type=hidden] @value': 'daily',
  'form.subscribe label': ['Your email address', 'Leave this empty'],
  'form.subscribe label @for': ['subscribe-email', 'subscribe-website'],
  'form.subscribe .honeypot input @id': 'subscribe-website',
  'form.subscribe .honeypot @hidden': 'hidden',
  'form.subscribe .honeypot input @tabindex': '-1',
  'form.subscribe .honeypot input @autocomplete': 'off',
  'form.subscribe input[type=email][required] @autocomplete': 'email',
  'form.subscribe button': 'Send me one agent a day',
};

const agents = {
  rich: { ...rich, label: coding, accent: '1', day: 'February 28, 2026' },
  older: { ...older, label: writing, accent: '2', day: 'January 31, 2026' },
  newer: { ...newer, label: coding, accent: '1', day: 'March 2, 2026' },
};
type Listed = (typeof agents)[keyof typeof agents];

/** A list of agents with number, date, category, title and excerpt. */
function entries(where: string, listed: Listed[]): Expected {
  const all = (text: (agent: Listed) => string) => listed.map(text);
  return {
    [`${where} .entry @data-accent`]: all(({ accent }) => accent),
    [`${where} .entry .number`]: all(({ issue }) => `No. ${issue}`),
    [`${where} .entry time`]: all(({ day }) => day),
    [`${where} .entry time @datetime`]: all(({ date }) => date),
    [`${where} .entry .kicker`]: all(({ label }) => label),
    [`${where} .entry h3`]: all(({ title }) => title),
    [`${where} .entry h3 a @href`]: all(({ slug }) => `/base/agents/${slug}`),
    [`${where} .entry .excerpt`]: all(({ excerpt }) => excerpt),
  };
}

/** The filters of the search. */
const filters: Expected = {
  '.filters label': ['Category', 'Difficulty', 'Made for', 'Tag'],
  '.filters label @for': ['filter-category', 'filter-difficulty', 'filter-runtime', 'filter-tag'],
  '.filters select @id': ['filter-category', 'filter-difficulty', 'filter-runtime', 'filter-tag'],
  '.filters select @name': ['category', 'difficulty', 'runtime', 'tag'],
  '.filters select[name=category] option': ['All categories', coding, writing],
  '.filters select[name=category] option @value': ['', 'coding', 'writing'],
  '.filters select[name=difficulty] option': ['Any difficulty', rich.difficulty, 'easy'],
  '.filters select[name=difficulty] option @value': ['', rich.difficulty, 'easy'],
  '.filters select[name=runtime] option': ['Any assistant', ...rich.runtimes, 'Claude'],
  '.filters select[name=runtime] option @value': ['', ...rich.runtimes, 'Claude'],
  '.filters select[name=tag] option': ['Any tag', 'other-tag', 'tag-one', 'tag-two'],
  '.filters select[name=tag] option @value': ['', 'other-tag', 'tag-one', 'tag-two'],
};

/** Categories with their counts, as home and the archive have them. */
const subjects: Expected = {
  '.subjects li': [`${coding} 2${categories.coding.description}`, `${writing} 1${categories.writing.description}`],
  '.subjects li @data-accent': ['1', '2'],
  '.subjects a @href': ['/base/categories/coding', '/base/categories/writing'],
};

const lines = rich.prompt.split('\n').length - 1;
const words = rich.prompt.split(/\s+/).length - 1;
const attribution = `“${rich.title}” by ${publisher.name}, ${base}/agents/rich, CC BY 4.0`;

/** The page of the agent `rich`. */
const agentPage: Expected = {
  'link[rel=alternate][title=Markdown] @href': `${base}/agents/rich.md`,
  'link[rel=alternate][title=Markdown] @type': 'text/markdown',
  'link[rel=alternate][title=JSON] @href': `${base}/api/agents/rich.json`,
  'link[rel=alternate][title=Prompt] @href': `${base}/agents/rich/prompt.txt`,
  '.agent .issue': 'No. 2 Saturday February 28, 2026',
  '.agent .issue @data-digits': '1',
  '.agent .issue time @datetime': '2026-02-28',
  '.agent h1': rich.title,
  '.agent .standfirst': rich.excerpt,
  '.agent .actions .copy': 'Copy the prompt',
  '.agent .actions .copy @data-copy': 'prompt-text',
  '.agent section[aria-labelledby=problem] p': rich.problem,
  '.facts dt': ['Category', 'Difficulty', 'Made for', 'Tags'],
  '.facts dd': [coding, rich.difficulty, rich.runtimes.join(', '), 'tag-one, tag-two'],
  '.facts dd a @href': ['/base/categories/coding', '/base/tags/tag-one', '/base/tags/tag-two'],
  '.steps li': rich.steps.map(({ name, text }) => `${name}. ${text}`),
  '.steps li @id': ['step-1', 'step-2'],
  'section[aria-labelledby=prompt] .notes dt': ['INPUT', 'RULES', 'OUTPUT'],
  'section[aria-labelledby=prompt] .notes dd': [
    'Line 1: what you give',
    'Line 4: how it works',
    'Line 7: what comes back',
  ],
  'section[aria-labelledby=prompt] figcaption': `${lines} lines, ${words} words Copy`,
  'section[aria-labelledby=prompt] figcaption .copy @data-copy': 'prompt-text',
  '#prompt-text': rich.prompt,
  '#prompt-text .heading': ['INPUT\n', 'RULES\n', 'OUTPUT\n'],
  'section[aria-labelledby=prompt] .quiet a @href': [`${base}/agents/rich/prompt.txt`, `${base}/agents/rich.md`],
  'section[aria-labelledby=prompt] .leaf-body > .quiet': [
    'The prompt as plain text, this page as Markdown',
    'Contributed text, reviewed on March 4, 2026. A prompt gives an assistant no permission to use your tools, files, network or secrets. Only you can do that.',
  ],
  'section[aria-labelledby=prompt] time @datetime': '2026-03-04',
  '.fill-in @data-fill-in': 'prompt-text',
  '.open-in a': ['Claude', 'ChatGPT', 'Perplexity', 'Cursor'],
  '.open-in a @href': [
    'https://claude.ai/new',
    'https://chatgpt.com/',
    'https://www.perplexity.ai/',
    'https://cursor.com/',
  ],
  '.open-in a @data-prefill': [
    'https://claude.ai/new?q=',
    'https://chatgpt.com/?q=',
    'https://www.perplexity.ai/search?q=',
    'https://cursor.com/link/prompt?text=',
  ],
  '.open-in a @data-limit': ['8000', '8000', '8000', '8000'],
  'section[aria-labelledby=sample] pre': [rich.sampleInput, rich.sampleOutput],
  'section[aria-labelledby=sample] figcaption a @href': '/base/agents/rich/sample-output.txt',
  '.timeline li @data-second': ['3', '47'],
  '.timeline .moment': rich.demo.map(({ second, label }) => `${second} s ${label}`),
  '.timeline li > p:last-child': rich.demo.map(({ detail }) => detail),
  'section[aria-labelledby=demo] .leaf-body > p a @href': rich.videoUrl,
  'section[aria-labelledby=how-it-works] .prose > *': [
    'Inner heading',
    'How it works "quoted" & ]]> Ωμέγα with stress and a link.',
  ],
  'section[aria-labelledby=how-it-works] .prose em': 'stress',
  'section[aria-labelledby=how-it-works] .prose a @href': 'https://link.example/?a=1&b=2',
  '#config-text': rich.config,
  'section[aria-labelledby=config] figcaption code': rich.configFilename,
  'section[aria-labelledby=config] a @href': '/base/agents/rich/config.json',
  'section[aria-labelledby=config] a @download': rich.configFilename,
  'section[aria-labelledby=config] .copy @data-copy': 'config-text',
  '.install dt': [
    'As a skill, for coding assistants',
    'Every agent over MCP, here in Claude Code',
    'The prompt as a file',
  ],
  '.install dt @id': ['install-skill-label', 'install-mcp-label', 'install-curl-label'],
  '.install pre': [
    'npx skills add https://site.example/base --skill rich',
    'claude mcp add --transport http publication-i-amp-quoted-single "https://runtime.example/run/api/mcp"',
    `curl -fsS -o rich.txt ${base}/agents/rich/prompt.txt`,
  ],
  '.install pre @id': ['install-skill', 'install-mcp', 'install-curl'],
  '.install pre @aria-labelledby': ['install-skill-label', 'install-mcp-label', 'install-curl-label'],
  '.install .copy @data-copy': ['install-skill', 'install-mcp', 'install-curl'],
  'form.vote @action': 'https://runtime.example/run/api/feedback',
  'form.vote input[name=slug] @value': 'rich',
  'form.vote textarea @maxlength': '500',
  'form.vote .honeypot label @for': 'vote-website',
  'form.vote .honeypot input @id': 'vote-website',
  'form.vote button': ['Yes', 'No'],
  '#attribution': attribution,
  'section[aria-labelledby=reuse] .copy': 'Copy the attribution',
  'section[aria-labelledby=reuse] .copy @data-copy': 'attribution',
  '.history li': ['March 4, 2026 2 lines added, 1 line removed', 'February 20, 2026 5 lines removed'],
  '.history time @datetime': ['2026-03-04', '2026-02-20'],
  ...entries('section[aria-labelledby=related]', [agents.newer, agents.older]),
  '.between a': [`Earlier, No. 1 ${older.title}`, `Later, No. 3 ${newer.title}`],
  '.between a @href': ['/base/agents/older', '/base/agents/newer'],
  '.between a @rel': ['prev', 'next'],
  ...subscribe,
};

/** What is left out on the page of an agent without config and video, the first of all. */
const firstAgentPage: Expected = {
  'section[aria-labelledby=config]': [],
  'section[aria-labelledby=demo] .leaf-body > p': [],
  '.history': [],
  '.between a': `Later, No. 2 ${rich.title}`,
  '.between a @href': '/base/agents/rich',
};

const home: Expected = {
  '.front .issue': 'No. 3 Monday March 2, 2026',
  '.front .issue @data-digits': '1',
  '.front .issue time @datetime': '2026-03-02',
  '.front h1': newer.title,
  '.front h1 a @href': '/base/agents/newer',
  '.front .front-head > p': [
    newer.excerpt,
    'Ada maintains a catalog and needs a small agent that is well-formed, so that a test can break it in one place.',
    'Copy the prompt Read it, with a worked example',
  ],
  '.front .actions a @href': '/base/agents/newer',
  '.front .actions .copy @data-copy': 'prompt-text',
  '.front .facts dd': [coding, 'easy', 'Claude', 'tag-one, other-tag'],
  '.front .steps li': [
    'Copy the list. Paste the rows under ROWS.',
    'Add the mails. Paste what was written about the stock under NOTES.',
    'Look the rows up. Go to the shelf with the table.',
  ],
  '.front figcaption .quiet': '24 lines, 209 words',
  '.front #prompt-text .heading': ['INPUT\n', 'RULES\n', 'OUTPUT (at most 20 lines)\n'],
  ...entries('section[aria-labelledby=newest]', [agents.rich, agents.older]),
  '.onward': 'All 3 agents, by month',
  '.onward a @href': '/base/archive',
  ...filters,
  'main .search @action': '/base/archive',
  ...subjects,
  'section[aria-labelledby=follow] .leaf-body > p': [
    description,
    'Or follow with a feed reader: Atom, RSS, JSON feed. No tracking, no account.',
  ],
  'section[aria-labelledby=follow] a @href': ['/base/atom.xml', '/base/feed.xml', '/base/feed.json'],
  ...subscribe,
};

const archive: Expected = {
  h1: 'Archive',
  '.page-head .standfirst': '3 agents, one a day.',
  ...filters,
  'section[aria-labelledby^=month-] h2': ['March 2026', 'February 2026', 'January 2026'],
  'section[aria-labelledby^=month-] h2 @id': ['month-2026-03', 'month-2026-02', 'month-2026-01'],
  'section[aria-labelledby^=month-] @aria-labelledby': ['month-2026-03', 'month-2026-02', 'month-2026-01'],
  '.days li @data-accent': ['1', '1', '2'],
  '.days time': ['2March 2, 2026', '28February 28, 2026', '31January 31, 2026'],
  '.days time @datetime': [newer.date, rich.date, older.date],
  '.days a': [newer.title, rich.title, older.title],
  '.days a @href': ['/base/agents/newer', '/base/agents/rich', '/base/agents/older'],
  '.days .excerpt': [newer.excerpt, rich.excerpt, older.excerpt],
  '.days .kicker': [coding, coding, writing],
  ...subjects,
  '.tags li': ['other-tag 1', 'tag-one 2', 'tag-two 2'],
  '.tags a @href': ['/base/tags/other-tag', '/base/tags/tag-one', '/base/tags/tag-two'],
};

function group(kind: string, label: string, about: string | [], line: string, listed: Listed[]): Expected {
  return {
    '.page-head .dateline': kind,
    h1: label,
    '.page-head .standfirst': about,
    '.page-head > p:last-child': line,
    ...entries('section[aria-labelledby=agents]', listed),
    '.between': [],
  };
}

const about: Expected = {
  '.page-head .standfirst': description,
  'section[aria-labelledby=daily] p':
    'Every agent is published on its date with a permanent number and address. Published so far: 3. The archive lists them all.',
  'section[aria-labelledby=daily] a @href': '/base/archive',
  'section[aria-labelledby=reuse] p': `The prompts are published under CC BY 4.0. You may copy, change and sell them if you name ${publisher.name} and link to the agent. Every page has a ready-made credit line.`,
  'section[aria-labelledby=follow] p a @href': [
    '/base/atom.xml',
    '/base/feed.xml',
    '/base/feed.json',
    '/base/developers',
  ],
  'section[aria-labelledby=publisher] a': publisher.name,
  'section[aria-labelledby=publisher] a @href': publisher.url,
  ...subscribe,
};

const server = 'publication-i-amp-quoted-single';
const mcp = 'https://runtime.example/run/api/mcp';
const developers: Expected = {
  'section[aria-labelledby=api] dd pre': [
    `curl ${base}/api/agents.json`,
    `curl ${base}/api/agents/newer.json`,
    `curl ${base}/agents/newer/prompt.txt`,
  ],
  'section[aria-labelledby=api] .leaf-body > p a @href': ['/base/api/openapi.json', '/base/api/schema.json'],
  'section[aria-labelledby=api] .copy': ['Copy the command', 'Copy the command', 'Copy the command'],
  'section[aria-labelledby=api] .copy @data-copy': ['curl-catalog', 'curl-agent', 'curl-prompt'],
  'section[aria-labelledby=mcp] dt': [
    'Address',
    'Claude Code: Run this. Add --scope user to use it in all your projects.',
    'Claude Desktop and claude.ai: In Settings, Connectors, choose Add custom connector and paste the address. It must be a public https address.',
    'Cursor: Open the link, or add this to .cursor/mcp.json.',
    'VS Code: Open the link, or add this to .vscode/mcp.json.',
    'Codex: Run this.',
    'Gemini CLI: Run this.',
  ],
  'section[aria-labelledby=mcp] pre': [
    mcp,
    `claude mcp add --transport http ${server} "${mcp}"`,
    mcp,
    JSON.stringify({ mcpServers: { [server]: { url: mcp } } }, null, 2),
    JSON.stringify({ servers: { [server]: { type: 'http', url: mcp } } }, null, 2),
    `codex mcp add ${server} --url "${mcp}"`,
    `gemini mcp add --transport http ${server} "${mcp}"`,
  ],
  'section[aria-labelledby=mcp] pre @id': [
    ...['mcp-address', 'mcp-claude-code', 'mcp-claude-desktop-and-claude-ai', 'mcp-cursor', 'mcp-vs-code', 'mcp-codex'],
    'mcp-gemini-cli',
  ],
  'section[aria-labelledby=mcp] pre @aria-label': [
    'Address of the MCP server',
    ...['Claude Code', 'Claude Desktop and claude.ai', 'Cursor', 'VS Code', 'Codex', 'Gemini CLI'].map(
      (client) => `Set-up for ${client}`,
    ),
  ],
  'section[aria-labelledby=mcp] .copy @data-copy': [
    ...['mcp-address', 'mcp-claude-code', 'mcp-claude-desktop-and-claude-ai', 'mcp-cursor', 'mcp-vs-code', 'mcp-codex'],
    'mcp-gemini-cli',
  ],
  'section[aria-labelledby=mcp] dd a': ['Add to Claude Desktop and claude.ai', 'Add to Cursor', 'Add to VS Code'],
  'section[aria-labelledby=mcp] dd a @href': [
    `https://claude.ai/customize/connectors?modal=add-custom-connector&connectorName=${encodeURIComponent(name)}&connectorUrl=${encodeURIComponent(mcp)}`,
    `cursor://anysphere.cursor-deeplink/mcp/install?name=${server}&config=${encodeURIComponent(Buffer.from(JSON.stringify({ url: mcp })).toString('base64'))}`,
    `vscode:mcp/install?${encodeURIComponent(JSON.stringify({ name: server, type: 'http', url: mcp }))}`,
  ],
  '#example': 'The answer to the first command, shortened to the newest agent',
  '[aria-labelledby=example]': JSON.stringify(
    {
      ...{ version: '1.1.0', schema: `${base}/api/schema.json`, count: 3 },
      agents: [
        {
          ...{
            title: newer.title,
            slug: 'newer',
            date: newer.date,
            issue: 3,
            category: 'coding',
            categoryLabel: coding,
          },
          ...{ tags: ['tag-one', 'other-tag'], difficulty: 'easy', runtimes: ['Claude'], excerpt: newer.excerpt },
          ...{ url: `${base}/agents/newer`, apiUrl: `${base}/api/agents/newer.json` },
          promptUrl: `${base}/agents/newer/prompt.txt`,
        },
      ],
    },
    null,
    2,
  ),
  'section[aria-labelledby=outputs] td': outputs.flatMap(({ path, purpose }) => [path, purpose]),
  'section[aria-labelledby=skills] pre': `npx skills add ${base}`,
  'section[aria-labelledby=skills] .copy @data-copy': 'skills-command',
  'section[aria-labelledby=models] a @href': ['/base/llms.txt', '/base/llms-full.txt'],
  'section[aria-labelledby=feeds] p':
    'Atom, RSS 2.0 and JSON Feed 1.1 contain the newest 50 agents in full. Every category also has its own Atom feed:',
  'section[aria-labelledby=feeds] p a @href': ['/base/atom.xml', '/base/feed.xml', '/base/feed.json'],
  'section[aria-labelledby=feeds] li': [coding, writing],
  'section[aria-labelledby=feeds] li a @href': ['/base/feeds/coding.xml', '/base/feeds/writing.xml'],
};

const notFound: Expected = {
  h1: 'Not found',
  '.page-head .dateline': '404',
  '.page-head a @href': '/base/',
  'main .search @action': '/base/archive',
  ...entries('section[aria-labelledby=newest]', [agents.newer, agents.rich, agents.older]),
};

const noted = 'Your address was saved. If you need to confirm it, an email is on its way.';

/** Pages of a preview without agents and without a server: nothing to list, no forms. */
export const barePages: Record<string, Expected> = {
  'index.html': {
    h1: name,
    '.front .standfirst': description,
    '.front p': [description, 'No agent has been published yet.'],
    '.preview': 'This is a preview: it contains agents that are not published yet.',
    'meta[name=robots] @content': 'noindex',
    'section[aria-labelledby]': [
      `Get tomorrow’s agent ${description} Or follow with a feed reader: Atom, RSS, JSON feed. No tracking, no account.`,
    ],
    'form.subscribe': [],
    'form.vote': [],
  },
  'archive.html': { '.page-head .standfirst': '0 agents, one a day.', '.subjects': [], '.tags': [], '.days': [] },
  'developers.html': {
    'section[aria-labelledby=api] dd pre': `curl ${base}/api/agents.json`,
    '#example': [],
    'section[aria-labelledby=mcp] p':
      'This publication has no MCP server. Anyone can run one for the same agents with the program that builds this site.',
    'section[aria-labelledby=mcp] dl': [],
  },
  'agents/older.html': {
    h1: older.title,
    'section[aria-labelledby=related]': [],
    '.between a': [],
    'section[aria-labelledby=verdict]': [],
    'section[aria-labelledby=follow]': [],
    'form.subscribe': [],
    '.install dt': ['As a skill, for coding assistants', 'The prompt as a file'],
  },
  '404.html': { 'section[aria-labelledby=newest]': [] },
  'about.html': { 'form.subscribe': [] },
};

/** The texts of every kind of page, by the path of one of them. */
export function pagesOf(files: ReadonlyMap<string, Buffer>): Record<string, Expected> {
  const mono = ['red-hat-mono-basic'];
  const page = (settings: Frame, own: Expected) => ({ ...frame(files, settings), ...own });
  const agent = {
    title: rich.title,
    description: rich.excerpt,
    path: 'agents/rich',
    picture: 'og/rich.png',
    pictureShows: `No. 2 of ${name}: ${rich.title}`,
    accent: '1',
    fonts: mono,
  };
  const list = { path: 'categories/coding', title: `Category: ${coding}`, description: categories.coding.description };
  const moved = {
    title: `${rich.title} has moved from formerly-rich`,
    description: `${rich.title}, which was called formerly-rich, is at another address.`,
    path: 'agents/rich',
    kind: 'website' as const,
    noindex: true,
  };
  const answer = (title: string, text: string): Frame => ({
    title,
    description: text,
    path: null,
    kind: 'website',
    noindex: true,
  });
  return {
    'agents/rich.html': page(agent, agentPage),
    'agents/rich/index.html': page(agent, agentPage),
    'agents/older.html': firstAgentPage,
    'index.html': page(
      {
        ...{ title: name, bar: name, description, path: '', kind: 'website', current: 'Today', fonts: mono },
        ...{ search: false, accent: '1' },
      },
      home,
    ),
    'archive.html': page(
      {
        ...{ title: 'Archive', description: `Every agent of ${name}.`, path: 'archive' },
        ...{ current: 'Archive', search: false },
      },
      archive,
    ),
    'categories/coding.html': page(
      { ...list, accent: '1', current: 'Archive' },
      {
        ...group(
          'Category',
          coding,
          categories.coding.description,
          '2 agents, newest first. Follow this category as a feed. All agents',
          [agents.newer, agents.rich],
        ),
        '.page-head a @href': [`${base}/feeds/coding.xml`, '/base/archive'],
        'link[rel=alternate][type="application/atom+xml"] @title': [`${coding} (Atom)`, `${name} (Atom)`],
        'link[rel=alternate][type="application/atom+xml"] @href': [`${base}/feeds/coding.xml`, '/base/atom.xml'],
      },
    ),
    'tags/other-tag.html': page(
      {
        ...{ title: 'Tag: other-tag', path: 'tags/other-tag', current: 'Archive' },
        description: `Agents tagged “other-tag”: ${newer.title}.`,
      },
      group('Tag', 'other-tag', [], '1 agent, newest first. All agents', [agents.newer]),
    ),
    'about.html': page(
      { title: 'About', description: `What ${name} is, and who publishes it.`, path: 'about', current: 'About' },
      {
        ...about,
        'link[rel=alternate][title=Markdown] @href': `${base}/about.md`,
        'link[rel=alternate][title=Markdown] @type': 'text/markdown',
      },
    ),
    'developers.html': page(
      {
        title: 'For developers',
        description: 'The JSON API, MCP, the text indexes, the feeds and the skills.',
        path: 'developers',
        current: 'Developers',
        fonts: mono,
      },
      developers,
    ),
    '404.html': page({ ...answer('Not found', 'There is no page at this address.'), search: false }, notFound),
    'agents/formerly-rich.html': page(moved, {
      'meta[http-equiv=refresh] @content': '0; url=/base/agents/rich',
      h1: `${rich.title} has moved`,
      'main a @href': '/base/agents/rich',
    }),
    'thanks/vote.html': page(answer('Thank you for your vote', 'Your vote was recorded.'), {
      h1: 'Thank you for your vote',
      '.page-head > p': ['Your vote was recorded.', 'Go to today’s agent'],
      'main a @href': '/base/',
    }),
    'thanks/sign-up.html': page(answer('Thank you for subscribing', noted), {
      h1: 'Thank you for subscribing',
      '.page-head > p': [noted, 'Go to today’s agent'],
      'main a @href': '/base/',
    }),
    'refused.html': page(answer('Not accepted', 'The form was not accepted.'), {
      h1: 'Not accepted',
      '.page-head > p': ['%MESSAGE%', 'Go back in your browser: your text is still there.', 'Go to today’s agent'],
    }),
  };
}
