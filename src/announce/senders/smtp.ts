import { createHash } from 'node:crypto';
import { OperationError } from '../../errors.ts';
import { type Smtp, SmtpFailed } from '../../mail/smtp.ts';
import { isActive, recipients } from '../../subscribers/consent.ts';
import { addressHash } from '../../subscribers/mail-key.ts';
import type { ListName, SubscriptionRecord, SubscriptionRecords } from '../../subscribers/provider.ts';
import { unsubscribeAddress } from '../../subscribers/tokens.ts';
import { type AnnouncementEvent, type Claim, isToSend } from '../journal.ts';
import { type Sender, type Sent, type Subject, withUnsubscribe } from './sender.ts';

export interface SmtpSenderTools {
  smtp: Smtp;
  records: Omit<SubscriptionRecords, 'mark'>;
  /** The key of links and pseudonyms (mail-key.ts). */
  key: Buffer;
  list: ListName;
  /** The address of the server that ends subscriptions. */
  runtimeUrl: string;
  /** The domain of the sender, for Message-ID and List-Id. */
  domain: string;
  now(): Date;
  /** How many mails may be under way at once. @default 5 */
  connections?: number;
  /** Stops before the next mail once it is aborted. */
  signal?: AbortSignal;
  onProgress?: (done: number, total: number) => void;
}

type Delivery = Extract<AnnouncementEvent, { type: 'delivery' }>['state'];

/** After this many failures in a row that are not about an address, the server is left alone until the next run. */
const mostFailures = 5;

/** An address that SMTP can carry, without quotes: one with a line break or a space could change the envelope. */
const plainAddress = /^[^\s\p{Cc}<>()[\],;:\\"@]+@[^\s\p{Cc}<>()[\],;:\\"@]+$/u;

/**
 * Sends a mail of its own to each confirmed subscriber of a list. What becomes of each mail is stored before and after it is
 * sent, so an interrupted run is continued, and a mail whose outcome is unknown is never repeated.
 */
export function smtpSender(tools: SmtpSenderTools): Sender {
  const { smtp, records, key, list, runtimeUrl, domain } = tools;

  const sendTo = ({ key: name, mail }: Subject, { id, email }: Pick<SubscriptionRecord, 'id' | 'email'>) => {
    const unsubscribe = unsubscribeAddress({ id, list }, { runtimeUrl, key });
    const { subject, html, text } = withUnsubscribe(mail, unsubscribe);
    // The same for the same mail, so that a mailbox can drop the second one.
    const hash = createHash('sha256').update(`${name}\0${id}`).digest('hex').slice(0, 32);
    const headers = { 'List-Id': `${list} <${list}.${domain}>` };
    return smtp.send({ to: email, subject, html, text, unsubscribe, messageId: `<${hash}@${domain}>`, headers });
  };

  return {
    name: 'SMTP',
    async audience() {
      const { length } = await recipients(list, { records, key });
      return `${length} confirmed ${length === 1 ? 'subscriber' : 'subscribers'} of the list ${list}`;
    },
    isSent: async () => false,
    async send(subject, claim) {
      if (claim.announcement.deliveries === null) {
        const ids = (await recipients(list, { records, key })).map(({ id }) => id);
        await claim.record({ type: 'recipients', ids });
      }
      const sent = summary(claim, await sendWaiting(subject, claim, sendTo, tools));
      if (sent.outcome === 'sent') await claim.record({ type: 'sent' });
      return sent;
    },
    async test(subject, address) {
      if (!plainAddress.test(address)) throw new OperationError('The address for the test is not valid.');
      await sendTo({ ...subject, key: `${subject.key}:test` }, { id: 'test', email: address }).catch((error) => {
        throw error instanceof SmtpFailed ? new OperationError(error.message, { cause: error }) : error;
      });
      return `The mail server accepted the email to ${address}. Its link to unsubscribe belongs to no subscriber.`;
    },
  };
}

