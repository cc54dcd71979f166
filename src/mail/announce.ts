import { randomBytes } from 'node:crypto';
import * as z from 'zod';
import { OperationError } from '../lib/errors.ts';
import { httpRequest } from '../lib/http.ts';
import { plural } from '../lib/text.ts';
import { fetchJson } from '../site/live-site.ts';
import { digestMail, issueMail } from '../site/mail/mail.ts';
import type { PublishedAgent, Site } from '../site/site.ts';
import { type Announcement, type AnnouncementJournal, type Claim, countDeliveries } from './announcement-journal.ts';
import type { Sender, Sent, Subject } from './campaign.ts';
import type { ListName, SubscriptionStore } from './provider.ts';
import { messageHash } from './senders.ts';

/** How many agents a digest has. */
const digestLength = 7;

/** The week of a day, such as 2026-W47 (ISO 8601): the one that has the Thursday nearest to it. */
function isoWeek(day: string): string {
  const thursday = new Date(`${day}T00:00:00Z`);
  thursday.setUTCDate(thursday.getUTCDate() + 4 - (thursday.getUTCDay() || 7));
  const year = thursday.getUTCFullYear();
  const days = (thursday.getTime() - Date.UTC(year, 0, 1)) / 86_400_000;
  return `${year}-W${String(Math.floor(days / 7) + 1).padStart(2, '0')}`;
}

/** The result of an announcement. `nothing-new` and `announced-already` are no errors: a schedule asks again and again. */
export interface Announced extends Omit<Sent, 'outcome'> {
  outcome: Sent['outcome'] | 'nothing-new' | 'dry-run';
  key: string | null;
}

/** How old an agent may be to be announced: a day for the email, and the time until someone notices that it was not sent. */
const longestMs = { issue: 36 * 3_600_000, digest: 7 * 24 * 3_600_000 };

const isSmtp = ({ name }: Sender) => name === 'SMTP';

/** A person's decision about emails whose outcome is unknown. */
export interface Decision {
  /** The address or the Message-ID of an email. Null: all of them. */
  mail: string | null;
  sent: boolean;
}

const willBe = (sent: boolean) => (sent ? 'not be sent again' : 'be sent by the next run');

interface AnnounceOptions {
  /** Whether to announce an old agent too. */
  late: boolean;
  now: Date;
  journal: AnnouncementJournal;
  sender: Sender;
  /** Throws OperationError with the reason if the page of an agent is not online. @default asks the site */
  checkLive?(agent: PublishedAgent): Promise<void>;
}

/** Finds readers by their subscriptions. */
type Readers = Pick<SubscriptionStore, 'find'>;

/** An email whose outcome is unknown. */
interface UncertainMail {
  id: string;
  /** Null if it was erased. */
  recipient: string | null;
  messageHash: string;
}

/** What is to be announced next to a list. */
export class NextAnnouncement {
  readonly subject: Subject;
  /** The agents in the email, newest first. */
  readonly agents: readonly PublishedAgent[];
  /** Its name in messages. */
  readonly name: string;

  constructor(subject: Subject, name: string, agents: readonly PublishedAgent[]) {
    this.subject = subject;
    this.name = name;
    this.agents = agents;
  }

  /**
   * The announcement of the newest agent to a list or, if `weekly`, of the newest seven. Null without agents.
   *
   * Throws OperationError if the settings have no postal address, which emails to subscribers must have.
   */
  static of(site: Site, { list, weekly = false }: { list: ListName; weekly?: boolean }): NextAnnouncement | null {
    const { settings } = site;
    const [newest] = site.agents;
    if (newest === undefined) return null;
    if (settings.postalAddress === undefined) {
      throw new OperationError(
        'The settings have no postal address, which the law of many countries requires in emails to subscribers. Set `postalAddress` in catalog.config.json.',
      );
    }
    const { date, slug, title, document } = newest;
    const agents = weekly ? site.agents.slice(0, digestLength) : [newest];
    // An address that no text contains.
    const mark = `https://unsubscribe.invalid/${randomBytes(16).toString('hex')}`;
    const week = list === 'daily' ? 'weekly' : `${list}-weekly`;
    const subject: Subject = {
      key: `catalog:${settings.feedId}:${weekly ? `${week}:${isoWeek(date)}` : `${list}:${date}`}`,
      day: date,
      kind: weekly ? 'digest' : 'issue',
      list,
      agent: { date, slug, title, url: document.url },
      mail: { ...(weekly ? digestMail(site, agents, mark) : issueMail(site, newest, mark)), mark },
    };
    const name = weekly ? `the digest of week ${isoWeek(date)}` : `No. ${newest.issue}, “${title}”`;
    return new NextAnnouncement(subject, name, agents);
  }

