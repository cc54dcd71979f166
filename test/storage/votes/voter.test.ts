import { randomBytes } from 'node:crypto';
import { readdir, readFile, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { dailySecret } from '../../../src/storage/file-votes.ts';
import { networkOf, pseudonym } from '../../../src/storage/vote.ts';
import { rejection, shimDisk, systemError, withFolder } from '../../support/journal.ts';
import { withMinuteTasks } from '../../support/minute-tasks.ts';
import { testUnless } from '../../support/skip.ts';
import { voteBy, withLog } from '../../support/votes.ts';

const networks: [address: string, network: string][] = [
  ['192.0.2.1', '192.0.2.1'],
  ['::ffff:192.0.2.1', '192.0.2.1'],
  ['::FFFF:c000:0201', '192.0.2.1'],
  ['0:0:0:0:0:ffff:192.0.2.1', '192.0.2.1'],
  ['::ffff:198.51.100.7', '198.51.100.7'],
  ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2::/64'],
  // Only the end is like an IPv4 address.
  ['2001:db8:1:2:0:ffff:c000:201', '2001:db8:1:2::/64'],
  ['2001::3:4:5:6:7:8', '2001:0:3:4::/64'],
  ['2001:0DB8:0001:0002::1', '2001:db8:1:2::/64'],
  ['2001:db8::', '2001:db8:0:0::/64'],
  ['2001:db8:1:2:3::', '2001:db8:1:2::/64'],
  ['::1', '0:0:0:0::/64'],
  ['::', '0:0:0:0::/64'],
  ['fe80::1%eth0', 'fe80:0:0:0::/64'],
  ['64:ff9b::192.0.2.1', '64:ff9b:0:0::/64'],
  ['not an address', 'not an address'],
  ['', ''],
];

for (const [address, network] of networks) {
  test(`the network of ${JSON.stringify(address)} is ${JSON.stringify(network)}`, () => {
    assert.is(networkOf(address), network);
  });
}

test('a pseudonym is the first half of the HMAC of the network', () => {
  // From openssl: printf 192.0.2.1 | openssl dgst -sha256 -mac HMAC -macopt hexkey:00..00 (32 bytes)
  const zero = Buffer.alloc(32);
  assert.is(pseudonym(zero, '192.0.2.1'), 'd528edcd304e0e0d1ee8f957f40a6eef');
  assert.is(pseudonym(zero, '::ffff:192.0.2.1'), pseudonym(zero, '192.0.2.1'));
  assert.is(pseudonym(zero, '2001:db8::1'), pseudonym(zero, '2001:db8::2'));
  assert.is.not(pseudonym(zero, '2001:db8:0:1::1'), pseudonym(zero, '2001:db8:0:2::1'));
  assert.is.not(pseudonym(zero, '192.0.2.1'), pseudonym(Buffer.alloc(32, 1), '192.0.2.1'));
});

test('a voter has the same pseudonym all day, even after a restart, and another one on the next day', () =>
  withFolder(async (file) => {
    const voters: Record<string, string> = {};
    const secrets: string[] = [];
    for (const time of ['21T00:00:00', '21T23:59:59', '22T00:00:00']) {
      const now = () => new Date(`2026-11-${time}Z`);
      await withLog({ file, now }, async ({ store }) => {
        voters[time] = (await store.append(voteBy(1))).voter;
        assert.is((await store.append(voteBy(1))).voter, voters[time]);
        assert.is.not((await store.append(voteBy(2))).voter, voters[time]);
        secrets.push(JSON.parse(await readFile(`${file}.secret`, 'utf8')).secret);
      });
    }
    assert.is(voters['21T00:00:00'], voters['21T23:59:59']);
    assert.is.not(voters['21T23:59:59'], voters['22T00:00:00']);
    assert.is(new Set(secrets).size, 2);
    assert.is(secrets[0]?.length, 64);
  }));

test('the secret changes at midnight UTC while the log is open, in between two votes', () =>
  withFolder(async (file) => {
    let time = Date.parse('2026-11-21T23:59:59.999Z');
    await withLog({ file, now: () => new Date(time) }, async ({ store }) => {
      const before = await store.append(voteBy(1));
      time += 1;
      const after = await Promise.all([store.append(voteBy(1)), store.append(voteBy(1))]);
      assert.is.not(before.voter, after[0]?.voter);
      assert.is(after[0]?.voter, after[1]?.voter);
      assert.is(JSON.parse(await readFile(`${file}.secret`, 'utf8')).day, '2026-11-22');
    });
  }));

test('the secret of an earlier day is deleted at startup, even before a vote', () =>
  withFolder(async (file) => {
    await withLog({ file, now: () => new Date('2026-11-21T00:00:00Z') }, async ({ store }) => {
      await store.append(voteBy(1));
    });
    await withLog({ file, now: () => new Date('2026-11-22T00:00:00Z') }, async () => {
      assert.is(JSON.parse(await readFile(`${file}.secret`, 'utf8')).day, '2026-11-22');
    });
  }));

test('while the log is open, the secret is deleted at the end of its day, even without votes', () =>
  withFolder((file) =>
    withMinuteTasks(async (tasks) => {
      let day = '2026-11-21';
      await withLog({ file, now: () => new Date(`${day}T12:00:00Z`) }, async () => {
        day = '2026-11-22';
        for (const task of tasks) await task();
        assert.is(JSON.parse(await readFile(`${file}.secret`, 'utf8')).day, day);
      });
    }),
  ));

test('a new secret and its file name are durable before a vote is written, and the old one is gone', () =>
  withFolder(async (file, folder) => {
    await withLog({ file, now: () => new Date('2026-11-21T00:00:00Z') }, async ({ store }) => {
      await store.append(voteBy(1));
    });
    const { secret } = JSON.parse(await readFile(`${file}.secret`, 'utf8'));
    let time = '2026-11-21T12:00:00Z';
    let steps: string[] = [];
    const disk = shimDisk(async ({ op, path, run }) => {
      const isWatched = path === folder ? op === 'sync' : path.includes('.secret') || path === file;
      if (isWatched && ['write', 'sync', 'datasync', 'rename'].includes(op)) steps.push(op);
      return run();
    });
    await withLog({ file, disk, now: () => new Date(time) }, async ({ store }) => {
      time = '2026-11-22T00:00:00Z';
      steps = [];
      await store.append(voteBy(1));
      assert.equal(steps, ['write', 'sync', 'rename', 'sync', 'write', 'datasync']);
      for (const name of await readdir(folder)) {
        assert.not.match(await readFile(join(folder, name), 'utf8'), secret, name);
      }
    });
  }));

testUnless(process.platform === 'win32' && 'Windows has no file modes')(
  'the secret is readable by its owner alone',
  () =>
    withFolder(async (file) => {
      await withLog({ file }, async ({ store }) => {
        await store.append(voteBy(1));
        assert.is((await stat(`${file}.secret`)).mode & 0o777, 0o600);
      });
    }),
);

test('a slow disk at midnight does not restore the secret of the day before', () =>
  withFolder(async (file) => {
    const path = `${file}.secret`;
    let made = 0;
    let second = () => {};
    const secondMade = new Promise<void>((done) => {
      second = done;
    });
    const disk = shimDisk(async ({ op, run }) => {
      if (op !== 'rename') return run();
      made += 1;
      const isFirst = made === 1;
      // The first secret is stored late: after the second one, unless the second one waits for it.
      if (isFirst) await Promise.race([secondMade, sleep(50)]);
      await run();
      if (!isFirst) second();
      return undefined;
    });
    const secrets = dailySecret({ path, disk, random: randomBytes, warn: () => {} });
    const [, secret] = await Promise.all(['2026-11-21', '2026-11-22'].map((day) => secrets(day)));
    assert.equal(JSON.parse(await readFile(path, 'utf8')), { day: '2026-11-22', secret: secret?.toString('hex') });
  }));

test('a vote does not wait for a secret that failed, and two of a day never get different ones', () =>
  withFolder(async (file) => {
    let failures = 1;
    const disk = shimDisk(async ({ op, run }) => {
      if (op === 'write' && failures-- > 0) throw systemError('ENOSPC');
      return run();
    });
    const secrets = dailySecret({ path: `${file}.secret`, disk, random: randomBytes, warn: () => {} });
    const full = secrets('2026-11-21');
    const next = secrets('2026-11-22');
    assert.is(((await rejection(full)) as NodeJS.ErrnoException).code, 'ENOSPC');
    const again = secrets('2026-11-22');
    assert.equal(await again, await next);
  }));

test('a secret that cannot be read at the moment is not replaced', () =>
  withFolder(async (file) => {
    let fails = false;
    const disk = shimDisk(async ({ op, run }) => {
      if (fails && op === 'readFile') throw systemError('EIO');
      return run();
    });
    const read = () => dailySecret({ path: `${file}.secret`, disk, random: randomBytes, warn: () => {} })('2026-11-21');
    const secret = await read();
    fails = true;
    assert.is(((await rejection(read())) as NodeJS.ErrnoException).code, 'EIO');
    fails = false;
    assert.equal(await read(), secret);
  }));

const tooLong = `{"day":"2026-11-21","secret":"${'0'.repeat(65)}"}`;
for (const damaged of ['', '{"day":"2026-11-21"}', '{"day":"2026-11-21","secret":"00"}', '\0\0\0', tooLong]) {
  test(`a damaged secret is replaced, with a warning: ${JSON.stringify(damaged)}`, () =>
    withFolder(async (file) => {
      await writeFile(`${file}.secret`, damaged);
      await withLog({ file, now: () => new Date('2026-11-21T00:00:00Z') }, async ({ store, warnings }) => {
        await store.append(voteBy(1));
        assert.equal(warnings, [
          `${file}.secret is damaged, so a new secret is made. Readers who voted earlier today count as new voters from now on.`,
        ]);
      });
    }));
}

test.run();
