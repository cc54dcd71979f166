import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { inFolder, snapshot, writeCatalog } from '../support/catalog.ts';
import { diagnosticsOf } from '../support/diagnose.ts';
import { goodSampleInput } from '../support/good-agent.ts';
import { allMessages, assertMessages, hasMessages, slipIn } from '../support/messages.ts';
import { makeMistake, mistakes } from '../support/mistakes/index.ts';
import { catalog } from '../support/process.ts';

/** Each mistake is reported with its location and its fix, and stops the commands that it has to stop. */

for (const mistake of mistakes) {
  test(`${mistake.name}: ${mistake.code} at ${mistake.at}`, async () => {
    const diagnostics = await diagnosticsOf(mistake);
    const found = diagnostics.filter(({ code }) => code === mistake.code);
    assert.equal(
      found.map(({ file, line, column }) => `${file}:${line}:${column}`),
      [mistake.at],
    );
    // The short texts of these agents do not follow the editorial rules.
    const structural = diagnostics.filter(({ code }) => !code.startsWith('editorial/'));
    const others = structural.filter(({ code, severity }) => severity === 'error' && code !== mistake.code);
    assert.equal(
      others.map(({ code }) => code),
      [],
    );
    for (const { message, hint } of found) {
      assert.match(message, /^\S.*[.]$/);
      assert.match(hint, /[.?]$/);
    }
    if (hasMessages(mistake.name)) assertMessages(mistake.name, found);
  });
}

test('catalog validate reports them: exit code 1, and with --json one document on stdout, including errors in the settings', async () => {
  for (const name of ['a misspelled difficulty', 'a misspelled setting', 'no settings', 'a broken template']) {
    await inFolder(async (folder) => {
      const mistake = mistakes.find((mistake) => mistake.name === name) as (typeof mistakes)[number];
      makeMistake(folder, mistake);
      const { code, stdout, stderr } = await catalog([
        'validate',
        '--format',
        'json',
        '--cwd',
        folder,
        '--today',
        '2026-02-01',
      ]);
      assert.is(code, 1, stderr);
      const { ok, diagnostics } = JSON.parse(stdout);
      assert.is(ok, false);
      assert.is(diagnostics[0].code, mistake.code);
    });
  }
});

test('a valid folder has no errors', async () => {
  await inFolder(async (folder) => {
    writeCatalog(folder, [{ slug: 'one', date: '2026-01-01' }]);
    const { code, stdout } = await catalog(['validate', '--cwd', folder]);
    assert.is(code, 0, stdout);
  });
});

test('dist/ stays unchanged if a build would publish a mistake', async () => {
  await inFolder(async (folder) => {
    writeCatalog(folder, [{ slug: 'one', date: '2026-01-01' }]);
    assert.is((await catalog(['build', '--cwd', folder, '--today', '2026-02-01'])).code, 0);
    const good = snapshot(join(folder, 'dist'));
    for (const name of [
      'front matter in JavaScript',
      'an API key in the prompt',
      'the same number twice',
      'a broken template',
      'a misspelled setting',
    ]) {
      await inFolder(async (broken) => {
        makeMistake(broken, mistakes.find((mistake) => mistake.name === name) as (typeof mistakes)[number]);
        const out = join(folder, 'dist');
        const built = await catalog(['build', '--cwd', broken, '--out', out, '--today', '2026-02-01']);
        assert.is(built.code, 1, name);
        assert.equal(snapshot(join(folder, 'dist')), good);
        assert.not(existsSync(join(broken, 'dist')));
      });
    }
  });
});

test('front matter in JavaScript is never run', async () => {
  await inFolder(async (folder) => {
    writeCatalog(folder, [
      {
        slug: 'one',
        date: '2026-01-01',
        files: { 'agent.md': `---js\nrequire('fs').writeFileSync('${join(folder, 'ran')}', '')\n---\nx\n` },
      },
    ]);
    assert.is((await catalog(['validate', '--cwd', folder])).code, 1);
    assert.not(existsSync(join(folder, 'ran')));
  });
});

const legitimate: [string, string][] = [
  ['a merge conflict in a code fence', '```\n<<<<<<< HEAD\na\n=======\nb\n>>>>>>> main\n```'],
  ['an underline, and a quote of a quote of a quote', 'Title\n=====\n>>>>>>> so they said'],
  ['emoji with joiners and skin tones', 'A family 👨‍👩‍👧, a doctor 👩🏽‍⚕️, a heart ❤️, Wales 🏴󠁧󠁢󠁷󠁬󠁳󠁿'],
  ['Arabic and Hebrew, with marks of direction', 'שלום \u200fabc\u200f and مرحبا\u200e'],
  ['Persian with its non-joiner', 'می\u200cخواهم'],
  ['Hindi with its joiner', 'क्\u200dष'],
  ['placeholders instead of secrets', 'postgres://user:<PASSWORD>@db.example and AKIAIOSFODNN7EXAMPLE and sk-...'],
];
for (const [name, text] of legitimate) {
  test(`legitimate text is not reported: ${name}`, async () => {
    await inFolder(async (folder) => {
      writeCatalog(folder, [
        { slug: 'one', date: '2026-01-01', files: { 'sample-input.txt': `${goodSampleInput}${text}\n` } },
      ]);
      const { code, stdout } = await catalog(['validate', '--cwd', folder]);
      assert.is(code, 0, stdout);
    });
  });
}

test('annotations for GitHub: errors first, at most ten of each level, special characters escaped', async () => {
  await inFolder(async (folder) => {
    writeCatalog(
      folder,
      Array.from({ length: 12 }, (_, index) => ({
        slug: `agent-${String(index).padStart(2, '0')}`,
        date: `2026-01-${String(index + 1).padStart(2, '0')}`,
        front: { difficulty: '"100%\\n::error::x"' },
      })),
    );
    const { code, stdout } = await catalog(['validate', '--cwd', folder, '--format', 'github'], {
      env: { GITHUB_WORKSPACE: join(folder, '..') },
    });
    assert.is(code, 1);
    const lines = stdout.trimEnd().split('\n');
    assert.is(lines.length, 10);
    const path = folder.split('/').pop();
    assert.ok(lines[0]?.startsWith(`::error file=${path}/agents/agent-00/agent.md,line=6,col=13,endColumn=`), lines[0]);
    assert.match(
      lines[0] ?? '',
      /title=front-matter\/value::`difficulty` is "100%25\\n::error::x"; it has to be one of easy, medium, hard\.%0AChoose one of these, or change your list: `difficulties` in catalog\.config\.json\.$/,
    );
    // A catalog that is checked out elsewhere has no path in the repository.
    const elsewhere = await catalog(['validate', '--cwd', folder, '--format', 'github'], {
      env: { GITHUB_WORKSPACE: join(folder, 'agents') },
    });
    assert.match(elsewhere.stdout, /^::error file=agents\/agent-00\/agent\.md,line=6,/);
    assert.is(
      lines[9],
      '::error title=And 3 more::3 more errors: run npx --no daily-agent-catalog validate to see all of them.',
    );
  });
});

test('no message for editors has a doubled or stray period, or a number with the wrong form of its verb', () => {
  const messages = allMessages();
  assert.ok(messages.length > 500);
  assert.equal(messages.map(slipIn).filter(Boolean), []);
});

test.run();
