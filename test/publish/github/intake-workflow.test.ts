import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { temporaryFolder, writeFiles } from '../../support/catalog.ts';
import { said, save, startCatalog } from '../../support/editor.ts';
import { type Forge, makeForge, type PlayOptions } from '../../support/forge.ts';
import { git } from '../../support/git.ts';
import { goodSampleOutput } from '../../support/good-agent.ts';
import { hostile } from '../../support/hostile-forms.ts';
import { loud } from '../../support/loud.ts';
import { formPath, formText, type goodAnswers, submitted } from '../../support/proposal.ts';

/** A GitHub issue with a proposal becomes a pull request. Each test continues where the previous one ended. */

const folder = temporaryFolder();
const editor = join(folder.path, 'editor');
const today = '2027-03-01';
let forge: Forge;

test.before(
  loud(async () => {
    forge = await makeForge(folder.path);
    await startCatalog(forge, editor);
    writeFiles(editor, { [formPath]: formText, '.github/PULL_REQUEST_TEMPLATE.md': '- [ ] The checklist\n' });
    await save(editor, 'Add the form');
  }),
);

test.after(
  loud(async () => {
    await forge?.close();
    folder.remove();
  }),
);

const play = (number: number, body: string, options: Partial<PlayOptions> = {}) =>
  forge.play('intake.yml', { today, issue: { number, body }, ...options });
/** The files that a branch adds to main, and who wrote its last commit. */
const added = async (branch: string) =>
  (await git(forge.remote, 'diff', '--name-only', 'main', branch)).split('\n').filter((path) => path !== '');
const comments = (issue: number) => forge.discussion.comments.filter((comment) => comment.issue === issue);
const filesOf = (slug: string) =>
  ['agent.md', 'prompt.txt', 'sample-input.txt', 'sample-output.txt'].map((name) => `agents/${slug}/${name}`);
const allDone = { draft: 'success', push: 'success', answer: 'success' };

const title = '"; touch pwned; $(touch pwned) `touch pwned` \u0024{{ github.token }}';
const slug = 'touch-pwned-touch-pwned-touch-pwned-github-token';