/**
 * Sends all mails that were not sent yet, a few at once. Returns why the last one was not sent, or ''. Rejects if what became
 * of a mail cannot be stored.
 */
async function sendWaiting(
  subject: Subject,
  claim: Claim,
  sendTo: (subject: Subject, record: SubscriptionRecord) => Promise<void>,
  { records, key, now, connections = 5, signal, onProgress = () => {} }: SmtpSenderTools,
): Promise<string> {
  const all = [...(claim.announcement.deliveries ?? [])];
  const waiting = all.filter(([, state]) => isToSend(state)).map(([id]) => id);
  const suppressions = await records.suppressions();
  /** Addresses that were refused without a word that the address is the reason. */
  const doubtful: SubscriptionRecord[] = [];
  let accepts = false;
  let failures = 0;
  /** Why the last mail was not sent. */
  let reason = '';
  let done = all.length - waiting.length;

  async function deliver(record: SubscriptionRecord): Promise<Delivery> {
    if (!plainAddress.test(record.email)) return 'refused';
    await claim.record({ type: 'delivery', id: record.id, state: 'sending' });
    try {
      await sendTo(subject, record);
      failures = 0;
      accepts = true;
      return 'accepted';
    } catch (error) {
      if (!(error instanceof SmtpFailed)) throw error;
      const { outcome, aboutAddress, detail } = error;
      failures = aboutAddress ? 0 : failures + 1;
      if (outcome === 'unknown') return 'sending';
      if (outcome === 'refused' && /^5\.[12]\./.test(detail ?? '')) return 'refused';
      if (outcome === 'refused') doubtful.push(record);
      reason = `${error.message} `;
      return 'deferred';
    }
  }

  const suppress = ({ email }: SubscriptionRecord) => records.suppress(addressHash(email, key), now().toISOString());

  async function work(): Promise<void> {
    while (failures < mostFailures && !signal?.aborted) {
      const id = waiting.shift();
      if (id === undefined) return;
      // The reader may have left since the start.
      const [record] = await records.find({ id });
      const stays = record !== undefined && isActive(record, suppressions, key);
      const state = stays ? await deliver(record) : 'ended';
      if (state !== 'sending') await claim.record({ type: 'delivery', id, state });
      if (stays && state === 'refused') await suppress(record);
      done += 1;
      onProgress(done, all.length);
    }
  }

  const workers = await Promise.allSettled(Array.from({ length: connections }, work));
  for (const worker of workers) if (worker.status === 'rejected') throw worker.reason;
  // A server that refuses everyone, since it is set up wrongly, says nothing about the addresses.
  for (const record of accepts ? doubtful : []) {
    await claim.record({ type: 'delivery', id: record.id, state: 'refused' });
    await suppress(record);
  }
  return reason;
}

function summary({ announcement }: Claim, reason: string): Sent {
  const deliveries = { accepted: 0, waiting: 0, deferred: 0, sending: 0, refused: 0, ended: 0 };
  for (const state of announcement.deliveries?.values() ?? []) deliveries[state] += 1;
  const { accepted, waiting, deferred, sending, refused, ended } = deliveries;
  const total = announcement.deliveries?.size ?? 0;
  const lines = [`Accepted by the mail server: ${accepted} of ${total} emails.`];
  if (refused > 0) lines.push(`Refused permanently, and never mailed again: ${refused}.`);
  if (ended > 0) lines.push(`Unsubscribed meanwhile: ${ended}.`);
  if (waiting + deferred > 0)
    lines.push(`Not sent: ${waiting + deferred}. ${reason}To send them, run this command again.`);
  if (sending > 0) {
    lines.push(
      `Perhaps sent, so not repeated: ${sending}. The connection or this program ended before the answer. Check the log of the mail server, then run this command with --resolve sent or --resolve unsent.`,
    );
  }
  const outcome = sending > 0 ? 'uncertain' : waiting + deferred > 0 ? 'incomplete' : 'sent';
  return { outcome, message: lines.join(' '), deliveries };
}
