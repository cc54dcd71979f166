/// <reference lib="dom" />
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { browseCatalog, textOf } from '../support/browser.ts';
import { resultsOf } from '../support/site-reader.ts';

/** Which words find an agent, in pages and through MCP: accents, scripts without spaces, short words. Where pages tell. */

const test = suite('the words of a search');

const [cafe, monitoring, changelog, airport] = [
  'Café Über naïve Résumé Checker',
  'Plan für die …überwachung mit Straßenkarte',
  '変更履歴を読み手にわかる言葉へ訳すAIエージェント',
  'Airport layover planner',
];
const { address, visit } = browseCatalog(
  test,
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
  test(`find agents ${name}`, async () => {
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

test('may be too short to find longer words, and pages say so only then', async () => {
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

test('get a count that is visible on a phone below the field, and announced once', async () => {
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

test.run();
