import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { inFolder, writeCatalog } from '../../support/catalog.ts';
import { agents, errorsOf, settings, today } from '../../support/scaffold.ts';
import { onTerminal } from '../../support/terminal.ts';

/** In a terminal, `catalog new` and `catalog init` ask for what the flags leave out. */

const [enter, clear, down] = ['\r', '\u0015', '\u001b[B'];

test('catalog new asks one question at a time, offers what exists, and repeats a question after an invalid answer', async () => {
  await inFolder(async (folder) => {
    writeCatalog(folder, [
      { slug: 'taken', date: today, front: { tags: '[changelog, small]' } },
      { slug: 'other', date: '2026-11-20', front: { tags: '[common, small]' } },
      { slug: 'third', date: '2026-11-19', front: { tags: '[release-notes, small]' } },
    ]);
    const session = onTerminal(['new', '--cwd', folder, '--today', today, '--difficulty', 'medium']);
    await session.plays([
      ['Start a new agent', ''],
      ['Title', enter],
      ['This question needs an answer.', `  ${enter}`],
      ['This question needs an answer.', `${clear}Release: Notes ${enter}`],
      ['Slug', `taken${enter}`],
      ['agents/taken already exists', `${clear}${enter}`],
      ['Category', `${down}${enter}`],
      ['Assistants', `${down} ${enter}`],
      // First the tag with a word of the slug, then the tag of most agents, then by name.
      ['Tags of other agents', ''],
      ['release-notes', ''],
      ['small', ''],
      ['changelog', ''],
      ['common', ` ${down}${down} ${enter}`],
      ['More tags', `Not a tag${enter}`],
      ['such as release-notes', `${clear}user-help, changelog${enter}`],
      ['026-11-22', `${today}${enter}`],
      [`taken already has the date ${today}`, `${clear}${enter}`],
    ]);
    const { code, screen } = await session.ends();
    assert.is(code, 0, screen);
    assert.match(screen, '\u001b[36m');
    assert.match(screen, '1. Write sample-input.txt first');
    const made = agents(folder)['release-notes/agent.md'] ?? '';
    for (const line of [
      'title: "Release: Notes"',
      'date: 2026-11-22',
      'category: writing',
      'tags: [release-notes, changelog, user-help]',
      'difficulty: medium',
      'runtimes: [Claude, ChatGPT]',
    ]) {
      assert.ok(made.split('\n').includes(line), `${line} in ${made}`);
    }
    assert.equal(await errorsOf(folder), []);
  });
});

test('no assistant and more than six tags are refused at once; without tags of other agents, some are proposed', async () => {
  const tags = Array.from({ length: 7 }, (_, index) => `tag-${index}`);
  await inFolder(async (folder) => {
    writeCatalog(folder, [
      { slug: 'one', date: today, front: { tags: `[${tags.slice(0, 4).join(', ')}]` } },
      { slug: 'two', date: '2026-11-20', front: { tags: `[${tags.slice(4).join(', ')}]` } },
    ]);
    const session = onTerminal(['new', 'headline-tester', '--cwd', folder, '--today', today, '--title', 'Tester']);
    await session.plays([
      ['Category', enter],
      ['Difficulty', enter],
      ['Assistants', ` ${enter}`],
      ['at least one', ` ${enter}`],
      ['Tags of other agents', ` ${`${down} `.repeat(6)}${enter}`],
      ['At most six tags', ` ${enter}`],
      ['More tags', enter],
      ['Publication date', enter],
    ]);
    const { code, screen } = await session.ends();
    assert.is(code, 0, screen);
    assert.match(agents(folder)['headline-tester/agent.md'] ?? '', `\ntags: [${tags.slice(1).join(', ')}]\n`);
  });
  await inFolder(async (folder) => {
    writeCatalog(folder, []);
    const session = onTerminal([
      'new',
      'headline-tester',
      '--cwd',
      folder,
      '--title',
      'Tester',
      '--category',
      'coding',
    ]);
    await session.plays([
      ['Difficulty', enter],
      ['Assistants', enter],
      ['eadline, tester', enter],
      ['Publication date', enter],
    ]);
    const { code, screen } = await session.ends();
    assert.is(code, 0, screen);
    assert.match(agents(folder)['headline-tester/agent.md'] ?? '', '\ntags: [headline, tester]\n');
  });
});

