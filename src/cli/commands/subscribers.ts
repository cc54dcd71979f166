import { randomBytes } from 'node:crypto';
import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import { type Command, Option } from 'commander';
import { OperationError } from '../../diagnostics/diagnostic.ts';
import type { SignupEntry } from '../../subscribers/export.ts';
import { type ListName, listNames } from '../../subscribers/provider.ts';
import type { Console } from '../console.ts';
import { cwdOption, dataOption, given, jsonOption, sinceOption, startOf, subcommandFlags } from '../options.ts';

interface FileFlags {
  cwd: string;
  data?: string;
  signups?: string;
}

interface Flags extends FileFlags {
  list?: ListName;
  since?: string;
  csv?: boolean;
  json?: boolean;
}

const signupsOption = () =>
  new Option('--signups <provider>', 'where sign-ups are stored; only file is read here (or CATALOG_SIGNUPS)');

export function addSignups(program: Command, terminal: Console): void {
  const signups = program
    .command('signups')
    .description('list the addresses that signed up, where they are stored in a file')
    .addOption(cwdOption())
    .addOption(dataOption())
    .addOption(signupsOption())
    .addOption(new Option('--list <list>', 'only this list').choices(listNames))
    .addOption(sinceOption())
    .addOption(new Option('--csv', 'print each address on each list, with notes, as CSV').conflicts('json'))
    .addOption(jsonOption())
    .addHelpText(
      'after',
      '\nIt may run beside the server. Notes are in --csv and --json.\n' +
        '\nExamples:\n  $ catalog signups\n  $ catalog signups --list pro --since 2026-11-01\n' +
        '  $ catalog signups --csv > signups.csv\n  $ catalog signups erase reader@example.com\n',
    )
    .action((flags: Flags) => list(flags, terminal));
  signups
    .command('erase')
    .description('remove an address from all lists, with the server stopped')
    .argument('<address>', 'the e-mail address, in any case')
    .addOption(cwdOption())
    .addOption(dataOption())
    .addOption(signupsOption())
    .addHelpText(
      'after',
      '\nIt also removes it from torn lines that were set aside and from rotated files that stand beside signups.jsonl.\n' +
        '\nExamples:\n  $ catalog signups erase reader@example.com\n',
    )
    .action((address: string, _flags: FileFlags, command: Command) =>
      erase(address, subcommandFlags(command), terminal),
    );
}

/** The file of sign-ups. Throws OperationError where they are stored with a provider instead. */
async function signupsFile(flags: FileFlags, environment: NodeJS.ProcessEnv): Promise<string> {
  const { parseSignupSettings, providerNames } = await import('../../subscribers/settings.ts');
  const name = given(flags.signups, environment.CATALOG_SIGNUPS, 'file').trim() || 'file';
  // For its words about a name that there is not.
  if (!providerNames.some((known) => known === name)) parseSignupSettings(flags.signups, environment);
  if (name !== 'file') {
    throw new OperationError(
      `Sign-ups are stored at ${name}, so the addresses are there: list and erase them there. ` +
        'For those that were stored in a file before, add --signups file.',
    );
  }
  return resolve(flags.cwd, given(flags.data, environment.CATALOG_DATA, 'data'), 'signups.jsonl');
}

async function list(flags: Flags, terminal: Console): Promise<void> {
  const file = await signupsFile(flags, process.env);
  const { readSignups } = await import('../../subscribers/export.ts');
  const { toCsv } = await import('../../subscribers/export-csv.ts');
  const { byAddress, signupsText } = await import('../../subscribers/export-text.ts');
  if (!existsSync(file)) terminal.say(`There is no file ${file}: nobody has signed up yet, or it is elsewhere.\n`);
  const unread: number[] = [];
  const warn = ({ line }: Record<string, unknown>) => void unread.push(Number(line));
  const filter = { list: flags.list, since: flags.since === undefined ? undefined : startOf(flags.since) };
  const entries = await readSignups(file, filter, { warn }).catch((error: NodeJS.ErrnoException) => {
    if (error.code === undefined) throw error;
    throw new OperationError(`The file of sign-ups ${file} cannot be read (${error.code}).`, { cause: error });
  });
  if (unread.length > 0) {
    const { leftOut } = await import('../skipped-lines.ts');
    terminal.say(leftOut(file, unread, 'sign-up'));
  }
  const counts = countByList(entries);
  if (flags.json === true) terminal.printJson({ counts, signups: entries });
  else if (flags.csv === true) terminal.print(toCsv(entries));
  else {
    const { plural } = await import('../../diagnostics/report.ts');
    const addresses = byAddress(entries);
    terminal.print(signupsText(addresses));
    const perList = listNames.filter((name) => counts[name] > 0).map((name) => `${counts[name]} ${name}`);
    const all = addresses.length === 1 ? '1 address' : `${addresses.length} addresses`;
    terminal.say(
      `${all}${perList.length === 0 ? '' : `, ${plural(entries.length, 'sign-up')}: ${perList.join(', ')}`}.\n`,
    );
  }
}

function countByList(entries: readonly SignupEntry[]): Record<ListName, number> {
  const count = (name: ListName) => entries.filter(({ list }) => list === name).length;
  return { daily: count('daily'), pro: count('pro'), custom: count('custom') };
}

async function erase(address: string, flags: FileFlags, terminal: Console): Promise<void> {
  const file = await signupsFile(flags, process.env);
  const { eraseAddress } = await import('../../subscribers/erase-address.ts');
  const { plural } = await import('../../diagnostics/report.ts');
  const { visible } = await import('../../text-safety/printable.ts');
  const warn = (message: string) => terminal.say(`${message}\n`);
  const { lines, packed } = await eraseAddress(file, address, { now: () => new Date(), random: randomBytes, warn });
  if (packed.length > 0) terminal.say(`Compressed, and not looked into: ${packed.join(', ')}.\n`);
  if (lines === 0) throw new OperationError(`No sign-up of ${visible(address)} is in ${file}; nothing was changed.`);
  terminal.say(`Erased ${visible(address)}: ${plural(lines, 'line')}.\n`);
}
