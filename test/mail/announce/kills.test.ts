import { spawn } from 'node:child_process';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import { SMTPServer } from 'smtp-server';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { fileSubscriptions } from '../../../src/mail/subscribers-file.ts';
import { inFolder } from '../../support/catalog.ts';
import { announcementOf, journalIn, postalAddress, smallSubject } from '../../support/mail/announcing.ts';
import { onlineCatalog } from '../../support/mail/online-catalog.ts';
import { addReaders, addressOf, idOf, mailKey } from '../../support/mail/readers.ts';
import { bin, inherited } from '../../support/process.ts';

/**
 * Sends to 250 readers whose process is killed again and again: nobody gets two emails, and anyone who got none is reported.
 * CATALOG_KILLS sets how often it is killed.
 */

const kills = Number(process.env.CATALOG_KILLS ?? 8);
const readers = Array.from({ length: 250 }, (_, at) => addressOf(at + 1));

/** Numbers from 0 up to, but not including, 1, always the same ones (mulberry32). */
function randomFrom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

/** An SMTP server that counts the mails it accepted by address, and calls `onMoment` at each step of a mail. */
async function startServer(onMoment: () => void) {
  const accepted = new Map<string, number>();
  const moment = (_what: unknown, _session: unknown, done: () => void) => {
    onMoment();
    done();
  };
  const server = new SMTPServer({
    ...{ authOptional: true, disabledCommands: ['STARTTLS', 'AUTH'], disableReverseLookup: true },
    ...{ onMailFrom: moment, onRcptTo: moment },
    onData(stream, { envelope }, done) {
      onMoment();
      stream.resume().on('end', () => {
        onMoment();
        for (const { address } of envelope.rcptTo) accepted.set(address, (accepted.get(address) ?? 0) + 1);
        done();
        onMoment();
      });
    },
  });
  server.on('error', () => {});
  const listening = server.listen(0, '127.0.0.1');
  await once(listening, 'listening');
  return { accepted, server, port: String((listening.address() as AddressInfo).port) };
}

test(`a send to ${readers.length} readers that is killed, ${kills} times in all, mails nobody twice and reports everyone who got none`, () =>
  inFolder(async (folder) => {
    const child = join(folder, 'send.mjs');
    await build({
      entryPoints: [fileURLToPath(new URL('../../support/mail/send-child.ts', import.meta.url))],
      ...{ bundle: true, platform: 'node', format: 'esm', outfile: child, logLevel: 'error' },
      banner: { js: "import { createRequire } from 'node:module'; const require = createRequire(import.meta.url);" },
    });
    const random = randomFrom(20_261_122);
    let moments = Number.POSITIVE_INFINITY;
    let kill = () => {};
    const { server, accepted, port } = await startServer(() => {
      moments -= 1;
      if (moments === 0) kill();
    });
    try {
      let [killed, asked] = [0, 0];
      for (let round = 0; killed < kills; round += 1) {
        const data = join(folder, String(round));
        addReaders(data, readers);
        accepted.clear();
        const before = killed;
        const key = `catalog:tag:press.example,2026:catalog:daily:2026-11-${round + 1}`;
        for (let output = ''; output === ''; ) {
          // At most 120 steps, or writes, into the run: some 25 mails.
          const at = killed < kills ? 1 + Math.floor(random() * 120) : Number.POSITIVE_INFINITY;
          const byDisk = killed < kills && random() < 0.5;
          const environment = byDisk ? { KILL_AT: String(at), ...(random() < 0.5 ? { AFTER: '1' } : {}) } : {};
          moments = byDisk ? Number.POSITIVE_INFINITY : at;
          const sending = spawn(process.execPath, [child, data, port, key], {
            env: { ...process.env, ...environment },
            stdio: ['ignore', 'pipe', 'inherit'],
          });
          kill = () => sending.kill('SIGKILL');
          sending.stdout.setEncoding('utf8').on('data', (text) => {
            output += text;
          });
          const [code, signal] = await once(sending, 'close');
          if (signal === 'SIGKILL') killed += 1;
          else assert.is(code, 0);
          if (output === '') continue;
          const { outcome, uncertain } = JSON.parse(output) as { outcome: string; uncertain: string[] };
          assert.is(outcome, uncertain.length > 0 ? 'uncertain' : 'sent');
          const twice = [...accepted].filter(([, count]) => count > 1);
          assert.equal(twice, []);
          const missed = readers.filter((address) => !accepted.has(address));
          const unreported = missed.filter((address) => !uncertain.includes(idOf(address)));
          assert.equal(unreported, []);
          const most = killed - before;
          assert.ok(uncertain.length <= most, `${uncertain.length} uncertain after ${most} kills`);
          asked += uncertain.length;
          // Each is settled separately, by its address, as the log of the mail server says.
          const plan = announcementOf({ ...smallSubject(), key });
          const [journal, subscriptions] = [journalIn(data), fileSubscriptions(join(data, 'signups.jsonl'))];
          for (const { recipient } of await plan.uncertainMails(journal, subscriptions))
            await plan.resolve(journal, [{ mail: recipient, sent: accepted.has(recipient ?? '') }], subscriptions);
          output = '';
          const last = spawn(process.execPath, [child, data, port, key], { stdio: ['ignore', 'pipe', 'inherit'] });
          last.stdout.setEncoding('utf8').on('data', (text) => {
            output += text;
          });
          await once(last, 'close');
          assert.is(JSON.parse(output).outcome, 'sent');
          assert.equal([...accepted].sort(), readers.map((address) => [address, 1]).sort());
        }
      }
      assert.ok(killed >= kills);
      if (process.env.CATALOG_KILLS !== undefined) console.log(`${killed} kills, ${asked} uncertain emails`);
    } finally {
      await new Promise<void>((closed) => server.close(() => closed()));
    }
  }));

for (const signal of ['SIGTERM', 'SIGINT'] as const) {
  test(`a send that gets ${signal} ends with the emails in progress, and the next run sends the rest`, () =>
    onlineCatalog(
      async ({ folder, announce }) => {
        const few = readers.slice(0, 60);
        addReaders(join(folder, 'data'), few);
        let stop = () => {};
        const { server, accepted, port } = await startServer(() => stop());
        const env = {
          ...{ CATALOG_SIGNUPS: 'file', CATALOG_MAIL_KEY: mailKey, CATALOG_MAIL_RATE: '100000' },
          ...{ CATALOG_SMTP_URL: `smtp://127.0.0.1:${port}`, CATALOG_MAIL_FROM: 'daily@press.example' },
        };
        try {
          const args = [bin, 'announce', '--first-time', '--today', '2026-11-20', '--format', 'json'];
          const sending = spawn(process.execPath, args, { cwd: folder, env: inherited(env) });
          stop = () => {
            stop = () => {};
            sending.kill(signal);
          };
          let output = '';
          sending.stdout.setEncoding('utf8').on('data', (text) => {
            output += text;
          });
          assert.is((await once(sending, 'close'))[0], 1);
          const { outcome, deliveries } = JSON.parse(output);
          assert.equal([outcome, deliveries.sending, deliveries.accepted], ['incomplete', 0, accepted.size]);
          assert.ok(accepted.size < few.length);
          const rest = await announce([], env);
          assert.is(rest.code, 0, rest.stderr);
          assert.equal([...accepted].sort(), few.map((address) => [address, 1]).sort());
        } finally {
          await new Promise<void>((closed) => server.close(() => closed()));
        }
      },
      { postalAddress, runtimeUrl: 'https://press.example' },
    ));
}

test.run();
