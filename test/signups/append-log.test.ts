import { chmod, mkdir, readFile, rename, rm, stat, truncate, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { type AppendLog, openAppendLog } from '../../src/signups/append-log.ts';
import { tornPath } from '../../src/signups/torn-tail.ts';
import { type ShimmedDisk, shimDisk, systemError, withFolder } from './disk.ts';

interface Scene {
  path: string;
  disk: ShimmedDisk;
  warnings: string[];
  log: AppendLog;
}

/** A log that holds `content` when it is opened; undefined: it does not exist. */
async function withLog(content: string | Buffer | undefined, work: (scene: Scene) => Promise<void>): Promise<void> {
  await withFolder(async (path) => {
    if (content !== undefined) {
      await mkdir(dirname(path));
      await writeFile(path, content, { mode: 0o600 });
    }
    const disk = shimDisk();
    const warnings: string[] = [];
    const warn = (_: unknown, message: string) => void warnings.push(message);
    const log = await openAppendLog(path, { files: disk.files, warn });
    try {
      await work({ path, disk, warnings, log });
    } finally {
      disk.before = () => {};
      await log.close();
    }
  });
}

async function mode(path: string): Promise<string> {
  return ((await stat(path)).mode & 0o777).toString(8);
}

async function codeOf(promise: Promise<unknown>): Promise<string> {
  return promise.then(
    () => 'no error',
    (error) => error.code ?? error.message,
  );
}

/** Lets everything run that waits for nothing but its turn. */
async function settled(): Promise<void> {
  for (let turn = 0; turn < 5; turn += 1) await new Promise((resolve) => setImmediate(resolve));
}

/** A gate that the steps named wait at. */
function gate(disk: ShimmedDisk, step: string) {
  let open = () => {};
  let reached = () => {};
  const arrival = new Promise<void>((resolve) => {
    reached = resolve;
  });
  const passage = new Promise<void>((resolve) => {
    open = resolve;
  });
  disk.before = (at) => {
    if (at !== step) return;
    reached();
    return passage;
  };
  return { arrival, open };
}

test('a new file is 0600, in a folder that is 0700, and both names are synced', () =>
  withLog(undefined, async ({ path, disk, warnings }) => {
    assert.is(await mode(path), '600');
    // It was so from the first moment: nothing had to be closed.
    assert.equal(warnings, []);
    assert.is(await mode(dirname(path)), '700');
    const folderSyncs = disk.steps.filter((step) => step.startsWith('sync '));
    assert.is(folderSyncs.length, 2, disk.steps.join());
    assert.is(disk.steps.lastIndexOf('sync data') > disk.steps.indexOf('open signups.jsonl'), true);
  }));

test('a file that others can read is closed to them', () =>
  withFolder(async (path) => {
    await mkdir(dirname(path));
    await writeFile(path, '{}\n');
    await chmod(path, 0o664);
    const warnings: unknown[] = [];
    const log = await openAppendLog(path, { warn: (facts) => void warnings.push(facts) });
    await log.close();
    assert.is(await mode(path), '600');
    assert.is(warnings.length, 1);
  }));

test('a line is acknowledged after its fdatasync, not before', () =>
  withLog(undefined, async ({ disk, log, path }) => {
    disk.steps.length = 0;
    const sync = gate(disk, 'datasync signups.jsonl');
    let acknowledged = false;
    const done = log.append('{"n":1}').then(() => {
      acknowledged = true;
      assert.equal(disk.steps, ['write signups.jsonl', 'datasync signups.jsonl']);
    });
    await sync.arrival;
    await settled();
    assert.is(acknowledged, false);
    assert.is(await readFile(path, 'utf8'), '{"n":1}\n');
    sync.open();
    await done;
  }));

test('lines that arrive while the disk is busy share the next sync', () =>
  withLog(undefined, async ({ disk, log, path }) => {
    disk.steps.length = 0;
    const sync = gate(disk, 'datasync signups.jsonl');
    const first = log.append('0');
    await sync.arrival;
    const others = Array.from({ length: 50 }, (_, index) => log.append(String(index + 1)));
    sync.open();
    await Promise.all([first, ...others]);
    assert.equal(disk.steps, Array(2).fill(['write signups.jsonl', 'datasync signups.jsonl']).flat());
    const expected = Array.from({ length: 51 }, (_, index) => `${index}\n`).join('');
    assert.is(await readFile(path, 'utf8'), expected);
  }));

test('a write that takes only a part is completed', () =>
  withLog(undefined, async ({ path }) => {
    const disk = shimDisk();
    const open = disk.files.open;
    disk.files.open = async (...given) => {
      const handle = await open(...given);
      return new Proxy(handle, {
        get: (target, key) =>
          key === 'write'
            ? (bytes: Buffer, from: number, count: number) => target.write(bytes, from, Math.min(3, count))
            : Reflect.get(target, key),
      });
    };
    const log = await openAppendLog(path, { files: disk.files });
    await Promise.all([log.append('first line'), log.append('second line')]);
    await log.close();
    assert.is(await readFile(path, 'utf8'), 'first line\nsecond line\n');
  }));

const tails: { name: string; content: string | Buffer; kept: string | Buffer; torn: string | undefined }[] = [
  { name: 'no tail', content: '{"a":1}\n', kept: '{"a":1}\n', torn: undefined },
  { name: 'a torn line', content: '{"a":1}\n{"b":', kept: '{"a":1}\n', torn: '{"b":\n' },
  { name: 'nothing but a torn line', content: '{"b', kept: '', torn: '{"b\n' },
  { name: 'zeros', content: Buffer.from('{"a":1}\n\0\0\0'), kept: '{"a":1}\n', torn: '\0\0\0\n' },
  { name: 'half a character', content: Buffer.from([0x7b, 0x0a, 0x22, 0xf0, 0x9f]), kept: '{\n', torn: '"\uFFFD\n' },
  {
    name: 'a whole line without its newline',
    content: '{"a":1}\n{"b":2}',
    kept: '{"a":1}\n{"b":2}\n',
    torn: undefined,
  },
  {
    name: 'a torn line longer than what is read at once',
    content: `{"a":1}\n{"b":"${'x'.repeat(200_000)}`,
    kept: '{"a":1}\n',
    torn: `{"b":"${'x'.repeat(200_000)}\n`,
  },
];

for (const { name, content, kept, torn } of tails) {
  test(`opened with ${name}: whole lines are kept, the rest is set aside`, () =>
    withLog(content, async ({ path, log, warnings }) => {
      await log.append('{"c":3}');
      assert.is(await readFile(path, 'utf8'), `${kept}{"c":3}\n`);
      const aside = await readFile(tornPath(path), 'utf8').catch(() => undefined);
      assert.is(aside, torn);
      assert.is(warnings.length, torn === undefined ? 0 : 1);
      if (torn !== undefined) assert.is(await mode(tornPath(path)), '600');
    }));
}

test('what is set aside is on disk before it is cut off', () =>
  withLog('{"a":1}\n{"b":', async ({ disk }) => {
    const saved = disk.steps.indexOf('datasync signups.jsonl.torn');
    assert.ok(saved > disk.steps.indexOf('write signups.jsonl.torn'));
    assert.ok(saved < disk.steps.indexOf('truncate signups.jsonl'));
  }));

test('a second torn line joins the first', () =>
  withLog('{"a', async ({ path, log }) => {
    await log.close();
    await writeFile(path, '{"b');
    await chmod(tornPath(path), 0o644);
    await (await openAppendLog(path)).close();
    assert.is(await readFile(tornPath(path), 'utf8'), '{"a\n{"b\n');
    assert.is(await mode(tornPath(path)), '600');
  }));

test('a full disk: the lines are refused and absent, also a half that was written; later ones are taken', () =>
  withLog('{"a":1}\n', async ({ path, disk, log }) => {
    await log.append('"before"');
    let full = true;
    disk.before = async (step, bytes) => {
      if (!full || !step.startsWith('write')) return;
      // The disk takes half a line before it says that it is full.
      const { appendFile } = await import('node:fs/promises');
      await appendFile(path, (bytes as Buffer).subarray(0, 4));
      throw systemError('ENOSPC');
    };
    const refused = await Promise.all([codeOf(log.append('"lost 1"')), codeOf(log.append('"lost 2"'))]);
    assert.equal(refused, ['ENOSPC', 'ENOSPC']);
    assert.is(await readFile(path, 'utf8'), '{"a":1}\n"before"\n');
    full = false;
    await log.append('"after"');
    assert.is(await readFile(path, 'utf8'), '{"a":1}\n"before"\n"after"\n');
  }));

test('a sync that fails: the line is cut off and never synced again in place', () =>
  withLog('{"a":1}\n', async ({ path, disk, log }) => {
    disk.steps.length = 0;
    let failures = 1;
    disk.before = (step) => {
      if (step === 'datasync signups.jsonl' && failures-- > 0) throw systemError('EIO');
    };
    assert.is(await codeOf(log.append('"lost"')), 'EIO');
    assert.is(await readFile(path, 'utf8'), '{"a":1}\n');
    const steps = disk.steps.filter((step) => step.endsWith('signups.jsonl'));
    assert.equal(steps.slice(0, 4), [
      'write signups.jsonl',
      'open signups.jsonl',
      'truncate signups.jsonl',
      'datasync signups.jsonl',
    ]);
    await log.append('"kept"');
    assert.is(await readFile(path, 'utf8'), '{"a":1}\n"kept"\n');
  }));

test('a disk that fails for long refuses every line, and is tried again with each', () =>
  withLog('{"a":1}\n', async ({ path, disk, log, warnings }) => {
    let dead = true;
    disk.before = (step) => {
      if (dead && !step.startsWith('close') && !step.startsWith('write')) throw systemError('EIO');
    };
    for (const line of ['"one"', '"two"', '"three"']) assert.is(await codeOf(log.append(line)), 'EIO');
    assert.ok(warnings.length > 0);
    dead = false;
    await log.append('"after"');
    assert.is(await readFile(path, 'utf8'), '{"a":1}\n"after"\n');
  }));

test('a log that was renamed goes on in a new file, with and without reopen', () =>
  withLog(undefined, async ({ path, log }) => {
    await log.append('1');
    await rename(path, `${path}.1`);
    await log.reopen();
    await log.append('2');
    await rename(path, `${path}.2`);
    await log.append('3');
    assert.equal(await Promise.all([`${path}.1`, `${path}.2`, path].map((file) => readFile(file, 'utf8'))), [
      '1\n',
      '2\n',
      '3\n',
    ]);
    assert.is(await mode(path), '600');
  }));

test('a log that was removed or emptied takes the next line into the file that is there', () =>
  withLog(undefined, async ({ path, log, disk }) => {
    await log.append('1');
    await rm(path);
    await log.append('2');
    assert.is(await readFile(path, 'utf8'), '2\n');
    await truncate(path);
    await log.append('3');
    disk.before = (step) => {
      if (step.startsWith('datasync')) {
        disk.before = () => {};
        throw systemError('EIO');
      }
    };
    assert.is(await codeOf(log.append('4')), 'EIO');
    assert.is(await readFile(path, 'utf8'), '3\n');
  }));

test('reopen waits for the lines under way', () =>
  withLog(undefined, async ({ path, log, disk }) => {
    const sync = gate(disk, 'datasync signups.jsonl');
    const line = log.append('1');
    await sync.arrival;
    await rename(path, `${path}.1`);
    const reopened = log.reopen();
    const next = log.append('2');
    sync.open();
    await Promise.all([line, reopened, next]);
    assert.is(await readFile(`${path}.1`, 'utf8'), '1\n');
    assert.is(await readFile(path, 'utf8'), '2\n');
  }));

test('close waits for the lines under way and refuses later ones', () =>
  withLog(undefined, async ({ path, log, disk }) => {
    const sync = gate(disk, 'datasync signups.jsonl');
    const lines = [log.append('1'), log.append('2')];
    await sync.arrival;
    const closed = log.close();
    assert.match(await codeOf(log.append('3')), /closed/);
    sync.open();
    await Promise.all([...lines, closed]);
    assert.is(await readFile(path, 'utf8'), '1\n2\n');
  }));

test('a line that holds a newline is refused', () =>
  withLog(undefined, async ({ path, log }) => {
    assert.match(await codeOf(log.append('1\n2')), /newline/);
    assert.is(await readFile(path, 'utf8'), '');
  }));

test('no more lines wait for the disk than allowed', () =>
  withFolder(async (path) => {
    const log = await openAppendLog(path, { maxQueued: 2 });
    const outcomes = await Promise.all(['1', '2', '3'].map((line) => codeOf(log.append(line))));
    await log.close();
    assert.equal(outcomes, ['no error', 'no error', 'Too many lines wait for the disk.']);
  }));

test.run();
