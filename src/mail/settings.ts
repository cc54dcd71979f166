import * as z from 'zod';
import { orElse, UsageError } from '../lib/errors.ts';
import { emailAddress } from '../schema/fields.ts';
import type { ListName } from './provider.ts';

/** A variable of a service, CATALOG_SIGNUPS_<part>. `rule` ends the sentence "it has to be …". */
export function variable(form: RegExp, rule: string) {
  return z.string({ error: rule }).regex(form, { error: rule });
}

/** An address without a user name, a password or #. `rest` says what else it must not have. */
function webAddress(rest: string, check: (url: URL) => boolean) {
  const error = `an address that starts with http:// or https://, without a user name, a password${rest} or #`;
  const isPlain = (text: string) => {
    const url = URL.canParse(text) ? new URL(text) : null;
    return url !== null && /^https?:$/.test(url.protocol) && !(url.username || url.password || url.hash) && check(url);
  };
  return z
    .string({ error })
    .refine(isPlain, { error })
    .transform((text) => new URL(text).href);
}

export const address = webAddress('', () => true);

/** The address of an API, without a slash at its end. */
export const baseAddress = webAddress(', ?', ({ search }) => search === '').transform((url) => url.replace(/\/+$/, ''));

export const apiKey = variable(/^[\x21-\x7e]+$/, 'its API key: letters, digits and punctuation, without spaces');

/** The variables of the lists at a service. */
type ListIds<Id> = Record<`LIST_${Uppercase<ListName>}`, Id>;

/** Returns the id of each list. */
export function listsOf<Id>({ LIST_DAILY, LIST_PRO, LIST_CUSTOM }: ListIds<Id>): Record<ListName, Id> {
  return { daily: LIST_DAILY, pro: LIST_PRO, custom: LIST_CUSTOM };
}

/** How emails are sent. Contains the password, so do not log it. */
export interface SmtpSettings {
  host: string;
  port: number;
  /** Whether the connection starts with TLS. Otherwise it has to change to TLS, unless the host is a loopback one. */
  secure: boolean;
  auth?: { user: string; pass: string };
  from: { name: string; address: string };
}

/** Reads CATALOG_SMTP_URL and CATALOG_MAIL_FROM. Null without the first. Throws one UsageError that names what is wrong. */
export function parseSmtpSettings(environment: NodeJS.ProcessEnv): SmtpSettings | null {
  const address = environment.CATALOG_SMTP_URL?.trim();
  if (!address) return null;
  const server = parseServer(address);
  const from = parseSender(environment.CATALOG_MAIL_FROM?.trim() ?? '');
  const problems = [
    // The address may contain a password, so it is not repeated.
    server ??
      'CATALOG_SMTP_URL is not valid; it has to be smtps://user:password@host or smtp://…, without a path or ?.',
    from ?? 'CATALOG_MAIL_FROM has to be a sender such as Daily Agents <daily@example.com>, on one line.',
  ].filter((each) => typeof each === 'string');
  if (server === null || from === null) throw new UsageError(problems.join('\n'));
  return { ...server, from };
}

function parseServer(text: string): Omit<SmtpSettings, 'from'> | null {
  const url = URL.canParse(text) ? new URL(text) : null;
  if (url === null || url.hostname === '' || !/^smtps?:$/.test(url.protocol)) return null;
  if (!/^\/?$/.test(url.pathname) || url.search !== '' || url.hash !== '') return null;
  const secure = url.protocol === 'smtps:';
  const port = url.port === '' ? (secure ? 465 : 587) : Number(url.port);
  const host = url.hostname.replace(/^\[|\]$/g, '');
  if (url.username === '') return { host, port, secure };
  const { username, password } = url;
  const auth = orElse(() => ({ user: decodeURIComponent(username), pass: decodeURIComponent(password) }), null);
  return auth && { host, port, secure, auth };
}

function parseSender(text: string): SmtpSettings['from'] | null {
  const [, name = '', bracketed] = /^(?:"?([^"<>\p{Cc}]*?)"?\s*)<([^<>]+)>$/u.exec(text) ?? [];
  const { data } = emailAddress.safeParse(bracketed ?? text);
  return data === undefined ? null : { name: name.trim(), address: data };
}
