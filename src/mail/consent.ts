import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto';
import * as fs from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Logger } from 'pino';
import * as z from 'zod';
import { OperationError, prevented, UsageError } from '../lib/errors.ts';
import { inTurn } from '../lib/lazy.ts';
import { darkStyles, mailStyles } from '../site/mail/mail-styles.ts';
import { createFile, type Disk, hasCode, ifMissing, makeFolder, syncFolder } from '../storage/disk.ts';
import {
  type ListName,
  listNames,
  type StoredSubscription,
  type SubscriberLog,
  type SubscriberStore,
  type Subscription,
  type SubscriptionStore,
} from './provider.ts';
import type { SmtpSettings } from './settings.ts';
import type { Mail, Smtp, SmtpFailed } from './smtp.ts';

interface MailKeyOptions {
  environment: NodeJS.ProcessEnv;
  /** The data folder. */
  folder: string;
  /** Returns this many cryptographically random bytes. */
  random(bytes: number): Buffer;
  /** @default node:fs/promises */
  disk?: Disk;
}

/** Throws UsageError if the key is not in the environment: programs that share a database must have the same one. */
export function requireMailKey({ CATALOG_MAIL_KEY }: NodeJS.ProcessEnv): void {
  if (CATALOG_MAIL_KEY?.trim()) return;
  throw new UsageError(
    'CATALOG_MAIL_KEY is missing. Programs that share a database have to sign the links in emails with the same key.',
  );
}

/** The file of the key in the data folder. */
const fileName = 'mail.key';

/** The purpose of the link with a token. */
type Purpose = 'confirm' | 'unsubscribe';

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

/** Why a token is invalid: it was not signed with the key, it has expired, or it is for something else. */
type TokenProblem = 'forged' | 'expired' | 'other-purpose';

/** How long a link to confirm works, in milliseconds. */
const confirmationMs = 7 * 24 * 60 * 60 * 1000;

type Subscribed = Pick<Subscription, 'id' | 'list'>;

/** The key that signs the links in emails, and makes the pseudonyms of addresses. */
export class MailKey {
  /** Do not log them. */
  readonly bytes: Buffer;

  constructor(bytes: Buffer) {
    this.bytes = bytes;
  }

  /**
   * The key that signs the links in emails: CATALOG_MAIL_KEY, or else the file `mail.key` in the data folder, which is made
   * if it does not exist and which only its owner can read.
   *
   * Throws UsageError if the variable is too short, and OperationError if the file cannot be used.
   */
  static async open(options: MailKeyOptions): Promise<MailKey> {
    const { folder, random, disk = fs } = options;
    const existing = await MailKey.read(options);
    if (existing !== null) return existing;
    const path = join(folder, fileName);
    const draft = `${path}.${random(6).toString('hex')}`;
    try {
      await makeFolder(disk, dirname(path));
      await createFile(disk, draft, Buffer.from(`${random(32).toString('hex')}\n`));
      // Unlike a rename, a link never replaces the key that another process made meanwhile.
      await disk.link(draft, path).catch((error) => hasCode(error, 'EEXIST') || Promise.reject(error));
      await disk.unlink(draft);
      await syncFolder(disk, folder);
    } catch (error) {
      throw prevented(`The key ${path} cannot be made`, error);
    }
    return MailKey.open(options);
  }

  /** The same key, or null if none was made yet. */
  static async read(options: Omit<MailKeyOptions, 'random'>): Promise<MailKey | null> {
    const { environment, folder, disk = fs } = options;
    const variable = environment.CATALOG_MAIL_KEY?.trim();
    if (variable) {
      if (variable.length >= 32) return new MailKey(Buffer.from(variable));
      throw new UsageError(
        'CATALOG_MAIL_KEY is too short; it has to have at least 32 characters (openssl rand -hex 32).',
      );
    }
    const path = join(folder, fileName);
    const text = await disk
      .readFile(path, 'utf8')
      .catch(ifMissing(null))
      .catch((cause) => {
        throw prevented(`The key ${path} cannot be read`, cause);
      });
    if (text === null) return null;
    if (/^[0-9a-f]{64}\n?$/.test(text)) return new MailKey(Buffer.from(text.trim(), 'hex'));
    throw new OperationError(
      `The key ${path} is damaged. Restore it from a backup. If you delete it, links in emails that were sent stop working.`,
    );
  }

