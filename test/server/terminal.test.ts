import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { inFolder, writeCatalog } from '../support/catalog.ts';
import { onTerminal } from '../support/terminal.ts';

/** The log of `catalog serve` in a terminal. The forms of its lines are tested in log-lines.test.ts. */

test('on a terminal, serve prints lines for a person instead of JSON', () =>
  inFolder(async (folder) => {
    writeCatalog(folder, [{ slug: 'one', date: '2026-01-01' }]);
    const session = onTerminal(['serve', '--build', '--port', '0', '--cwd', folder]);
    await session.sees('Serving the catalog at ');
    await session.sees('\n');
    session.types('\u0003');
    const { code, screen } = await session.ends();
    assert.is(code, 0, screen);
    assert.match(screen, /\d\d:\d\d:\d\d\S* serving {2}address=http:\/\/localhost:\d+/);
    assert.not.match(screen, '{"level"');
  }));

test.run();