test('a proposal gets a branch with its draft, a pull request and an answer, and none of its texts is a command', async () => {
  const workspaces: string[] = [];
  const run = await play(3, submitted({ 'agent-title': title }), {
    beforeStep: () =>
      assert.equal(
        workspaces.filter((path) => existsSync(join(path, 'pwned'))),
        [],
      ),
    onCheckout: (path) => void workspaces.push(path),
  });
  assert.equal(run.results, allDone, said(run));
  assert.is(workspaces.length, 3);
  assert.equal(await added('intake/3'), filesOf(slug));
  const agent = await git(forge.remote, 'show', `intake/3:agents/${slug}/agent.md`);
  assert.ok(agent.includes(`\ntitle: ${JSON.stringify(title)}\ndate: ${today}\ndraft: true\n`), agent);
  assert.is(await git(forge.remote, 'show', `intake/3:agents/${slug}/sample-output.txt`), goodSampleOutput);
  assert.is(
    (await git(forge.remote, 'log', '--format=%s', 'main..intake/3')).trim(),
    'content: draft the agent that #3 proposes',
  );
  const [pull] = forge.discussion.pulls;
  assert.equal([pull?.title, pull?.head, pull?.base], [`Draft: ${title}`, 'intake/3', 'main']);
  assert.match(pull?.body ?? '', /Closes #3\.[\s\S]*- \[ \] The checklist$/);
  assert.is(comments(3).length, 1);
  assert.match(comments(3)[0]?.body ?? '', `A draft of your agent is in ${pull?.html_url}.`);
});

test('an edit of the form updates the branch, the pull request and the answer', async () => {
  const run = await play(3, submitted());
  assert.equal(run.results, allDone, said(run));
  assert.equal(await added('intake/3'), filesOf('stock-list-checker'));
  assert.equal(
    forge.discussion.pulls.map((pull) => pull.title),
    ['Draft: Stock List Checker'],
  );
  assert.is(comments(3).length, 1);
});

test('an edit that breaks the form changes neither, and the answer says what to fix', async () => {
  const before = await git(forge.remote, 'rev-parse', 'intake/3');
  const run = await play(3, submitted({ category: 'cooking' }));
  assert.equal(run.results, { draft: 'success', push: 'skipped', answer: 'success' }, said(run));
  assert.is(await git(forge.remote, 'rev-parse', 'intake/3'), before);
  assert.match(
    comments(3)[0]?.body ?? '',
    /Please fix this:\n\n- .*Category.*"cooking"[\s\S]*the pull request keeps your previous/,
  );
});

test('once an editor has amended the commit of the branch, an edit of the form does not overwrite it', async () => {
  await git(editor, 'fetch', '--quiet', 'origin');
  await git(editor, 'checkout', '--quiet', '-b', 'intake/3', 'origin/intake/3');
  writeFiles(editor, { 'agents/stock-list-checker/prompt.txt': 'Better\n' });
  await git(editor, 'commit', '--quiet', '--all', '--amend', '--no-edit');
  await git(editor, 'push', '--quiet', '--force', 'origin', 'intake/3');
  const run = await play(3, submitted());
  assert.equal(run.results, allDone, said(run));
  assert.is(await git(forge.remote, 'show', 'intake/3:agents/stock-list-checker/prompt.txt'), 'Better\n');
  assert.match(comments(3)[0]?.body ?? '', /An editor has already changed the draft in https:.*\/pull\/100, so/);
});

test('a comment of a stranger with our mark is not overwritten', async () => {
  const [own] = comments(3);
  forge.discussion.comments.unshift({ id: 99, issue: 4, body: own?.body ?? '', user: { type: 'User' } });
  forge.discussion.mayOpenPulls = false;
  const run = await play(4, submitted());
  assert.equal(run.results, allDone, said(run));
  assert.equal(await added('intake/4'), filesOf('stock-list-checker'));
  assert.is(comments(4)[0]?.body, own?.body);
  assert.match(comments(4)[1]?.body ?? '', 'workflows may not open pull requests in this repository');
  forge.discussion.mayOpenPulls = true;
});

test('a change of anything but the new files of an agent is not pushed', async () => {
  for (const path of ['agents/other/run.sh', 'agents/.gitkeep']) {
    const run = await play(5, submitted(), {
      onCheckout: (workspace, job) => (job === 'draft' ? writeFiles(workspace, { [path]: 'echo hello\n' }) : undefined),
    });
    assert.equal(run.results, { draft: 'success', push: 'failure', answer: 'success' }, said(run));
    assert.match(said(run), `${path}\n::error title=Unexpected change`);
    assert.is(await git(forge.remote, 'branch', '--list', 'intake/5'), '');
    assert.match(comments(5)[0]?.body ?? '', 'the draft could not be saved');
  }
});

/** The hostile answers that become drafts, in as few forms as possible: each form has one for every field. */
function hostileForms(): { answers: Partial<typeof goodAnswers>; slug: string }[] {
  const forms: Partial<typeof goodAnswers>[] = [];
  for (const [, answers] of hostile.filter(([, , expected]) => Array.isArray(expected))) {
    const free = forms.find((form) => Object.keys(answers).every((field) => !(field in form)));
    if (free === undefined) forms.push({ ...answers });
    else Object.assign(free, answers);
  }
  return forms.map((answers) => {
    const [, , expected] = hostile.find(([, one]) => one['agent-title'] === answers['agent-title']) ?? [];
    return { answers, slug: Array.isArray(expected) ? expected[0].replace(/\/.*/, '') : '' };
  });
}

for (const [index, { answers, slug: made }] of hostileForms().entries()) {
  test(`hostile ${Object.keys(answers).join(', ')} run no command and change no other file: ${made}`, async () => {
    const workspaces: string[] = [];
    const run = await play(20 + index, submitted(answers), {
      onCheckout: (path) => void workspaces.push(path),
      beforeStep: () => {
        for (const path of workspaces) assert.not.ok(existsSync(join(path, 'pwned')));
      },
    });
    assert.equal(run.results, allDone, said(run));
    assert.equal(await added(`intake/${20 + index}`), filesOf(made));
    assert.not.match(said(run), /^::/m);
    assert.is(comments(20 + index).length, 1);
  });
}

test('hostile answers that cannot be a draft are not pushed', async () => {
  const refused = hostile.filter(
    ([, , expected]) => expected instanceof RegExp && !/code block|poses/.test(expected.source),
  );
  const answers = Object.assign({}, ...refused.map(([, each]) => each), { notes: '' });
  const run = await play(40, submitted(answers));
  assert.equal(run.results, { draft: 'success', push: 'skipped', answer: 'success' }, said(run));
  assert.match(comments(40)[0]?.body ?? '', 'Please fix this:');
});

test('other GitHub issues, and closed ones, start nothing', async () => {
  const skipped = { draft: 'skipped', push: 'skipped', answer: 'skipped' };
  assert.equal((await play(6, 'Please add an agent.')).results, skipped);
  assert.equal((await play(6, '', { issue: { number: 6, body: submitted(), state: 'closed' } })).results, skipped);
  const other = await play(6, '### Agent\n\nrelease-notes');
  assert.equal(other.results, { draft: 'success', push: 'skipped', answer: 'skipped' }, said(other));
  assert.equal(comments(6), []);
});

test.run();
