import { join } from 'node:path';
import { readTemplates } from '../../src/build/read-templates.ts';
import { renderSite } from '../../src/build/render.ts';
import { MemoryDestination } from '../../src/build/write.ts';
import { loadContent } from '../../src/content/load.ts';
import { type Selected, select } from '../../src/content/schedule.ts';
import { loadSettings } from '../../src/content/settings.ts';
import { addDays } from '../../src/lib/calendar.ts';
import type { Change } from '../../src/schema/agent.ts';
import type { Settings } from '../../src/schema/settings.ts';
import { digestMail, issueMail } from '../../src/site/mail/mail.ts';
import { makeSite } from '../../src/site/make-site.ts';
import type { PublishedAgent, Site } from '../../src/site/site.ts';
import { smallAgent, smallSettings, writeCatalog, writeFiles } from './catalog.ts';
import { goodPrompt } from './good-agent.ts';
import { richEvalsFiles } from './rich-evals.ts';

/**
 * A catalog of three agents, of which `rich` has a text of its own in every field. Each text holds what a careless output
 * would spoil: markup, an entity, quotes, the end of a CDATA section, Greek and Cyrillic.
 */

const hostile = `<i>&amp; "quoted" 'single' ]]> Ωμέγα Жук`;
const short = `&amp; "'Ω`;

/** The texts of the agent `rich`, by field. No text is part of another. */
export const rich = {
  slug: 'rich',
  date: '2026-02-28',
  issue: 2,
  title: `Title ${hostile}`,
  category: 'coding',
  tags: ['tag-one', 'tag-two'],
  keywords: [`Seekword <i>${short}`],
  difficulty: `Difficulty <i>${short}`,
  runtimes: [`Runtime one <i>${short}`, `Runtime two <i>${short}`],
  excerpt: `Excerpt ${hostile}`,
  trap: `Trap ${hostile}`,
  problem: `Problem ${hostile}`,
  videoUrl: 'https://video.example/watch?v=video-token&t=1',
  configFilename: 'config-name.json',
  steps: [
    { name: `Step one ${hostile}`, text: `Step one text ${hostile}` },
    { name: `Step two ${hostile}`, text: `Step two text ${hostile}` },
  ],
  demo: [
    { second: 3, label: `Demo three ${hostile}`, detail: `Demo three detail ${hostile}` },
    { second: 47, label: `Demo last ${hostile}`, detail: `Demo last detail ${hostile}` },
  ],
  howItWorks: `## Inner heading\n\nHow it works "quoted" & ]]> Ωμέγα with *stress* and [a link](https://link.example/?a=1&b=2).`,
  prompt: `INPUT\nPrompt input ${hostile}\n\nRULES\nPrompt rule ${hostile}\n\nOUTPUT\nPrompt output ${hostile}\n`,
  sampleInput: `Sample input ${hostile}\n`,
  sampleOutput: `Sample output ${hostile}\n`,
  config: `{ "config-key": "Config value <i>&amp; 'single' ]]> Ωμέγα" }\n`,
  source: { address: 'https://source.example/prompt?a=1&b=2', license: 'CC0-1.0' },
  formerSlugs: ['formerly-rich'],
};

/** A text of an agent as pages, Markdown and emails show it. */
export function typeset(text: string): string {
  return text.replace('"quoted"', '“quoted”').replace("'single'", '‘single’');
}

/** The texts of the publication. Its days begin at 15:00 UTC of the day before. */
export const publication = {
  ...smallSettings,
  title: `Publication ${hostile}`,
  tagline: `Tagline ${hostile}`,
  description: `Description ${hostile}`,
  timezone: 'Asia/Tokyo',
  securityContact: 'mailto:security@site.example',
  publisher: { name: `Publisher ${hostile}`, url: 'https://press.example/about-us' },
  baseUrl: 'https://site.example/base',
  runtimeUrl: 'https://runtime.example/run',
  repository: 'https://github.com/press/catalog',
  feedId: 'tag:site.example,2026:feed-token',
  feedLength: 50,
  categories: {
    coding: { label: `Coding label ${short}`, description: `Coding description ${hostile}` },
    writing: { label: 'Writing label', description: 'Writing description' },
  },
  difficulties: [rich.difficulty, 'easy'],
  runtimes: [...rich.runtimes, 'Claude'],
  postalAddress: `Street ${short}\n12345 City`,
};

