/// <reference lib="dom" />
import { existsSync, mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type Browser, type BrowserContextOptions, chromium, type Page } from 'playwright-core';
import type { Test } from 'uvu';
import type { ServerFlags } from '../../src/server/options.ts';
import { type SmallAgent, temporaryFolder } from './catalog.ts';
import { loud } from './loud.ts';
import { run } from './process.ts';
import { builtBundled, builtCatalog, startRuntime } from './server.ts';
import { patienceMs } from './until.ts';

const unpacker = fileURLToPath(new URL('./unpack-chromium.mjs', import.meta.url));

/**
 * Starts Chromium: the one in CHROMIUM_PATH or, by default, the one of the development dependencies, which runs only on
 * Linux x64.
 */
export async function launchBrowser(): Promise<Browser> {
  // Otherwise, each new page starts a second process ahead of time, which no test uses.
  const args = ['--no-sandbox', '--disable-gpu', '--renderer-process-limit=1'];
  const options = { args, timeout: patienceMs };
  const given = process.env.CHROMIUM_PATH;
  if (given !== undefined) return patient(await chromium.launch({ ...options, executablePath: given }));
  const folder = await unpackedChromium();
  const libraries = [join(folder, 'al2023', 'lib'), process.env.LD_LIBRARY_PATH].filter((path) => path !== undefined);
  const browser = await chromium.launch({
    ...options,
    executablePath: join(folder, 'chromium'),
    env: { ...process.env, LD_LIBRARY_PATH: libraries.join(':'), FONTCONFIG_PATH: join(folder, 'fonts') },
  });
  return patient(browser);
}

/** Lets all pages of a browser wait as long as other tests do. */
function patient(browser: Browser): Browser {
  const { newContext } = browser;
  browser.newContext = async (options) => {
    const context = await newContext.call(browser, options);
    context.setDefaultTimeout(patienceMs);
    return context;
  };
  return browser;
}

/** Settings of fontconfig that know the fonts in `folder`; the settings of the package know /tmp/fonts alone. */
function fontSettings(folder: string): string {
  return `<?xml version="1.0"?>
<!DOCTYPE fontconfig SYSTEM "fonts.dtd">
<fontconfig><dir>${join(folder, 'fonts')}</dir><cachedir>${join(folder, 'fonts-cache')}</cachedir></fontconfig>
`;
}

/**
 * Returns the folder where the bundled Chromium is unpacked, once for all test runs.
 *
 * The package unpacks into the temporary folder, and uses any file there that is called chromium. So it gets a separate
 * folder, which is renamed into place once it is complete, since another process may do the same at this moment.
 */
async function unpackedChromium(): Promise<string> {
  if (process.platform !== 'linux' || process.arch !== 'x64') {
    const here = `${process.platform}-${process.arch}`;
    throw new Error(
      `The Chromium that npm installs for the tests runs on linux-x64, and this is ${here}. Set CHROMIUM_PATH to the program of a Chromium or Chrome.`,
    );
  }
  const modules = fileURLToPath(new URL('../../node_modules', import.meta.url));
  const about = readFileSync(join(modules, '@sparticuz', 'chromium', 'package.json'), 'utf8');
  const { version } = JSON.parse(about) as { version: string };
  const cache = join(modules, '.cache');
  const folder = join(cache, `chromium-${version}`);
  if (existsSync(folder)) return folder;

  mkdirSync(cache, { recursive: true });
  const staging = mkdtempSync(join(cache, 'unpacking-'));
  // This runs in another process, because it depends on environment variables that others use at the same time.
  const { code, stderr } = await run(process.execPath, [unpacker], {
    env: { TMPDIR: staging, AWS_LAMBDA_JS_RUNTIME: 'nodejs20.x' },
  });
  if (code !== 0) throw new Error(`Chromium cannot be unpacked: ${stderr}`);
  writeFileSync(join(staging, 'fonts', 'fonts.conf'), fontSettings(folder));
  try {
    renameSync(staging, folder);
  } catch (error) {
    if (!existsSync(folder)) throw error;
    rmSync(staging, { recursive: true });
  }
  return folder;
}

/** A build that is served. */
export interface ServedSite {
  /** Without a slash at its end. */
  address: string;
  /** The folder of its build. */
  dist: string;
  /** Returns the lines of a log of the server, such as `votes`. */
  linesOf(log: 'votes' | 'signups'): Record<string, unknown>[];
  close(): Promise<void>;
}

export interface ServeOptions {
  /** Another build to serve. */
  dist?: string;
  /** Settings of the server. Limits are off unless they are set here. */
  flags?: ServerFlags;
  env?: NodeJS.ProcessEnv;
}

/** Serves the bundled catalog with all agents published, or another build. */
export async function serveSite({ dist, flags = {}, env = {} }: ServeOptions = {}): Promise<ServedSite> {
  const folder = temporaryFolder();
  const out = dist ?? builtBundled();
  const data = join(folder.path, 'data');
  const server = await startRuntime(folder.path, { flags: { out, ...flags }, env });
  return {
    address: server.address.replace(/\/$/, ''),
    dist: out,
    linesOf(log) {
      const file = join(data, `${log}.jsonl`);
      if (!existsSync(file)) return [];
      const lines = readFileSync(file, 'utf8').split('\n').slice(0, -1);
      return lines.map((line) => JSON.parse(line) as Record<string, unknown>);
    },
    async close() {
      await server.stop();
      folder.remove();
    },
  };
}

