import { randomBytes } from 'node:crypto';
import { existsSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { type Command, Option } from 'commander';
import { OperationError } from '../../errors.ts';
import type { SubscriberEntry } from '../../subscribers/export.ts';
import { type ListName, listNames } from '../../subscribers/provider.ts';
import type { Console } from '../console.ts';
import {
  cwdOption,
  dataOption,
  type Format,
  formatOption,
  given,
  sinceOption,
  startOf,
  subcommandFlags,
} from '../options.ts';

interface FileFlags {
  cwd: string;
  data?: string;
  file?: string;
}

interface Flags extends FileFlags {
  list?: ListName;
  since?: string;
  format: Format;
}

const fileOption = () =>
  new Option('--file <file>', 'file with the subscribers (default: signups.jsonl in the data folder)');

export function addSubscribers(program: Command, terminal: Console): void {
  const subscribers = program
    .command('subscribers')
    .description('list subscribers, or erase one, if they are stored in a file')
    .addOption(cwdOption())
    .addOption(dataOption())
    .addOption(fileOption())
    .addOption(new Option('--list <list>', 'only this list').choices(listNames))
    .addOption(sinceOption())
    .addOption(formatOption(['pretty', 'json', 'csv']))
    .addHelpText(
      'after',
      '\nYou can run this command while the server runs. The formats json and csv also contain notes, and have one entry for\n' +
        'each address and list, with what its owner consented to: when, the version of the text of the form, and when it was\n' +
        'confirmed or ended.\n' +
        '\nExamples:\n  $ catalog subscribers\n  $ catalog subscribers --list pro --since 2026-11-01\n' +
        '  $ catalog subscribers --format csv > subscribers.csv\n  $ catalog subscribers erase reader@example.com\n',
    )
    .action((flags: Flags) => list(flags, terminal));
  subscribers
    .command('erase')
    .description('remove an address from all lists; stop the server first')
    .argument('<address>', 'email address; upper and lower case do not matter')
    .addOption(cwdOption())
    .addOption(dataOption())
    .addOption(fileOption())
    .addHelpText(
      'after',
      '\nIt also removes the address from rotated files next to the file, and from incomplete lines that were set aside.\n' +
        'If mails are sent, none is sent to the address any more, unless its owner subscribes and confirms again.\n' +
        '\nExamples:\n  $ catalog subscribers erase reader@example.com\n',
    )
    .action((address: string, _flags: FileFlags, command: Command) =>
      erase(address, subcommandFlags(command), terminal),
    );
}

/** The file of subscribers. Throws OperationError if no file is given and a provider stores the subscribers. */
function subscribersFile(flags: FileFlags, environment: NodeJS.ProcessEnv): string {
  if (flags.file !== undefined) return resolve(flags.cwd, flags.file);
  const provider = environment.CATALOG_SIGNUPS?.trim() || 'file';
  const file = resolve(flags.cwd, given(flags.data, environment.CATALOG_DATA, 'data'), 'signups.jsonl');
  if (provider !== 'file') {
    throw new OperationError(
      `Subscribers are stored at ${provider} (CATALOG_SIGNUPS): list and erase them there. ` +
        `For older ones in a file, add --file ${file}.`,
    );
  }
  return file;
}

async function list(flags: Flags, terminal: Console): Promise<void> {
  const file = subscribersFile(flags, process.env);
  const { readSubscribers } = await import('../../subscribers/export.ts');
  const { toCsv } = await import('../../subscribers/export-csv.ts');
  const { byAddress, subscribersText } = await import('../../subscribers/export-text.ts');
  if (!existsSync(file))
    terminal.say(`${file} does not exist: nobody has subscribed yet, or the file is elsewhere (--data or --file).\n`);
  const unread: number[] = [];
  const warn = ({ line }: Record<string, unknown>) => void unread.push(Number(line));
  const filter = { list: flags.list, since: flags.since === undefined ? undefined : startOf(flags.since) };
  const entries = await readSubscribers(file, filter, { warn }).catch((error: NodeJS.ErrnoException) => {
    if (error.code === undefined) throw error;
    throw new OperationError(`Cannot read ${file} (${error.code}).`, { cause: error });
  });
  if (unread.length > 0) {
    const { skippedLines } = await import('../skipped-lines.ts');
    terminal.say(skippedLines(file, unread));
  }
  const counts = countByList(entries);
  if (flags.format === 'json') terminal.printJson({ counts, subscriptions: entries });
  else if (flags.format === 'csv') terminal.print(toCsv(entries));
  else {
    const { plural } = await import('../../diagnostics/report.ts');
    const addresses = byAddress(entries);
    terminal.print(subscribersText(addresses));
    const perList = listNames.filter((name) => counts[name] > 0).map((name) => `${counts[name]} ${name}`);
    const all = addresses.length === 1 ? '1 address' : `${addresses.length} addresses`;
    terminal.say(
      `${all}${perList.length === 0 ? '' : `, ${plural(entries.length, 'subscription')}: ${perList.join(', ')}`}.\n`,
    );
  }
}

function countByList(entries: readonly SubscriberEntry[]): Record<ListName, number> {
  const count = (name: ListName) => entries.filter(({ list }) => list === name).length;
  return { daily: count('daily'), pro: count('pro'), custom: count('custom') };
}

async function erase(address: string, flags: FileFlags, terminal: Console): Promise<void> {
  const file = subscribersFile(flags, process.env);
  const { eraseAddress } = await import('../../subscribers/erase-address.ts');
  const { plural } = await import('../../diagnostics/report.ts');
  const { visible } = await import('../../text-safety/printable.ts');
  const warn = (message: string) => terminal.say(`${message}\n`);
  const { readMailKey } = await import('../../subscribers/mail-key.ts');
  const key = await readMailKey({ environment: process.env, folder: dirname(file) });
  const { lines, packed } = await eraseAddress(file, address, {
    now: () => new Date(),
    random: randomBytes,
    warn,
    key,
  });
  if (packed.length > 0) terminal.say(`Not searched, because compressed: ${packed.join(', ')}.\n`);
  if (lines === 0) throw new OperationError(`${visible(address)} is not in ${file}; nothing was changed.`);
  terminal.say(`Erased ${visible(address)} (${plural(lines, 'line')}).\n`);
}
