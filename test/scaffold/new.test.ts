import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { checkContent } from '../../src/catalog/load.ts';
import { loadSettings } from '../../src/catalog/settings.ts';
import type { Diagnostic } from '../../src/diagnostics/diagnostic.ts';
import { OperationError, UsageError } from '../../src/errors.ts';
import { answerChecks, complete } from '../../src/scaffold/agent/answers.ts';
import { agentFiles } from '../../src/scaffold/agent/files.ts';
import { writeAgent } from '../../src/scaffold/agent/write.ts';
import { slugFrom } from '../../src/schema/slugs.ts';
import { inFolder, smallSettings, snapshot, writeCatalog, writeFiles } from '../support/catalog.ts';
import { dieAt } from '../support/die-at.ts';
import { catalog } from '../support/process.ts';
import { onTerminal } from '../support/terminal.ts';

/** Editors start with this: `catalog new` writes a folder that validates, or says why not and writes nothing. */

const today = '2026-11-21';
const makeNew = (folder: string, ...args: string[]) => catalog(['new', ...args, '--cwd', folder, '--today', today]);
const agents = (folder: string) => snapshot(join(folder, 'agents'));

async function errorsOf(folder: string) {
  const { stdout } = await catalog(['validate', '--format', 'json', '--cwd', folder, '--today', today]);
  return JSON.parse(stdout).diagnostics.filter(({ severity }: { severity: string }) => severity === 'error');
}

