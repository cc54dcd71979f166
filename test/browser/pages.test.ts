/// <reference lib="dom" />
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { brotliCompressSync } from 'node:zlib';
import type { Browser, BrowserContextOptions, Page } from 'playwright-core';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { focusOf, launchBrowser, type ServedSite, serveSite, sharedPage, textOf, visit } from '../support/browser.ts';
import { loud } from '../support/loud.ts';
import { catalog } from '../support/process.ts';
import { assertReadable } from '../support/readable.ts';
import { until } from '../support/until.ts';
import { withLog } from '../support/vote-log.ts';

/** Every kind of page works on a phone, a tablet and a desktop, in light and dark mode. */

const test = suite('every kind of page');

let browser: Browser;
let site: ServedSite;

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

const look = sharedPage(() => browser, {});

const [phone, tablet, desk] = [360, 768, 1440];

/** Kinds of pages: name, path, and the widths of the screen, in pixels, at which they are tested. */
const kinds: [string, string, number[]][] = [
  ['home', '/', [phone, tablet, desk]],
  ['agent', '/agents/dependency-bump-judge', [phone, tablet, desk]],
  ['archive', '/archive', [phone, tablet, desk]],
  ['search results', '/archive?q=list', [phone, tablet, desk]],
  ['developers', '/developers', [phone, tablet, desk]],
  ['404', '/nothing/here', [phone, tablet, desk]],
  ['category', '/categories/coding', [phone]],
  ['tag', '/tags/testing', [phone]],
  ['about', '/about', [phone]],
  ['the answer to a form', '/thanks/vote', [phone]],
];

/** Runs `use` with a page of its own. */
const onPage = (options: BrowserContextOptions, use: (page: Page) => Promise<void>) =>
  visit(browser, 'about:blank', options, use);

for (const [kind, path, widths] of kinds) {
  test(`${kind}: axe finds nothing, nothing is wider than the screen, no error is logged`, () =>
    assertReadable(look, site.address + path, widths));
}

test('the page of catalog votes --html: axe finds nothing, nothing is wider than the screen, no error is logged', () =>
  withLog(async (folder) => {
    const page = join(folder, 'votes.html');
    assert.is((await catalog(['votes', '--cwd', folder, '--html', page])).code, 0);
    await assertReadable(look, pathToFileURL(page).href, [phone, desk]);
  }));

test('an email: axe finds nothing, nothing is wider than the screen, in light and dark mode', () =>
  assertReadable(look, pathToFileURL(join(site.dist, 'mail/1.html')).href, [phone, 700], /landmark|region/));

test('no table in an email or on paper breaks a short word, or is wider than the window; paper breaks no long one either', () =>
  onPage({ viewport: { width: phone, height: 800 } }, async (page) => {
    const short = '(?<!\\S)\\S{2,12}(?!\\S)';
    const brokenWords = (form: string) => {
      const words: string[] = [];
      const texts = document.createTreeWalker(
        document.querySelector('table:not([role])') as Node,
        NodeFilter.SHOW_TEXT,
      );
      for (let text = texts.nextNode() as Text | null; text !== null; text = texts.nextNode() as Text | null) {
        for (const { 0: word, index } of text.data.matchAll(new RegExp(form, 'gu'))) {
          const range = document.createRange();
          range.setStart(text, index);
          range.setEnd(text, index + word.length);
          if (new Set([...range.getClientRects()].map(({ top }) => top)).size > 1) words.push(word);
        }
      }
      return [words, document.documentElement.scrollWidth <= innerWidth];
    };
    for (const width of [320, 601, 700]) {
      await page.setViewportSize({ width, height: 800 });
      for (const issue of [12, 13]) {
        await page.goto(pathToFileURL(join(site.dist, `mail/${issue}.html`)).href);
        assert.equal(await page.evaluate(brokenWords, short), [[], true], `No. ${issue} in a window of ${width} px`);
      }
    }
    // A sheet in A4.
    await page.setViewportSize({ width: 680, height: 970 });
    await page.emulateMedia({ media: 'print' });
    for (const agent of ['dependency-bump-judge', 'boundary-case-miner']) {
      await page.goto(`${site.address}/agents/${agent}`);
      assert.equal(await page.evaluate(brokenWords, short), [[], true], `${agent} on paper`);
    }
    await page.goto(`${site.address}/agents/patch-tonight-or-tuesday`);
    assert.equal((await page.evaluate(brokenWords, '\\w{2,}'))[0], []);
  }));

