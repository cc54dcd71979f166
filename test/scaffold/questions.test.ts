import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { inFolder, writeCatalog } from '../support/catalog.ts';
import { agents, errorsOf, settings, today } from '../support/scaffold.ts';
import { onTerminal } from '../support/terminal.ts';

/** In a terminal, `catalog new` and `catalog init` ask for what the flags leave out. */

test('catalog new asks one question at a time, repeats it after an invalid answer, and writes the answers', async () => {
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
  test(`${name} in the middle of catalog new exits quietly with 130 and writes nothing; NO_COLOR turns colors off`, async () => {
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

test('catalog init asks for missing answers, and again after an invalid one', async () => {
  await inFolder(async (folder) => {
    const session = onTerminal(['init', 'daily-prompts', '--cwd', folder, '--today', today, '--publisher', 'Ada'], {
      env: { TZ: 'Europe/Paris' },
    });
    const answers: [question: string, answer: string, objection?: string][] = [
      ['title [Daily Prompts]', ''],
      ['base URL [https://example.com]', 'ada.example', 'http://'],
      ['base URL', 'https://ada.example'],
      ['publisher URL [https://ada.example]', ''],
      ['time zone [Europe/Paris]', 'europe/berln', 'Did you mean Europe/Berlin?'],
      ['time zone', ''],
    ];
    for (const [question, answer, objection] of answers) {
      await session.sees(question.replace(/ \[.*/, ''));
      if (question.includes('[')) await session.sees(question.replace(/.*\[/, '['));
      await session.sees(': ');
      session.types(`${answer}\r`);
      if (objection !== undefined) await session.sees(objection);
    }
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
  });
});

test('Ctrl-C in the middle of catalog init exits quietly with 130 and creates nothing, not even the folder', async () => {
  await inFolder(async (folder) => {
    const session = onTerminal(['init', 'new', '--cwd', folder]);
    await session.sees('title');
    session.types('\u0003');
    const { code, screen } = await session.ends();
    assert.is(code, 130, screen);
    assert.match(screen, 'Nothing was written.');
    assert.not.ok(existsSync(join(folder, 'new')));
  });
});

test.run();
