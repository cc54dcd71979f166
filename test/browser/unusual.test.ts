/// <reference lib="dom" />
import type { BrowserContextOptions, Page } from 'playwright-core';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { searchIndex, searchIndexJson } from '../../src/site/search/search-index.ts';
import { browseCatalog, complaintsOf, focusOf, textOf } from '../support/browser.ts';
import { goodPrompt } from '../support/good-agent.ts';
import { until } from '../support/until.ts';

/** Many results, a search that cannot be loaded, a browser that allows little, and keys for other things. */

const test = suite('a reader in a less common case');

/** The titles of the first three agents have a word that no other has. */
const agents = Array.from({ length: 4 }, (_, index) => ({
  slug: `agent-${index + 1}`,
  date: `2026-01-0${index + 1}`,
  front: {
    title: index < 3 ? `Zebra list ${index + 1}` : `Plain list ${index + 1}`,
    issue: String(index + 1),
    formerSlugs: `[former-agent-${index + 1}]`,
  },
}));
/** The search index of a catalog with 45 agents. */
const largeIndex = searchIndexJson(
  searchIndex(
    Array.from({ length: 45 }, (_, index) => {
      const document = { slug: `agent-${index}`, title: `List ${index}`, issue: index, date: '2026-01-01' };
      return {
        document: { ...document, ...{ excerpt: '', problem: '', steps: [], tags: [], runtimes: [] } } as never,
        changedOn: '2026-01-01',
      };
    }),
  ),
);
const permissions = ['clipboard-read', 'clipboard-write'];
const { address, look, visit } = browseCatalog(test, agents, { permissions });

const copyRefused = (page: Page) =>
  page.evaluate(() => {
    navigator.clipboard.writeText = () => Promise.reject(new Error('refused'));
  });

/** The text that a page offers, and the part of it that is selected. */
const selectionIn = (page: Page) =>
  page.getByRole('textbox', { name: 'The text to copy' }).evaluate((element) => {
    const { value, selectionStart, selectionEnd } = element as HTMLTextAreaElement;
    return [value, value.slice(selectionStart, selectionEnd)];
  });

test('sees 20 results at first, and gets to the next 20, and then to the last, with "Show more"', async () => {
  await look('/archive', {}, async (page) => {
    await page.route('**/search-index.json', (route) => route.fulfill({ body: largeIndex }));
    await page.locator('#search').fill('list');
    await textOf(page, '.results-count', /^45 agents found$/);
    assert.equal(await page.locator('#suggestions a').count(), 7);
    assert.is(await page.locator('#suggestions a').last().textContent(), 'Show all 45 agents');
    await page.locator('#search').press('Enter');
    await textOf(page, 'main .results-count', /^45 agents found$/);
    const titles = page.locator('.result-list h3');
    const more = page.locator('.more-results');
    assert.is(await titles.count(), 20);
    for (const [count, shown] of [
      [20, 40],
      [40, 45],
    ] as const) {
      await more.click();
      assert.is(await titles.count(), shown);
      assert.is(await focusOf(page), await titles.nth(count).textContent());
    }
    assert.is(new Set(await titles.allTextContents()).size, 45);
    assert.is(await more.isVisible(), false);
    // A link within the page changes neither the list nor what the reader is typing.
    await page.locator('#search').fill('half a sen');
    await page.locator('.skip').press('Enter');
    await page.waitForURL('**#content');
    assert.equal([await titles.count(), await page.locator('#search').inputValue()], [45, 'half a sen']);
  });
});

test('finds the place in many results again after "Back" and after a reload', async () => {
  await look('/archive?q=list', {}, async (page) => {
    await page.route('**/search-index.json', (route) => route.fulfill({ body: largeIndex }));
    await page.reload();
    await textOf(page, 'main .results-count', /^45 agents found$/);
    await page.locator('.more-results').click();
    const [titles, seen] = [page.locator('.result-list h3'), page.locator('.result-list > li').nth(35)];
    await seen.evaluate((result) => result.scrollIntoView({ behavior: 'instant', block: 'center' }));
    const place = await page.evaluate(() => scrollY);
    for (const leave of [() => page.goto(`${address()}/about`).then(() => page.goBack()), () => page.reload()]) {
      await leave();
      await textOf(page, 'main .results-count', /^45 agents found$/);
      assert.is(await titles.count(), 40);
      await until(async () => Math.abs((await page.evaluate(() => scrollY)) - place) < 5);
    }
  });
});

