import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { OperationError, UsageError } from '../lib/errors.ts';
import { sha256Of } from '../lib/files.ts';
import { inTurn } from '../lib/lazy.ts';
import { plural } from '../lib/text.ts';
import type { Settings } from '../schema/settings.ts';
import { type Claim, countDeliveries, type Delivery } from './announcement-journal.ts';
import { pauseFor } from './calls.ts';
import {
  type CampaignService,
  campaignSender,
  type Sender,
  type Sent,
  type ServiceTools,
  type Subject,
  withUnsubscribe,
} from './campaign.ts';
import { MailKey, recipients, requireMailKey } from './consent.ts';
import type { ListName, StoredSubscription, SubscriptionStore } from './provider.ts';
import { buttondown } from './providers/buttondown.ts';
import { listmonk } from './providers/listmonk.ts';
import { resend } from './providers/resend.ts';
import { webhook } from './providers/webhook.ts';
import { parseSmtpSettings } from './settings.ts';
import { openSmtp, type Smtp, SmtpFailed } from './smtp.ts';
import { parseSubscriberSettings } from './subscribers.ts';
import { fileSubscriptions } from './subscribers-file.ts';

/** How announcements are sent. Contains keys and passwords, so do not log it. */
type AnnounceSettings = ReturnType<typeof parseAnnounceSettings>;

/**
 * Reads how announcements are sent: by the service that stores the subscribers (CATALOG_SIGNUPS), or over SMTP if a file
 * does. Throws UsageError with every variable that is missing or wrong.
 */
export function parseAnnounceSettings(environment: NodeJS.ProcessEnv) {
  const subscribers = parseSubscriberSettings(undefined, environment);
  const value = (name: string) => environment[name]?.trim() || undefined;
  const number = (name: string, fallback: string | undefined, rule: string) => {
    const text = value(name) ?? fallback;
    if (text !== undefined && /^[1-9]\d{0,5}$/.test(text)) return Number(text);
    throw new UsageError(
      `${name} ${text === undefined ? 'is missing' : `is ${JSON.stringify(text)}`}; it has to be ${rule}.`,
    );
  };
  switch (subscribers.provider) {
    case 'buttondown':
      return subscribers;
    case 'resend': {
      const from = value('CATALOG_MAIL_FROM');
      if (from !== undefined && /^[^\p{Cc}]{3,320}$/u.test(from) && from.includes('@')) return { ...subscribers, from };
      throw new UsageError(
        'CATALOG_MAIL_FROM has to be a sender such as Daily Agents <daily@example.com>, on one line.',
      );
    }
    case 'listmonk':
      return { ...subscribers, templateId: number('CATALOG_MAIL_TEMPLATE', undefined, 'the number of a template') };
    case 'webhook': {
      const url = value('CATALOG_ANNOUNCE_URL') ?? '';
      if (URL.canParse(url) && /^https?:$/.test(new URL(url).protocol)) return { ...subscribers, url };
      throw new UsageError(
        'CATALOG_ANNOUNCE_URL has to be the address that receives announcements, starting with https:// or http://.',
      );
    }
    case 'file': {
      const smtp = parseSmtpSettings(environment);
      const rate = number('CATALOG_MAIL_RATE', '5', 'a whole number of emails in a second, from 1 on');
      if (smtp !== null) return { provider: subscribers.provider, smtp, rate };
      throw new UsageError(
        'CATALOG_SMTP_URL is missing; it has to be the mail server that sends the emails, such as smtps://user:password@host.',
      );
    }
  }
}

export interface SenderOptions {
  list: ListName;
  site: Pick<Settings, 'baseUrl' | 'runtimeUrl'>;
  /** Subscribers that are not in a file. */
  subscriptions?: SubscriptionStore | undefined;
  /** The data folder. */
  data: string;
  environment: NodeJS.ProcessEnv;
  now(): Date;
  /** Stops before the next email once it is aborted. */
  signal?: AbortSignal | undefined;
  onProgress?: ((done: number, total: number) => void) | undefined;
  calls?: ServiceTools;
  /** Pauses before the next email, or before a service is asked again. @default node:timers/promises */
  wait?: (ms: number, signal?: AbortSignal) => Promise<unknown>;
}

/**
 * Opens the sender that the environment sets up. Throws UsageError if its settings are wrong, and OperationError if readers could
 * not end emails of the program itself.
 */
export async function openSender(options: SenderOptions) {
  const settings = parseAnnounceSettings(options.environment);
  if (settings.provider === 'file') return openSmtpSender(settings, options);
  return { sender: serviceSender(settings, options), close: () => {} };
}

