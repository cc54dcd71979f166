import { chmod, mkdir, readdir, readFile, rename, stat, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { OperationError } from '../../../src/lib/errors.ts';
import { ProviderFailed } from '../../../src/mail/calls.ts';
import type { SubscriberStore } from '../../../src/mail/provider.ts';
import { openSubscribers, type SubscriberTools } from '../../../src/mail/subscribers.ts';
import { assertNothingPrivate, inShort, recorder, subscription, type Trial } from '../../support/subscribers.ts';
import { shimDisk, systemError, withFolder } from '../../support/subscribers-file.ts';
import { withTimeLimit } from '../../support/until.ts';

async function withSubscribers(
  tools: Partial<SubscriberTools>,
  work: (subscribers: SubscriberStore, path: string) => Promise<void>,
): Promise<void> {
  await withFolder(async (path) => {
    const subscribers = await openSubscribers({ provider: 'file' }, { file: path, log: recorder([]), ...tools });
    try {
      await work(subscribers, path);
    } finally {
      await subscribers.close();
    }
  });
}

test('a subscription is a line of JSON in a file that only its owner can read', () =>
  withSubscribers({}, async (subscribers, path) => {
    assert.is(await subscribers.add(subscription), 'accepted');
    assert.is(await readFile(path, 'utf8'), `${JSON.stringify(subscription)}\n`);
    assert.is((await stat(path)).mode & 0o777, 0o600);
  }));

test('fields that no subscription has are not stored', () =>
  withSubscribers({}, async (subscribers, path) => {
    await subscribers.add({ ...subscription, address: '192.0.2.1' } as never);
    assert.is(await readFile(path, 'utf8'), `${JSON.stringify(subscription)}\n`);
  }));

test('an address that is already on the list gets the same answer', () =>
  withSubscribers({}, async (subscribers) => {
    assert.is(await subscribers.add(subscription), 'accepted');
    assert.is(await subscribers.add({ ...subscription, id: '2', email: subscription.email.toUpperCase() }), 'accepted');
  }));

test('a full disk is a temporary failure without private data', async () => {
  const disk = shimDisk();
  await withSubscribers({ disk: disk.disk }, async (subscribers, path) => {
    disk.before = (step) => {
      if (step.startsWith('write')) {
        throw Object.assign(systemError('ENOSPC'), { message: `cannot write ${subscription.email}` });
      }
    };
    const failure = await subscribers.add(subscription).catch((error) => error);
    assert.instance(failure, ProviderFailed);
    assert.is(inShort(failure), 'storage ENOSPC');
    assertNothingPrivate(failure, subscription);
    const checked = await subscribers.check?.().then(
      () => 'well',
      ({ code }) => code,
    );
    assert.is(checked, 'ENOSPC');
    disk.before = () => {};
    await subscribers.check?.();
    assert.is(await subscribers.add(subscription), 'accepted');
    assert.is(await readFile(path, 'utf8'), `${JSON.stringify(subscription)}\n`);
  });
});

test('a disk that hangs causes a timeout', () =>
  withTimeLimit((timeoutMs, expire) => {
    const disk = shimDisk();
    return withSubscribers({ disk: disk.disk, timeoutMs }, async (subscribers) => {
      let release = () => {};
      disk.before = (step) =>
        step.startsWith('datasync')
          ? new Promise<void>((resolve) => {
              release = resolve;
              expire();
            })
          : undefined;
      const failure = await subscribers.add(subscription).catch((error) => error);
      assert.is(inShort(failure), 'timeout');
      disk.before = () => {};
      release();
    });
  }));

test('a second process on one file is refused, naming the owner, and accepted once the file is closed', () =>
  withSubscribers({}, async (subscribers, path) => {
    const second = () => openSubscribers({ provider: 'file' }, { file: path, log: recorder([]) });
    const failure = await second().catch((error) => error);
    assert.instance(failure, OperationError);
    assert.ok(failure.message.startsWith(`${path} is in use by process ${process.pid} on `), failure.message);
    assert.is(await subscribers.add(subscription), 'accepted');
    await subscribers.close();
    assert.equal(await readdir(dirname(path)), ['signups.jsonl']);
    await (await second()).close();
  }));

test('a file that others can read becomes private, with a warning without private data', () =>
  withFolder(async (path) => {
    await mkdir(dirname(path));
    await writeFile(path, `${JSON.stringify(subscription)}\n${JSON.stringify(subscription).slice(0, -9)}`);
    await chmod(path, 0o664);
    const warnings: Trial['warnings'] = [];
    await (await openSubscribers({ provider: 'file' }, { file: path, log: recorder(warnings) })).close();
    assert.is((await stat(path)).mode & 0o777, 0o600);
    assert.is((await stat(`${path}.torn`)).mode & 0o777, 0o600);
    assert.equal(
      warnings.map(([facts]) => facts),
      Array(2).fill({ provider: 'file', file: path }),
    );
    assertNothingPrivate(warnings, subscription);
  }));

test('a file that was renamed is followed by a new one after reopen', () =>
  withSubscribers({}, async (subscribers, path) => {
    await subscribers.add(subscription);
    await rename(path, `${path}.1`);
    await subscribers.reopen?.();
    assert.is(await readFile(path, 'utf8'), '');
    assert.is((await stat(path)).mode & 0o777, 0o600);
  }));

test('a file that cannot be opened stops the server, naming the file', () =>
  withFolder(async (path) => {
    await mkdir(path, { recursive: true });
    const failure = await openSubscribers({ provider: 'file' }, { file: path, log: recorder([]) }).catch(
      (error) => error,
    );
    assert.instance(failure, OperationError);
    assert.match(failure.message, path);
    assert.match(failure.message, 'EISDIR');
  }));

test.run();