test('is told how many agents have only some of the words, and sees no results for a space', async () => {
  await look('/archive', {}, async (page) => {
    await page.locator('#search').fill('zebra xyzzy');
    await textOf(page, '.results-count', /^No agent has every word\. 3 agents found with some of them\.$/);
    await page.locator('#search').fill(' ');
    await page.locator('#suggestions').waitFor({ state: 'hidden' });
  });
});

test('is told that the search cannot be loaded, gets to the archive with Enter, and can try again', async () => {
  await look('/about', {}, async (page) => {
    await page.route('**/search-index.json', (route) => route.abort());
    const field = page.locator('#search');
    await field.fill('zebra');
    const says = (rest: string) => page.locator('.results-count', { hasText: `Search failed to load. ${rest}` });
    let message = says('Press Enter to open the archive.');
    await message.waitFor();
    assert.is(await message.isVisible(), true);
    await field.fill('');
    await message.waitFor({ state: 'detached' });
    await field.fill('zebra');
    await message.waitFor();
    await page.keyboard.press('Enter');
    await page.waitForURL(`${address()}/archive?q=zebra`);
    message = says('Below is the whole archive.');
    await message.waitFor();
    assert.ok(await page.getByRole('link', { name: 'Zebra list 1' }).isVisible(), 'all agents are listed again');
    await page.unroute('**/search-index.json');
    await field.fill('zebra list 2');
    await textOf(page, '.results-count', /^3 agents found$/);
    assert.is(await field.inputValue(), 'zebra list 2', 'what the reader typed stays');

    await page.route('**/assets/search.js*', (route) => route.abort());
    await page.reload();
    await message.waitFor();

    await page.goto(`${address()}/archive`);
    await page.locator('[name="category"]').selectOption('coding');
    await message.waitFor();
    await page.locator('[name="category"]').selectOption('');
    await message.waitFor({ state: 'detached' });
    await page.unroute('**/assets/search.js*');
    await page.locator('[name="category"]').selectOption('coding');
    await textOf(page, 'main .results-count', /^4 agents found$/);
  });
});

test('replaces the last search after Ctrl+K, and keeps keys that mean something else', async () => {
  await look('/agents/agent-1', {}, async (page) => {
    const field = page.locator('#search');
    await field.fill('zebra');
    await textOf(page, '.results-count', /found/);
    // An input method uses Escape to drop the letters that are being composed.
    await field.evaluate((element) =>
      element.dispatchEvent(new KeyboardEvent('keydown', { key: 'Escape', bubbles: true, isComposing: true })),
    );
    assert.is(await field.inputValue(), 'zebra');
    const idAfter = (key: string) =>
      page.keyboard.press(key).then(() => page.evaluate(() => document.activeElement?.id));
    await page.locator('#own-input-1').focus();
    assert.is(await idAfter('Control+k'), 'own-input-1', 'deletes to the end of the line on macOS');
    await page.locator('[data-copy="prompt-text"]').focus();
    // Characters alone are pressed by accident, and dictated (WCAG 2.1.4).
    for (const key of ['/', 'k', 'Alt+k', 'Control+Shift+k', 'Control+Alt+k']) assert.is(await idAfter(key), '', key);
    assert.is(await idAfter('Control+K'), 'search');
    await page.locator('.switch input').first().focus();
    assert.is(await idAfter('Meta+k'), 'search');
    await page.keyboard.type('plain');
    await textOf(page, '.results-count', /^1 agent found$/);
    assert.is(await field.inputValue(), 'plain');
  });
});

