import { execFileSync } from 'node:child_process';
import { existsSync, lstatSync, mkdirSync, realpathSync, symlinkSync } from 'node:fs';
import { join, relative } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { feedIdFor } from '../../../src/content/new/catalog.ts';
import { bundled, inFolder, smallAgent, snapshot, writeFiles } from '../../support/catalog.ts';
import { brokenLinks } from '../../support/links.ts';
import { catalog } from '../../support/process.ts';
import { init, read, settings, today } from '../../support/scaffold.ts';
import { testUnless } from '../../support/skip.ts';

/** `catalog init` makes a complete catalog. */

const { version } = JSON.parse(read(bundled, 'package.json'));

test('flags fill the settings, missing folders are created, and the agent has the date of today', async () => {
  await inFolder(async (folder) => {
    const { code, stdout, stderr } = await init(
      folder,
      ...['new place/prompts', '--title', 'Prompts & <Co>', '--base-url', 'https://ada.github.io/prompts/'],
      ...['--publisher', 'Ada Press', '--publisher-url', 'https://ada.example/me'],
    );
    assert.is(code, 0, stderr);
    const made = join(folder, 'new place', 'prompts');
    assert.match(stdout, 'prompts\n');
    for (const step of ['cd "', 'npm install', 'npm start', 'npx --no daily-agent-catalog new'])
      assert.match(stderr, step);
    assert.not.match(stderr, 'example.com');

    const { title, baseUrl, publisher, feedId, repository, $schema } = settings(made);
    assert.equal(
      { title, baseUrl, publisher, feedId, repository },
      {
        title: 'Prompts & <Co>',
        baseUrl: 'https://ada.github.io/prompts',
        publisher: { name: 'Ada Press', url: 'https://ada.example/me' },
        feedId: 'tag:ada.github.io,2026-11-21:prompts',
        repository: 'https://github.com/ada/prompts',
      },
    );
    assert.ok(existsSync(join(bundled, $schema.replace('./node_modules/daily-agent-catalog/', ''))), $schema);
    assert.equal(JSON.parse(read(made, 'package.json')), {
      private: true,
      scripts: { start: 'catalog serve --build' },
      engines: { node: '>=20.19.0' },
      dependencies: { 'daily-agent-catalog': `^${version}` },
    });
    const validated = await catalog(['validate', '--format', 'json', '--cwd', made, '--today', today]);
    assert.equal(JSON.parse(validated.stdout).diagnostics, []);
    const status = await catalog(['status', '--format', 'json', '--cwd', made, '--today', today]);
    assert.match(status.stdout, 'handover-gap-finder');
    assert.match(read(made, 'agents/handover-gap-finder/agent.md'), `\ndate: ${today}\n`);
    // `data/` has the votes and the addresses of subscribers.
    // With the slash before it, no agent is ignored whose slug is the same word.
    // A build that is killed leaves hidden files next to its folder. Its lock would make every clone wait for a minute.
    for (const line of ['node_modules/', '/dist/', '/.dist.*', '/preview/', '/.preview.*', '/data/'])
      assert.ok(read(made, '.gitignore').split('\n').includes(line), line);
    for (const line of ['.git', 'node_modules', 'dist', 'preview', 'data'])
      assert.ok(read(made, '.dockerignore').split('\n').includes(line), line);
    assert.match(read(made, '.gitattributes'), 'eol=lf');
    assert.match(read(made, 'README.md'), '# Prompts \\& \\<Co\\>\n');
    assert.equal(brokenLinks(made, 'README.md'), []);
  });
});

