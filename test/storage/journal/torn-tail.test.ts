import { chmod, readdir, readFile, stat, writeFile } from 'node:fs/promises';
import { basename } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { tornPath } from '../../../src/storage/journal.ts';
import { openTestJournal, rejection, shimDisk, systemError, withFolder, withJournal } from '../../support/journal.ts';
import { testUnless } from '../../support/skip.ts';

const line = (number: number, note?: string) => `${JSON.stringify({ id: `id-${number}`, client: 1, note })}\n`;
const half = line(2).slice(0, 15);

const rows: { name: string; before: string; kept: string; torn: string | null }[] = [
  { name: 'an empty log', before: '', kept: '', torn: null },
  { name: 'a whole log', before: line(1) + line(2), kept: line(1) + line(2), torn: null },
  { name: 'half a line after a whole one', before: line(1) + half, kept: line(1), torn: half },
  { name: 'half a line alone', before: half, kept: '', torn: half },
  { name: 'one byte alone', before: '{', kept: '', torn: '{' },
  { name: 'one byte after a whole line', before: `${line(1)}{`, kept: line(1), torn: '{' },
  {
    name: 'a line cut within a character',
    before: `${line(1)}{"note":"\ud83d`,
    kept: line(1),
    torn: '{"note":"\ufffd',
  },
  {
    name: 'a whole line without its newline',
    before: line(1) + line(2).trimEnd(),
    kept: line(1) + line(2),
    torn: null,
  },
  { name: 'one whole line without its newline', before: line(1).trimEnd(), kept: line(1), torn: null },
  { name: 'zeros that a crash left', before: `${line(1)}\0\0\0\0`, kept: line(1), torn: '\0\0\0\0' },
  { name: 'a last line that is no JSON', before: `${line(1)}{"id":\n`, kept: line(1), torn: '{"id":\n' },
  { name: 'a number, which may be the start of one', before: `${line(1)}12`, kept: line(1), torn: '12' },
  { name: 'a text', before: `${line(1)}"yes"`, kept: line(1), torn: '"yes"' },
  { name: 'a newline alone', before: '\n', kept: '\n', torn: null },
  {
    name: 'a torn line that is longer than a chunk',
    before: line(1) + half + 'x'.repeat(200_000),
    kept: line(1),
    torn: half + 'x'.repeat(200_000),
  },
  {
    name: 'a torn line whose newline before ends a chunk',
    before: line(1) + 'x'.repeat(65_536),
    kept: line(1),
    torn: 'x'.repeat(65_536),
  },
  {
    name: 'a long whole log',
    before: Array.from({ length: 2000 }, (_, number) => line(number)).join(''),
    kept: Array.from({ length: 2000 }, (_, number) => line(number)).join(''),
    torn: null,
  },
];

for (const { name, before, kept, torn } of rows) {
  test(`at start: ${name}`, () =>
    withFolder(async (file) => {
      await writeFile(file, before);
      await withJournal({ file }, async ({ journal, warnings }) => {
        assert.is(await readFile(file, 'utf8'), kept);
        assert.is(await tornOf(file), torn === null ? null : torn.replace(/\n?$/, '\n'));
        const stored = await journal.append({ client: 1 });
        assert.is(await readFile(file, 'utf8'), `${kept}${JSON.stringify(stored)}\n`);
        assert.is(warnings.length, torn === null ? 0 : 1);
      });
    }));
}

test('a log that is cut anywhere keeps all its whole lines', () =>
  withFolder(async (file) => {
    const whole = Buffer.from(line(1) + line(2, 'a\ud83d\ude00b'));
    const first = line(1).length;
    for (let length = 0; length <= whole.length; length += 1) {
      await writeFile(file, whole.subarray(0, length));
      await withJournal({ file }, async () => {});
      const expected = length >= whole.length - 1 ? whole : length >= first - 1 ? whole.subarray(0, first) : '';
      assert.is(await readFile(file, 'utf8'), expected.toString(), `cut at ${length}`);
    }
  }));