test('reads "Copied" for two seconds after the last copy, and then the label of the button again', async () => {
  await visit('/agents/agent-1', {}, async (page) => {
    await page.clock.install({ time: '2031-05-05T12:00:00Z' });
    // Otherwise, the clock of the page also runs on its own.
    await page.clock.pauseAt('2031-05-05T13:00:00Z');
    const button = page.locator('[data-copy="prompt-text"]');
    const shown = async () => [
      await button.textContent(),
      await page.locator('[data-copy="prompt-text"] + .copy-status').textContent(),
      await button.getAttribute('data-copied'),
    ];
    const copied = ['Copied the prompt', 'Copied to the clipboard.', ''];
    await button.click();
    await textOf(page, '[data-copy="prompt-text"] + .copy-status', /Copied/);
    assert.equal(await shown(), copied);
    await page.clock.runFor(1_500);
    await button.click();
    // The second copy takes a moment.
    await page.evaluate(() => navigator.clipboard.readText());
    await page.clock.runFor(1_500);
    assert.equal(await shown(), copied);
    await page.clock.runFor(1_000);
    assert.equal(await shown(), ['Copy the prompt', '', null]);
  });
});

test('sees nothing move when a button says "Copied"', async () => {
  const places = (page: Page) =>
    page.evaluate(() =>
      // What is sticky moves when the browser scrolls to the button.
      [...document.querySelectorAll('main :is(button, a, p, pre):not(.contents *, .send *)')]
        .filter((element) => element.checkVisibility())
        .map((element) => {
          const { x, y, width } = element.getBoundingClientRect();
          return [x + scrollX, y + scrollY, width].map(Math.round).join();
        }),
    );
  for (const [path, button] of [
    ['/', '.actions .copy'],
    ['/agents/agent-1', '.plate [data-copy="prompt-text"]'],
  ] as const) {
    for (const width of [1440, 390]) {
      const use = async (page: Page) => {
        const before = await places(page);
        await page.locator(button).click();
        await page.locator(`${button}[data-copied]`).waitFor();
        assert.equal(await places(page), before, `${path} at ${width}`);
      };
      await look(path, { viewport: { width, height: 900 } }, use);
    }
  }
});

const phone = { viewport: { width: 360, height: 640 }, isMobile: true, hasTouch: true };
const machines: [how: string, machine: BrowserContextOptions][] = [
  ['press ⌘C', { userAgent: 'Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7)' }],
  ['press Ctrl+C', { userAgent: 'Mozilla/5.0 (X11; Linux x86_64)' }],
  [
    'touch and hold it, then choose Copy',
    { ...phone, userAgent: 'Mozilla/5.0 (iPhone; CPU iPhone OS 18_0 like Mac OS X)' },
  ],
  ['touch and hold it, then choose Copy', { ...phone, userAgent: 'Mozilla/5.0 (Linux; Android 15)' }],
];
test('sees the text selected and how to copy it on their machine, if the page may not copy', async () => {
  for (const [how, machine] of machines) {
    await visit('/agents/agent-1', machine, async (page) => {
      await copyRefused(page);
      await page.locator('[data-copy="prompt-text"]').click();
      const said = `The browser does not allow this page to copy. The text is selected: ${how}.`;
      assert.is(await textOf(page, '[data-copy="prompt-text"] + .copy-status', /./), said);
      assert.equal(await selectionIn(page), [goodPrompt, goodPrompt]);
      // The page glides to the field.
      const isSeen = () =>
        page.locator('.offered').evaluate((field) => {
          const { top, bottom, left, right } = field.getBoundingClientRect();
          return top >= 0 && bottom <= innerHeight && left >= 0 && right <= innerWidth;
        });
      await until(isSeen);
    });
  }
});

