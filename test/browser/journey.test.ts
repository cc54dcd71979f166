/// <reference lib="dom" />
import type { Page } from 'playwright-core';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { fillIn } from '../../src/text/prompt-text.ts';
import { focusOf, tabTo, textOf } from '../support/browser.ts';
import { loud } from '../support/loud.ts';
import { openReader, type Reader } from '../support/site-reader.ts';

/** What a reader does on the site, in a real browser. */

const test = suite('a reader with a browser');

let reader: Reader;
const agent = '/agents/dependency-bump-judge';

test.before(
  loud(async () => {
    reader = await openReader();
  }),
);
test.after(loud(() => reader?.close()));

const clipboardOf = (page: Page) => page.evaluate(() => navigator.clipboard.readText());
const promptOf = async (slug: string) => (await fetch(`${reader.site.address}/agents/${slug}/prompt.txt`)).text();

test('goes the whole way by keyboard: search, choose, read, copy, vote', async () => {
  await reader.onPage('/', async (page) => {
    await page.keyboard.press('Tab');
    assert.match(await focusOf(page), 'Skip');
    await page.keyboard.press('Control+k');
    await page.keyboard.type('dependency');
    await textOf(page, '.results-count', /found/);
    await page.keyboard.press('ArrowDown');
    const title = await page.locator('[aria-selected="true"] .suggestion-title').textContent();
    await page.keyboard.press('Enter');
    await page.waitForURL(`**${agent}`);
    assert.is(await page.locator('h1').textContent(), title);

    await tabTo(page, '[data-copy="prompt-text"]');
    await page.keyboard.press('Enter');
    await textOf(page, '[data-copy="prompt-text"]', /Copied/);
    assert.is(await clipboardOf(page), await promptOf('dependency-bump-judge'));

    const before = reader.site.linesOf('votes').length;
    await tabTo(page, '.vote button[value="yes"]');
    await page.keyboard.press('Enter');
    await textOf(page, '.vote .form-message', /recorded/);
    assert.is(await page.evaluate(() => document.activeElement?.textContent), 'Yes', 'the focus stays');
    await tabTo(page, '.vote textarea');
    await page.keyboard.type('By hand');
    await tabTo(page, '.send-note');
    await page.keyboard.press('Enter');
    await textOf(page, '.vote .form-message', /and your note/);
    const { slug, vote, note } = reader.site.linesOf('votes')[before + 1] ?? {};
    assert.equal({ slug, vote, note }, { slug: 'dependency-bump-judge', vote: 'yes', note: 'By hand' });
  });
});

test('finds the next page already fetched while the pointer is on its link', async () => {
  await reader.onOwnPage('/', async (page) => {
    const client = await page.context().newCDPSession(page);
    const ready = new Promise<string>((resolve) => {
      client.on('Preload.prefetchStatusUpdated', ({ status, prefetchUrl }) => {
        if (status === 'Ready') resolve(new URL(prefetchUrl).pathname);
      });
    });
    await client.send('Preload.enable');
    await page.locator('.main-navigation a', { hasText: 'Archive' }).hover();
    assert.is(await ready, '/archive');
    // Firefox has no speculation rules. It would block a link to prefetch, by default-src, and report each as an error.
    await page.addInitScript('HTMLScriptElement.supports = () => false');
    await page.goto(page.url());
    await page.locator('.main-navigation a', { hasText: 'About' }).hover();
    assert.is(await page.locator('link[rel="prefetch"]').count(), 0);
  });
});

test('is told if the browser does not allow the page to copy, and finds the text selected', async () => {
  await reader.onPage(agent, async (page) => {
    await page.evaluate(() => {
      navigator.clipboard.writeText = () => Promise.reject(new Error('refused'));
    });
    await page.locator('[data-copy="prompt-text"]').first().click();
    await textOf(page, '[data-copy="prompt-text"] + .copy-status', /Ctrl\+C/);
    assert.is(await page.locator('textarea.offered').inputValue(), await promptOf('dependency-bump-judge'));
    for (const text of ['left-pad', 'right-pad']) {
      await page.locator('#own-input-1').fill(text);
      await page.locator('.fill-in [type="submit"]').click();
      await textOf(page, '.fill-in .copy-status', /Ctrl\+C/);
    }
    const offered = await page
      .locator('textarea.offered')
      .evaluateAll((all) => all.map((one) => 'value' in one && one.value));
    assert.equal(offered, [fillIn(await promptOf('dependency-bump-judge'), [{ name: 'LOCK', text: 'right-pad' }])]);
  });
});

