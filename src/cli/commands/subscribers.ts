import { randomBytes } from 'node:crypto';
import { existsSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { domainToASCII } from 'node:url';
import { Option } from 'commander';
import { OperationError, UsageError } from '../../lib/errors.ts';
import { groupBy } from '../../lib/groups.ts';
import { columnsText, compareText, csv, plural, visible } from '../../lib/text.ts';
import type { MailKey } from '../../mail/consent.ts';
import { type ListName, listNames, type StoredSubscription } from '../../mail/provider.ts';
import { databaseUrl } from '../../storage/database.ts';
import { type Console, skippedLines } from '../console.ts';
import {
  type CatalogCommand,
  dataFolder,
  type Format,
  requiredDatabase,
  type StoreFlags,
  startOf,
  subcommandFlags,
  withDatabase,
} from '../options.ts';

interface Flags extends StoreFlags {
  list?: ListName;
  since?: string;
  format: Format;
}

const fileOption = [
  '--file <file>',
  'file with the subscribers (default: the database in DATABASE_URL, else signups.jsonl in the data folder)',
] as const;

export function addSubscribers(program: CatalogCommand, terminal: Console): void {
  const subscribers = program
    .command('subscribers')
    .description('list subscribers, or erase one, if they are stored in a file or a database')
    .share('cwd', 'data')
    .option(...fileOption)
    .addOption(new Option('--list <list>', 'only this list').choices(listNames))
    .share('since')
    // Of version 0.1, where `file` was the only value.
    .addOption(new Option('--subscribers <provider>').hideHelp())
    .formats('pretty', 'json', 'csv')
    .explain(
      '\nYou can run this command while the server runs. The formats json and csv have one entry for each address and\n' +
        'list, with its notes and its record of consent: when it was given, the version of the form text, and when it was\n' +
        'confirmed or ended.\n' +
        '\nExamples:\n  $ catalog subscribers\n  $ catalog subscribers --list pro --since 2026-11-01\n' +
        '  $ catalog subscribers --format csv > subscribers.csv\n  $ catalog subscribers erase reader@example.com\n',
    )
    .action((flags: Flags) => list(flags, terminal));
  subscribers
    .command('erase')
    .description('remove an address from all lists; if they are stored in a file, stop the server first')
    .argument('<address>', 'email address; upper and lower case do not matter')
    .share('cwd', 'data')
    .option(...fileOption)
    .explain(
      '\nIt also removes the address from rotated files next to the file, and from incomplete lines that were set aside.\n' +
        'No more emails are sent to the address, unless its owner subscribes and confirms again.\n' +
        '\nExamples:\n  $ catalog subscribers erase reader@example.com\n',
    )
    .action((address: string, _flags: StoreFlags, command: CatalogCommand) =>
      erase(address, subcommandFlags(command), terminal),
    );
  subscribers
    .command('import')
    .description('copy a file of subscribers, and the announcements next to it, into the database in DATABASE_URL')
    .share('cwd', 'data')
    .option('--file <file>', 'file with the subscribers (default: signups.jsonl in the data folder)')
    .explain(
      '\nIt copies confirmations and erased addresses, too, and leaves out subscriptions that the database already has. Stop the\n' +
        'server that writes to the file first.\n' +
        '\nExamples:\n  $ catalog subscribers import\n',
    )
    .action((_flags: StoreFlags, command: CatalogCommand) => importFile(subcommandFlags(command), terminal));
}

/** Where subscribers are stored: a file, or the database with this URI. */
type Place = { file: string } | { url: string };

/** The file with the subscribers that the flags and the environment name. */
function subscriberFile(flags: StoreFlags): string {
  return flags.file === undefined ? join(dataFolder(flags), 'signups.jsonl') : resolve(flags.cwd, flags.file);
}

/** Throws OperationError if no file is given and a provider stores the subscribers. */
function placeOf(flags: StoreFlags): Place {
  const file = subscriberFile(flags);
  if (flags.file !== undefined) return { file };
  const provider = process.env.CATALOG_SIGNUPS?.trim() || 'file';
  if (provider !== 'file') {
    throw new OperationError(
      `Subscribers are stored at ${provider} (CATALOG_SIGNUPS): list and erase them there. ` +
        `For older ones in a file, add --file ${file}.`,
    );
  }
  const url = databaseUrl(process.env);
  return url === null ? { file } : { url };
}

async function list(flags: Flags, terminal: Console): Promise<void> {
  const place = placeOf(flags);
  const filter = { list: flags.list, since: flags.since === undefined ? undefined : startOf(flags.since) };
  const named = flags.file !== undefined;
  const stored = 'url' in place ? await listDatabase(place.url) : await listFile(place.file, terminal, { named });
  const entries = subscriberEntries(stored, filter);
  const counts = countByList(entries);
  const ofState = (state: ConsentState) => countByList(entries.filter(({ consent }) => stateOf(consent) === state));
  const [confirmed, waiting, unsubscribed] = [ofState('confirmed'), ofState('waiting'), ofState('unsubscribed')];
  if (flags.format === 'json') terminal.printJson({ counts, confirmed, waiting, unsubscribed, subscriptions: entries });
  else if (flags.format === 'csv') terminal.print(toCsv(entries));
  else {
    const addresses = [...groupBy(entries, ({ email }) => [email.toLowerCase()]).values()];
    terminal.print(subscribersText(addresses));
    const shown = (name: ListName) => {
      const states = Object.entries({ confirmed, waiting, unsubscribed }).filter(([, of]) => of[name] > 0);
      const parts = states.map(([state, of]) => `${of[name]} ${state}`);
      return `${counts[name]} ${name}${parts.length === 0 ? '' : ` (${parts.join(', ')})`}`;
    };
    const perList = listNames.filter((name) => counts[name] > 0).map(shown);
    const all = addresses.length === 1 ? '1 address' : `${addresses.length} addresses`;
    terminal.say(
      `${all}${perList.length === 0 ? '' : `, ${plural(entries.length, 'subscription')}: ${perList.join(', ')}`}.\n`,
    );
  }
}

async function listDatabase(url: string): Promise<StoredSubscription[]> {
  const { databaseSubscriptions } = await import('../../mail/subscribers-database.ts');
  return withDatabase(url, (database) => databaseSubscriptions(database).all());
}

/** The subscriptions in a file and its rotated files. If there are none, says so; if a user `named` it, throws OperationError. */
async function listFile(file: string, terminal: Console, { named = true } = {}): Promise<StoredSubscription[]> {
  const { fileSubscriptions } = await import('../../mail/subscribers-file.ts');
  const subscriptions = fileSubscriptions(file);
  const { files, unreadable } = await subscriptions.logs();
  const isMissing = !files.some((name) => existsSync(name));
  if (isMissing && named) throw new OperationError(`The subscriber file ${file} does not exist.`);
  if (isMissing)
    terminal.say(`${file} does not exist: nobody has subscribed yet, or the file is elsewhere (--data or --file).\n`);
  const skipped: { file: string; line: number }[] = [];
  const stored = await subscriptions.all((line, name) => skipped.push({ file: name, line }));
  for (const message of skippedLines(skipped)) terminal.say(message);
  if (unreadable.length > 0) terminal.say(`Not read, because compressed: ${unreadable.join(', ')}.\n`);
  return stored;
}

/** One address on one list, no matter how often it subscribed. */
type SubscriberEntry = ReturnType<typeof subscriberEntries>[number];

type Consent = ReturnType<typeof consentOf>;

/** Whether an address gets the emails of a list: it confirmed, was asked to, or left the list. */
type ConsentState = 'confirmed' | 'waiting' | 'unsubscribed';

/** Returns the state of a consent; null if the address was never asked. */
function stateOf(consent: Consent): ConsentState | null {
  if (consent === null) return null;
  if (consent.unsubscribed !== null) return 'unsubscribed';
  return consent.confirmed === null ? 'waiting' : 'confirmed';
}

/**
 * Joins the subscriptions of each address to each list, in the order of the first ones: of one list, or only those from a time on,
 * including those that repeat an earlier one. The time is the time of the first subscription within the filter: RFC 3339, UTC. The
 * notes are the different ones, oldest first. The consent may be older; it is null if the address was never asked to confirm, as
 * without a mail server.
 */
function subscriberEntries(
  all: readonly StoredSubscription[],
  { list, since }: { list?: ListName | undefined; since?: Date | undefined },
) {
  const inList = all.filter((each) => (list ?? each.list) === each.list);
  const key = ({ list, email }: StoredSubscription) => [`${list} ${email.toLowerCase()}`];
  const consents = groupBy(inList, key);
  const matching = inList.filter(({ time }) => since === undefined || Date.parse(time) >= since.getTime());
  return [...groupBy(matching, key)].map(([name, subscriptions]) => {
    const { time, email, list } = subscriptions[0] as StoredSubscription;
    const notes = [...new Set(subscriptions.map(({ note }) => note).filter((note) => note))] as string[];
    return { time, email, list, notes, consent: consentOf(consents.get(name) ?? []) };
  });
}

/**
 * The consent of an address: the subscription that it last confirmed, or else the last one. The form is the version of the
 * form's text, null if a program subscribed that address.
 */
function consentOf(subscriptions: readonly StoredSubscription[]) {
  const asked = subscriptions.filter(({ pending }) => pending);
  const last =
    asked.findLast(({ confirmed, unsubscribed }) => confirmed !== undefined && unsubscribed === undefined) ??
    asked.findLast(({ confirmed }) => confirmed !== undefined) ??
    asked.at(-1);
  if (last === undefined) return null;
  const { time, form = null, confirmed = null, unsubscribed = null } = last;
  return { requested: time, form, confirmed, unsubscribed };
}

/**
 * Renders the entries as CSV: time, email, list, note, and the consent, whose fields are empty if there is none. Several
 * notes share one field, one on each line.
 */
function toCsv(entries: readonly SubscriberEntry[]): string {
  return csv(
    ['time', 'email', 'list', 'note', 'requested', 'form', 'confirmed', 'unsubscribed'],
    entries.map(({ time, email, list, notes, consent }) => [
      time,
      email,
      list,
      notes.join('\n'),
      ...[consent?.requested, consent?.form, consent?.confirmed, consent?.unsubscribed].map((text) => text ?? ''),
    ]),
  );
}

/**
 * Renders addresses for a terminal, one on each line: address, lists, and when it first subscribed. A list says whether it waits
 * for the confirmation of the address, or the address left it. Empty if there are none.
 */
function subscribersText(addresses: readonly (readonly SubscriberEntry[])[]): string {
  const rows = addresses.map((entries) => {
    const [{ email, time }] = entries as [SubscriberEntry];
    const lists = listNames.flatMap((name) => entries.filter(({ list }) => list === name).map(withState));
    return [visible(email), lists.join(', '), visible(time)];
  });
  return rows.length === 0 ? '' : `${columnsText(rows)}\n`;
}

function withState({ list, consent }: SubscriberEntry): string {
  const state = stateOf(consent);
  return state === null || state === 'confirmed' ? list : `${list} (${state})`;
}

function countByList(entries: readonly SubscriberEntry[]): Record<ListName, number> {
  const count = (name: ListName) => entries.filter(({ list }) => list === name).length;
  return { daily: count('daily'), pro: count('pro'), custom: count('custom') };
}

async function erase(typed: string, flags: StoreFlags, terminal: Console): Promise<void> {
  const place = placeOf(flags);
  // Browsers send the name of a host in ASCII, and that is how it is stored.
  const address = typed.trim().replace(/(?<=@).*\P{ASCII}.*$/u, (host) => domainToASCII(host) || host);
  const { MailKey } = await import('../../mail/consent.ts');
  const folder = 'file' in place ? dirname(place.file) : dataFolder(flags);
  const key = await MailKey.read({ environment: process.env, folder });
  if (key === null && (await wasMailed(address, place))) throw new UsageError(noMailKey(folder));
  const lines =
    'url' in place ? await eraseRows(address, place.url, key) : await eraseLines(address, place.file, key, terminal);
  const where = 'url' in place ? 'the database' : place.file;
  if (lines === 0) throw new OperationError(`${visible(address)} is not in ${where}; nothing was changed.`);
  terminal.say(`Erased ${visible(address)} (${plural(lines, 'url' in place ? 'subscription' : 'line')}).\n`);
}

/** Whether an address was asked to confirm: only then could it get emails once a backup is restored. */
async function wasMailed(address: string, place: Place): Promise<boolean> {
  const { databaseSubscriptions } = await import('../../mail/subscribers-database.ts');
  const { fileSubscriptions } = await import('../../mail/subscribers-file.ts');
  const email = address.trim();
  const subscriptions =
    'url' in place
      ? await withDatabase(place.url, (database) => databaseSubscriptions(database).find({ email }))
      : await fileSubscriptions(place.file)
          .find({ email })
          // Erasing says more about a file that cannot be read.
          .catch(() => []);
  return subscriptions.some(({ pending, confirmed }) => pending || confirmed !== undefined);
}

function noMailKey(folder: string): string {
  return (
    `Nothing was erased. This address was asked to confirm by email, but CATALOG_MAIL_KEY is not set and ${folder} has no mail.key. ` +
    'Without the key, emails to the address could begin again if a backup is restored. Run this command with the settings of the server. ' +
    'If the key is lost, set CATALOG_MAIL_KEY to a new one (openssl rand -hex 32), here and for the server.'
  );
}

async function eraseRows(address: string, url: string, key: MailKey | null): Promise<number> {
  const { databaseSubscriptions } = await import('../../mail/subscribers-database.ts');
  return withDatabase(url, (database) => databaseSubscriptions(database).erase(address, key));
}

async function eraseLines(address: string, file: string, key: MailKey | null, terminal: Console): Promise<number> {
  const { fileSubscriptions } = await import('../../mail/subscribers-file.ts');
  const warn = (message: string) => terminal.say(`${message}\n`);
  const tools = { now: () => new Date(), random: randomBytes, warn, key };
  const { lines, packed } = await fileSubscriptions(file).erase(address, tools);
  if (packed.length > 0) terminal.say(`Not searched, because compressed: ${packed.join(', ')}.\n`);
  return lines;
}

/** Copies the subscribers of a file, with the outcome of each, into the database. */
async function importFile(flags: StoreFlags, terminal: Console): Promise<void> {
  const url = requiredDatabase();
  const file = subscriberFile(flags);
  const { databaseSubscriptions } = await import('../../mail/subscribers-database.ts');
  const { fileSubscriptions } = await import('../../mail/subscribers-file.ts');
  const all = (await listFile(file, terminal)).sort((a, b) => compareText(a.time, b.time));
  const suppressions = await fileSubscriptions(file).suppressions();
  const { announcementDatabase } = await import('../../mail/announcement-journal.ts');
  const added = await withDatabase(url, async (database) => {
    await announcementDatabase(database, () => new Date()).import(join(dirname(file), 'announcements'));
    return databaseSubscriptions(database).import(all, suppressions);
  });
  const existing = all.length - added;
  const rest = existing === 0 ? '' : ` The database already had ${existing}.`;
  terminal.say(`Imported ${plural(added, 'subscription')}.${rest}\n`);
}
