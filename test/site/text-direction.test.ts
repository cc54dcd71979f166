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

test('every page and email says its language and its direction, and the archive has the months of its addresses', () =>
  inFolder((folder) => {
    writeCatalog(folder, [{ slug: 'one', date: '2026-01-01' }], { language: 'fa' });
    const files = render(folder, { today: '2026-01-02' });
    for (const [path, html] of files) {
      if (path.endsWith('.html')) assert.match(html, '<html lang="fa" dir="rtl">', path);
    }
    // Many mail programs leave out <html> and <body>.
    assert.match(files.get('mail/1.html') ?? '', '<table role="presentation" dir="rtl"');
    // January 2026, and not the Persian month of January 1, which ends on January 20.
    assert.match(files.get('archive.html') ?? '', 'id="month-2026-01">ژانویهٔ ۲۰۲۶<');
  }));

test.run();
