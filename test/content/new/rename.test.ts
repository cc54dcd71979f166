import { existsSync, mkdirSync, readFileSync, rmdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { renameAgent, withFormerSlug } from '../../../src/content/fix-and-rename.ts';
import { loadContent } from '../../../src/content/load.ts';
import { loadSettings } from '../../../src/content/settings.ts';
import { inFolder, type SmallAgent, snapshot, writeCatalog } from '../../support/catalog.ts';
import { dieAt } from '../../support/die-at.ts';
import { gitSync } from '../../support/git.ts';
import { catalog } from '../../support/process.ts';

/** `catalog rename`: a published agent keeps its number and date, and its old address redirects to the new one. */

const agents: SmallAgent[] = [
  { slug: 'one', date: '2026-01-01', front: { issue: '1', formerSlugs: '[first]' } },
  { slug: 'two', date: '2026-01-02', front: { issue: '2 # written by publish' } },
  { slug: 'deleted', date: '2026-01-03', front: { issue: '3' } },
  { slug: 'coming', date: '2099-01-01' },
];

async function inCatalog(use: (folder: string) => Promise<void>): Promise<void> {
  await inFolder(async (folder) => {
    writeCatalog(folder, agents);
    gitSync(folder, 'init', '--quiet', '--initial-branch', 'main');
    gitSync(folder, 'add', '--all');
    gitSync(folder, 'commit', '--quiet', '-m', 'Start');
    rmSync(join(folder, 'agents/deleted'), { recursive: true });
    await use(folder);
  });
}

const rename = (folder: string, ...args: string[]) => catalog(['rename', ...args], { cwd: folder });
const read = (folder: string, slug: string) => readFileSync(join(folder, 'agents', slug, 'agent.md'), 'utf8');

function assertSound(folder: string): void {
  const { diagnostics } = loadContent(folder, loadSettings(folder, {}, {}), '2026-02-01');
  assert.equal(
    diagnostics.map(({ code, file }) => `${code} ${file}`),
    ['record/deleted agents/deleted'],
  );
}

test('a published agent is renamed twice and then back, and every old address redirects to it', () =>
  inCatalog(async (folder) => {
    const before = read(folder, 'two');
    const { code, stderr, stdout } = await rename(folder, 'two', 'deux');
    assert.is(code, 0, stderr);
    assert.match(stderr, 'Renamed two to deux. It is No. 2, and its old address redirects to the new one.');
    assert.ok(stdout.trim().endsWith('agents/deux'));
    assert.not(existsSync(join(folder, 'agents/two')));
    const line = 'issue: 2 # written by publish\n';
    assert.is(read(folder, 'deux'), before.replace(line, `${line}formerSlugs: [two]\n`));
    assertSound(folder);

    assert.is((await rename(folder, 'agents/deux/', 'zwei')).code, 0);
    assert.match(read(folder, 'zwei'), '\nformerSlugs: [two, deux]\n');
    assertSound(folder);

    assert.is((await rename(folder, 'zwei', 'agents/two/')).code, 0);
    assert.match(read(folder, 'two'), '\nformerSlugs: [deux, zwei]\n');
    assertSound(folder);
  }));

test('an unpublished agent only moves; --json prints the result for programs', () =>
  inCatalog(async (folder) => {
    const before = read(folder, 'coming');
    const said = (await rename(folder, 'coming', 'soon')).stderr;
    assert.is(said, 'Renamed coming to soon. Add both to the next commit: git add --all agents/coming agents/soon\n');
    const { stdout, stderr } = await rename(folder, 'soon', 'later', '--format', 'json');
    assert.is(stderr, '');
    assert.equal(JSON.parse(stdout), { from: 'soon', to: 'later', folder: 'agents/later', issue: null });
    assert.is(read(folder, 'later'), before);
    assertSound(folder);
    // A server that builds may show it, with a number that is not in Git.
    writeCatalog(folder, [{ slug: 'due', date: '2026-01-04' }]);
    assert.match(
      (await rename(folder, 'due', 'late')).stderr,
      'late. It has no number yet, so its old address does not',
    );
  }));

const refusals: [name: string, args: string[], code: number, words: RegExp][] = [
  ['an agent that is not there', ['tow', 'three'], 1, /There is no agent tow in agents\/\. Did you mean two\?/],
  ['a former name', ['first', 'three'], 1, /It is now called one/],
  ['the name of another agent', ['two', 'one'], 1, /agents\/one already exists/],
  ['the former name of another agent', ['two', 'first'], 1, /"first" is a former slug of one/],
  ['a reserved name', ['two', 'con'], 2, /con/],
  [
    'an agent that was deleted',
    ['deleted', 'three'],
    1,
    /no agent deleted in agents\/\. It was published and then deleted/,
  ],
  ['the name of an agent that was deleted', ['two', 'deleted'], 1, /"deleted" was published as No\. 3; choose another/],
  ['what is no slug', ['two', 'Deux Fois'], 2, /lowercase words joined by hyphens/],
  ['its own name', ['two', 'two'], 2, /already called two/],
  ['a hidden leftover in the way', ['two', 'busy'], 1, /already exists/],
];
for (const [name, args, code, words] of refusals) {
  test(`${name} is refused, and nothing changes`, () =>
    inCatalog(async (folder) => {
      mkdirSync(join(folder, 'agents/busy'));
      const before = snapshot(join(folder, 'agents'));
      const finished = await rename(folder, ...args);
      assert.is(finished.code, code, finished.stderr);
      assert.match(finished.stderr, words);
      assert.equal(snapshot(join(folder, 'agents')), before);
    }));
}

test('a folder whose agent.md cannot be written keeps its name', () =>
  inCatalog(async (folder) => {
    const before = snapshot(join(folder, 'agents'));
    // A folder at the path of the draft.
    const inTheWay = join(folder, `agents/two/.agent.md.draft-${process.pid}`);
    mkdirSync(inTheWay);
    const { code, stderr } = await rename(folder, 'two', 'deux');
    assert.is(code, 1, stderr);
    assert.match(stderr, 'agents/two cannot be renamed');
    rmdirSync(inTheWay);
    assert.equal(snapshot(join(folder, 'agents')), before);
    assert.not(existsSync(join(folder, 'agents/deux')));
  }));

test('a rename that is killed at any step can be run again', () =>
  inCatalog(async (folder) => {
    const move = (from: string, to: string) => {
      const content = loadContent(folder, loadSettings(folder, {}, {}), '2026-02-01');
      try {
        renameAgent(folder, content, from, to);
      } catch (error) {
        throw (error as Error).cause ?? error;
      }
    };
    let names: [from: string, to: string] = ['two', 'deux'];
    let step = 1;
    while (dieAt(step, () => move(...names))) {
      step += 1;
      // If it was killed before the folder moved. Then the next step is killed on the way back.
      if (existsSync(join(folder, 'agents', names[0]))) move(...names);
      assert.is(existsSync(join(folder, 'agents', names[0])), false);
      assert.match(read(folder, names[1]), `formerSlugs: [${names[0]}]`);
      names = [names[1], names[0]];
    }
    assert.ok(step > 3, `only ${step} steps`);
  }));

test('a published agent whose agent.md is not text is not said to have its front matter on one line', () =>
  inCatalog(async (folder) => {
    writeFileSync(join(folder, 'agents/two/agent.md'), Buffer.from([0xff, 0xfe, 0]));
    const { code, stderr } = await rename(folder, 'two', 'deux');
    assert.is(code, 1);
    assert.match(
      stderr,
      'agents/two/agent.md cannot be read. Run npx --no daily-agent-catalog validate, which says why.',
    );
  }));

const page = (lines: string) =>
  `---\ntitle: x\ndate: 2026-01-01\nissue: 7\n${lines}tags: [a]\n---\nBody: formerSlugs\n`;
const edits: [name: string, before: string, after: string][] = [
  ['no list', '', 'formerSlugs: [old]\n'],
  ['an empty list', 'formerSlugs: [] # none\n', 'formerSlugs: [old] # none\n'],
  ['no value', 'formerSlugs:\n', 'formerSlugs: [old]\n'],
  ['null', 'formerSlugs: null\n', 'formerSlugs: [old]\n'],
  ['a list in brackets', 'formerSlugs: [a, "b"]  # c\n', 'formerSlugs: [a, b, old]  # c\n'],
  [
    'a list of lines with comments',
    'formerSlugs:\n  - a # first\n  - b\n  # the end\n',
    'formerSlugs:\n  - a # first\n  - b\n  - old\n  # the end\n',
  ],
  ['the new name among them', 'formerSlugs:\n- a\n- new # back\n- b\n', 'formerSlugs:\n- a\n- b\n- old\n'],
  ['the new name alone', 'formerSlugs: [new]\n', 'formerSlugs: [old]\n'],
];
for (const [name, before, after] of edits) {
  test(`formerSlugs keeps every other byte of the file: ${name}`, () => {
    assert.is(withFormerSlug(page(before), 'old', 'new'), page(after));
  });
}

test('former slugs that YAML reads as a number, a date or a truth value are quoted', () => {
  const before = ['', 'formerSlugs: ["1e5"]\n', 'formerSlugs:\n  - a\n'];
  assert.equal(
    before.map((lines) => withFormerSlug(page(lines), '2026', 'new')),
    ['formerSlugs: ["2026"]\n', 'formerSlugs: ["1e5", "2026"]\n', 'formerSlugs:\n  - a\n  - "2026"\n'].map(page),
  );
});

test('if only the default branch has the number, the line goes below the date', () => {
  const before = '---\ntitle: x\ndate: 2026-01-01\ntags: [a]\n---\n';
  const after = '---\ntitle: x\ndate: 2026-01-01\nformerSlugs: [old]\ntags: [a]\n---\n';
  assert.is(withFormerSlug(before, 'old', 'new'), after);
});

test('front matter that the line cannot be added to is left unchanged', () => {
  assert.is(withFormerSlug('---\n{"title": "x", "issue": 7}\n---\nBody\n', 'old', 'new'), null);
  assert.is(withFormerSlug('Body\n', 'old', 'new'), null);
});

test.run();
