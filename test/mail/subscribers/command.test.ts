import { randomBytes } from 'node:crypto';
import * as fs from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { MailKey, recipients } from '../../../src/mail/consent.ts';
import { fileSubscriptions } from '../../../src/mail/subscribers-file.ts';
import { acquireLock } from '../../../src/storage/lock.ts';
import { inFolder, writeFiles } from '../../support/catalog.ts';
import { catalog } from '../../support/process.ts';

/** `catalog subscribers` as an operator runs it, on files made by hand. */

interface Subscription {
  email?: string;
  time?: string;
  list?: string;
  note?: string;
}

const line = ({ email = 'ann@example.com', time = '2026-11-02T10:00:00.000Z', list = 'daily', note }: Subscription) =>
  `${JSON.stringify({ id: 's', time, email, list, note })}\n`;

const stored = [
  line({ time: '2026-11-01T23:59:59.999Z' }),
  line({ email: 'bob@example.com', list: 'custom', note: '=1+1 "please"' }),
  'not a subscription\n',
  line({ email: 'Ann@Example.com', list: 'pro' }),
  line({ email: 'ann@example.com', list: 'daily', note: 'again' }),
  '{"id":"s","email":"eve@exa',
].join('');

async function withFile(work: (folder: string, file: string) => Promise<void>): Promise<void> {
  await inFolder(async (folder) => {
    writeFiles(folder, { 'data/signups.jsonl': stored });
    await work(folder, join(folder, 'data', 'signups.jsonl'));
  });
}

test('lists each address with its lists and the time of its first subscription', () =>
  withFile(async (folder, file) => {
    const { code, stdout, stderr } = await catalog(['subscribers', '--cwd', folder]);
    assert.is(code, 0);
    assert.is(
      stdout,
      'ann@example.com  daily, pro  2026-11-01T23:59:59.999Z\n' +
        'bob@example.com  custom      2026-11-02T10:00:00.000Z\n',
    );
    assert.is(
      stderr,
      `Skipped lines 3, 6 of ${file}: incomplete or invalid.\n2 addresses, 3 subscriptions: 1 daily, 1 pro, 1 custom.\n`,
    );
  }));

test('--format json prints one document, with notes', () =>
  withFile(async (folder) => {
    const { stdout } = await catalog(['subscribers', '--cwd', folder, '--format', 'json', '--list', 'daily']);
    assert.equal(JSON.parse(stdout), {
      counts: { daily: 1, pro: 0, custom: 0 },
      confirmed: { daily: 0, pro: 0, custom: 0 },
      waiting: { daily: 0, pro: 0, custom: 0 },
      unsubscribed: { daily: 0, pro: 0, custom: 0 },
      subscriptions: [
        { time: '2026-11-01T23:59:59.999Z', email: 'ann@example.com', list: 'daily', notes: ['again'], consent: null },
      ],
    });
  }));

test('readers who confirmed, who wait for it and who left are counted apart, for people and programs', () =>
  inFolder(async (folder) => {
    const asked = (id: string, list: string, time = '2026-11-02T10:00:00Z') =>
      `${JSON.stringify({ id, time, email: `${id[0]}@example.com`, list, pending: true })}\n`;
    const event = (id: string, event: string) => `${JSON.stringify({ id, time: '2026-11-03T10:00:00Z', event })}\n`;
    const ids = ['a', 'b', 'c', 'd'].map((id) => asked(id, 'daily')).join('');
    const events =
      event('a', 'confirmed') + event('b', 'confirmed') + event('c', 'confirmed') + event('c', 'unsubscribed');
    const again = asked('a2', 'daily', '2026-11-05T10:00:00Z');
    const lines = `${ids}${asked('e', 'pro')}${events}${line({ list: 'custom' })}${again}`;
    writeFiles(folder, { 'data/signups.jsonl': lines });
    const { stderr } = await catalog(['subscribers', '--cwd', folder]);
    const daily = '4 daily (2 confirmed, 1 waiting, 1 unsubscribed)';
    assert.is(stderr, `6 addresses, 6 subscriptions: ${daily}, 1 pro (1 waiting), 1 custom.\n`);
    const { stdout } = await catalog(['subscribers', '--cwd', folder, '--format', 'json']);
    const { counts, confirmed, waiting, unsubscribed } = JSON.parse(stdout);
    assert.equal(
      [counts, confirmed, waiting, unsubscribed].map(({ daily, pro, custom }) => [daily, pro, custom]),
      [
        [4, 1, 1],
        [2, 0, 0],
        [1, 1, 0],
        [1, 0, 0],
      ],
    );
    const recent = await catalog(['subscribers', '--cwd', folder, '--since', '2026-11-05']);
    assert.is(recent.stderr, '1 address, 1 subscription: 1 daily (1 confirmed).\n');
  }));