test('copies the prompt with their own input, and opens it in an assistant', async () => {
  await reader.onPage(agent, async (page) => {
    const prompt = await promptOf('dependency-bump-judge');
    await page.locator('#own-input-1').fill('left-pad 1.0.0 to 2.0.0');
    await page.locator('.fill-in [type="submit"]').click();
    await textOf(page, '.fill-in .copy-status', /Copied/);
    const filled = fillIn(prompt, [{ name: 'LOCK', text: 'left-pad 1.0.0 to 2.0.0' }]);
    assert.is(await clipboardOf(page), filled);

    const claude = page.locator('.open-in a', { hasText: 'Claude' });
    const link = new URL((await claude.getAttribute('href')) ?? '');
    assert.is(link.origin + link.pathname, 'https://claude.ai/new');
    assert.is(link.searchParams.get('q'), filled);

    // Browsers that translate a page replace its texts, except where it forbids that.
    await page.evaluate(() => {
      const texts = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT, ({ parentElement }) =>
        parentElement?.closest('[translate="no"]') ? NodeFilter.FILTER_REJECT : NodeFilter.FILTER_ACCEPT,
      );
      const originals: Text[] = [];
      while (texts.nextNode()) originals.push(texts.currentNode as Text);
      for (const text of originals) {
        const translated = Object.assign(document.createElement('font'), { textContent: text.data.toUpperCase() });
        text.replaceWith(translated);
      }
    });
    await page.locator('.fill-in [type="submit"]').click();
    await textOf(page, '.fill-in [type="submit"]', /^Copied$/);
    assert.is(await clipboardOf(page), filled);
    assert.is(await page.locator('.install pre font').count(), 0, 'commands stay as they are');
    await page.locator('[role="tab"] font', { hasText: 'CURSOR' }).click();
    assert.is(await page.locator('[role="tab"][aria-selected="true"]').textContent(), 'CURSOR');
  });
});

test('is told that a prompt is too long for a link, which then copies it first', async () => {
  await reader.onOwnPage(agent, async (page) => {
    await page.context().route('https://**', (route) => route.fulfill({ body: 'An assistant' }));
    const long = 'word '.repeat(2_000);
    await page.locator('#own-input-1').fill(long);
    await textOf(page, '.open-in-status', /will be copied/);
    const notice = await page.locator('.open-in-status').evaluateHandle((status) => status.firstChild);
    await page.locator('#own-input-1').pressSequentially('xy');
    assert.ok(await notice.evaluate((node) => node?.isConnected), 'a screen reader does not repeat it for each letter');
    await page.locator('#own-input-1').fill(long);
    const [opened] = await Promise.all([
      page.context().waitForEvent('page'),
      page.locator('.open-in a', { hasText: 'ChatGPT' }).click(),
    ]);
    await opened.waitForURL('https://chatgpt.com/');
    await opened.close();
    await textOf(page, '.open-in-status', /Paste it into ChatGPT/);
    assert.is(await clipboardOf(page), fillIn(await promptOf('dependency-bump-judge'), [{ name: 'LOCK', text: long }]));
  });
});

test('opens the prompt by a link while the whole address is within the limit of the assistant', async () => {
  await reader.onPage(agent, async (page) => {
    const links = page.locator('.open-in a:not([data-prefill=""])');
    const addresses = () => links.evaluateAll((all) => all.map((link) => link.getAttribute('href') ?? ''));
    const homes = [
      'https://claude.ai/new',
      'https://chatgpt.com/',
      'https://github.com/copilot',
      'https://cursor.com/',
      'https://www.perplexity.ai/',
    ];
    await page.locator('#own-input-1').fill('x');
    const short = await addresses();
    for (const [index, { length }] of short.entries()) {
      // The shorter the assistant's own part of the address, the longer the input may be.
      const input = 1 + 8_000 - length;
      for (const more of [0, 1]) {
        await page.locator('#own-input-1').fill('x'.repeat(input + more));
        const expected = short.map((address, at) =>
          address.length + input + more - 1 <= 8_000 ? address.length + input + more - 1 : homes[at],
        );
        const found = (await addresses()).map((address) => (homes.includes(address) ? address : address.length));
        assert.equal(found, expected, `${homes[index]}, ${input + more} letters`);
      }
    }
    await page.locator('#own-input-1').fill('x'.repeat(1 + 8_000 - (short[0]?.length ?? 0)));
    const status =
      'The prompt is too long for a link to GitHub Copilot, Cursor, Perplexity. It will be copied for you to paste.';
    assert.is(await page.locator('.open-in-status').textContent(), status);
  });
});

