import { existsSync, readdirSync, readFileSync, readlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { smallAgent, temporaryFolder, writeCatalog, writeFiles } from '../support/catalog.ts';
import { type Forge, git, makeForge } from '../support/forge.ts';
import { identity } from '../support/git.ts';
import { loud } from '../support/loud.ts';
import { catalog } from '../support/process.ts';
import type { Run } from '../support/workflow.ts';

/**
 * The publication with nobody awake: the very steps of the workflows, on pretended days, against a bare repository, one
 * after the other. Each test continues where the one before it ended.
 */

const folder = temporaryFolder();
const editor = join(folder.path, 'editor');
let forge: Forge;

test.before(
  loud(async () => {
    forge = await makeForge(folder.path);
    await git(folder.path, 'clone', '--quiet', forge.remote, editor);
    await git(editor, 'checkout', '--quiet', '-b', 'main');
    writeCatalog(editor, [], { runtimeUrl: null, queueWarningDays: 1 });
    writeFiles(editor, { '.gitignore': 'dist/\npreview/\n', 'agents/.gitkeep': '', 'README.md': 'A catalog.\n' });
    await save('Start the catalog');
  }),
);

test.after(
  loud(async () => {
    await forge?.close();
    folder.remove();
  }),
);

/** Commits everything the editor has, and pushes it. */
async function save(message: string): Promise<void> {
  await git(editor, 'add', '--all');
  await git(editor, 'commit', '--quiet', '-m', message);
  await git(editor, 'push', '--quiet', '--set-upstream', 'origin', 'main');
}

function addAgent(slug: string, date: string, front: Record<string, string | null> = {}): void {
  writeFiles(join(editor, 'agents', slug), smallAgent({ slug, date, front }));
}

function agentFile(slug: string): string {
  return readFileSync(join(editor, 'agents', slug, 'agent.md'), 'latin1');
}

/** Slug → number, as the remote's main branch has them. */
async function numbers(): Promise<Record<string, number>> {
  const lines = await git(forge.remote, 'grep', '-E', '^issue: ', 'main', '--', 'agents').catch(() => '');
  return Object.fromEntries(
    lines
      .split('\n')
      .filter((line) => line !== '')
      .map((line) => [line.split('/')[1], Number(/issue: (\d+)$/.exec(line)?.[1])]),
  );
}

/** Slugs on the live site, the newest first. */
function live(): string[] {
  const { agents } = JSON.parse(readFileSync(join(forge.pages, 'api/agents.json'), 'utf8'));
  return agents.map(({ slug }: { slug: string }) => slug);
}

/** The jobs of a run that publishes, but for `alert`. */
const sound = {
  ...{ ready: 'success', number: 'success', push: 'success', build: 'success', deploy: 'success', check: 'success' },
} as const;

function said({ steps }: Run): string {
  return steps
    .map(({ job, name, code, stdout, stderr }) => `[${job}] ${name} → ${code}\n${stdout}${stderr}`)
    .join('\n');
}

test('before Pages is on, and in a fork, nothing is numbered', async () => {
  addAgent('example', '2027-02-27');
  await save('Add the example agent');
  const before = await git(forge.remote, 'rev-parse', 'main');
  const skipped = { number: 'skipped', push: 'skipped', alert: 'skipped', build: 'skipped', deploy: 'skipped' };

  const off = await forge.play('publish.yml', { today: '2027-02-27', withoutPages: true });
  assert.equal(off.results, { ready: 'failure', ...skipped, check: 'skipped' }, said(off));
  assert.match(said(off), '::error title=GitHub Pages is off::Nothing was published. Choose Settings → Pages');

  const fork = await forge.play('publish.yml', { today: '2027-02-27', fork: true });
  assert.equal(fork.results, { ready: 'success', ...skipped, check: 'skipped' }, said(fork));

  assert.is(await git(forge.remote, 'rev-parse', 'main'), before);
  await git(editor, 'rm', '--quiet', '-r', 'agents/example');
  await save('Remove the example agent');
});

test('day one: a new agent is written, checked, committed, and comes out with number 1', async () => {
  const flags = ['--title', 'The first agent', '--category', 'coding', '--difficulty', 'easy', '--runtime', 'Claude'];
  const texts = ['--tag', 'testing', '--excerpt', 'Shows that a first agent comes out on its day and not before it.'];
  const problem = ['--problem', 'Ada wants to see her first agent come out on its very day without being awake then.'];
  const made = await catalog(['new', 'first', '--date', '2027-03-01', ...flags, ...texts, ...problem], { cwd: editor });
  assert.is(made.code, 0, made.stderr);
  // The editor replaces every placeholder, which a build refuses once the agent is no draft.
  const kept = await catalog(['validate', '--today', '2027-02-28'], { cwd: editor });
  assert.is(kept.code, 0, kept.stdout + kept.stderr);
  addAgent('first', '2027-03-01', { title: 'The first agent' });
  const valid = await catalog(['validate', '--today', '2027-02-28'], { cwd: editor });
  assert.is(valid.code, 0, valid.stdout + valid.stderr);
  addAgent('second', '2027-03-02');
  await save('Add the first two agents');

  // This run starts the compiled program each time, as a runner does.
  const run = await forge.play('publish.yml', { today: '2027-03-01', inProcess: false });
  assert.equal(run.results, { ...sound, alert: 'skipped' }, said(run));
  assert.equal(await numbers(), { first: 1 });
  assert.equal(live(), ['first']);
  assert.ok(existsSync(join(forge.pages, '.well-known/agent-skills/index.json')));
  assert.match(run.summary, /No\. 1: The first agent/);
});

test('run again, the day changes nothing, and ends after the first job', async () => {
  const before = await git(forge.remote, 'rev-parse', 'main');
  const run = await forge.play('publish.yml', { today: '2027-03-01' });
  assert.equal(
    run.results,
    {
      ...sound,
      ...{ push: 'skipped', alert: 'skipped', build: 'skipped', deploy: 'skipped', check: 'skipped' },
    },
    said(run),
  );
  assert.is(await git(forge.remote, 'rev-parse', 'main'), before);
});

test('a pull request with a faulty agent gets annotations on its lines, and no preview', async () => {
  await git(editor, 'checkout', '--quiet', '-b', 'proposal');
  addAgent('faulty', '2027-03-03', { difficulty: 'impossible', title: '"::error::%0A @everyone"' });
  await git(editor, 'add', '--all');
  await git(editor, 'commit', '--quiet', '-m', 'Propose an agent');
  await git(editor, 'push', '--quiet', 'origin', 'proposal');
  const run = await forge.play('validate.yml', { today: '2027-03-01', branch: 'proposal' });
  assert.equal(run.results, { validate: 'failure' });
  const [annotation] = said(run).match(/^::error file=agents\/faulty\/agent\.md,line=\d+,col=\d+,.*$/m) ?? [];
  assert.match(annotation ?? '', /difficulty|impossible/, said(run));
  assert.match(run.summary, /agents\/faulty\/agent&#46;md/);
  assert.not.ok(existsSync(forge.preview));
});

test('a run that someone starts on a branch publishes nothing', async () => {
  const run = await forge.play('publish.yml', { today: '2027-03-03', branch: 'proposal', event: 'workflow_dispatch' });
  const skipped = Object.keys(sound).map((job) => [job, 'skipped']);
  assert.equal(run.results, { ...Object.fromEntries(skipped), alert: 'skipped' }, said(run));
});

test('mended, it gets a preview with what is not out yet', async () => {
  addAgent('faulty', '2027-03-03');
  await git(editor, 'commit', '--quiet', '--all', '-m', 'Mend it');
  await git(editor, 'push', '--quiet', 'origin', 'proposal');
  const run = await forge.play('validate.yml', { today: '2027-03-01', branch: 'proposal' });
  assert.equal(run.results, { validate: 'success' }, said(run));
  assert.ok(existsSync(join(forge.preview, 'agents/faulty.html')));
  assert.ok(existsSync(join(forge.preview, '.well-known/agent-skills/index.json')));
  assert.match(run.summary, /## Validation/);
  assert.not.match(run.summary, /\| error \|/);
});

test('after a missed day a sound agent comes out late, a faulty one is skipped and reported', async () => {
  await git(editor, 'checkout', '--quiet', 'main');
  await git(editor, 'pull', '--quiet');
  addAgent('faulty', '2027-03-03', { difficulty: 'impossible' });
  await save('Merge a faulty agent');
  const untouched = agentFile('second');

  const run = await forge.play('publish.yml', { today: '2027-03-03' });
  assert.equal(run.results, { ...sound, alert: 'success' }, said(run));
  assert.equal(await numbers(), { first: 1, second: 2 });
  assert.equal(live(), ['second', 'first']);
  await git(editor, 'pull', '--quiet');
  assert.is(agentFile('second').replace('issue: 2\n', ''), untouched);
  assert.match(run.summary, /Skipped: \*\*faulty\*\*/);
  assert.equal(forge.issues.map(({ title }) => title).sort(), ['Skipped: faulty', 'The queue is running low']);
  assert.match(forge.issues.map(({ body }) => body).join(), /impossible/);
});

test('the next run on that day makes up for a deployment that failed, and opens no second issue', async () => {
  writeFileSync(
    join(forge.pages, 'build.json'),
    JSON.stringify({ id: '0'.repeat(32), counts: { agents: 0, files: 9 } }),
  );
  const run = await forge.play('publish.yml', { today: '2027-03-03' });
  assert.is(run.results.check, 'success', said(run));
  assert.is(run.results.alert, 'success', said(run));
  assert.is(forge.issues.length, 2);
});

test('mended and moved to the free date that the message names, it comes out on that date', async () => {
  addAgent('third', '2027-03-04');
  await save('Add the next agent');
  assert.is((await catalog(['publish', '--push', '--today', '2027-03-04'], { cwd: editor, env: identity })).code, 0);
  assert.equal(await numbers(), { first: 1, second: 2, third: 3 });

  await git(editor, 'pull', '--quiet');
  addAgent('faulty', '2027-03-03');
  const late = await catalog(['publish', '--dry-run', '--today', '2027-03-04'], { cwd: editor });
  const [, free = ''] = /such as (\d{4}-\d\d-\d\d)/.exec(late.stderr) ?? [];
  assert.is(free, '2027-03-05', late.stderr);
  assert.match(late.stderr, /date\/backdated[\s\S]*first free one is 2027-03-05/);
  addAgent('faulty', free);
  await save('Mend the agent, and give it a free date');

  await forge.play('publish.yml', { today: free });
  assert.equal(await numbers(), { first: 1, second: 2, third: 3, faulty: 4 });
  assert.is(live()[0], 'faulty');
});

test('a branch that gains commits during a run is left as it is, and the next run publishes on top of them', async () => {
  await git(editor, 'pull', '--quiet');
  addAgent('fifth', '2027-03-06');
  await save('Add the fifth agent');
  const site = live();
  const run = await forge.play('publish.yml', {
    today: '2027-03-06',
    async beforeStep(job) {
      if (job !== 'push') return;
      writeFiles(editor, { 'README.md': 'Changed meanwhile.\n' });
      await save('Change the README');
    },
  });
  const left = { build: 'skipped', deploy: 'skipped', check: 'skipped' };
  assert.equal(run.results, { ...sound, alert: 'success', ...left }, said(run));
  assert.match(said(run), '::notice title=Published later::main gained commits during this run.');
  assert.equal(live(), site);

  const next = await forge.play('publish.yml', { today: '2027-03-06', event: 'push' });
  assert.is(next.results.check, 'success', said(next));
  assert.equal(await numbers(), { first: 1, second: 2, third: 3, faulty: 4, fifth: 5 });
  assert.is(live()[0], 'fifth');
  assert.is(await git(forge.remote, 'show', 'main:README.md'), 'Changed meanwhile.\n');
});

test('a change that is more than issue lines is never pushed', async () => {
  await git(editor, 'pull', '--quiet');
  addAgent('sixth', '2027-03-07');
  await save('Add the sixth agent');
  const before = await git(forge.remote, 'rev-parse', 'main');
  for (const [file, text] of [
    ['package.json', '{ "scripts": { "prepare": "steal" } }'],
    ['agents/sixth/prompt.txt', 'INPUT\nRULES\nOUTPUT\n'],
  ] as const) {
    let workspace = '';
    const run = await forge.play('publish.yml', {
      today: '2027-03-07',
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

test('the history is a line, each commit of the run names its issues and touches nothing else', async () => {
  assert.is((await git(forge.remote, 'log', '--merges', '--oneline', 'main')).trim(), '');
  const commits = (await git(forge.remote, 'log', '--format=%H', '--grep', '^Publish No', 'main')).trim().split('\n');
  assert.is(commits.length, 5);
  for (const commit of commits) {
    const change = await git(forge.remote, 'show', '--format=%s', '--numstat', commit);
    assert.match(change, /^Publish No\. \d: .*\n\n1\t0\tagents\/\w+\/agent\.md\n$/);
  }
});

test('the host of the runtime got every build, and keeps the last three', () => {
  const builds = readdirSync(join(forge.runtime, 'builds'));
  assert.is(builds.length, 3);
  const served = readlinkSync(join(forge.runtime, 'dist'));
  const { id } = JSON.parse(readFileSync(join(forge.pages, 'build.json'), 'utf8'));
  assert.is(served, `builds/${id}`);
  assert.ok(forge.keys().length >= 5);
  for (const key of forge.keys()) assert.not.ok(existsSync(dirname(key)), key);
});

test('a faulty agent that has a number stops the run, and nothing is changed', async () => {
  await git(editor, 'pull', '--quiet');
  const path = join(editor, 'agents/second/agent.md');
  writeFileSync(path, readFileSync(path, 'utf8').replace('difficulty: easy', 'difficulty: impossible'));
  addAgent('sixth', '2027-03-07');
  await save('Break a published agent');
  const site = live();
  const run = await forge.play('publish.yml', { today: '2027-03-07' });
  assert.equal(run.results, {
    ready: 'success',
    number: 'failure',
    push: 'skipped',
    alert: 'skipped',
    build: 'skipped',
    deploy: 'skipped',
    check: 'skipped',
  });
  assert.match(said(run), /::error file=agents\/second\/agent\.md,line=/);
  assert.not.ok('sixth' in (await numbers()));
  assert.equal(live(), site);
});

test.run();
