/// <reference lib="dom" />
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type axe from 'axe-core';
import type { Page } from 'playwright-core';
import * as assert from 'uvu/assert';
import { type sharedPage, textOf } from './browser.ts';

const axeSource = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

/** Checks an address at every width in light and dark mode, by all rules of axe except some. */
export async function assertReadable(
  look: ReturnType<typeof sharedPage>,
  address: string,
  widths: readonly number[],
  except = /(?!)/,
): Promise<void> {
  const faults: string[] = [];
  await look(address, { viewport: { width: 1440, height: 900 }, reducedMotion: 'reduce' }, async (page, complaints) => {
    if (address.includes('?q=')) await textOf(page, 'main .results-count', /found/);
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
    const [navigation] = await page.evaluate(() =>
      performance.getEntriesByType('navigation').map((entry) => entry.toJSON()),
    );
    const expected = navigation?.responseStatus === 404 ? /status of 404/ : /(?!)/;
    faults.push(...complaints.filter((complaint) => !expected.test(complaint)));
  });
  assert.equal(
    faults.filter((fault) => !except.test(fault)),
    [],
  );
}

/** The rules that a color scheme can break; all others have the same result in dark mode. */
const colorRules = ['color-contrast', 'link-in-text-block'];

async function axeFaults(page: Page, rules?: readonly string[]): Promise<string[]> {
  await page.evaluate(() => Promise.all(document.getAnimations().map(({ finished }) => finished)));
  const { violations } = await page.evaluate(
    (only) =>
      (globalThis as unknown as { axe: typeof axe }).axe.run(document, {
        resultTypes: ['violations'],
        ...(only === undefined ? { rules: { 'target-size': { enabled: true } } } : { runOnly: [...only] }),
      }),
    rules,
  );
  return violations.map(({ id, nodes }) => `${id} at ${nodes.map(({ target }) => target.join(' ')).join(', ')}`);
}