test('votes once however often Enter is pressed, and sees the vote later', async () => {
  await reader.onPage('/agents/claim-ladder', async (page) => {
    const before = reader.site.linesOf('votes').length;
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
    assert.is(reader.site.linesOf('votes').length, before + 1);
    await page.reload();
    assert.is(await textOf(page, '.vote .form-message', /./), 'You voted no.');
    assert.is(await no.getAttribute('aria-pressed'), 'true');
  });
});

test('sees their latest vote on each agent, and none on an agent without one', async () => {
  const [voted, other] = ['/agents/claim-ladder', agent];
  await reader.onPage(voted, async (page) => {
    const shown = async (path: string) => {
      await page.goto(reader.site.address + path);
      const pressed = page.locator('.vote button[aria-pressed="true"]');
      return [await page.locator('.vote .form-message').textContent(), await pressed.allTextContents()];
    };
    const vote = async (answer: string) => {
      await page.locator(`.vote button[value="${answer}"]`).click();
      await textOf(page, '.vote .form-message', new RegExp(`${answer}.*recorded`));
    };
    await vote('yes');
    await vote('no');
    assert.equal(await shown(other), ['', []]);
    await vote('yes');
    assert.equal(await shown(voted), ['You voted no.', ['No']]);
    // By the links in the email.
    assert.equal(await shown(`${voted}?vote=no`), ['You voted no.', ['No']]);
    assert.equal(await shown(`${voted}?vote=yes`), ['You voted no. To change your vote, press Yes.', ['No']]);
    assert.equal(await shown(other), ['You voted yes.', ['Yes']]);
  });
});

test('sends a note with the vote that they changed in another tab', async () => {
  await reader.onPage('/agents/jargon-meter', async (page) => {
    const vote = async (tab: Page, value: string) => {
      await tab.locator(`.vote button[value="${value}"]`).click();
      await textOf(tab, '.vote .form-message', new RegExp(`vote \\(${value}\\) was recorded`));
    };
    await vote(page, 'yes');
    const other = await page.context().newPage();
    await other.goto(page.url());
    await vote(other, 'no');
    await other.close();
    await page.locator('#vote-note').fill('On second thought.');
    await page.getByRole('button', { name: 'Send the note' }).click();
    await textOf(page, '.vote .form-message', /vote \(no\) and your note were recorded/);
    assert.equal(await page.locator('.vote button[aria-pressed="true"]').allTextContents(), ['No']);
    assert.is(reader.site.linesOf('votes').at(-1)?.vote, 'no');

    // Once the storage of the browser is full, it would keep the earlier vote. This one is as old as Safari 15, too.
    await page.evaluate(() => {
      Object.assign(AbortSignal, { timeout: undefined });
      const { FormData } = globalThis;
      globalThis.FormData = class extends FormData {
        constructor(form?: HTMLFormElement) {
          super(form);
        }
      };
      Storage.prototype.setItem = () => {
        throw new DOMException('full', 'QuotaExceededError');
      };
    });
    await vote(page, 'yes');
    await page.locator('#vote-note').fill('It is useful.');
    await page.getByRole('button', { name: 'Send the note' }).click();
    await textOf(page, '.vote .form-message', /vote \(yes\) and your note were recorded/);
  });
});

test('subscribes', async () => {
  await reader.onPage('/about', async (page) => {
    const field = page.locator('#subscribe-email');
    await field.evaluate((element) => element.scrollIntoView({ block: 'end', behavior: 'instant' }));
    await field.fill('ada@example.com');
    await page.keyboard.press('Enter');
    await textOf(page, '.subscribe .form-message', /Thanks/);
    await page.waitForFunction(() => {
      const { bottom = Number.NaN } = document.querySelector('.subscribe .form-message')?.getBoundingClientRect() ?? {};
      return bottom <= innerHeight;
    });
    assert.is(await field.inputValue(), '', 'the next reader does not see the address');
    const { email, list } = reader.site.linesOf('signups').at(-1) ?? {};
    assert.equal({ email, list }, { email: 'ada@example.com', list: 'daily' });
  });
});

test('copies a config, and downloads it under the name that it needs', async () => {
  await reader.onPage(agent, async (page) => {
    await page.locator('[data-copy="config-text"]').click();
    const response = await fetch(`${reader.site.address}${agent}/config.json`);
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
  assert.equal(reader.complaints, []);
});
test.run();
