import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { readTemplates } from '../../src/build/read-templates.ts';
import { select } from '../../src/content/schedule.ts';
import { loadSettings } from '../../src/content/settings.ts';
import { addDays } from '../../src/lib/calendar.ts';
import { sha256Of } from '../../src/lib/files.ts';
import type { Change } from '../../src/schema/agent.ts';
import { outputs, outputsAt } from '../../src/site/index.ts';
import { makeSite } from '../../src/site/make-site.ts';
import type { Site } from '../../src/site/site.ts';
import { bundled, type SmallAgent } from '../support/catalog.ts';
import { goodPrompt } from '../support/good-agent.ts';
import { contentOf } from '../support/memory.ts';

/**
 * A build keeps a file whose inputs did not change, so a file that forgets an input stays as it was. These are the lists of
 * a catalog with so many agents that they have further pages; test/build/incremental.test.ts has small catalogs.
 */

const templates = readTemplates(bundled);
const settings = loadSettings(bundled, {}, {});

type History = ReadonlyMap<string, readonly Change[]>;

function siteOf(agents: readonly SmallAgent[], today: string, history: History, before?: Site): Site {
  const selected = select(contentOf([...agents], today), { today });
  assert.equal(selected.errors, []);
  const memory = before === undefined ? null : { isKnown: true, related: before.related, versions: [] };
  return makeSite(templates, settings, selected, { history, memory });
}

/** The inputs of a file. */
function inputsAt(path: string, agents: readonly SmallAgent[], history: History = new Map()): string {
  const site = siteOf(agents, last, history);
  const found = outputsAt(path)
    .flatMap((output) => [...output.files(site)])
    .find((file) => file.path === path);
  assert.ok(found?.inputs, path);
  return found.inputs.join();
}

/** The inputs and the bytes of every file that is not about one agent, by path. */
function listsOf(
  agents: readonly SmallAgent[],
  today: string,
  history: History = new Map(),
): Map<string, { inputs: string; bytes: string }> {
  const site = siteOf(agents, today, history);
  const lists = new Map<string, { inputs: string; bytes: string }>();
  for (const output of outputs) {
    for (const { path, agent, inputs = ['all'], render } of output.files(site)) {
      if (agent !== undefined) break;
      const content = render((name) => sha256Of(name));
      const parts = Array.isArray(content) ? content.map(({ input, render }) => ({ input, bytes: render() })) : null;
      // A build also keeps each part of a file whose input did not change.
      for (const { input, bytes } of parts ?? []) lists.set(`${path} ${input}`, { inputs: input, bytes });
      const bytes = parts?.map((part) => part.bytes).join('') ?? String(content);
      lists.set(path, { inputs: JSON.stringify(inputs), bytes });
    }
  }
  return lists;
}

const last = '2026-09-30';
const many = Array.from({ length: 230 }, (_, index): SmallAgent => {
  const date = addDays(last, index - 229);
  const former = index === 50 ? { formerSlugs: '[earlier-name]' } : {};
  const front = { issue: String(index + 1), tags: `[tag-${index % 3}, small]`, ...former };
  return { slug: `agent-${index + 1}`, date, front };
});
const changed = (at: number, front: SmallAgent['front'], files: SmallAgent['files'] = {}) =>
  many.map((agent, index) => (index === at ? { ...agent, front: { ...agent.front, ...front }, files } : agent));

/** A commit that changed an agent on the last day. */
const commit: Change = { commit: '0'.repeat(40), time: Date.parse(`${last}T12:00:00Z`), whole: false, prompt: null };

const changes: [what: string, agents: SmallAgent[], today: string, differing: string[], history?: History][] = [
  [
    'the first agent of a month',
    [...many, { slug: 'october', date: '2026-10-01', front: { issue: '231' } }],
    '2026-10-01',
    ['archive/2026/09.html', 'archive/2026/10.html', 'archive/2026.html', 'index.html', 'feed.xml'],
  ],
  [
    'another title in the middle',
    changed(100, { title: 'A title that was changed' }),
    last,
    ['archive/2026/05.html', 'archive/2026.html'],
  ],
  [
    'another title of an agent that had another name',
    changed(50, { title: 'A title that was changed' }),
    last,
    ['agents/earlier-name.html'],
  ],
  [
    'another prompt of the newest agent',
    changed(229, {}, { 'prompt.txt': goodPrompt.replace('Find', 'Look for') }),
    last,
    ['index.html', 'feed.xml', 'llms-full.txt', 'api/openapi.json'],
  ],
  [
    'a new answer in the middle, which no list shows',
    changed(100, {}, { 'sample-output.txt': 'Odd: one\n' }),
    last,
    ['sitemap.xml', 'search-index.json'],
    new Map([['agent-101', [commit]]]),
  ],
  [
    'another tag and category',
    changed(130, { tags: '[other, small]', category: 'writing' }),
    last,
    ['tags/other.html', 'categories/writing.html'],
  ],
];

const before = listsOf(many, last);
for (const [what, agents, today, differing, history] of changes) {
  test(`after ${what}, every list that changes is rendered again`, () => {
    const after = listsOf(agents, today, history);
    const stale = [...after].filter(([path, { inputs, bytes }]) => {
      const known = before.get(path);
      return known?.inputs === inputs && known.bytes !== bytes;
    });
    assert.equal(
      stale.map(([path]) => path),
      [],
    );
    for (const path of differing) assert.is.not(after.get(path)?.bytes, before.get(path)?.bytes, path);
  });
}

test('after a commit that changed no file of the last build, the history on the page is rendered again', () => {
  const one = [{ slug: 'one', date: '2026-01-01' }];
  const path = 'agents/one.html';
  assert.is.not(inputsAt(path, one, new Map([['one', [commit]]])), inputsAt(path, one));
});

test('after an agent got an earlier number, the lists of the next one are rendered again', () => {
  const [first, second] = [
    { slug: 'first', date: '2026-01-01' },
    { slug: 'second', date: '2026-01-02', front: { tags: '[own, small]' } },
  ];
  assert.is.not(inputsAt('tags/own.html', [first, second]), inputsAt('tags/own.html', [second]));
});

test('after an edit of tags, related agents are found again, unless the agents are those of the last build', () => {
  const agents = (tags: string) =>
    ['one', 'two', 'three', 'four', 'five'].map((slug, index) => {
      const date = `2026-01-0${index + 1}`;
      return { slug, date, front: { tags: slug === 'one' || slug === 'two' ? '[own, small]' : tags } };
    });
  const site = (tags: string, before?: Site) => siteOf(agents(tags), last, new Map(), before);
  const [first, second] = [site('[common, small]'), site('[own, small]')];
  assert.is.not(String(first.related.slugs), String(second.related.slugs));
  assert.is(site('[common, small]', first).related, first.related);
  assert.equal(site('[own, small]', first).related, second.related);
});

test.run();
