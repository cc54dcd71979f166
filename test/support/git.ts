import { execFileSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { inherited } from './process.ts';

/** Who commits in the tests. Git does not tidy up after each step, which starts three more processes. */
export const identity = {
  GIT_AUTHOR_NAME: 'Ada',
  GIT_AUTHOR_EMAIL: 'ada@press.example',
  GIT_COMMITTER_NAME: 'Ada',
  GIT_COMMITTER_EMAIL: 'ada@press.example',
  GIT_CONFIG_GLOBAL: fileURLToPath(new URL('../fixtures/gitconfig', import.meta.url)),
  GIT_CONFIG_SYSTEM: '/dev/null',
};

/** Runs git in a folder and returns what it wrote. Rejects where git fails. */
export async function git(cwd: string, ...args: string[]): Promise<string> {
  return execFileSync('git', args, {
    cwd,
    encoding: 'utf8',
    env: inherited(identity),
    stdio: ['ignore', 'pipe', 'pipe'],
  });
}

/** As `git`, but waits for the end, and returns the text without the newline at its end. Throws where git fails. */
export function gitSync(cwd: string, ...args: string[]): string {
  return execFileSync('git', args, {
    cwd,
    encoding: 'utf8',
    env: { ...process.env, ...identity },
    stdio: ['ignore', 'pipe', 'pipe'],
  }).trimEnd();
}

/** Commits everything in a repository at an instant. */
export function commitAt(cwd: string, instant: string): void {
  gitSync(cwd, 'add', '--all');
  const env = { ...process.env, ...identity, GIT_AUTHOR_DATE: instant, GIT_COMMITTER_DATE: instant };
  execFileSync('git', ['commit', '--quiet', '-m', 'Change the agents'], { cwd, env, stdio: 'ignore' });
}