  /** Sends what is new to a list, exactly once. Throws OperationError if it refuses, with the reason. */
  async announce(options: AnnounceOptions): Promise<Announced> {
    const { subject } = this;
    const done = await this.#nothingToDo(options);
    if (done !== null) return done;
    const claim = await options.journal.claim(subject.key);
    try {
      // Another process may have sent it since the check.
      if (claim.announcement.state === 'sent') return this.#alreadySent(claim.announcement.since);
      this.#refuseChanged(options.sender, claim.announcement);
      return { ...(await options.sender.send(subject, claim)), key: subject.key };
    } finally {
      await claim.release();
    }
  }

  /** Says what `announce` would do. Changes nothing. */
  async rehearse(options: AnnounceOptions): Promise<Announced> {
    const { name, subject } = this;
    const { journal, sender } = options;
    const done = await this.#nothingToDo(options);
    if (done !== null) return done;
    if (await sender.isSent(subject)) return this.#alreadySent();
    const begun = await journal.read(subject.key);
    if (begun !== null) this.#refuseChanged(sender, begun);
    const audience = await sender.audience();
    const message =
      begun?.deliveries && isSmtp(sender)
        ? this.#wouldContinue(begun)
        : `Would send ${name} with ${sender.name} to ${audience}.`;
    return { outcome: 'dry-run', key: subject.key, message };
  }

  /** Emails over SMTP whose outcome is unknown. */
  async uncertainMails(journal: AnnouncementJournal, readers: Readers): Promise<UncertainMail[]> {
    const { key } = this.subject;
    const mails = [];
    for (const [id, state] of (await journal.read(key))?.deliveries ?? []) {
      if (state !== 'sending') continue;
      const [subscription] = await readers.find({ id });
      mails.push({ id, recipient: subscription?.email ?? null, messageHash: messageHash(key, id) });
    }
    return mails;
  }

  /**
   * Stores what a person found out about emails whose outcome is unknown. Returns what was stored.
   *
   * Throws OperationError, and stores nothing, if an email that is named has no unknown outcome, or if none has.
   */
  async resolve(journal: AnnouncementJournal, decisions: readonly Decision[], readers: Readers): Promise<string> {
    const { key } = this.subject;
    if ((await journal.read(key)) === null) throw new OperationError(`No email of ${this.name} is recorded here.`);
    const claim = await journal.claim(key);
    try {
      const mails = await this.uncertainMails(journal, readers);
      return mails.length > 0
        ? await this.#settle(claim, decisions, mails)
        : await this.#settleCampaign(claim, decisions);
    } finally {
      await claim.release();
    }
  }