function serviceSender(
  settings: Exclude<AnnounceSettings, { provider: 'file' }>,
  { list, site, now, calls, signal, wait = pauseFor }: SenderOptions,
): Sender {
  const tools = { ...calls, now: () => now().getTime(), pause: wait, stop: signal };
  const campaigns = (service: CampaignService) => campaignSender(service, { now, wait });
  switch (settings.provider) {
    case 'buttondown':
      return campaigns(buttondown.campaigns(settings, list, tools));
    case 'resend':
      return campaigns(resend.campaigns(settings, { list, from: settings.from, home: `${site.baseUrl}/` }, tools));
    case 'listmonk':
      return campaigns(listmonk.campaigns(settings, { list, templateId: settings.templateId }, tools));
    case 'webhook':
      return webhook.sender(settings, tools);
  }
}

async function openSmtpSender(
  settings: Extract<AnnounceSettings, { provider: 'file' }>,
  { list, site, data, subscriptions, environment, now, signal, onProgress, wait = pauseFor }: SenderOptions,
) {
  const { runtimeUrl } = site;
  if (runtimeUrl === null) {
    throw new OperationError(
      'Without a server (`runtimeUrl`), readers could not unsubscribe, so no email can be sent. Set `runtimeUrl` in catalog.config.json, or CATALOG_RUNTIME_URL, to the address of the server.',
    );
  }
  const { protocol, hostname } = new URL(runtimeUrl);
  if (protocol !== 'https:' && !/^(?:localhost|127(?:\.\d+){3}|\[::1\])$/.test(hostname)) {
    throw new OperationError(
      'The server (`runtimeUrl`) has no https address, which links to unsubscribe must have, so no email can be sent. Set `runtimeUrl` in catalog.config.json, or CATALOG_RUNTIME_URL, to an https address.',
    );
  }
  const ofFile = fileSubscriptions(join(data, 'signups.jsonl'));
  if (subscriptions !== undefined) requireMailKey(environment);
  else await ofFile.check();
  const key = await MailKey.open({ environment, folder: data, random: randomBytes });
  const smtp = openSmtp(settings.smtp, { maxConnections: mostAtOnce, rateLimit: settings.rate, wait });
  const sender = smtpSender({
    ...{ smtp, key, list, runtimeUrl, now, signal, onProgress },
    subscriptions: subscriptions ?? ofFile,
    domain: settings.smtp.from.address.slice(settings.smtp.from.address.lastIndexOf('@') + 1),
  });
  return { sender, close: () => smtp.close() };
}

interface SmtpSenderTools extends Pick<SenderOptions, 'list' | 'now' | 'signal' | 'onProgress'> {
  smtp: Smtp;
  subscriptions: Omit<SubscriptionStore, 'mark'>;
  key: MailKey;
  /** The address of the server that ends subscriptions. */
  runtimeUrl: string;
  /** The domain of the sender, for Message-ID and List-Id. */
  domain: string;
}

type SendTo = (
  subject: Subject,
  recipient: Pick<StoredSubscription, 'id' | 'email'>,
  beforeEnd?: () => Promise<void>,
) => Promise<void>;

/** How many emails may be in progress at once. */
const mostAtOnce = 5;

/** After this many failures in a row that are not about an address, the server is left alone until the next run. */
const mostFailures = 5;

/** An address that SMTP can carry, without quotes: one with a line break or a space could change the envelope. */
const plainAddress = /^[^\s\p{Cc}<>()[\],;:\\"@]+@[^\s\p{Cc}<>()[\],;:\\"@]+$/u;

/**
 * Sends an email of its own to each confirmed subscriber of a list. The outcome of each email is stored before and after it is
 * sent, so an interrupted run is continued, and an email whose outcome is unknown is never repeated.
 */