test('--format csv contains no formula, and --since leaves out earlier subscriptions', () =>
  withFile(async (folder) => {
    const { stdout } = await catalog(['subscribers', '--cwd', folder, '--format', 'csv', '--since', '2026-11-02']);
    assert.is(
      stdout,
      'time,email,list,note,requested,form,confirmed,unsubscribed\r\n' +
        `2026-11-02T10:00:00.000Z,bob@example.com,custom,"'=1+1 ""please""",,,,\r\n` +
        '2026-11-02T10:00:00.000Z,Ann@Example.com,pro,,,,,\r\n' +
        '2026-11-02T10:00:00.000Z,ann@example.com,daily,again,,,,\r\n',
    );
  }));

test('control characters for a terminal are harmless', () =>
  inFolder(async (folder) => {
    writeFiles(folder, { 'signups.jsonl': line({ email: '\u001b[2J\u202eann@example.com' }) });
    const { stdout, stderr } = await catalog(['subscribers', '--data', folder]);
    assert.is(stdout, '�[2J�ann@example.com  daily  2026-11-02T10:00:00.000Z\n');
    assert.is(stderr, '1 address, 1 subscription: 1 daily.\n');
  }));

test('a missing file has no subscribers, and stderr says so; if it was named, that is an error', () =>
  inFolder(async (folder) => {
    const { code, stdout, stderr } = await catalog(['subscribers'], { cwd: folder });
    assert.is(code, 0);
    assert.is(stdout, '');
    assert.match(stderr, 'nobody has subscribed yet');
    assert.match(stderr, '0 addresses.');
    const typo = join(folder, 'typo.jsonl');
    const named = await catalog(['subscribers', '--file', typo]);
    assert.equal(
      [named.code, named.stdout, named.stderr],
      [1, '', `error: The subscriber file ${typo} does not exist.\n`],
    );
  }));

test('addresses at a provider are listed and erased there, and older ones with --file', () =>
  withFile(async (folder) => {
    const env = { CATALOG_SIGNUPS: 'buttondown', CATALOG_DATA: join(folder, 'data') };
    for (const args of [['subscribers'], ['subscribers', 'erase', 'ann@example.com']]) {
      const { code, stdout, stderr } = await catalog(args, { env });
      assert.is(code, 1);
      assert.is(stdout, '');
      assert.match(stderr, 'Subscribers are stored at buttondown (CATALOG_SIGNUPS): list and erase them there.');
      assert.match(stderr, `add --file ${join(folder, 'data/signups.jsonl')}.`);
    }
    // Relative to the folder of the catalog.
    const file = ['--cwd', folder, '--file', 'data/signups.jsonl'];
    assert.match((await catalog(['subscribers', ...file], { env })).stdout, 'bob@example.com');
    const { stderr } = await catalog(['subscribers', 'erase', 'bob@example.com', ...file], { env });
    assert.is(stderr, 'Erased bob@example.com (1 line).\n');
    for (const CATALOG_SIGNUPS of [' file\n', '']) {
      const inFile = { CATALOG_SIGNUPS, CATALOG_DATA: join(folder, 'data') };
      assert.match((await catalog(['subscribers'], { env: inFile })).stdout, 'ann@example.com');
    }
  }));

const wrongUsage: [string, string[], RegExp][] = [
  ['a list that there is not', ['--list', 'weekly'], /daily, pro, custom/],
  ['a day that the calendar does not have', ['--since', 'May'], /calendar date/],
  ['annotations of GitHub', ['--format', 'github'], /pretty, json, csv/],
  ['erase without an address', ['erase'], /missing required argument 'address'/],
  ['erase of one list', ['erase', 'ann@example.com', '--list', 'pro'], /subscribers erase does not take --list/],
];
for (const [name, args, message] of wrongUsage) {
  test(`${name} is wrong usage`, async () => {
    const { code, stderr } = await catalog(['subscribers', ...args]);
    assert.is(code, 2);
    assert.match(stderr, message);
  });
}