test('finds a prompt that is too long for a link selected, if the page may not copy it', async () => {
  await look('/agents/agent-1', {}, async (page) => {
    await copyRefused(page);
    await page.locator('#own-input-1').fill('word '.repeat(2_000));
    await page.locator('.open-in a', { hasText: 'ChatGPT' }).click();
    await textOf(page, '.open-in-status', /Copy the selected text into ChatGPT\.$/);
    const [value = '', selected] = await selectionIn(page);
    assert.match(value, /^Find the rows .*word word/s);
    assert.is(selected, value);
    assert.is(await page.locator('.offered').getAttribute('readonly'), '');
    assert.is(await page.locator('.offered').evaluate((field) => field.scrollTop), 0, 'it shows the start');
    assert.is(await focusOf(page), 'The text to copy');
    assert.is(page.context().pages().length, 1, 'nothing opens before the reader has the prompt');
  });
});

test('gets an assistant that knows nothing of this page, also after a prompt was copied for it', async () => {
  await visit('/agents/agent-1', {}, async (page) => {
    await page.context().route('https://**', (route) => route.fulfill({ body: 'An assistant' }));
    await page.locator('#own-input-1').fill('word '.repeat(2_000));
    const [opened] = await Promise.all([
      page.context().waitForEvent('page'),
      page.locator('.open-in a', { hasText: 'ChatGPT' }).click(),
    ]);
    await opened.waitForURL('https://chatgpt.com/');
    assert.is(await opened.evaluate(() => window.opener), null);
  });
});

test('passes the ways to install with one press of Tab, on the chosen one', async () => {
  await look('/agents/agent-1', {}, async (page) => {
    const tabs = page.getByRole('tab');
    const stops = () => tabs.evaluateAll((all) => all.map((tab) => (tab as HTMLElement).tabIndex));
    const count = await tabs.count();
    assert.equal(await stops(), [0, ...Array(count - 1).fill(-1)]);
    await tabs.nth(2).click();
    assert.equal(await stops(), [-1, -1, 0, ...Array(count - 3).fill(-1)]);
    // The key moves to the tab on its side, also on a page that is written from right to left.
    for (const [direction, chosen] of Object.entries({ ltr: 3, rtl: 2 })) {
      await page.evaluate((dir) => document.documentElement.setAttribute('dir', dir), direction);
      await page.locator('[role="tab"][aria-selected="true"]').focus();
      await page.keyboard.press('ArrowRight');
      assert.is(await tabs.nth(chosen).getAttribute('aria-selected'), 'true', direction);
    }
  });
});

test('sees no vote that was sent to another server for an agent of the same name', async () => {
  await look('/agents/agent-1', {}, async (page) => {
    await page.locator('.vote button[value="yes"]').click();
    await textOf(page, '.vote .form-message', /recorded/);
    const html = await (await fetch(page.url())).text();
    const elsewhere = html.replaceAll('action="/api/feedback"', 'action="/other/api/feedback"');
    assert.not.equal(elsewhere, html);
    await page.route('**/agents/agent-1', (route) => route.fulfill({ body: elsewhere, contentType: 'text/html' }));
    await page.reload();
    await page.locator('.vote button[aria-pressed="false"]').first().waitFor();
    assert.is(await page.locator('.vote .form-message').textContent(), '');
    assert.is(await page.locator('.vote button[aria-pressed="true"]').count(), 0);
  });
});