/** What a test does on a page. `complaints` are the errors of the page so far; see complaintsOf. */
type Visit = (page: Page, complaints: readonly string[]) => Promise<void>;

/** Opens an address in a context of its own, and closes it after `use`. */
export async function visit(
  browser: Browser,
  address: string,
  options: BrowserContextOptions,
  use: Visit,
): Promise<void> {
  const page = await openPage(browser, options);
  try {
    const complaints = complaintsOf(page);
    await page.goto(address);
    await use(page, complaints);
  } finally {
    await page.context().close();
  }
}

async function openPage(browser: Browser, options: BrowserContextOptions): Promise<Page> {
  return (await browser.newContext(options)).newPage();
}

/** The options of a context that can be changed for each address. */
export type Screen = Pick<BrowserContextOptions, 'viewport' | 'colorScheme' | 'reducedMotion' | 'forcedColors'>;

/**
 * Returns a function that opens addresses on the same page, each for a reader without a past. It takes the browser half as
 * long as `visit`. A page that a test failed on is not used again. Use `visit` in a test that leaves the site, or changes all
 * documents or the context: by a script, a clock, a route of the context, or what a window refers to.
 */
export function sharedPage(browser: () => Browser, options: BrowserContextOptions) {
  let idle: Page | undefined;
  return async (address: string, screen: Screen, use: Visit): Promise<void> => {
    const page = idle ?? (await openPage(browser(), options));
    idle = undefined;
    try {
      const { colorScheme = null, reducedMotion = null, forcedColors = null } = screen;
      await page.setViewportSize(screen.viewport ?? options.viewport ?? { width: 1280, height: 720 });
      await page.emulateMedia({ media: null, colorScheme, reducedMotion, forcedColors });
      const complaints = complaintsOf(page);
      await page.goto(address);
      await use(page, complaints);
      await forget(page);
      idle = page;
    } finally {
      if (idle === undefined) await page.context().close();
    }
  };
}

/** Removes what a reader leaves on a page, except for the address. An empty page takes no time to be laid out for the next screen. */
async function forget(page: Page): Promise<void> {
  for (const event of ['console', 'pageerror', 'request', 'response'] as const) page.removeAllListeners(event);
  await page.unrouteAll();
  await page.evaluate(() => {
    localStorage.clear();
    sessionStorage.clear();
    document.body.replaceChildren();
  });
  await page.mouse.move(0, 0);
}

/**
 * Serves a small catalog, and starts a browser, for the tests of a suite. Returns the address of the site, without a
 * slash at its end, and two functions that open a path: `look` on a page that they share, see sharedPage, and `visit`
 * in a context of its own.
 */
export function browseCatalog(suite: Test, agents: SmallAgent[], options: BrowserContextOptions = {}) {
  const folder = temporaryFolder();
  let browser: Browser;
  let site: ServedSite;
  suite.before(
    loud(async () => {
      const dist = builtCatalog(folder.path, agents);
      [browser, site] = await Promise.all([launchBrowser(), serveSite({ dist })]);
    }),
  );
  suite.after(
    loud(async () => {
      await browser?.close();
      await site?.close();
      folder.remove();
    }),
  );
  const open = sharedPage(() => browser, options);
  return {
    address: () => site.address,
    look: (path: string, screen: Screen, use: Visit) => open(site.address + path, screen, use),
    visit: (path: string, own: BrowserContextOptions, use: Visit) =>
      visit(browser, site.address + path, { ...options, ...own }, use),
  };
}

/** The errors of a page: console errors, exceptions, and everything that its security policy blocked. */
export function complaintsOf(page: Page): string[] {
  const complaints: string[] = [];
  page.on('console', (message) => {
    if (message.type() === 'error' || message.type() === 'warning') complaints.push(`${page.url()}: ${message.text()}`);
  });
  page.on('pageerror', (error) => complaints.push(`${page.url()}: ${error.message}`));
  return complaints;
}

/** The errors of a page, with a description of the page at that time. */
export function withPage(error: unknown, url: string, html: string): Error {
  const { message } = error as Error;
  return new Error(`${message}\nThe page was ${url}:\n${html.slice(0, 2000)}`, { cause: error });
}

/** Describes the focused element by its text or name. */
export function focusOf(page: Page): Promise<string> {
  return page.evaluate(() => {
    const element = document.activeElement;
    const label = (element as HTMLInputElement | null)?.labels?.[0]?.textContent;
    return (element?.getAttribute('aria-label') ?? label ?? element?.textContent ?? '').trim();
  });
}

/** Presses Tab until the focus is on an element that matches `selector`, as a reader without a mouse does. */
export async function tabTo(page: Page, selector: string): Promise<void> {
  for (let presses = 0; presses < 150; presses += 1) {
    await page.keyboard.press('Tab');
    if (await page.evaluate((wanted) => document.activeElement?.matches(wanted) === true, selector)) return;
  }
  throw new Error(`Tab does not lead to ${selector}`);
}

/** Waits until an element shows a text that matches, and gives it. */
export async function textOf(page: Page, selector: string, pattern: RegExp): Promise<string> {
  const handle = await page.waitForFunction(
    ([wanted, source]) => {
      const text = document.querySelector(wanted as string)?.textContent ?? '';
      return new RegExp(source as string).test(text) ? text : false;
    },
    [selector, pattern.source],
  );
  return String(await handle.jsonValue());
}
