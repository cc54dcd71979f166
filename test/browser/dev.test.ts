/// <reference lib="dom" />
import { copyFileSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Browser, Page } from 'playwright-core';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { launchBrowser, textOf } from '../support/browser.ts';
import { bundled, temporaryFolder, writeCatalog } from '../support/catalog.ts';
import { type RunningPreview, startPreview } from '../support/dev.ts';
import { loud } from '../support/loud.ts';

/** How an editor sees a catalog under `catalog dev`, in a real browser. */

const test = suite('an editor who previews');

const folder = temporaryFolder();
const fileOf = (name: string) => join(folder.path, name);
const agentFile = fileOf('agents/one/agent.md');
let browser: Browser;
let preview: RunningPreview;

test.before(
  loud(async () => {
    writeCatalog(folder.path, [
      { slug: 'one', date: '2026-01-01' },
      { slug: 'due', date: '2026-03-01' },
      { slug: 'sketch', date: '2026-03-02', front: { draft: 'true' } },
    ]);
    [browser, preview] = await Promise.all([launchBrowser(), startPreview(folder.path)]);
  }),
);
test.after(
  loud(async () => {
    await browser?.close();
    await preview?.close();
    folder.remove();
  }),
);

function edit(file: string, from: string | RegExp, to: string): void {
  const text = readFileSync(file, 'utf8');
  assert.ok(text.search(from) >= 0, `${from} is not in ${file}`);
  writeFileSync(file, text.replace(from, to));
}

/** Opens a page, and closes it after `use`. */
async function onPage(path: string, use: (page: Page) => Promise<void>): Promise<void> {
  const page = await browser.newPage({ viewport: { width: 1000, height: 600 } });
  const broken: string[] = [];
  page.on('console', (message) => message.type() === 'error' && broken.push(message.text()));
  page.on('pageerror', (error) => broken.push(error.message));
  try {
    await page.goto(`${preview.address}${path}`);
    await page.locator('aside.dock').waitFor({ state: 'attached' });
    await use(page);
    assert.equal(broken, []);
  } finally {
    await page.close();
  }
}

/** Marks the document, so that a reload can be told from a change without one. */
const stamp = (page: Page) => page.evaluate(() => document.documentElement.setAttribute('data-seen', 'yes'));
const isSame = (page: Page) => page.evaluate(() => document.documentElement.hasAttribute('data-seen'));
/** Waits until an element shows a text. Unlike `textOf`, it also looks into the shadow tree of the preview. */
async function shown(page: Page, selector: string, text: RegExp): Promise<string> {
  const element = page.locator(selector).filter({ hasText: text });
  await element.waitFor();
  return element.innerText();
}
const dialog = 'dialog[open]';
const panel = 'aside.dock details';

test('sees an email with its styles, and reloaded after a change', () =>
  onPage('/mail/1.html', async (page) => {
    assert.is(await page.locator('h1').evaluate((heading) => getComputedStyle(heading).fontSize), '30px');
    edit(agentFile, 'The one agent', 'The mailed agent');
    await shown(page, 'h1', /The mailed agent/);
    edit(agentFile, 'The mailed agent', 'The one agent');
    await shown(page, 'h1', /The one agent/);
  }));

test('sees a saved change at the place where the page was, and no reload of a page without the change', () =>
  onPage('/about', async (about) => {
    await stamp(about);
    await onPage('/agents/one', async (page) => {
      await page.evaluate(() => window.scrollTo({ top: 900, behavior: 'instant' }));
      edit(agentFile, 'The one agent', 'The changed agent');
      await textOf(page, 'h1', /The changed agent/);
      await page.waitForFunction(() => window.scrollY === 900);
      edit(agentFile, 'The changed agent', 'The one agent');
      await textOf(page, 'h1', /The one agent/);
    });
    assert.ok(await isSame(about));
  }));

test('sees the errors of a broken agent over the page, as text, until it is fixed', () =>
  onPage('/agents/one', async (page) => {
    await stamp(page);
    edit(agentFile, 'difficulty: easy', 'difficulty: <img src=x onerror=alert(1)>');
    const text = await shown(page, dialog, /1 error/);
    assert.is(await page.locator('#errors').innerText(), '1 error');
    assert.match(text, 'agents/one/agent.md:6:13 error front-matter/value');
    assert.match(text, '> 6 | difficulty: <img src=x onerror=alert(1)>');
    assert.is(await page.locator('dialog img').count(), 0);
    assert.match(await page.locator('h1').innerText(), 'The one agent');
    // A closed overlay can be opened again, and it stays closed on other pages.
    await page.keyboard.press('Escape');
    await page.locator(dialog).waitFor({ state: 'detached' });
    await page.locator('.reopen').click();
    await page.locator(`${dialog} button`).click();
    await page.goto(`${preview.address}/archive`);
    await page.locator('.reopen').waitFor();
    assert.is(await page.locator(dialog).count(), 0);
    edit(agentFile, /difficulty: .*/, 'difficulty: easy');
    await page.locator('.reopen').waitFor({ state: 'detached' });
  }));