test('sees the vote selected that an email names, also if the agent was renamed since', async () => {
  await look('/agents/former-agent-4?vote=yes#verdict', {}, async (page) => {
    await textOf(page, '.vote .form-message', /^To send your vote, press Yes again here\.$/);
    assert.match(page.url(), /\/agents\/agent-4\?vote=yes#verdict$/);
  });
});

test('sees no vote that is none, such as of a later version of the page', async () => {
  await look('/agents/agent-1', {}, async (page) => {
    await page.evaluate(() => localStorage.setItem(`vote ${location.origin}/api/feedback agent-1`, '{"vote":"yes"}'));
    await page.reload();
    assert.is(await page.locator('.vote .form-message').textContent(), '');
    await page.locator('.vote button[value="no"]').click();
    await textOf(page, '.vote .form-message', /\(no\) was recorded/);
  });
});

test('sees how others voted if the server can tell, and nothing else', async () => {
  await look('/agents/agent-1', {}, async (page) => {
    for (const [totals, shown] of [
      [{ totals: { 'agent-1': { yes: 4, no: 1 } } }, 'So far: 4 yes, 1 no'],
      [{ totals: { 'agent-1': { yes: '<b>4</b>' } } }, ''],
      ['Sorry', ''],
    ] as const) {
      await page.route('**/api/votes.json', (route) => route.fulfill({ json: totals }));
      const answered = page.waitForResponse('**/api/votes.json');
      await page.reload();
      await page.locator('.vote').scrollIntoViewIfNeeded();
      await answered;
      if (shown !== '') await textOf(page, '.vote-totals', /yes/);
      assert.is(await page.locator('.vote-totals').textContent(), shown);
      await page.unroute('**/api/votes.json');
    }
  });
});

test('keeps what is typed while a vote is on its way, and can subscribe meanwhile without losing the focus', async () => {
  await look('/agents/agent-1', {}, async (page) => {
    await page.locator('.vote button[value="yes"]').click();
    await textOf(page, '.vote .form-message', /was recorded/);
    let answer = () => {};
    const held = new Promise<void>((resolve) => {
      answer = resolve;
    });
    await page.route('**/api/feedback', async (route) => {
      await held;
      await route.continue();
    });
    await page.locator('#vote-note').fill('A first thought');
    await page.locator('.send-note').click();
    await textOf(page, '.vote .form-message', /^Sending …$/);
    await page.locator('#vote-note').fill('A second thought');
    await page.locator('#subscribe-email').fill('ada@example.com');
    await page.keyboard.press('Enter');
    await textOf(page, '.subscribe .form-message', /^Thanks/);
    assert.is(await page.locator('.vote button[value="no"]').isEnabled(), false, 'the vote still waits');
    answer();
    await textOf(page, '.vote .form-message', /and your note were recorded/);
    assert.is(await page.locator('#vote-note').inputValue(), 'A second thought');
    assert.is(await focusOf(page), 'Your email address');
  });
});

test('is told what to do if the script of a page never arrives, and sees no huge mark without its styles', async () => {
  for (const path of ['/agents/agent-1', '/archive']) {
    await visit(path, {}, async (page) => {
      const message = page.locator('.not-loaded');
      assert.is(await message.isVisible(), false);
      await page.route('**/assets/site.js*', (route) => route.abort());
      await page.reload();
      assert.is(await message.isVisible(), false, 'the script may still arrive');
      await page.evaluate(() => document.getAnimations().map((animation) => animation.finish()));
      assert.match(await message.innerText(), /has not loaded\. Reload the page/);
      const [own, room] = [await message.boundingBox(), await message.locator('..').boundingBox()];
      assert.ok(own && room && own.width <= room.width, JSON.stringify([own, room]));
      await page.route('**/assets/style.css*', (route) => route.abort());
      await page.reload();
      assert.is((await page.locator('.search-mark').boundingBox())?.width, 20);
    });
  }
});

test('can use the other parts of a page if one does not start, which is reported on the console', async () => {
  await visit('/about', {}, async (page) => {
    await page.context().addInitScript(() => {
      const original = Document.prototype.querySelectorAll;
      Document.prototype.querySelectorAll = function (this: Document, selector: string) {
        if (selector === '[data-open-in]') throw new Error('broken');
        return original.call(this, selector);
      } as typeof original;
      // Firefox before version 119 knows them only as attributes.
      for (const name of Object.getOwnPropertyNames(Element.prototype))
        if (/^(?:role|aria)/.test(name)) Reflect.deleteProperty(Element.prototype, name);
    });
    const complaints = complaintsOf(page);
    await page.goto(`${address()}/agents/agent-1`);
    assert.is(await page.getByRole('tab', { selected: true }).count(), 1);
    await page.locator('.vote button[value="yes"]').click();
    await textOf(page, '.vote .form-message', /recorded/);
    await page.locator('#search').fill('zebra');
    await textOf(page, '.results-count', /found/);
    await page.keyboard.press('ArrowDown');
    assert.is(await page.getByRole('option', { selected: true }).count(), 1);
    assert.equal(complaints, [`${page.url()}: broken`]);
  });
});

test('can fill in a prompt without an error in a browser without storage', async () => {
  await visit('/about', {}, async (page) => {
    await page.context().addInitScript(() => Object.defineProperty(globalThis, 'localStorage', { value: null }));
    const complaints = complaintsOf(page);
    await page.goto(`${address()}/agents/agent-1`);
    await page.locator('#own-input-1').fill('a;1');
    await page.locator('.fill-in [type="submit"]').click();
    await textOf(page, '.fill-in .copy-status', /Copied/);
    const filled = goodPrompt.replace('\n\nRULES\n', '\n\n<input name="ROWS">\na;1\n</input>\n\nRULES\n');
    assert.is(await page.evaluate(() => navigator.clipboard.readText()), filled);
    await page.locator('[data-clear]').click();
    await textOf(page, '.fill-in .copy-status', /^Cleared\.$/);
    assert.equal(complaints, []);
  });
});

test('reads no date of the next agent that is over, on a page that was built before', async () => {
  await look('/about', {}, async (page) => {
    const next = (until: string) => `already use. <span data-until="${until}">Next: ${until}.</span>`;
    for (const [until, line] of [
      ['2099-01-02T00:00:00.000Z', 'already use. Next: 2099-01-02T00:00:00.000Z.'],
      ['2026-01-02T00:00:00.000Z', 'already use.'],
    ] as const) {
      await page.route('**/about', async (route) => {
        const body = (await (await route.fetch()).text()).replace('already use.', next(until));
        await route.fulfill({ body, contentType: 'text/html' });
      });
      await page.reload();
      await page.locator('html.js').waitFor();
      // A link to the subscription follows.
      const shown = (await page.locator('.purpose').textContent())?.replace(/\s+/g, ' ').trim();
      assert.ok(shown?.endsWith(`${line} Subscribe`), shown);
    }
  });
});

test('shares an agent, sees in lists which ones they opened, and can clear these marks', async () => {
  await look('/agents/agent-1', {}, async (page) => {
    await page.getByRole('button', { name: 'Share' }).click();
    await textOf(page, '[data-share] + .copy-status', /Copied/);
    const [title, address] = (await page.evaluate(() => navigator.clipboard.readText())).split('\n');
    assert.equal([title, address?.endsWith('/agents/agent-1')], [await page.locator('h1').textContent(), true]);
    const marks = page.locator('.read-mark');
    await page.goto(new URL('/archive', page.url()).href);
    assert.equal(await marks.allTextContents(), [' opened']);
    // In another tab, and before the browser shows this page again as it was.
    await page
      .context()
      .newPage()
      .then(async (tab) => {
        await tab.goto(new URL('/agents/agent-2', page.url()).href);
        await marks.nth(1).waitFor();
        await page.evaluate((path) => {
          localStorage.setItem('read', `${localStorage.getItem('read')}\n${path}`);
          dispatchEvent(new PageTransitionEvent('pageshow', { persisted: true }));
        }, '/agents/agent-3');
        assert.is(await marks.count(), 3);
        await tab.close();
      });
    await page.locator('#search').fill('zebra');
    await page.locator('#suggestions a').first().waitFor();
    await page.locator('#search').press('Enter');
    assert.equal(await page.locator('.result-list .read-mark').count(), 3);
    await page.locator('#search').fill('');
    await page.getByRole('button', { name: /Clear the marks/ }).click();
    assert.equal(await page.evaluate(() => localStorage.getItem('read')), null);
    assert.is(await marks.count(), 0);
    await page.reload();
    assert.is(await marks.count(), 0);
    // An agent that is on another page of a long archive.
    await page.evaluate(() => localStorage.setItem('read', '/agents/of-last-year'));
    await page.reload();
    await page.getByRole('button', { name: /Clear the marks/ }).click();
    assert.is(await page.locator('.forget-read').isVisible(), false);
  });
});

test.run();
