import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { temporaryFolder } from '../support/catalog.ts';
import { addAgent, said, save, startCatalog } from '../support/editor.ts';
import { type Forge, makeForge } from '../support/forge.ts';
import { git } from '../support/git.ts';
import { loud } from '../support/loud.ts';

/** What the workflows do for a pull request, on a simulated day. Each test continues where the previous one ended. */

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

test('a pull request with an error in an agent gets annotations on its lines, and no preview', async () => {
  await git(editor, 'checkout', '--quiet', '-b', 'proposal');
  addAgent(editor, 'faulty', '2027-03-03', { difficulty: 'impossible', title: '"::error::%0A @everyone"' });
  await save(editor, 'Propose an agent', 'proposal');
  const run = await forge.play('validate.yml', { today: '2027-03-01', branch: 'proposal' });
  assert.equal(run.results, { validate: 'failure' });
  const [annotation] = said(run).match(/^::error file=agents\/faulty\/agent\.md,line=\d+,col=\d+,.*$/m) ?? [];
  assert.match(annotation ?? '', /difficulty|impossible/, said(run));
  assert.match(run.summary, /agents\/faulty\/agent&#46;md/);
  assert.not.ok(existsSync(forge.preview));
});

test('once fixed, it gets a preview that includes unpublished agents', async () => {
  addAgent(editor, 'faulty', '2027-03-03');
  await save(editor, 'Fix it', 'proposal');
  const run = await forge.play('validate.yml', { today: '2027-03-01', branch: 'proposal' });
  assert.equal(run.results, { validate: 'success' }, said(run));
  assert.ok(existsSync(join(forge.preview, 'agents/faulty.html')));
  assert.ok(existsSync(join(forge.preview, '.well-known/agent-skills/index.json')));
  assert.match(run.summary, /## Validation/);
  assert.not.match(run.summary, /\| error \|/);
});

test('a run that was started on another branch publishes nothing', async () => {
  const run = await forge.play('publish.yml', { today: '2027-03-03', branch: 'proposal', event: 'workflow_dispatch' });
  const jobs = ['ready', 'number', 'push', 'alert', 'build', 'install', 'deploy', 'check', 'announce'];
  assert.equal(run.results, Object.fromEntries(jobs.map((job) => [job, 'skipped'])), said(run));
});

test.run();
