import { appendFileSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import * as fs from 'node:fs/promises';
import { basename, join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { explainSystemError } from '../../../src/lib/errors.ts';
import { announcementFiles } from '../../../src/mail/announcement-journal.ts';
import type { Disk } from '../../../src/storage/disk.ts';
import { inFolder } from '../../support/catalog.ts';
import { journalIn } from '../../support/mail/announcing.ts';

/** The memory of what was announced. */

const key = 'catalog:tag:press.example,2026:catalog:daily:2026-11-20';
const clock = () => new Date('2026-11-20T08:00:00Z');
const fileIn = (folder: string) => {
  const [name = ''] = readdirSync(join(folder, 'announcements')).filter((file) => file.endsWith('.jsonl'));
  return join(folder, 'announcements', name);
};

test('what was recorded is known after the claim is released, in a file that only its owner can read', () =>
  inFolder(async (folder) => {
    const journal = journalIn(folder, clock);
    assert.is(await journal.read(key), null);
    const claim = await journal.claim(key);
    await claim.append({ type: 'drafted', draft: 'd1' });
    await claim.append({ type: 'sending' });
    await claim.append({ type: 'recipients', ids: ['a', 'b', 'c'] });
    await claim.append({ type: 'delivery', id: 'a', state: 'sending' });
    await claim.append({ type: 'delivery', id: 'a', state: 'accepted' });
    await claim.append({ type: 'delivery', id: 'b', state: 'sending' });
    await claim.release();
    const deliveries = new Map([
      ['a', 'accepted'],
      ['b', 'sending'],
      ['c', 'waiting'],
    ]);
    const since = '2026-11-20T08:00:00.000Z';
    assert.equal(await journal.read(key), { state: 'sending', since, draft: 'd1', abandoned: [], deliveries });
    assert.match(fileIn(folder), /announcements\/daily-2026-11-20-[0-9a-f]{8}\.jsonl$/);
    if (process.platform !== 'win32') assert.is(statSync(fileIn(folder)).mode & 0o777, 0o600);
  }));

test('events of several emails that are recorded at the same time are all kept, and so is what comes between them', () =>
  inFolder(async (folder) => {
    const ids = Array.from({ length: 20 }, (_, at) => `r${at}`);
    const claim = await journalIn(folder).claim(key);
    await claim.append({ type: 'recipients', ids });
    const recorded = ids.map((id) => claim.append({ type: 'delivery', id, state: 'accepted' }));
    await Promise.all([claim.append({ type: 'sending' }), ...recorded, claim.append({ type: 'drafted', draft: 'd' })]);
    const { state, draft, deliveries } = claim.announcement;
    assert.equal([state, draft], ['sending', 'd']);
    assert.equal(deliveries, new Map(ids.map((id) => [id, 'accepted'])));
    await claim.release();
    assert.equal(await journalIn(folder).read(key), claim.announcement);
  }));

test('only one may send an announcement at a time; others are told who does', () =>
  inFolder(async (folder) => {
    const claim = await journalIn(folder).claim(key);
    const refusal = await journalIn(folder)
      .claim(key)
      .catch((error) => error);
    assert.is(refusal.name, 'OperationError');
    assert.match(
      refusal.message,
      new RegExp(
        `^Another process is sending this announcement\\. Wait until it ends, then run this command again\\. It is process ${process.pid} on .+\\.$`,
      ),
    );
    await (await journalIn(folder).claim(`${key}-other`)).release();
    const ofAnotherCatalog = key.replace('press.example', 'other.example');
    await (await journalIn(folder).claim(ofAnotherCatalog)).release();
    await claim.release();
    await (await journalIn(folder).claim(key)).release();
  }));

test('a line that a crash left incomplete counts for nothing; a damaged one stops everything', () =>
  inFolder(async (folder) => {
    const claim = await journalIn(folder, clock).claim(key);
    await claim.release();
    const whole = readFileSync(fileIn(folder), 'utf8');
    appendFileSync(fileIn(folder), '{"type":"sent","time":"2026-');
    assert.is((await journalIn(folder).read(key))?.state, 'claimed');
    await (await journalIn(folder).claim(key)).release();
    assert.is(readFileSync(fileIn(folder), 'utf8'), whole);
    appendFileSync(fileIn(folder), '{"type":"stent","time":"2026-11-20T08:00:00Z"}\n');
    for (const use of [() => journalIn(folder).read(key), () => journalIn(folder).claim(key)]) {
      const refusal = await use().then(
        () => null,
        (error: Error) => error,
      );
      assert.match(refusal?.message ?? '', /^Line 2 of .*cannot be read, so nobody can tell what was sent\./);
    }
    // An import into PostgreSQL needs the key, which cannot have a NUL there.
    for (const first of ['{"type":"sending",', '{"type":"claimed","key":"a\\u0000",']) {
      writeFileSync(fileIn(folder), `${first}"time":"2026-11-20T08:00:00Z"}\n`);
      const refusal = await journalIn(folder)
        .read(key)
        .catch((error: Error) => error);
      assert.match(String(refusal), /Line 1 of .*cannot be read, so nobody can tell what was sent\./);
    }
  }));

test('a full disk, and a folder where a file is needed, are named with the file', () =>
  inFolder(async (folder) => {
    let isFull = true;
    const disk: Disk = {
      ...fs,
      async open(...given) {
        const handle = await fs.open(...given);
        // The lock fits, as it may on a disk that is nearly full.
        if (!String(given[0]).endsWith('.jsonl')) return handle;
        const write = handle.write.bind(handle) as (...bytes: unknown[]) => unknown;
        const full = () => Promise.reject(Object.assign(new Error('ENOSPC: write'), { code: 'ENOSPC' }));
        return Object.assign(handle, { write: (...bytes: unknown[]) => (isFull ? full() : write(...bytes)) });
      },
    };
    const journal = announcementFiles(join(folder, 'announcements'), { now: clock, warn: () => {}, disk });
    const failure = (work: Promise<unknown>) => work.then(String, (error) => `${error.name}: ${error.message}`);
    const full =
      /^OperationError: The announcement file .*daily-2026-11-20-\w+\.jsonl cannot be used: the disk is full/;
    assert.match(await failure(journal.claim(key)), full);
    assert.equal(readdirSync(join(folder, 'announcements')), [basename(fileIn(folder))]);
    isFull = false;
    const claim = await journal.claim(key);
    isFull = true;
    assert.match(await failure(claim.append({ type: 'sending' })), full);
    isFull = false;
    await claim.release();
    const file = fileIn(folder);
    rmSync(file);
    mkdirSync(file);
    const reading = await journal.read(key).catch((error) => error);
    assert.is(explainSystemError(reading), `${file} is a folder, not a file. Name another path, or move it away.`);
  }));

test('a draft that was given up is remembered, and what was recorded last counts', () =>
  inFolder(async (folder) => {
    const claim = await journalIn(folder, clock).claim(key);
    await claim.append({ type: 'drafted', draft: 'd1' });
    await claim.append({ type: 'sending' });
    await claim.append({ type: 'unsent', draft: 'd1' });
    const { state, draft, abandoned } = claim.announcement;
    assert.equal([state, draft, abandoned], ['claimed', null, ['d1']]);
    await claim.append({ type: 'sent' });
    await claim.release();
    assert.is((await journalIn(folder).read(key))?.state, 'sent');
  }));

test.run();
