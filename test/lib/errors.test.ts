import fs, { chmodSync, writeFileSync } from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { explainSystemError } from '../../src/lib/errors.ts';
import { GitError, git } from '../../src/lib/git.ts';
import { inFolder, snapshot, writeCatalog } from '../support/catalog.ts';
import { catalog } from '../support/process.ts';

/** Every command that writes explains a disk error in one sentence: what, why, and no stack. */

const writing = ['openSync', 'writeFileSync', 'mkdirSync', 'renameSync', 'copyFileSync'] as const;

/** Runs `use` while each call that writes below `folder` fails with `code`. */
async function whileDiskFails<Result>(folder: string, code: string, use: () => Promise<Result>): Promise<Result> {
  const calls = fs as unknown as Record<string, (...args: unknown[]) => unknown>;
  const originals = writing.map((name) => [name, calls[name]] as const);
  for (const [name, original] of originals) {
    calls[name] = (...args) => {
      const reads = name === 'openSync' && (args[1] === undefined || args[1] === 'r' || args[1] === 0);
      if (reads || !String(args[0]).startsWith(folder)) return original?.(...args);
      throw Object.assign(new Error(`${code}: made by a test, ${name}`), { code, path: args[0], syscall: name });
    };
  }
  syncBuiltinESMExports();
  try {
    return await use();
  } finally {
    for (const [name, original] of originals) if (original !== undefined) calls[name] = original;
    syncBuiltinESMExports();
  }
}

const sentences: [code: string, reason: string][] = [
  ['ENOSPC', 'the disk is full'],
  ['EROFS', 'the file system is read-only'],
  ['EACCES', 'permission is denied'],
  ['EDQUOT', 'the disk quota is used up'],
  ['EMFILE', 'this program has too many files open'],
];

function commitAll(folder: string): void {
  const person = ['-c', 'user.name=Ada', '-c', 'user.email=ada@example.org'];
  for (const args of [
    ['init', '-q'],
    ['add', '.'],
    [...person, 'commit', '-qm', 'a catalog'],
  ])
    git(folder, args);
}

const commands: string[][] = [
  ['build'],
  ['publish'],
  ['new', 'third', '--title', 'Third', '--category', 'coding', '--date', '2026-01-03'],
];

for (const args of commands) {
  test(`catalog ${args[0]} explains a disk error in a sentence, and leaves the catalog unchanged`, () =>
    inFolder(async (folder) => {
      writeCatalog(folder, [{ slug: 'one', date: '2026-01-01' }]);
      commitAll(folder);
      const before = snapshot(join(folder, 'agents'));
      for (const [code, reason] of sentences) {
        const { code: exit, stderr } = await whileDiskFails(folder, code, () =>
          catalog([...args, '--cwd', folder, '--today', '2026-02-01']),
        );
        assert.is(exit, 1, stderr);
        assert.match(stderr, `${reason} (${code})`);
        assert.match(stderr, folder);
        assert.not.match(stderr, /^ {4}at |This is a bug/m);
        assert.equal(snapshot(join(folder, 'agents')), before);
      }
    }));
}

test('an error that nobody can fix in their files is shown as a bug, with the stack and what to do', () =>
  inFolder(async (folder) => {
    writeCatalog(folder, [{ slug: 'one', date: '2026-01-01' }]);
    const { code, stdout, stderr } = await whileDiskFails(folder, 'EODD', () => catalog(['build', '--cwd', folder]));
    assert.equal([code, stdout], [1, '']);
    assert.match(stderr, /^Error: EODD: made by a test, \w+\n {4}at /);
    assert.match(
      stderr,
      '\n\nThis is a bug in catalog, not an error in your files. Please report it with the lines above.\n',
    );
  }));

const said: [line: string, reason: string][] = [
  ['fatal: write error: No space left on device', 'the disk is full (ENOSPC)'],
  ['error: Disk quota exceeded', 'the disk quota is used up (EDQUOT)'],
  ['fatal: Read-only file system', 'the file system is read-only (EROFS)'],
  ['fatal: could not open x: Permission denied', 'permission is denied (EACCES)'],
  ['fatal: Too many open files', 'this program has too many files open (EMFILE)'],
  ['fatal: Too many open files in system', 'the system has too many files open (ENFILE)'],
  ['error: Input/output error', 'the disk cannot read or write it (EIO)'],
  ['fatal: mmap failed: Cannot allocate memory', 'no memory is left (ENOMEM)'],
];
for (const [line, reason] of said) {
  test(`what git says of ${/\((\w+)\)/.exec(reason)?.[1]} is explained`, () => {
    assert.is(new GitError(['commit'], `hint: x\n${line}\n`, false).message, `${reason}: ${line}`);
  });
}

const explained: [fields: object, sentence: string | null][] = [
  [
    { code: 'EXDEV', path: '/a', dest: '/b' },
    '/a → /b cannot be used: it would have to be moved to another file system (EXDEV).',
  ],
  [{ code: 'EBUSY', path: '/a' }, '/a cannot be used: it is in use (EBUSY).'],
  [{ code: 'EAGAIN' }, 'A file cannot be used: no further process can be started (EAGAIN).'],
  // A mistake in a program is not explained away.
  [{ code: 'ENOENT', path: '/a' }, null],
  [{ code: 'constructor' }, null],
  [
    { code: 'ENOENT', syscall: 'uv_cwd' },
    'The current folder no longer exists. Change to another one, and run the command again.',
  ],
  [{}, null],
];
for (const [fields, sentence] of explained) {
  test(`a system error names its paths: ${JSON.stringify(fields)}`, () => {
    assert.is(explainSystemError(Object.assign(new Error('failed'), fields)), sentence);
  });
}

test('errors of git for a full disk or a read-only folder are explained', () =>
  inFolder((folder) => {
    const said = 'hint: x\nerror: unable to create temporary file: No space left on device\nfatal: failed to write';
    const expected = 'the disk is full (ENOSPC): error: unable to create temporary file: No space left on device';
    assert.is(new GitError(['commit'], said, false).message, expected);
    // A wrapper around git fails as git does on such a disk.
    const fake = join(folder, 'git');
    writeFileSync(fake, '#!/bin/sh\necho "fatal: cannot lock ref: Read-only file system" >&2\nexit 128\n');
    chmodSync(fake, 0o755);
    const { PATH } = process.env;
    process.env.PATH = `${folder}:${PATH}`;
    try {
      assert.throws(() => git(folder, ['commit']), 'the file system is read-only (EROFS): fatal: cannot lock ref');
    } finally {
      process.env.PATH = PATH;
    }
  }));

test.run();
