import * as fs from 'node:fs/promises';
import { join } from 'node:path';
import { announcementFiles } from '../../../src/mail/announcement-journal.ts';
import { MailKey } from '../../../src/mail/consent.ts';
import { smtpSender } from '../../../src/mail/senders.ts';
import { openSmtp } from '../../../src/mail/smtp.ts';
import { fileSubscriptions } from '../../../src/mail/subscribers-file.ts';
import type { Disk } from '../../../src/storage/disk.ts';
import { smallSubject } from './announcing-subject.ts';
import { mailKey } from './readers.ts';

/**
 * A process that sends an announcement, and prints the result as JSON. With KILL_AT, it kills itself right before or, if
 * AFTER is set, right after the write of that number.
 */

const [data = '', port = '', key = ''] = process.argv.slice(2);
const { KILL_AT, AFTER } = process.env;
let writes = 0;

const die = () => process.kill(process.pid, 'SIGKILL');

/** Like node:fs/promises, but counts what is written. */
const disk: Disk = {
  ...fs,
  async open(...given: Parameters<typeof fs.open>) {
    const handle = await fs.open(...given);
    const { write } = handle;
    handle.write = (async (...bytes: Parameters<typeof write>) => {
      writes += 1;
      const now = writes === Number(KILL_AT);
      if (now && AFTER === undefined) die();
      const done = await Reflect.apply(write, handle, bytes);
      if (now) die();
      return done;
    }) as typeof write;
    return handle;
  },
};

const now = () => new Date();
const smtp = openSmtp(
  { host: '127.0.0.1', port: Number(port), secure: false, from: { name: 'Daily', address: 'daily@press.example' } },
  { maxConnections: 5, rateLimit: 1_000_000 },
);
const sender = smtpSender({
  ...{ smtp, key: new MailKey(Buffer.from(mailKey)), list: 'daily', domain: 'press.example', now },
  runtimeUrl: 'https://press.example',
  subscriptions: fileSubscriptions(join(data, 'signups.jsonl')),
});
const claim = await announcementFiles(join(data, 'announcements'), { now, warn: () => {}, disk }).claim(key);
const result = await sender.send({ ...smallSubject(), key }, claim);
await claim.release();
smtp.close();
const uncertain = [...(claim.announcement.deliveries ?? [])].filter(([, state]) => state === 'sending');
process.stdout.write(JSON.stringify({ ...result, uncertain: uncertain.map(([id]) => id) }));