/** Adds a rule to the styles of the catalog, and waits until the page has it. */
async function addRule(page: Page): Promise<void> {
  const style = fileOf('templates/assets/style.css');
  mkdirSync(fileOf('templates/assets'), { recursive: true });
  copyFileSync(join(bundled, 'templates/assets/style.css'), style);
  writeFileSync(style, `${readFileSync(style, 'utf8')}\nh1 { color: rgb(1, 2, 3) !important }\n`);
  const color = () => getComputedStyle(document.querySelector('h1') as Element).color === 'rgb(1, 2, 3)';
  await page.waitForFunction(color);
}

/** Removes what addRule added, and waits until the page is without it. */
async function removeRule(page: Page): Promise<void> {
  rmSync(fileOf('templates'), { recursive: true });
  await page.waitForFunction(() => document.querySelectorAll('link[rel="stylesheet"]').length === 1);
}

test('keeps errors open that were closed and opened again, when another file is saved, in a browser without storage', () =>
  onPage('/agents/one', async (page) => {
    await page.evaluate(() => Object.defineProperty(globalThis, 'sessionStorage', { value: null }));
    edit(agentFile, 'difficulty: easy', 'difficulty: none');
    await page.locator(dialog).waitFor();
    await page.keyboard.press('Escape');
    await page.locator('.reopen').click();
    await addRule(page);
    assert.is(await page.locator(dialog).count(), 1);
    edit(agentFile, 'difficulty: none', 'difficulty: easy');
    await page.locator('dialog').waitFor({ state: 'detached' });
    await removeRule(page);
  }));

test('sees the errors of settings and templates, and the page again once they are fixed', () =>
  onPage('/agents/one', async (page) => {
    const settings = fileOf('catalog.config.json');
    edit(settings, '"language": "en"', '"language": "en');
    assert.match(await shown(page, dialog, /error/), 'catalog.config.json:');
    edit(settings, '"language": "en', '"language": "en"');
    await page.locator('dialog').waitFor({ state: 'detached' });

    const template = fileOf('templates/agent.hbs');
    mkdirSync(fileOf('templates'));
    writeFileSync(template, '<h1>{{agent.titel}}</h1>');
    assert.match(await shown(page, dialog, /error/), 'The template uses `agent.titel`, which does not exist here.');
    writeFileSync(template, '<h1>Own: {{agent.title}}</h1>');
    await textOf(page, 'h1', /Own: The one agent/);
    assert.is(await page.locator('dialog').count(), 0);
    rmSync(fileOf('templates'), { recursive: true });
    await textOf(page, 'h1', /^The one agent/);
  }));

test('sees changed styles without a reload', () =>
  onPage('/agents/one', async (page) => {
    await stamp(page);
    await addRule(page);
    assert.ok(await isSame(page));
    await removeRule(page);
  }));

test('sees which agents are not published yet, and what the rules say about one, as it is saved', () =>
  onPage('/', async (page) => {
    const badges = await page.locator('.dev-badge .badge').allInnerTexts();
    assert.equal([...new Set(badges)].sort(), ['Draft', 'Due 2026-03-01']);
    assert.is(await page.locator(panel).count(), 0);
    await page.goto(`${preview.address}/agents/sketch`);
    assert.is(await page.locator('h1 .dev-badge .badge').innerText(), 'Draft');
    const styles = await page.evaluate(() => [...document.styleSheets].map(({ href }) => new URL(href ?? '').pathname));
    assert.equal(styles, ['/assets/style.css'], 'no rule of the preview reaches the page');
    const seen = await shown(page, `${panel} summary`, /Checks/);
    assert.match(seen, /^Checks: all \d+ passed$/);
    await page.locator(`${panel} summary`).click();
    assert.match(await page.locator(`${panel} .passed`).innerText(), /^Passed: [a-z-]+(?:, [a-z-]+)+$/);
    edit(fileOf('agents/sketch/agent.md'), /excerpt: .*/, 'excerpt: Too short.');
    assert.match(await shown(page, panel, /1 to fix/), 'editorial/excerpt');
    assert.ok(await page.locator(`${panel} li pre`).isVisible(), 'the panel was closed');
    edit(fileOf('agents/sketch/agent.md'), 'draft: true\n', '');
    await page.locator('h1 .dev-badge', { hasText: 'Due 2026-03-02' }).waitFor();
  }));

test.run();