/** The agents before and after it: what lists and neighbors show of them. */
export const older = {
  slug: 'older',
  date: '2026-01-31',
  issue: 1,
  title: 'The <i>older &amp; first</i> agent',
  excerpt: 'The older <i>&amp;</i> summary.',
  /** Without the address that `rich` has. */
  source: { license: 'MIT-0' },
};
/** The hint of an input of `older`; the prompts of `older` and `newer` declare two. */
export const olderHint = `Rows <i>&amp;</i> "quoted".`;
const olderPrompt = goodPrompt.replace('mails about the stock. When they are missing, go on without them.', olderHint);
export const newer = {
  slug: 'newer',
  date: '2026-03-02',
  issue: 3,
  title: 'The <i>newer &amp; last</i> agent',
  excerpt: 'The newer <i>&amp;</i> summary.',
};

/** When git says that `rich` changed, newest first, with how. The last change is later than the newest agent. */
const history: Change[] = [
  {
    commit: 'c'.repeat(40),
    time: Date.parse('2026-03-03T20:00:00Z'),
    whole: false,
    prompt: { added: 2, removed: 1, sha256: '1'.repeat(64) },
  },
  { commit: 'b'.repeat(40), time: Date.parse('2026-02-27T20:00:00Z'), whole: false, prompt: null },
  {
    commit: 'a'.repeat(40),
    time: Date.parse('2026-02-19T20:00:00Z'),
    whole: false,
    prompt: { added: 0, removed: 5, sha256: '2'.repeat(64) },
  },
];

/** Writes the catalog into an empty folder. */
export function writeRichCatalog(folder: string): void {
  const { slug, date, prompt, sampleInput, sampleOutput, config, howItWorks, ...fields } = rich;
  const front = Object.fromEntries(Object.entries(fields).map(([key, value]) => [key, JSON.stringify(value)]));
  const plain = ({ title, excerpt, issue }: typeof newer) => ({
    title: JSON.stringify(title),
    excerpt: JSON.stringify(excerpt),
    issue: String(issue),
    difficulty: 'easy',
  });
  writeCatalog(
    folder,
    [
      {
        slug: older.slug,
        date: older.date,
        front: { ...plain(older), category: 'writing', tags: '[tag-two]', source: JSON.stringify(older.source) },
        files: { 'prompt.txt': olderPrompt },
      },
      { slug: newer.slug, date: newer.date, front: { ...plain(newer), tags: '[tag-one, other-tag]' } },
    ],
    publication,
  );
  const files = smallAgent({
    slug,
    date,
    front,
    files: {
      'prompt.txt': prompt,
      'sample-input.txt': sampleInput,
      'sample-output.txt': sampleOutput,
      'config.json': config,
      ...richEvalsFiles(rich),
    },
  });
  const [, head] = /^---\n([\s\S]*?)\n---\n/.exec(String(files['agent.md'])) ?? [];
  writeFiles(join(folder, 'agents', slug), { ...files, 'agent.md': `---\n${head}\n---\n${howItWorks}\n` });
}

/** Every file of its build on the day of the last agent, by path; a social image is the SVG that it is drawn from. */
export function renderRichCatalog(folder: string): Map<string, Buffer> {
  const { settings, selected } = richSelection(folder);
  return render(folder, settings, selected, new Map([[rich.slug, history]]));
}

function richSelection(folder: string): { settings: Settings; selected: Selected } {
  const settings = loadSettings(folder, {}, {});
  return { settings, selected: select(loadContent(folder, settings, newer.date), { today: newer.date }) };
}

/** The address behind the link to unsubscribe in the mails below. */
export const unsubscribe = 'https://runtime.example/run/unsubscribe?token=a&list=b';

