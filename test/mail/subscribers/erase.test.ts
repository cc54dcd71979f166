import { randomBytes } from 'node:crypto';
import { appendFile, lstat, mkdir, readdir, readFile, stat, symlink, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { OperationError } from '../../../src/lib/errors.ts';
import { openSubscribers } from '../../../src/mail/subscribers.ts';
import { type EraseOptions, eraseSubscriber } from '../../../src/mail/subscribers-file.ts';
import { shimDisk, systemError, withFolder } from '../../support/subscribers-file.ts';

const line = (email: string, list = 'daily', note = '') =>
  `${JSON.stringify({ id: '1', time: '2026-01-01T00:00:00Z', email, list, note })}\n`;
const tools: EraseOptions = { now: () => new Date(), random: randomBytes, warn: () => {} };
const ann = 'ann@example.com';

async function withFile(content: string, work: (path: string) => Promise<void>): Promise<void> {
  await withFolder(async (path) => {
    await mkdir(dirname(path));
    await writeFile(path, content, { mode: 0o640 });
    await work(path);
  });
}

const rows: { name: string; content: string; address?: string; count: number; left: string }[] = [
  {
    name: 'every line of the address, on all lists and in any case',
    content: line(ann) + line('bob@example.com') + line('Ann@Example.COM', 'pro'),
    address: ' ANN@example.com ',
    count: 2,
    left: line('bob@example.com'),
  },
  {
    name: 'nothing of an address that is not there',
    content: line('bob@example.com'),
    count: 0,
    left: line('bob@example.com'),
  },
  { name: 'nothing for an empty address', content: '{"id', address: ' ', count: 0, left: '{"id' },
  {
    name: 'no address that only ends or begins alike, nor one whose note names it',
    content: line(`jo${ann}`) + line(`${ann}.au`) + line('bob@example.com', 'custom', ann),
    count: 0,
    left: line(`jo${ann}`) + line(`${ann}.au`) + line('bob@example.com', 'custom', ann),
  },
  {
    name: 'lines that cannot be read but hold it, in any case; other such lines stay byte for byte',
    content: `{"email":"${ann}","li\n{"email":"ANN@Example.com\n \t{"id\n${line(ann)}{"torn`,
    count: 3,
    left: ' \t{"id\n{"torn',
  },
];

for (const { name, content, address = ann, count, left } of rows) {
  test(`erases ${name}`, () =>
    withFile(content, async (path) => {
      const disk = shimDisk();
      assert.is(await eraseSubscriber(path, address, { ...tools, disk: disk.disk }), count);
      assert.is(await readFile(path, 'utf8'), left);
      assert.is(disk.steps.length > 0, count > 0);
      assert.equal(await readdir(dirname(path)), ['signups.jsonl']);
    }));
}

test('erases from torn lines that were set aside, too', () =>
  withFile(line(ann), async (path) => {
    await writeFile(`${path}.torn`, `{"id":"1","email":"${ann}","lis\n{"id":"2"\n`);
    assert.is(await eraseSubscriber(path, ann, tools), 2);
    assert.is(await readFile(`${path}.torn`, 'utf8'), '{"id":"2"\n');
  }));

test('a missing file has nothing to erase', () =>
  withFolder(async (path) => {
    assert.is(await eraseSubscriber(path, ann, tools), 0);
  }));

test('a file of many lines keeps all others', () =>
  withFile('', async (path) => {
    const lines = Array.from({ length: 5000 }, (_, n) => line(n % 10 === 0 ? ann : `reader-${n}@example.com`));
    await writeFile(path, lines.join(''));
    assert.is(await eraseSubscriber(path, ann, tools), 500);
    assert.is(await readFile(path, 'utf8'), lines.filter((_, n) => n % 10 !== 0).join(''));
  }));

test('the new file is 0600, of the same owner, and durable before it replaces the old one', () =>
  withFile(line(ann) + line('bob@example.com'), async (path) => {
    const before = await stat(path);
    const disk = shimDisk();
    await eraseSubscriber(path, ann, { ...tools, disk: disk.disk });
    const { mode, uid, gid } = await stat(path);
    assert.equal([mode & 0o777, uid, gid], [0o600, before.uid, before.gid]);
    assert.equal(
      disk.steps.filter((step) => !step.startsWith('close')),
      [
        'unlink signups.jsonl.erasing',
        'open signups.jsonl.erasing',
        'chmod signups.jsonl.erasing',
        'write signups.jsonl.erasing',
        'sync signups.jsonl.erasing',
        'rename signups.jsonl',
        'open data',
        'sync data',
      ],
    );
  }));

for (const step of ['open', 'write', 'sync', 'rename']) {
  test(`a disk that fails at ${step} leaves the file unchanged, and nothing next to it`, () =>
    withFile(line(ann), async (path) => {
      await appendFile(path, line('bob@example.com'));
      const disk = shimDisk();
      disk.before = (at) => {
        if (at.startsWith(`${step} signups.jsonl`)) throw systemError('ENOSPC');
      };
      const failure = await eraseSubscriber(path, ann, { ...tools, disk: disk.disk }).catch((error) => error);
      assert.is(failure.code, 'ENOSPC');
      assert.is(await readFile(path, 'utf8'), line(ann) + line('bob@example.com'));
      assert.equal(await readdir(dirname(path)), ['signups.jsonl']);
    }));
}

test('a leftover of a crash is replaced', () =>
  withFile(line(ann), async (path) => {
    await writeFile(`${path}.erasing`, line('carol@example.com'), { mode: 0o644 });
    assert.is(await eraseSubscriber(path, ann, tools), 1);
    assert.equal(await readdir(dirname(path)), ['signups.jsonl']);
    assert.is(await readFile(path, 'utf8'), '');
  }));

test('refuses while a server has the file, naming the server, and changes nothing', () =>
  withFile(line(ann), async (path) => {
    const subscribers = await openSubscribers({ provider: 'file' }, { file: path, log: { warn: () => {} } });
    const disk = shimDisk();
    const failure = await eraseSubscriber(path, ann, { ...tools, disk: disk.disk }).catch((error) => error);
    assert.instance(failure, OperationError);
    assert.match(failure.message, `in use by process ${process.pid} on `);
    assert.equal(disk.steps, []);
    await subscribers.close();
    assert.is(await eraseSubscriber(path, ann, tools), 1);
  }));

test('erases through a symbolic link, which stays a link, with the lock of the file itself', () =>
  withFile(line(ann), async (path) => {
    const other = `${dirname(path)}/link.jsonl`;
    await symlink(path, other);
    const subscribers = await openSubscribers({ provider: 'file' }, { file: path, log: { warn: () => {} } });
    const failure = await eraseSubscriber(other, ann, tools).catch((error) => error);
    await subscribers.close();
    assert.instance(failure, OperationError);
    assert.is(await eraseSubscriber(other, ann, tools), 1);
    assert.is(await readFile(path, 'utf8'), '');
    assert.ok((await lstat(other)).isSymbolicLink());
  }));

test('a line that is added meanwhile is not lost: the file stays, and the command says why', () =>
  withFile(line(ann), async (path) => {
    const disk = shimDisk();
    disk.before = async (step) => {
      if (step.startsWith('write')) await appendFile(path, line('late@example.com'));
    };
    await appendFile(path, line('bob@example.com'));
    const failure = await eraseSubscriber(path, ann, { ...tools, disk: disk.disk }).catch((error) => error);
    assert.instance(failure, OperationError);
    assert.match(failure.message, 'Stop the server');
    assert.is(await readFile(path, 'utf8'), line(ann) + line('bob@example.com') + line('late@example.com'));
  }));

test.run();
