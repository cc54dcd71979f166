import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { directionOf } from '../../src/site/make-site.ts';
import { inFolder, writeCatalog } from '../support/catalog.ts';
import { render } from '../support/render.ts';

/** Pages are written in the direction of the language in the settings. */

const rows = {
  ltr: ['en', 'de-CH', 'zh', 'ru', 'az', 'ks-Deva', 'qqq'],
  rtl: ['he', 'ar', 'ar-EG', 'fa', 'ur', 'yi', 'ps', 'dv', 'ckb', 'az-Arab'],
};
for (const [direction, languages] of Object.entries(rows)) {
  for (const language of languages) {
    test(`${language} is ${direction}`, () => assert.is(directionOf(language), direction));
  }
}

test('every page says its language and its direction', () =>
  inFolder((folder) => {
    writeCatalog(folder, [{ slug: 'one', date: '2026-01-01' }], { language: 'he' });
    for (const [path, html] of render(folder, { today: '2026-01-02' })) {
      if (path.endsWith('.html') && !path.startsWith('mail/')) assert.match(html, '<html lang="he" dir="rtl">', path);
    }
  }));

test.run();
