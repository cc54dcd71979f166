/// <reference lib="dom" />

import type { Page } from 'playwright-core';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { hebrew, longWords } from '../support/awkward-agents.ts';
import { browseCatalog, focusOf, tabTo, textOf } from '../support/browser.ts';
import { goodPrompt, goodSampleInput } from '../support/good-agent.ts';
import { until } from '../support/until.ts';

/** What the style sheet owes to readers with a keyboard, a finger, a printer, or a large number. */

const test = suite('the style sheet');

/** The smallest numbers with one to five digits. */
const numbers = [1, 10, 100, 1_000, 10_000];
const long = goodPrompt.replace('OUTPUT', `${'A line of the prompt.\n'.repeat(40)}\nOUTPUT`);
const { address, look, visit } = browseCatalog(
  test,
  numbers.map((issue, index) => ({
    slug: `agent-${issue}`,
    date: `2026-01-0${index + 1}`,
    front: { issue: String(issue) },
    files: { 'prompt.txt': long, 'sample-input.txt': goodSampleInput.replace('\n', `${' wide'.repeat(30)}\n`) },
  })),
  { viewport: { width: 1440, height: 900 } },
);

test('the link to the content covers nothing until it has the focus, and can then be seen', async () => {
  await look('/about', {}, async (page) => {
    const skip = page.locator('.skip');
    const box = async () => (await skip.boundingBox()) ?? { x: Number.NaN, y: Number.NaN, width: 0, height: 0 };
    const before = await box();
    assert.ok(before.x + before.width <= 0, JSON.stringify(before));
    await page.keyboard.press('Tab');
    const focused = await box();
    assert.ok(focused.x >= 0 && focused.y >= 0 && focused.width > 50, JSON.stringify(focused));
    await page.keyboard.press('Enter');
    assert.is(new URL(page.url()).hash, '#content');
  });
});

test('a reader with a keyboard sees where the focus is', async () => {
  await look('/agents/agent-1', {}, async (page) => {
    for (const stop of ['.nameplate a', '.scroll', '.front button', 'textarea', '[role="tab"]', 'pre', '#search']) {
      await tabTo(page, stop);
      const outline = await page.evaluate(() => {
        const { outlineOffset, outlineStyle, outlineWidth } = getComputedStyle(document.activeElement as Element);
        return `${outlineWidth} ${outlineStyle} ${outlineOffset}`;
      });
      // In a box that cuts off what is outside, the mark is inside.
      assert.is(outline, `3px solid ${/scroll|tab/.test(stop) ? -3 : 3}px`, stop);
    }
  });
});

test('a finger can hit each button and field on a phone', async () => {
  await look('/agents/agent-1', { viewport: { width: 360, height: 800 } }, async (page) => {
    const small = await page.locator('button, input, select, textarea').evaluateAll((all) =>
      all
        .map((element) => ({ element, box: element.getBoundingClientRect() }))
        .filter(({ box }) => box.width > 0 && (box.height < 32 || box.width < 32))
        .map(({ element }) => element.outerHTML),
    );
    assert.equal(small, []);
  });
});

const isNumber = (text = '') => /^\d+$/.test(text);

/** The texts that a screen reader reads, in their order, with those that the style sheet adds. */
async function readAloud(page: Page): Promise<string[]> {
  const client = await page.context().newCDPSession(page);
  const { nodes } = await client.send('Accessibility.getFullAXTree');
  const byId = new Map(nodes.map((node) => [node.nodeId, node]));
  const textsIn = (id: string): string[] => {
    const { role, name, childIds = [] } = byId.get(id) ?? {};
    return role?.value === 'StaticText' ? [String(name?.value)] : childIds.flatMap(textsIn);
  };
  return textsIn(nodes[0]?.nodeId ?? '');
}

