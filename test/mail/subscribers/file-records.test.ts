import type { PathLike } from 'node:fs';
import * as fs from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { fileSubscriptions } from '../../../src/mail/subscribers-file.ts';
import type { Disk } from '../../../src/storage/disk.ts';
import { putLock } from '../../support/lock.ts';
import { withFolder } from '../../support/subscribers-file.ts';

/** Reading a file of subscribers that another process owns. */

test('a reader of the file notices what another process adds, rotates or replaces, and leaves half lines', () =>
  withFolder(async (path) => {
    const line = (id: string) =>
      `${JSON.stringify({ id, time: '2026-11-22T10:00:00Z', email: `${id}@example.com`, list: 'daily' })}\n`;
    const subscriptions = fileSubscriptions(path);
    const ids = async () => (await subscriptions.find({ list: 'daily' })).map(({ id }) => id).join(' ');
    assert.is(await ids(), '');
    await fs.mkdir(dirname(path));
    await fs.writeFile(path, `${line('a')}torn\n${line('b').slice(0, 20)}`);
    assert.is(await ids(), 'a');
    await fs.appendFile(path, line('b').slice(20) + line('c'));
    assert.equal(await Promise.all([ids(), ids()]), ['a b c', 'a b c']);
    await fs.rename(path, `${path}.1`);
    await fs.writeFile(path, line('d'));
    assert.is(await ids(), 'a b c d');
    await fs.writeFile(`${path}.new`, line('e'));
    await fs.rename(`${path}.new`, path);
    assert.is(await ids(), 'a b c e');
    // Another program cuts it.
    await fs.writeFile(path, line('f').replace('2026-11-22T10:00:00Z', '2026-11-22'));
    assert.is(await ids(), 'a b c f');
  }));

test('rotated files are read in the order in which they were written, whatever their names', () =>
  withFolder(async (path) => {
    const line = (id: string, more = {}) =>
      `${JSON.stringify({ id, time: '2026-11-01T10:00:00Z', email: `${id}@example.com`, list: 'daily', ...more })}\n`;
    const event = (id: string, day: number, name: string) =>
      `${JSON.stringify({ id, time: `2026-11-0${day}T10:00:00Z`, event: name })}\n`;
    await fs.mkdir(dirname(path));
    // As logrotate names them: the newest is the first.
    await fs.writeFile(`${path}.10`, line('ann') + line('bob') + event('bob', 1, 'confirmed'));
    await fs.writeFile(`${path}.2`, event('ann', 2, 'confirmed'));
    await fs.writeFile(`${path}.1`, event('bob', 3, 'unsubscribed'));
    await fs.writeFile(`${path}.11.gz`, 'damaged');
    await fs.writeFile(path, event('ann', 4, 'unsubscribed') + line('cat', { time: '2026-11-04T10:00:00Z' }));
    const stored = await fileSubscriptions(path).find({ list: 'daily' });
    const outcomes = stored.map(({ id, confirmed, unsubscribed }) => [
      id,
      confirmed?.slice(8, 10),
      unsubscribed?.slice(8, 10),
    ]);
    assert.equal(outcomes, [
      ['ann', '02', '04'],
      ['bob', '01', '03'],
      ['cat', undefined, undefined],
    ]);
  }));

test('after the disk failed once, the next question is answered', () =>
  withFolder(async (path) => {
    let isBroken = true;
    const stat = async (file: PathLike) => {
      if (isBroken) throw Object.assign(new Error('The disk failed.'), { code: 'EIO' });
      return fs.stat(file);
    };
    const subscriptions = fileSubscriptions(path, { ...fs, stat: stat as Disk['stat'] });
    const failure = await subscriptions.find({ list: 'daily' }).catch((error) => error.code);
    assert.is(failure, 'EIO');
    isBroken = false;
    assert.equal(await subscriptions.find({ list: 'daily' }), []);
  }));

test('addresses that are suppressed at once are all suppressed, also after the disk failed for the first', () =>
  withFolder(async (path) => {
    let opened = 0;
    const disk = {
      ...fs,
      open: (...args: Parameters<Disk['open']>) => {
        opened += 1;
        if (opened === 1) return Promise.reject(Object.assign(new Error('The disk failed.'), { code: 'EIO' }));
        return fs.open(...args);
      },
    };
    await fs.mkdir(dirname(path));
    const { suppress, suppressions } = fileSubscriptions(path, disk);
    const time = '2026-11-22T10:00:00.000Z';
    const results = await Promise.allSettled(['a', 'b', 'c'].map((hash) => suppress(hash, time)));
    assert.equal(
      results.map(({ status }) => status),
      ['rejected', 'fulfilled', 'fulfilled'],
    );
    assert.equal(
      [...(await suppressions())],
      [
        ['b', time],
        ['c', time],
      ],
    );
  }));

test('an address that bounces while another process erases one gets no more mail either', () =>
  withFolder(async (path) => {
    const suppressed = join(dirname(path), 'suppressed.jsonl');
    await fs.mkdir(dirname(path));
    await putLock(suppressed);
    const disk = {
      ...fs,
      // The other process finishes right after it was seen.
      readFile: async (...args: Parameters<typeof fs.readFile>) => {
        const text = await fs.readFile(...args);
        if (args[0] === `${suppressed}.lock` && String(text).includes('"token":"other"')) await fs.unlink(args[0]);
        return text;
      },
    };
    const time = '2026-11-22T10:00:00.000Z';
    await fileSubscriptions(path, disk as Disk).suppress('a', time);
    assert.equal([...(await fileSubscriptions(path).suppressions())], [['a', time]]);
  }));

test.run();
