import * as z from 'zod';
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
