import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { bundled, inFolder } from '../support/catalog.ts';
import { git } from '../support/git.ts';
import { brokenLinks } from '../support/links.ts';
import { catalog } from '../support/process.ts';

/** The first page that contributors read: its commands do what it shows, and its links lead somewhere. */

const today = '2026-12-01';
const page = join(bundled, 'CONTRIBUTING.md');

/**
 * The text that the editor of CONTRIBUTING.md writes into agent.md before a command, by the position of the command.
 */
const edits: Record<number, [from: RegExp, to: string]> = {
  2: [/^excerpt: .*$/m, 'excerpt: Tests headlines.'],
  3: [
    /^excerpt: .*$/m,
    'excerpt: Scores ten headlines against the text below them, and quotes the line that each one promises.',
  ],
};

test('the commands of CONTRIBUTING.md print what it shows', async () => {
  await inFolder(async (folder) => {
    assert.is(
      (
        await catalog([
          'init',
          '--package',
          '1',
          '--timezone',
          'UTC',
          '--title',
          'My Catalog',
          '--cwd',
          folder,
          '--today',
          today,
        ])
      ).code,
      0,
    );
    await git(folder, 'init', '--quiet');
    await git(folder, 'add', '--all');
    await git(folder, 'commit', '--quiet', '-m', 'Start the catalog');
    const agent = join(folder, 'agents', 'headline-tester', 'agent.md');
    const text = readFileSync(page, 'utf8');
    const shown = /(?<=^```console\n)\$ npx --no daily-agent-catalog (.*)\n(?:(?!```).*\n)*/gm;
    const outputs: string[] = [];
    for (const [index, [, line = '']] of [...text.matchAll(shown)].entries()) {
      const edit = edits[index];
      if (edit !== undefined) writeFileSync(agent, readFileSync(agent, 'utf8').replace(...edit));
      const args = [...line.matchAll(/"([^"]*)"|(\S+)/g)].map(([, quoted, bare]) => quoted ?? bare ?? '');
      const day = args[0] === 'validate' ? [] : ['--today', today];
      const { shown: printed } = await catalog([...args, ...day], { cwd: folder });
      outputs.push(`$ npx --no daily-agent-catalog ${line}\n${printed}`);
    }
    assert.is(outputs.length, 4);
    const current = text.replace(shown, () => outputs.shift() ?? '');
    if (process.env.UPDATE === '1') writeFileSync(page, current);
    assert.is(readFileSync(page, 'utf8'), current);
  });
});

const pages = ['README.md', 'CONTRIBUTING.md', 'ARCHITECTURE.md', 'SECURITY.md'];
// Examples in rules.md contain invalid links on purpose.
const docs = readdirSync(join(bundled, 'docs')).filter((name) => name.endsWith('.md') && name !== 'rules.md');
for (const path of [...pages, ...docs.map((name) => `docs/${name}`)]) {
  test(`the links of ${path} lead to existing files and headings`, () => {
    assert.equal(brokenLinks(bundled, path), []);
  });
}

test.run();
