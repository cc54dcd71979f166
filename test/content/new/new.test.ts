import { existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { checkContent } from '../../../src/content/load.ts';
import { agentFiles, answerChecks, complete, writeAgent } from '../../../src/content/new/agent.ts';
import { loadSettings } from '../../../src/content/settings.ts';
import { UsageError } from '../../../src/lib/errors.ts';
import { asOnlyEditor } from '../../../src/publish/checkout.ts';
import type { Diagnostic } from '../../../src/schema/diagnostics/diagnostic.ts';
import { slugFrom } from '../../../src/schema/slugs.ts';
import { inFolder, smallSettings, writeCatalog, writeFiles } from '../../support/catalog.ts';
import { character } from '../../support/characters.ts';
import { dieAt } from '../../support/die-at.ts';
import { catalog } from '../../support/process.ts';
import { errorsOf, makeNew, today } from '../../support/scaffold.ts';

/** Editors start with this: `catalog new` writes a folder that validates. */

test('a slug alone makes a valid draft; once it is no longer a draft, every remaining placeholder is reported', async () => {
  await inFolder(async (folder) => {
    writeCatalog(folder, []);
    const { code, stdout, stderr } = await makeNew(folder, 'release-notes');
    assert.is(code, 0, stderr);
    assert.match(stdout, /agents[\\/]release-notes\n$/);
    assert.is(
      stderr,
      `Created "Release Notes" for ${today} (coding, easy, Claude).
It is a draft, so builds skip it. Most of its texts are placeholders.

Next:
  1. Write sample-input.txt first: a real case with changed names. The prompt and the ideal answer follow from it.
  2. Then replace the texts in prompt.txt, sample-output.txt, agent.md. Text in [brackets] tells you what to write.
  3. npx --no daily-agent-catalog dev --cwd ${folder}    (shows it at http://localhost:3000/agents/release-notes while you write)
  4. npx --no daily-agent-catalog validate release-notes --cwd ${folder}
  5. Remove \`draft: true\` from agent.md. The agent is published on its date.

`,
    );
    assert.equal(readdirSync(join(folder, 'agents')), ['release-notes']);
    assert.equal(await errorsOf(folder), []);

    const draft = await catalog([
      'validate',
      'release-notes',
      'agents/release-notes',
      '--cwd',
      folder,
      '--today',
      today,
    ]);
    assert.is(
      draft.stderr,
      '1 agent checked, no errors.\nrelease-notes is a draft. To publish it on its date, replace the 16 placeholders that it still has, then remove `draft: true` from agent.md.\n',
    );

    const path = join(folder, 'agents', 'release-notes', 'agent.md');
    const text = readFileSync(path, 'utf8');
    for (const line of ['title: Release Notes', `date: ${today}`, 'draft: true', 'category: coding']) {
      assert.ok(text.split('\n').includes(line), `${line} in ${text}`);
    }
    writeFileSync(path, text.replace('draft: true\n', ''));
    const errors = await errorsOf(folder);
    assert.equal([...new Set(errors.map(({ code }: Diagnostic) => code))], ['text/placeholder']);
    assert.equal(
      ['agent.md', 'prompt.txt', 'sample-input.txt', 'sample-output.txt'].map(
        (name) => errors.filter(({ file }: Diagnostic) => file === `agents/release-notes/${name}`).length,
      ),
      [9, 4, 2, 1],
    );
    assert.is((await catalog(['build', '--cwd', folder, '--today', today])).code, 1);
  });
});

test('the next steps name a config, and say if the date has passed', async () => {
  await inFolder(async (folder) => {
    writeCatalog(folder, [{ slug: 'numbered', date: '2026-11-15', front: { issue: '1' } }]);
    const args = ['new', './late/', '--date', '2026-11-20', '--config', '.YAML'.toLowerCase(), '--today', today];
    const { code, stdout, stderr } = await catalog([...args, '--runtime', 'ChatGPT', 'claude'], {
      cwd: join(folder, 'agents'),
    });
    assert.equal([code, stdout], [0, 'late\n'], stderr);
    assert.ok(
      stderr.startsWith(
        'Created "Late" for 2026-11-20 (coding, easy, ChatGPT, Claude). That date has passed: it is published as soon as it is no longer a draft.\n',
      ),
      stderr,
    );
    assert.match(stderr, 'the texts in prompt.txt, config.yaml, sample-output.txt, agent.md.');
    assert.match(stderr, '  4. npx --no daily-agent-catalog validate late\n');
    assert.ok(existsSync(join(folder, 'agents/late/config.yaml')));
    const naming = readdirSync(join(folder, 'agents/late')).filter((name) =>
      readFileSync(join(folder, 'agents/late', name), 'utf8').includes('config.yaml'),
    );
    assert.equal(naming.sort(), ['prompt.txt', 'sample-input.txt']);
  });
});

test('flags fill the files, --json prints the result, and texts stay unchanged', async () => {
  await inFolder(async (folder) => {
    writeCatalog(folder, []);
    const excerpt = 'Turns "what: changed" into #notes that say what to do — für alle, 日本語 and 🎉.';
    const problem = "Ada's team: 'C:\\notes' & <b>, *all* of it & {{more}}; - and ? % @ ` too.";
    const flags = ['--title', 'Notes: the "short" way', '--category', 'WRITING', '--difficulty', 'hard'];
    const { code, stdout, stderr } = await makeNew(
      folder,
      ...flags,
      ...[
        '--runtime',
        'chatgpt',
        'Claude',
        '--tag',
        'true',
        '--tag',
        '012',
        'null',
        '--keyword',
        "what's new",
        'yodelling, loud',
        'n',
        'Off',
        '--date',
        '2026-12-01',
      ],
      ...['--excerpt', excerpt, '--problem', problem, '--config', 'json', '--format', 'json'],
    );
    assert.is(code, 0, stderr);
    assert.is(stderr, '');
    const names = ['agent.md', 'prompt.txt', 'sample-input.txt', 'sample-output.txt', 'config.json'];
    assert.equal(JSON.parse(stdout), {
      slug: 'notes-the-short-way',
      date: '2026-12-01',
      folder: 'agents/notes-the-short-way',
      files: names.map((name) => `agents/notes-the-short-way/${name}`),
      draft: true,
    });
    assert.equal(await errorsOf(folder), []);
    const built = await catalog(['build', '--drafts', '--cwd', folder, '--today', today]);
    assert.is(built.code, 0, built.stderr);
    const path = join(folder, 'dist', 'api', 'agents', 'notes-the-short-way.json');
    const { agent } = JSON.parse(readFileSync(path, 'utf8'));
    assert.is(agent.title, 'Notes: the "short" way');
    assert.is(agent.excerpt, excerpt);
    assert.is(agent.problem, problem);
    assert.is(agent.category, 'writing');
    assert.equal(agent.runtimes, ['ChatGPT', 'Claude']);
    assert.equal(agent.tags, ['true', '012', 'null']);
    const made = readFileSync(join(folder, 'agents', 'notes-the-short-way', 'agent.md'), 'utf8');
    // Other programs may read YAML 1.1, in which n and Off mean false.
    assert.match(made, `\nkeywords: [what's new, "yodelling, loud", "n", "Off"]\n`);
    const files = readdirSync(join(folder, 'dist'), { recursive: true, withFileTypes: true });
    const showing = files.filter(
      (file) => file.isFile() && readFileSync(join(file.parentPath, file.name)).includes('yodelling'),
    );
    assert.equal(
      showing.map(({ name }) => name),
      ['search-index.json'],
      'keywords are searched, never shown',
    );
  });
});

test('any accepted text survives the front matter unchanged', () => {
  const surroundings = { vocabulary: smallSettings, calendar: { folders: [], reserved: [] }, today };
  const checks = answerChecks(surroundings);
  const pieces = fc.oneof(
    fc.constantFrom(': ', ' #', '"', "'", '\\', '- ', '%', '{', '&a', '*a', '!', '~', 'true', 'é', '🎉', '---', '\t'),
    fc.string({ unit: character, maxLength: 3 }),
  );
  const text = fc.array(pieces, { minLength: 1, maxLength: 8 }).map((parts) => parts.join(''));
  let accepted = 0;
  fc.assert(
    fc.property(text, (problem) => {
      let checked: string;
      try {
        checked = checks.problem('--problem', problem);
      } catch (error) {
        assert.instance(error, UsageError);
        return;
      }
      accepted += 1;
      const files = [...agentFiles(complete({ slug: 'one', problem: checked }, surroundings, checks))];
      const source = files.map(([name, content]) => ({ name, bytes: Buffer.from(content), problem: null }));
      const content = checkContent([{ slug: 'one', files: source, problem: null }], smallSettings, today);
      assert.equal(content.diagnostics, []);
      assert.is(content.folders[0]?.agent?.problem, problem);
    }),
    { numRuns: 500 },
  );
  assert.ok(accepted > 50, `only ${accepted} were accepted`);
});

test('the next free date is suggested, which skips the dates of agents and drafts', async () => {
  await inFolder(async (folder) => {
    writeCatalog(folder, [
      { slug: 'numbered', date: '2026-11-20', front: { issue: '1' } },
      { slug: 'of-today', date: today },
      { slug: 'sketch', date: '2026-11-22', front: { draft: 'true' } },
      { slug: 'broken', date: '2026-11-24', front: { difficulty: 'medum' } },
    ]);
    for (const [slug, date] of [
      ['first', '2026-11-23'],
      ['second', '2026-11-25'],
    ] as const) {
      const { code, stdout, stderr } = await makeNew(folder, slug, '--format', 'json');
      assert.is(code, 0, stderr);
      assert.is(JSON.parse(stdout).date, date);
    }
  });
});

const slugs: [title: string, slug: string][] = [
  ['Release Note Translator', 'release-note-translator'],
  ["The Editor's Choice", 'the-editors-choice'],
  ['Prüf-Übersicht: Größe', 'pruf-ubersicht-grosse'],
  ['日本語', ''],
  [`${'word '.repeat(20)}`, Array(13).fill('word').join('-')],
  ['x'.repeat(80), 'x'.repeat(64)],
];
for (const [title, slug] of slugs) {
  test(`the title ${JSON.stringify(title.slice(0, 30))} makes the slug ${JSON.stringify(slug.slice(0, 30))}`, () => {
    assert.is(slugFrom(title), slug);
  });
}

test('if it is killed at any step, it leaves a complete agent or none, and can be run again', async () => {
  await inFolder(async (folder) => {
    writeCatalog(folder, []);
    const settings = loadSettings(folder, {}, {});
    const surroundings = { vocabulary: settings, calendar: { folders: [], reserved: [] }, today };
    const files = agentFiles(complete({ slug: 'one' }, surroundings, answerChecks(surroundings)));
    const make = () => writeAgent(folder, 'one', files, surroundings);
    let kills = 0;
    while (dieAt(kills + 1, make)) {
      kills += 1;
      const there = existsSync(join(folder, 'agents', 'one'));
      if (!there) make();
      // What killed commands left is not shown by Git, once another command changes agents.
      writeFiles(folder, { 'agents/one/.agent.md.draft-4711': 'dra' });
      await asOnlyEditor(folder, () => {});
      assert.equal(readdirSync(join(folder, 'agents')), ['one']);
      assert.equal(readdirSync(join(folder, 'agents', 'one')).length, 4);
      rmSync(join(folder, 'agents'), { recursive: true });
    }
    assert.ok(kills >= 6, `only ${kills} kills`);
  });
});

test.run();