export function smtpSender(tools: SmtpSenderTools): Sender {
  const { smtp, subscriptions, key, list, runtimeUrl, domain } = tools;

  const sendTo: SendTo = ({ key: name, mail }, { id, email }, beforeEnd) => {
    const unsubscribe = key.unsubscribeAddress({ id, list }, runtimeUrl);
    const { subject, html, text } = withUnsubscribe(mail, unsubscribe);
    const headers = { 'List-Id': `${list} <${list}.${domain}>` };
    const messageId = `<${messageHash(name, id)}@${domain}>`;
    return smtp.send({ to: email, subject, html, text, unsubscribe, messageId, headers }, beforeEnd);
  };

  return {
    name: 'SMTP',
    async audience() {
      const { length } = await recipients(list, { subscriptions, key });
      return `${plural(length, 'confirmed subscriber')} of the list ${list}`;
    },
    isSent: async () => false,
    async send(subject, claim) {
      if (claim.announcement.deliveries === null) {
        const ids = (await recipients(list, { subscriptions, key })).map(({ id }) => id);
        await claim.append({ type: 'recipients', ids });
      }
      const sent = summary(claim, await sendWaiting(subject, claim, sendTo, tools));
      if (sent.outcome === 'sent') await claim.append({ type: 'sent' });
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

/** The part of a Message-ID before the @. It is the same for the same email, so that a mailbox can drop the second one. */
export function messageHash(announcement: string, id: string): string {
  return sha256Of(`${announcement}\0${id}`).slice(0, 32);
}

/**
 * Sends all emails that were not sent yet, a few at once. Returns why the last one was not sent, or ''. Rejects if what became
 * of an email cannot be stored.
 */
async function sendWaiting(
  subject: Subject,
  claim: Claim,
  sendTo: SendTo,
  { subscriptions, key, now, signal, onProgress = () => {} }: SmtpSenderTools,
): Promise<string> {
  const all = [...(claim.announcement.deliveries ?? [])];
  // Those that failed come last, so that they never keep the others from being sent.
  const waiting = ['waiting', 'deferred'].flatMap((state) => all.filter((delivery) => delivery[1] === state));
  const suppressions = await subscriptions.suppressions();
  /** Addresses that do not exist, as the server says. */
  const refused: StoredSubscription[] = [];
  let failures = 0;
  /** Why the last email was not sent. */
  let reason = '';
  let done = all.length - waiting.length;
  const oneAtATime = inTurn();

  const mark = (id: string, state: Exclude<Delivery, 'waiting'>) => claim.append({ type: 'delivery', id, state });

  /** Returns the reader with a subscription; undefined if they have left since the start. */
  async function readerOf(id: string): Promise<StoredSubscription | undefined> {
    return (await subscriptions.find({ id })).find((reader) => key.isActive(reader, suppressions));
  }

  /** Waits for a turn, which one email has at a time. Returns what ends it. */
  const takeTurn = () => new Promise<() => void>((begin) => void oneAtATime(() => new Promise<void>(begin)));

  /**
   * Sends an email. That it is being sent is stored right before the end of its text, for one email at a time: so only that one
   * has an unknown outcome if this process is killed. A slow server may take a minute until then, in which the reader may leave.
   */
  async function deliver(reader: StoredSubscription): Promise<void> {
    const { id } = reader;
    if (!plainAddress.test(reader.email)) return refuse(reader);
    let isOver = false;
    let lookup: ReturnType<typeof readerOf> | undefined;
    let endTurn = () => {};
    try {
      await sendTo(subject, reader, async () => {
        const end = await takeTurn();
        // The connection may have broken meanwhile.
        if (isOver) return end();
        endTurn = end;
        lookup = readerOf(id);
        if ((await lookup) === undefined) throw new Error('The reader has left.');
        await mark(id, 'sending');
      });
      failures = 0;
      await mark(id, 'accepted');
    } catch (error) {
      if (!(error instanceof SmtpFailed)) throw error;
      // Rejects if the reader could not be looked up, which is no failure of the mail server.
      if (lookup !== undefined && (await lookup) === undefined) return await mark(id, 'ended');
      failures = error.aboutAddress ? 0 : failures + 1;
      if (error.outcome === 'unknown') return;
      if (error.outcome === 'refused') refused.push(reader);
      reason = `${error.message} `;
      await mark(id, 'deferred');
    } finally {
      isOver = true;
      endTurn();
    }
  }

  async function refuse({ id, email, confirmed = '' }: StoredSubscription): Promise<void> {
    await mark(id, 'refused');
    const time = now().toISOString();
    // The clock may have gone back since the reader confirmed.
    await subscriptions.suppress(key.addressHash(email), time > confirmed ? time : confirmed);
  }

  async function work(): Promise<void> {
    while (failures < mostFailures && !signal?.aborted) {
      const [id] = waiting.shift() ?? [];
      if (id === undefined) return;
      const reader = await readerOf(id);
      await (reader === undefined ? mark(id, 'ended') : deliver(reader));
      done += 1;
      onProgress(done, all.length);
    }
  }

  const workers = await Promise.allSettled(Array.from({ length: mostAtOnce }, work));
  for (const worker of workers) if (worker.status === 'rejected') throw worker.reason;
  // A server that refuses everyone, since it is set up wrongly, says nothing about the addresses.
  if (countDeliveries(claim.announcement).accepted > 0) for (const reader of refused) await refuse(reader);
  return reason;
}

function summary({ announcement }: Claim, reason: string): Sent {
  const deliveries = countDeliveries(announcement);
  const { accepted, waiting, deferred, sending, refused, ended } = deliveries;
  const lines = [`Accepted by the mail server: ${accepted} of ${plural(announcement.deliveries?.size ?? 0, 'email')}.`];
  if (refused > 0) lines.push(`Refused permanently, and never mailed again: ${refused}.`);
  if (ended > 0) lines.push(`Unsubscribed meanwhile: ${ended}.`);
  if (waiting + deferred > 0)
    lines.push(`Not sent: ${waiting + deferred}. ${reason}To send them, run this command again.`);
  if (sending > 0) {
    lines.push(
      `Perhaps sent, so not repeated: ${sending}. The connection or this program ended before the answer. List them with --uncertain, look for them in the log of the mail server, and say what you found with --resolve.`,
    );
  }
  const outcome = sending > 0 ? 'uncertain' : waiting + deferred > 0 ? 'incomplete' : 'sent';
  return { outcome, message: lines.join(' '), deliveries };
}