test('lines of a prompt and steps have their numbers', async () => {
  await look('/agents/agent-1', {}, async (page) => {
    const texts = await readAloud(page);
    /** The text before each of these. */
    const before = (...starts: string[]) =>
      starts.map(
        (start) => texts[texts.findIndex((text, at) => text.startsWith(start) && isNumber(texts[at - 1])) - 1],
      );
    assert.equal(before('Find the rows', 'INPUT', '- ROWS', 'RULES'), ['1', '3', '4', '8']);
    assert.equal(before('Copy the list', 'Add the mails', 'Look the rows up'), ['1', '2', '3']);
  });
});

test('a long prompt on the home page stays in its frame, and a reader can scroll to its end', async () => {
  for (const width of [390, 1440]) {
    await look('/', { viewport: { width, height: 900 } }, async (page) => {
      const frame = page.locator('.front-look .prompt');
      const last = frame.getByText('OUTPUT');
      const isShown = async () => {
        const [outer, inner] = [await frame.boundingBox(), await last.boundingBox()];
        return inner !== null && outer !== null && inner.y + inner.height <= outer.y + outer.height;
      };
      assert.is(await isShown(), false, `${width} pixels`);
      const { shown, line } = await frame.evaluate((element) => {
        const { lineHeight, paddingBlockStart } = getComputedStyle(element);
        return {
          shown: element.clientHeight - Number.parseFloat(paddingBlockStart),
          line: Number.parseFloat(lineHeight),
        };
      });
      assert.ok(Math.abs(shown / line - Math.round(shown / line)) < 0.05, `ends with a whole line: ${shown / line}`);
      await frame.hover();
      await page.mouse.wheel(0, 5_000);
      await until(isShown);
      // It does not cover the text after it.
      const behind = await frame.evaluate((element) => {
        const { left, bottom } = element.getBoundingClientRect();
        return element.contains(document.elementFromPoint(left + 20, bottom + 12));
      });
      assert.is(behind, false, `${width} pixels`);
    });
  }
});

test('the number of an agent fits beside its title, however many digits it has', async () => {
  for (const issue of numbers) {
    await look(`/agents/agent-${issue}`, {}, async (page) => {
      const [numeral, title] = await Promise.all(['.numeral', 'h1'].map((part) => page.locator(part).boundingBox()));
      assert.ok(
        numeral && title && numeral.x + numeral.width <= title.x,
        `${issue}: ${JSON.stringify({ numeral, title })}`,
      );
      assert.is(await page.locator('.issue').getAttribute('data-digits'), String(String(issue).length));
      assert.ok(numeral.height > 30, 'it is large');
    });
  }
});

test('every list, of the archive, of a category, of results and on the home page, has number and day beside the title, and above it on a phone', async () => {
  for (const path of ['/archive', '/categories/coding', '/archive?q=agent', '/']) {
    await look(path, {}, async (page) => {
      const entry = page.locator('.entry:visible').first();
      const places = async () => {
        const parts = ['.number', 'time', '.kicker', 'h3 a'].map((part) => entry.locator(part).boundingBox());
        return (await Promise.all(parts)).map((box) => box ?? { x: Number.NaN, y: Number.NaN, width: 0, height: 0 });
      };
      await entry.waitFor();
      assert.match(await entry.innerText(), path === '/' ? /1000\s+January 4, 2026/ : /10000\s+January 5, 2026/);
      const [number, day, category, title] = await places();
      assert.ok(number && day && category && title, path);
      assert.ok(number.y < day.y && day.y < category.y && category.x + category.width <= title.x, path);
      assert.is(number.x, day.x, path);
      await page.setViewportSize({ width: 360, height: 800 });
      const [first, second, third, last] = await places();
      assert.ok(first && second && third && last, path);
      assert.ok(first.x < second.x && second.x < third.x && first.y + first.height <= last.y, path);
      const accents = ['.number', '.kicker'].map((part) =>
        entry.locator(part).evaluate((of) => getComputedStyle(of).color),
      );
      assert.is(new Set(await Promise.all(accents)).size, 1, path);
    });
  }
});

