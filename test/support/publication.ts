import { mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import * as assert from 'uvu/assert';
import { inFolder, type SmallAgent, snapshot, writeCatalog } from './catalog.ts';
import { git, gitSync, identity } from './git.ts';
import { makeOnce } from './make-once.ts';
import { catalog, type Finished } from './process.ts';

/** A catalog in a repository with a remote, for tests that run `npx --no daily-agent-catalog publish` in it. */

/** The day on which `publish` runs. */
export const today = '2027-03-02';
/** Runs `catalog publish` in a folder. */
export const publish = (cwd: string, args: string[] = [], env: NodeJS.ProcessEnv = {}) =>
  catalog(['publish', '--today', today, ...args], { cwd, env: { ...identity, ...env } });

/** One published agent, and one due today. */
export const agents: SmallAgent[] = [
  { slug: 'one', date: '2027-03-01', front: { issue: '1' } },
  { slug: 'two', date: '2027-03-02' },
];

/** Runs `use` with a catalog that is committed to main, and pushed to a bare repository beside it. */
export async function inRepository(
  use: (place: { editor: string; remote: string; folder: string }) => Promise<void>,
  content: SmallAgent[] = agents,
): Promise<void> {
  await inFolder(async (folder) => {
    const editor = join(folder, 'editor');
    const remote = join(folder, 'remote.git');
    makeOnce(folder, `with remote: ${JSON.stringify(content)}`, () => {
      mkdirSync(editor);
      writeCatalog(editor, content);
      gitSync(folder, 'init', '--quiet', '--bare', '--initial-branch', 'main', remote);
      gitSync(editor, 'init', '--quiet', '--initial-branch', 'main');
      gitSync(editor, 'remote', 'add', 'origin', remote);
      gitSync(editor, 'add', '--all');
      gitSync(editor, 'commit', '--quiet', '-m', 'Start');
      gitSync(editor, 'push', '--quiet', '--set-upstream', 'origin', 'main');
    });
    await use({ editor, remote, folder });
  });
}

/** What must not change when a command is refused: the files, and the commits. */
export async function state(editor: string): Promise<unknown> {
  const files = Object.entries(snapshot(editor)).filter(([path]) => !path.startsWith('.git/'));
  return [files, await git(editor, 'log', '--all', '--format=%H')];
}

/** Fails unless the command ends with 1 and these words, without a stack, and changes neither files nor commits. */
export async function refused(editor: string, words: RegExp, run: () => Promise<Finished>): Promise<void> {
  const before = await state(editor);
  const { code, stderr } = await run();
  assert.is(code, 1, stderr);
  assert.match(stderr, words);
  assert.not.match(stderr, /This is a bug|\n +at /);
  assert.equal(await state(editor), before);
}

/** The number in the front matter of an agent, if it has one. */
export const issueOf = (editor: string, slug: string) =>
  /^issue: (\d+)$/m.exec(readFileSync(join(editor, 'agents', slug, 'agent.md'), 'utf8'))?.[1];
