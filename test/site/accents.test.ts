import { readFileSync } from 'node:fs';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { accentColors, accentOf } from '../../src/site/shared/page.ts';

/** Readers with low vision can tell every color of the pages from its background, in light and in dark mode. */

const css = readFileSync(new URL('../../templates/assets/style.css', import.meta.url), 'utf8');

test('text and every accent pass 4.5:1 on paper and plate, and paper on every accent (WCAG 2.2, 1.4.3)', () => {
  const [paper, plate] = [pairOf('--paper'), pairOf('--plate')];
  const texts = [pairOf('--ink'), pairOf('--quiet'), pairOf('--error'), ...accents().map(({ pair }) => pair)];
  for (const text of texts) {
    for (const ground of [paper, plate]) {
      for (const scheme of ['light', 'dark'] as const) {
        const ratio = contrast(text[scheme], ground[scheme]);
        assert.ok(ratio >= 4.5, `${text[scheme]} on ${ground[scheme]} (${scheme}) has ${ratio.toFixed(2)}`);
      }
    }
  }
});

test('the stylesheet has every accent that a category can get, all of them different', () => {
  const found = accents();
  assert.equal(
    found.map(({ number }) => number),
    Array.from({ length: accentColors.length }, (_, index) => index + 1),
  );
  assert.equal(
    found.map(({ pair }) => pair.light),
    [...accentColors],
  );
  assert.is(new Set(found.map(({ pair }) => pair.light)).size, accentColors.length);
});

test('categories get accents by their position in the settings, starting again after the last', () => {
  const categories = Object.fromEntries(
    Array.from({ length: accentColors.length + 1 }, (_, index) => [`c${index}`, { label: 'C', description: 'C.' }]),
  );
  assert.is(accentOf({ categories }, 'c0'), 1);
  assert.is(accentOf({ categories }, 'c9'), 10);
  assert.is(accentOf({ categories }, 'c10'), 1);
  assert.is(accentOf({ categories }, 'none'), 1);
});

interface Pair {
  light: string;
  dark: string;
}

function pairOf(property: string): Pair {
  return readPair(new RegExp(`${property}: light-dark\\((#\\w{6}), (#\\w{6})\\)`).exec(css));
}

function accents(): { number: number; pair: Pair }[] {
  return [...css.matchAll(/\[data-accent="(\d+)"\] \{\s*--accent: light-dark\((#\w{6}), (#\w{6})\)/g)].map(
    ([, number, light = '', dark = '']) => ({ number: Number(number), pair: { light, dark } }),
  );
}

function readPair(match: RegExpExecArray | null): Pair {
  assert.ok(match);
  return { light: match[1] ?? '', dark: match[2] ?? '' };
}

/** Contrast ratio of two colors as #rrggbb (WCAG 2.2, relative luminance). */
function contrast(first: string, second: string): number {
  const [low = 0, high = 0] = [luminance(first), luminance(second)].sort((a, b) => a - b);
  return (high + 0.05) / (low + 0.05);
}

function luminance(colour: string): number {
  const [red = 0, green = 0, blue = 0] = [1, 3, 5].map((at) => {
    const channel = Number.parseInt(colour.slice(at, at + 2), 16) / 255;
    return channel <= 0.04045 ? channel / 12.92 : ((channel + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}

test.run();