test('paper has the whole prompt, and nothing that only works on a screen', async () => {
  await look('/', {}, async (page) => {
    const prompt = page.locator('#prompt-text');
    const isCut = () => prompt.evaluate((element) => element.scrollHeight > element.clientHeight + 1);
    assert.is(await isCut(), true, 'the screen shows its start');
    await page.emulateMedia({ media: 'print' });
    assert.is(await isCut(), false);
    const boxes = page.locator('pre, .excerpted');
    const flows = await boxes.evaluateAll((all) => all.map((each) => getComputedStyle(each).overflow));
    assert.equal(new Set(flows), new Set(['visible']), 'a sheet cuts off the end of a box that scrolls');
    const grids = await page
      .locator('.front, .front-look, .leaf, .pair')
      .evaluateAll((all) => all.filter((each) => getComputedStyle(each).display === 'grid').length);
    assert.is(grids, 0, 'Firefox cuts through the line of a grid where a sheet ends');
    const line = prompt.locator('.line').first();
    const position = await line.evaluate((each) => getComputedStyle(each, '::before').position);
    assert.is(position, 'static', 'Firefox moves positioned numbers away from their lines on the next sheet');
    await page.emulateMedia({ media: 'screen' });
  });
  await look('/agents/agent-1', { colorScheme: 'dark' }, async (page) => {
    await page.emulateMedia({ media: 'print', colorScheme: 'dark' });
    for (const part of ['.skip', 'nav >> nth=0', '.actions', '.use', '.search', '.vote', '#verdict', '#follow'])
      assert.is(await page.locator(part).first().isVisible(), false, part);
    assert.is(await page.locator('button:visible').count(), 0);
    for (const part of ['h1', '#problem', '#prompt-text', '#steps', '#sample', '#demo', '#reuse'])
      assert.is(await page.locator(part).isVisible(), true, part);
    const ink = await page.evaluate(() => getComputedStyle(document.body).color);
    assert.is(ink, 'rgb(29, 26, 22)', 'dark on white');
    assert.equal(
      await page.locator('.install h3:visible').allTextContents(),
      ['Claude and ChatGPT'],
      'it names the assistant',
    );
    assert.is(await page.locator('[role="tablist"]').isVisible(), false);
    const isCut = (element: Element) => element.scrollWidth > element.clientWidth;
    assert.is(await page.locator('#sample-input').evaluate(isCut), false, 'paper has whole lines');
    await page.emulateMedia({ media: 'screen' });
    assert.is(await page.locator('#sample-input').evaluate(isCut), true, 'the screen scrolls them');
  });
  for (const [path, shown] of [
    ['/archive', '[data-list]'],
    ['/archive?q=agent', '.result-list'],
  ] as const) {
    await look(path, {}, async (page) => {
      await page.locator(shown).waitFor();
      await page.emulateMedia({ media: 'print' });
      assert.is(await page.locator(`${shown} .entry:visible`).count(), numbers.length, path);
      assert.is(await page.locator('#narrow, .filters, .results-count').locator('visible=true').count(), 0, path);
      await page.emulateMedia({ media: 'screen' });
    });
  }
});

test('the chosen tab and the own vote look chosen in forced colors too', async () => {
  await look('/agents/agent-1', { forcedColors: 'active' }, async (page) => {
    await page.locator('.vote button[value="yes"]').click();
    await textOf(page, '.vote .form-message', /recorded/);
    await page.mouse.move(0, 0);
    await page.reload();
    await page.locator('.vote button[aria-pressed="true"]').waitFor();
    const looks = await page.locator('[role="tab"], .vote button, .switch span').evaluateAll((all) =>
      all.map((element) => {
        const { backgroundColor, borderBottomColor } = getComputedStyle(element);
        const isChosen = element.matches('[aria-selected="true"], [aria-pressed="true"], :checked + span');
        // A transparent background shows the color of the page.
        const ground = backgroundColor.replace(/^rgba\((.*), 0\)$/, 'rgb($1)');
        return { kind: element.role ?? element.localName, isChosen, look: `${ground} ${borderBottomColor}` };
      }),
    );
    for (const { kind, look } of looks.filter(({ isChosen }) => isChosen)) {
      const same = looks.filter((other) => other.kind === kind && other.look === look);
      assert.is(same.length, 1, `${kind}: ${look}`);
    }
    assert.is(looks.filter(({ isChosen }) => isChosen).length, 3);
  });
});