test('subscribers of rotated files, who get email too, are listed, and what was not read is named', () =>
  withFile(async (folder, file) => {
    writeFiles(folder, {
      'data/signups.jsonl.1': `${line({ email: 'old@example.com', time: '2026-10-01T10:00:00.000Z' })}torn\n`,
      'data/signups.jsonl.2.gz': 'packed',
    });
    const { stdout, stderr } = await catalog(['subscribers', '--cwd', folder, '--format', 'csv']);
    assert.match(stdout, '\n2026-10-01T10:00:00.000Z,old@example.com,daily,');
    assert.match(stdout, 'bob@example.com');
    assert.match(stderr, `Skipped line 2 of ${file}.1: incomplete or invalid.\n`);
    assert.match(stderr, `Not read, because compressed: ${file}.2.gz.\n`);
  }));

test('erase removes an address from the file, its torn lines and rotated files, and says how many lines', () =>
  withFile(async (folder, file) => {
    writeFiles(folder, {
      'data/signups.jsonl.torn': '{"id":"t","email":"ann@example.com","li\n',
      'data/signups.jsonl.1':
        line({}) + line({ email: 'cat@example.com' }) + line({ email: 'cat@xn--bcher-kva.example' }),
      'data/signups.jsonl-20261001.gz': 'packed',
    });
    const ofHost = await catalog(['subscribers', 'erase', 'cat@bücher.example', '--cwd', folder]);
    assert.match(ofHost.stderr, 'Erased cat@xn--bcher-kva.example (1 line).');
    const { code, stdout, stderr } = await catalog(['subscribers', 'erase', 'ANN@example.com', '--cwd', folder]);
    assert.is(code, 0, stderr);
    assert.is(stdout, '');
    assert.is(stderr, `Not searched, because compressed: ${file}-20261001.gz.\nErased ANN@example.com (5 lines).\n`);
    assert.is(
      await fs.readFile(file, 'utf8'),
      stored
        .split(/(?<=\n)/)
        .filter((each) => !/ann@/i.test(each))
        .join(''),
    );
    assert.is(await fs.readFile(`${file}.1`, 'utf8'), line({ email: 'cat@example.com' }));
    assert.is(await fs.readFile(`${file}.torn`, 'utf8'), '');
    assert.not((await fs.readdir(join(folder, 'data'))).some((name) => name.endsWith('.lock')));
  }));

