import { appendFileSync, existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { inFolder, type SmallAgent, smallAgent, writeCatalog, writeFiles } from '../support/catalog.ts';
import { gitSync } from '../support/git.ts';
import { putLock } from '../support/lock.ts';
import { inRepository, issueOf, publish, refused } from '../support/publication.ts';

/** What a killed run of `catalog publish` leaves in the working tree, and what the next run does about it. */

/** The numbers 12 and 13 are due, on 2 March. A line that only ends like one with a number is none. */
const content: SmallAgent[] = [
  { slug: 'one', date: '2027-02-28', front: { issue: '11' } },
  { slug: 'two', date: '2027-03-01', front: { title: 'The two agent # follows issue: 5' } },
  { slug: 'three', date: '2027-03-02' },
];
const fileOf = (editor: string, slug: string) => join(editor, 'agents', slug, 'agent.md');

/** An agent.md of the catalog with a number below its date, or below another line. */
function withNumber(editor: string, slug: string, issue: number, below = 'date'): string {
  return readFileSync(fileOf(editor, slug), 'utf8').replace(new RegExp(`^${below}: .*\n`, 'm'), `$&issue: ${issue}\n`);
}
function number(editor: string, slug: string, issue: number, below?: string): void {
  writeFileSync(fileOf(editor, slug), withNumber(editor, slug, issue, below));
}

/** Leaves the lock of a run that was killed. */
const leaveLock = (editor: string) => putLock(join(editor, '.git/catalog-publish'), { started: 'earlier' });

/** Fails unless No. 12 and 13 were committed and pushed, and nothing else is left. */
function assertPublished(editor: string): void {
  assert.equal([issueOf(editor, 'two'), issueOf(editor, 'three')], ['12', '13']);
  assert.is(gitSync(editor, 'log', '-1', '--format=%s', 'origin/main'), 'Publish No. 12 and 13');
  assert.is(gitSync(editor, 'diff', '--shortstat', 'HEAD^'), ' 2 files changed, 2 insertions(+)');
  assert.is(gitSync(editor, 'status', '--porcelain', '--ignored', '--branch'), '## main...origin/main');
}

/** A file at HEAD, at the upstream, in the working tree, and in the index if it differs from HEAD there. */
type FileState = [what: string, head: string | null, next: string | null, found: string | null, staged?: string];

/** Leaves files like this in the working tree of a branch that is one commit behind. */
function leave(editor: string, files: FileState[]): void {
  const write = (pick: (file: FileState) => string | null | undefined) => {
    for (const file of files) {
      const text = pick(file);
      if (text === null) rmSync(join(editor, file[0]), { force: true });
      else if (text !== undefined) writeFiles(editor, { [file[0]]: text });
    }
  };
  const commit = (message: string) => {
    gitSync(editor, 'add', '--all');
    gitSync(editor, 'commit', '--quiet', '--allow-empty', '-m', message);
  };
  write(([, head]) => head);
  commit('Add files');
  write(([, , next]) => next);
  commit('Change files');
  gitSync(editor, 'push', '--quiet');
  gitSync(editor, 'reset', '--quiet', '--hard', 'HEAD^');
  write(([, , , , staged]) => staged);
  gitSync(editor, 'add', '--all');
  write(([, , , found]) => found);
}

test('files that a killed git was writing are restored, and the run continues', () =>
  inRepository(async ({ editor }) => {
    const files: FileState[] = [
      ['removed to be rewritten', 'old\n', 'new\n', null],
      ['rewritten, but not in the index', 'old\n', 'new\n', 'new\n'],
      ['half rewritten', 'old\n', 'new\n', 'ne'],
      ['emptied', 'old\n', 'new\n', ''],
      ['new, but not in the index', null, 'new\n', 'new\n'],
      ['new and half written', null, 'new\n', 'n'],
      ['removed', 'old\n', null, null],
      ['rewritten in the index only', 'old\n', 'new\n', 'old\n', 'new\n'],
      ['new in the index only', null, 'new\n', null, 'new\n'],
      ['agents/two/.agent.md.draft-4711', null, null, 'dra'],
    ];
    leave(editor, files);
    // Everything up to the number, which the remaining text would follow.
    writeFileSync(fileOf(editor, 'three'), withNumber(editor, 'three', 13).replace(/(?<=issue: 13\n)[\s\S]*/, 'cat'));
    await leaveLock(editor);
    const { code, stderr } = await publish(editor, ['--push']);
    assert.is(code, 0, stderr);
    assertPublished(editor);
    for (const [name, , next] of files) {
      assert.is(existsSync(join(editor, name)) ? readFileSync(join(editor, name), 'utf8') : null, next, name);
    }
  }, content));

test("after a killed run, any other change is someone's work, so it is refused and kept", () =>
  inRepository(async ({ editor }) => {
    const three = readFileSync(fileOf(editor, 'three'), 'utf8');
    leave(editor, [
      ['agents/three/agent.md', three, three.replace('title: The', 'title: A'), '---\ntitle: The'],
      ['edited', 'old\n', 'new\n', 'mine\n'],
      ['edited after the update', 'old\n', 'new\n', 'new\nmine\n'],
      ['cut', 'old\n', 'new\n', 'ol'],
      ['staged', 'old\n', 'new\n', 'mine\n', 'mine\n'],
      ['new', null, null, 'issue: 12\n'],
      ['new in the index only', null, null, null, 'mine\n'],
    ]);
    number(editor, 'two', 99);
    await leaveLock(editor);
    const before = gitSync(editor, 'status', '--porcelain');
    await refused(editor, /uncommitted changes:/, () => publish(editor, ['--push']));
    assert.is(gitSync(editor, 'status', '--porcelain'), before);
  }, content));

test('without a remote, files are restored from the last commit', () =>
  inRepository(async ({ editor }) => {
    gitSync(editor, 'remote', 'remove', 'origin');
    rmSync(fileOf(editor, 'one'));
    await leaveLock(editor);
    const { code, stderr } = await publish(editor, ['--commit']);
    assert.is(code, 0, stderr);
    assert.is(gitSync(editor, 'status', '--porcelain'), '');
  }, content));

const unfinished: [what: string, leave: (editor: string) => void][] = [
  ['all numbers', (editor) => [number(editor, 'two', 12), number(editor, 'three', 13)]],
  ['the first number', (editor) => number(editor, 'two', 12)],
  ['the last number', (editor) => number(editor, 'three', 13)],
  [
    'numbers in the index',
    (editor) => {
      number(editor, 'two', 12);
      number(editor, 'three', 13);
      gitSync(editor, 'add', '--all');
    },
  ],
];
for (const [what, leave] of unfinished) {
  test(`uncommitted numbers are committed if they are still the next ones: ${what}`, () =>
    inRepository(async ({ editor }) => {
      leave(editor);
      const { code, stderr } = await publish(editor, ['--push']);
      assert.is(code, 0, stderr);
      assertPublished(editor);
    }, content));
}

const edits: [what: string, edit: (editor: string) => void, words?: RegExp][] = [
  ['numbers in another order', (editor) => [number(editor, 'two', 13), number(editor, 'three', 12)]],
  ['the number of another agent', (editor) => number(editor, 'two', 13)],
  ['a next number and one that skips some', (editor) => [number(editor, 'two', 12), number(editor, 'three', 15)]],
  [
    'a number and a word',
    (editor) => {
      number(editor, 'two', 12);
      appendFileSync(fileOf(editor, 'two'), 'Mine.\n');
    },
  ],
  ['a number in another line', (editor) => number(editor, 'two', 12, 'title')],
  [
    'a number in a committed agent.md without front matter',
    (editor) => {
      writeFileSync(fileOf(editor, 'two'), 'Mine.\n');
      gitSync(editor, 'commit', '--quiet', '--all', '-m', 'Start over');
      writeFileSync(fileOf(editor, 'two'), 'Mine.\nissue: 12\n');
    },
  ],
  ['an agent.md that is gone', (editor) => rmSync(fileOf(editor, 'two'))],
  [
    'a new agent with a number',
    (editor) =>
      writeFiles(join(editor, 'agents/new'), smallAgent({ slug: 'new', date: '2027-03-01', front: { issue: '12' } })),
  ],
  [
    'a number and an error in a published agent',
    (editor) => {
      number(editor, 'two', 12);
      const file = fileOf(editor, 'one');
      writeFileSync(file, readFileSync(file, 'utf8').replace('difficulty: easy', 'difficulty: none'));
    },
    /1 error/,
  ],
];
for (const [what, edit, words = /uncommitted changes:/] of edits) {
  test(`any other uncommitted change is kept: ${what}`, () =>
    inRepository(async ({ editor }) => {
      edit(editor);
      await refused(editor, words, () => publish(editor, ['--push']));
    }, content));
}

test('in a folder of a larger repository, only numbers below its own agents are taken back', () =>
  inFolder(async (folder) => {
    const catalog = join(folder, 'press');
    writeCatalog(catalog, content);
    writeCatalog(join(catalog, 'old'), content);
    gitSync(folder, 'init', '--quiet', '--initial-branch', 'main');
    gitSync(folder, 'add', '--all');
    gitSync(folder, 'commit', '--quiet', '-m', 'Start');
    number(catalog, 'two', 12);
    number(join(catalog, 'old'), 'two', 12);
    await refused(folder, /uncommitted changes:\n {2} M press\/old\/agents\/two\/agent\.md\n\w/, async () => {
      const finished = await publish(catalog, ['--commit']);
      assert.is(issueOf(catalog, 'two'), undefined);
      number(catalog, 'two', 12);
      return finished;
    });
  }));

test.run();
