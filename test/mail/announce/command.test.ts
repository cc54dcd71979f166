import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { writeFiles } from '../../support/catalog.ts';
import { atShiftedTime } from '../../support/forge-tools.ts';
import { journalIn, postalAddress } from '../../support/mail/announcing.ts';
import { agents, onlineCatalog } from '../../support/mail/online-catalog.ts';
import { addReaders, addressOf, idOf, mailKey } from '../../support/mail/readers.ts';
import { execSql, startPostgres } from '../../support/postgres.ts';
import { catalog } from '../../support/process.ts';
import { whileFull } from '../../support/refusing-disk.ts';

/** `catalog announce`, as a schedule and a person run it. */

test('announces the newest agent once, and says so the second time, both with exit code 0', () =>
  onlineCatalog(async ({ folder, service, announce }) => {
    // The site has no new agents with errors either.
    writeFiles(join(folder, 'agents/broken'), { 'agent.md': '' });
    const first = await announce();
    assert.equal([first.code, first.stdout], [0, '']);
    assert.match(
      first.stderr,
      /^Buttondown sends the email to subscribers with the tag "daily" \(sub_tag_0k28edc3fw896bp4mrhc535z5k\) \(em_1\)\.\n$/,
    );
    const second = await announce();
    assert.is(second.code, 0);
    assert.match(
      second.stderr,
      /^Nothing to do: No\. 3, “The three agent” was announced on \d{4}-\d\d-\d\d at \d\d:\d\d UTC\.\n$/,
    );
    assert.equal(
      service.sent.map(({ subject }) => subject),
      ['The three agent (No. 3)'],
    );
  }));

test('after a restore without the record of what was sent, nobody gets an email again', () =>
  onlineCatalog(async ({ folder, service, announce }) => {
    assert.is((await announce()).code, 0);
    const data = join(folder, 'data');
    const journal = join(data, 'announcements');
    assert.ok(existsSync(journal));
    rmSync(journal, { recursive: true });
    addReaders(data, [addressOf(1)]);
    for (const args of [[], ['--dry-run']]) {
      const refused = await announce(args);
      assert.is(refused.code, 1);
      assert.match(
        refused.stderr,
        `Nothing was sent. ${join(data, 'signups.jsonl')} exists, but ${journal} has no record of what was sent before. ` +
          'Restore it from a backup, or run `npx --no daily-agent-catalog announce --first-time` once',
      );
    }
    assert.is(service.sent.length, 1);
    // The service knows the draft of the first run, and an editor who means it is believed.
    assert.is((await announce(['--first-time'])).code, 0);
    assert.is((await announce()).code, 0);
    assert.is(service.sent.length, 1);
    // Votes that were rotated away show it too, and an empty folder is no journal.
    rmSync(journal, { recursive: true });
    mkdirSync(journal);
    rmSync(join(data, 'signups.jsonl'));
    writeFiles(data, { 'votes.jsonl': '', 'votes.jsonl-20261101': 'a vote\n' });
    assert.match((await announce()).stderr, `votes.jsonl-20261101 exists, but ${journal} has no record`);
  }));