  /** The pseudonym of an address, in any case: without the key, nobody can tell which address it is. */
  addressHash(address: string): string {
    return hmac(`address:${address.toLowerCase()}`, this.bytes);
  }

  /**
   * The address of the page that confirms a subscription. It works for seven days from `now` (milliseconds
   * since 1970). `runtimeUrl` is the address of the server, without a slash at its end.
   */
  confirmAddress({ id, list }: Subscribed, runtimeUrl: string, now: number): string {
    const exp = Math.floor((now + confirmationMs) / 1000);
    return `${runtimeUrl}/subscription/confirm?token=${this.#sign({ v: 1, purpose: 'confirm', id, list, exp })}`;
  }

  /**
   * The address of the page that ends a subscription, which always works. A POST to it needs no cookies and is not
   * redirected, so it can be in a List-Unsubscribe header (RFC 8058).
   */
  unsubscribeAddress({ id, list }: Subscribed, runtimeUrl: string): string {
    return `${runtimeUrl}/subscription/unsubscribe?token=${this.#sign({ v: 1, purpose: 'unsubscribe', id, list })}`;
  }

  /** Checks a token. `now` is in milliseconds since 1970. */
  readToken(token: string, purpose: Purpose, now: number): Claims | TokenProblem {
    const [content = '', signature = '', ...rest] = token.split('.');
    const received = Buffer.from(signature);
    const signatures = this.#all().map((each) => Buffer.from(hmac(content, each)));
    const isSigned = signatures.some((each) => received.length === each.length && timingSafeEqual(received, each));
    if (rest.length > 0 || !isSigned) return 'forged';
    const { data } = claims.safeParse(JSON.parse(Buffer.from(content, 'base64url').toString('utf8')));
    if (data === undefined) return 'forged';
    if (data.purpose !== purpose) return 'other-purpose';
    return data.exp !== undefined && now > data.exp * 1000 ? 'expired' : data;
  }

  /** Whether a subscription gets emails: it was confirmed, not ended, and confirmed after its address was suppressed. */
  isActive(subscription: StoredSubscription, suppressions: ReadonlyMap<string, string>): boolean {
    const { email, confirmed, unsubscribed } = subscription;
    if (confirmed === undefined || unsubscribed !== undefined) return false;
    return suppressions.size === 0 || Date.parse(confirmed) > this.suppressedAt(email, suppressions);
  }

  /** When an address was last suppressed, in milliseconds since 1970; 0 if it was not. */
  suppressedAt(email: string, suppressions: ReadonlyMap<string, string>): number {
    const hashes = this.#all().map((each) => new MailKey(each).addressHash(email));
    return Math.max(0, ...hashes.map((hash) => Date.parse(suppressions.get(hash) ?? '') || 0));
  }

  /**
   * The keys of valid links and pseudonyms. mail.key has the bytes of the key as hexadecimal digits. The same digits in
   * CATALOG_MAIL_KEY are a text, and so another key: what was made with one of them stays valid with the other.
   */
  #all(): Buffer[] {
    const { bytes } = this;
    const text = bytes.toString('latin1');
    return [bytes, /^[0-9a-f]{64}$/.test(text) ? Buffer.from(text, 'hex') : Buffer.from(bytes.toString('hex'))];
  }

  #sign(content: Claims): string {
    const text = Buffer.from(JSON.stringify(content)).toString('base64url');
    return `${text}.${hmac(text, this.bytes)}`;
  }
}

function hmac(content: string, key: Buffer): string {
  return createHmac('sha256', key).update(content).digest('base64url');
}

/** The dependencies of the rules about consent. */
export interface ConsentTools {
  subscriptions: SubscriptionStore;
  key: MailKey;
  /** Milliseconds since 1970. */
  now(): number;
}

/**
 * Everyone who gets the emails of a list: each address once, with the subscription that links to unsubscribe are made for, in the
 * order in which they subscribed.
 */