test('a slug alone makes a valid draft; once it is no longer a draft, every remaining placeholder is reported', async () => {
  await inFolder(async (folder) => {
    writeCatalog(folder, []);
    const { code, stdout, stderr } = await makeNew(folder, 'release-notes');
    assert.is(code, 0, stderr);
    assert.match(stdout, /agents[\\/]release-notes\n$/);
    for (const word of ['draft', 'validate release-notes', 'build --drafts', 'prompt.txt']) assert.match(stderr, word);
    assert.equal(readdirSync(join(folder, 'agents')), ['release-notes']);
    assert.equal(await errorsOf(folder), []);

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
        '--keyword',
        "what's new",
        'yodelling, loud',
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
    assert.equal(agent.tags, ['true', '012']);
    const made = readFileSync(join(folder, 'agents', 'notes-the-short-way', 'agent.md'), 'utf8');
    assert.match(made, `\nkeywords: [what's new, "yodelling, loud"]\n`);
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
    fc.string({ unit: 'binary', maxLength: 3 }),
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

const refused: [name: string, args: string[], code: number, message: RegExp][] = [
  ['neither slug nor title', [], 2, /needs a slug or a title, for example: catalog new release-notes/],
  ['a title without letters', ['--title', '日本語'], 2, /Give the slug too/],
  ['a title that makes a reserved slug', ['--title', 'Catalog'], 2, /"catalog".*another name.*catalog-agent/],
  ['a slug of the wrong form', ['Release Notes'], 2, /`slug` is "Release Notes".*For example: release-notes\./],
  ['a slug that is a path', ['../evil'], 2, /`slug` is "\.\.\/evil"/],
  ['a slug that is too long', ['x'.repeat(65)], 2, /at most 64 characters/],
  ['an empty slug', [''], 2, /`slug` is empty/],
  ['a slug that Windows reserves', ['con'], 2, /Windows reserves/],
  ['a slug that is taken', ['taken'], 1, /agents\/taken already exists/],
  ['a slug that a file in agents/ has', ['file'], 1, /agents\/file already exists/],
  ['a slug that an empty folder has', ['empty'], 1, /agents\/empty already exists/],
  ['a former slug', ['former'], 1, /"former" is a former slug of taken/],
  [
    'an unknown category',
    ['a', '--category', 'codng'],
    2,
    /`--category` is "codng".*coding, writing.*Did you mean coding/,
  ],
  ['an unknown difficulty', ['a', '--difficulty', 'esy'], 2, /`--difficulty` is "esy".*Did you mean easy/],
  [
    'an unknown runtime',
    ['a', '--runtime', 'Claude', 'Chat-GPT'],
    2,
    /`--runtime\[1\]` is "Chat-GPT".*Did you mean ChatGPT/,
  ],
  ['a bad tag', ['a', '--tag', 'Release Notes'], 2, /`--tag\[0\]` is "Release Notes"/],
  ['a tag given twice', ['a', '--tag', 'one', 'one'], 2, /different from the entries before it/],
  ['a date that is none', ['a', '--date', '2026-02-30'], 2, /`--date` is "2026-02-30".*calendar date/],
  [
    'a date that is taken',
    ['a', '--date', '2026-11-22'],
    1,
    /taken already has the date 2026-11-22.*first free date is 2026-11-21/,
  ],
  ['a date before a number', ['a', '--date', '2026-11-19'], 1, /2026-11-19 is before 2026-11-20.*is 2026-11-21/],
  ['a title of two lines', ['a', '--title', 'a\nb'], 2, /`--title`.*one line of text/],
  ['a problem of two lines', ['a', '--problem', 'a\nb'], 2, /`--problem` has a line break/],
  ['a hidden character', ['a', '--problem', 'a\u200bb'], 2, /`--problem` cannot be used, column 2:.*U\+200B/],
  ['a secret', ['a', '--excerpt', `AKIA${'Q'.repeat(16)}`], 2, /`--excerpt` cannot be used.*Amazon access key/],
  ['an excerpt that is too long', ['a', '--excerpt', 'x'.repeat(301)], 2, /`--excerpt`.*1 to 300 characters/],
  ['a config that a browser runs', ['a', '--config', 'html'], 2, /`--config` is "html".*json, jsonc, yaml/],
  ['a config that is a path', ['a', '--config', '../x'], 2, /`--config` is "\.\.\/x".*one of json/],
];
for (const [name, args, code, message] of refused) {
  test(`${name} is refused with ${code}, and nothing is written`, async () => {
    await inFolder(async (folder) => {
      writeCatalog(folder, [
        { slug: 'old', date: '2026-11-20', front: { issue: '1' } },
        { slug: 'taken', date: '2026-11-22', front: { formerSlugs: '[former]' } },
      ]);
      writeFiles(folder, { 'agents/file': 'not a folder\n' });
      mkdirSync(join(folder, 'agents', 'empty'));
      const before = agents(folder);
      const result = await makeNew(folder, ...args);
      assert.is(result.code, code, result.stderr);
      assert.is(result.stdout, '');
      assert.match(result.stderr, message);
      assert.not.match(result.stderr, 'This is a bug');
      assert.equal(agents(folder), before);
      assert.equal(readdirSync(join(folder, 'agents')), ['empty', 'file', 'old', 'taken']);
    });
  });
}

test('all wrong flags are named together', async () => {
  await inFolder(async (folder) => {
    writeCatalog(folder, [{ slug: 'taken', date: today }]);
    const { code, stderr } = await makeNew(folder, 'taken', '--category', 'codng', '--date', 'soon');
    assert.is(code, 2);
    assert.match(stderr, /error: agents\/taken already exists.*\nerror: `--category`.*\nerror: `--date`/);
  });
});

test('if it is killed at any step, it leaves a complete agent or none, and can be run again', async () => {
  await inFolder((folder) => {
    writeCatalog(folder, []);
    const settings = loadSettings(folder, {}, {});
    const surroundings = { vocabulary: settings, calendar: { folders: [], reserved: [] }, today };
    const files = agentFiles(complete({ slug: 'one' }, surroundings, answerChecks(surroundings)));
    const make = () => writeAgent(folder, 'one', files, { vocabulary: settings, today });
    let kills = 0;
    while (dieAt(kills + 1, make)) {
      kills += 1;
      const there = existsSync(join(folder, 'agents', 'one'));
      if (!there) make();
      assert.equal(readdirSync(join(folder, 'agents', 'one')).length, 4);
      rmSync(join(folder, 'agents'), { recursive: true });
    }
    assert.ok(kills >= 6, `only ${kills} kills`);
  });
});

test('a missing settings file and an agents/ that is not a folder are reported', async () => {
  await inFolder(async (folder) => {
    const without = await makeNew(folder, 'a');
    assert.is(without.code, 1);
    assert.match(without.stderr, 'settings/missing');
    writeCatalog(folder, []);
    writeFileSync(join(folder, 'agents'), '');
    const blocked = await makeNew(folder, 'a');
    assert.is(blocked.code, 1);
    assert.match(blocked.stderr, 'agents/unreadable');
  });
});

test('a value in use is an operation error, an invalid one is a usage error', () => {
  const checks = answerChecks({ vocabulary: smallSettings, calendar: { folders: [], reserved: [] }, today });
  assert.throws(
    () => checks.title('title', ' x'),
    (error: unknown) => error instanceof UsageError && !(error instanceof OperationError),
  );
});

test('in a terminal, it asks one question at a time, repeats it after an invalid answer, and writes the answers', async () => {
  await inFolder(async (folder) => {
    writeCatalog(folder, [{ slug: 'taken', date: today }]);
    const session = onTerminal(['new', '--cwd', folder, '--today', today, '--difficulty', 'medium']);
    const answers: [question: string, answer: string, objection?: string][] = [
      ['title', '', 'This question needs an answer'],
      ['title', 'Release: Notes'],
      ['slug', 'taken', 'agents/taken already exists'],
      ['slug', ''],
      ['category', 'writng', 'Did you mean writing?'],
      ['category', 'writing'],
      ['runtimes', 'Claude, chatgpt'],
      ['tags', 'release-notes,changelog'],
      ['date', today, `taken already has the date ${today}`],
      ['date', ''],
      ['excerpt', ''],
      ['problem', 'Ada needs notes that her customers understand on release day.'],
      ['config', 'md'],
    ];
    for (const [question, answer, objection] of answers) {
      await session.sees(question);
      await session.sees(': ');
      session.types(`${answer}\r`);
      if (objection !== undefined) await session.sees(objection);
    }
    const { code, screen } = await session.ends();
    assert.is(code, 0, screen);
    assert.match(screen, 'from Claude, ChatGPT');
    assert.match(screen, '\u001b[1m');
    const made = agents(folder)['release-notes/agent.md'] ?? '';
    for (const line of [
      'title: "Release: Notes"',
      'date: 2026-11-22',
      'category: writing',
      'tags: [release-notes, changelog]',
      'difficulty: medium',
      'runtimes: [Claude, ChatGPT]',
      'problem: Ada needs notes that her customers understand on release day.',
    ]) {
      assert.ok(made.split('\n').includes(line), `${line} in ${made}`);
    }
    assert.ok('release-notes/config.md' in agents(folder));
    assert.equal(await errorsOf(folder), []);
  });
});

for (const [name, key] of [
  ['Ctrl-C', '\u0003'],
  ['Ctrl-D', '\u0004'],
] as const) {
  test(`${name} in the middle exits quietly with 130 and writes nothing; NO_COLOR turns colors off`, async () => {
    await inFolder(async (folder) => {
      writeCatalog(folder, []);
      const session = onTerminal(['new', '--cwd', folder], { env: { NO_COLOR: '1' } });
      await session.sees('title: ');
      session.types('Half an Agent\r');
      await session.sees('slug [half-an-agent]: ');
      session.types(key);
      const { code, screen } = await session.ends();
      assert.is(code, 130, screen);
      assert.match(screen, 'Nothing was written.');
      assert.not.match(screen, /Error|\s+at /);
      for (const style of ['1m', '2m', '31m', '0m']) assert.not.ok(screen.includes(`\u001b[${style}`));
      assert.not.ok(existsSync(join(folder, 'agents')));
    });
  });
}

test.run();
