import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { inFolder, writeCatalog } from '../../support/catalog.ts';
import { onTerminal } from '../../support/terminal.ts';

/** The questions of `catalog new` and `catalog init` in terminals of unusual sizes. */

test('in a terminal without a size, questions can be read', () =>
  inFolder(async (folder) => {
    writeCatalog(folder, []);
    const calls: [args: string[], question: string][] = [
      [['new', '--cwd', folder], 'Title, such as Release Note Translator'],
      [['init', join(folder, 'mine')], 'Title: the name of the publication'],
    ];
    for (const [args, question] of calls) {
      const session = onTerminal(args, { columns: 0 });
      await session.sees(question);
      session.types('\u0003');
      const { code, screen } = await session.ends();
      assert.is(code, 130, screen);
      assert.ok(screen.split('\n').length < 20, screen);
    }
  }));

test.run();