export async function recipients(
  list: ListName,
  { subscriptions, key }: { subscriptions: Pick<SubscriptionStore, 'find' | 'suppressions'>; key: MailKey },
): Promise<StoredSubscription[]> {
  const suppressions = await subscriptions.suppressions();
  const byAddress = new Map<string, StoredSubscription>();
  for (const subscription of await subscriptions.find({ list })) {
    const address = subscription.email.toLowerCase();
    if (!byAddress.has(address) && key.isActive(subscription, suppressions)) byAddress.set(address, subscription);
  }
  return [...byAddress.values()];
}

/** A mailbox gets at most this many emails that ask for a confirmation in `askWindowMs`, for all lists and its addresses. */
const mostAsks = 3;
const askWindowMs = 7 * 24 * 60 * 60 * 1000;

/** Requests of an address for the same list within this time share one email. */
const sameAskMs = 10 * 60 * 1000;

/**
 * Returns a stored subscription if its address should be asked to confirm it, else null. Not if it gets the emails of the list
 * already, and not too often: anyone can type any address into the form.
 */
export async function toAsk(id: string, { subscriptions, key }: ConsentTools): Promise<StoredSubscription | null> {
  const [asking] = await subscriptions.find({ id });
  if (asking === undefined || asking.confirmed !== undefined || asking.unsubscribed !== undefined) return null;
  const all = await subscriptions.find({ mailbox: asking.email });
  const suppressions = await subscriptions.suppressions();
  if (all.some((each) => isSame(each, asking) && key.isActive(each, suppressions))) return null;
  const position = all.findIndex((each) => each.id === id);
  /** The requests that an email asked about: those that shared it count once. */
  const asked: StoredSubscription[] = [];
  for (const each of all.slice(0, position)) {
    const isRecent = each.pending && timeOf(asking) - timeOf(each) < askWindowMs;
    if (isRecent && !asked.some((earlier) => sharesEmail(earlier, each))) asked.push(each);
    if (asked.length === mostAsks) return null;
  }
  return asked.some((earlier) => sharesEmail(earlier, asking)) ? null : asking;
}

/** A subscription and the later ones that its email is also for. */
async function sharing(id: string, { subscriptions }: ConsentTools): Promise<StoredSubscription[]> {
  const [first] = await subscriptions.find({ id });
  const all = first === undefined ? [] : await subscriptions.find({ email: first.email });
  return all.slice(all.findIndex((each) => each.id === id)).filter((each) => first && sharesEmail(first, each));
}

/** Whether two subscriptions are of one address to one list. */
function isSame(one: StoredSubscription, other: StoredSubscription): boolean {
  return one.list === other.list && one.email.toLowerCase() === other.email.toLowerCase();
}

/** Whether the email that asked to confirm a subscription was also for a later one. Not if its reader left the list before that. */
function sharesEmail(earlier: StoredSubscription, later: StoredSubscription): boolean {
  const hasLeft = Date.parse(earlier.unsubscribed ?? '') <= timeOf(later);
  return isSame(earlier, later) && timeOf(later) - timeOf(earlier) < sameAskMs && !hasLeft;
}

const timeOf = ({ time }: StoredSubscription) => Date.parse(time);

/** The content that readers of each list asked for. */
const wishes: Record<ListName, (title: string) => string> = {
  daily: (title) => `to get one agent a day from ${title} by email`,
  pro: (title) => `to join the Pro waitlist of ${title}`,
  custom: (title) => `to ask ${title} for a custom agent`,
};

/** The email that asks an address to confirm its subscription, with the title of the catalog and the addresses of the two pages. */
function confirmationMail(
  { email, list }: Pick<StoredSubscription, 'email' | 'list'>,
  { title, confirm, unsubscribe }: Record<'title' | Purpose, string>,
): Mail {
  const asked = `Someone entered this address ${wishes[list](title)}.`;
  const what = 'To confirm, open this page within seven days and press the button:';
  const otherwise = 'If it was not you, ignore this email: without your confirmation, you are not subscribed.';
  const paragraph = (text: string) => `<p class="ink" style="${mailStyles.text}">${text}</p>`;
  const button = `<a href="${escapeHtml(confirm)}" style="${mailStyles.button}">Confirm your subscription</a>`;
  const body = [
    `<p class="quiet" style="${mailStyles.masthead}">${escapeHtml(title)}</p>`,
    ...[escapeHtml(asked), what, button].map(paragraph),
    `<p class="quiet" style="${mailStyles.quiet}">${otherwise}</p>`,
  ].join('\n');
  return {
    to: email,
    subject: `Confirm your subscription to ${title}`,
    text: `${asked}\n\n${what}\n${confirm}\n\n${otherwise}\n`,
    html: `<!DOCTYPE html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width"><meta name="color-scheme" content="light dark"><title>${escapeHtml(title)}</title><style>${darkStyles}</style></head>
<body class="paper" style="${mailStyles.page}"><table role="presentation" class="paper" style="${mailStyles.column}"><tbody><tr><td style="${mailStyles.cell}">
${body}
</td></tr></tbody></table></body></html>
`,
    unsubscribe,
  };
}