test('text of twice the size makes no page wider than a phone, and shows nothing of the link to the content', async () => {
  for (const path of ['/', '/archive', `/agents/agent-${numbers[1]}`]) {
    await look(path, { viewport: { width: 320, height: 800 } }, async (page) => {
      const [width, shown] = await page.evaluate(() => {
        const { documentElement: root } = document;
        root.style.fontSize = '200%';
        return [root.scrollWidth, document.querySelector('.skip')?.getBoundingClientRect().right];
      });
      await page.evaluate(() => document.documentElement.removeAttribute('style'));
      assert.equal([path, width, shown], [path, 320, 0]);
    });
  }
});

test('the search on a phone is a mark with no text over it, in forced colors too', async () => {
  await look('/about', { forcedColors: 'active', viewport: { width: 390, height: 800 } }, async (page) => {
    const search = page.locator('.search');
    await page.evaluate(() => document.fonts.ready);
    await search.screenshot();
    const before = await search.screenshot();
    await page.evaluate(() => document.querySelector('#search')?.removeAttribute('placeholder'));
    assert.ok(before.equals(await search.screenshot()));
  });
});

test('links within a page glide only for readers who do not mind motion', async () => {
  for (const [reducedMotion, behavior] of [
    ['reduce', 'auto'],
    ['no-preference', 'smooth'],
  ] as const) {
    await look('/about', { reducedMotion }, async (page) => {
      assert.is(await page.evaluate(() => getComputedStyle(document.documentElement).scrollBehavior), behavior);
    });
  }
});

const feeds: [path: string, entry: string, shown: string[]][] = [
  ['/feed.xml', 'item', ['title', 'pubDate', 'description']],
  ['/atom.xml', 'entry', ['title', 'updated', 'summary']],
];
for (const [path, entry, shown] of feeds) {
  test(`a person who opens ${path} reads the title, date and summary of each entry`, async () => {
    await visit('/404', {}, async (page) => {
      // Static hosts call feeds application/xml. Chromium shows the server's more exact types as plain text.
      await page.route(/^https:\/\/press\.example/, async (route) => {
        const response = await route.fetch({ url: address() + new URL(route.request().url()).pathname });
        const headers = response.headers();
        const type = headers['content-type']?.replace(/(?:rss|atom)\+xml/, 'xml') ?? '';
        await route.fulfill({ response, headers: { ...headers, 'content-type': type } });
      });
      await page.goto(`https://press.example${path}`);
      const visible = await page.evaluate((name) => {
        const [first] = document.getElementsByTagName(name);
        return [...(first?.children ?? [])]
          .filter((child) => child.getClientRects().length > 0)
          .map((child) => child.tagName);
      }, entry);
      assert.equal(visible.sort(), shown.sort());
    });
  });
}

test.run();

/** A reader can read texts that layouts rarely have: very long words, wide tables, and writing from right to left. */
const awkward = suite('awkward texts');

const texts = browseCatalog(awkward, [longWords, hebrew], { viewport: { width: 320, height: 800 } });

/** Widths of a screen, each with the size of letters that the reader has chosen, in pixels. */
const screens = [
  [320, 16],
  [360, 24],
  [1440, 16],
] as const;
const paths = ['/agents/long-words', '/agents/hebrew', '/archive', '/archive?q=Kleinbetriebe', '/developers'];

awkward('no page scrolls sideways, however long a word is', () =>
  texts.look('/', {}, async (page) => {
    for (const path of ['/', ...paths, '/categories/coding', '/tags/testing', '/nothing/here']) {
      await page.goto(texts.address() + path);
      if (path.includes('?q=')) await textOf(page, 'main .results-count', /found/);
      for (const [width, letters] of screens) {
        await page.setViewportSize({ width, height: 800 });
        const excess = await page.evaluate((size) => {
          document.documentElement.style.fontSize = `${size}px`;
          return document.documentElement.scrollWidth - innerWidth;
        }, letters);
        assert.is(excess, 0, `${path}, ${width} px, letters of ${letters} px`);
      }
    }
  }),
);

