/// <reference lib="dom" />

import type { Page } from 'playwright-core';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { siteRules } from '../../src/site/hosting/site-rules.ts';
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

const option = '#suggestions [role="option"]';
const suggestionsOn = (page: Page) => page.locator('.suggestion-title').allTextContents();
const activeOf = (page: Page) =>
  page.locator('#search').evaluate((field) => {
    const id = field.getAttribute('aria-activedescendant');
    return id === null ? null : (document.getElementById(id)?.firstChild?.textContent ?? null);
  });

test('gets suggestions while typing, and chooses one with the arrows while the focus stays in the field', async () => {
  await reader.onPage('/', async (page) => {
    const field = page.locator('#search');
    await page.keyboard.press('Control+k');
    await page.keyboard.type('te');
    await textOf(page, '.results-count', /at least three letters/);
    await field.fill('tes');
    await textOf(page, '.results-count', /found/);
    const titles = await suggestionsOn(page);
    assert.ok(titles.length > 2);
    const combobox = async () => [
      await field.getAttribute('aria-expanded'),
      await page.locator('#suggestions[role="listbox"]').isVisible(),
      await activeOf(page),
    ];
    assert.equal(await combobox(), ['true', true, null]);
    await page.keyboard.press('ArrowDown');
    assert.is(await activeOf(page), titles[0]);
    await page.keyboard.press('ArrowDown');
    assert.equal(
      [await activeOf(page), await page.locator('#suggestions [aria-selected="true"]').count()],
      [titles[1], 1],
    );
    await page.keyboard.press('ArrowUp');
    await page.keyboard.press('ArrowUp');
    assert.is(await activeOf(page), null);
    await page.keyboard.press('ArrowUp');
    assert.is(await activeOf(page), await page.locator(option).last().textContent());
    // Home and End move in the text, and Shift with an arrow selects it.
    await page.keyboard.press('Home');
    await page.keyboard.type('la');
    assert.is(await field.inputValue(), 'lates');
    await field.fill('test');
    await page.keyboard.press('Shift+ArrowUp');
    assert.is(await activeOf(page), null);
    await page.keyboard.press('Escape');
    assert.equal([await field.inputValue(), ...(await combobox())], ['test', 'false', false, null]);
    await page.keyboard.press('ArrowDown');
    await textOf(page, '.results-count', /found/);
    await page.keyboard.press('Escape');
    await page.keyboard.press('Escape');
    assert.is(await field.inputValue(), '');
    assert.is(await page.evaluate(() => document.activeElement?.id), 'search');
    await page.keyboard.type('spredsheet');
    assert.match(await textOf(page, '.results-count', /found/), '1 agent found');
    const count = await page.locator('.search .results-count').evaluateHandle((status) => status.firstChild);
    await page.keyboard.type('s');
    assert.is(await page.locator('.search .results-count').textContent(), '1 agent found');
    assert.ok(await count.evaluate((node) => node?.isConnected), 'a screen reader does not repeat it for each letter');
    await page.locator(option).click();
    await page.waitForURL('**/agents/spreadsheet-smell-tester');
  });
});

test('is told if there is nothing, when the next agent is published, and which agents have some of the words', async () => {
  await reader.onPage('/about', async (page) => {
    const next = { date: '2999-01-02', from: '2999-01-02T00:00:00Z', name: 'Chess Clock' };
    await page.route('**/search-index.json', async (route) => {
      const index = (await (await route.fetch()).json()) as object;
      await route.fulfill({ json: { ...index, next } });
    });
    await page.locator('#search').fill('chess openings');
    const says = 'No agents found. Next: Chess Clock, January 2, 2999.';
    assert.is(await textOf(page, '.results-count', /No/), `${says} With some of the words:`);
    const near = await suggestionsOn(page);
    assert.ok(near.length >= 1 && near.length <= 3, near.join());
    await page.locator('#search').fill('xyzzy');
    await page.locator('.results-count', { hasText: says }).waitFor();
    assert.equal(await page.locator(option).allTextContents(), ['See all agents, by month and category']);
    await page.locator(option).click();
    await page.waitForURL('**/archive');
  });
});

