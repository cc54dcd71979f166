/// <reference lib="dom" />
import type { Browser, BrowserContextOptions, Page } from 'playwright-core';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { fillIn } from '../../src/agent-text/fill-in.ts';
import { contentType } from '../../src/outputs/index.ts';
import {
  complaintsOf,
  focusOf,
  launchBrowser,
  type ServedSite,
  serveSite,
  tabTo,
  textOf,
  withPage,
} from '../support/browser.ts';
import { inFolder } from '../support/catalog.ts';
import { loud } from '../support/loud.ts';
import { newer, publication, renderRichCatalog, rich, writeRichCatalog } from '../support/rich-catalog.ts';
import { differences, type Expected, readHtml } from '../support/surfaces/reader.ts';

/** What a reader does on the site, in a real browser. */

const test = suite('a reader with a browser');

let browser: Browser;
let site: ServedSite;
const complaints: string[] = [];
const agent = '/agents/dependency-bump-judge';

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

/** Runs `use` with a new page, and collects the errors that it logs. */
async function onPage(path: string, use: (page: Page) => Promise<void>, options: BrowserContextOptions = {}) {
  const context = await browser.newContext({ permissions: ['clipboard-read', 'clipboard-write'], ...options });
  context.setDefaultTimeout(10_000);
  const page = await context.newPage();
  const heard = complaintsOf(page);
  try {
    await page.goto(site.address + path);
    await use(page);
  } catch (error) {
    throw withPage(error, page.url(), await page.content());
  } finally {
    await context.close();
  }
  complaints.push(...heard);
}

const clipboardOf = (page: Page) => page.evaluate(() => navigator.clipboard.readText());
const promptOf = async (slug: string) => (await fetch(`${site.address}/agents/${slug}/prompt.txt`)).text();
const resultsOf = (page: Page) => page.locator('.result-list h3').allTextContents();

test('goes the whole way by keyboard: search, choose, read, copy, vote', async () => {
  await onPage('/', async (page) => {
    await page.keyboard.press('Tab');
    assert.match(await focusOf(page), 'Skip');
    await page.keyboard.press('/');
    await page.keyboard.type('dependency');
    await textOf(page, '.results-count', /found/);
    await page.keyboard.press('ArrowDown');
    const title = await focusOf(page);
    await page.keyboard.press('Enter');
    await page.waitForURL(`**${agent}`);
    assert.is(await page.locator('h1').textContent(), title);

    await tabTo(page, '[data-copy="prompt-text"]');
    await page.keyboard.press('Enter');
    await textOf(page, '[data-copy="prompt-text"]', /Copied/);
    assert.is(await clipboardOf(page), await promptOf('dependency-bump-judge'));

    await tabTo(page, '[data-move="toggle"]');
    await page.keyboard.press('ArrowRight');
    assert.is(await page.locator('[aria-current="step"]').count(), 1);

    const before = site.linesOf('votes').length;
    await tabTo(page, '.vote textarea');
    await page.keyboard.type('By hand');
    await tabTo(page, '.vote button[value="yes"]');
    await page.keyboard.press('Enter');
    await textOf(page, '.vote .form-message', /recorded/);
    const { slug, vote, note } = site.linesOf('votes')[before] ?? {};
    assert.equal({ slug, vote, note }, { slug: 'dependency-bump-judge', vote: 'yes', note: 'By hand' });
    assert.is(await page.evaluate(() => document.activeElement?.textContent), 'Yes', 'the focus stays');
  });
});

