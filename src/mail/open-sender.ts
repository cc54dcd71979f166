import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { OperationError, UsageError } from '../lib/errors.ts';
import type { Settings } from '../schema/settings.ts';
import { campaignSender, type Sender, type ServiceTools } from './campaign.ts';
import { openMailKey, requireMailKey } from './consent.ts';
import { type ListName, pauseFor, type SubscriptionRecords } from './provider.ts';
import { buttondown } from './providers/buttondown.ts';
import { listmonk } from './providers/listmonk.ts';
import { resend } from './providers/resend.ts';
import { smtpSender } from './providers/smtp.ts';
import { webhook } from './providers/webhook.ts';
import { parseSubscriberSettings, type SubscriberSettings } from './settings.ts';
import { openSmtp, parseSmtpSettings, type SmtpSettings } from './smtp.ts';
import { fileRecords } from './subscribers-file.ts';

/** How announcements are sent. Contains keys and passwords, so do not log it. */
export type AnnounceSettings =
  | Extract<SubscriberSettings, { provider: 'buttondown' }>
  | (Extract<SubscriberSettings, { provider: 'resend' }> & { from: string })
  | (Extract<SubscriberSettings, { provider: 'listmonk' }> & { templateId: number })
  | Extract<SubscriberSettings, { provider: 'webhook' }>
  | { provider: 'file'; smtp: SmtpSettings; rate: number };

/**
 * Reads how announcements are sent: by the service that stores the subscribers (CATALOG_SIGNUPS), or over SMTP if a file
 * does. Throws UsageError with every variable that is missing or wrong.
 */
export function parseAnnounceSettings(environment: NodeJS.ProcessEnv): AnnounceSettings {
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
      const rate = number('CATALOG_MAIL_RATE', '5', 'a number of emails in a second');
      if (smtp !== null) return { provider: 'file', smtp, rate };
      throw new UsageError(
        'CATALOG_SMTP_URL is missing; it has to be the mail server that sends to the subscribers in the file, such as smtps://user:password@host.',
      );
    }
  }
}

export interface SenderOptions {
  list: ListName;
  site: Pick<Settings, 'baseUrl' | 'runtimeUrl'>;
  /** Subscribers that are not in a file. */
  records?: SubscriptionRecords | undefined;
  /** The data folder. */
  data: string;
  environment: NodeJS.ProcessEnv;
  now(): Date;
  /** Stops before the next mail once it is aborted. */
  signal?: AbortSignal;
  onProgress?: (done: number, total: number) => void;
  calls?: ServiceTools;
  /** Pauses before the next mail, or before a service is asked again. @default node:timers/promises */
  wait?: (ms: number, signal?: AbortSignal) => Promise<unknown>;
}

/** Opens the sender in the settings. Throws OperationError if mails of the program itself could not be ended by readers. */
export async function openSender(
  settings: AnnounceSettings,
  options: SenderOptions,
): Promise<{ sender: Sender; close(): void }> {
  if (settings.provider === 'file') return openSmtpSender(settings, options);
  return { sender: serviceSender(settings, options), close: () => {} };
}

function serviceSender(
  settings: Exclude<AnnounceSettings, { provider: 'file' }>,
  { list, site, now, calls, signal, wait = pauseFor }: SenderOptions,
): Sender {
  const tools = { ...calls, now: () => now().getTime(), pause: wait, stop: signal };
  switch (settings.provider) {
    case 'buttondown':
      return campaignSender(buttondown(settings, list, tools), { now, wait });
    case 'resend':
      return campaignSender(resend(settings, { list, from: settings.from, home: `${site.baseUrl}/` }, tools), {
        now,
        wait,
      });
    case 'listmonk':
      return campaignSender(listmonk(settings, { list, templateId: settings.templateId }, tools), { now, wait });
    case 'webhook':
      return webhook(settings, tools);
  }
}

async function openSmtpSender(
  settings: Extract<AnnounceSettings, { provider: 'file' }>,
  { list, site, data, records, environment, now, signal, onProgress, wait = pauseFor }: SenderOptions,
): Promise<{ sender: Sender; close(): void }> {
  const { runtimeUrl } = site;
  if (runtimeUrl === null) {
    throw new OperationError(
      'Without a server (`runtimeUrl`), readers could not unsubscribe, so no email can be sent.',
    );
  }
  const { protocol, hostname } = new URL(runtimeUrl);
  if (protocol !== 'https:' && !/^(?:localhost|127(?:\.\d+){3}|\[::1\])$/.test(hostname)) {
    throw new OperationError(
      'The server (`runtimeUrl`) has no https address, which links to unsubscribe must have, so no email can be sent.',
    );
  }
  if (records !== undefined) requireMailKey(environment);
  const key = await openMailKey({ environment, folder: data, random: randomBytes });
  const pace = { maxConnections: 5, rateLimit: settings.rate, now: () => now().getTime(), wait };
  const smtp = openSmtp(settings.smtp, pace);
  const sender = smtpSender({
    ...{ smtp, key, list, runtimeUrl, now },
    records: records ?? fileRecords(join(data, 'signups.jsonl')),
    domain: settings.smtp.from.address.slice(settings.smtp.from.address.lastIndexOf('@') + 1),
    ...(signal === undefined ? {} : { signal }),
    ...(onProgress === undefined ? {} : { onProgress }),
  });
  return { sender, close: () => smtp.close() };
}
