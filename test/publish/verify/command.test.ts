import { rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { unzipSync, zipSync } from 'fflate';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { fillIn } from '../../../src/text/prompt-text.ts';
import { inFolder, temporaryFolder, writeCatalog, writeFiles } from '../../support/catalog.ts';
import { otherPrompt, published, revisions, serveFiles, today, writeRevisions } from '../../support/copies.ts';
import { gitSync } from '../../support/git.ts';
import { loud } from '../../support/loud.ts';
import { catalog } from '../../support/process.ts';
import { onTerminal } from '../../support/terminal.ts';

/** What `catalog verify` prints and how it ends: folders, wrong input, and catalogs without history. */

const folder = temporaryFolder();
const [first, , third] = revisions;
let cwd = '';
let files: ReadonlyMap<string, Buffer> = new Map();
let site: Awaited<ReturnType<typeof serveFiles>>;
test.before(
  loud(async () => {
    cwd = writeRevisions(folder.path);
    ({ files } = published(cwd).rendered);
    site = await serveFiles(files);
  }),
);
test.after(
  loud(() => {
    site.close();
    folder.remove();
  }),
);

const copies = (of: Record<string, string | Uint8Array>, use: (path: string) => Promise<void>) =>
  inFolder(async (path) => {
    writeFiles(path, of);
    await use(path);
  });
/** The files of the current skill. */
const skillFiles = () => unzipSync(files.get('.well-known/agent-skills/one.zip') ?? Buffer.alloc(0));
const verify = (path: string, ...args: string[]) => catalog(['verify', path, '--cwd', cwd, '--today', today, ...args]);

test('a folder is searched: copies are reported with a diff, and other texts are only counted', async () => {
  const skill = files.get('.well-known/agent-skills/one/SKILL.md') ?? '';
  await copies(
    {
      'a/.claude/skills/one/SKILL.md': skill,
      'a/.claude/skills/one/references/sample.md': 'Other.\n',
      'a/.claude/skills/theirs/SKILL.md': '---\nname: theirs\n---\nSing.\n',
      'a/notes/one.txt': first,
      'a/notes/diary.md': 'A day.\n',
      'a/notes/picture.png': 'PNG',
      'a/notes/broken.zip': 'PK\u0003\u0004',
      'a/node_modules/x/one.txt': first,
      'a/.git/one.txt': first,
    },
    async (path) => {
      symlinkSync(join(path, 'a'), join(path, 'a/notes/loop'));
      const { code, stdout, stderr } = await verify(join(path, 'a'));
      assert.is(code, 1);
      assert.match(
        stdout,
        `${path}/a/.claude/skills/one: skill of one (No. 1), version 1.2.0, prompt revision 3 of 3 (2026-11-15)\n  Changed as shown below. Replace it with a new copy: https://press.example/agents/one\n--- references/sample.md\n`,
      );
      assert.match(
        stdout,
        `${path}/a/notes/one.txt: prompt of one (No. 1), revision 1 of 3 (2026-11-01)\n  Unchanged, but not the current one. Replace it with the one of 2026-11-15: https://press.example/agents/one\n`,
      );
      assert.is(stdout.match(/^\S+: (?:skill|prompt)/gm)?.length, 2);
      assert.is(
        stderr,
        `Not compared: ${path}/a/notes/broken.zip is not a zip archive that can be read.\nLeft out 2 texts that no agent has.\n`,
      );
    },
  );
});

test('a SKILL.md above other skills hides none of them, and a copy that cannot be read does not either', async () => {
  const skill = Object.entries(skillFiles());
  const below = (folder: string) => Object.fromEntries(skill.map(([file, text]) => [`${folder}/${file}`, text]));
  const plugin = unzipSync(files.get('plugins/one-1.2.0.zip') ?? Buffer.alloc(0));
  const many = Object.fromEntries(Array.from({ length: 201 }, (_, index) => [`many/${index}`, '']));
  await copies(
    {
      ...{ ...below('theirs/.hidden/one'), 'theirs/SKILL.md': 'Sing.\n', 'theirs/uno.md': first },
      ...{ ...below('one'), ...below('one/inner') },
      ...{ ...many, 'many/SKILL.md': 'Sing.\n', 'many/uno.md': first },
      ...{ 'lost/SKILL.md': 'Sing.\n', 'lost/uno.md': first },
      // Its skill belongs to it.
      ...Object.fromEntries(Object.entries(plugin).map(([file, text]) => [`plugin/${file}`, text])),
    },
    async (path) => {
      symlinkSync('nowhere', join(path, 'lost/link'));
      const { stdout, stderr } = await verify(path, '--site', site.address);
      const found = [...stdout.matchAll(/^(\S+): (\w+) of one .*\n {2}(\w+)/gm)].map(
        ([, at, kind, word]) => `${at?.slice(path.length + 1)} ${kind} ${word}`,
      );
      assert.equal(found, [
        'lost/uno.md prompt Unchanged',
        'many/uno.md prompt Unchanged',
        'one skill Changed',
        'one/inner skill Unchanged',
        'plugin plugin Unchanged',
        'theirs/.hidden/one skill Unchanged',
        'theirs/uno.md prompt Unchanged',
      ]);
      assert.equal(stderr.split('\n').slice(0, 3), [
        `Not compared: ${path}/lost/link cannot be read: there is no such file or folder (ENOENT).`,
        `Not compared: ${path}/many is too large to be a copy: it has more than 8388608 bytes or 200 files.`,
        'Left out 1 text that no agent has.',
      ]);
    },
  );
});

test('every skill in an archive is compared, so that none comes along unseen', async () => {
  const skill = Object.entries(skillFiles());
  const evil = { 'SKILL.md': Buffer.from('---\nname: gone\n---\nRun curl.\n') };
  const archive = (other: Record<string, Uint8Array>) =>
    zipSync({ ...Object.fromEntries(skill.map(([file, text]) => [`one/${file}`, text])), ...other });
  await copies(
    {
      'two.zip': archive({ 'a/SKILL.md': evil['SKILL.md'], '__MACOSX/one/._SKILL.md': Buffer.from('x') }),
      'loose.zip': archive({ 'run.sh': Buffer.from('curl') }),
    },
    async (path) => {
      const two = await verify(join(path, 'two.zip'), '--site', site.address);
      assert.is(two.code, 1);
      assert.equal(two.stdout.match(/^ {2}.*$/gm), [
        '  An agent of this name was withdrawn. Stop using the copy.',
        '  Unchanged. There is nothing to do.',
      ]);
      const loose = await verify(join(path, 'loose.zip'), '--site', site.address);
      assert.is(
        loose.stderr,
        `Not compared: ${path}/loose.zip also contains run.sh, which is not part of a skill or plugin.\n`,
      );
    },
  );
});

test('a plugin from before its agent was renamed is told from an older one, also if the versions are equal', async () => {
  await copies({ 'uno.zip': files.get('plugins/uno-1.1.0.zip') ?? '' }, async (path) => {
    const { code, stdout } = await verify(join(path, 'uno.zip'), '--site', site.address);
    assert.is(code, 0);
    assert.match(
      stdout,
      '  Unchanged, and its agent was renamed from uno to one. Remove it, and install one: https://press.example/agents/one\n',
    );
  });
});

test('an unchanged copy exits with 0, also if it is of an earlier revision, and on another address of the site', async () => {
  await copies({ 'one.txt': first }, async (path) => {
    for (const args of [[], ['--site', `${site.address}///`]]) {
      const { code, stdout, stderr } = await verify(join(path, 'one.txt'), ...args);
      assert.is(code, 0, stderr);
      assert.match(stdout, '  Unchanged, but not the current one. Replace it with the one of 2026-11-15: ');
    }
  });
});

test('each kind of copy is described in a sentence, and --json says the same', async () => {
  const described: [file: string, text: string, sentence: string][] = [
    ['a.txt', third, 'Unchanged. There is nothing to do.'],
    [
      'b.txt',
      third.replaceAll('\n', '\r\n'),
      'Unchanged except for line endings and blank lines at its ends. There is nothing to do.',
    ],
    [
      'c.txt',
      fillIn(third, [{ text: 'lamp' }]),
      'Unchanged except for the input that was filled in. There is nothing to do.',
    ],
    ['d.txt', `Hello.\n\n${third}`, 'Contains the unchanged prompt. Check the text around it, which was not compared.'],
    ['gone.txt', 'Another.\n', 'An agent of this name was withdrawn. Stop using the copy.'],
    ['poem.txt', 'A poem.\n', 'No published agent has this text. Find out where it comes from before you use it.'],
  ];
  await copies(Object.fromEntries(described.map(([file, text]) => [file, text])), async (path) => {
    const paths = described.map(([file]) => join(path, file));
    const { code, stdout } = await catalog(['verify', ...paths, '--cwd', cwd, '--today', today]);
    assert.is(code, 1);
    const sentences = described.map(([, , sentence]) => `  ${sentence}`);
    assert.equal(stdout.match(/^ {2}.*$/gm), sentences);
    const json = await catalog(['verify', ...paths, path, '--cwd', cwd, '--today', today, '--format', 'json']);
    const { comparedWith, complete, copies: found, others, unreadable } = JSON.parse(json.stdout);
    assert.equal([comparedWith, complete, others, unreadable], [cwd, true, 1, []]);
    const statuses = ['unchanged', 'line-ends', 'filled-in', 'contained', 'withdrawn'];
    assert.equal(
      found.map(({ status }: { status: string }) => status),
      [...statuses, 'unknown', ...statuses],
    );
  });
});

test('on a terminal, removed lines are red, and added ones are bold', async () => {
  await copies({ 'one.txt': third.replace('RULES', 'WISHES') }, async (path) => {
    const args = ['verify', join(path, 'one.txt'), '--cwd', cwd, '--today', today];
    const { screen } = await onTerminal(args, { columns: 200 }).ends();
    assert.match(screen, '\u001b[31m-RULES\u001b[0m\r\n\u001b[1m+WISHES\u001b[0m');
  });
});

test('a copy that controls a terminal is printed safely', async () => {
  await copies({ 'one.txt': third.replace('RULES', 'RULES \u001b[2J\u202e') }, async (path) => {
    const { code, stdout } = await verify(join(path, 'one.txt'));
    assert.is(code, 1);
    assert.match(stdout, '+RULES \ufffd[2J\ufffd\n');
  });
});

/** Rows of: the files, the path that is verified, and the message. All exit with 1. */
const wrong: Record<string, [Record<string, string | Uint8Array>, path: string, message: RegExp]> = {
  'a path that does not exist': [{}, 'none.txt', /^error: \S+\/none\.txt does not exist\.\n$/],
  'a picture': [
    { 'a.png': Buffer.from([0x89, 0x50, 0]) },
    'a.png',
    /a\.png is neither a text nor a zip archive of a skill or plugin\.\n$/,
  ],
  'a broken archive': [{ 'a.zip': 'PK\u0003\u0004' }, 'a.zip', /a\.zip is not a zip archive that can be read\.\n$/],
  'an archive of something else': [
    { 'a.zip': zipSync({ 'b.txt': Buffer.from('b') }) },
    'a.zip',
    /a\.zip is neither a text nor a zip archive/,
  ],
  'an archive that becomes too large': [
    { 'a.zip': zipSync({ 'SKILL.md': Buffer.alloc(9 * 1024 * 1024) }) },
    'a.zip',
    /a\.zip is too large to be a copy: it has more than 8388608 bytes or 200 files\.\n$/,
  ],
  'a text that is too large': [{ 'a.txt': 'a'.repeat(9 * 1024 * 1024) }, 'a.txt', /a\.txt is too large to be a copy/],
  'a folder without copies': [
    { 'b/a.txt': 'Sing.' },
    'b',
    /^\S+\/b has no copy of an agent of \S+\nLeft out 1 text that no agent has\.\n$/,
  ],
};
for (const [name, [given, path, message]] of Object.entries(wrong)) {
  test(`${name} is refused`, () =>
    copies(given, async (folder) => {
      const { code, stdout, stderr } = await verify(join(folder, path), '--site', site.address);
      assert.match(stderr, message);
      assert.equal([code, stdout], [1, '']);
    }));
}

test('a prompt with a hundred thousand places for an input or a fence is looked at in bounded time', async () => {
  await copies(
    {
      'a.md': `${'\n\n<input>\n'.repeat(100_000)}${'```\n'.repeat(100_001)}`,
      'SKILL.md.txt': '---\n\n## Prompt\n'.repeat(100_000),
    },
    async (path) => {
      const { code, stderr } = await verify(path, '--site', site.address);
      assert.equal([code, stderr.split('\n')[1]], [1, 'Left out 2 texts that no agent has.']);
    },
  );
});

test('a shallow clone, and a folder without Git, know only the current revision, and say so', async () => {
  const shallow = join(folder.path, 'shallow');
  gitSync(folder.path, 'clone', '--quiet', '--depth', '1', pathToFileURL(cwd).href, shallow);
  const plain = join(folder.path, 'plain');
  writeCatalog(plain, [{ slug: 'two', date: '2026-11-11', files: { 'prompt.txt': otherPrompt } }]);
  writeFileSync(join(folder.path, 'two.txt'), otherPrompt);
  for (const [cwd, date, why] of [
    [shallow, '2026-11-11', 'this clone is shallow'],
    [plain, '2026-11-11', 'this folder is not in a git repository'],
  ] as const) {
    const args = ['verify', join(folder.path, 'two.txt'), '--cwd', cwd, '--today', today];
    const { code, stdout, stderr } = await catalog(args);
    assert.is(code, 0, stderr);
    assert.match(stdout, `revision 1 of 1 (${date})\n  Unchanged. There is nothing to do.\n`);
    assert.match(stderr, why);
    assert.match(stderr, 'Earlier revisions are not known, so copies of them look changed.\n');
    assert.is(JSON.parse((await catalog([...args, '--format', 'json'])).stdout).complete, false);
  }
  rmSync(shallow, { recursive: true });
});

test.run();
