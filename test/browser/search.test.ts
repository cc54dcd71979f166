/// <reference lib="dom" />

import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { contentType } from '../../src/site/content-types.ts';
import { browseCatalog, focusOf, textOf } from '../support/browser.ts';
import { inFolder } from '../support/catalog.ts';
import { loud } from '../support/loud.ts';
import { newer, publication, renderRichCatalog, rich, writeRichCatalog } from '../support/rich-catalog.ts';
import { openReader, type Reader, resultsOf } from '../support/site-reader.ts';
import { differences, type Expected, readHtml } from '../support/surfaces/reader.ts';

/** How a reader searches the site, in a real browser. */

const test = suite('a reader who searches');

let reader: Reader;
const agent = '/agents/dependency-bump-judge';

test.before(
  loud(async () => {
    reader = await openReader();
  }),
);
test.after(loud(() => reader?.close()));

test('finds agents while typing, and puts the search into the address', async () => {
  await reader.onPage('/', async (page) => {
    const field = page.locator('#search');
    await field.focus();
    await field.pressSequentially('spredsheet');
    assert.match(await textOf(page, '.results-count', /found/), '1 agent found');
    assert.equal(await resultsOf(page), ['Spreadsheet Smell Tester']);
    assert.is(new URL(page.url()).search, '?q=spredsheet');

    const other = await page.context().newPage();
    await other.goto(page.url());
    await textOf(other, '.results-count', /1 agent found/);
    assert.is(await other.locator('#search').inputValue(), 'spredsheet');
    // The empty page of a new tab and this one: the back button leaves it.
    assert.is(await other.evaluate(() => history.length), 2);
    await other.close();

    await field.fill('xyzzy');
    await textOf(page, '.results-count', /No agents found/);
    assert.is(await page.getByText('Results', { exact: true }).isVisible(), false);
    await field.press('Escape');
    assert.is(await field.inputValue(), '');
    assert.is(await page.locator('[data-results]').isHidden(), true);
    assert.is(new URL(page.url()).search, '');
  });
});

test('sees number, date, category, title and excerpt of results, for each searched field', async () => {
  const files = await inFolder((folder) => {
    writeRichCatalog(folder);
    return renderRichCatalog(folder);
  });
  const { title, excerpt } = rich;
  const first = '.result-list li:first-child';
  const shown: Expected = {
    [first]: `No. 2 · February 28, 2026 · ${publication.categories.coding.label}${title}${excerpt}`,
    [`${first} h3 a`]: title,
    [`${first} h3 a @href`]: '/base/agents/rich',
    [`${first} .excerpt`]: excerpt,
    [`${first} time`]: 'February 28, 2026',
    [`${first} time @datetime`]: '2026-02-28',
    '.result-list i': [],
  };
  await reader.onPage('/', async (page) => {
    await page.context().route(`${publication.baseUrl}/**`, (route) => {
      const path = decodeURIComponent(new URL(route.request().url()).pathname).replace('/base/', '') || 'index.html';
      return route.fulfill({ body: files.get(path) ?? '', contentType: contentType(path) ?? 'text/html' });
    });
    await page.goto(`${publication.baseUrl}/`);
    // A word of the title, a keyword, the excerpt, the problem, the name of a step, a tag of the older agent too.
    for (const word of ['title', 'seekword', 'excerpt', 'problem', 'step', 'two']) {
      await page.locator('#search').fill(word);
      const count = word === 'two' ? '2 agents found' : '1 agent found';
      await page.locator('.results-count', { hasText: count }).waitFor();
      assert.equal(differences(readHtml(await page.content()), shown), [], word);
    }
    // The label of its category, which the newer agent has too.
    await page.locator('#search').fill('coding');
    await textOf(page, '.results-count', /2 agents found/);
    assert.equal(await resultsOf(page), [newer.title, title]);
    // Texts that are not searched.
    for (const word of ['sample', 'demo', 'prompt', 'config', 'inner']) {
      await page.locator('#search').fill(word);
      await textOf(page, '.results-count', /No agents found/);
    }
  });
});

test('walks through results with the arrows and back into the field', async () => {
  await reader.onPage('/', async (page) => {
    await page.locator('#search').focus();
    await page.locator('#search').fill('te');
    await textOf(page, '.results-count', /at least three letters/);
    await page.locator('#search').fill('pr');
    await textOf(page, '.results-count', /^1 agent found$/);
    await page.locator('#search').fill('tes');
    await textOf(page, '.results-count', /found/);
    const titles = await resultsOf(page);
    assert.ok(titles.length > 2);
    await page.keyboard.press('Enter');
    assert.is(await focusOf(page), titles[0]);
    await page.keyboard.press('ArrowDown');
    assert.is(await focusOf(page), titles[1]);
    await page.keyboard.press('ArrowUp');
    await page.keyboard.press('ArrowUp');
    assert.is(await page.evaluate(() => document.activeElement?.id), 'search');
    // Selects the text of the field.
    await page.keyboard.press('Shift+ArrowDown');
    assert.is(await page.evaluate(() => document.activeElement?.id), 'search');
  });
});