  /** Why nothing is to be sent now; null if it is, and all of its agents are online. */
  async #nothingToDo({ late, now, journal, ...options }: AnnounceOptions): Promise<Announced | null> {
    const { key, kind, day } = this.subject;
    const announcement = await journal.read(key);
    if (announcement?.state === 'sent') return this.#alreadySent(announcement.since);
    const published = this.agents[0]?.published ?? now;
    if (!late && now.getTime() - published.getTime() > longestMs[kind]) {
      const what = announcement === null ? 'was not announced' : 'was not announced completely';
      return {
        outcome: 'nothing-new',
        key,
        message: `Nothing is new: the newest agent is from ${day}, and ${this.name} ${what}. To send it anyway, add --late.`,
      };
    }
    for (const agent of this.agents) await (options.checkLive ?? checkLive)(agent);
    return null;
  }

  #alreadySent(since?: string): Announced {
    const when = since === undefined ? 'before' : `on ${since.slice(0, 10)} at ${since.slice(11, 16)} UTC`;
    return {
      outcome: 'announced-already',
      key: this.subject.key,
      message: `Nothing to do: ${this.name} was announced ${when}.`,
    };
  }

  /** Throws OperationError if the service was changed after emails were sent: the new one does not know to which readers. */
  #refuseChanged(sender: Sender, begun: Announcement): void {
    const { accepted, sending } = countDeliveries(begun);
    if (isSmtp(sender) ? begun.state !== 'sending' : accepted + sending === 0) return;
    throw new OperationError(
      `Nothing was sent. An earlier run began to send ${this.name} with another service, so readers could get it twice. The next announcement will be sent with this one.`,
    );
  }

  /** Says how many emails an earlier run left to send over SMTP. */
  #wouldContinue(begun: Announcement): string {
    const { waiting, deferred, sending } = countDeliveries(begun);
    const left = `${waiting + deferred} of ${plural(begun.deliveries?.size ?? 0, 'email')}`;
    const rest = sending === 0 ? '' : ` Perhaps sent, so not repeated: ${sending}.`;
    return `Would continue ${this.name}, which an earlier run began. Not sent yet: ${left}.${rest}`;
  }

  async #settle(claim: Claim, decisions: readonly Decision[], mails: readonly UncertainMail[]): Promise<string> {
    const { name } = this;
    const settled = new Map<string, boolean>();
    for (const { mail, sent } of decisions) {
      const identifier = mail?.toLowerCase().replace(/^<|>$/g, '');
      const named = mails.filter(
        ({ recipient, messageHash: hash }) =>
          identifier === undefined || recipient?.toLowerCase() === identifier || identifier.split('@')[0] === hash,
      );
      if (named.length === 0)
        throw new OperationError(`No email of ${name} that matches ${mail} has an unknown outcome.`);
      for (const { id } of named) settled.set(id, sent);
    }
    for (const [id, sent] of settled)
      await claim.append({ type: 'delivery', id, state: sent ? 'accepted' : 'deferred' });
    const { waiting, deferred, sending } = countDeliveries(claim.announcement);
    if (sending + waiting + deferred === 0) await claim.append({ type: 'sent' });
    const lines = [true, false].flatMap((sent) => {
      const count = [...settled.values()].filter((each) => each === sent).length;
      return count === 0 ? [] : [`${plural(count, 'email')} of ${name} will ${willBe(sent)}.`];
    });
    if (sending > 0) lines.push(`Still unknown: ${sending}.`);
    return lines.join(' ');
  }

  async #settleCampaign(claim: Claim, decisions: readonly Decision[]): Promise<string> {
    const { name } = this;
    const { draft, state } = claim.announcement;
    const [decision] = decisions;
    if (state === 'sent' || (state === 'claimed' && draft === null) || decision === undefined)
      throw new OperationError(`No email of ${name} has an unknown outcome.`);
    if (decision.mail !== null || decisions.length > 1)
      throw new OperationError(
        `The provider sends ${name} to all readers at once: use --resolve sent or --resolve unsent.`,
      );
    if (decision.sent) await claim.append({ type: 'sent' });
    else await claim.append({ type: 'unsent', ...(draft === null ? {} : { draft }) });
    return `${name} will ${willBe(decision.sent)}.`;
  }
}

const liveAgent = z.object({ agent: z.object({ slug: z.string(), issue: z.int(), prompt: z.string() }) });

/**
 * Checks that the page of an agent is online with the number and the prompt that the email has. Throws OperationError with
 * the reason if it is not.
 */
async function checkLive({ slug, issue, texts, document }: PublishedAgent): Promise<void> {
  const refuse = (reason: string) => new OperationError(`The page is not live, so nothing was sent. ${reason}`);
  const limits = { signal: AbortSignal.timeout(15_000), maxBytes: 0, redirects: 20 };
  const page = await httpRequest(document.url, limits).catch(() => null);
  await page?.discard();
  if (page === null) throw refuse(`${document.url} does not answer.`);
  if (!page.ok) throw refuse(`${document.url} returned status ${page.status}.`);
  const live = await fetchJson(document.apiUrl, liveAgent);
  if ('problem' in live) throw refuse(live.problem);
  const { agent } = live.value;
  if (agent.slug === slug && agent.issue === issue && agent.prompt === texts().prompt) return;
  throw refuse(`${document.apiUrl} has a different number or prompt than this folder. Publish and deploy first.`);
}
