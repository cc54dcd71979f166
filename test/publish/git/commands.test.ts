import { chmodSync, readFileSync, realpathSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { findDefaultBranch } from '../../../src/content/history.ts';
import { type GitError, git, gitFiles, isInRepository } from '../../../src/lib/git.ts';
import { Checkout } from '../../../src/publish/checkout.ts';
import { inFolder, writeFiles } from '../../support/catalog.ts';
import { gitSync } from '../../support/git.ts';

/** How git is called, and where it keeps what the cache of builds depends on. */

const failureOf = (work: () => unknown): GitError => {
  try {
    work();
  } catch (error) {
    return error as GitError;
  }
  throw new Error('It did not fail.');
};

test('a git that is missing, one that may not be run, a refusal, and one that says nothing are told apart', () =>
  inFolder((folder) => {
    const own = process.env.PATH;
    const refused = failureOf(() => git(folder, ['rev-parse', 'HEAD']));
    assert.match(refused.message, 'not a git repository');
    try {
      process.env.PATH = folder;
      assert.is(failureOf(() => git(folder, ['status'])).missing, true);
      writeFiles(folder, { git: 'x' });
      const { missing, message } = failureOf(() => git(folder, ['status']));
      assert.equal(
        [refused.missing, missing, message],
        [false, false, 'git cannot be run: permission is denied (EACCES)'],
      );
      for (const [script, call, words] of [
        ['exit 1', () => git(folder, ['-c', 'core.quotePath=false', 'log']), 'git log failed without a message'],
        ['exit 0', () => new Checkout(folder), 'git names no repository'],
      ] as const) {
        writeFiles(folder, { git: `#!/bin/sh\n${script}\n` });
        chmodSync(join(folder, 'git'), 0o755);
        assert.is(failureOf(call).message, words);
      }
    } finally {
      process.env.PATH = own;
    }
  }));

test('the default branch is looked for without Git outside of a repository, and with one call of it inside, also by a link', () =>
  inFolder((folder) => {
    const [calls, tools] = [join(folder, 'calls'), join(folder, 'tools')];
    const [outside, inside, link] = ['outside', 'inside/catalog', 'link'].map((name) => join(folder, name));
    writeFiles(folder, {
      'outside/x': '',
      'inside/catalog/x': '',
      'tools/git': `#!/bin/sh\necho "$PWD" >> '${calls}'\nPATH='${process.env.PATH}' exec git "$@"\n`,
    });
    chmodSync(join(tools, 'git'), 0o755);
    gitSync(join(folder, 'inside'), 'init', '--quiet', '--initial-branch', 'main');
    gitSync(join(folder, 'inside'), 'commit', '--quiet', '--allow-empty', '-m', 'Start');
    symlinkSync(String(inside), String(link));
    const own = process.env.PATH;
    process.env.PATH = `${tools}:${own}`;
    try {
      for (const place of [outside, link]) findDefaultBranch(String(place));
    } finally {
      process.env.PATH = own;
    }
    assert.is(readFileSync(calls, 'utf8'), `${realpathSync(String(inside))}\n`);
  }));

test('a linked working tree depends on its own HEAD and on the branches of the main one', () =>
  inFolder((folder) => {
    const [main, linked] = [join(folder, 'main'), join(folder, 'linked')];
    gitSync(folder, 'init', '--quiet', main);
    gitSync(main, 'commit', '--quiet', '--allow-empty', '-m', 'Start');
    gitSync(main, 'worktree', 'add', '--quiet', '--detach', linked);
    writeFiles(linked, { 'catalog/agents/x': '' });
    const common = ['HEAD', 'config', 'packed-refs', 'shallow', 'refs', 'reftable'].map((name) =>
      join(main, '.git', name),
    );
    const own = join(main, '.git/worktrees/linked');
    const found = gitFiles(join(linked, 'catalog'), {});
    assert.equal(found, [join(own, 'HEAD'), join(own, 'reftable'), ...common]);
    assert.equal(gitFiles(join(linked, 'catalog'), { GIT_DIR: join(main, '.git') }), null);
    assert.equal([main, linked, folder].map(isInRepository), [true, true, false]);
    // A repository may be made there later.
    assert.equal(gitFiles(folder, {})?.slice(0, 2), [join(folder, '.git'), join(folder, '../.git')]);
  }));

test.run();
