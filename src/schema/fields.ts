import * as z from 'zod';

/**
 * Parts that several schemas of this folder share.
 *
 * Every custom `error` completes the sentence "it has to be …" of messages/values.ts.
 */

/** The form of slugs, tags and category keys, which become paths: lowercase words joined by hyphens. */
export const slugPattern = /^[a-z0-9]+(?:-[a-z0-9]+)*$/;

/** The longest slug, tag or category key, in characters. */
export const maxSlugLength = 64;

/** The forms of text that messages/values.ts has suggestions for. They complete the sentence "it has to be …". */
export const forms = {
  slug: 'lowercase words joined by hyphens, such as release-notes',
  line: 'one line of text, without spaces around it',
  date: 'a calendar date, written as YYYY-MM-DD',
  webUrl: 'an address that starts with http:// or https://',
  contact: 'an address that starts with https:, mailto: or tel:',
  timeZone: 'the name of a time zone, such as UTC or Europe/Berlin',
  language: 'a language tag, such as en or pt-BR (BCP 47)',
};

/** The number of Unicode code points in `text`, which is how JSON Schema counts `maxLength` (C8.20). */
export function codePoints(text: string): number {
  let count = 0;
  for (const _ of text) count += 1;
  return count;
}

/** Text of `min` to `max` Unicode code points. The JSON Schema has both limits. */
export function text(max: number, min = 1) {
  return z
    .string()
    .refine((value) => value.length >= min && (value.length <= max || codePoints(value) <= max), {
      error: min > 0 ? `text of ${min} to ${max} characters` : `text of at most ${max} characters`,
    })
    .meta(min > 0 ? { minLength: min, maxLength: max } : { maxLength: max });
}

/** One line of text without white space around it. */
export function line(max: number) {
  return text(max).regex(/^\S(?:.*\S)?$/u, { error: forms.line });
}

/** Names that Windows reserves for devices, with any extension. No file or folder can have them there. */
const deviceNames = /^(?:con|prn|aux|nul|com[0-9]|lpt[0-9])$/;

/** Says why a valid tag, category key or slug cannot be used in an address, or returns null. */
function reservedName(name: string): string | null {
  if (deviceNames.test(name)) return 'Windows reserves it for a device, so its files could not be checked out there';
  return name === 'index' ? 'hosts serve a file of this name as the page of its folder' : null;
}

/** Says why a valid slug, current or former, cannot be used, or returns null. */
export function reservedSlug(slug: string): string | null {
  return slug === 'catalog' ? 'MCP and the social images use it for the whole catalog' : reservedName(slug);
}

/** A schema of names with the form of a slug. `reserved` returns the reason why a name is excluded. */
function nameWithout(reserved: (name: string) => string | null) {
  return z
    .string()
    .max(maxSlugLength, { error: `at most ${maxSlugLength} characters long`, abort: true })
    .regex(slugPattern, { error: forms.slug })
    .refine((name) => reserved(name) === null, {
      error: ({ input }) => `another name: ${reserved(String(input))}`,
    });
}

/** A tag or a category key. */
export const pathName = nameWithout(reservedName);

/** A slug, current or former. */
export const slug = nameWithout(reservedSlug);

export const date = z.iso.date({ error: forms.date });

/** A whole number of `min` to `max`. */
export function wholeNumber(min: number, max = Number.MAX_SAFE_INTEGER) {
  return z
    .int({ error: 'a whole number' })
    .min(min, { error: `${min} or more` })
    .max(max, { error: `${max} or less` });
}

/** A list with at least one entry, which messages call `entry`. */
export function listOf<Item extends z.ZodType>(item: Item, entry = 'entry') {
  return z.array(item).min(1, { error: `a list of at least one ${entry}` });
}

export const issueNumber = wholeNumber(1);

export const sha256 = z.string().regex(/^[0-9a-f]{64}$/, { error: 'a SHA-256 in 64 lowercase hexadecimal digits' });