test('the warning names the file for torn lines, which only its owner can read and which keeps earlier ones', () =>
  withFolder(async (file) => {
    await writeFile(file, half);
    await withJournal({ file }, async ({ warnings }) => {
      assert.match(warnings[0] ?? '', tornPath(file));
      assert.is((await stat(tornPath(file))).mode & 0o777, 0o600);
    });
    await writeFile(file, `${half}again`);
    await withJournal({ file }, async () => {
      assert.is(await tornOf(file), `${half}\n${half}again\n`);
    });
  }));

test('a torn line is durable in its file before it is cut off', () =>
  withFolder(async (file, folder) => {
    await writeFile(file, line(1) + half);
    const events: string[] = [];
    const disk = shimDisk(async ({ op, path, run }) => {
      const result = await run();
      if ([file, tornPath(file), folder].includes(path)) events.push(`${op} ${basename(path)}`);
      return result;
    });
    await withJournal({ file, disk }, async () => {});
    const inOrder = [
      'write log.jsonl.torn',
      'datasync log.jsonl.torn',
      `sync ${basename(folder)}`,
      'truncate log.jsonl',
    ];
    assert.equal(events.filter((event) => inOrder.includes(event)).slice(0, 4), inOrder);
  }));

const noModes = process.platform === 'win32' && 'Windows has no file modes';

for (const mode of [0o664, 0o640, 0o604, 0o620, 0o610, 0o601]) {
  testUnless(noModes)(
    `a log of its owner alone is closed to others, and so is what was set aside: ${mode.toString(8)}`,
    () =>
      withFolder(async (file) => {
        await writeFile(file, half);
        await writeFile(tornPath(file), '');
        await Promise.all([file, tornPath(file)].map((path) => chmod(path, mode)));
        await withJournal({ file, ownerOnly: true }, async ({ warnings }) => {
          for (const path of [file, tornPath(file)]) assert.is((await stat(path)).mode & 0o777, 0o600);
          assert.match(warnings[0] ?? '', 'open to other users');
        });
        await withJournal({ file, ownerOnly: true }, async ({ warnings }) => assert.equal(warnings, []));
      }),
  );
}

testUnless(noModes)('on a file system without permissions, a log of its owner alone is not said to be closed', () =>
  withFolder(async (file) => {
    await writeFile(file, line(1));
    await chmod(file, 0o664);
    const disk = shimDisk(async ({ op, run }) => (op === 'chmod' ? undefined : run()));
    await withJournal({ file, ownerOnly: true, disk }, async ({ warnings }) => {
      assert.match(
        warnings[0] ?? '',
        'is open to other users of this machine, since its file system has no permissions.',
      );
    });
  }),
);

testUnless(noModes)('a log that others may read stays so where nobody forbids it', () =>
  withFolder(async (file) => {
    await writeFile(file, line(1));
    await chmod(file, 0o640);
    await withJournal({ file }, async () => {});
    assert.is((await stat(file)).mode & 0o777, 0o640);
  }),
);

for (const before of [null, '{"from before\n']) {
  test(`a log is not cut if its torn line cannot be set aside ${before === null ? '' : 'with the rest '}`, () =>
    withFolder(async (file, folder) => {
      await writeFile(file, line(1) + half);
      if (before !== null) await writeFile(tornPath(file), before);
      const disk = shimDisk(async ({ op, path, args, run }) => {
        if (op !== 'write' || path !== tornPath(file)) return run();
        args[2] = 5;
        await run();
        throw systemError('ENOSPC');
      });
      assert.match((await rejection(openTestJournal({ file, disk })))?.message ?? '', 'ENOSPC');
      assert.is(await readFile(file, 'utf8'), line(1) + half);
      assert.is(await tornOf(file), before);
      // The lock was released.
      const left = before === null ? [file] : [file, tornPath(file)];
      assert.equal(
        await readdir(folder),
        left.map((path) => basename(path)),
      );
    }));
}

async function tornOf(file: string): Promise<string | null> {
  return readFile(tornPath(file), 'utf8').catch(() => null);
}

test.run();