test('narrows with filters, which the back button undoes one by one', async () => {
  await reader.onPage('/', async (page) => {
    const choose = async (name: string, value: string, search: string) => {
      await page.locator(`[name="${name}"]`).selectOption(value);
      await page.waitForFunction((wanted) => location.search === wanted, search);
      await textOf(page, '.results-count', /found/);
      return resultsOf(page);
    };
    const inCategory = await choose('category', 'coding', '?category=coding');
    const ofAll = ((await (await fetch(`${reader.site.address}/api/agents.json`)).json()) as { agents: Agent[] })
      .agents;
    const expected = ofAll.filter(({ category }) => category === 'coding');
    assert.equal(inCategory, titlesOf(expected), 'newest first');
    const [{ difficulty, runtimes }] = expected as [Agent];
    const narrowed = await choose('difficulty', difficulty, `?category=coding&difficulty=${difficulty}`);
    assert.equal(narrowed, titlesOf(expected.filter((one) => one.difficulty === difficulty)));

    await page.locator('[name="difficulty"]').press('/');
    assert.is(await page.evaluate(() => document.activeElement?.getAttribute('name')), 'difficulty');
    await page.locator('#search').pressSequentially('re');
    await page.waitForFunction(() => location.search.includes('q=re'));
    await page.goBack();
    await page.waitForFunction((wanted) => location.search === wanted, `?category=coding&difficulty=${difficulty}`);
    await page.goBack();
    await page.waitForFunction(() => location.search === '?category=coding');
    assert.equal(await resultsOf(page), inCategory);
    assert.is(await page.locator('[name="difficulty"]').inputValue(), '');
    await page.goBack();
    await page.waitForFunction(() => location.search === '');
    assert.is(await page.locator('[data-results]').isHidden(), true);

    const [runtime = ''] = runtimes;
    const [tag = ''] = (ofAll[0] as Agent).tags;
    await page.goto(`${reader.site.address}/?runtime=${encodeURIComponent(runtime)}&tag=${tag}`);
    await textOf(page, '.results-count', /found/);
    const both = ofAll.filter((one) => one.runtimes.includes(runtime) && one.tags.includes(tag));
    assert.equal(await resultsOf(page), titlesOf(both));
    assert.is(await page.locator('[name="tag"]').inputValue(), tag);

    // A link with a tag that the form does not offer finds the agents with it: here, none.
    await page.goto(`${reader.site.address}/?tag=retired`);
    await textOf(page, '.results-count', /^No agents found/);
    assert.is(await page.locator('[name="tag"]').inputValue(), 'retired');
  });
});

test('can go back through choices and typed words, all letters at once', async () => {
  await reader.onPage('/', async (page) => {
    const field = page.locator('#search');
    const at = (search: string) => page.waitForFunction((wanted) => location.search === wanted, search);
    // The first choice may be made while the search is still loading.
    await page.locator('[name="category"]').selectOption('coding');
    await at('?category=coding');
    await page.locator('[name="difficulty"]').selectOption({ index: 1 });
    const difficulty = await page.locator('[name="difficulty"]').inputValue();
    const filtered = `?category=coding&difficulty=${difficulty}`;
    await at(filtered);
    await field.pressSequentially('test');
    await at(`${filtered}&q=test`);
    await page.locator('[name="category"]').selectOption('');
    await at(`?difficulty=${difficulty}&q=test`);
    await field.fill('tests');
    await at(`?difficulty=${difficulty}&q=tests`);
    await field.press('Escape');
    await at('');
    for (const [search, words] of [
      [`?difficulty=${difficulty}&q=tests`, 'tests'],
      [`?difficulty=${difficulty}&q=test`, 'test'],
      [`${filtered}&q=test`, 'test'],
      [filtered, ''],
      ['?category=coding', ''],
    ] as const) {
      await page.goBack();
      await at(search);
      assert.is(await field.inputValue(), words);
    }
  });
});

interface Agent {
  title: string;
  category: string;
  difficulty: string;
  runtimes: string[];
  tags: string[];
}
const titlesOf = (agents: readonly Agent[]) => agents.map(({ title }) => title);

test('searches from every page, and loads nothing for it before', async () => {
  await reader.onPage(agent, async (page) => {
    const asked: string[] = [];
    page.on('request', (request) => asked.push(new URL(request.url()).pathname));
    await page.reload();
    assert.equal(
      asked.filter((path) => path.includes('search')),
      [],
    );
    await page.keyboard.press('/');
    await page.keyboard.type('runbook');
    await textOf(page, '.results-count', /found/);
    assert.equal(
      asked.filter((path) => path.includes('search')),
      ['/assets/search.js', '/search-index.json'],
    );
  });
});

test('gets no error on the console and nothing blocked by the security policy', () => {
  assert.equal(reader.complaints, []);
});

test.run();

/** Which words find an agent, in pages and through MCP: accents, scripts without spaces, short words. Where pages tell. */

const words = suite('the words of a search');