test('on a phone, each row of a wide table in an email is a list that names the columns, and else a row', () =>
  onPage({ viewport: { width: 320, height: 800 } }, async (page) => {
    await page.goto(pathToFileURL(join(site.dist, 'mail/1.html')).href);
    const [head, row] = [page.locator('thead'), page.locator('tbody tr', { hasText: 'linktide' }).last()];
    const places = () => row.locator('td').evaluateAll((all) => all.map((cell) => cell.getBoundingClientRect().x));
    assert.match(
      await row.innerText(),
      /^package: linktide\nfrom -> to: 4\.2\.1 -> 4\.2\.2\nverdict: hold\nevidence: /,
    );
    assert.equal([await head.isVisible(), new Set(await places()).size], [false, 1]);
    assert.is(await page.evaluate(() => document.documentElement.scrollWidth), 320);
    await page.setViewportSize({ width: 700, height: 800 });
    assert.match(await row.innerText(), /^linktide\s+4\.2\.1 -> 4\.2\.2\s+hold\s/);
    assert.equal([await head.isVisible(), new Set(await places()).size], [true, 5]);
  }));

test('the first screen of every agent says what the site is and shows an answer; using the agent starts right after', () =>
  onPage({ viewport: { width: 1440, height: 900 } }, async (page) => {
    const { agents } = JSON.parse(await (await fetch(`${site.address}/api/agents.json`)).text());
    assert.is(agents.length, 40);
    const screens: [width: number, height: number, lowest: number][] = [
      [1440, 900, 900],
      [390, 844, 1700],
    ];
    for (const { slug } of agents as { slug: string }[]) {
      await page.goto(`${site.address}/agents/${slug}`);
      const output = await (await fetch(`${site.address}/agents/${slug}/sample-output.txt`)).text();
      const problems: string[] = [];
      for (const [index, [width, height, lowest]] of screens.entries()) {
        if (index > 0) await page.setViewportSize({ width, height });
        if (width === 1440) problems.push(...(await page.evaluate(contentProblems, /^\|[-| :]+\|$/m.test(output))));
        const tops = ['.purpose', '.result-card .rendered', '.fill-in', '.open-in', '.jump a', '.fill-in fieldset'];
        const [purpose = 0, answer = 0, fillIn = 0, openIn = 0, jump = 0, fields = 0] = await page.evaluate(
          (selectors) =>
            selectors.map((selector) =>
              Math.round(document.querySelector(selector)?.getBoundingClientRect().top ?? 9_999),
            ),
          tops,
        );
        // On a phone, a link in the first screen leads to "Use it"; on a wide screen, the form is in it.
        if (width === 390 ? jump > height - 44 : fields > height - 200)
          problems.push(`${width}: use it ${jump}, ${fields}`);
        if (purpose > 200 || answer > height - 60) problems.push(`${width}: purpose ${purpose}, answer ${answer}`);
        if (Math.max(fillIn, openIn) >= lowest) problems.push(`${width}: fill in ${fillIn}, open in ${openIn}`);
      }
      // The next page is opened on the screen that this one has now: to change it takes as long as to open a page.
      screens.reverse();
      assert.equal(problems, [], slug);
    }
  }));