test('gets a search in the archive with Enter, instead of the list of all agents, and back', async () => {
  await reader.onPage('/', async (page) => {
    await page.locator('#search').fill('spredsheet');
    await page.keyboard.press('Enter');
    await page.waitForURL('**/archive?q=spredsheet');
    await textOf(page, 'main .results-count', /^1 agent found$/);
    assert.equal(await resultsOf(page), ['Spreadsheet Smell Tester']);
    assert.is(await page.locator('#search').inputValue(), 'spredsheet');
    assert.is(await page.locator('[data-list] .entries').first().isVisible(), false);
    await page.locator('#search').fill('');
    await page.locator('[data-list] .entries').first().waitFor();
    assert.is(new URL(page.url()).search, '');
    await page.locator('#search').fill('runbook');
    await page.keyboard.press('Enter');
    await textOf(page, 'main .results-count', /found/);
    assert.is(await focusOf(page), (await resultsOf(page))[0]);
  });
});

test('finds the search without old suggestions on a page that the browser kept, also in Safari, which resets the field', async () => {
  await reader.onPage('/archive?q=runbook', async (page) => {
    await textOf(page, 'main .results-count', /found/);
    await page.locator('#search').fill('test');
    await page.locator(option).first().waitFor();
    await page.evaluate(() => dispatchEvent(new PageTransitionEvent('pagehide', { persisted: true })));
    assert.is(await page.locator(option).count(), 0);
    await page.locator('#search').evaluate((field: HTMLInputElement) => field.form?.reset());
    assert.is(await page.locator('#search').inputValue(), 'runbook');
  });
});

test('sees the field and the first suggestion in full after Ctrl+K, on every page and screen, also above a keyboard', async () => {
  await reader.onOwnPage('/', async (page) => {
    // The keyboard of a phone covers half of the page, which only the visual viewport knows.
    await page.addInitScript("Object.defineProperty(visualViewport, 'height', { get: () => innerHeight / 2 })");
    for (const [row, path] of ['/', agent, '/archive', '/about', '/developers'].entries()) {
      await page.goto(reader.site.address + path);
      for (const [column, [width, height]] of (
        [
          [320, 568],
          [390, 844],
          [768, 1024],
          [1024, 768],
          [1440, 900],
        ] as const
      ).entries()) {
        await page.setViewportSize({ width, height });
        // At its start or its end.
        const top = ((row + column) % 2) * 1_000_000;
        const before = await page.evaluate((y) => {
          scrollTo({ top: y, behavior: 'instant' });
          (document.activeElement as HTMLElement).blur();
          return scrollY;
        }, top);
        await page.keyboard.press('Control+k');
        await page.keyboard.insertText('list');
        await textOf(page, '.results-count', /found/);
        const where = `${path} at ${width}, scrolled to ${before}`;
        for (const part of ['#search', option]) {
          const { x, y, width: wide, height: high } = (await page.locator(part).first().boundingBox()) as Box;
          const shown = x >= 0 && y >= 0 && x + wide <= width && y + high <= height / 2 && wide > 200;
          assert.ok(shown, `${part} of ${where}: ${[x, y, wide, high]}`);
        }
        assert.is(await page.evaluate(() => scrollY), before, `${where}: the page stays`);
        await page.keyboard.press('Escape');
        await page.keyboard.press('Escape');
      }
    }
  });
});

interface Box {
  x: number;
  y: number;
  width: number;
  height: number;
}

