import { existsSync, readdirSync, readFileSync, readlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { temporaryFolder, writeFiles } from '../support/catalog.ts';
import { addAgent, said, save, startCatalog } from '../support/editor.ts';
import { type Forge, makeForge } from '../support/forge.ts';
import { git, identity } from '../support/git.ts';
import { loud } from '../support/loud.ts';
import { catalog } from '../support/process.ts';
import { installNames, installRefs, live, numbers, published, stopped } from '../support/publication-days.ts';

/**
 * The unattended publication: the actual steps of the workflows, on simulated days, against a bare repository. Each
 * test continues where the previous one ended.
 */

const folder = temporaryFolder();
const editor = join(folder.path, 'editor');
let forge: Forge;

test.before(
  loud(async () => {
    forge = await makeForge(folder.path);
    await startCatalog(forge, editor);
  }),
);

test.after(
  loud(async () => {
    await forge?.close();
    folder.remove();
  }),
);

function agentFile(slug: string): string {
  return readFileSync(join(editor, 'agents', slug, 'agent.md'), 'latin1');
}

test('day one: a new agent is written, checked, committed, and published with number 1', async () => {
  const flags = ['--title', 'The first agent', '--category', 'coding', '--difficulty', 'easy', '--runtime', 'Claude'];
  const texts = ['--tag', 'testing', '--excerpt', 'Shows that a first agent comes out on its day and not before it.'];
  const problem = ['--problem', 'Ada wants to see her first agent come out on its very day without being awake then.'];
  const made = await catalog(['new', 'first', '--date', '2027-03-01', ...flags, ...texts, ...problem], { cwd: editor });
  assert.is(made.code, 0, made.stderr);
  // The editor replaces every placeholder, since a build accepts placeholders only in drafts.
  const kept = await catalog(['validate', '--today', '2027-02-28'], { cwd: editor });
  assert.is(kept.code, 0, kept.stdout + kept.stderr);
  addAgent(editor, 'first', '2027-03-01', { title: 'The first agent' });
  const valid = await catalog(['validate', '--today', '2027-02-28'], { cwd: editor });
  assert.is(valid.code, 0, valid.stdout + valid.stderr);
  addAgent(editor, 'second', '2027-03-02');
  await save(editor, 'Add the first two agents');
  // Anyone who may push a branch can give it a name that ends like the full name of the default one.
  await git(editor, 'push', '--quiet', 'origin', 'HEAD~:refs/heads/a/refs/heads/main');

  // This run starts the compiled program each time, as a runner does.
  const run = await forge.play('publish.yml', { today: '2027-03-01', inProcess: false });
  assert.equal(run.results, published, said(run));
  assert.equal(await numbers(forge), { first: 1 });
  assert.equal(live(forge), ['first']);
  assert.ok(existsSync(join(forge.pages, '.well-known/agent-skills/index.json')));
  assert.match(run.summary, /No\. 1: The first agent/);
});

test('assistants can install it from a branch and from a tag, which have its plugin and nothing of the next one', async () => {
  assert.equal(await installNames(forge), ['refs/heads/install', 'refs/tags/issue-1']);
  const files = (await git(forge.remote, 'ls-tree', '-r', '--name-only', 'issue-1')).trim().split('\n');
  assert.equal(
    files.filter((path) => !path.includes('first')),
    [
      ...['.agents/plugins/marketplace.json', '.claude-plugin/marketplace.json', '.cursor-plugin/marketplace.json'],
      ...['CHANGELOG.md', 'LICENSE', 'README.md', 'gemini-extension.json'],
    ],
  );
  const { version } = JSON.parse(await git(forge.remote, 'show', 'install:plugins/first/plugin.json'));
  assert.ok(existsSync(join(forge.pages, `plugins/first-${version}.zip`)), version);
});

test('a second run on the same day changes nothing, and ends after the first job', async () => {
  const before = await git(forge.remote, 'rev-parse', 'main');
  const installed = await installRefs(forge);
  const run = await forge.play('publish.yml', { today: '2027-03-01' });
  assert.equal(run.results, { ...published, ...stopped }, said(run));
  assert.is(await git(forge.remote, 'rev-parse', 'main'), before);
  assert.equal(await installRefs(forge), installed);
});

test('after a missed day, a valid agent is published late, and one with an error is skipped and reported', async () => {
  await git(editor, 'pull', '--quiet');
  addAgent(editor, 'faulty', '2027-03-03', { difficulty: 'impossible' });
  await save(editor, 'Merge a faulty agent');
  const untouched = agentFile('second');

  const run = await forge.play('publish.yml', { today: '2027-03-03' });
  assert.equal(run.results, { ...published, alert: 'success' }, said(run));
  assert.equal(await numbers(forge), { first: 1, second: 2 });
  assert.equal(live(forge), ['second', 'first']);
  await git(editor, 'pull', '--quiet');
  assert.is(agentFile('second').replace('issue: 2\n', ''), untouched);
  assert.match(run.summary, /Skipped: \*\*faulty\*\*/);
  assert.equal(forge.issues.map(({ title }) => title).sort(), ['Skipped: faulty', 'The queue is running low']);
  assert.match(forge.issues.map(({ body }) => body).join(), /impossible/);
});

test('the next run on that day repeats a failed deployment, and opens no second GitHub issue', async () => {
  writeFileSync(
    join(forge.pages, 'build.json'),
    JSON.stringify({ id: '0'.repeat(32), counts: { agents: 0, files: 9 } }),
  );
  const installed = await installRefs(forge);
  const run = await forge.play('publish.yml', { today: '2027-03-03' });
  assert.is(run.results.install, 'success', said(run));
  assert.equal(await installRefs(forge), installed);
  assert.is(run.results.check, 'success', said(run));
  assert.is(run.results.alert, 'success', said(run));
  assert.is(forge.issues.length, 2);
});

test('fixed and moved to the suggested free date, it is published on that date', async () => {
  addAgent(editor, 'third', '2027-03-04');
  await save(editor, 'Add the next agent');
  assert.is((await catalog(['publish', '--push', '--today', '2027-03-04'], { cwd: editor, env: identity })).code, 0);
  assert.equal(await numbers(forge), { first: 1, second: 2, third: 3 });

  await git(editor, 'pull', '--quiet');
  addAgent(editor, 'faulty', '2027-03-03');
  const late = await catalog(['publish', '--dry-run', '--today', '2027-03-04'], { cwd: editor });
  const [, free = ''] = /date\/backdated[\s\S]*later date; (\S+) is free/.exec(late.stderr) ?? [];
  assert.is(free, '2027-03-05', late.stderr);
  addAgent(editor, 'faulty', free);
  await save(editor, 'Fix the agent, and give it a free date');

  await forge.play('publish.yml', { today: free });
  assert.equal(await numbers(forge), { first: 1, second: 2, third: 3, faulty: 4 });
  assert.is(live(forge)[0], 'faulty');
});

test('a branch that gains commits during a run is left unchanged, and the next run publishes on top of it', async () => {
  await git(editor, 'pull', '--quiet');
  addAgent(editor, 'fifth', '2027-03-06');
  await save(editor, 'Add the fifth agent');
  const site = live(forge);
  const run = await forge.play('publish.yml', {
    today: '2027-03-06',
    async beforeStep(job) {
      if (job !== 'push') return;
      writeFiles(editor, { 'README.md': 'Changed meanwhile.\n' });
      await save(editor, 'Change the README');
    },
  });
  assert.equal(run.results, { ...published, ...stopped, push: 'success', alert: 'success' }, said(run));
  assert.match(said(run), '::notice title=Published later::main gained commits during this run.');
  assert.equal(live(forge), site);

  const next = await forge.play('publish.yml', { today: '2027-03-06', event: 'push' });
  assert.is(next.results.check, 'success', said(next));
  assert.equal(await numbers(forge), { first: 1, second: 2, third: 3, faulty: 4, fifth: 5 });
  assert.is(live(forge)[0], 'fifth');
  assert.is(await git(forge.remote, 'show', 'main:README.md'), 'Changed meanwhile.\n');
});

test('a run that is for an old commit, as one that is started again, does not replace a newer site, even if nothing is due', async () => {
  await git(editor, 'pull', '--quiet');
  addAgent(editor, 'fifth', '2027-03-06', {
    issue: '5',
    excerpt: 'Must not come back once the editor has taken it back.',
  });
  await save(editor, 'Change an agent');
  const site = readFileSync(join(forge.pages, 'build.json'), 'utf8');
  const run = await forge.play('publish.yml', {
    today: '2027-03-06',
    async beforeStep(job) {
      if (job !== 'push') return;
      await git(editor, 'revert', '--no-edit', 'HEAD');
      await git(editor, 'push', '--quiet');
    },
  });
  assert.equal(run.results, { ...published, ...stopped, push: 'success', alert: 'success' }, said(run));
  assert.match(said(run), '::notice title=Published later::main gained commits during this run.');
  assert.is(readFileSync(join(forge.pages, 'build.json'), 'utf8'), site);
});

test('a file that is no plugin, skill or list is never pushed to the branch, and the site stays', async () => {
  await git(editor, 'pull', '--quiet');
  addAgent(editor, 'sixth', '2027-03-07');
  await save(editor, 'Add the sixth agent');
  const site = live(forge);
  const installed = await installRefs(forge);
  let workspace = '';
  const run = await forge.play('publish.yml', {
    today: '2027-03-07',
    onCheckout(folder, job) {
      if (job === 'install') workspace = folder;
    },
    beforeStep(job) {
      if (job === 'install') writeFiles(workspace, { 'install-tree/.github/workflows/steal.yml': 'on: push\n' });
    },
  });
  assert.equal(
    run.results,
    { ...published, install: 'failure', deploy: 'skipped', check: 'skipped', alert: 'success' },
    said(run),
  );
  assert.match(said(run), '::error title=Unexpected file::');
  assert.match(said(run), '.github/workflows/steal.yml');
  assert.equal(await installRefs(forge), installed);
  assert.equal(live(forge), site);
});

test('the next run completes it: one tag for each issue, and every archive that was ever published is online', async () => {
  const run = await forge.play('publish.yml', { today: '2027-03-07' });
  assert.is(run.results.check, 'success', said(run));
  const issues = Object.values(await numbers(forge)).sort();
  assert.equal(issues, [1, 2, 3, 4, 5, 6]);
  // The numbers 2 and 3 were published without this workflow, and by one run.
  assert.equal(await installNames(forge), [
    'refs/heads/install',
    ...[1, 2, 4, 5, 6].map((issue) => `refs/tags/issue-${issue}`),
  ]);
  assert.is((await git(forge.remote, 'log', '--merges', '--oneline', 'install')).trim(), '');
  const commits = (await git(forge.remote, 'rev-list', 'install')).trim().split('\n');
  assert.is(commits.length, 5);
  for (const commit of commits) {
    const { plugins } = JSON.parse(await git(forge.remote, 'show', `${commit}:.claude-plugin/marketplace.json`));
    for (const { name, version } of plugins)
      assert.ok(existsSync(join(forge.pages, `plugins/${name}-${version}.zip`)), name);
  }
});

test('the history is linear, and each commit of a run names its numbers and changes nothing else', async () => {
  assert.is((await git(forge.remote, 'log', '--merges', '--oneline', 'main')).trim(), '');
  const commits = (await git(forge.remote, 'log', '--format=%H', '--grep', '^Publish No', 'main')).trim().split('\n');
  assert.is(commits.length, 6);
  for (const commit of commits) {
    const change = await git(forge.remote, 'show', '--format=%s', '--numstat', commit);
    assert.match(change, /^Publish No\. \d: .*\n\n1\t0\tagents\/\w+\/agent\.md\n$/);
  }
});

test('the host of the server got every build, and keeps the last three', () => {
  const builds = readdirSync(join(forge.runtime, 'builds'));
  assert.is(builds.length, 3);
  const served = readlinkSync(join(forge.runtime, 'dist'));
  const { id } = JSON.parse(readFileSync(join(forge.pages, 'build.json'), 'utf8'));
  assert.is(served, `builds/${id}`);
  assert.ok(forge.keys().length >= 5);
  for (const key of forge.keys()) assert.not.ok(existsSync(dirname(key)), key);
});

test('an error in a numbered agent stops the run, and nothing changes', async () => {
  await git(editor, 'pull', '--quiet');
  const path = join(editor, 'agents/second/agent.md');
  writeFileSync(path, readFileSync(path, 'utf8').replace('difficulty: easy', 'difficulty: impossible'));
  addAgent(editor, 'seventh', '2027-03-08');
  await save(editor, 'Break a published agent');
  const site = live(forge);
  const run = await forge.play('publish.yml', { today: '2027-03-08' });
  assert.equal(run.results, { ready: 'success', number: 'failure', ...stopped });
  assert.match(said(run), /::error file=agents\/second\/agent\.md,line=/);
  assert.not.ok('seventh' in (await numbers(forge)));
  assert.equal(live(forge), site);
});

test.run();
