import { createHmac, timingSafeEqual } from 'node:crypto';
import * as z from 'zod';
import { listNames, type Subscription } from './provider.ts';

/** What the link of a token does. */
export type Purpose = 'confirm' | 'unsubscribe';

const claims = z.strictObject({
  v: z.literal(1),
  purpose: z.enum(['confirm', 'unsubscribe']),
  /** The id of the subscription. A token never contains the address. */
  id: z.string().min(1),
  list: z.enum(listNames),
  /** When it expires, in seconds since 1970. Links to unsubscribe never do. */
  exp: z.int().optional(),
});

/** The contents of a valid token. */
export type Claims = z.infer<typeof claims>;

/** What is wrong with a token: it was not signed with the key, it has expired, or it is for something else. */
export type TokenProblem = 'forged' | 'expired' | 'other-purpose';

/** How long a link to confirm works, in milliseconds. */
export const confirmationMs = 7 * 24 * 60 * 60 * 1000;

/** What links are made with. */
export interface LinkOptions {
  /** The address of the server, without a slash at its end. */
  runtimeUrl: string;
  /** The key of tokens (mail-key.ts). */
  key: Buffer;
}

type Subscribed = Pick<Subscription, 'id' | 'list'>;

/** The address of the page that confirms a subscription. It works for seven days from `now` (milliseconds since 1970). */
export function confirmAddress({ id, list }: Subscribed, { runtimeUrl, key }: LinkOptions, now: number): string {
  const exp = Math.floor((now + confirmationMs) / 1000);
  return `${runtimeUrl}/subscription/confirm?token=${sign({ v: 1, purpose: 'confirm', id, list, exp }, key)}`;
}

/**
 * The address of the page that ends a subscription, which always works. A POST to it needs no cookies and is not
 * redirected, so it can be in a List-Unsubscribe header (RFC 8058).
 */
export function unsubscribeAddress({ id, list }: Subscribed, { runtimeUrl, key }: LinkOptions): string {
  return `${runtimeUrl}/subscription/unsubscribe?token=${sign({ v: 1, purpose: 'unsubscribe', id, list }, key)}`;
}

/** Checks a token. `now` is in milliseconds since 1970. */
export function readToken(token: string, purpose: Purpose, key: Buffer, now: number): Claims | TokenProblem {
  const [content = '', signature = '', ...rest] = token.split('.');
  const given = Buffer.from(signature);
  const expected = Buffer.from(signatureOf(content, key));
  if (rest.length > 0 || given.length !== expected.length || !timingSafeEqual(given, expected)) return 'forged';
  const { data } = claims.safeParse(JSON.parse(Buffer.from(content, 'base64url').toString('utf8')));
  if (data === undefined) return 'forged';
  if (data.purpose !== purpose) return 'other-purpose';
  return data.exp !== undefined && now > data.exp * 1000 ? 'expired' : data;
}

function sign(content: Claims, key: Buffer): string {
  const text = Buffer.from(JSON.stringify(content)).toString('base64url');
  return `${text}.${signatureOf(text, key)}`;
}

function signatureOf(content: string, key: Buffer): string {
  return createHmac('sha256', key).update(content).digest('base64url');
}