test('the first step leads into the new folder, and runs nothing, whatever the folder is called', async () => {
  await inFolder(async (folder) => {
    for (const name of ['plain', '-n', 'two words', 'a $(touch ran)', '`touch ran` & co', '日本', `it's "new" $HOME`]) {
      const { stderr } = await catalog(['init', '--package', '1', '--', name], { cwd: folder });
      const [, step = ''] = /^ {2}1\. (cd .*)$/m.exec(stderr) ?? [];
      const options = { cwd: folder, encoding: 'utf8' } as const;
      assert.is(execFileSync('sh', ['-c', `${step} && pwd -P`], options), `${realpathSync(join(folder, name))}\n`);
    }
    assert.is(settings(join(folder, '日本')).title, 'Agent Catalog', 'no title can be made from the folder');
  });
});

test('workflows and forms are exact copies, and --json prints the result', async () => {
  await inFolder(async (folder) => {
    const { code, stdout, stderr } = await init(folder, 'a', '--format', 'json');
    assert.is(code, 0, stderr);
    assert.is(stderr, '');
    const made = join(folder, 'a');
    const written = snapshot(made);
    for (const name of [
      'Dockerfile',
      'catalog.service',
      'catalog-announce.timer',
      'catalog-backup.service',
      'logrotate.conf',
    ])
      assert.ok(`deploy/${name}` in written, name);
    const { files, ...rest } = JSON.parse(stdout);
    assert.equal(rest, { folder: made, addedToPackageJson: [] });
    assert.equal([...files].sort(), Object.keys(written).sort());
    const shared = Object.keys(written).filter((path) => path.startsWith('.github/'));
    assert.ok(shared.includes('.github/workflows/publish.yml') && shared.includes('.github/workflows/validate.yml'));
    const own = snapshot(join(bundled, '.github'));
    for (const path of shared) {
      if (path !== '.github/CODEOWNERS') assert.is(written[path], own[path.slice('.github/'.length)], path);
    }
    for (const [path, text] of Object.entries(written)) assert.not.ok(text.includes('\r'), path);
  });
});

const owners: [baseUrl: string, owner: string, repository: string | undefined][] = [
  ['https://ada-press.github.io', '@ada-press', 'https://github.com/ada-press/ada-press.github.io'],
  ['https://ada.example', '@OWNER', undefined],
  ['https://ada.github.io.example/prompts', '@OWNER', undefined],
];
for (const [baseUrl, owner, repository] of owners) {
  test(`a catalog at ${baseUrl} has ${owner} approve every change but those to agents`, async () => {
    await inFolder(async (folder) => {
      const { stderr } = await init(folder, '--base-url', baseUrl);
      const rules = read(folder, '.github/CODEOWNERS')
        .split('\n')
        .filter((line) => line !== '' && !line.startsWith('#'))
        .map((line) => line.split(/ +/));
      // GitHub uses the last matching rule. A rule without an owner requires no approval.
      assert.equal(rules, [['*', owner], ['/agents/']]);
      assert.is(/Replace @OWNER/.test(stderr), owner === '@OWNER');
      assert.is(settings(folder).repository, repository);
      assert.is(settings(folder).publisher.url, baseUrl);
      assert.is(/Set repository in/.test(stderr), repository === undefined);
    });
  });
}

test('the example is none of the agents of the bundled catalog', async () => {
  assert.not.ok(existsSync(join(bundled, 'agents', 'handover-gap-finder')));
});

test('files of git and npm are kept, package.json is completed, and the example gets a free date', async () => {
  await inFolder(async (folder) => {
    writeFiles(join(folder, 'agents', 'mine'), smallAgent({ slug: 'mine', date: today }));
    writeFiles(folder, {
      'package.json': '{\r\n\t"name": "mine",\r\n\t"scripts": { "test": "true" },\r\n\t"license": "MIT"\r\n}',
      'package-lock.json': '{}',
      'node_modules/x/index.js': '',
      '.git/HEAD': 'ref: refs/heads/main\n',
      'notes.txt': 'Mine.\n',
    });
    const before = snapshot(folder);

    const { code, stderr } = await init(folder, '--package', 'next');
    assert.is(code, 0, stderr);
    assert.match(stderr, 'Added to the existing package.json: scripts.start, dependencies.daily-agent-catalog.');
    assert.is(
      read(folder, 'package.json'),
      [
        '{',
        '\t"name": "mine",',
        '\t"scripts": {',
        '\t\t"test": "true",',
        '\t\t"start": "catalog serve --build"',
        '\t},',
        '\t"license": "MIT",',
        '\t"dependencies": {',
        '\t\t"daily-agent-catalog": "next"',
        '\t}',
        '}',
      ].join('\r\n'),
    );
    const after = snapshot(folder);
    for (const [path, text] of Object.entries(before)) if (path !== 'package.json') assert.is(after[path], text, path);
    assert.match(read(folder, 'agents/handover-gap-finder/agent.md'), '\ndate: 2026-11-22\n');
  });
});

