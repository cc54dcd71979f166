import { randomBytes } from 'node:crypto';
import type { Logger } from 'pino';
import type { Request, Response } from 'polka';
import { OperationError } from '../lib/errors.ts';
import { type Confirmations, openConfirmations } from '../mail/confirmation.ts';
import {
  type ConsentTools,
  confirm,
  openMailKey,
  type Purpose,
  readMailKey,
  readToken,
  type TokenProblem,
  unsubscribe,
} from '../mail/consent.ts';
import type { SubscriberStore } from '../mail/provider.ts';
import { DatabaseUnavailable } from '../storage/database.ts';
import { Refusal } from './errors.ts';
import type { Files } from './files.ts';
import { limited } from './forms.ts';
import { clientAddress, type Limit } from './limits.ts';
import type { BuildFollower } from './live-build.ts';
import type { ServerSettings } from './settings.ts';
import type { Route } from './target.ts';

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

export interface SubscriptionPageParts {
  consent: Consent | null;
  follower: BuildFollower;
  files: Files;
  /** The limit on refused requests. Links that work never count toward it. */
  refused: Limit;
  trustProxy: number;
  log: Logger;
}

const invalid = [400, 'The link is incomplete or was changed. Open it again from the email.'] as const;
const problems: Record<TokenProblem, readonly [status: number, message: string]> = {
  forged: invalid,
  'other-purpose': invalid,
  expired: [410, 'The link worked for seven days and has expired. Subscribe again to get a new one.'],
};
const done: Record<Purpose, string> = { confirm: 'confirmed', unsubscribe: 'unsubscribed' };
const ended = [410, 'This subscription has ended. Subscribe again to get a new link.'] as const;
const failed = [503, 'Your answer could not be stored. Try again later.'] as const;

/**
 * The pages that links in mails open: GET shows a button and changes nothing, since programs that look for harmful mails
 * open links. POST does what the page says. It needs no cookies, no Origin and no body, and is not redirected (RFC 8058): the
 * token says who it is.
 */
export function subscriptionRoutes(mount: string, { consent, ...parts }: SubscriptionPageParts): Route[] {
  if (consent === null) return [];
  return (['confirm', 'unsubscribe'] as const).map((purpose) => [
    'ALL',
    `${mount}/subscription/${purpose}`,
    (request, response) => answer(request, response, purpose, { consent, ...parts }),
  ]);
}

type Parts = SubscriptionPageParts & { consent: Consent };

async function answer(request: Request, response: Response, purpose: Purpose, parts: Parts): Promise<void> {
  const { consent, follower, files, log } = parts;
  const page = (name: string, status = 200, message = '', headers: Record<string, string> = {}) =>
    files.page(response, follower.current(), {
      path: `subscription/${name}.html`,
      status,
      // Otherwise, requests from the page would contain its address with the token.
      headers: { 'referrer-policy': 'strict-origin', ...headers },
      fill: (text) => text.replaceAll('%MESSAGE%', message),
    });
  request.resume();
  const { method = '' } = request;
  if (!['GET', 'HEAD', 'POST'].includes(method)) {
    return page('failed', 405, 'This address accepts GET and POST.', { allow: 'GET, HEAD, POST' });
  }
  const token = new URLSearchParams(request.search).get('token') ?? '';
  const claims = readToken(token, purpose, consent.key, consent.now());
  if (typeof claims === 'string') {
    const [status, message] = problems[claims];
    const refusal = await limited(
      new Refusal('invalid_body', message),
      parts.refused,
      clientAddress(request, parts.trustProxy),
    );
    return page('failed', refusal.code === 'rate_limited' ? refusal.status : status, refusal.message, refusal.headers);
  }
  if (method !== 'POST') return page(purpose);
  try {
    if (purpose === 'unsubscribe') await unsubscribe(claims, consent);
    else if (!(await confirm(claims, consent))) return page('failed', ...ended);
    return page(done[purpose]);
  } catch (error) {
    if (!(error instanceof DatabaseUnavailable && error.isLogged)) {
      log.error({ err: error, path: request.path }, 'what a reader answered to an email could not be stored');
    }
    return page('failed', ...failed);
  }
}
