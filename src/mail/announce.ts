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

/** The agents and the period of an announcement. */
export interface Plan extends Subject {
  /** The agents in the email, newest first. */
  agents: readonly PublishedAgent[];
  /** Its name in messages. */
  name: string;
  /** When its newest agent was published. */
  published: Date;
}

/** How many agents a digest has. */
const digestLength = 7;

/**
 * Plans the announcement of the newest agent or, if `weekly`, of the newest seven. Null without agents.
 *
 * Throws OperationError if the settings have no postal address, which emails to subscribers must have.
 */
export function planAnnouncement(site: Site, { list, weekly }: { list: ListName; weekly: boolean }): Plan | null {
  const { settings } = site;
  const [newest] = site.agents;
  if (newest === undefined) return null;
  if (settings.postalAddress === undefined) {
    throw new OperationError(
      'The settings have no postal address, which the law of many countries requires in emails to subscribers. Set `postalAddress` in catalog.config.json.',
    );
  }
  const { date, slug, title, document, published } = newest;
  const agents = weekly ? site.agents.slice(0, digestLength) : [newest];
  // An address that no text contains.
  const mark = `https://unsubscribe.invalid/${randomBytes(16).toString('hex')}`;
  const week = list === 'daily' ? 'weekly' : `${list}-weekly`;
  return {
    key: `catalog:${settings.feedId}:${weekly ? `${week}:${isoWeek(date)}` : `${list}:${date}`}`,
    day: date,
    kind: weekly ? 'digest' : 'issue',
    list,
    agent: { date, slug, title, url: document.url },
    mail: { ...(weekly ? digestMail(site, agents, mark) : issueMail(site, newest, mark)), mark },
    agents,
    name: weekly ? `the digest of week ${isoWeek(date)}` : `No. ${newest.issue}, “${title}”`,
    published,
  };
}

/** The week of a day, such as 2026-W47 (ISO 8601): the one that has the Thursday nearest to it. */
function isoWeek(day: string): string {
  const thursday = new Date(`${day}T00:00:00Z`);
  thursday.setUTCDate(thursday.getUTCDate() + 4 - (thursday.getUTCDay() || 7));
  const year = thursday.getUTCFullYear();
  const days = (thursday.getTime() - Date.UTC(year, 0, 1)) / 86_400_000;
  return `${year}-W${String(Math.floor(days / 7) + 1).padStart(2, '0')}`;
}

export interface AnnounceOptions {
  site: Site;
  list: ListName;
  weekly: boolean;
  /** Whether to announce an old agent too. */
  late: boolean;
  now: Date;
  journal: AnnouncementJournal;
  /** Opens the sender. Throws UsageError or OperationError if its settings are wrong. */
  sender: Sender;
  /** Throws OperationError with the reason if the page of an agent is not online. */
  checkLive(agent: PublishedAgent): Promise<void>;
}

/** The result of an announcement. `nothing-new` and `announced-already` are no errors: a schedule asks again and again. */
export interface Announced extends Omit<Sent, 'outcome'> {
  outcome: Sent['outcome'] | 'nothing-new' | 'dry-run';
  key: string | null;
}

/** How old an agent may be to be announced: a day for the email, and the time until someone notices that it was not sent. */
const longestMs = { issue: 36 * 3_600_000, digest: 7 * 24 * 3_600_000 };

/** Sends what is new to a list, exactly once. Throws OperationError if it refuses, with the reason. */
export async function announce(options: AnnounceOptions): Promise<Announced> {
  const checked = await check(options);
  if (!('plan' in checked)) return checked;
  const { plan } = checked;
  const claim = await options.journal.claim(plan.key);
  try {
    // Another process may have sent it since the check.
    if (claim.announcement.state === 'sent') return alreadySent(plan, claim.announcement.since);
    refuseChanged(options.sender, plan, claim.announcement);
    return { ...(await options.sender.send(plan, claim)), key: plan.key };
  } finally {
    await claim.release();
  }
}

/** Says what `announce` would do. Changes nothing. */
export async function rehearse(options: AnnounceOptions): Promise<Announced> {
  const checked = await check(options);
  if (!('plan' in checked)) return checked;
  const { plan } = checked;
  if (await options.sender.isSent(plan)) return alreadySent(plan);
  const begun = await options.journal.read(plan.key);
  if (begun !== null) refuseChanged(options.sender, plan, begun);
  const audience = await options.sender.audience();
  const message =
    begun?.deliveries && isSmtp(options.sender)
      ? wouldContinue(plan, begun)
      : `Would send ${plan.name} with ${options.sender.name} to ${audience}.`;
  return { outcome: 'dry-run', key: plan.key, message };
}

const isSmtp = ({ name }: Sender) => name === 'SMTP';

/** Throws OperationError if the service was changed after emails were sent: the new one does not know to which readers. */
function refuseChanged(sender: Sender, { name }: Plan, begun: Announcement): void {
  const { accepted, sending } = countDeliveries(begun);
  if (isSmtp(sender) ? begun.state !== 'sending' : accepted + sending === 0) return;
  throw new OperationError(
    `Nothing was sent. An earlier run began to send ${name} with another service, so readers could get it twice. The next announcement will be sent with this one.`,
  );
}

