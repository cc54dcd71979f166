/// <reference lib="dom" />
import type { Page } from 'playwright-core';
import { launchBrowser, type ServedSite, serveSite, visit, withPage } from './browser.ts';

/** A reader of the bundled catalog, with a browser. */
export interface Reader {
  site: ServedSite;
  /** What pages complained about so far: see complaintsOf. */
  complaints: readonly string[];
  /** Runs `use` with a new page. */
  onPage(path: string, use: (page: Page) => Promise<void>): Promise<void>;
  close(): Promise<void>;
}

/** Starts a browser, and builds and serves the catalog. */
export async function openReader(): Promise<Reader> {
  const [browser, site] = await Promise.all([launchBrowser(), serveSite()]);
  const complaints: string[] = [];
  return {
    site,
    complaints,
    async onPage(path, use) {
      // The language of the browser is not that of the site.
      const permissions = ['clipboard-read', 'clipboard-write'];
      await visit(browser, site.address + path, { locale: 'de-DE', permissions }, async (page, heard) => {
        try {
          await use(page);
        } catch (error) {
          throw withPage(error, page.url(), await page.content());
        }
        complaints.push(...heard);
      });
    },
    async close() {
      await browser.close();
      await site.close();
    },
  };
}

/** The titles of the agents that a search shows, in their order. */
export const resultsOf = (page: Page) => page.locator('.result-list h3').allTextContents();
