import { join } from 'node:path';
import { readTemplates } from '../../../src/build/read-templates.ts';
import { loadContent } from '../../../src/content/load.ts';
import { select } from '../../../src/content/schedule.ts';
import { loadSettings } from '../../../src/content/settings.ts';
import { NextAnnouncement } from '../../../src/mail/announce.ts';
import { type AnnouncementJournal, announcementFiles } from '../../../src/mail/announcement-journal.ts';
import type { Subject } from '../../../src/mail/campaign.ts';
import { makeSite } from '../../../src/site/make-site.ts';
import type { Site } from '../../../src/site/site.ts';

/** What announcing needs, for tests. */

export const postalAddress = 'Test Press, 1 Main Street, Springfield, IL 62701';

/** The site of the catalog in a folder, as `catalog announce` makes it. */
export function siteIn(folder: string, today: string): Site {
  const settings = loadSettings(folder, {}, {});
  const selected = select(loadContent(folder, settings, today), { today });
  return makeSite(readTemplates(folder), settings, selected);
}

/** The announcement of the newest agent in a folder. */
export function planIn(folder: string, today: string): Subject {
  const plan = NextAnnouncement.of(siteIn(folder, today), { list: 'daily' });
  if (plan === null) throw new Error('The catalog is empty.');
  return plan.subject;
}

export const journalIn = (folder: string, now: () => Date = () => new Date()) =>
  announcementFiles(join(folder, 'announcements'), { now, warn: () => {} });

/** Says what a person found out about all emails whose outcome is unknown. */
export const resolveAll = (plan: NextAnnouncement, journal: AnnouncementJournal, sent: boolean) =>
  plan.resolve(journal, [{ mail: null, sent }], { find: async () => [] });

/** The announcement of No. 1, with this subject. */
export const announcementOf = (subject: Subject) => new NextAnnouncement(subject, 'No. 1', []);

export { smallSubject } from './announcing-subject.ts';
