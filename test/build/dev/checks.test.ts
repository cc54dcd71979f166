import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { inFolder, writeCatalog } from '../../support/catalog.ts';
import { startPreview } from '../../support/dev.ts';

/** The rules that `catalog dev` lists next to an agent as followed. */

test('rules that the settings switch off are not listed as followed', () =>
  inFolder(async (folder) => {
    const passed = async (rules: object) => {
      writeCatalog(folder, [{ slug: 'one', date: '2026-01-01' }], { rules });
      const preview = await startPreview(folder);
      try {
        const { body } = await fetch(`${preview.address}/__dev/events?path=/agents/one`);
        for await (const chunk of body ?? []) {
          const [, json] = /^data: (.+)$/m.exec(new TextDecoder().decode(chunk)) ?? [];
          if (json !== undefined) return JSON.parse(json).checks.passed as string[];
        }
        return [];
      } finally {
        await preview.close();
      }
    };
    const all = await passed({});
    assert.ok(all.includes('editorial/rules-count'), all.join());
    assert.equal(
      await passed({ 'editorial/rules-count': 'off' }),
      all.filter((code) => code !== 'editorial/rules-count'),
    );
  }));

test.run();
