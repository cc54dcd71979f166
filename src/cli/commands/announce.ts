import { statSync } from 'node:fs';
import { join, relative } from 'node:path';
import { InvalidArgumentError, Option } from 'commander';
import { zone } from '../../lib/calendar.ts';
import { OperationError } from '../../lib/errors.ts';
import { makeFolder, replaceFile } from '../../lib/files.ts';
import { plural } from '../../lib/text.ts';
import type { Announced, Decision, NextAnnouncement } from '../../mail/announce.ts';
import type { AnnouncementJournal } from '../../mail/announcement-journal.ts';
import { type ListName, listNames, type SubscriptionStore } from '../../mail/provider.ts';
import { variables, variablesText } from '../../mail/variables.ts';
import { ContentError } from '../../schema/diagnostics/content-error.ts';
import type { Site } from '../../site/site.ts';
import { databaseUrl } from '../../storage/database.ts';
import type { Console } from '../console.ts';
import {
  atMostOneOf,
  type CatalogCommand,
  type CommonFlags,
  dataFolder,
  openContent,
  withDatabase,
} from '../options.ts';

/** The memory of `catalog announce`, and the readers that it sends to if the program keeps the subscribers itself. */
interface AnnouncementStore {
  journal: AnnouncementJournal;
  /** Undefined if they are in the file of the data folder. */
  subscriptions: SubscriptionStore | undefined;
  /** Says which votes or subscribers show that the catalog was used before; undefined if there are none. */
  signOfUse(): Promise<string | undefined>;
}

/** Runs `work` with the database in the environment, or else with the files of a data folder. */
async function withAnnouncements<Result>(
  data: string,
  terminal: Console,
  work: (store: AnnouncementStore) => Promise<Result>,
): Promise<Result> {
  const { announcementFiles, announcementDatabase } = await import('../../mail/announcement-journal.ts');
  const url = databaseUrl(process.env);
  const now = () => new Date();
  if (url === null) {
    const warn = (message: string) => terminal.say(`${message}\n`);
    const folder = join(data, 'announcements');
    const signOfUse = async () => {
      const { findLogs } = await import('../../storage/line-file.ts');
      const { files } = await findLogs(process.env.CATALOG_VOTES || join(data, 'votes.jsonl'));
      const hasContent = (path: string) => (statSync(path, { throwIfNoEntry: false })?.size ?? 0) > 0;
      const sign = [join(data, 'signups.jsonl'), ...files].find(hasContent);
      return sign && `${sign} exists, but ${folder}`;
    };
    return work({ journal: announcementFiles(folder, { now, warn }), subscriptions: undefined, signOfUse });
  }
  const { databaseSubscriptions } = await import('../../mail/subscribers-database.ts');
  return withDatabase(url, (database) => {
    const signOfUse = async () => {
      const text = 'SELECT 1 WHERE EXISTS (TABLE catalog_subscriptions) OR EXISTS (TABLE catalog_votes)';
      const [row] = await database.query(text);
      return row && 'The database has votes or subscribers, but its table catalog_announcements';
    };
    const subscriptions = databaseSubscriptions(database);
    return work({ journal: announcementDatabase(database, now), subscriptions, signOfUse });
  });
}

interface Flags extends CommonFlags {
  data?: string;
  list: ListName;
  weekly?: boolean;
  test?: string;
  dryRun?: boolean;
  late?: boolean;
  scheduled?: boolean;
  uncertain?: boolean;
  resolve?: Decision[];
  firstTime?: boolean;
}