test('finds agents while typing, and puts the search into the address', async () => {
  await onPage('/', async (page) => {
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
    await other.close();

    await field.fill('xyzzy');
    await textOf(page, '.results-count', /No agents found/);
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
  await onPage('/', async (page) => {
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
  await onPage('/', async (page) => {
    await page.locator('#search').focus();
    await page.locator('#search').fill('te');
    await textOf(page, '.results-count', /at least three letters/);
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
  });
});

test('narrows with filters, which the back button undoes one by one', async () => {
  await onPage('/', async (page) => {
    const choose = async (name: string, value: string, search: string) => {
      await page.locator(`[name="${name}"]`).selectOption(value);
      await page.waitForFunction((wanted) => location.search === wanted, search);
      await textOf(page, '.results-count', /found/);
      return resultsOf(page);
    };
    const inCategory = await choose('category', 'coding', '?category=coding');
    const ofAll = ((await (await fetch(`${site.address}/api/agents.json`)).json()) as { agents: Agent[] }).agents;
    const expected = ofAll.filter(({ category }) => category === 'coding');
    assert.equal(inCategory, titlesOf(expected), 'newest first');
    const [{ difficulty, runtimes }] = expected as [Agent];
    const narrowed = await choose('difficulty', difficulty, `?category=coding&difficulty=${difficulty}`);
    assert.equal(narrowed, titlesOf(expected.filter((one) => one.difficulty === difficulty)));

    await page.goBack();
    await page.waitForFunction(() => location.search === '?category=coding');
    assert.equal(await resultsOf(page), inCategory);
    assert.is(await page.locator('[name="difficulty"]').inputValue(), '');
    await page.goBack();
    await page.waitForFunction(() => location.search === '');
    assert.is(await page.locator('[data-results]').isHidden(), true);

    const [runtime = ''] = runtimes;
    const [tag = ''] = (ofAll[0] as Agent).tags;
    await page.goto(`${site.address}/?runtime=${encodeURIComponent(runtime)}&tag=${tag}`);
    await textOf(page, '.results-count', /found/);
    const both = ofAll.filter((one) => one.runtimes.includes(runtime) && one.tags.includes(tag));
    assert.equal(await resultsOf(page), titlesOf(both));
    assert.is(await page.locator('[name="tag"]').inputValue(), tag);
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
  await onPage(agent, async (page) => {
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

test('is told if the browser does not allow the page to copy, and finds the text selected', async () => {
  await onPage(agent, async (page) => {
    await page.evaluate(() => {
      navigator.clipboard.writeText = () => Promise.reject(new Error('refused'));
    });
    await page.locator('[data-copy="prompt-text"]').first().click();
    await textOf(page, '[data-copy="prompt-text"] + .copy-status', /Ctrl\+C/);
    assert.is(
      await page.evaluate(() => getSelection()?.toString().trim()),
      (await promptOf('dependency-bump-judge')).trim(),
    );
  });
});

test('copies the prompt with their own input, and opens it in an assistant', async () => {
  await onPage(agent, async (page) => {
    const prompt = await promptOf('dependency-bump-judge');
    await page.locator('#own-input').fill('left-pad 1.0.0 to 2.0.0');
    await page.locator('.fill-in button').click();
    await textOf(page, '.fill-in .copy-status', /Copied/);
    const filled = fillIn(prompt, 'left-pad 1.0.0 to 2.0.0');
    assert.is(await clipboardOf(page), filled);

    const claude = page.locator('.open-in a', { hasText: 'Claude' });
    const link = new URL((await claude.getAttribute('href')) ?? '');
    assert.is(link.origin + link.pathname, 'https://claude.ai/new');
    assert.is(link.searchParams.get('q'), filled);
  });
});

test('is told that a prompt is too long for a link, which then copies it first', async () => {
  await onPage(agent, async (page) => {
    await page.context().route('https://**', (route) => route.fulfill({ body: 'An assistant' }));
    const long = 'word '.repeat(2_000);
    await page.locator('#own-input').fill(long);
    await textOf(page, '.open-in-status', /will be copied/);
    const [opened] = await Promise.all([
      page.context().waitForEvent('page'),
      page.locator('.open-in a', { hasText: 'ChatGPT' }).click(),
    ]);
    await opened.waitForURL('https://chatgpt.com/');
    await opened.close();
    await textOf(page, '.open-in-status', /Paste it into ChatGPT/);
    assert.is(await clipboardOf(page), fillIn(await promptOf('dependency-bump-judge'), long));
  });
});

test('steps through the demo and plays it', async () => {
  await onPage(agent, async (page) => {
    const moments = await page.locator('[data-second] strong').allTextContents();
    const current = () => page.locator('[aria-current="step"] strong').textContent();
    const toggle = page.locator('[data-move="toggle"]');
    await page.locator('[data-move="next"]').click();
    assert.is(await current(), moments[0]);
    await page.keyboard.press('End');
    assert.is(await current(), moments.at(-1));
    await page.keyboard.press('ArrowLeft');
    assert.is(await current(), moments.at(-2));
    assert.match(await textOf(page, '.timeline-status', /./), `${moments.length - 1} of ${moments.length}`);
    await page.keyboard.press('Home');
    await toggle.focus();
    await page.keyboard.press('Space');
    assert.is(await toggle.textContent(), 'Pause');
    await page.waitForFunction(
      (first) => document.querySelector('[aria-current="step"] strong')?.textContent !== first,
      moments[0],
    );
    await page.keyboard.press('Space');
    assert.match((await toggle.textContent()) ?? '', /^Play/);
  });
});

test('votes once however often Enter is pressed, and sees the vote later', async () => {
  await onPage('/agents/claim-ladder', async (page) => {
    const before = site.linesOf('votes').length;
    let release = () => {};
    const held = new Promise<void>((done) => {
      release = done;
    });
    await page.route('**/api/feedback', async (route) => {
      await held;
      await route.continue();
    });
    const no = page.locator('.vote button[value="no"]');
    await no.focus();
    await page.keyboard.press('Enter');
    await page.keyboard.press('Enter');
    await textOf(page, '.vote .form-message', /Sending/);
    assert.is(await no.isDisabled(), true);
    release();
    await textOf(page, '.vote .form-message', /recorded/);
    assert.is(site.linesOf('votes').length, before + 1);
    await page.reload();
    assert.is(await textOf(page, '.vote .form-message', /./), 'You voted no.');
    assert.is(await no.getAttribute('aria-pressed'), 'true');
  });
});

test('subscribes', async () => {
  await onPage('/about', async (page) => {
    await page.locator('#subscribe-email').fill('ada@example.com');
    await page.keyboard.press('Enter');
    await textOf(page, '.subscribe .form-message', /Thanks/);
    const { email, list } = site.linesOf('signups').at(-1) ?? {};
    assert.equal({ email, list }, { email: 'ada@example.com', list: 'daily' });
  });
});

test('copies a config, and downloads it under the name that it needs', async () => {
  await onPage(agent, async (page) => {
    await page.locator('[data-copy="config-text"]').click();
    const response = await fetch(`${site.address}${agent}/config.json`);
    await textOf(page, '[data-copy="config-text"]', /Copied/);
    assert.is(await clipboardOf(page), await response.text());
    const link = page.locator('a[download]').first();
    const [download] = await Promise.all([page.waitForEvent('download'), link.click()]);
    assert.is(
      download.suggestedFilename().replace(/^[_.]/, ''),
      (await link.getAttribute('download'))?.replace(/^\./, ''),
    );
  });
});

test('gets no error on the console and nothing blocked by the security policy', () => {
  assert.equal(complaints, []);
});

test.run();