test('of several servers with one database, one sends, and nobody gets an email again that one server had sent before', async () => {
  const postgres = await startPostgres();
  try {
    const DATABASE_URL = await postgres.database();
    await onlineCatalog(async ({ service, announce }) => {
      const told = [];
      for (const data of ['a', 'b']) told.push((await announce(['--data', data], { DATABASE_URL })).stderr);
      assert.match(told[1] ?? '', /^Nothing to do: No\. 3, .* was announced/);
      assert.is(service.sent.length, 1);
    });
    await onlineCatalog(async ({ folder, announce }) => {
      const data = join(folder, 'imported');
      addReaders(data, [addressOf(1), addressOf(2)]);
      const copied = await catalog(['subscribers', 'import', '--data', data], { env: { DATABASE_URL } });
      assert.is(copied.code, 0, copied.stderr);
      const mail = {
        CATALOG_SIGNUPS: '',
        CATALOG_SMTP_URL: 'smtp://127.0.0.1:9',
        CATALOG_MAIL_FROM: 'a@press.example',
      };
      const env = {
        ...mail,
        CATALOG_MAIL_KEY: mailKey,
        DATABASE_URL,
        CATALOG_RUNTIME_URL: 'https://press.example/run',
      };
      const { stderr } = await announce(['--dry-run', '--weekly'], env);
      assert.match(stderr, 'to 2 confirmed subscribers of the list daily.');
    });
    await onlineCatalog(async ({ folder, service, announce }) => {
      // One server with files announced No. 3. Its subscribers move to an empty database.
      const env = { DATABASE_URL: await postgres.database() };
      const data = join(folder, 'data');
      assert.is((await announce()).code, 0);
      addReaders(data, [addressOf(1)]);
      const copies = () => catalog(['subscribers', 'import', '--data', data], { env });
      for (const copied of [await copies(), await copies()]) assert.is(copied.code, 0, copied.stderr);
      assert.match((await announce([], env)).stderr, /^Nothing to do: No\. 3, .* was announced/);
      // A database that was restored without the table.
      await execSql(env.DATABASE_URL, 'DELETE FROM catalog_announcements');
      const refused = await announce([], env);
      assert.is(refused.code, 1);
      assert.match(
        refused.stderr,
        'Nothing was sent. The database has votes or subscribers, but its table catalog_announcements has no record of what was sent before.',
      );
      assert.is(service.sent.length, 1);
      assert.is((await announce(['--first-time', '--dry-run'], env)).code, 0);
      assert.is((await announce([], env)).code, 0);
    });
  } finally {
    await postgres.stop();
  }
});

test('sends a digest of the newest agents once a week, besides the daily email', () =>
  onlineCatalog(async ({ service, announce }) => {
    for (const args of [['--weekly'], ['--weekly'], []]) assert.is((await announce(args)).code, 0);
    assert.equal(
      service.sent.map(({ subject }) => subject),
      ['Small Catalog: 3 agents of the week', 'The three agent (No. 3)'],
    );
    for (const { title } of agents.map(({ slug }) => ({ title: `The ${slug} agent` }))) {
      assert.match(service.sent[0]?.html ?? '', title);
    }
    assert.match(JSON.stringify(service.asked.map(({ body }) => body?.metadata)), ':weekly:2026-W47"');
  }));

test('prints its result as JSON, also a refusal', () =>
  onlineCatalog(async ({ announce }) => {
    const { outcome, key } = JSON.parse((await announce(['--json'])).stdout);
    assert.equal([outcome, key], ['sent', 'catalog:tag:press.example,2026:catalog:daily:2026-11-20']);
    assert.is(JSON.parse((await announce(['--json'])).stdout).outcome, 'announced-already');
    const refused = await announce(['--json', '--resolve', 'sent']);
    assert.is(refused.code, 1);
    assert.equal(JSON.parse(refused.stdout), {
      outcome: 'refused',
      message: 'No email of No. 3, “The three agent” has an unknown outcome.',
    });
  }));

test('a dry run on a full disk names the file that it cannot write', () =>
  onlineCatalog(async ({ folder, announce }) => {
    const { code, stderr } = await whileFull('daily-2026-11-20.html', () => announce(['--dry-run']));
    const file = join(folder, 'data/mail-preview/daily-2026-11-20.html');
    assert.equal([code, stderr], [1, `error: ${file} cannot be used: the disk is full (ENOSPC).\n`]);
  }));

