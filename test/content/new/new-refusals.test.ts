import { mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { answerChecks, writeFolder } from '../../../src/content/new/agent.ts';
import { OperationError, UsageError } from '../../../src/lib/errors.ts';
import { inFolder, smallSettings, writeCatalog, writeFiles } from '../../support/catalog.ts';
import { whileFull } from '../../support/refusing-disk.ts';
import { agents, makeNew, today } from '../../support/scaffold.ts';

/** `catalog new` refuses a name, flag or date that an agent cannot have, says why, and writes nothing. */

const refused: [name: string, args: string[], code: number, message: RegExp][] = [
  [
    'neither slug nor title',
    [],
    2,
    /needs a slug or a title, for example: npx --no daily-agent-catalog new release-notes/,
  ],
  ['a title without letters', ['--title', '日本語'], 2, /Give the slug too/],
  ['a title that makes a reserved slug', ['--title', 'Catalog'], 2, /"catalog".*another name.*catalog-agent/],
  ['a slug of the wrong form', ['Release Notes'], 2, /`slug` is "Release Notes".*Did you mean release-notes\?\n/],
  ['a slug that is a path', ['../evil'], 2, /`slug` is "\.\.\/evil"/],
  ['a slug that is too long', ['x'.repeat(65)], 2, /at most 64 characters/],
  ['an empty slug', [''], 2, /`slug` is empty/],
  ['a slug that Windows reserves', ['con'], 2, /Windows reserves/],
  ['a slug that is taken', ['taken'], 1, /agents\/taken already exists/],
  ['a slug that a file in agents/ has', ['file'], 1, /agents\/file already exists/],
  ['a slug that an empty folder has', ['empty'], 1, /agents\/empty already exists/],
  ['a slug that a folder has in another case', ['upper-case'], 1, /agents\/Upper-Case already exists/],
  [
    'a title that is taken',
    ['a', '--title', 'the taken AGENT'],
    1,
    /^error: taken already has the title "the taken AGENT"; choose another title\.\n$/,
  ],
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
    /`--runtime` is "Chat-GPT".*Did you mean ChatGPT/,
  ],
  ['a bad tag', ['a', '--tag', 'Release Notes'], 2, /`--tag` is "Release Notes"/],
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
  [
    'text in another encoding than UTF-8',
    ['a', '--problem', 'Caf\ufffd'],
    2,
    /`--problem` has a character that is not text/,
  ],
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
      for (const name of ['empty', 'Upper-Case']) mkdirSync(join(folder, 'agents', name));
      const before = agents(folder);
      const result = await makeNew(folder, ...args);
      assert.is(result.code, code, result.stderr);
      assert.is(result.stdout, '');
      assert.match(result.stderr, message);
      assert.not.match(result.stderr, 'This is a bug');
      assert.equal(agents(folder), before);
      assert.equal(readdirSync(join(folder, 'agents')), ['Upper-Case', 'empty', 'file', 'old', 'taken']);
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

test('a folder that another program makes meanwhile stays as it is, and nothing is left behind', () =>
  inFolder((folder) => {
    writeCatalog(folder, [{ slug: 'taken', date: today }]);
    const before = agents(folder);
    assert.throws(() => writeFolder(folder, 'taken', new Map([['agent.md', '']])), 'agents/taken already exists');
    assert.equal(agents(folder), before);
    assert.equal(readdirSync(join(folder, 'agents')), ['taken']);
  }));

test('if the disk is full, the message names the folder, and nothing is left behind', () =>
  inFolder(async (folder) => {
    writeCatalog(folder, []);
    const write = async () => writeFolder(folder, 'late', new Map([['agent.md', 'New.\n']]));
    const message = await whileFull('agent.md', write).then(String, (error: Error) => error.message);
    assert.is(message, `${join(folder, 'agents/late')} cannot be written: the disk is full (ENOSPC).`);
    assert.equal(agents(folder), {});
  }));

test('the date of a deleted agent is taken', () => {
  const gone = { slug: 'gone', issue: 1, date: today, why: 'deleted' } as const;
  const checks = answerChecks({ vocabulary: smallSettings, calendar: { folders: [], reserved: [gone] }, today });
  assert.throws(() => checks.date('date', today), `gone already has the date ${today}`);
});

test.run();
