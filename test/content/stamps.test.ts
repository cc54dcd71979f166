import { mkdirSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { type ContentMemory, loadContent, noMemory } from '../../src/content/load.ts';
import { readAgents } from '../../src/content/read.ts';
import { sourceStamps } from '../../src/lib/files.ts';
import type { Agent, AgentHead } from '../../src/schema/agent.ts';
import { inFolder, smallSettings, writeCatalog, writeFiles } from '../support/catalog.ts';

/** When the files of an agent may be taken from an earlier build: only if a change to them cannot be missed. */

/** The stamp of an agent of two files, `laterMs` after they were written and `change` got the path of its folder. */
async function stampAfter(laterMs: number, change: (folder: string) => void = () => {}): Promise<[string?, string?]> {
  const { now } = Date;
  const stamps: (string | null | undefined)[] = [];
  await inFolder((root) => {
    const folder = join(root, 'agents/one');
    writeFiles(folder, { 'agent.md': 'a', 'prompt.txt': 'b' });
    Date.now = () => now() + laterMs;
    try {
      stamps.push(readAgents(root)[0]?.stamp);
      change(folder);
      stamps.push(readAgents(root)[0]?.stamp);
    } finally {
      Date.now = now;
    }
  });
  return stamps.map((stamp) => stamp ?? undefined) as [string?, string?];
}

test('files that have not changed for a while have a stamp', async () => {
  const [before, after] = await stampAfter(60_000);
  assert.match(before ?? '', /^[\w-]{43}$/);
  assert.is(after, before);
});

test('files that were written just now have no stamp, because they may change again without changing it', async () => {
  assert.equal(await stampAfter(-60_000), [undefined, undefined]);
});

test('an agent has no stamp if any of its files is too new', async () => {
  const { now } = Date;
  await inFolder((root) => {
    writeFiles(root, { 'agents/one/agent.md': 'a', 'agents/one/prompt.txt': 'b', 'agents/one/sample-input.txt': 'c' });
    Date.now = () => now() + 60_000;
    try {
      const known = sourceStamps([join(root, 'agents')]);
      assert.is.not(readAgents(root, known)[0]?.stamp, null);
      for (const [index, path] of known.paths.entries()) {
        if (!/\.(?:md|txt)$/.test(path)) continue;
        const numbers = Float64Array.from(known.numbers);
        numbers[4 * index] = Number.NaN;
        assert.is(readAgents(root, { ...known, numbers })[0]?.stamp, null, path);
      }
    } finally {
      Date.now = now;
    }
  });
});

const changes: [what: string, change: (folder: string) => void][] = [
  ['a file changes', (folder) => writeFileSync(join(folder, 'prompt.txt'), 'other')],
  ['a file is gone', (folder) => rmSync(join(folder, 'prompt.txt'))],
  ['there is a symbolic link', (folder) => symlinkSync('agent.md', join(folder, 'link.md'))],
  ['there is a folder', (folder) => mkdirSync(join(folder, 'images'))],
];
for (const [what, change] of changes) {
  test(`an agent has another stamp if ${what}`, async () => {
    const [before, after] = await stampAfter(60_000, change);
    assert.ok(before !== undefined && after !== undefined && before !== after, `${before}${after}`);
  });
}

/** Known stamps spare listing a folder again. */
test('stamps that are based on earlier ones are the same as new ones', async () => {
  const { now } = Date;
  await inFolder((root) => {
    const files = { 'agents/one/agent.md': 'a', 'agents/one/prompt.txt': 'b', 'agents/two/agent.md': 'a' };
    writeFiles(root, files);
    Date.now = () => now() + 60_000;
    try {
      const paths = [join(root, 'agents'), join(root, 'settings'), join(root, 'agents/two')];
      const first = sourceStamps(paths);
      assert.equal(sourceStamps(paths, first), first);
      const edits: (() => void)[] = [
        () => writeFiles(root, { 'agents/one/agent.md': 'other' }),
        () => writeFiles(root, { 'agents/two/images/a.png': 'new', settings: 'new' }),
        () => rmSync(join(root, 'agents/one'), { recursive: true }),
        () => renameSync(join(root, 'agents/two'), join(root, 'agents/three')),
      ];
      for (const edit of edits) {
        edit();
        assert.equal(sourceStamps(paths, first), sourceStamps(paths), String(edit));
      }
    } finally {
      Date.now = now;
    }
  });
});

test('the texts of an agent that did not change are read when one is used, and refused if they changed since', async () => {
  const { now } = Date;
  await inFolder((root) => {
    writeCatalog(root, [{ slug: 'one', date: '2026-01-01', files: { 'config.json': '{"e":1}\n' } }]);
    const heads = new Map<string, AgentHead>();
    const memory: ContentMemory = {
      ...noMemory,
      recall: (slug) => heads.get(slug),
      remember: (_stamp, head) => heads.set(head.slug, JSON.parse(JSON.stringify(head))),
    };
    const load = () => loadContent(root, smallSettings, '2026-01-01', { memory }).folders[0]?.agent as Agent;
    Date.now = () => now() + 60_000;
    try {
      const parsed = load();
      const [recalled, late] = [load(), load()];
      assert.equal(JSON.stringify(recalled), JSON.stringify(parsed));
      assert.equal(recalled.texts(), parsed.texts());
      assert.equal(recalled.texts().config, { file: 'config.json', text: '{"e":1}\n', value: { e: 1 } });
      writeFiles(root, { 'agents/one/sample-input.txt': 'changed\n' });
      assert.match(recalled.texts().sampleInput, parsed.texts().sampleInput);
      assert.throws(() => late.texts(), 'agents/one changed during the build. Build again.');
    } finally {
      Date.now = now;
    }
  });
});

test.run();
