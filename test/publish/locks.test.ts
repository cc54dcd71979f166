import { existsSync, readdirSync, readFileSync, renameSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { Writable } from 'node:stream';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { main } from '../../src/main.ts';
import { inFolder, writeCatalog, writeFiles } from '../support/catalog.ts';
import { casesFiles } from '../support/evals.ts';
import { putLock } from '../support/lock.ts';
import { bin } from '../support/process.ts';
import { formPath, formText, submitted } from '../support/proposal.ts';
import { inRepository, issueOf, publish, refused } from '../support/publication.ts';

/** The locks of `catalog publish` and of git: of running processes, and left by killed ones. */

test('while another run has the repository, nothing is changed, and the message names its process', () =>
  inRepository(async ({ editor }) => {
    const file = join(editor, '.git/catalog-publish');
    const { pid, since } = await putLock(file);
    const words = `Another catalog publish is running in this repository (process ${pid} on ${hostname()}, since ${since}). Wait until it has finished, then run the command again.`;
    await refused(editor, new RegExp(words.replace(/[().]/g, '\\$&')), () => publish(editor));
    assert.ok(existsSync(`${file}.lock`));
  }));

test('a lock that cannot be written is reported with the reason', () =>
  inRepository(async ({ editor }) => {
    writeFiles(editor, { '.git/catalog-publish.lock/file': '' });
    await refused(editor, /Cannot write \S+catalog-publish\.lock: it is a folder, not a file \(EISDIR\)\./, () =>
      publish(editor),
    );
  }));

test('a lock of another git process is reported with the fix, and stays', () =>
  inRepository(async ({ editor }) => {
    const lock = join(editor, '.git/index.lock');
    writeFileSync(lock, '');
    const fix =
      /index\.lock exists: another git process is running in this repository, or was killed\. If none is running, delete that file/;
    await refused(editor, fix, () => publish(editor, ['--push']));
    assert.ok(existsSync(lock));
  }));

/** Git's locks in a repository. */
const locks = (editor: string) =>
  readdirSync(join(editor, '.git'), { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.lock'))
    .sort();

function leaveGitLock(editor: string, name: string, changed: Date): void {
  writeFileSync(join(editor, '.git', name), '');
  utimesSync(join(editor, '.git', name), changed, changed);
}

test('only git locks that a killed run may have left are removed, and older ones stay', () =>
  inRepository(async ({ editor }) => {
    // A whole second, which every file system can store.
    const since = Math.floor(Date.now() / 1000) * 1000 - 60_000;
    const at = (laterMs: number) => new Date(since + laterMs);
    for (const name of ['index.lock', 'refs/heads/other.lock']) leaveGitLock(editor, name, at(-1));
    for (const name of ['HEAD.lock', 'next-index-7.lock']) leaveGitLock(editor, name, at(0));
    for (const name of ['refs/heads/main', 'refs/remotes/origin/main', 'ORIG_HEAD', 'config', 'packed-refs', 'shallow'])
      leaveGitLock(editor, `${name}.lock`, at(30_000));
    await putLock(join(editor, '.git/catalog-publish'), { started: 'earlier', since: at(0).toISOString() });
    await refused(editor, /index\.lock exists: another git process/, () => publish(editor, ['--push']));
    assert.equal(locks(editor), ['index.lock', 'refs/heads/other.lock']);
    rmSync(join(editor, '.git/index.lock'));
    assert.is((await publish(editor, ['--push'])).code, 0);
    assert.equal(locks(editor), ['refs/heads/other.lock']);
  }));

test('a lock that cannot be read is taken over once it has not changed for a while, and every git lock removed', () =>
  inRepository(async ({ editor }) => {
    writeFileSync(join(editor, '.git/catalog-publish.lock'), 'half');
    leaveGitLock(editor, 'index.lock', new Date(0));
    const { code, stderr } = await publish(editor, ['--push']);
    assert.is(code, 0, stderr);
    assert.equal(locks(editor), []);
    assert.is(issueOf(editor, 'two'), '2');
  }));

/** Runs a command while another one changes agents. `finish` is what that one still does before it ends. */
async function whileChanging(folder: string, args: readonly string[], finish = () => {}): Promise<string> {
  await putLock(join(folder, '.agents'));
  let said = '';
  const errors = new Writable({
    write(chunk, _encoding, done) {
      said += chunk;
      if (String(chunk).includes('Waiting')) {
        finish();
        rmSync(join(folder, '.agents.lock'));
      }
      done();
    },
  });
  const command = [process.execPath, bin, ...args, '--cwd', folder];
  await main(command, new Writable({ write: (_chunk, _encoding, done) => done() }), errors);
  rmSync(join(folder, '.agents.lock'), { force: true });
  return said;
}

test('an agent that is published while it is renamed keeps its old address', () =>
  inFolder(async (folder) => {
    writeCatalog(folder, [{ slug: 'old', date: '2026-01-01' }]);
    await whileChanging(folder, ['rename', 'old', 'new'], () =>
      writeCatalog(folder, [{ slug: 'old', date: '2026-01-01', front: { issue: '1' } }]),
    );
    const text = readFileSync(join(folder, 'agents/new/agent.md'), 'utf8');
    assert.match(text, /^issue: 1$/m);
    assert.match(text, /^formerSlugs: \[old\]$/m);
    assert.not(existsSync(join(folder, 'agents/old')));
  }));

test('every command that changes agents waits for the one that does, and names its process', () =>
  inFolder(async (folder) => {
    writeCatalog(folder, [{ slug: 'old', date: '2026-01-01', front: { issue: '1' } }]);
    const event = { issue: { number: 7, body: submitted() }, repository: { default_branch: 'main' } };
    writeFiles(folder, {
      'saved.prompt.md': 'Summarize the notes.\n',
      'event.json': JSON.stringify(event),
      [formPath]: formText,
    });
    process.env.GITHUB_EVENT_PATH = join(folder, 'event.json');
    const other = `Another catalog command is changing agents (process ${process.pid} on ${hostname()}, since `;
    for (const args of [
      ['fix', '--write'],
      ['new', 'one'],
      ['rename', 'one', 'two'],
      ['import', join(folder, 'saved.prompt.md'), '--from', 'copilot'],
      ['publish'],
      ['ci', 'intake'],
    ]) {
      assert.match(await whileChanging(folder, args), other);
    }
    assert.ok(existsSync(join(folder, 'agents/stock-list-checker')));

    // The date is chosen after the wait: meanwhile, another draft may have taken the one that was free.
    const draft = join(folder, 'agents/stock-list-checker/agent.md');
    const date = /^date: (.+)$/m.exec(readFileSync(draft, 'utf8'))?.[1] ?? '';
    rmSync(join(folder, 'agents/stock-list-checker'), { recursive: true });
    await whileChanging(folder, ['ci', 'intake'], () => writeCatalog(folder, [{ slug: 'first', date }]));
    assert.not.match(readFileSync(draft, 'utf8'), `\ndate: ${date}\n`);
    delete process.env.GITHUB_EVENT_PATH;
  }));

test('the answers for an agent that is renamed while a model answers are not stored under its old name', () =>
  inFolder(async (folder) => {
    writeCatalog(folder, [{ slug: 'old', date: '2026-01-01', files: casesFiles }]);
    const args = ['eval', '--record', '--model', 'echo', '--command', 'cat', '--concurrency', '2'];
    const said = await whileChanging(folder, args, () =>
      renameSync(join(folder, 'agents/old'), join(folder, 'agents/new')),
    );
    assert.match(said, `Another catalog command is changing agents (process ${process.pid} on `);
    assert.match(said, 'Its agent was renamed or deleted meanwhile, so the answer is not stored.\n');
    assert.equal(readdirSync(join(folder, 'agents')), ['new']);
    const again = await whileChanging(folder, args);
    assert.match(again, 'Recorded 2 answers. 0 existed already.\n');
    assert.is(again.split('Waiting until').length, 2);
  }));

test.run();
