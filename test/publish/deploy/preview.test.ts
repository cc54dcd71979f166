import { readlinkSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { inFolder, writeCatalog } from '../../support/catalog.ts';
import { catalog } from '../../support/process.ts';

/** `catalog deploy` never puts drafts and scheduled agents online. */

for (const flag of ['--future', '--drafts']) {
  test(`a preview made with ${flag} is refused, and the host keeps its build`, async () => {
    await inFolder(async (folder) => {
      writeCatalog(folder, [{ slug: 'one', date: '2026-01-01' }]);
      const host = join(folder, 'host');
      const deploy = (out: string) => catalog(['deploy', `h:${host}`, '--cwd', folder, '--out', out, '--ssh', 'sh -c']);
      assert.is((await catalog(['build', '--cwd', folder])).code, 0);
      assert.is((await deploy('dist')).code, 0);
      const before = readlinkSync(join(host, 'dist'));
      assert.is((await catalog(['build', '--cwd', folder, '--out', 'preview', flag])).code, 0);
      const { code, stdout, stderr } = await deploy('preview');
      assert.equal([code, stdout], [1, '']);
      assert.is(
        stderr,
        `error: ${join(folder, 'preview')} has a preview, which may show drafts and agents that are not due yet: run npx --no daily-agent-catalog build without --future and --drafts, and deploy that build.\n`,
      );
      assert.is(readlinkSync(join(host, 'dist')), before);
    });
  });
}

test.run();
