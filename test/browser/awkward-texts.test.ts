/// <reference lib="dom" />
import type { BrowserContextOptions } from 'playwright-core';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { hebrew, longWords } from '../support/awkward-agents.ts';
import { browseCatalog, focusOf, tabTo, textOf } from '../support/browser.ts';
import { until } from '../support/until.ts';

/** A reader can read texts that layouts rarely have: very long words, wide tables, and writing from right to left. */

const test = suite('awkward texts');

const { address, visit } = browseCatalog(test, [longWords, hebrew]);
const onPage = (path: string, options: BrowserContextOptions, use: Parameters<typeof visit>[2]) =>
  visit(path, { viewport: { width: 320, height: 800 }, ...options }, use);

/** Widths of a screen, each with the size of letters that the reader has chosen, in pixels. */
const screens = [
  [320, 16],
  [360, 24],
  [1440, 16],
] as const;
const paths = ['/agents/long-words', '/agents/hebrew', '/archive', '/archive?q=Kleinbetriebe', '/developers'];

test('no page scrolls sideways, however long a word is', () =>
  onPage('/', {}, async (page) => {
    for (const path of ['/', ...paths, '/categories/coding', '/tags/testing', '/nothing/here']) {
      await page.goto(address() + path);
      if (path.includes('?q=')) await textOf(page, '.results-count', /found/);
      for (const [width, letters] of screens) {
        await page.setViewportSize({ width, height: 800 });
        const excess = await page.evaluate((size) => {
          document.documentElement.style.fontSize = `${size}px`;
          return document.documentElement.scrollWidth - innerWidth;
        }, letters);
        assert.is(excess, 0, `${path}, ${width} px, letters of ${letters} px`);
      }
    }
  }));

test('a wide table scrolls in its own box, which a keyboard reaches, and its cells are aligned as the text says', () =>
  onPage('/agents/long-words', {}, async (page, complaints) => {
    const boxes = page.locator('.scroll');
    const offsets = () => boxes.evaluateAll((all) => all.map(({ scrollLeft }) => scrollLeft > 0));
    assert.equal(await boxes.evaluateAll((all) => all.map((box) => box.scrollWidth > box.clientWidth)), [
      true,
      true,
      true,
    ]);
    assert.equal(await offsets(), [false, false, false]);
    for (const name of ['Results of each model', 'Table: Name, Address, Count, Note', 'Table: Item, Meaning']) {
      await tabTo(page, '.scroll');
      assert.is(await focusOf(page), name);
      await page.keyboard.press('ArrowRight');
    }
    await until(async () => (await offsets()).every((isMoved) => isMoved));
    const cells = page.locator('.prose > .scroll td');
    const sides = await cells.evaluateAll((all) => all.map((cell) => getComputedStyle(cell).textAlign));
    assert.equal(sides, ['left', 'center', 'right', 'start']);
    assert.is(await cells.locator('code').evaluate((code) => code.getClientRects().length), 1, 'no word is broken');
    assert.equal(complaints, []);
  }));

test('paths of outputs break only where a part of them ends', () =>
  onPage('/developers', { viewport: { width: 360, height: 800 } }, async (page) => {
    const broken = await page.locator('td:first-child code').evaluateAll((all) =>
      all
        .flatMap(({ childNodes }) => [...childNodes])
        .filter((part) => {
          const range = document.createRange();
          range.selectNodeContents(part);
          return !part.textContent?.includes('-') && range.getClientRects().length > 1;
        })
        .map(({ textContent }) => textContent),
    );
    assert.equal(broken, []);
    const box = page.locator('.scroll');
    assert.is(await box.evaluate(({ scrollWidth, clientWidth }) => scrollWidth - clientWidth), 0);
  }));

/** Pairs of elements, one above the other, on a narrow screen. */
const pairs: Record<string, [string, string][]> = {
  '/': [['.issue .numeral', '.issue time']],
  '/developers': [['#mcp ~ * .commands', '.commands + p']],
  '/agents/long-words': [
    ['.prose li > p', '.prose li > pre'],
    ['.prose li > pre', '.prose li > .scroll'],
    ['.prose li > .scroll', '.prose li > p:last-child'],
  ],
};

test('parts of a page are apart, and no heading is larger than the one above it', () =>
  onPage('/', {}, async (page) => {
    for (const [path, all] of Object.entries(pairs)) {
      await page.goto(address() + path);
      for (const pair of all) {
        const [upper, lower] = await Promise.all(pair.map((part) => page.locator(part).first().boundingBox()));
        assert.ok(
          upper && lower && lower.y - upper.y - upper.height >= 8,
          `${pair}: ${JSON.stringify([upper, lower])}`,
        );
      }
    }
    const sizes = await page
      .locator('#how-it-works, .prose h3')
      .evaluateAll((headings) => headings.map((heading) => Number.parseFloat(getComputedStyle(heading).fontSize)));
    assert.equal(
      sizes,
      [...sizes].sort((a, b) => b - a),
    );
    assert.is(sizes.length, 2);
  }));

/** Where the texts of agents are on a page, which is otherwise from left to right. */
const places: Record<string, string[]> = {
  '/agents/hebrew': ['h1', '.standfirst', '#problem + p', '#step-1', '.prose', '.prose li'],
  '/agents/long-words': ['.between bdi'],
  '/': ['h1', '.standfirst', '.front-head > p:nth-of-type(2)', '.front .steps li'],
  '/archive': ['.days li:first-child > span'],
  '/tags/testing': ['.entry h3', '.entry .excerpt'],
};

test('Hebrew is from right to left, and everything around it from left to right', () =>
  onPage('/', {}, async (page) => {
    for (const [path, selectors] of Object.entries(places)) {
      await page.goto(address() + path);
      const found = await page.evaluate(
        (all) => all.map((one) => getComputedStyle(document.querySelector(one) ?? document.body).direction),
        [...selectors, 'main', 'main section', 'footer'],
      );
      assert.equal(found, [...selectors.map(() => 'rtl'), 'ltr', 'ltr', 'ltr'], path);
    }
  }));

test('each line of a prompt has its own direction, and so has each search result', async () => {
  await onPage('/agents/hebrew', {}, async (page) => {
    const sides = await page.locator('.line').evaluateAll((lines) =>
      lines.flatMap((line) => {
        const { left = 0 } = line.closest('code')?.getBoundingClientRect() ?? {};
        const range = document.createRange();
        range.selectNodeContents(line);
        const last = [...range.getClientRects()].filter(({ width }) => width > 0).at(-1);
        return last !== undefined && last.left > left + 20 ? [line.textContent?.slice(0, 10)] : [];
      }),
    );
    assert.equal(sides, ['1. קרא כל ']);
  });
  await onPage('/archive?q=בודק', {}, async (page) => {
    await textOf(page, '.results-count', /found/);
    const [list, text] = await Promise.all([
      page.locator('.result-list li').boundingBox(),
      page.locator('.result h3 a').boundingBox(),
    ]);
    assert.ok(list && text && Math.abs(list.x + list.width - text.x - text.width) < 1, JSON.stringify([list, text]));
  });
});

test('without scripts, the search says that it needs them', async () => {
  const note = '.search noscript p';
  await onPage('/archive?q=hebrew', { javaScriptEnabled: false }, async (page) => {
    assert.is(await page.locator(note).isVisible(), true);
  });
  await onPage('/archive', {}, async (page) => assert.is(await page.locator(note).count(), 0));
});

test.run();
