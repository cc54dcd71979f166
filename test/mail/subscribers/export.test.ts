import { mkdir, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import type { ListName } from '../../../src/mail/provider.ts';
import { catalog } from '../../support/process.ts';
import { withFolder } from '../../support/subscribers-file.ts';

/** The formats of `catalog subscribers`: what they say of each address, list, note and consent. */

interface Entry {
  time: string;
  email: string;
  list: ListName;
  notes: string[];
  consent: Record<'requested' | 'form' | 'confirmed' | 'unsubscribed', string | null> | null;
}

const line = (day: number, email: string, list: string, note?: string) =>
  `${JSON.stringify({ id: String(day), time: `2026-01-0${day}T00:00:00Z`, email, list, ...(note === undefined ? {} : { note }) })}\n`;
const entry = (day: number, email: string, list: ListName, ...notes: string[]): Entry => ({
  time: `2026-01-0${day}T00:00:00Z`,
  email,
  list,
  notes,
  consent: null,
});

/** Prints what is in a file of subscribers. */
async function print(content: string | undefined, ...args: string[]) {
  let printed = { stdout: '', stderr: '' };
  await withFolder(async (path) => {
    if (content !== undefined) {
      await mkdir(dirname(path));
      await writeFile(path, content);
    }
    printed = await catalog(['subscribers', '--data', dirname(path), ...args]);
  });
  return printed;
}

/** The entries in a file of subscribers, and which of its lines the command says that it skipped. */
async function read(content: string | undefined, ...args: string[]): Promise<{ entries: Entry[]; skipped: string }> {
  const { stdout, stderr } = await print(content, '--format', 'json', ...args);
  return { entries: JSON.parse(stdout).subscriptions, skipped: /^Skipped lines? (.*) of /m.exec(stderr)?.[1] ?? '' };
}

const several =
  line(1, 'Ann@Example.com', 'daily') +
  line(2, 'bob@example.com', 'custom', 'One') +
  line(3, 'ann@example.com', 'pro') +
  line(4, 'ann@example.COM', 'daily', 'Hello') +
  line(5, 'bob@example.com', 'custom', 'Two') +
  line(6, 'BOB@example.com', 'custom', 'One');

const rows: { name: string; content: string | undefined; filter?: string[]; expected: Entry[] }[] = [
  { name: 'a file that does not exist holds none', content: undefined, expected: [] },
  { name: 'an empty file holds none', content: '', expected: [] },
  {
    name: 'an address is shown once per list, as first written, with all its notes',
    content: several,
    expected: [
      entry(1, 'Ann@Example.com', 'daily', 'Hello'),
      entry(2, 'bob@example.com', 'custom', 'One', 'Two'),
      entry(3, 'ann@example.com', 'pro'),
    ],
  },
  {
    name: 'one list',
    content: several,
    filter: ['--list', 'daily'],
    expected: [entry(1, 'Ann@Example.com', 'daily', 'Hello')],
  },
  {
    name: 'since a day, which is included',
    content: several,
    filter: ['--since', '2026-01-05'],
    expected: [entry(5, 'bob@example.com', 'custom', 'Two', 'One')],
  },
  {
    name: 'a note may hold line separators of Unicode',
    content: line(1, 'a@example.com', 'daily', 'a\u2028b\u2029c'),
    expected: [entry(1, 'a@example.com', 'daily', 'a\u2028b\u2029c')],
  },
  {
    name: 'a byte order mark of an editor is not a part of the first line',
    content: `\uFEFF${line(1, 'a@example.com', 'daily')}`,
    expected: [entry(1, 'a@example.com', 'daily')],
  },
  {
    name: 'a last line without its newline',
    content: line(1, 'a@example.com', 'daily').trimEnd(),
    expected: [entry(1, 'a@example.com', 'daily')],
  },
];

for (const { name, content, filter = [], expected } of rows) {
  test(name, async () => {
    assert.equal(await read(content, ...filter), { entries: expected, skipped: '' });
  });
}

test('lines that cannot be read are left out, each with a warning', async () => {
  const content = `${line(1, 'a@example.com', 'daily')}{"id":"2\n[]\nnull\n${line(5, 'b@example.com', 'weekly')}\n${line(7, 'c@example.com', 'pro')}{"id`;
  const { entries, skipped } = await read(content);
  assert.equal(
    entries.map(({ email }) => email),
    ['a@example.com', 'c@example.com'],
  );
  assert.is(skipped, '2, 3, 4, 5, 8');
});

test('a file larger than one read is exported completely', async () => {
  const lines = Array.from({ length: 3000 }, (_, n) =>
    line(1, `reader-${n}@example.com`, 'daily', '🙂'.repeat(n % 40)),
  );
  const { entries } = await read(lines.join(''));
  assert.is(entries.length, 3000);
  assert.equal(entries[2999]?.notes, ['🙂'.repeat(2999 % 40)]);
});

test('CSV: an address that starts like a formula, and two notes', async () => {
  const content = line(1, '+a@example.com', 'custom', 'One') + line(2, '+a@example.com', 'custom', 'Two');
  const { stdout } = await print(content, '--format', 'csv');
  assert.is(stdout.split('\r\n')[1], `2026-01-01T00:00:00Z,'+a@example.com,custom,"One\nTwo",,,,`);
});

const asked = (id: string, day: number, email: string, more: object = {}) =>
  `${JSON.stringify({ id, time: `2026-01-0${day}T00:00:00Z`, email, list: 'daily', ...more, pending: true })}\n`;
const event = (id: string, day: number, name: string) =>
  `${JSON.stringify({ id, time: `2026-01-0${day}T12:00:00Z`, event: name })}\n`;

const consents: [name: string, content: string, consent: Entry['consent'], shown: string][] = [
  [
    'one that was confirmed, though the address subscribed again later',
    asked('1', 1, 'a@example.com', { form: 'abc' }) + event('1', 2, 'confirmed') + asked('2', 3, 'A@example.com'),
    { requested: '2026-01-01T00:00:00Z', form: 'abc', confirmed: '2026-01-02T12:00:00Z', unsubscribed: null },
    'daily',
  ],
  [
    'none yet',
    asked('1', 1, 'a@example.com', { form: 'abc' }) + asked('2', 3, 'a@example.com', { form: 'def' }),
    { requested: '2026-01-03T00:00:00Z', form: 'def', confirmed: null, unsubscribed: null },
    'daily (waiting)',
  ],
  [
    'one that was ended, also by the link of another mail, and not confirmed again',
    asked('1', 1, 'a@example.com') +
      asked('2', 2, 'a@example.com') +
      event('1', 3, 'confirmed') +
      event('1', 4, 'confirmed') +
      event('2', 5, 'unsubscribed') +
      event('1', 6, 'unsubscribed') +
      event('2', 7, 'confirmed') +
      event('3', 8, 'confirmed'),
    {
      requested: '2026-01-01T00:00:00Z',
      form: null,
      confirmed: '2026-01-03T12:00:00Z',
      unsubscribed: '2026-01-05T12:00:00Z',
    },
    'daily (unsubscribed)',
  ],
];
for (const [name, content, consent, shown] of consents) {
  test(`consent: ${name}`, async () => {
    const { entries, skipped } = await read(content);
    const [email, time] = ['a@example.com', '2026-01-01T00:00:00Z'];
    assert.equal(entries, [{ time, email, list: 'daily', notes: [], consent }]);
    assert.is(skipped, '');
    assert.is((await print(content)).stdout, `a@example.com  ${shown}  2026-01-01T00:00:00Z\n`);
    const { requested = '', form, confirmed, unsubscribed } = consent ?? {};
    const { stdout } = await print(content, '--format', 'csv');
    assert.is(
      stdout.split('\r\n')[1],
      `2026-01-01T00:00:00Z,a@example.com,daily,,${requested},${form ?? ''},${confirmed ?? ''},${unsubscribed ?? ''}`,
    );
  });
}

test('each list of an address has its own remark', async () => {
  const on = (id: string, list: string) =>
    `${JSON.stringify({ id, time: '2026-01-01T00:00:00Z', email: 'a@example.com', list, pending: true })}\n`;
  const content = on('1', 'daily') + on('2', 'pro') + on('3', 'custom') + event('2', 2, 'unsubscribed');
  const { stdout } = await print(content + event('3', 3, 'confirmed'));
  assert.is(stdout, 'a@example.com  daily (waiting), pro (unsubscribed), custom  2026-01-01T00:00:00Z\n');
});

test('CSV: without entries, there is only a header', async () => {
  const { stdout } = await print('', '--format', 'csv');
  assert.is(stdout, 'time,email,list,note,requested,form,confirmed,unsubscribed\r\n');
});

test.run();
