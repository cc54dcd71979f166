import type { SMTPServerOptions } from 'smtp-server';
import { openSender, type SenderOptions } from '../../../src/mail/senders.ts';
import { inFolder } from '../catalog.ts';
import { type Mailbox, startMailbox } from '../mailbox.ts';
import { journalIn, smallSubject } from './announcing.ts';
import { addReaders, mailKey } from './readers.ts';

/** Announcements to confirmed readers in a file, over a real SMTP server. */

/** The numbers from 1 to `count`. */
export const numbers = (count: number) => Array.from({ length: count }, (_, at) => at + 1);
export interface Place {
  data: string;
  mailbox: Mailbox;
  send(
    subject?: ReturnType<typeof smallSubject>,
    more?: Partial<SenderOptions>,
  ): Promise<{ outcome: string; message: string; deliveries?: object }>;
}

/** Runs `use` with a data folder of subscribers, and a server that `server` may change. */
export async function withReaders(
  addresses: readonly string[],
  use: (place: Place) => Promise<void>,
  server: SMTPServerOptions = {},
): Promise<void> {
  const mailbox = await startMailbox(server);
  try {
    await inFolder(async (data) => {
      addReaders(data, addresses);
      const environment = {
        ...{ CATALOG_SMTP_URL: mailbox.url, CATALOG_MAIL_FROM: 'Daily <daily@press.example>' },
        ...{ CATALOG_MAIL_KEY: mailKey, CATALOG_MAIL_RATE: '100000' },
      };
      const now = () => new Date('2026-11-20T08:00:00Z');
      const send: Place['send'] = async (subject = smallSubject(), more = {}) => {
        const site = { baseUrl: 'https://press.example', runtimeUrl: 'https://press.example/run' };
        const options = {
          list: 'daily' as const,
          site,
          data,
          now,
          ...more,
          environment: { ...environment, ...more.environment },
        };
        const { sender, close } = await openSender(options);
        const claim = await journalIn(data, now).claim(subject.key);
        try {
          return await sender.send(subject, claim);
        } finally {
          await claim.release();
          close();
        }
      };
      await use({ data, mailbox, send });
    });
  } finally {
    mailbox.drop();
    await mailbox.close();
  }
}

/** Who got emails, sorted. */
export const recipientsOf = ({ mails }: Mailbox) => mails.map(({ recipient }) => recipient).sort();
/** An error with which the server refuses something. */
export const refuse = (responseCode: number, text: string) => Object.assign(new Error(text), { responseCode });
