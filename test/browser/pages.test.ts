/// <reference lib="dom" />
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { brotliCompressSync } from 'node:zlib';
import type axe from 'axe-core';
import type { Browser, Page } from 'playwright-core';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { complaintsOf, launchBrowser, type ServedSite, serveSite, textOf } from '../support/browser.ts';
import { loud } from '../support/loud.ts';
import { catalog } from '../support/process.ts';
import { withLog } from '../support/vote-log.ts';

/** Every kind of page works on a phone, a tablet and a desktop, in light and dark mode. */

const test = suite('every kind of page');

let browser: Browser;
let site: ServedSite;
const axeSource = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

test.before(
  loud(async () => {
    [browser, site] = await Promise.all([launchBrowser(), serveSite()]);
  }),
);
test.after(
  loud(async () => {
    await browser?.close();
    await site?.close();
  }),
);

const [phone, tablet, desk] = [360, 768, 1440];

/** Kinds of pages: name, path, and the widths of the screen, in pixels, at which they are tested. */
const kinds: [string, string, number[]][] = [
  ['home', '/', [phone, tablet, desk]],
  ['agent', '/agents/dependency-bump-judge', [phone, tablet, desk]],
  ['archive', '/archive', [phone, tablet, desk]],
  ['search results', '/?q=list', [phone, tablet, desk]],
  ['developers', '/developers', [phone, tablet, desk]],
  ['404', '/nothing/here', [phone, tablet, desk]],
  ['category', '/categories/coding', [phone]],
  ['tag', '/tags/testing', [phone]],
  ['about', '/about', [phone]],
  ['the answer to a form', '/thanks/vote', [phone]],
];

for (const [kind, path, widths] of kinds) {
  test(`${kind}: axe finds nothing, nothing is wider than the screen, no error is logged`, () =>
    assertReadable(site.address + path, widths));
}

test('the page of catalog votes --html: axe finds nothing, nothing is wider than the screen, no error is logged', () =>
  withLog(async (folder) => {
    const page = join(folder, 'votes.html');
    assert.is((await catalog(['votes', '--cwd', folder, '--html', page])).code, 0);
    await assertReadable(pathToFileURL(page).href, [phone, desk]);
  }));

/** Checks a page at every width in light and dark mode. */
async function assertReadable(address: string, widths: readonly number[]): Promise<void> {
  const context = await browser.newContext({ viewport: { width: desk, height: 900 }, reducedMotion: 'reduce' });
  context.setDefaultTimeout(10_000);
  const faults: string[] = [];
  try {
    const page = await context.newPage();
    const complaints = complaintsOf(page);
    const response = await page.goto(address);
    if (address.includes('?q=')) await textOf(page, '.results-count', /found/);
    const expected = response?.status() === 404 ? /status of 404/ : /(?!)/;
    await page.evaluate(axeSource);
    for (const width of widths) {
      await page.setViewportSize({ width, height: 900 });
      const excess = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
      if (excess > 0) faults.push(`${width}: ${excess} px wider than the screen`);
      await page.emulateMedia({ colorScheme: 'light' });
      for (const fault of await axeFaults(page)) faults.push(`${width} light: ${fault}`);
      await page.emulateMedia({ colorScheme: 'dark' });
      for (const fault of await axeFaults(page, colorRules)) faults.push(`${width} dark: ${fault}`);
    }
    faults.push(...complaints.filter((complaint) => !expected.test(complaint)));
  } finally {
    await context.close();
  }
  assert.equal(faults, []);
}

/** The rules that a color scheme can break; all others have the same result in dark mode. */
const colorRules = ['color-contrast', 'link-in-text-block'];

async function axeFaults(page: Page, rules?: readonly string[]): Promise<string[]> {
  await page.evaluate(() => Promise.all(document.getAnimations().map(({ finished }) => finished)));
  const { violations } = await page.evaluate(
    (only) =>
      (globalThis as unknown as { axe: typeof axe }).axe.run(document, {
        resultTypes: ['violations'],
        ...(only === undefined ? {} : { runOnly: [...only] }),
      }),
    rules,
  );
  return violations.map(({ id, nodes }) => `${id} at ${nodes.map(({ target }) => target.join(' ')).join(', ')}`);
}

for (const width of [phone, desk]) {
  test(`nothing moves while a page loads, ${width} px wide`, async () => {
    const context = await browser.newContext({ viewport: { width, height: 900 } });
    try {
      await context.addInitScript(() => {
        type Shift = PerformanceEntry & { value: number; sources: { node: Element | null }[] };
        const shifts: string[] = [];
        Object.assign(globalThis, { shifts });
        new PerformanceObserver((list) => {
          for (const { value, sources } of list.getEntries() as Shift[]) {
            const moved = sources.map(({ node }) => `${node?.nodeName} ${node?.className ?? node?.textContent}`);
            shifts.push(`${value}: ${moved.join(', ')}`);
          }
        }).observe({ type: 'layout-shift', buffered: true });
      });
      const page = await context.newPage();
      for (const [kind, path] of [...kinds, ['a search in the archive', '/archive?q=list']] as const) {
        await page.goto(site.address + path, { waitUntil: 'load' });
        if (path.includes('?q=')) await textOf(page, '.results-count', /found/);
        const shifts = await page.evaluate(async () => {
          await document.fonts.ready;
          await new Promise((painted) => requestAnimationFrame(() => requestAnimationFrame(painted)));
          return (globalThis as unknown as { shifts: string[] }).shifts;
        });
        assert.equal(shifts, [], `${kind} ${width}`);
      }
    } finally {
      await context.close();
    }
  });
}

test('search results move nothing, however late the index loads', async () => {
  const context = await browser.newContext({ viewport: { width: desk, height: 900 } });
  try {
    const page = await context.newPage();
    await page.goto(`${site.address}/archive`);
    await page.evaluate(() => {
      type Shift = PerformanceEntry & { value: number; hadRecentInput: boolean };
      const late: number[] = [];
      Object.assign(globalThis, { late });
      new PerformanceObserver((list) => {
        for (const { value, hadRecentInput } of list.getEntries() as Shift[]) if (!hadRecentInput) late.push(value);
      }).observe({ type: 'layout-shift', buffered: true });
    });
    // A layout shift within half a second of a key press is caused by the reader.
    await page.route('**/search-index.json', (route) => setTimeout(() => route.continue(), 800));
    await page.locator('#search').pressSequentially('list');
    await textOf(page, '.results-count', /found/);
    await page.evaluate(() => new Promise((painted) => requestAnimationFrame(() => requestAnimationFrame(painted))));
    assert.equal(await page.evaluate(() => (globalThis as unknown as { late: number[] }).late), []);
    await page.locator('#search').pressSequentially('s');
    assert.is(await page.evaluate(() => document.querySelectorAll('.results.reserved').length), 0);
  } finally {
    await context.close();
  }
});

test('scripts weigh less than 15 KiB compressed on any page without a search', async () => {
  for (const [kind, path] of kinds) {
    const page = await (await fetch(site.address + path)).text();
    const scripts = [...page.matchAll(/<script[^>]* src="([^"]+)"/g)].map(([, source]) => source ?? '');
    assert.ok(scripts.length > 0);
    let weight = 0;
    for (const source of scripts) {
      const bytes = await (await fetch(site.address + source.replaceAll('&#x3D;', '='))).arrayBuffer();
      weight += brotliCompressSync(bytes).length;
    }
    assert.ok(weight < 15 * 1024, `${kind}: ${weight} bytes`);
  }
});

test.run();
