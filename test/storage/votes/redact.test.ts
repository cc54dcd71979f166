import { appendFile, chmod, lstat, readdir, readFile, stat, symlink, writeFile } from 'node:fs/promises';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { redact } from '../../../src/storage/file-votes.ts';
import type { StoredVote } from '../../../src/storage/vote.ts';
import { rejection, shimDisk, systemError, withFolder } from '../../support/journal.ts';
import { testOptions, voteBy, withLog } from '../../support/votes.ts';

async function threeVotes(file: string): Promise<StoredVote[]> {
  const votes: StoredVote[] = [];
  await withLog({ file }, async ({ store }) => {
    for (const note of ['first', 'call me at 555-0100', undefined]) votes.push(await store.append(voteBy(1, { note })));
  });
  return votes;
}

test('blanks one note, and keeps everything else byte for byte', () =>
  withFolder(async (file) => {
    const [, second] = await threeVotes(file);
    await appendFile(file, `no vote, but ${second?.id}\n{"to`);
    await chmod(file, 0o640);
    const before = await readFile(file, 'utf8');
    assert.is(await redact(testOptions({ file }), second?.id ?? ''), true);
    assert.is(await readFile(file, 'utf8'), before.replace('call me at 555-0100', ''));
    assert.is((await stat(file)).mode & 0o777, 0o640);
  }));

test('leaves no copy of the note and no lock, also after an editor wrote a byte order mark', () =>
  withFolder(async (file, folder) => {
    const [first] = await threeVotes(file);
    await writeFile(file, `\uFEFF${await readFile(file, 'utf8')}`);
    await redact(testOptions({ file }), first?.id ?? '');
    assert.equal(await readdir(folder), ['log.jsonl', 'log.jsonl.secret']);
  }));

test('keeps the user and the group of the log, no matter who redacts', () =>
  withFolder(async (file) => {
    const votes = await threeVotes(file);
    const { uid, gid } = await stat(file);
    // Only root can change the owner of a file. For other users, this simulates the owner of the log, and records the
    // owner of the new one.
    for (const [index, owner] of [
      { uid: uid + 1, gid: gid + 2 },
      { uid, gid: gid + 2 },
    ].entries()) {
      const given: unknown[][] = [];
      const disk = shimDisk(async ({ op, path, args, run }) => {
        if (op === 'chown') return void given.push([path, ...args]);
        const result = await run();
        return op === 'stat' && path === file ? Object.assign(result as object, owner) : result;
      });
      await redact(testOptions({ file, disk }), votes[index]?.id ?? '');
      assert.equal(given, [[`${file}.redacting`, owner.uid, owner.gid]]);
    }
  }));

test('removes leftovers of an earlier crash', () =>
  withFolder(async (file, folder) => {
    const [first] = await threeVotes(file);
    await writeFile(`${file}.redacting`, 'call me at 555-0100');
    await redact(testOptions({ file }), first?.id ?? '');
    assert.equal(await readdir(folder), ['log.jsonl', 'log.jsonl.secret']);
  }));

test('refuses a link to a log while a server owns the log, and redacts through it afterward', () =>
  withFolder(async (file, folder) => {
    const [first] = await threeVotes(file);
    const link = `${folder}/link.jsonl`;
    await symlink(file, link);
    await withLog({ file }, async () => {
      const error = await rejection(redact(testOptions({ file: link }), first?.id ?? ''));
      assert.match(error?.message ?? '', `${file} is in use by process ${process.pid}`);
    });
    assert.is(await redact(testOptions({ file: link }), first?.id ?? ''), true);
    assert.ok((await lstat(link)).isSymbolicLink());
    assert.not.match(await readFile(file, 'utf8'), 'first');
  }));

test('reports a vote without a note', () =>
  withFolder(async (file) => {
    const [first, , third] = await threeVotes(file);
    assert.is(await redact(testOptions({ file }), third?.id ?? ''), false);
    await redact(testOptions({ file }), first?.id ?? '');
    assert.is(await redact(testOptions({ file }), first?.id ?? ''), false);
  }));

test('refuses an id that no vote has', () =>
  withFolder(async (file) => {
    await threeVotes(file);
    const error = await rejection(redact(testOptions({ file }), 'first'));
    assert.is(error?.name, 'OperationError');
    assert.is(error?.message, `No vote in ${file} has the id first.`);
  }));

test('refuses a missing log, and creates none', () =>
  withFolder(async (_file, folder) => {
    const error = await rejection(redact(testOptions({ file: `${folder}/none/votes.jsonl` }), 'a'));
    assert.is(error?.name, 'OperationError');
    assert.equal(await readdir(folder), []);
  }));

test('refuses while a server has the log', () =>
  withFolder(async (file) => {
    const [first] = await threeVotes(file);
    await withLog({ file }, async () => {
      const error = await rejection(redact(testOptions({ file }), first?.id ?? ''));
      assert.match(error?.message ?? '', `in use by process ${process.pid}`);
    });
  }));

test('syncs the new log before it replaces the old one, then the folder', () =>
  withFolder(async (file, folder) => {
    const [first] = await threeVotes(file);
    const events: string[] = [];
    const disk = shimDisk(async ({ op, path, run }) => {
      if (path.includes('.redacting') && ['write', 'sync', 'rename'].includes(op)) events.push(op);
      if (path === folder && op === 'sync') events.push('sync of the folder');
      return run();
    });
    await redact(testOptions({ file, disk }), first?.id ?? '');
    assert.equal(events, ['write', 'sync', 'rename', 'sync of the folder']);
  }));

test('keeps the old log if the new one cannot be written', () =>
  withFolder(async (file, folder) => {
    const [first] = await threeVotes(file);
    const before = await readFile(file, 'utf8');
    const disk = shimDisk(async ({ op, path, run }) => {
      if (path.includes('.redacting') && op === 'sync') throw systemError('ENOSPC');
      return run();
    });
    const error = await rejection(redact(testOptions({ file, disk }), first?.id ?? ''));
    assert.is(error?.name, 'OperationError');
    assert.is(await readFile(file, 'utf8'), before);
    assert.equal(await readdir(folder), ['log.jsonl', 'log.jsonl.secret']);
  }));

test('works on a long log', () =>
  withFolder(async (file) => {
    const line = (id: number, note: string) => `${JSON.stringify({ id: `id-${id}`, note })}\n`;
    const log = Array.from({ length: 20_000 }, (_, id) => line(id, 'n'.repeat(100)));
    await writeFile(file, log.join(''));
    await redact(testOptions({ file }), 'id-10000');
    log[10_000] = line(10_000, '');
    assert.ok((await readFile(file, 'utf8')) === log.join(''));
  }));

test.run();
