import { cpSync, readdirSync, readFileSync, rmSync, utimesSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { copyBundled, inFolder, snapshot, writeFiles } from '../support/catalog.ts';
import { catalogProcess } from '../support/process.ts';

test('the same sources give the same bytes in another folder, time zone, locale and year', async () => {
  await inFolder(async (folder) => {
    const [here, there] = [join(folder, 'here'), join(folder, 'a folder elsewhere')];
    copyBundled(here);
    // Five agents are published on the first days. With fewer, no threads would draw social images.
    for (const slug of readdirSync(join(here, 'agents'))) {
      const about = readFileSync(join(here, 'agents', slug, 'agent.md'), 'utf8');
      if (!/^issue: [1-5]$/m.test(about)) rmSync(join(here, 'agents', slug), { recursive: true });
    }
    // Intl has no dates in Latin.
    const settings = readFileSync(join(here, 'catalog.config.json'), 'utf8');
    writeFiles(here, { 'catalog.config.json': settings.replace('"language": "en"', '"language": "la"') });
    cpSync(join(here, 'catalog.config.json'), join(there, 'catalog.config.json'));
    for (const slug of readdirSync(join(here, 'agents')).reverse()) {
      cpSync(join(here, 'agents', slug), join(there, 'agents', slug), { recursive: true });
      utimesSync(join(there, 'agents', slug), new Date(0), new Date(0));
    }
    const [first, second] = await Promise.all([
      catalogProcess(['build', '--cwd', here, '--today', '2026-11-21'], {
        env: { TZ: 'Pacific/Kiritimati', LANG: 'tr_TR.UTF-8', LC_ALL: 'tr_TR.UTF-8' },
      }),
      // With a separate cache, it draws its own images.
      catalogProcess(['build', '--cwd', there, '--today', '2026-11-21', '--out', 'elsewhere'], {
        env: { TZ: 'America/Los_Angeles', LANG: 'C', LC_ALL: 'C', CATALOG_CACHE: join(folder, 'cache') },
      }),
    ]);
    assert.is(first.code, 0, first.stderr);
    assert.is(second.code, 0, second.stderr);
    assert.equal(snapshot(join(here, 'dist')), snapshot(join(there, 'elsewhere')));
  });
});

test('the date follows the time zone in the settings, not of the machine', async () => {
  await inFolder(async (folder) => {
    const { writeCatalog } = await import('../support/catalog.ts');
    const { zone } = await import('../../src/lib/calendar.ts');
    const timezone = 'Pacific/Kiritimati';
    const day = zone(timezone).today(new Date());
    writeCatalog(folder, [{ slug: 'one', date: day }], { timezone });
    const built = await catalogProcess(['build', '--cwd', folder, '--format', 'json'], {
      env: { TZ: 'Pacific/Pago_Pago' },
    });
    assert.is(built.code, 0, built.stderr);
    assert.is(JSON.parse(built.stdout).counts.agents, 1);
  });
});

test.run();
