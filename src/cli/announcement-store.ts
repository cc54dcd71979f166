import { join } from 'node:path';
import type { AnnouncementJournal } from '../announce/journal.ts';
import { databaseUrl } from '../database/url.ts';
import type { SubscriptionRecords } from '../subscribers/provider.ts';
import type { Console } from './console.ts';

/** What `catalog announce` remembers, and whom it sends to if the program keeps the subscribers itself. */
export interface AnnouncementStore {
  journal: AnnouncementJournal;
  /** Undefined if they are in the file of the data folder. */
  records: SubscriptionRecords | undefined;
}

/** Runs `work` with the database in the environment, or else with the files of a data folder. */
export async function withAnnouncements<Result>(
  data: string,
  terminal: Console,
  work: (store: AnnouncementStore) => Promise<Result>,
): Promise<Result> {
  const url = databaseUrl(process.env);
  const now = () => new Date();
  if (url === null) {
    const { announcementFiles } = await import('../announce/journal.ts');
    const warn = (message: string) => terminal.say(`${message}\n`);
    return work({ journal: announcementFiles(join(data, 'announcements'), { now, warn }), records: undefined });
  }
  const { withDatabase } = await import('../database/command.ts');
  const { announcementDatabase } = await import('../announce/database-journal.ts');
  const { databaseRecords } = await import('../subscribers/database.ts');
  return withDatabase(url, (database) =>
    work({ journal: announcementDatabase(database, now), records: databaseRecords(database) }),
  );
}
