/// <reference lib="dom" />
import type { Page } from 'playwright-core';
import { launchBrowser, type ServedSite, serveSite, sharedPage, visit, withPage } from './browser.ts';

type Use = (page: Page) => Promise<void>;

/** A reader of the bundled catalog, with a browser. */
export interface Reader {
  site: ServedSite;
  /** What pages complained about so far: see complaintsOf. */
  complaints: readonly string[];
  /** Runs `use` with a page that tests share: see sharedPage. */
  onPage(path: string, use: Use): Promise<void>;
  /** Runs `use` with a page of its own. */
  onOwnPage(path: string, use: Use): Promise<void>;
  close(): Promise<void>;
}

/** Starts a browser, and builds and serves the catalog. */
export async function openReader(): Promise<Reader> {
  const [browser, site] = await Promise.all([launchBrowser(), serveSite()]);
  const complaints: string[] = [];
  // The language of the browser is not the site's.
  const options = { locale: 'de-DE', permissions: ['clipboard-read', 'clipboard-write'] };
  const share = sharedPage(() => browser, options);
  const explained = (use: Use) => async (page: Page, heard: readonly string[]) => {
    try {
      await use(page);
    } catch (error) {
      throw withPage(error, page.url(), await page.content());
    }
    complaints.push(...heard);
  };
  return {
    site,
    complaints,
    onPage: (path, use) => share(site.address + path, {}, explained(use)),
    onOwnPage: (path, use) => visit(browser, site.address + path, options, explained(use)),
    async close() {
      await browser.close();
      await site.close();
    },
  };
}

/** The titles of the agents that a search shows, in their order. */
export const resultsOf = (page: Page) => page.locator('.result-list h3').allTextContents();