testUnless(process.platform === 'win32' && 'creating links takes a privilege on Windows')(
  'a package.json that is a link stays one, and its real file is completed',
  () =>
    inFolder(async (folder) => {
      const made = join(folder, 'made');
      writeFiles(folder, { 'real.json': '{}\n' });
      mkdirSync(made);
      symlinkSync(join(folder, 'real.json'), join(made, 'package.json'));
      const { code, stderr } = await init(made);
      assert.is(code, 0, stderr);
      assert.ok(lstatSync(join(made, 'package.json')).isSymbolicLink());
      assert.equal(JSON.parse(read(folder, 'real.json')).scripts, { start: 'catalog serve --build' });
    }),
);

test('a complete package.json stays unchanged, and a different start script is detected', async () => {
  await inFolder(async (folder) => {
    const text = '{"scripts":{"start":"mine"},"devDependencies":{"daily-agent-catalog":"1"}}';
    writeFiles(folder, { 'package.json': text });
    const { code, stdout, stderr } = await init(folder);
    assert.is(code, 0, stderr);
    assert.is(read(folder, 'package.json'), text);
    const title = settings(folder).title;
    const count = Object.keys(snapshot(folder)).length - 1;
    assert.is(
      stderr,
      `Created "${title}": ${count} files.
package.json already had every entry and did not change.

Next:
  1. cd ${folder}
  2. npm install
  3. npx --no daily-agent-catalog serve --build    (to see it, with one example agent)
  4. npx --no daily-agent-catalog new    (to write your own)
  5. Set baseUrl, feedId and publisher.url in catalog.config.json: they contain example.com.
  6. Set repository in catalog.config.json to the address of your GitHub repository, so that pages link to it.
  7. Replace @OWNER in .github/CODEOWNERS with your GitHub account, which then has to approve changes.

README.md says how to publish every day with GitHub.

`.replace(folder, relative(bundled, folder)),
    );
    assert.is(stdout, `${relative(bundled, folder)}\n`);
  });
});

test('a program that was installed from a file outside of the catalog has to be copied into it', async () => {
  await inFolder(async (folder) => {
    writeFiles(folder, {
      'package.json': '{"dependencies":{"daily-agent-catalog":"file:../packs/program-1.0.0.tgz"}}',
    });
    const { code, stderr } = await init(folder);
    assert.is(code, 0, stderr);
    assert.match(
      stderr,
      '  2. Copy ../packs/program-1.0.0.tgz into vendor/, and run npm install ./vendor/program-1.0.0.tgz: clones lack a file outside of the catalog.\n  3. npm start ',
    );
  });
});

