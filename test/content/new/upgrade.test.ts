import fs, { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import { Socket } from 'node:net';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { withCurrentNames } from '../../../src/cli/former-names.ts';
import { upgrade as upgradeFiles } from '../../../src/content/new/upgrade.ts';
import { main } from '../../../src/main.ts';
import { bundled, inFolder, snapshot, writeFiles } from '../../support/catalog.ts';
import { dieAt } from '../../support/die-at.ts';
import { said, save } from '../../support/editor.ts';
import { makeForge } from '../../support/forge.ts';
import { git } from '../../support/git.ts';
import { catalog, run } from '../../support/process.ts';
import { numbers, published } from '../../support/publication-days.ts';
import { init, read } from '../../support/scaffold.ts';
import { written } from '../../support/written.ts';

/** `catalog upgrade` replaces what nobody changed, and loses nothing of the editor's. */

const upgrade = (cwd: string, ...args: string[]) => catalog(['upgrade', ...args, '--cwd', cwd]);

/** Turns files into files of an earlier version of the program, as the list of copied files then says. */
function age(folder: string, texts: Record<string, string>) {
  const stamp = JSON.parse(read(folder, stampFile));
  const files = { ...stamp.files, ...texts };
  writeFiles(folder, { ...texts, [stampFile]: JSON.stringify({ version: '0.1.9', files }) });
}

const stampFile = '.catalog/files.json';
const publishFile = '.github/workflows/publish.yml';
const intakeFile = '.github/workflows/intake.yml';
const validateFile = '.github/workflows/validate.yml';

test('after an update of the program, untouched workflows are new, and an edited one stays as the editor left it', () =>
  inFolder(async (folder) => {
    await init(folder);
    const fresh = snapshot(folder);
    assert.equal([(await upgrade(folder, '--check')).code, snapshot(folder)], [0, fresh], 'nothing to do');

    age(folder, { [validateFile]: 'name: Old\n', [publishFile]: 'name: Old\n', 'deploy/Dockerfile': 'FROM old\n' });
    writeFiles(folder, { [publishFile]: 'name: Mine\n', '.github/CODEOWNERS': '* @mine\n', 'README.md': 'Mine.\n' });
    rmSync(join(folder, 'deploy/Dockerfile'));
    const before = snapshot(folder);
    const check = await upgrade(folder, '--check');
    assert.is(check.code, 1);
    assert.equal(snapshot(folder), before, '--check writes nothing');

    const { connect } = Socket.prototype;
    Socket.prototype.connect = () => {
      throw new Error('it needs no network');
    };
    const { code, stdout, stderr } = await upgrade(folder).finally(() => {
      Socket.prototype.connect = connect;
    });
    assert.is(code, 0, stderr);
    assert.match(stdout, `Replaced, or new:\n  ${validateFile}\n\n`);
    assert.match(
      stdout,
      `You and the program changed ${publishFile}. These lines stay as you wrote them:\n<<<<<<< yours\n`,
    );
    assert.match(stdout, '\nname: Mine\n||||||| original\nname: Old\n=======\nname: Publish\n');
    assert.match(stderr, 'upgrade --keep');
    const after = snapshot(folder);
    assert.is(after[validateFile], fresh[validateFile]);
    for (const path of [publishFile, '.github/CODEOWNERS', 'README.md']) assert.is(after[path], before[path], path);
    assert.not.ok(existsSync(join(folder, 'deploy/Dockerfile')), 'what the editor removed stays removed');

    assert.is((await upgrade(folder, '--check')).code, 1, 'it is shown until it is reviewed');
    assert.match((await upgrade(folder, '--keep')).stderr, `Commit ${stampFile}, which says so.\n`);
    assert.is(read(folder, publishFile), 'name: Mine\n');
    assert.is((await upgrade(folder, '--check')).code, 0);
  }));

test('if only the list of the files is of an earlier version, the upgrade says that it has to be committed', () =>
  inFolder(async (folder) => {
    await init(folder);
    age(folder, {});
    const [check, first, second] = [await upgrade(folder, '--check'), await upgrade(folder), await upgrade(folder)].map(
      ({ stderr }) => stderr.replace(/^Every file is of version \S+\./, ''),
    );
    assert.equal(
      [check, first, second],
      [' To note that, run npx --no daily-agent-catalog upgrade.\n', ` Commit ${stampFile}, which says so.\n`, '\n'],
    );
  }));

test('where both sides changed one line, the other changes of the program are joined, also with --keep', () =>
  inFolder(async (folder) => {
    await init(folder);
    const workflow = read(folder, publishFile);
    const [name, schedule] = ['name: Publish\n', "'23 * * * *'"];
    const old = workflow.replace(name, 'name: Old\n').replace(schedule, "'0 1 * * *'");
    age(folder, { [publishFile]: old });
    writeFiles(folder, { [publishFile]: old.replace('name: Old\n', 'name: Mine\n') });
    await commit(folder);
    const joined = workflow.replace(name, 'name: Mine\n');
    const { stdout } = await upgrade(folder);
    assert.is(read(folder, publishFile), joined);
    assert.match(stdout, `with the changes of the program:\n  ${publishFile}\n`);
    assert.match(stdout, '<<<<<<< yours\nname: Mine\n||||||| original\nname: Old\n=======\nname: Publish\n');
    const again = await upgrade(folder);
    assert.match(
      again.stdout,
      '<<<<<<< yours\nname: Mine\n||||||| original\nname: Old\n',
      'it is shown until it is reviewed',
    );
    await upgrade(folder, '--keep');
    assert.equal([(await upgrade(folder, '--check')).code, read(folder, publishFile)], [0, joined]);
  }));

test('the review to which an upgrade leads shows its new files, and its commit has them', () =>
  inFolder(async (folder) => {
    await init(folder);
    rmSync(join(folder, stampFile));
    rmSync(join(folder, intakeFile));
    await commit(folder);
    const { stderr } = await upgrade(folder);
    const [, commands = ''] = /^Review the changes with (git .+), and commit them\.$/m.exec(stderr) ?? [];
    const review = await run('sh', ['-c', commands], { cwd: folder });
    await git(folder, 'commit', '--quiet', '--all', '--message', 'Upgrade');
    for (const path of [stampFile, intakeFile]) assert.match(review.stdout, ` b/${path}`);
    assert.is(await git(folder, 'status', '--porcelain'), '');
  }));

/** The files outside of .git. */
const catalogIn = (folder: string): Record<string, string> =>
  Object.fromEntries(
    Object.entries(snapshot(folder))
      .filter(([path]) => !path.startsWith('.git/'))
      .map(([path, bytes]) => [path, Buffer.from(bytes, 'latin1').toString('utf8')]),
  );

/** Makes a catalog whose files are old, with a line of the editor in one of them, and returns its files. */
async function oldCatalog(folder: string): Promise<Record<string, string>> {
  await init(folder);
  const workflow = read(folder, publishFile);
  age(folder, { [validateFile]: 'name: Old\n', [publishFile]: workflow.replace('name: Publish\n', 'name: Old\n') });
  writeFiles(folder, { [publishFile]: read(folder, publishFile).replace("'23 *", "'41 *") });
  rmSync(join(folder, '.dockerignore'));
  const stamp = JSON.parse(read(folder, stampFile));
  writeFiles(folder, {
    [stampFile]: JSON.stringify({ ...stamp, files: { ...stamp.files, '.dockerignore': undefined } }),
  });
  return catalogIn(folder);
}

const commit = async (folder: string) => {
  await git(folder, 'init', '--quiet');
  await git(folder, 'add', '--all');
  await git(folder, 'commit', '--quiet', '--message', 'Mine');
};

test('in a terminal, the lines that both sides changed have colors, and nothing else controls it', () =>
  inFolder(async (folder) => {
    await init(folder);
    const { [validateFile]: _, ...files } = JSON.parse(read(folder, stampFile)).files;
    writeFiles(folder, { [validateFile]: 'name: Mine\n', [stampFile]: JSON.stringify({ version: '0.1.9', files }) });
    const { NO_COLOR, TERM } = process.env;
    Object.assign(process.env, { NO_COLOR: '', TERM: 'xterm' });
    const [out, error] = [new PassThrough(), new PassThrough()].map((stream) => Object.assign(stream, { isTTY: true }));
    await main(['node', 'catalog', 'upgrade', '--check', '--cwd', folder], out, error).finally(() => {
      Object.assign(process.env, { NO_COLOR: NO_COLOR ?? '', TERM: TERM ?? '' });
    });
    const shown = written(out as PassThrough);
    assert.match(shown, '\u001b[31m-name: Mine\u001b[0m\n');
    assert.match(shown, '\u001b[1m+name: Validate\u001b[0m\n');
    assert.not.match(shown, '\ufffd');
  }));

test('an edited file that Git does not have is never overwritten: the upgrade asks for a commit, and writes nothing', () =>
  inFolder(async (folder) => {
    const before = await oldCatalog(folder);
    const refusal = `error: The upgrade would change these files, and they are not committed in Git:\n  ${publishFile}\nCommit them first, so that your version is never lost. Nothing was written.\n`;
    const refused = async (why: string) => {
      const { code, stderr } = await upgrade(folder);
      assert.equal([code, stderr, catalogIn(folder)], [1, refusal, before], why);
    };
    await refused('no repository');
    await git(folder, 'init', '--quiet');
    await refused('never committed');
    writeFiles(folder, { '.git/info/exclude': '*.yml\n' });
    await refused('ignored');
    rmSync(join(folder, '.git/info/exclude'));
    await commit(folder);
    before[publishFile] += '# mine\n';
    writeFiles(folder, { [publishFile]: before[publishFile] ?? '' });
    await refused('a dirty tree');
    // Other changes do not matter: installing the new version made some.
    await git(folder, 'commit', '--quiet', '--all', '--message', 'Mine');
    writeFiles(folder, { 'package.json': `${before['package.json']}\n`, 'notes.txt': 'Mine.\n' });
    assert.is((await upgrade(folder)).code, 0);
    assert.match(read(folder, publishFile), /^name: Publish\n[\s\S]*'41 \*[\s\S]*# mine\n$/);
  }));

test('an upgrade that is interrupted anywhere is completed by the next one', () =>
  inFolder(async (folder) => {
    const before = await oldCatalog(folder);
    await commit(folder);
    assert.is((await upgrade(folder)).code, 0);
    const after = catalogIn(folder);
    assert.is.not(after[publishFile], before[publishFile]);
    for (let step = 1; ; step += 1) {
      await git(folder, 'reset', '--quiet', '--hard');
      await git(folder, 'clean', '--quiet', '--force');
      const options = { writes: true, keeps: false, withCurrentNames };
      if (!dieAt(step, () => upgradeFiles(folder, 'https://example.com', options))) break;
      for (const path of [validateFile, publishFile, '.dockerignore'])
        assert.ok([before[path], after[path]].includes(catalogIn(folder)[path]), `${path} is whole after step ${step}`);
      if (read(folder, stampFile) !== after[stampFile]) writeFiles(folder, { '.catalog/.files.json.draft-1': '{' });
      const { code, stderr } = await upgrade(folder);
      assert.equal([code, catalogIn(folder)], [0, after], `step ${step}: ${stderr}`);
    }
  }));

for (const [reason, failure] of [
  ['the file system is read-only (EROFS)', (path: unknown) => ({ code: 'EROFS', syscall: 'open', path })],
  // Node.js names no path.
  ['the disk is full (ENOSPC)', () => ({ code: 'ENOSPC', syscall: 'write' })],
] as const)
  test(`if ${reason}, the upgrade says which file, and changes nothing`, () =>
    inFolder(async (folder) => {
      const before = await oldCatalog(folder);
      await commit(folder);
      const original = fs.writeFileSync;
      fs.writeFileSync = (path, ...rest) => {
        if (String(path).includes('/.github/workflows/')) throw Object.assign(new Error('no'), failure(path));
        original(path, ...rest);
      };
      syncBuiltinESMExports();
      try {
        const { code, stderr } = await upgrade(folder);
        assert.is(stderr, `error: ${validateFile} cannot be written: ${reason}. Nothing was changed.\n`);
        assert.is(code, 1);
      } finally {
        fs.writeFileSync = original;
        syncBuiltinESMExports();
      }
      assert.equal(catalogIn(folder), before);
    }));

const first: { files: Record<string, string>; addresses: string[]; feedIds: string[] } = JSON.parse(
  readFileSync(new URL('../../fixtures/catalog-0.1.0.json', import.meta.url), 'utf8'),
);
const copiedFirst: Record<string, string> = JSON.parse(
  readFileSync(join(bundled, 'starter/files-0.1.0.json'), 'utf8'),
).files;
const weeklyFile = '.github/workflows/weekly.yml';

/** A workflow of the editor, with names of version 0.1. */
const weekly = `# Who reads npx catalog live?
on: { schedule: [{ cron: '11 7 * * 1' }], workflow_dispatch: }
permissions: {}
jobs:
  report:
    runs-on: ubuntu-24.04
    permissions: { contents: read }
    steps:
      - uses: actions/checkout@v7
      - run: npx --no catalog status --json > status.json
      - run: |
          npx --no catalog build --hold-back --json \\
            --out dist; npx catalog live --help
`;

test('a catalog of version 0.1.0 is upgraded by one command: its workflows run, and every address, number and vote stays', () =>
  inFolder(async (folder) => {
    const forge = await makeForge(folder);
    try {
      const editor = join(folder, 'editor');
      await git(folder, 'clone', '--quiet', forge.remote, editor);
      await git(editor, 'checkout', '--quiet', '-b', 'main');
      writeFiles(editor, { ...first.files, ...copiedFirst });
      await save(editor, 'A catalog of version 0.1.0');
      const edited = copiedFirst[publishFile]?.replace("cron: '23 * * * *'", "cron: '41 6 * * *'") ?? '';
      assert.is.not(edited, copiedFirst[publishFile]);
      writeFiles(editor, { [publishFile]: edited, [weeklyFile]: weekly });
      await save(editor, 'Publish once a day, and report each week');
      const told = await catalog(['validate', '--today', '2026-11-25', '--cwd', editor]);
      assert.match(
        told.stderr,
        /are of version 0\.1\.0, and the program is 0\.2\.0\. Run npx --no daily-agent-catalog upgrade/,
      );

      const { code, stdout, stderr } = await upgrade(editor);
      assert.is(code, 0, stderr);
      assert.match(stdout, `Changed by you, now with the changes of the program:\n  ${publishFile}\n`);
      assert.match(stdout, `commands and flags:\n  package.json\n  README.md\n  ${weeklyFile}\n`);
      const current = readFileSync(join(bundled, publishFile), 'utf8');
      assert.is(read(editor, publishFile), current.replace("cron: '23 * * * *'", "cron: '41 6 * * *'"));
      assert.equal(JSON.parse(read(editor, 'package.json')).scripts, {
        start: 'catalog serve --build --out dist --votes data/votes.jsonl --subscribe-rate 3/60',
        report:
          'npx --no daily-agent-catalog votes --out dist --format=csv > votes.csv && catalog subscribers --format=json',
        check: 'npm run lint; npx --no daily-agent-catalog build --skip-invalid --format=json',
        deploy: 'catalog deploy ada@example.org:/srv/catalog',
      });
      assert.match(
        read(editor, weeklyFile),
        '\n      - run: npx --no daily-agent-catalog status --format=json > status.json\n',
      );
      assert.match(
        read(editor, weeklyFile),
        'build --skip-invalid --format=json \\\n            --out dist; npx --no daily-agent-catalog ci verify --help\n',
      );
      assert.not.match(read(editor, 'README.md'), /npx (?:--no )?catalog/);
      await save(editor, 'Upgrade to version 0.2.0');

      const workflows = join(editor, '.github/workflows');
      const play = (file: string) => forge.play(file, { today: '2026-11-25', workflows });
      const run = await play('publish.yml');
      assert.equal(run.results, { ...published, alert: 'success' }, said(run)); // No agent is ready for tomorrow.
      for (const file of ['validate.yml', 'weekly.yml']) {
        const { results, steps } = await play(file);
        assert.equal(Object.values(results), ['success'], file);
        assert.not.match(steps.map((step) => step.stderr).join(), 'notice:');
      }
      assert.equal(await numbers(forge), { 'handover-gap-finder': 1, 'refund-reply': 2, 'minutes-taker': 3 });
      assert.equal(
        first.addresses.filter((path) => !existsSync(join(forge.pages, path))),
        [],
      );
      const feed = readFileSync(join(forge.pages, 'atom.xml'), 'utf8');
      assert.equal(feed.match(/(?<=<id>)[^<]+/g), first.feedIds);
      const here = ['--cwd', editor, '--out', forge.pages, '--format', 'csv'];
      assert.match((await catalog(['votes', ...here])).stdout, /^refund-reply,1,0,1,0,no,Too long\.,1,/m);
      const subscribers = await catalog(['subscribers', '--cwd', editor, '--format', 'csv']);
      assert.match(subscribers.stdout, /joan@example\.com/);
      for (const [path, text] of Object.entries(first.files)) {
        if (/^(?:agents|data)\//.test(path)) assert.is(read(editor, path), text, path);
      }
    } finally {
      await forge.close();
    }
  }));

test('validate says that the copied files are older than the program, until they are upgraded', () =>
  inFolder(async (folder) => {
    await init(folder);
    const stamp = JSON.parse(read(folder, stampFile));
    writeFiles(folder, { [stampFile]: JSON.stringify({ ...stamp, version: '0.0.9' }) });
    const validated = await catalog(['validate', '--cwd', folder]);
    assert.is(validated.code, 0);
    assert.match(validated.stderr, 'are of version 0.0.9, and the program is');
    await upgrade(folder);
    assert.is((await catalog(['validate', '--cwd', folder])).stderr, '1 agent checked, no errors.\n');
    writeFiles(folder, { [stampFile]: JSON.stringify({ ...stamp, version: '0.10.0' }) });
    const older = await catalog(['publish', '--dry-run', '--cwd', folder]);
    assert.match(older.stderr, /are of version 0\.10\.0, and the program is \S+ Install that version\.\n/);
    // A pre-release is earlier than its release.
    writeFiles(folder, { [stampFile]: JSON.stringify({ ...stamp, version: `${stamp.version}-beta` }) });
    assert.match((await catalog(['validate', '--cwd', folder])).stderr, '-beta, and the program is');
    await upgrade(folder);
    assert.is(JSON.parse(read(folder, stampFile)).version, stamp.version);
  }));

test('scripts with the names of version 0.1 still work, and are told the new ones', () =>
  inFolder(async (folder) => {
    await init(folder);
    const here = ['--cwd', folder];
    const notice = (...names: string[]) =>
      names.map((name) => `notice: ${name}. The old name works until version 0.3.\n`).join('');
    const csv = ['--format', 'csv'];
    // Each old command line: its notices, and the command line of today.
    const renamed: [old: string[], notices: string, current: string[]][] = [
      [
        ['signups', '--csv'],
        notice('signups is now subscribers', '--csv is now --format=csv'),
        ['subscribers', ...csv],
      ],
      [
        ['status', '__proto__', '--json'],
        notice('--json is now --format=json'),
        ['status', '__proto__', '--format', 'json'],
      ],
      [
        ['votes', '--dist', 'dist', '--votes=data/x.jsonl', '--csv'],
        notice('--dist is now --out', '--votes is now --file', '--csv is now --format=csv'),
        ['votes', '--out', 'dist', '--file=data/x.jsonl', ...csv],
      ],
      [
        ['build', '--hold-back', '--help'],
        notice('--hold-back is now --skip-invalid'),
        ['build', '--skip-invalid', '--help'],
      ],
      [['alert', '--help'], notice('alert is now ci notify'), ['ci', 'notify', '--help']],
      [['live', '--help'], notice('live is now ci verify'), ['ci', 'verify', '--help']],
      [['deliver', '--help'], notice('deliver is now deploy'), ['deploy', '--help']],
      [
        ['serve', '--dist', 'none', '--signups', 'file', '--signup-rate', 'off', '--votes', 'x.jsonl'],
        notice('--dist is now --out', '--signups is now --subscribers', '--signup-rate is now --subscribe-rate'),
        ['serve', '--out', 'none', '--subscribers', 'file', '--subscribe-rate', 'off', '--votes', 'x.jsonl'],
      ],
    ];
    for (const [old, notices, current] of renamed) {
      const told = await catalog([...old, ...here]);
      const expected = await catalog([...current, ...here]);
      assert.equal(
        [told.code, told.stdout, told.stderr],
        [expected.code, expected.stdout, notices + expected.stderr],
        old.join(' '),
      );
    }
    assert.is((await catalog(['signups', '--signups', 'file', ...here])).code, 0);
    // It failed in version 0.1.
    const { code, stderr } = await catalog(['serve', '--database', 'postgres://ada:secret@db', ...here]);
    assert.equal([code, stderr], [2, 'error: --database was removed. Set DATABASE_URL instead.\n']);
  }));

test('a catalog of a newer program, a damaged stamp, and text in another encoding change nothing', () =>
  inFolder(async (folder) => {
    await init(folder);
    const wrong: [text: string, message: RegExp][] = [
      ['{"version":"10.0.0","files":{}}', /upgraded to version 10\.0\.0, and this program is .* Install that version/],
      ['{', /\.catalog\/files\.json is damaged, and nothing was written\. Restore it from Git/],
    ];
    for (const [text, message] of wrong) {
      writeFiles(folder, { [stampFile]: text });
      const before = snapshot(folder);
      const { code, stderr } = await upgrade(folder);
      assert.is(code, 1);
      assert.match(stderr, message);
      assert.equal(snapshot(folder), before);
    }
    rmSync(join(folder, stampFile));
    writeFileSync(join(folder, 'README.md'), Buffer.from('Stra\u00dfe: npx catalog live\n', 'latin1'));
    const before = snapshot(folder);
    const reason = 'README.md cannot be read, and nothing was written: it is not UTF-8 text.';
    assert.is((await upgrade(folder)).stderr, `error: ${reason}\n`);
    assert.equal(snapshot(folder), before);
  }));

test.run();