test('a date that another agent took while the questions were answered costs no answers: the draft gets the next one', () =>
  inFolder(async (folder) => {
    writeCatalog(folder, [{ slug: 'one', date: today, front: { tags: '[small, common]' } }]);
    const start = ['new', 'two', '--cwd', folder, '--today', today, '--title', 'Two', '--tag', 'small', 'common'];
    const session = onTerminal([...start, '--category', 'coding', '--difficulty', 'easy', '--runtime', 'Claude']);
    await session.plays([['Publication date', '2026-12-24']]);
    writeCatalog(folder, [
      { slug: 'one', date: today, front: { tags: '[small, common]' } },
      { slug: 'other', date: '2026-12-24', front: { tags: '[small, common]' } },
    ]);
    await session.plays([['2026-12-24', enter]]);
    const { code, screen } = await session.ends();
    assert.is(code, 0, screen);
    assert.match(screen, 'Another agent took 2026-12-24 meanwhile, so this one has 2026-12-25.');
    assert.match(agents(folder)['two/agent.md'] ?? '', '\ndate: 2026-12-25\n');
  }));

const questions: [text: string, answer: string][] = [
  ['Title', 'Half an Agent'],
  ['Slug', ''],
  ['Category', ''],
  ['Difficulty', ''],
  ['Assistants', ''],
];
for (const [name, key, question] of [
  ['Ctrl-C', '\u0003', 'Title'],
  ['Ctrl-C', '\u0003', 'Category'],
  ['Ctrl-C', '\u0003', 'Assistants'],
  ['Ctrl-D', '\u0004', 'Title'],
  ['Escape', '\u001b', 'Slug'],
]) {
  test(`${name} at the question ${question} exits with 130, shows the cursor and writes nothing; NO_COLOR works`, async () => {
    await inFolder(async (folder) => {
      writeCatalog(folder, []);
      const session = onTerminal(['new', '--cwd', folder], { env: { NO_COLOR: '1' } });
      const before = questions.slice(0, questions.map(([text]) => text).indexOf(question ?? ''));
      await session.plays(before.map(([text, answer]) => [text, answer + enter] as const));
      await session.plays([[question ?? '', `${key}`]]);
      const { code, screen } = await session.ends();
      assert.is(code, 130, screen);
      assert.match(screen, 'Nothing was written.');
      assert.not.match(screen, /Error|\s+at /);
      assert.ok(screen.lastIndexOf('\u001b[?25h') > screen.lastIndexOf('\u001b[?25l'), 'the cursor is shown again');
      // biome-ignore lint/suspicious/noControlCharactersInRegex: colors start with the escape character.
      assert.not.match(screen, /\u001b\[[\d;]*m/);
      assert.not.ok(existsSync(join(folder, 'agents')));
    });
  });
}

for (const [signal, expected] of [
  ['SIGINT', 130],
  ['SIGTERM', 143],
] as const) {
  test(`${signal} at a question exits with ${expected}, shows the cursor and writes nothing`, async () => {
    await inFolder(async (folder) => {
      writeCatalog(folder, []);
      const session = onTerminal(['new', '--cwd', folder]);
      await session.sees('Title');
      session.kill(signal);
      const { code, screen } = await session.ends();
      assert.is(code, expected, screen);
      assert.match(screen, 'Nothing was written.');
      assert.ok(screen.lastIndexOf('\u001b[?25h') > screen.lastIndexOf('\u001b[?25l'));
      assert.not.ok(existsSync(join(folder, 'agents')));
    });
  });
}

test('a terminal that cannot move its cursor gets no questions but a clear error', async () => {
  await inFolder(async (folder) => {
    writeCatalog(folder, []);
    const { code, screen } = await onTerminal(['new', '--cwd', folder], { env: { TERM: 'dumb' } }).ends();
    assert.is(code, 2, screen);
    assert.match(screen, 'error: A new agent needs a slug or a title');
  });
});

/** What Git needs to know before it commits. */
const author = {
  ...{ GIT_AUTHOR_NAME: 'Ada', GIT_AUTHOR_EMAIL: 'ada@example.org' },
  ...{ GIT_COMMITTER_NAME: 'Ada', GIT_COMMITTER_EMAIL: 'ada@example.org' },
};

test('catalog init asks for missing answers, and again after an invalid one', async () => {
  await inFolder(async (folder) => {
    const session = onTerminal(
      ['init', 'daily-prompts', '--package', '1', '--cwd', folder, '--today', today, '--publisher', 'Ada'],
      {
        env: { TZ: 'Europe/Paris', ...author },
      },
    );
    await session.plays([
      ['Title', ''],
      ['aily Prompts', enter],
      ['Base URL', ''],
      ['ttps://example.com', `ada.example${enter}`],
      ['http://', `${clear}https://ada.example${enter}`],
      ['Publisher URL', ''],
      ['ttps://ada.example', enter],
      ['Time zone', ''],
      ['urope/Paris', `europe/berln${enter}`],
      ['Did you mean Europe/Berlin?', `${clear}${enter}`],
      ['Make a Git repository of it, with a first commit?', enter],
    ]);
    const { code, screen } = await session.ends();
    assert.is(code, 0, screen);
    const { title, publisher, baseUrl, timezone } = settings(join(folder, 'daily-prompts'));
    assert.equal(
      { title, publisher, baseUrl, timezone },
      {
        title: 'Daily Prompts',
        publisher: { name: 'Ada', url: 'https://ada.example' },
        baseUrl: 'https://ada.example',
        timezone: 'Europe/Paris',
      },
    );
    const log = execFileSync('git', ['log', '--format=%s by %an'], {
      cwd: join(folder, 'daily-prompts'),
      encoding: 'utf8',
    });
    assert.is(log, 'Start the catalog by Ada\n');
  });
});

test('a new catalog begins on the day of the time zone that was answered', async () => {
  await inFolder(async (folder) => {
    // In one of these zones, it is now another day than in UTC.
    const [zone, hours] = new Date().getUTCHours() < 11 ? ['Pacific/Pago_Pago', -11] : ['Pacific/Kiritimati', 14];
    const dayThere = () => new Date(Date.now() + hours * 3_600_000).toISOString().slice(0, 10);
    const day = dayThere();
    const flags = ['--title', 'Prompts', '--base-url', 'https://ada.example', '--publisher', 'Ada'];
    const session = onTerminal([
      'init',
      '--cwd',
      folder,
      '--package',
      '1',
      ...flags,
      '--publisher-url',
      'https://ada.example',
    ]);
    await session.plays([
      ['Time zone', `${clear}${zone}${enter}`],
      ['Make a Git repository', 'n'],
    ]);
    const { code, screen } = await session.ends();
    assert.is(code, 0, screen);
    const [, text = ''] = Object.entries(agents(folder)).find(([path]) => path.endsWith('agent.md')) ?? [];
    const [, date = ''] = /^date: (.*)$/m.exec(text) ?? [];
    assert.ok([day, dayThere()].includes(date), `${date} in ${zone}`);
  });
});

test('Ctrl-C in the middle of catalog init exits quietly with 130 and creates nothing, not even the folder', async () => {
  await inFolder(async (folder) => {
    const session = onTerminal(['init', 'new', '--cwd', folder]);
    await session.sees('Title');
    session.types('\u0003');
    const { code, screen } = await session.ends();
    assert.is(code, 130, screen);
    assert.match(screen, 'Nothing was written.');
    assert.not.ok(existsSync(join(folder, 'new')));
  });
});

test('with --format json, nobody is asked in a terminal either', () =>
  inFolder(async (folder) => {
    writeCatalog(folder, []);
    for (const command of ['new', 'init']) {
      const args = [
        command,
        'release-notes',
        ...(command === 'init' ? ['--package', '1'] : []),
        '--cwd',
        folder,
        '--today',
        today,
        '--format',
        'json',
      ];
      const { code, screen } = await onTerminal(args).ends();
      assert.is(code, 0, screen);
      assert.match(screen, /^\{/);
    }
  }));

test.run();
