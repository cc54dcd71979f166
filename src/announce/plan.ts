import { OperationError } from '../errors.ts';
import { digestMail, issueMail } from '../outputs/mail/mail.ts';
import type { PublishedAgent, Site } from '../outputs/site.ts';
import type { ListName } from '../subscribers/provider.ts';
import { newMark, type Subject } from './senders/sender.ts';

/** What to announce. */
export interface Plan extends Subject {
  /** The agents in the mail, newest first. */
  agents: readonly PublishedAgent[];
  /** What it is called in messages. */
  name: string;
  /** When its newest agent was published. */
  published: Date;
}

/** How many agents a digest has. */
const digestLength = 7;

/**
 * Plans the announcement of the newest agent or, if `weekly`, of the newest seven. Null without agents.
 *
 * Throws OperationError if the settings have no postal address, which mails to subscribers must have.
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
  const mark = newMark();
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