test('a dry run writes the email to a folder, says what would happen, and changes nothing', () =>
  onlineCatalog(async ({ folder, service, announce }) => {
    const { code, stderr } = await announce(['--dry-run']);
    assert.is(code, 0, stderr);
    assert.match(
      stderr,
      /^Wrote data\/mail-preview\/daily-2026-11-20\.html and data\/mail-preview\/daily-2026-11-20\.txt\.\n/,
    );
    assert.match(stderr, /\nWould send No\. 3, “The three agent” with Buttondown to subscribers with the tag "daily"/);
    assert.match(readFileSync(join(folder, 'data/mail-preview/daily-2026-11-20.html'), 'utf8'), 'The three agent');
    assert.match(
      readFileSync(join(folder, 'data/mail-preview/daily-2026-11-20.txt'), 'utf8'),
      /^Subject: The three agent/,
    );
    assert.match(
      (await announce(['--dry-run', '--weekly'])).stderr,
      /^Wrote data\/mail-preview\/weekly-2026-W47\.html/,
    );
    assert.ok(service.asked.every(({ method }) => method === 'GET'));
    assert.is(existsSync(join(folder, 'data/announcements')), false);
    await announce();
    assert.match((await announce(['--dry-run'])).stderr, 'Nothing to do: No. 3');
    // A machine without a journal asks the service.
    rmSync(join(folder, 'data/announcements'), { recursive: true });
    assert.match(
      (await announce(['--dry-run'])).stderr,
      'Nothing to do: No. 3, “The three agent” was announced before.',
    );
  }));

test('a dry run before a sender is set up writes the email, and says what is missing', () =>
  onlineCatalog(async ({ folder, announce }) => {
    const { code, stderr } = await announce(['--dry-run'], { CATALOG_SIGNUPS: '' });
    assert.is(code, 2);
    assert.match(
      stderr,
      /^Wrote data\/mail-preview\/daily-2026-11-20\.html and .*\.\nerror: CATALOG_SMTP_URL is missing/,
    );
    assert.match(readFileSync(join(folder, 'data/mail-preview/daily-2026-11-20.html'), 'utf8'), 'The three agent');
  }));

test('after an interrupted run, a dry run says how many emails are left, and a person settles the unknown one by its Message-ID', () =>
  onlineCatalog(
    async ({ folder, service, announce }) => {
      const claim = await journalIn(join(folder, 'data')).claim(
        'catalog:tag:press.example,2026:catalog:daily:2026-11-20',
      );
      const ann = 'ann=b@example.com';
      addReaders(join(folder, 'data'), [ann]);
      await claim.append({ type: 'recipients', ids: ['a', idOf(ann), 'c', 'd'] });
      await claim.append({ type: 'delivery', id: 'a', state: 'accepted' });
      await claim.append({ type: 'delivery', id: idOf(ann), state: 'sending' });
      await claim.append({ type: 'delivery', id: 'c', state: 'deferred' });
      await claim.release();
      const smtp = { CATALOG_SMTP_URL: 'smtp://127.0.0.1:9', CATALOG_MAIL_FROM: 'daily@press.example' };
      const { stderr } = await announce(['--dry-run'], { CATALOG_SIGNUPS: '', CATALOG_MAIL_KEY: mailKey, ...smtp });
      assert.match(
        stderr,
        /^Would continue No\. 3, .*, which an earlier run began\. Not sent yet: 2 of 4 emails\. Perhaps sent, so not repeated: 1\.$/m,
      );
      const { stdout: listed } = await announce(['--uncertain'], smtp);
      assert.match(
        listed,
        /^1 email of No\. 3, .* unknown outcome:\nann=b@example\.com {2}[0-9a-f]{32}@press\.example\n$/,
      );
      const { emails } = JSON.parse((await announce(['--uncertain', '--json'], smtp)).stdout);
      assert.is(emails[0].recipient, ann);
      // What only shows an email must not send or store anything.
      for (const other of [['--resolve', 'unsent'], ['--test', 'ann@readers.example'], ['--uncertain']]) {
        const { code, stderr } = await announce(['--dry-run', ...other], smtp);
        assert.equal([code, /only one of (?:\S+ and )*--dry-run/.test(stderr)], [2, true], stderr);
      }
      assert.match((await announce(['--resolve', `${ann}=maybe`])).stderr, 'It has to be sent, unsent, <address>=sent');
      const { stderr: settled } = await announce(['--resolve', `${emails[0].messageId}=unsent`]);
      assert.match(settled, /^1 email of No\. 3, .* will be sent by the next run\.\n$/);
      // The service would send it to everyone, also to those who got it over SMTP.
      for (const args of [[], ['--dry-run']]) {
        const changed = await announce(args);
        assert.equal([changed.code, service.sent.length], [1, 0], changed.stderr);
        assert.match(changed.stderr, 'An earlier run began to send No. 3, “The three agent” with another service, so');
      }
      // But a mail server that accepted no email may be why the service was changed.
      const digest = await journalIn(join(folder, 'data')).claim(
        'catalog:tag:press.example,2026:catalog:weekly:2026-W47',
      );
      await digest.append({ type: 'recipients', ids: ['a', 'b'] });
      await digest.append({ type: 'delivery', id: 'a', state: 'deferred' });
      await digest.append({ type: 'sending' });
      await digest.release();
      assert.match((await announce(['--weekly', '--resolve', 'unsent'])).stderr, 'will be sent by the next run.');
      assert.match((await announce(['--weekly', '--dry-run'])).stderr, 'Would send the digest of week 2026-W47 with');
      const sent = await announce(['--weekly']);
      assert.equal([sent.code, service.sent.length], [0, 1], sent.stderr);
    },
    { postalAddress, runtimeUrl: 'https://press.example' },
  ));

