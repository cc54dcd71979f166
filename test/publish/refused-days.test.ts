import { rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { temporaryFolder } from '../support/catalog.ts';
import { addAgent, said, save, startCatalog } from '../support/editor.ts';
import { type Forge, makeForge } from '../support/forge.ts';
import { git } from '../support/git.ts';
import { loud } from '../support/loud.ts';
import { live, numbers, published, stopped } from '../support/publication-days.ts';

/** Runs of the actual steps of publish.yml that must leave the main branch as it is, although an agent is due. */

const folder = temporaryFolder();
const editor = join(folder.path, 'editor');
let forge: Forge;

test.before(
  loud(async () => {
    forge = await makeForge(folder.path);
    await startCatalog(forge, editor);
    addAgent(editor, 'example', '2027-02-27');
    await save(editor, 'Add the example agent');
  }),
);

test.after(
  loud(async () => {
    await forge?.close();
    folder.remove();
  }),
);

test('before Pages is on, and in a fork, nothing is numbered', async () => {
  const before = await git(forge.remote, 'rev-parse', 'main');

  for (const pages of [{ withoutPages: true }, { legacyPages: true }]) {
    const off = await forge.play('publish.yml', { today: '2027-02-27', ...pages });
    assert.equal(off.results, { ready: 'failure', number: 'skipped', ...stopped }, said(off));
    assert.match(said(off), '::error title=GitHub Pages is off::Nothing was published. Choose Settings → Pages');
  }

  // In a private repository, a job costs a minute, so most of the hourly runs end after the first one.
  const hour = await forge.play('publish.yml', { today: '2027-02-27', time: '08:23', private: true });
  assert.equal(hour.results, { ready: 'success', number: 'skipped', ...stopped }, said(hour));

  const fork = await forge.play('publish.yml', { today: '2027-02-27', fork: true });
  assert.equal(fork.results, { ready: 'success', number: 'skipped', ...stopped }, said(fork));

  assert.is(await git(forge.remote, 'rev-parse', 'main'), before);
});

test('on a protected branch, the run fails and says what to do, since readers would wait for an agent that is not published', async () => {
  const hook = join(forge.remote, 'hooks/update');
  writeFileSync(hook, '#!/bin/sh\nexit 1\n', { mode: 0o755 });
  const run = await forge.play('publish.yml', { today: '2027-02-27' });
  rmSync(hook);
  assert.equal(run.results, { ...published, ...stopped, push: 'failure', alert: 'success' }, said(run));
  assert.match(said(run), '::error title=The push was refused::Let this workflow push to main');
});

test('a private repository whose site is only on a server publishes without Pages', async () => {
  addAgent(editor, 'first', '2027-02-25');
  addAgent(editor, 'and-second', '2027-02-26');
  await save(editor, 'Add two agents');
  // The server serves what is deployed to it.
  rmSync(forge.pages, { recursive: true });
  symlinkSync(join(forge.runtime, 'dist'), forge.pages);
  const vars = { CATALOG_PAGES: 'off', CATALOG_BASE_URL: forge.address };
  const run = await forge.play('publish.yml', {
    today: '2027-02-26',
    time: '09:23',
    private: true,
    withoutPages: true,
    vars,
  });
  assert.equal(run.results, { ...published, deploy: 'skipped' }, said(run));
  assert.equal([await numbers(forge), live(forge)], [{ first: 1, 'and-second': 2 }, ['and-second', 'first']]);
  assert.is(await git(forge.remote, 'log', '-1', '--format=%s', 'main'), 'Publish No. 1, 2: first, and-second\n');
});

test('a change of more than `issue` lines is never pushed', async () => {
  const before = await git(forge.remote, 'rev-parse', 'main');
  for (const [file, text] of [
    ['package.json', '{ "scripts": { "prepare": "steal" } }'],
    // Longer than an environment variable can be.
    ['agents/example/prompt.txt', `INPUT\nRULES\nOUTPUT\n${'- Do not leave out a line.\n'.repeat(6000)}`],
  ] as const) {
    let workspace = '';
    const run = await forge.play('publish.yml', {
      today: '2027-02-27',
      onCheckout(folder, job) {
        if (job === 'number') workspace = folder;
      },
      async beforeStep(_job, { id }) {
        if (id !== 'patch') return;
        writeFileSync(join(workspace, file), text);
        await git(workspace, 'add', '--intent-to-add', file);
      },
    });
    assert.is(run.results.push, 'failure', said(run));
    assert.match(said(run), '::error title=Unexpected change::');
    assert.is(await git(forge.remote, 'rev-parse', 'main'), before);
  }
});

test.run();