const [cafe, monitoring, changelog, airport] = [
  'Café Über naïve Résumé Checker',
  'Plan für die …überwachung mit Straßenkarte',
  '変更履歴を読み手にわかる言葉へ訳すAIエージェント',
  'Airport layover planner',
];
const { address, visit } = browseCatalog(
  words,
  [cafe, monitoring, changelog, airport].map((title, at) => ({
    slug: `agent-${at + 1}`,
    date: `2026-01-0${at + 1}`,
    front: { title: `"${title}"` },
  })),
);

async function titlesFromMcp(query: string): Promise<string[]> {
  const call = { name: 'search_agents', arguments: { query } };
  const answer = await fetch(`${address()}/api/mcp`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', accept: 'application/json, text/event-stream' },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params: call }),
  });
  const { result } = (await answer.json()) as { result: { structuredContent: { agents: { title: string }[] } } };
  return result.structuredContent.agents.map(({ title }) => title);
}

for (const [name, rows] of [
  [
    'with or without accents, however they are encoded',
    [
      ['cafe', [cafe]],
      ['café', [cafe]],
      ['Cafe\u0301', [cafe]],
      ['UBER', [cafe, monitoring]],
      ['naive resumes', [cafe]],
      ['uberwachung', [monitoring]],
      ['strassenkarte', [monitoring]],
    ],
  ],
  [
    'by any part of a text without spaces',
    [
      ['変更', [changelog]],
      ['読み手', [changelog]],
      ['エージェント', [changelog]],
      // Half-width, and the last character of the run.
      ['ｴｰｼﾞｪﾝﾄ', [changelog]],
      ['ト', [changelog]],
      ['言葉', [changelog]],
      // か is another letter than が, though both are か in decomposed form.
      ['わがる', []],
      ['料理', []],
      ['ai', [changelog]],
    ],
  ],
] as const) {
  words(`find agents ${name}`, async () => {
    await visit('/archive', {}, async (page) => {
      for (const [query, titles] of rows) {
        await page.locator('#search').fill('');
        await page.locator('[data-results]').waitFor({ state: 'hidden' });
        await page.locator('#search').fill(query);
        await textOf(page, '.results-count', titles.length === 0 ? /^No agents found\. Try/ : /^\d agents? found$/);
        assert.equal((await resultsOf(page)).sort(), [...titles].sort(), query);
        assert.equal((await titlesFromMcp(query)).sort(), [...titles].sort(), `${query} in MCP`);
      }
    });
  });
}

words('may be too short to find longer words, and pages say so only then', async () => {
  await visit('/archive', {}, async (page) => {
    for (const [query, text] of [
      ['a', 'No agents found. To find longer words, type at least three letters or digits.'],
      ['pl', 'No agents found. To find longer words, type at least three letters or digits.'],
      ['pla', '2 agents found'],
      ['ai', '1 agent found'],
      ['酒', 'No agents found. Try fewer words or filters.'],
      ['k8', 'No agents found. To find longer words, type at least three letters or digits.'],
      ['99', 'No agents found. To find longer words, type at least three letters or digits.'],
      ['999', 'No agents found. Try fewer words or filters.'],
      ['xylophone', 'No agents found. Try fewer words or filters.'],
    ] as const) {
      await page.locator('#search').fill(query);
      await page.waitForFunction((wanted) => location.search === `?q=${encodeURIComponent(wanted)}`, query);
      assert.is(await textOf(page, '.results-count', /found/), text, query);
    }
  });
});

words('get a count that is visible on a phone below the field, and announced once', async () => {
  for (const path of ['/archive', '/']) {
    await visit(path, { viewport: { width: 360, height: 640 } }, async (page) => {
      const [field, count] = [page.locator('#search'), page.locator('[data-search] [role="status"]')];
      await field.scrollIntoViewIfNeeded();
      await field.focus();
      await page.evaluate(() => {
        const status = document.querySelector('[data-search] [role="status"]') as Element;
        const announced: (string | null)[] = [];
        new MutationObserver(() => announced.push(status.textContent)).observe(status, { childList: true });
        Object.assign(globalThis, {
          announced,
          filtersAt: document.querySelector('.filters')?.getBoundingClientRect().y,
        });
      });
      await page.waitForFunction(
        () => performance.getEntriesByName(`${location.origin}/search-index.json`).length === 1,
      );
      await field.fill('layover planner');
      await textOf(page, '.results-count', /^1 agent found$/);
      const [above, below] = [await field.boundingBox(), await count.boundingBox()];
      const gap = (below?.y ?? Number.NaN) - (above?.y ?? Number.NaN) - (above?.height ?? Number.NaN);
      assert.ok(gap >= 0 && gap < 20, `${path}: ${gap} pixels below the field`);
      assert.ok((below?.y ?? 640) + (below?.height ?? 0) <= 640, `${path}: ${below?.y}`);
      const moved = await page.evaluate(() => {
        const { announced, filtersAt } = globalThis as unknown as { announced: string[]; filtersAt: number };
        return [announced.at(-1), announced.filter((text) => text !== 'Loading search …').length, filtersAt];
      });
      const filters = await page.locator('.filters').boundingBox();
      assert.equal(moved, ['1 agent found', 1, filters?.y], path);
    });
  }
});

words.run();