awkward('an email is no wider than its window, however long a word is', () =>
  texts.look('/mail/99.html', { viewport: { width: 320, height: 800 } }, async (page) => {
    assert.is(await page.evaluate(() => document.documentElement.scrollWidth - innerWidth), 0);
  }),
);

awkward(
  'a wide table scrolls in its own box, which a keyboard reaches, and its cells are aligned as the text says',
  () =>
    texts.look('/agents/long-words', {}, async (page, complaints) => {
      const boxes = page.locator('.leaf-body .scroll');
      const offsets = () => boxes.evaluateAll((all) => all.map(({ scrollLeft }) => scrollLeft > 0));
      assert.equal(await boxes.evaluateAll((all) => all.map((box) => box.scrollWidth > box.clientWidth)), [true, true]);
      assert.equal(await offsets(), [false, false]);
      for (const name of ['Table: Name, Address, Count, Note', 'Table: Item, Meaning']) {
        await tabTo(page, '.leaf-body .scroll');
        assert.is(await focusOf(page), name);
        await page.keyboard.press('ArrowRight');
      }
      await until(async () => (await offsets()).every((isMoved) => isMoved));
      const cells = page.locator('.leaf-body.prose > .scroll td');
      const sides = await cells.evaluateAll((all) => all.map((cell) => getComputedStyle(cell).textAlign));
      assert.equal(sides, ['left', 'center', 'right', 'start']);
      assert.is(await cells.locator('code').evaluate((code) => code.getClientRects().length), 1, 'no word is broken');
      assert.equal(complaints, []);
    }),
);

awkward('a line of 4,000 characters wraps, a table of 20 columns scrolls, and HTML in an answer is text', () =>
  texts.look('/agents/long-words', {}, async (page, complaints) => {
    const title = await page.title();
    const line = page.locator('#sample-input');
    assert.is(await line.evaluate(({ scrollWidth, clientWidth }) => scrollWidth - clientWidth), 0);
    assert.is((await line.textContent())?.trimEnd().length, 3_999);
    const answer = page.locator('section[aria-labelledby=sample] .rendered');
    assert.is(await answer.locator('th').count(), 20);
    assert.ok(await answer.locator('.scroll').evaluate((box) => box.scrollWidth > box.clientWidth));
    assert.is(await answer.locator('script, img, a').count(), 0);
    assert.match(await answer.innerText(), '<script>document.title');
    assert.is(await page.title(), title);
    assert.equal(complaints, []);
  }),
);

awkward('paths of outputs break only where a part of them ends', () =>
  texts.look('/developers', { viewport: { width: 360, height: 800 } }, async (page) => {
    const broken = await page.locator('td:first-child code').evaluateAll((all) =>
      all
        .flatMap(({ childNodes }) => [...childNodes])
        .filter((part) => {
          const range = document.createRange();
          range.selectNodeContents(part);
          return !part.textContent?.includes('-') && range.getClientRects().length > 1;
        })
        .map(({ textContent }) => textContent),
    );
    assert.equal(broken, []);
    const box = page.locator('.scroll');
    assert.is(await box.evaluate(({ scrollWidth, clientWidth }) => scrollWidth - clientWidth), 0);
  }),
);

/** Pairs of elements, one above the other, on a narrow screen. */
const pairs: Record<string, [string, string][]> = {
  '/': [['.issue .numeral', '.issue time']],
  '/developers': [['#mcp ~ * .commands', '.commands + p']],
  '/agents/long-words': [
    ['.front-install > p', '.front-install > .install'],
    ['.leaf-body.prose li > p', '.leaf-body.prose li > pre'],
    ['.leaf-body.prose li > pre', '.leaf-body.prose li > .scroll'],
    ['.leaf-body.prose li > .scroll', '.leaf-body.prose li > p:last-child'],
  ],
};