test('erase ends the email: it removes the consent, and keeps only a hash of the address', () =>
  withFile(async (folder, file) => {
    const asked = (id: string, email: string) => line({ email }).replace('"id":"s"', `"id":"${id}"`);
    const event = (id: string) => `{"id":"${id}","time":"2026-11-03T10:00:00.000Z","event":"confirmed"}\n`;
    const kept = asked('2', 'bob@example.com') + event('2');
    writeFiles(folder, { 'data/signups.jsonl': asked('1', 'ann@example.com') + event('1') + kept });
    const env = { CATALOG_MAIL_KEY: 'k'.repeat(32) };
    const { code, stderr } = await catalog(['subscribers', 'erase', ' Ann@example.com', '--cwd', folder], { env });
    assert.equal([code, stderr], [0, 'Erased Ann@example.com (2 lines).\n']);
    assert.is(await fs.readFile(file, 'utf8'), kept);
    const suppressed = await fs.readFile(join(folder, 'data/suppressed.jsonl'), 'utf8');
    assert.match(suppressed, /^\{"hash":"[\w-]{43}","time":"[^"]+"\}\n$/);
    assert.not.match(suppressed, /ann/i);
    // A backup that still has the address is restored.
    await fs.appendFile(file, asked('1', 'ann@example.com') + event('1'));
    const found = await recipients('daily', {
      subscriptions: fileSubscriptions(file),
      key: new MailKey(Buffer.from(env.CATALOG_MAIL_KEY)),
    });
    assert.equal(
      found.map(({ email }) => email),
      ['bob@example.com'],
    );
  }));

test('an erase that is repeated after a failure still keeps email from an address whose backup is restored', () =>
  withFile(async (folder, file) => {
    const suppressed = join(folder, 'data/suppressed.jsonl');
    await fs.mkdir(suppressed);
    const env = { CATALOG_MAIL_KEY: 'k'.repeat(32) };
    const erase = () => catalog(['subscribers', 'erase', 'bob@example.com', '--cwd', folder], { env });
    const failed = await erase();
    assert.is(failed.code, 1);
    assert.match(failed.stderr, `${suppressed} cannot be used`);
    assert.is(await fs.readFile(file, 'utf8'), stored);
    await fs.rmdir(suppressed);
    assert.is((await erase()).stderr, 'Erased bob@example.com (1 line).\n');
    assert.match(await fs.readFile(suppressed, 'utf8'), /^\{"hash":/);
  }));

test('erase without the key of emails refuses an address that was mailed, since it could not keep the email from coming back', () =>
  withFile(async (folder, file) => {
    const asked = `${JSON.stringify({ id: '1', time: '2026-11-02T10:00:00Z', email: 'fay@example.com', list: 'daily', pending: true })}\n`;
    writeFiles(folder, { 'data/signups.jsonl': stored.replace(/.*$/, asked) });
    const { code, stderr } = await catalog(['subscribers', 'erase', 'FAY@example.com', '--cwd', folder]);
    assert.is(code, 2);
    assert.match(stderr, /^error: Nothing was erased\. .* CATALOG_MAIL_KEY is not set and \S+data has no mail\.key\./);
    assert.match(await fs.readFile(file, 'utf8'), asked);
  }));

test('if an address is in none of the files that were searched, erase still names those that were not', () =>
  withFile(async (folder, file) => {
    writeFiles(folder, { 'data/signups.jsonl-20261001.gz': 'packed' });
    const { code, stderr } = await catalog(['subscribers', 'erase', 'dan@example.com', '--cwd', folder]);
    assert.is(code, 1);
    assert.match(stderr, `Not searched, because compressed: ${file}-20261001.gz.\n`);
    assert.match(stderr, `dan@example.com is not in ${file}; nothing was changed.`);
  }));

test('erasing an unknown address exits with 1 and changes nothing', () =>
  withFile(async (folder, file) => {
    const env = { CATALOG_MAIL_KEY: 'k'.repeat(32) };
    const { code, stderr } = await catalog(['subscribers', 'erase', 'dan@example.com', '--cwd', folder], { env });
    assert.is(code, 1);
    assert.match(stderr, `dan@example.com is not in ${file}; nothing was changed.`);
    assert.is(await fs.readFile(file, 'utf8'), stored);
    assert.equal(await fs.readdir(join(folder, 'data')), ['signups.jsonl']);
  }));

test('erase without a file exits with 1', () =>
  inFolder(async (folder) => {
    const { code, stderr } = await catalog(['subscribers', 'erase', 'ann@example.com', '--data', folder]);
    assert.is(code, 1);
    assert.match(stderr, `The subscriber file ${join(folder, 'signups.jsonl')} does not exist.`);
  }));

test('a file that cannot be read exits with 1 and is named, without a stack', () =>
  inFolder(async (folder) => {
    const listed = await catalog(['subscribers', '--file', folder]);
    const isFolder = `error: ${folder} is a folder, not a file. Name another path, or move it away.\n`;
    assert.equal([listed.code, listed.stderr], [1, isFolder]);
    const env = { DATABASE_URL: 'postgres://127.0.0.1:1/unused' };
    const imported = await catalog(['subscribers', 'import', '--file', folder], { env });
    assert.equal([imported.code, imported.stderr], [1, isFolder]);
    const erased = await catalog(['subscribers', 'erase', 'ann@example.com', '--file', folder]);
    assert.equal(
      [erased.code, erased.stderr],
      [1, `error: The subscriber file ${folder} cannot be used: it is a folder, not a file (EISDIR).\n`],
    );
  }));

test('of many unreadable lines, the first ten are named and the others counted', () =>
  inFolder(async (folder) => {
    const skipped = async (count: number) => {
      writeFiles(folder, { 'signups.jsonl': 'x\n'.repeat(count) });
      return (await catalog(['subscribers', '--data', folder])).stderr.split('\n')[0];
    };
    const end = `of ${join(folder, 'signups.jsonl')}: incomplete or invalid.`;
    assert.is(await skipped(1), `Skipped line 1 ${end}`);
    assert.is(await skipped(10), `Skipped lines 1, 2, 3, 4, 5, 6, 7, 8, 9, 10 ${end}`);
    assert.is(await skipped(12), `Skipped lines 1, 2, 3, 4, 5, 6, 7, 8, 9, 10 and 2 more ${end}`);
  }));

test('erase is refused while another process has the file', () =>
  withFile(async (folder, file) => {
    const owner = { disk: fs, now: () => new Date(), random: randomBytes, warn: () => {} };
    const lock = await acquireLock({ ...owner, file: await fs.realpath(file) });
    try {
      const { code, stderr } = await catalog(['subscribers', 'erase', 'ann@example.com', '--cwd', folder]);
      assert.is(code, 1);
      assert.match(stderr, `in use by process ${process.pid}`);
      assert.is(await fs.readFile(file, 'utf8'), stored);
    } finally {
      await lock.release();
    }
  }));

test.run();