/** What is wrong on the page of an agent, whose output has a table or not. Runs in the page. */
function contentProblems(hasTable: boolean): string[] {
  const input = document.querySelector('#sample-input code') ?? document.body;
  const lines = (input.textContent ?? '').trimEnd().split('\n').length;
  const { height } = input.getBoundingClientRect();
  const lineHeight = Number.parseFloat(getComputedStyle(input).lineHeight);
  const madeFor = document.querySelector('.facts div:nth-child(3) dd') ?? document.body;
  const targets = [...madeFor.querySelectorAll('a')].map((link) => link.getAttribute('href') ?? '');
  const names = (madeFor.textContent ?? '').split(', ');
  return [
    hasTable && document.querySelector('.pair .rendered table') === null ? 'no table' : '',
    Math.abs(height - lines * lineHeight) > lineHeight ? `${lines} lines wrap: ${height}` : '',
    targets.length !== names.length ? `${targets} is not a way for each of ${names}` : '',
    ...targets.map((target) => (document.getElementById(target.slice(1)) === null ? `no ${target}` : '')),
  ].filter((problem) => problem !== '');
}

test('letters and spaces that a reader enlarges cover nothing, and are dark for a reader who asks for more contrast', () =>
  onPage({ viewport: { width: 1440, height: 900 } }, async (page) => {
    await page.goto(`${site.address}/agents/dependency-bump-judge`);
    const change = (styles: string) =>
      page.evaluate((text) => {
        const sheet = new CSSStyleSheet();
        sheet.replaceSync(text);
        document.adoptedStyleSheets = [sheet];
      }, styles);
    // The spaces of WCAG 2.2, 1.4.12.
    const spacing =
      '* { line-height: 1.5 !important; letter-spacing: 0.12em !important; word-spacing: 0.16em !important }';
    const spaced = `${spacing} p { margin-block-end: 2em !important }`;
    for (const styles of ['.issue time, .front > .facts { font-size: 26px !important }', spaced]) {
      await change(styles);
      const parts = page.locator('.issue time, .front > .facts');
      const [day, facts] = await parts.evaluateAll((all) => all.map((part) => part.getBoundingClientRect()));
      assert.ok(day && facts && day.bottom <= facts.top, JSON.stringify([styles, day, facts]));
    }
    await page.setViewportSize({ width: 390, height: 800 });
    const covered = await page.locator('.masthead a').evaluateAll((links) =>
      links.filter((link) => {
        const { right, top, height } = link.getBoundingClientRect();
        return !link.contains(document.elementFromPoint(right - 8, top + height / 2));
      }),
    );
    assert.is(covered.length, 0, 'the ends of links in the header');
    await page.setViewportSize({ width: 320, height: 800 });
    await change('html { font-size: 200% }');
    assert.is(await page.evaluate(() => document.documentElement.scrollWidth), 320);
    await change('');
    const colors = () =>
      page.locator('body, .purpose').evaluateAll((all) => all.map((part) => getComputedStyle(part).color));
    assert.is(new Set(await colors()).size, 2);
    await page.emulateMedia({ contrast: 'more' });
    assert.is(new Set(await colors()).size, 1);
  }));

test('a browser that knows no colors for dark mode shows the page in those of light mode, and works without :has()', () =>
  onPage({}, async (page) => {
    /** The colors of a page whose styles are changed on their way. */
    const colors = async (colorScheme: 'light' | 'dark', change: (styles: string) => string) => {
      await page.emulateMedia({ colorScheme });
      await page.route('**/style.css*', async (route) => {
        const response = await route.fetch();
        await route.fulfill({ response, body: change(await response.text()).replaceAll(':has(', ':unknown(') });
      });
      await page.goto(`${site.address}/agents/dependency-bump-judge`);
      await page.unroute('**/style.css*');
      return page.locator('body, .send, #own-input-1, .contents, .fill-in [type="submit"]').evaluateAll((all) =>
        all.map((part) => {
          const { color, backgroundColor, borderColor } = getComputedStyle(part);
          return [color, backgroundColor, borderColor];
        }),
      );
    };
    const oneAccent = await colors('light', (styles) => styles.replace(/\[data-accent="\d+"\]/g, 'none'));
    assert.equal(await colors('dark', (styles) => styles.replaceAll('light-dark(', 'unknown(')), oneAccent);
    const { width = 0 } = (await page.locator('h1').boundingBox()) ?? {};
    assert.ok(width > 400, String(width));
    await page.emulateMedia({ media: 'print' });
    assert.is(await page.locator('.search').isVisible(), false, 'paper has no search');
  }));