awkward('parts of a page are apart, and no heading is larger than the one above it', () =>
  texts.look('/', {}, async (page) => {
    for (const [path, all] of Object.entries(pairs)) {
      await page.goto(texts.address() + path);
      for (const pair of all) {
        const [upper, lower] = await Promise.all(pair.map((part) => page.locator(part).first().boundingBox()));
        assert.ok(
          upper && lower && lower.y - upper.y - upper.height >= 8,
          `${pair}: ${JSON.stringify([upper, lower])}`,
        );
      }
    }
    const sizes = await page
      .locator('#how-it-works, .prose h3')
      .evaluateAll((headings) => headings.map((heading) => Number.parseFloat(getComputedStyle(heading).fontSize)));
    assert.equal(
      sizes,
      [...sizes].sort((a, b) => b - a),
    );
    assert.is(sizes.length, 2);
  }),
);

/** Where the texts of agents are on a page, which is otherwise from left to right. */
const places: Record<string, string[]> = {
  '/agents/hebrew': ['h1', '.standfirst', '#problem + p', '#step-1', '.leaf-body.prose', '.leaf-body.prose li'],
  '/agents/long-words': ['.between bdi'],
  '/': ['h1', '.standfirst', '.front-problem', '.front .steps li'],
  '/archive': ['.entry h3', '.entry .excerpt'],
  '/tags/testing': ['.entry h3', '.entry .excerpt'],
};

awkward('Hebrew is from right to left, and everything around it from left to right', () =>
  texts.look('/', {}, async (page) => {
    for (const [path, selectors] of Object.entries(places)) {
      await page.goto(texts.address() + path);
      const found = await page.evaluate(
        (all) => all.map((one) => getComputedStyle(document.querySelector(one) ?? document.body).direction),
        [...selectors, 'main', 'main section', 'footer'],
      );
      assert.equal(found, [...selectors.map(() => 'rtl'), 'ltr', 'ltr', 'ltr'], path);
    }
  }),
);

awkward('each line of a prompt has its own direction, and so has each search result', async () => {
  await texts.look('/agents/hebrew', {}, async (page) => {
    const sides = await page.locator('.line').evaluateAll((lines) =>
      lines.flatMap((line) => {
        const { left = 0 } = line.closest('code')?.getBoundingClientRect() ?? {};
        const range = document.createRange();
        range.selectNodeContents(line);
        const last = [...range.getClientRects()].filter(({ width }) => width > 0).at(-1);
        return last !== undefined && last.left > left + 20 ? [line.textContent?.slice(0, 10)] : [];
      }),
    );
    assert.equal(sides, ['1. קרא כל ']);
  });
  await texts.look('/archive?q=בודק', {}, async (page) => {
    await textOf(page, 'main .results-count', /found/);
    const [list, text] = await Promise.all([
      page.locator('.result-list li').boundingBox(),
      page.locator('.result-list h3 a').boundingBox(),
    ]);
    assert.ok(list && text && Math.abs(list.x + list.width - text.x - text.width) < 1, JSON.stringify([list, text]));
    await page.locator('#search').fill('בודק');
    const option = page.locator('#suggestions a').first();
    await option.waitFor();
    const title = await option.locator('.suggestion-title').boundingBox();
    const end = await option.locator('.suggestion-title').evaluate((element) => {
      const range = document.createRange();
      range.selectNodeContents(element);
      return range.getBoundingClientRect().right;
    });
    assert.ok(title && Math.abs(title.x + title.width - end) < 2, JSON.stringify([title, end]));
  });
});

awkward('without scripts, the search says that it needs them', async () => {
  const note = 'main noscript p';
  await texts.visit('/archive?q=hebrew', { javaScriptEnabled: false }, async (page) => {
    assert.is(await page.locator(note).isVisible(), true);
  });
  await texts.look('/archive', {}, async (page) => assert.is(await page.locator(note).count(), 0));
});

awkward.run();
