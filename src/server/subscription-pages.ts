import type { Logger } from 'pino';
import type { Request, Response } from 'polka';
import { DatabaseUnavailable } from '../database/unavailable.ts';
import { confirm, unsubscribe } from '../subscribers/consent.ts';
import { type Purpose, readToken, type TokenProblem } from '../subscribers/tokens.ts';
import { clientAddress } from './client.ts';
import type { Consent } from './consent.ts';
import { Refusal } from './errors.ts';
import type { Files } from './files.ts';
import type { Limit } from './limits.ts';
import type { BuildFollower } from './live-build.ts';
import { limited } from './post-requests.ts';
import type { Route } from './route.ts';

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