test('a finger finds every link, button and field of every kind of page: 24 px are its least width and height', () =>
  onPage({ viewport: { width: phone, height: 800 } }, async (page) => {
    for (const [kind, path] of kinds) {
      await page.goto(site.address + path);
      const small = await page.locator('a, button, input, select, textarea, summary').evaluateAll((all) =>
        all
          .map((element) => ({ element, box: element.getBoundingClientRect() }))
          .filter(({ box }) => box.width > 0 && (box.height < 24 || box.width < 24))
          .filter(({ element }) => element.closest('.switch, .skip') === null)
          .map(({ element, box }) => `${element.outerHTML} ${box.width} x ${box.height}`),
      );
      assert.equal(small, [], kind);
    }
  }));

for (const width of [phone, desk]) {
  test(`nothing moves while a page loads, ${width} px wide`, async () => {
    await onPage({ viewport: { width, height: 900 } }, async (page) => {
      await page.context().addInitScript(() => {
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
      const load = async (path: string) => {
        await page.goto(site.address + path, { waitUntil: 'load' });
        if (path.includes('?q=')) await textOf(page, 'main .results-count', /found/);
        return page.evaluate(async () => {
          await document.fonts.ready;
          await new Promise((painted) => requestAnimationFrame(() => requestAnimationFrame(painted)));
          return (globalThis as unknown as { shifts: string[] }).shifts;
        });
      };
      // Until the fonts have come, metrics of installed ones keep the text in place. A test machine may lack those, and a busy
      // one may paint before it has read the fonts from its cache. Whatever else moves does so each time.
      await load('/');
      for (const [kind, path] of kinds) {
        let shifts = await load(path);
        for (let again = 0; again < 5 && shifts.length > 0; again += 1) shifts = await load(path);
        assert.equal(shifts, [], `${kind} ${width}`);
      }
    });
  });
}

test('skipped lines are one thin line, no comma is apart from its word, and no question is asked twice', () =>
  onPage({}, async (page) => {
    await page.goto(`${site.address}/agents/claim-ladder`);
    await page.locator('#proof ~ * details').evaluateAll((all) => all.map((each) => each.setAttribute('open', '')));
    const skipped = page.locator('.changes > hr').first();
    assert.is((await skipped.boundingBox())?.height, 1);
    assert.equal(
      await page.locator('#verdict, .vote legend').evaluateAll((all) => all.map((each) => each.clientHeight > 1)),
      [true, false],
    );
    await page.goto(`${site.address}/agents/flaky-test-detective`);
    const gap = await page.locator('.facts a', { hasText: /^ci$/ }).evaluate((link) => {
      const word = document.createRange();
      word.selectNodeContents(link);
      return link.getBoundingClientRect().right - word.getBoundingClientRect().right;
    });
    assert.ok(gap < 1, `${gap} pixels`);
    const starts = await page.locator('.front .kicker').evaluate((link) => {
      const label = document.createRange();
      link.textContent = 'Texts that other people have to understand before they can answer';
      label.selectNodeContents(link);
      return Array.from(label.getClientRects(), ({ left }) => Math.round(left));
    });
    assert.ok(starts.length > 1 && new Set(starts).size === 1, `the lines of a long label start at ${starts}`);
  }));

test('a link to answers opens them, also after they were closed, and so does its address', async () => {
  await onPage({ viewport: { width: phone, height: 900 } }, async (page) => {
    await page.goto(`${site.address}/agents/dependency-bump-judge`);
    await page.getByText('Show the mistake').click();
    const link = page.getByRole('link', { name: /^Compare the answers of/ });
    const id = (await link.getAttribute('href')) ?? '';
    const answer = page.locator(`${id} .pair`);
    await link.click();
    await answer.waitFor();
    await page.locator(`${id} > summary`).click();
    await answer.waitFor({ state: 'hidden' });
    await link.click();
    await answer.waitFor();
    await page.reload();
    await answer.waitFor();
    assert.is(await page.locator('details[open]').count(), 1);
    // On a tablet, the contents stay at the top, and cover no heading that they lead to.
    await page.emulateMedia({ reducedMotion: 'reduce' });
    await page.setViewportSize({ width: 920, height: 900 });
    await page.getByRole('navigation', { name: 'On this page' }).getByRole('link', { name: 'Steps' }).click();
    const boxes = await Promise.all(['.contents', '#steps'].map((part) => page.locator(part).boundingBox()));
    const [bar = 0, heading = 0] = [boxes[0]?.height, boxes[1]?.y];
    assert.ok(bar > 0 && bar <= heading && heading < 100, `${bar} ${heading}`);
  });
});

test('search results move nothing, however late the index loads', async () => {
  await onPage({ viewport: { width: desk, height: 900 } }, async (page) => {
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
    await page.locator('[name="category"]').selectOption('coding');
    await textOf(page, 'main .results-count', /found/);
    await page.locator('#search').pressSequentially('list');
    await textOf(page, '.results-count', /found/);
    await page.evaluate(() => new Promise((painted) => requestAnimationFrame(() => requestAnimationFrame(painted))));
    assert.equal(await page.evaluate(() => (globalThis as unknown as { late: number[] }).late), []);
  });
});

/** The page of an agent, and home for the whole catalog, with the tabs of each. */
const shared = ['Claude and ChatGPT', 'Claude Code', 'VS Code', 'Cursor', 'Codex', 'Copilot CLI', 'Gemini CLI'];
const installable: [path: string, tabs: string[]][] = [
  ['/agents/claim-ladder', [...shared, 'GitHub CLI', 'Other assistants', 'MCP', 'Plain text']],
  ['/', [...shared, 'Other assistants', 'MCP']],
];

test('every tab shows its own way to install and copies its command, and the last choice is remembered', async () => {
  await onPage({ permissions: ['clipboard-read', 'clipboard-write'] }, async (page) => {
    const [tab, panel] = [page.getByRole('tab'), page.getByRole('tabpanel')];
    const selected = () => page.getByRole('tab', { selected: true }).allTextContents();
    for (const [path, tabs] of installable) {
      await page.goto(site.address + path);
      assert.equal(await tab.allTextContents(), tabs);
      for (const name of tabs) {
        await tab.filter({ hasText: name }).click();
        assert.equal(await selected(), [name]);
        assert.is(await panel.count(), 1, name);
        assert.is(await page.getByRole('tabpanel', { name, exact: true }).count(), 1, name);
        assert.match(await panel.innerText(), /Update: .+\nRemove: .+/, name);
        for (const command of await panel.locator('pre').allTextContents()) {
          await panel.getByRole('button', { name: 'Copy' }).click();
          await panel.getByRole('button', { name: 'Copied' }).waitFor();
          assert.is(await page.evaluate(() => navigator.clipboard.readText()), command);
        }
      }
      await tab.first().click();
      const list = page.getByRole('tablist');
      const { width = 0, height = 0 } = (await list.boundingBox()) ?? {};
      await list.click({ position: { x: width - 2, y: height - 8 } });
      assert.equal([await selected(), await panel.count()], [[tabs[0]], 1], 'beside the tabs');
      await tab.first().focus();
      for (const [key, at] of Object.entries({ End: -1, ArrowRight: 0, ArrowLeft: -1, Home: 0 })) {
        await page.keyboard.press(key);
        assert.equal(await selected(), [tabs.at(at)], key);
        assert.is(await focusOf(page), tabs.at(at), key);
      }
      await page.keyboard.press('ArrowRight');
      await page.keyboard.press('Control+End');
      await page.reload();
      assert.equal(await selected(), ['Claude Code']);
      for (const name of ['Codex', 'Claude Code']) {
        await page.goto('about:blank');
        await page.goto(`${site.address}${path}#install-${name.toLowerCase().replace(' ', '-')}-way`);
        assert.equal(await selected(), [name], 'the address names a tab');
      }
    }
  });
});

test('on a phone, the tabs are one row that scrolls sideways, with the chosen one in view', async () => {
  await onPage({ viewport: { width: 390, height: 844 } }, async (page) => {
    const list = page.getByRole('tablist');
    for (const [path, tabs] of installable) {
      await page.goto(site.address + path);
      const isInView = () =>
        page.getByRole('tab', { selected: true }).evaluate((tab) => {
          const { left, right, height } = tab.getBoundingClientRect();
          return left >= 0 && right <= innerWidth && height < 60;
        });
      assert.ok(((await list.boundingBox())?.height ?? 0) < 60, 'one row');
      assert.is(await page.evaluate(() => scrollY), 0, 'the page stays where it is');
      await page.getByRole('tab').first().focus();
      for (const name of [...tabs.slice(1), tabs[0]]) {
        await page.keyboard.press('ArrowRight');
        assert.is(await focusOf(page), name);
        assert.ok(await isInView(), name);
      }
      await page.keyboard.press('End');
      await page.reload();
      assert.is(await page.getByRole('tab', { selected: true }).textContent(), tabs.at(-1));
      await until(isInView);
    }
  });
});

test('the link for Cursor contains the prompt, and a browser without storage shows the first tab', async () => {
  await onPage({}, async (page) => {
    await page.context().addInitScript(() => Object.defineProperty(globalThis, 'localStorage', { value: null }));
    await page.context().route('https://cursor.com/**', (route) => route.fulfill({ body: 'Cursor' }));
    await page.goto(`${site.address}/agents/claim-ladder`);
    assert.is(await page.getByRole('tabpanel', { name: 'Claude and ChatGPT' }).count(), 1);
    await page.getByRole('tab', { name: 'Cursor' }).click();
    await page.getByRole('link', { name: 'Add to Cursor' }).click();
    await page.waitForURL('https://cursor.com/link/command?**');
    const { searchParams } = new URL(page.url());
    const prompt = await (await fetch(`${site.address}/agents/claim-ladder/prompt.txt`)).text();
    assert.equal([searchParams.get('name'), searchParams.get('text')], ['claim-ladder', prompt]);
  });
});

test('without scripts, all ways to install are a list with headings', async () => {
  await onPage({ javaScriptEnabled: false }, async (page) => {
    for (const [path, tabs] of installable) {
      await page.goto(site.address + path);
      const part = page.locator('section[aria-labelledby=install]');
      assert.equal(await part.getByRole('heading', { level: 3 }).allTextContents(), tabs);
      const lines = (await part.innerText()).split('\n');
      for (const start of ['Update: ', 'Remove: ']) {
        assert.is(lines.filter((line) => line.startsWith(start)).length, tabs.length, path);
      }
      for (const command of await part.locator('pre').all()) assert.ok(await command.isVisible());
      assert.is(await part.getByRole('button').count(), 0);
    }
  });
});

test('the search names its shortcut only where scripts make it work', async () => {
  const keys = 'Control+K Meta+K';
  for (const javaScriptEnabled of [true, false]) {
    await onPage({ javaScriptEnabled }, async (page) => {
      await page.goto(`${site.address}/about`);
      assert.is(await page.locator('#search + kbd').isVisible(), javaScriptEnabled);
      assert.is(await page.locator('#search').getAttribute('aria-keyshortcuts'), javaScriptEnabled ? keys : null);
    });
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
      // Safari before 16.4 runs no script that has one.
      assert.not.match(Buffer.from(bytes).toString(), /\(\?<[=!]/, 'a lookbehind');
    }
    assert.ok(weight < 15 * 1024, `${kind}: ${weight} bytes`);
  }
});

test.run();