test('in the folder itself, there is no cd, and no folder to print', async () => {
  await inFolder(async (folder) => {
    const { code, stdout, stderr } = await catalog(
      ['init', '--package', '1', '--title', 'My "own"', '--today', today],
      { cwd: folder },
    );
    assert.equal([code, stdout], [0, ''], stderr);
    assert.match(stderr, /^Created "My "own"": \d+ files\.\n\nNext:\n {2}1\. npm install\n {2}2\. npm start {4}\(/);
    const { publisher, baseUrl, timezone, feedId } = settings(folder);
    const address = 'https://example.com';
    assert.equal(
      { publisher, baseUrl, timezone, feedId },
      {
        publisher: { name: 'My "own"', url: address },
        baseUrl: address,
        timezone: new Intl.DateTimeFormat().resolvedOptions().timeZone,
        feedId: `tag:example.com,${today}:catalog`,
      },
    );
    const again = await catalog(['init', '--package', '1', '--today', today], { cwd: folder });
    assert.is(again.code, 1);
    assert.match(
      again.stderr,
      new RegExp(`because these already exist in ${folder}:\\n(?:  .+\\n){20,}Move them away, or start`),
    );
  });
});

test('--git makes a first commit of the files of the catalog only, and says if Git refuses it', async () => {
  const author = { GIT_AUTHOR_NAME: 'Ada', GIT_AUTHOR_EMAIL: 'ada@example.org' };
  const committer = { GIT_COMMITTER_NAME: 'Ada', GIT_COMMITTER_EMAIL: 'ada@example.org' };
  const nobody = {
    ...{ HOME: '/nowhere', GIT_CONFIG_GLOBAL: '/dev/null', GIT_CONFIG_COUNT: '1' },
    ...{ GIT_CONFIG_KEY_0: 'user.useConfigOnly', GIT_CONFIG_VALUE_0: 'true' },
  };
  await inFolder(async (folder) => {
    writeFiles(folder, { 'mine/.env': 'KEY=secret\n' });
    const args = ['--package', '1', '--git', '--today', today];
    const made = await catalog(['init', 'mine', ...args], { cwd: folder, env: { ...author, ...committer } });
    assert.is(made.code, 0, made.stderr);
    assert.match(made.stderr, 'Created a Git repository with a first commit.\n');
    const listed = execFileSync('git', ['status', '--short'], { cwd: join(folder, 'mine'), encoding: 'utf8' });
    assert.is(listed, '?? .env\n');
    const refused = await catalog(['init', 'other', ...args], { cwd: folder, env: nobody });
    assert.is(refused.code, 1);
    assert.match(refused.stderr, /^Created "Other"[\s\S]*Every file was written, but Git made no commit: .*email/);
    const [, next = ''] = / {2}5\. (git config .*)\n/.exec(refused.stderr) ?? [];
    const home = { ...nobody, HOME: folder, GIT_CONFIG_GLOBAL: join(folder, 'git.config') };
    execFileSync('sh', ['-c', next], { cwd: join(folder, 'other'), env: { ...process.env, ...home }, stdio: 'pipe' });
    const subject = execFileSync('git', ['log', '--format=%s'], { cwd: join(folder, 'other'), encoding: 'utf8' });
    assert.is(subject, 'Start the catalog\n');
    // A repository around the folder stays the only one.
    const inner = await catalog(['init', 'mine/inner', ...args], { cwd: folder, env: { ...author, ...committer } });
    assert.match(inner.stderr, 'files.\nGit made no commit, since the folder is already in a repository.\n');
    assert.not.ok(existsSync(join(folder, 'mine/inner/.git')));
  });
});

const feedIds: [address: string, id: string][] = [
  ['https://agents.example.org', 'tag:agents.example.org,2026-11-21:catalog'],
  ['http://localhost:3000', 'tag:localhost,2026-11-21:catalog'],
  ['https://prüfung.example/a/b c', 'tag:xn--prfung-4ya.example,2026-11-21:a/b-20c'],
];
for (const [address, id] of feedIds) {
  test(`the feed id for ${address} is ${id}`, () => {
    assert.is(feedIdFor(address, today), id);
  });
}

test('the starter is a valid catalog', async () => {
  const { code, stdout } = await catalog(['validate', '--format', 'json', '--cwd', join(bundled, 'starter')]);
  assert.is(code, 0);
  assert.equal(JSON.parse(stdout).diagnostics, []);
});

test.run();
