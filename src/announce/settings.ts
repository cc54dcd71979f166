import { UsageError } from '../errors.ts';
import { parseSmtpSettings, type SmtpSettings } from '../mail/smtp-settings.ts';
import { parseSubscriberSettings, type SubscriberSettings } from '../subscribers/settings.ts';

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