/** The HTML of the mails that are sent, which have a link to unsubscribe: about `rich`, with a long prompt, and about all agents. */
export function renderSentMails(folder: string): Map<string, Buffer> {
  const { settings, selected } = richSelection(folder);
  const prompt = `${rich.prompt}${'A line of a long prompt.\n'.repeat(5_000)}`;
  const agents = selected.agents.map((agent) =>
    agent.slug === rich.slug ? { ...agent, texts: () => ({ ...agent.texts(), prompt }) } : agent,
  );
  const site = siteOf(folder, settings, { ...selected, agents }, new Map(), false);
  const agent = site.agents.find(({ slug }) => slug === rich.slug) as PublishedAgent;
  const mails = { issue: issueMail(site, agent, unsubscribe), digest: digestMail(site, site.agents, unsubscribe) };
  return new Map(Object.entries(mails).map(([name, { html }]) => [`${name}.html`, Buffer.from(html)]));
}

/** Every file of a catalog's build on a day; a social image is the SVG that it is drawn from. */
export function renderUndrawn(folder: string, today: string): Map<string, Buffer> {
  const settings = loadSettings(folder, {}, {});
  return render(folder, settings, select(loadContent(folder, settings, today), { today }), new Map());
}

/** The first and the last of the agents of a large catalog, one a day, whose lists are divided into pages. */
export const many = { count: 205, first: '2025-10-01', last: '2026-04-23' };

/**
 * Every file of a catalog of so many agents, copies of the agent `older` with titles and dates of their own, of which the
 * oldest changed last, on April 25, 2026.
 */
export function renderLargeCatalog(folder: string): Map<string, Buffer> {
  const settings = loadSettings(folder, {}, {});
  const { agents, next, moved } = select(loadContent(folder, settings, newer.date), { today: newer.date });
  const model = agents.find(({ slug }) => slug === older.slug);
  if (model === undefined) throw new Error('The agent to copy is not there.');
  const copies = Array.from({ length: many.count }, (_, index) => ({
    ...model,
    slug: `agent-${index + 1}`,
    title: `Agent <i>${index + 1}</i> &amp; co.`,
    date: addDays(many.first, index),
    issue: index + 1,
  }));
  const last = { commit: 'd'.repeat(40), time: Date.parse('2026-04-24T20:00:00Z'), whole: false, prompt: null };
  return render(folder, settings, { agents: copies, next, moved }, new Map([['agent-1', [last]]]));
}

/** Every file of a preview without agents, whose publication has no server and no repository, and the pages of one with a single agent. */
export function renderBareCatalog(folder: string): Map<string, Buffer> {
  const settings = { ...loadSettings(folder, {}, {}), runtimeUrl: null, repository: undefined };
  const files = render(folder, settings, { agents: [], next: null, moved: new Map() }, new Map(), true);
  const selected = select(loadContent(folder, settings, older.date), { today: older.date });
  const single = render(folder, settings, { ...selected, moved: new Map() }, new Map());
  return new Map([...[...single].filter(([path]) => path.startsWith('agents/')), ...files]);
}

function render(
  folder: string,
  settings: Settings,
  selected: Pick<Selected, 'agents' | 'next' | 'moved'>,
  changes: ReadonlyMap<string, readonly Change[]>,
  preview = false,
): Map<string, Buffer> {
  const site = siteOf(folder, settings, selected, changes, preview);
  const drawn = { ...site, images: { ...site.images, render: (svg: string) => Buffer.from(svg) } };
  const destination = new MemoryDestination();
  renderSite(drawn, destination);
  return destination.files;
}

function siteOf(
  folder: string,
  settings: Settings,
  selected: Pick<Selected, 'agents' | 'next' | 'moved'>,
  history: ReadonlyMap<string, readonly Change[]>,
  preview: boolean,
): Site {
  const options = { preview, history, cache: null, images: false };
  return makeSite(readTemplates(folder), settings, { ...selected, withdrawn: ['withdrawn-one'] }, options);
}