export function addAnnounce(program: CatalogCommand, terminal: Console): void {
  program
    .command('announce')
    .description('send the newest agent to subscribers by email, exactly once')
    .share('cwd', 'data', 'baseUrl', 'runtimeUrl', 'today')
    .addOption(new Option('--list <list>', 'the list to send to').choices(listNames).default('daily'))
    .option('--weekly', 'send a digest of the newest seven agents')
    .option('--late', 'also send an agent that is more than 36 hours old')
    .option('--scheduled', 'do nothing before the hour in the settings (announceHour), on the day of the agent')
    .option('--first-time', 'record that nothing was announced before, also with --dry-run, and announce')
    .option('--test <address>', 'send a test to this address, and record nothing')
    .option('--dry-run', 'write the email to mail-preview/ in the data folder, and say what would happen')
    .option('--uncertain', 'list the emails whose outcome is unknown, with address and Message-ID')
    .option(
      '--resolve <outcome>',
      'say what you found out about these emails: sent or unsent for all, <address>=sent or <Message-ID>=unsent for one; can be repeated',
      addDecision,
    )
    .formats('pretty', 'json')
    .explain(
      '\nThe service that stores the subscribers sends the email; `npx --no daily-agent-catalog help serve` describes\n' +
        'CATALOG_SIGNUPS and its key. For subscribers in a file, the mail server in CATALOG_SMTP_URL does.\n' +
        '\nEnvironment variables:\n' +
        variablesText(variables.announcements) +
        '\n\nExit codes: 0 sent, or nothing to send (nothing is new, it was announced before, or it is too early); 1 not sent,\n' +
        'or not to everyone.\n' +
        'You can run this command every hour: it continues an interrupted run, and never sends an email twice.\n' +
        '\nExamples:\n  $ catalog announce --dry-run\n  $ catalog announce --test me@example.com\n  $ catalog announce\n' +
        '  $ catalog announce --weekly\n  $ catalog announce --uncertain\n' +
        '  $ catalog announce --resolve ann@example.com=sent --resolve bob@example.com=unsent\n',
    )
    .action((flags: Flags) => run(flags, terminal));
}

/** Adds the value of a `--resolve`. An address may contain an equals sign. */
function addDecision(text: string, earlier: Decision[] = []): Decision[] {
  const [, mail = null, outcome] = /^(?:(.+)=)?(sent|unsent)$/.exec(text) ?? [];
  if (outcome === undefined)
    throw new InvalidArgumentError('It has to be sent, unsent, <address>=sent, or <Message-ID>=unsent.');
  return [...earlier, { mail, sent: outcome === 'sent' }];
}

async function run(flags: Flags, terminal: Console): Promise<void> {
  const { test, dryRun, uncertain, resolve } = flags;
  atMostOneOf({ '--test': test, '--dry-run': dryRun, '--uncertain': uncertain, '--resolve': resolve });
  try {
    const data = dataFolder(flags);
    const result = await withAnnouncements(data, terminal, (store) => runAnnounce(flags, data, store, terminal));
    if (flags.format === 'json') terminal.printJson(result);
    else if (result.outcome === 'listed') terminal.print(`${result.message}\n`);
    else terminal.say(`${result.message}\n`);
    if (result.outcome === 'incomplete' || result.outcome === 'uncertain') terminal.exitCode = 1;
  } catch (error) {
    if (error instanceof OperationError && flags.format === 'json') {
      terminal.printJson({ outcome: 'refused', message: error.message });
    }
    throw error;
  }
}

type Result = Omit<Announced, 'outcome' | 'key'> & {
  outcome: Announced['outcome'] | 'tested' | 'resolved' | 'listed' | 'too-early';
  key?: string | null;
  /** The emails whose outcome is unknown, with `--uncertain`. */
  emails?: { recipient: string | null; messageId: string }[];
};

