import { randomBytes } from 'node:crypto';
import type { Logger } from 'pino';
import { OperationError } from '../errors.ts';
import { type Confirmations, openConfirmations } from '../subscribers/confirmation-requests.ts';
import type { ConsentTools } from '../subscribers/consent.ts';
import { openMailKey, readMailKey } from '../subscribers/mail-key.ts';
import type { SubscriberStore } from '../subscribers/provider.ts';
import type { BuildFollower } from './live-build.ts';
import type { ServerSettings } from './settings.ts';

/** What the links in mails need; they also work while no mails are sent. */
export interface Consent extends ConsentTools {
  /** Null if mails are not sent. Subscriptions then need no confirmation. */
  confirmations: Confirmations | null;
}

/**
 * Opens what readers confirm and end their subscriptions with. Null if a provider does that itself, or if no mail was ever
 * sent. Throws OperationError if mails are set up, but the build does not say where the server is.
 */
export async function openConsent(
  { data, smtp, mailKey }: ServerSettings,
  { records, provider }: SubscriberStore,
  { follower, log }: { follower: BuildFollower; log: Logger },
): Promise<Consent | null> {
  if (records === null) {
    if (smtp !== null) log.info(`emails are not sent, since ${provider} asks readers to confirm`);
    return null;
  }
  const source = { environment: { CATALOG_MAIL_KEY: mailKey }, folder: data, random: randomBytes };
  const tools = { records, now: Date.now };
  if (smtp === null) {
    log.info('subscriptions are not confirmed by mail, since CATALOG_SMTP_URL is not set');
    const key = await readMailKey(source);
    return key === null ? null : { ...tools, key, confirmations: null };
  }
  const runtimeUrl = () => follower.current().info.runtimeUrl;
  const { info } = follower.current();
  if (info.runtimeUrl === null) {
    throw new OperationError(
      'CATALOG_SMTP_URL is set, but the build has no server for the links in emails. Set runtimeUrl, and build again.',
    );
  }
  const { openSmtp } = await import('../mail/smtp.ts');
  const key = await openMailKey(source);
  const title = () => follower.current().mcp.card.title;
  const confirmations = openConfirmations({ ...tools, key, smtp: openSmtp(smtp), title, runtimeUrl, log });
  return { ...tools, key, confirmations };
}
