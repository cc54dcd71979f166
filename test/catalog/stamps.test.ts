import { mkdirSync, rmSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { readAgents } from '../../src/catalog/read.ts';
import { inFolder, writeFiles } from '../support/catalog.ts';

/** When the files of an agent may be taken from an earlier build: only if a change to them cannot be missed. */

/** The stamp of an agent of two files, `laterMs` after `change`, which gets the path of its folder. */
async function stampAfter(laterMs: number, change: (folder: string) => void = () => {}): Promise<string | null> {
  const { now } = Date;
  let stamp: string | null | undefined;
  await inFolder((root) => {
    const folder = join(root, 'agents/one');
    writeFiles(folder, { 'agent.md': 'a', 'prompt.txt': 'b' });
    const [agent] = readAgents(root);
    change(folder);
    Date.now = () => now() + laterMs;
    try {
      // A file may be gone since the folder was listed, and a new one is listed only by another call.
      stamp = agent?.stamp === null ? null : readAgents(root)[0]?.stamp;
    } finally {
      Date.now = now;
    }
  });
  return stamp ?? null;
}

test('files that have not changed for a while have a stamp', async () => {
  assert.match((await stampAfter(60_000)) ?? '', /^agent\.md .*\nprompt\.txt /);
});

const unsafe: [what: string, laterMs: number, change?: (folder: string) => void][] = [
  ['a file was written just now', -60_000],
  ['a file is gone', 60_000, (folder) => rmSync(join(folder, 'prompt.txt'))],
  ['one is a symbolic link', 60_000, (folder) => symlinkSync('agent.md', join(folder, 'link.md'))],
  ['one is a folder', 60_000, (folder) => mkdirSync(join(folder, 'images'))],
];
for (const [what, laterMs, change] of unsafe) {
  test(`the files of an agent are read again if ${what}`, async () => {
    assert.is(await stampAfter(laterMs, change), null);
  });
}

test.run();