function escapeHtml(text: string): string {
  return text.replace(/[&<>"]/g, (sign) => `&#${sign.codePointAt(0)};`);
}

interface ConfirmationTools extends ConsentTools {
  smtp: Smtp;
  /** The title of the catalog, from the latest build. */
  title(): string;
  /** The address of the server; null if the build has none. */
  runtimeUrl(): string | null;
  log: SubscriberLog;
}

/** How many emails may wait to be sent. More are asked for only in an attack, or while the mail server is away. */
const mostWaiting = 1000;

/** After how long an email that was certainly not sent is tried again, in milliseconds. */
const pausesMs = [60_000, 600_000];

/** How long `close` waits, in milliseconds. */
const patienceMs = 3_000;

/** Sends emails that ask readers to confirm their subscriptions, one after the other. */
export function openConfirmations(tools: ConfirmationTools) {
  const { subscriptions, smtp, title, key, now, runtimeUrl, log } = tools;
  const retries = new Set<NodeJS.Timeout>();
  /** The subscriptions whose email was certainly not sent so far. */
  const unsent = new Set<string>();
  const inOrder = inTurn();
  let waiting = 0;
  let isClosed = false;

  function enqueue(id: string, attempt: number): void {
    if (waiting >= mostWaiting) {
      log.warn({}, 'Too many emails are waiting to be sent, so a reader was not asked to confirm a subscription.');
      return void giveUp(id);
    }
    waiting += 1;
    unsent.add(id);
    void inOrder(() => send(id, attempt)).finally(() => {
      waiting -= 1;
    });
  }

  /**
   * So its reader can subscribe again at once, and it does not count as one of the emails that a mailbox gets. Neither do later
   * requests that were to share its email.
   */
  async function giveUp(id: string): Promise<void> {
    unsent.delete(id);
    const time = new Date(now()).toISOString();
    await sharing(id, tools)
      .then((all) => Promise.all(all.map((each) => subscriptions.mark(each.id, 'unsent', time))))
      .catch((err) => log.warn({ err }, 'That an email to confirm a subscription was not sent could not be stored.'));
  }

  async function send(id: string, attempt: number): Promise<void> {
    if (isClosed) return;
    try {
      const subscription = await toAsk(id, tools).finally(() => unsent.delete(id));
      const url = runtimeUrl();
      if (subscription === null || url === null) return;
      const confirm = key.confirmAddress(subscription, url, now());
      const unsubscribe = key.unsubscribeAddress(subscription, url);
      await smtp.send(confirmationMail(subscription, { title: title(), confirm, unsubscribe }));
    } catch (error) {
      const { outcome = null, code = null, status = null } = error as Partial<SmtpFailed>;
      const pause = outcome === 'unsent' ? pausesMs[attempt] : undefined;
      const next = pause === undefined ? 'The reader can subscribe again.' : 'It is tried again later.';
      const result = outcome === 'unknown' ? 'may not have been sent' : 'was not sent';
      log.warn({ outcome, code, status }, `An email that asks to confirm a subscription ${result}. ${next}`);
      if (outcome === 'unsent') unsent.add(id);
      if (pause === undefined) return outcome === 'unsent' ? giveUp(id) : undefined;
      const retry = setTimeout(() => {
        retries.delete(retry);
        enqueue(id, attempt + 1);
      }, pause);
      retries.add(retry.unref());
    }
  }

  return {
    /**
     * Asks the address of a stored subscription, unless it is asked too often. Returns at once, so that an answer to a reader
     * takes as long for a known address as for a new one.
     */
    ask: (id: string) => enqueue(id, 0),
    /** Waits a few seconds for emails that are being sent, and stores which ones were not. */
    async close() {
      for (const retry of retries) clearTimeout(retry);
      await Promise.race([inOrder(async () => {}), sleep(patienceMs, undefined, { ref: false })]);
      isClosed = true;
      await Promise.race([Promise.all([...unsent].map(giveUp)), sleep(patienceMs, undefined, { ref: false })]);
      smtp.close();
    },
  };
}

/** What readers confirm and end their subscriptions with, by the links in emails, which also work while no emails are sent. */
export class Consent {
  /** Null if emails are not sent. Subscriptions then need no confirmation. */
  readonly confirmations: ReturnType<typeof openConfirmations> | null;
  readonly #tools: ConsentTools;

  constructor(tools: ConsentTools, confirmations: Consent['confirmations']) {
    this.#tools = tools;
    this.confirmations = confirmations;
  }

  /**
   * Opens what readers confirm and end their subscriptions with. Null if a provider does that itself, or if no email was ever
   * sent. Throws OperationError if emails are set up, but the build does not say where the server is.
   */
  static async open(
    { data, smtp, mailKey }: { data: string; smtp: SmtpSettings | null; mailKey: string | undefined },
    { subscriptions, name }: SubscriberStore,
    { title, runtimeUrl, log }: Pick<ConfirmationTools, 'title' | 'runtimeUrl'> & { log: Logger },
  ): Promise<Consent | null> {
    if (subscriptions === undefined) {
      if (smtp !== null) log.info(`emails are not sent, since ${name} asks readers to confirm`);
      return null;
    }
    const source = { environment: { CATALOG_MAIL_KEY: mailKey }, folder: data, random: randomBytes };
    const tools = { subscriptions, now: Date.now };
    if (smtp === null) {
      log.info('subscriptions are not confirmed by email, since CATALOG_SMTP_URL is not set');
      const key = await MailKey.read(source);
      return key === null ? null : new Consent({ ...tools, key }, null);
    }
    if (runtimeUrl() === null) {
      throw new OperationError(
        'CATALOG_SMTP_URL is set, but the build has no server for the links in emails. Set runtimeUrl, and build again.',
      );
    }
    const { openSmtp } = await import('./smtp.ts');
    const key = await MailKey.open(source);
    const confirmations = openConfirmations({ ...tools, key, smtp: openSmtp(smtp), title, runtimeUrl, log });
    return new Consent({ ...tools, key }, confirmations);
  }

  /** Checks the token in a link. */
  readToken(token: string, purpose: Purpose): Claims | TokenProblem {
    return this.#tools.key.readToken(token, purpose, this.#tools.now());
  }

  /**
   * Confirms a subscription. False if it cannot be confirmed any more: it was erased, its reader left the list, or its address was
   * suppressed after it was confirmed.
   *
   * The time is later than any suppression of the address, also if the clock went back since then.
   */
  async confirm({ id }: Claims): Promise<boolean> {
    const { subscriptions, key, now } = this.#tools;
    const [subscription] = await subscriptions.find({ id });
    if (subscription === undefined || subscription.unsubscribed !== undefined) return false;
    const suppressions = await subscriptions.suppressions();
    if (subscription.confirmed !== undefined) return key.isActive(subscription, suppressions);
    const earliest = key.suppressedAt(subscription.email, suppressions) + 1;
    await subscriptions.mark(id, 'confirmed', new Date(Math.max(now(), earliest)).toISOString());
    return true;
  }

  /**
   * Ends all subscriptions of an address to a list, also newer ones than the subscription of the link. If they were erased or ended
   * before, there is nothing to do.
   */
  async unsubscribe({ id }: Claims): Promise<void> {
    const { subscriptions, now } = this.#tools;
    const [subscription] = await subscriptions.find({ id });
    if (subscription === undefined) return;
    const isOpen = (each: StoredSubscription) => isSame(each, subscription) && each.unsubscribed === undefined;
    const all = await subscriptions.find({ email: subscription.email });
    if (all.some(isOpen)) await subscriptions.mark(id, 'unsubscribed', new Date(now()).toISOString());
  }
}