async function runAnnounce(flags: Flags, data: string, store: AnnouncementStore, terminal: Console): Promise<Result> {
  const { journal, subscriptions } = store;
  const { NextAnnouncement } = await import('../../mail/announce.ts');
  const { list, late = false } = flags;
  const { site, now } = await openSite(flags);
  const nothing = 'Nothing was ever published.';
  const somethingPlanned = () => {
    const plan = NextAnnouncement.of(site, flags);
    if (plan === null) throw new OperationError(nothing);
    return plan;
  };
  if (flags.resolve !== undefined || flags.uncertain === true) {
    const { fileSubscriptions } = await import('../../mail/subscribers-file.ts');
    const store = subscriptions ?? fileSubscriptions(join(data, 'signups.jsonl'));
    const plan = somethingPlanned();
    if (flags.resolve !== undefined) {
      const message = await plan.resolve(journal, flags.resolve, store);
      return { outcome: 'resolved', key: plan.subject.key, message };
    }
    const { parseSmtpSettings } = await import('../../mail/settings.ts');
    const domain = parseSmtpSettings(process.env)?.from.address.replace(/^.*@/, '') ?? '…';
    const emails = (await plan.uncertainMails(journal, store)).map(({ recipient, messageHash }) => ({
      recipient,
      messageId: `${messageHash}@${domain}`,
    }));
    const lines = emails.map(({ recipient, messageId }) => `\n${recipient ?? '(erased)'}  ${messageId}`);
    const { draft = null, state } = (await journal.read(plan.subject.key)) ?? {};
    const message =
      draft !== null && state === 'sending'
        ? `Whether the provider sent ${plan.name} is not known. Look at ${draft} there.`
        : `${plural(emails.length, 'email')} of ${plan.name} with an unknown outcome${lines.length > 0 ? ':' : '.'}${lines.join('')}`;
    return { outcome: 'listed', key: plan.subject.key, message, emails };
  }
  if (flags.test === undefined) await checkJournal(store, flags.firstTime === true);
  const early = flags.scheduled === true ? tooEarly(site, new Date()) : null;
  if (early !== null) return { outcome: 'too-early', key: null, message: early };
  // An editor can read the email before a sender is set up.
  if (flags.dryRun === true) {
    writePreview(join(data, 'mail-preview'), somethingPlanned(), flags.cwd, terminal);
  }
  const stop = new AbortController();
  const stopping = () => stop.abort();
  const { openSender } = await import('../../mail/senders.ts');
  const { sender, close } = await openSender({
    ...{ list, site: site.settings, data, subscriptions, environment: process.env, signal: stop.signal },
    now: () => new Date(),
    onProgress: (done, total) => {
      if (flags.format !== 'json') terminal.progress('Sending emails', done, total);
    },
  });
  process.once('SIGTERM', stopping).once('SIGINT', stopping);
  try {
    if (flags.test !== undefined) {
      const { subject } = somethingPlanned();
      const mail = { ...subject.mail, subject: `[Test] ${subject.mail.subject}` };
      return { outcome: 'tested', key: subject.key, message: await sender.test({ ...subject, mail }, flags.test) };
    }
    const plan = NextAnnouncement.of(site, flags);
    if (plan === null) return { outcome: 'nothing-new', key: null, message: nothing };
    const options = { late, now, journal, sender };
    return await (flags.dryRun === true ? plan.rehearse(options) : plan.announce(options));
  } finally {
    process.off('SIGTERM', stopping).off('SIGINT', stopping);
    close();
  }
}

/** Refuses to announce if the journal is not with the rest of the data: everyone could get what was sent before. */
async function checkJournal({ journal, signOfUse }: AnnouncementStore, firstTime: boolean): Promise<void> {
  if (firstTime) return (await journal.claim('first-time')).release();
  const sign = (await journal.isEmpty()) ? await signOfUse() : undefined;
  if (sign === undefined) return;
  throw new OperationError(
    `Nothing was sent. ${sign} has no record of what was sent before. Restore it from a backup, or run ` +
      '`npx --no daily-agent-catalog announce --first-time` once if this catalog never announced an agent.',
  );
}

/** The site of the catalog, and the time: with `--today`, the start of that day. */
async function openSite(flags: Flags): Promise<{ site: Site; now: Date }> {
  const { select } = await import('../../content/schedule.ts');
  const { makeSite } = await import('../../site/make-site.ts');
  const { readTemplates } = await import('../../build/read-templates.ts');
  const { cwd, settings, today, content } = await openContent(flags);
  const selected = select(content, { today, skipInvalid: true });
  if (selected.errors.length > 0) throw new ContentError(selected.errors);
  const site = makeSite(readTemplates(cwd), settings, selected);
  return { site, now: flags.today === undefined ? new Date() : zone(settings.timezone).startOfDay(today) };
}

/** Why a schedule should not send the newest agent yet; null if it should. */
function tooEarly({ agents: [newest], settings: { timezone, announceHour } }: Site, now: Date): string | null {
  const { today, hour } = zone(timezone);
  if (newest === undefined || newest.date < today(now) || hour(now) >= announceHour) return null;
  return `Nothing to do yet: No. ${newest.issue} is sent from ${announceHour}:00 on (announceHour, ${timezone}).`;
}

function writePreview(
  folder: string,
  { subject: { mail, key } }: NextAnnouncement,
  cwd: string,
  terminal: Console,
): void {
  const name = key.split(':').slice(-2).join('-');
  makeFolder(folder);
  const unmarked = (text: string) => text.replaceAll(mail.mark, 'https://unsubscribe.invalid/');
  const paths = [join(folder, `${name}.html`), join(folder, `${name}.txt`)] as const;
  replaceFile(paths[0], unmarked(mail.html));
  replaceFile(paths[1], `Subject: ${mail.subject}\n\n${unmarked(mail.text)}`);
  terminal.say(`Wrote ${paths.map((path) => relative(cwd, path).replace(/^\.\..*/, () => path)).join(' and ')}.\n`);
}