const plainAddress = /^https?:\/\/[^\s\p{Cc}\\/?#@]+(?:[/?#][^\s\p{Cc}\\]*)?$/iu;

/**
 * Whether a text is an absolute http or https address that leads where it appears to. Browsers treat text before an @
 * as a user name, change backslashes to slashes, and drop white space and control characters, so these are refused.
 */
export function isWebAddress(text: string): boolean {
  return plainAddress.test(text) && URL.canParse(text);
}

/** Matches everything to percent-encode after the host: characters that no URI has there, and percent signs alone (RFC 3986). */
const notInUri = /[^\w.~:/?#@!$&'()*+,;=%-]|%(?![\dA-F]{2})/gi;

/** Returns an address as a URI, which the format `uri` of JSON Schema demands. One that is a URI stays as it was written. */
function asUri(address: string): string {
  const rest = address.replace(/^https?:\/\/[^/?#]*/i, '');
  const hasOneFragment = rest.indexOf('#') === rest.lastIndexOf('#');
  if (/^[!-~]*$/.test(address) && rest.search(notInUri) === -1 && hasOneFragment) return address;
  const { origin, pathname, search, hash } = new URL(address);
  const encoded = (part: string) => part.replace(notInUri, encodeURIComponent);
  return origin + encoded(pathname + search) + hash.slice(0, 1) + encoded(hash.slice(1)).replaceAll('#', '%23');
}

const anyWebUrl = z.url({ protocol: /^https?$/, error: forms.webUrl, abort: true }).refine(isWebAddress, {
  error: 'an address that starts with http:// or https:// and a host, without a user name, spaces or backslashes',
  abort: true,
});

/** An absolute http or https address. */
export const webUrl = anyWebUrl.overwrite(asUri);

const namedHost = /^https:\/\/(?:[a-z0-9](?:[a-z0-9-]*[a-z0-9])?\.)+[a-z](?:[a-z0-9-]*[a-z0-9])?(?:[/?#]|$)/i;

/**
 * An https address that readers can be sent to, although strangers suggest it. Its host has a name, which says who is
 * responsible. The name is in ASCII, so that no letter can pass for another (xn-- stays visible). A port suggests a
 * developer's machine, so there is none.
 */
export const publicUrl = anyWebUrl
  .refine((value) => namedHost.test(value), {
    error: 'an address that starts with https:// and the name of a host in ASCII, without a port',
  })
  .overwrite(asUri);

/** The longest email address that mail servers accept (RFC 5321, sections 4.5.3.1.1 and 4.5.3.1.3), in characters. */
export const maxEmail = 254;

/**
 * An email address that can exist (C8.26): words of RFC 5321 (`Atom`) with dots between them, and the name of a host that is
 * not only a top-level domain. That may be in punycode: fields for email addresses in browsers write `.рф` as `.xn--p1ai`.
 * All characters are ASCII, so there are as many as octets.
 */
export const emailAddress = z
  .email({
    pattern:
      /^[\w!#$%&'*+/=?^`{|}~-]+(?:\.[\w!#$%&'*+/=?^`{|}~-]+)*@(?:[A-Za-z0-9](?:[A-Za-z0-9-]*[A-Za-z0-9])?\.)+(?:[A-Za-z]{2,}|xn--[A-Za-z0-9-]*[A-Za-z0-9])$/,
    error: 'an email address',
    abort: true,
  })
  .max(maxEmail, { error: `at most ${maxEmail} characters long` })
  .regex(/^[^@]{1,64}@/, { error: 'an address with at most 64 characters before the @' })
  .regex(/@(?:[^.]{1,63}(?:\.|$))+$/, { error: 'an address with at most 63 characters between dots after the @' })
  .meta({ format: 'email' });

export const step = z.strictObject({
  name: line(120).describe('What the step is called'),
  text: text(1000).describe('What the reader does in it'),
});

export const demoPoint = z.strictObject({
  second: z
    .int({ error: 'a whole number of seconds' })
    .min(0, { error: '0 or more' })
    .describe('Seconds from the start'),
  label: line(120).describe('What happens, in a few words'),
  detail: text(1000).describe('What the reader sees'),
});
