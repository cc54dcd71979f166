import { renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { inFolder, writeCatalog, writeFiles } from '../../support/catalog.ts';
import { bin, catalog, run } from '../../support/process.ts';
import { testUnless } from '../../support/skip.ts';
import { line, withLog, writeBuild } from '../../support/vote-log.ts';

/** `catalog votes` as an operator runs it, on logs made by hand. */

test('prints totals by agent and the last notes, harmless to a terminal', () =>
  withLog(async (folder) => {
    const { code, stdout, stderr } = await catalog(['votes', '--cwd', folder]);
    assert.is(code, 0, stderr);
    assert.is(
      stdout,
      [
        'agent             votes  yes  no    share  notes',
        'The one               4    3   1   75.0 %      2',
        'gone (withdrawn)      1    1   0  100.0 %      1',
        'all                   5    4   1   80.0 %      3',
        '',
        'Last notes',
        '2026-11-02T10:00:00.000Z  gone  yes  bell � and �[2J line break',
        '2026-11-02T10:00:00.000Z  one  yes  =HYPERLINK("http://evil.example")',
        '2026-11-01T23:59:59.999Z  one  no  too long',
        '',
        '1 line is not a vote and was left out.',
        '',
      ].join('\n'),
    );
    assert.is(stderr, `Skipped line 4 of ${join(folder, 'data', 'votes.jsonl')}: incomplete or invalid.\n`);
  }));

test('--format json is one document, with the id of each note', () =>
  withLog(async (folder) => {
    const { code, stdout } = await catalog(['votes', '--cwd', folder, '--format', 'json', '--since', '2026-11-02']);
    assert.is(code, 0);
    const report = JSON.parse(stdout);
    assert.equal(
      { ...report, agents: report.agents.length, notes: report.notes.map(({ id }: { id: string }) => id) },
      {
        since: '2026-11-02T00:00:00.000Z',
        totals: { votes: 4, yes: 4, no: 0, share: 1 },
        agents: 2,
        days: [{ day: '2026-11-02', yes: 4, no: 0 }],
        notes: ['v6', 'v2'],
        malformed: 1,
      },
    );
    assert.equal(
      report.agents.map(({ slug, withdrawn, votes }: { slug: string; withdrawn: boolean; votes: number }) => [
        slug,
        withdrawn,
        votes,
      ]),
      [
        ['one', false, 3],
        ['gone', true, 1],
      ],
    );
  }));

test('--format csv has the agents, and neither formulas nor controls', () =>
  withLog(async (folder) => {
    const { code, stdout } = await catalog(['votes', '--cwd', folder, '--format', 'csv']);
    assert.is(code, 0);
    assert.is(
      stdout,
      'slug,votes,yes,no,share,withdrawn,last_note,notes,title\r\n' +
        `one,4,3,1,0.75,no,"'=HYPERLINK(""http://evil.example"")",2,The one\r\n` +
        'gone,1,1,0,1,yes,"bell � and �[2J line\nbreak",1,\r\n',
    );
  }));

test('--notes --format csv has every note, newest first, with its id', () =>
  inFolder(async (folder) => {
    const notes = Array.from({ length: 25 }, (_, index) =>
      line({ id: `n${index}`, voter: index, note: `note ${index}` }),
    );
    writeFiles(folder, { 'data/votes.jsonl': notes.join('') });
    const { stdout } = await catalog(['votes', '--cwd', folder, '--format', 'csv', '--notes']);
    const rows = stdout.split('\r\n');
    assert.is(rows.length, 27);
    assert.equal(rows.slice(0, 2), ['time,slug,vote,note,id', '2026-11-02T10:00:00.000Z,one,yes,note 24,n24']);
    const { stdout: text } = await catalog(['votes', '--cwd', folder]);
    assert.is(text.match(/note \d+/g)?.length, 10);
  }));

test('without a build, no agent is marked, and stderr says so', () =>
  withLog(async (folder) => {
    rmSync(join(folder, 'dist'), { recursive: true });
    const { code, stdout, stderr } = await catalog(['votes', '--cwd', folder]);
    assert.is(code, 0);
    assert.not.match(stdout, 'withdrawn');
    assert.match(stdout, 'old-one');
    assert.match(stderr, /dist has no build .*marks no agent as withdrawn/);
  }));

test('every line that is not a vote is counted, also if there are many', () =>
  inFolder(async (folder) => {
    writeFiles(folder, {
      'data/votes.jsonl': `x\n${line({ id: 'a' })}${'x\n'.repeat(11)}`,
      'data/votes.jsonl.1': 'x\n',
    });
    const { stdout } = await catalog(['votes', '--cwd', folder, '--format', 'json']);
    const { totals, malformed } = JSON.parse(stdout);
    assert.equal([totals.votes, malformed], [1, 13]);
    const none = await catalog(['votes', '--cwd', folder, '--data', 'nowhere']);
    assert.match(none.stderr, `${join(folder, 'nowhere/votes.jsonl')} does not exist: nobody has voted yet, or`);
  }));

test('an unreadable build counts as none', () =>
  withLog(async (folder) => {
    writeFileSync(join(folder, 'dist', 'api', 'agents.json'), '{"agents"');
    const { code, stderr } = await catalog(['votes', '--cwd', folder]);
    assert.is(code, 0);
    assert.match(stderr, 'api/agents.json cannot be read');
  }));

test('this program can read its own builds', () =>
  inFolder(async (folder) => {
    writeCatalog(folder, [{ slug: 'one', date: '2026-01-01', front: { formerSlugs: '[old-one]' } }]);
    writeFiles(folder, { 'data/votes.jsonl': line({ slug: 'old-one' }) + line({ slug: 'two' }) });
    assert.is((await catalog(['build', '--cwd', folder])).code, 0);
    const { stdout, stderr } = await catalog(['votes', '--cwd', folder, '--format', 'csv']);
    assert.is(stderr, '');
    assert.match(stdout, /^one,1,1,0,1,no,,0,[^,]+\r\ntwo,1,1,0,1,no,,0,\r\n$/m);
  }));

test('the votes of a withdrawn agent are counted under its last slug, and no other agent counts as withdrawn', () =>
  inFolder(async (folder) => {
    writeCatalog(folder, [
      { slug: 'one', date: '2026-01-01', front: { issue: '1', formerSlugs: '[old-one]' } },
      { slug: 'wd', date: '2026-01-02', front: { issue: '2', withdrawn: 'It was wrong.', formerSlugs: '[old-wd]' } },
    ]);
    const votes = ['old-one', 'wd', 'old-wd', 'unknown'].map((slug) => line({ id: slug, slug }));
    writeFiles(folder, { 'data/votes.jsonl': votes.join('') });
    const report = async () => (await catalog(['votes', '--cwd', folder, '--out', 'dist', '--format', 'csv'])).stdout;
    assert.is((await catalog(['build', '--cwd', folder])).code, 0);
    const head = 'slug,votes,yes,no,share,withdrawn,last_note,notes,title\r\n';
    assert.is(
      await report(),
      `${head}one,1,1,0,1,no,,0,The one agent\r\nunknown,1,1,0,1,no,,0,\r\nwd,1,1,0,1,yes,,0,\r\n`,
    );
    // On a server with only a build, nothing says which agent had the former slug.
    rmSync(join(folder, 'agents'), { recursive: true });
    const rows =
      'old-wd,1,1,0,1,yes,,0,\r\none,1,1,0,1,no,,0,The one agent\r\nunknown,1,1,0,1,no,,0,\r\nwd,1,1,0,1,yes,,0,\r\n';
    assert.is(await report(), head + rows);
  }));

test('flags and variables set the paths of the log, the data and the build; flags win', () =>
  withLog(async (folder) => {
    renameSync(join(folder, 'data'), join(folder, 'here'));
    renameSync(join(folder, 'here', 'votes.jsonl'), join(folder, 'here', 'old.jsonl'));
    rmSync(join(folder, 'dist'), { recursive: true });
    writeBuild(folder, 'site');
    const flags = await catalog(
      ['votes', '--cwd', folder, '--file', 'here/old.jsonl', '--out', 'site', '--format', 'csv'],
      {
        env: { CATALOG_VOTES: 'nowhere', CATALOG_DIST: 'nowhere' },
      },
    );
    const variables = await catalog(['votes', '--cwd', folder, '--format', 'csv'], {
      env: { CATALOG_VOTES: join(folder, 'here', 'old.jsonl'), CATALOG_DIST: 'site', CATALOG_DATA: 'nowhere' },
    });
    renameSync(join(folder, 'here', 'old.jsonl'), join(folder, 'here', 'votes.jsonl'));
    const data = await catalog(['votes', '--cwd', folder, '--format', 'csv', '--data', 'here'], {
      env: { CATALOG_DATA: 'nowhere', CATALOG_VOTES: '', CATALOG_DIST: 'site' },
    });
    assert.match(flags.stdout, /^one,4,/m);
    assert.is(variables.stdout, flags.stdout);
    assert.is(data.stdout, flags.stdout);
  }));

test('a missing log has no votes, and stderr says so; if it was named, that is an error', () =>
  inFolder(async (folder) => {
    const { code, stdout, stderr } = await catalog(['votes', '--cwd', folder]);
    assert.is(code, 0);
    assert.is(stdout, 'No votes.\n');
    assert.match(stderr, `${join(folder, 'data', 'votes.jsonl')} does not exist`);
    const typo = join(folder, 'typo.jsonl');
    for (const args of [[], ['export']]) {
      const named = await catalog(['votes', ...args, '--file', typo]);
      assert.equal([named.code, named.stdout, named.stderr], [1, '', `error: There is no vote log ${typo}.\n`]);
    }
  }));

test('an unreadable log exits with 1 and is named, without a stack', () =>
  inFolder(async (folder) => {
    const { code, stderr } = await catalog(['votes', '--file', folder]);
    assert.is(code, 1);
    assert.ok(
      stderr.endsWith(`error: ${folder} is a folder, not a file. Name another path, or move it away.\n`),
      stderr,
    );
  }));

const wrongUsage: [string, string[], RegExp][] = [
  ['a day that the calendar does not have', ['--since', '2026-02-30'], /calendar date/],
  ['annotations of GitHub', ['--format', 'github'], /pretty, json, csv/],
  ['a subcommand that there is not', ['redcat', 'v1'], /unknown command 'redcat'\n\(Did you mean redact\?\)/],
  ['redact without an id', ['redact'], /missing required argument 'id'/],
  [
    'redact with an option of the report',
    ['redact', 'v1', '--since', '2026-11-01'],
    /votes redact does not take --since/,
  ],
];
for (const [name, args, message] of wrongUsage) {
  test(`${name} is wrong usage`, async () => {
    const { code, stdout, stderr } = await catalog(['votes', ...args]);
    assert.is(code, 2);
    assert.is(stdout, '');
    assert.match(stderr, message);
  });
}

testUnless(process.platform === 'win32' && 'Windows has no pipelines of sh')(
  'a reader that leaves early ends the report quietly',
  async () => {
    await inFolder(async (folder) => {
      const notes = Array.from({ length: 5000 }, (_, index) =>
        line({ id: `n${index}`, voter: index, note: 'x'.repeat(100) }),
      );
      writeFiles(folder, { 'data/votes.jsonl': notes.join('') });
      const script = `"${process.execPath}" "${bin}" votes --cwd "${folder}" --notes --format csv | head -n 1`;
      const { stdout, stderr } = await run('sh', ['-c', script]);
      assert.is(stdout, 'time,slug,vote,note,id\r\n');
      assert.not.match(stderr, 'EPIPE');
    });
  },
);

test.run();