test('a test goes to one address, with a mark in the subject, and changes nothing', () =>
  onlineCatalog(async ({ folder, service, announce }) => {
    const { code, stderr } = await announce(['--test', 'me@press.example']);
    assert.is(code, 0, stderr);
    assert.equal(
      service.tests.map(({ address, subject }) => [address, subject]),
      [['me@press.example', '[Test] The three agent (No. 3)']],
    );
    assert.is(existsSync(join(folder, 'data')), false);
    await announce();
    assert.is(service.sent.length, 1);
  }));

test('an agent more than 36 hours old is nothing new, unless --late is given; neither is an empty catalog', () =>
  onlineCatalog(async ({ folder, service, announce }) => {
    const old = await announce(['--today', '2026-11-22']);
    assert.is(old.code, 0);
    assert.match(
      old.stderr,
      /^Nothing is new: the newest agent is from 2026-11-20, and No\. 3.* was not announced\. .* --late\.\n$/,
    );
    assert.is(service.sent.length, 0);
    assert.is((await announce(['--today', '2026-11-22', '--late'])).code, 0);
    assert.is(service.sent.length, 1);
    assert.match((await announce(['--today', '2026-11-01'])).stderr, 'Nothing was ever published.');
    assert.equal(readdirSync(join(folder, 'data/announcements')).length, 1);
  }));

test('a schedule waits for the hour of the settings, but not on the day after', () =>
  onlineCatalog(
    async ({ service, announce }) => {
      const at = (time: string) => atShiftedTime(Date.parse(time) - Date.now(), () => announce(['--scheduled']));
      const early = await at('2026-11-20T11:59:00Z');
      assert.equal(
        [early.code, early.stderr],
        [0, 'Nothing to do yet: No. 3 is sent from 13:00 on (announceHour, Europe/Berlin).\n'],
      );
      assert.is(service.sent.length, 0);
      const after = await at('2026-11-20T23:01:00Z');
      assert.equal([after.code, service.sent.length], [0, 1], after.stderr);
    },
    { postalAddress, announceHour: 13, timezone: 'Europe/Berlin' },
  ));

test('a send whose outcome is unknown is an error, until a person says that it was sent', () =>
  onlineCatalog(async ({ service, announce }) => {
    service.fault = ({ path }) => (path.endsWith('/publish') ? 'lost before' : null);
    const unknown = await announce();
    assert.is(unknown.code, 1);
    assert.match(
      unknown.stderr,
      /^Whether Buttondown sent the email is not known: .* Look at em_1 there\. In the workflow, send or delete it;/,
    );
    service.fault = () => null;
    const listed = await announce(['--uncertain']);
    assert.is(listed.stdout, 'Whether the provider sent No. 3, “The three agent” is not known. Look at em_1 there.\n');
    assert.match(
      (await announce(['--resolve', 'em_1=sent'])).stderr,
      'sends No. 3, “The three agent” to all readers at once: use --resolve sent or --resolve unsent.',
    );
    assert.match((await announce(['--resolve', 'sent'])).stderr, /^No\. 3, .* will not be sent again\.\n$/);
    assert.is((await announce()).code, 0);
    assert.is(service.sent.length, 0);
  }));

test.run();
