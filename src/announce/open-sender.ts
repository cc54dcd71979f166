import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { OperationError } from '../errors.ts';
import { openSmtp } from '../mail/smtp.ts';
import type { Settings } from '../schema/settings.ts';
import { fileRecords } from '../subscribers/file-records.ts';
import { openMailKey, requireMailKey } from '../subscribers/mail-key.ts';
import type { ListName, SubscriptionRecords } from '../subscribers/provider.ts';
import { campaignSender } from './campaign.ts';
import { buttondown } from './senders/buttondown.ts';
import { listmonk } from './senders/listmonk.ts';
import { resend } from './senders/resend.ts';
import type { Sender } from './senders/sender.ts';
import { smtpSender } from './senders/smtp.ts';
import { webhook } from './senders/webhook.ts';
import { pauseFor, type ServiceTools } from './service-calls.ts';
import type { AnnounceSettings } from './settings.ts';

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