/** Says how many emails an earlier run left to send over SMTP. */
function wouldContinue({ name }: Plan, begun: Announcement): string {
  const { waiting, deferred, sending } = countDeliveries(begun);
  const left = `${waiting + deferred} of ${plural(begun.deliveries?.size ?? 0, 'email')}`;
  const rest = sending === 0 ? '' : ` Perhaps sent, so not repeated: ${sending}.`;
  return `Would continue ${name}, which an earlier run began. Not sent yet: ${left}.${rest}`;
}

async function check(options: AnnounceOptions): Promise<{ plan: Plan } | Announced> {
  const { site, late, now, journal, checkLive } = options;
  const plan = planAnnouncement(site, options);
  if (plan === null) return { outcome: 'nothing-new', key: null, message: 'Nothing was ever published.' };
  const announcement = await journal.read(plan.key);
  if (announcement?.state === 'sent') return alreadySent(plan, announcement.since);
  if (!late && now.getTime() - plan.published.getTime() > longestMs[plan.kind]) {
    const what = announcement === null ? 'was not announced' : 'was not announced completely';
    return {
      outcome: 'nothing-new',
      key: plan.key,
      message: `Nothing is new: the newest agent is from ${plan.day}, and ${plan.name} ${what}. To send it anyway, add --late.`,
    };
  }
  for (const agent of plan.agents) await checkLive(agent);
  return { plan };
}

function alreadySent({ key, name }: Plan, since?: string): Announced {
  const when = since === undefined ? 'before' : `on ${since.slice(0, 10)} at ${since.slice(11, 16)} UTC`;
  return { outcome: 'announced-already', key, message: `Nothing to do: ${name} was announced ${when}.` };
}

/** A person's decision about emails whose outcome is unknown. */
export interface Decision {
  /** The address or the Message-ID of an email. Null: all of them. */
  mail: string | null;
  sent: boolean;
}

/** Emails over SMTP whose outcome is unknown. The address is null if it was erased. */
export async function uncertainMails(
  { key }: Plan,
  journal: AnnouncementJournal,
  subscriptions: Pick<SubscriptionStore, 'find'>,
): Promise<{ id: string; recipient: string | null; messageHash: string }[]> {
  const mails = [];
  for (const [id, state] of (await journal.read(key))?.deliveries ?? []) {
    if (state !== 'sending') continue;
    const [subscription] = await subscriptions.find({ id });
    mails.push({ id, recipient: subscription?.email ?? null, messageHash: messageHash(key, id) });
  }
  return mails;
}

/**
 * Stores what a person found out about emails whose outcome is unknown. Returns what was stored.
 *
 * Throws OperationError, and stores nothing, if an email that is named has no unknown outcome, or if none has.
 */
export async function resolve(
  plan: Plan,
  journal: AnnouncementJournal,
  decisions: readonly Decision[],
  subscriptions: Pick<SubscriptionStore, 'find'>,
): Promise<string> {
  if ((await journal.read(plan.key)) === null) throw new OperationError(`No email of ${plan.name} is recorded here.`);
  const claim = await journal.claim(plan.key);
  try {
    const mails = await uncertainMails(plan, journal, subscriptions);
    return mails.length > 0
      ? await settle(claim, plan, decisions, mails)
      : await settleCampaign(claim, plan, decisions);
  } finally {
    await claim.release();
  }
}

async function settle(
  claim: Claim,
  { name }: Plan,
  decisions: readonly Decision[],
  mails: Awaited<ReturnType<typeof uncertainMails>>,
): Promise<string> {
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
  for (const [id, sent] of settled) await claim.append({ type: 'delivery', id, state: sent ? 'accepted' : 'deferred' });
  const { waiting, deferred, sending } = countDeliveries(claim.announcement);
  if (sending + waiting + deferred === 0) await claim.append({ type: 'sent' });
  const lines = [true, false].flatMap((sent) => {
    const count = [...settled.values()].filter((each) => each === sent).length;
    return count === 0 ? [] : [`${plural(count, 'email')} of ${name} will ${willBe(sent)}.`];
  });
  if (sending > 0) lines.push(`Still unknown: ${sending}.`);
  return lines.join(' ');
}

async function settleCampaign(claim: Claim, { name }: Plan, decisions: readonly Decision[]): Promise<string> {
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

const willBe = (sent: boolean) => (sent ? 'not be sent again' : 'be sent by the next run');

const liveAgent = z.object({ agent: z.object({ slug: z.string(), issue: z.int(), prompt: z.string() }) });

/**
 * Checks that the page of an agent is online with the number and the prompt that the email has. Throws OperationError with
 * the reason if it is not.
 */
export async function checkLive({ slug, issue, texts, document }: PublishedAgent): Promise<void> {
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