test('sees the magnifying glass beside the words and the shortcut, whatever their direction and that of the page', async () => {
  await reader.onOwnPage('/', async (page) => {
    for (const direction of ['ltr', 'rtl'])
      for (const words of ['', 'בודק']) {
        await page.locator('html').evaluate((html: HTMLElement, direction) => {
          html.dir = direction;
        }, direction);
        await page.locator('#search').fill(words);
        await page.locator('#search').blur();
        const [glass, field, key] = await page
          .locator('.search-mark, #search, #search + kbd')
          .evaluateAll((elements) => elements.map((element) => element.getBoundingClientRect()));
        const padding = await page.locator('#search').evaluate((input) => getComputedStyle(input).paddingLeft);
        assert.ok(glass && field && glass.right <= field.left + Number.parseFloat(padding), `${words} in ${direction}`);
        if (words === '') assert.ok(key && glass.right < key.left, `the shortcut in ${direction}`);
      }
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
    [first]: `No. 2 February 28, 2026 ${publication.categories.coding.label}${title}${excerpt}`,
    [`${first} h3 a`]: title,
    [`${first} h3 a @href`]: '/base/agents/rich',
    [`${first} .excerpt`]: excerpt,
    [`${first} time`]: 'February 28, 2026',
    [`${first} time @datetime`]: '2026-02-28',
    '.result-list i': [],
  };
  await reader.onOwnPage('/', async (page) => {
    await page.context().route(`${publication.baseUrl}/**`, (route) => {
      const path = decodeURIComponent(new URL(route.request().url()).pathname)
        .replace('/base/', '')
        .replace('archive', 'archive.html');
      return route.fulfill({ body: files.get(path) ?? '', contentType: siteRules.contentType(path) ?? 'text/html' });
    });
    await page.goto(`${publication.baseUrl}/archive?q=title`);
    // A word of the title, a keyword, the excerpt, the problem, the name of a step, a tag of the older agent too.
    for (const word of ['title', 'seekword', 'excerpt', 'problem', 'step', 'two']) {
      await page.locator('#search').fill(word);
      await page.keyboard.press('Enter');
      const count = word === 'two' ? '2 agents found' : '1 agent found';
      await page.locator('main .results-count', { hasText: count }).waitFor();
      assert.equal(differences(readHtml(await page.content()), shown), [], word);
    }
    // The label of its category, which the newer agent has too.
    await page.locator('#search').fill('coding');
    await page.keyboard.press('Enter');
    await textOf(page, 'main .results-count', /2 agents found/);
    assert.equal(await resultsOf(page), [newer.title, title]);
    // Texts that are not searched.
    for (const word of ['sample', 'demo', 'prompt', 'config', 'inner']) {
      await page.locator('#search').fill(word);
      await textOf(page, '.results-count', /No agents found/);
    }
  });
});

test('narrows with filters, which the back button undoes one by one', async () => {
  await reader.onPage('/archive', async (page) => {
    const choose = async (name: string, value: string, search: string) => {
      await page.locator(`[name="${name}"]`).selectOption(value);
      await page.waitForFunction((wanted) => location.search === wanted, search);
      await textOf(page, 'main .results-count', /found/);
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

    await page.locator('#search').fill('re');
    await page.keyboard.press('Enter');
    await page.waitForFunction(() => location.search.includes('q=re'));
    await page.goBack();
    await page.waitForFunction((wanted) => location.search === wanted, `?category=coding&difficulty=${difficulty}`);
    await page.goBack();
    await page.waitForFunction(() => location.search === '?category=coding');
    assert.equal(await resultsOf(page), inCategory);
    assert.is(await page.locator('[name="difficulty"]').inputValue(), '');
    await page.goBack();
    await page.waitForFunction(() => location.search === '');
    assert.is(await page.locator('[data-list]').isVisible(), true);

    const [runtime = ''] = runtimes;
    const [tag = ''] = (ofAll[0] as Agent).tags;
    const link = `${reader.site.address}/archive?runtime=${encodeURIComponent(runtime)}&tag=${tag}&q=%20`;
    await page.goto(link);
    await textOf(page, 'main .results-count', /found/);
    assert.is(page.url(), link, 'another address of the same search would need a second press of Back');
    const both = ofAll.filter((one) => one.runtimes.includes(runtime) && one.tags.includes(tag));
    assert.equal(await resultsOf(page), titlesOf(both));
    assert.is(await page.locator('[name="tag"]').inputValue(), tag);

    // A link with a tag that the form does not offer finds the agents with it: here, none.
    await page.goto(`${reader.site.address}/archive?tag=retired`);
    await textOf(page, 'main .results-count', /^No agents found\. Below is the whole archive\.$/);
    assert.is(await page.locator('[data-list]').isVisible(), true);
    assert.is(await page.locator('[name="tag"]').inputValue(), 'retired');

    // On a phone, the field shows its words only while it has the focus.
    await page.goto(`${reader.site.address}/archive?q=xylophone`);
    const named = () =>
      page.locator('main .results-count').evaluate((count) => getComputedStyle(count, '::before').content);
    await textOf(page, 'main .results-count', /found/);
    assert.is(await named(), 'none');
    await page.setViewportSize({ width: 390, height: 844 });
    assert.match(await named(), '"xylophone"');
    const field = page.locator('#search');
    await field.hover();
    const withWords = await page.locator('.search-box').screenshot();
    await field.evaluate((input: HTMLInputElement) => {
      input.value = '';
    });
    assert.ok(withWords.equals(await page.locator('.search-box').screenshot()), 'nothing but the magnifying glass');
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
    await page.keyboard.press('Control+k');
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
const { address, look } = browseCatalog(
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
    await look('/archive', {}, async (page) => {
      for (const [query, titles] of rows) {
        await page.locator('#search').fill('');
        await page.locator('#suggestions').waitFor({ state: 'hidden' });
        await page.locator('#search').fill(query);
        await textOf(page, '.results-count', titles.length === 0 ? /^No agents found\./ : /^\d agents? found$/);
        if (titles.length > 0) assert.equal((await suggestionsOn(page)).sort(), [...titles].sort(), query);
        assert.equal((await titlesFromMcp(query)).sort(), [...titles].sort(), `${query} in MCP`);
      }
    });
  });
}

words('may be too short to find longer words, and pages say so only then', async () => {
  await look('/archive', {}, async (page) => {
    for (const [query, text] of [
      ['a', 'No agents found. To find longer words, type at least three letters or digits.'],
      ['pl', 'No agents found. To find longer words, type at least three letters or digits.'],
      ['pla', '2 agents found'],
      ['ai', '1 agent found'],
      ['酒', 'No agents found.'],
      ['k8', 'No agents found. To find longer words, type at least three letters or digits.'],
      ['99', 'No agents found. To find longer words, type at least three letters or digits.'],
      ['999', 'No agents found.'],
      ['xylophone', 'No agents found.'],
    ] as const) {
      await page.locator('#search').fill(query);
      await page.locator('.results-count', { hasText: text }).first().waitFor();
    }
  });
});

words('get a count that is announced once', async () => {
  await look('/about', { viewport: { width: 360, height: 640 } }, async (page) => {
    await page.locator('#search').focus();
    await page.evaluate(() => {
      const status = document.querySelector('.search [role="status"]') as Element;
      const announced: (string | null)[] = [];
      new MutationObserver(() => announced.push(status.textContent)).observe(status, { childList: true });
      Object.assign(globalThis, { announced });
    });
    await page.waitForFunction(() => performance.getEntriesByName(`${location.origin}/search-index.json`).length === 1);
    await page.locator('#search').fill('layover planner');
    await textOf(page, '.results-count', /^1 agent found$/);
    const announced = await page.evaluate(() => (globalThis as unknown as { announced: string[] }).announced);
    assert.equal(
      announced.filter((text) => text !== 'Loading search …'),
      ['1 agent found'],
    );
  });
});

words.run();
