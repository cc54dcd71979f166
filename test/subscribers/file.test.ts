import { chmod, mkdir, readdir, readFile, rename, stat, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { OperationError } from '../../src/errors.ts';
import { SignupFailed } from '../../src/subscribers/failure.ts';
import { openSignups, type SignupTools } from '../../src/subscribers/open.ts';
import type { Signups } from '../../src/subscribers/provider.ts';
import { assertNothingPrivate, inShort, recorder, signup, type Trial, withTimeLimit } from '../support/subscribers.ts';
import { shimDisk, systemError, withFolder } from '../support/subscribers-file.ts';

async function withSignups(
  tools: Partial<SignupTools>,
  work: (signups: Signups, path: string) => Promise<void>,
): Promise<void> {
  await withFolder(async (path) => {
    const signups = await openSignups({ provider: 'file' }, { file: path, log: recorder([]), ...tools });
    try {
      await work(signups, path);
    } finally {
      await signups.close();
    }
  });
}

test('a sign-up is a line of JSON in a file that only its owner can read', () =>
  withSignups({}, async (signups, path) => {
    assert.is(await signups.add(signup), 'accepted');
    assert.is(await readFile(path, 'utf8'), `${JSON.stringify(signup)}\n`);
    assert.is((await stat(path)).mode & 0o777, 0o600);
  }));

test('fields that no sign-up has are not stored', () =>
  withSignups({}, async (signups, path) => {
    await signups.add({ ...signup, address: '192.0.2.1' } as never);
    assert.is(await readFile(path, 'utf8'), `${JSON.stringify(signup)}\n`);
  }));

test('who is on the list already is accepted alike', () =>
  withSignups({}, async (signups) => {
    assert.is(await signups.add(signup), 'accepted');
    assert.is(await signups.add({ ...signup, id: '2', email: signup.email.toUpperCase() }), 'accepted');
  }));

test('a full disk is a failure that tells nothing private, and passes', async () => {
  const disk = shimDisk();
  await withSignups({ disk: disk.disk }, async (signups, path) => {
    disk.before = (step) => {
      if (step.startsWith('write')) {
        throw Object.assign(systemError('ENOSPC'), { message: `cannot write ${signup.email}` });
      }
    };
    const failure = await signups.add(signup).catch((error) => error);
    assert.instance(failure, SignupFailed);
    assert.is(inShort(failure), 'storage ENOSPC');
    assertNothingPrivate(failure, signup);
    disk.before = () => {};
    assert.is(await signups.add(signup), 'accepted');
    assert.is(await readFile(path, 'utf8'), `${JSON.stringify(signup)}\n`);
  });
});

test('a disk that hangs is a time-out', () =>
  withTimeLimit((timeoutMs, expire) => {
    const disk = shimDisk();
    return withSignups({ disk: disk.disk, timeoutMs }, async (signups) => {
      let release = () => {};
      disk.before = (step) =>
        step.startsWith('datasync')
          ? new Promise<void>((resolve) => {
              release = resolve;
              expire();
            })
          : undefined;
      const failure = await signups.add(signup).catch((error) => error);
      assert.is(inShort(failure), 'timeout');
      disk.before = () => {};
      release();
    });
  }));

test('a second process on one file is refused, told who has it, and let in once it is closed', () =>
  withSignups({}, async (signups, path) => {
    const second = () => openSignups({ provider: 'file' }, { file: path, log: recorder([]) });
    const failure = await second().catch((error) => error);
    assert.instance(failure, OperationError);
    assert.match(failure.message, `${path} is in use by process ${process.pid} on `);
    assert.is(await signups.add(signup), 'accepted');
    await signups.close();
    assert.equal(await readdir(dirname(path)), ['signups.jsonl']);
    await (await second()).close();
  }));

test('a file that others can read is closed to them, with a warning that tells nothing private', () =>
  withFolder(async (path) => {
    await mkdir(dirname(path));
    await writeFile(path, `${JSON.stringify(signup)}\n${JSON.stringify(signup).slice(0, -9)}`);
    await chmod(path, 0o664);
    const warnings: Trial['warnings'] = [];
    await (await openSignups({ provider: 'file' }, { file: path, log: recorder(warnings) })).close();
    assert.is((await stat(path)).mode & 0o777, 0o600);
    assert.is((await stat(`${path}.torn`)).mode & 0o777, 0o600);
    assert.equal(
      warnings.map(([facts]) => facts),
      Array(2).fill({ provider: 'file', file: path }),
    );
    assertNothingPrivate(warnings, signup);
  }));

test('a file that was renamed is followed by a new one after reopen', () =>
  withSignups({}, async (signups, path) => {
    await signups.add(signup);
    await rename(path, `${path}.1`);
    await signups.reopen();
    assert.is(await readFile(path, 'utf8'), '');
    assert.is((await stat(path)).mode & 0o777, 0o600);
  }));

test('a file that cannot be opened stops the start, naming it', () =>
  withFolder(async (path) => {
    await mkdir(path, { recursive: true });
    const failure = await openSignups({ provider: 'file' }, { file: path, log: recorder([]) }).catch((error) => error);
    assert.instance(failure, OperationError);
    assert.match(failure.message, path);
    assert.match(failure.message, 'EISDIR');
  }));

test.run();
