import type { Command } from 'commander';
import { plural } from '../../plural.ts';
import type { Verdict } from '../../verify/verify.ts';
import type { Console } from '../console.ts';
import { type CommonFlags, cwdOption, formatOption, openCatalog, todayOption } from '../options.ts';
import { paintedDiff } from '../painted-diff.ts';

interface Flags extends Pick<CommonFlags, 'cwd' | 'today' | 'format'> {
  site?: string;
}

export function addVerify(program: Command, terminal: Console): void {
  program
    .command('verify')
    .description('identify copies of prompts, skills and plugins, and show how they were changed')
    .argument('<path...>', 'files, folders and zip archives; folders are searched for copies')
    .option('--site <url>', 'compare with the catalog at this address instead of the one in --cwd')
    .addOption(cwdOption())
    .addOption(todayOption())
    .addOption(formatOption())
    .addHelpText(
      'after',
      '\nExit codes: 0 every copy is an unchanged current or earlier revision; 1 a copy is changed, withdrawn or unknown.\n' +
        'Other texts in a folder are not counted as unknown.\n' +
        '\nExamples:\n  $ catalog verify prompt.txt --site https://agents.example.com\n' +
        '  $ catalog verify ~/.claude/skills --site https://agents.example.com\n  $ catalog verify old-prompt.txt\n',
    )
    .action((paths: string[], flags: Flags) => verify(paths, flags, terminal));
}

async function verify(paths: string[], flags: Flags, terminal: Console): Promise<void> {
  const { painter } = await import('../../diagnostics/report.ts');
  const { readCopies } = await import('../../verify/read-copies.ts');
  const { Verifier } = await import('../../verify/verify.ts');
  const { published, missing } = await open(flags);
  const verifier = new Verifier(published);
  const copies: Verdict[] = [];
  const unreadable: { path: string; problem: string }[] = [];
  let others = 0;
  for (const path of paths) {
    const before = copies.length;
    for (const copy of readCopies(path)) {
      if ('problem' in copy) {
        unreadable.push(copy);
        continue;
      }
      const verdict = await verifier.verdict(copy);
      if (verdict.status === 'unknown' && !copy.named) others += 1;
      else copies.push(verdict);
    }
    if (copies.length === before) {
      terminal.exitCode = 1;
      terminal.say(`${path} has no copy of an agent of ${published.name}\n`);
    }
  }
  if (copies.some(({ status }) => /^(?:changed|withdrawn|unknown)$/.test(status))) terminal.exitCode = 1;
  const { complete } = published.revisions;
  if (flags.format === 'json') {
    terminal.printJson({ comparedWith: published.name, complete, copies, others, unreadable });
    return;
  }
  const paint = painter(terminal.colorData);
  for (const verdict of copies) terminal.print(`${shown(verdict)}${paintedDiff(verdict.diff, paint)}`);
  for (const { problem } of unreadable) terminal.say(`Not compared: ${problem}\n`);
  if (others > 0) terminal.say(`Left out ${plural(others, 'text')} that no agent has.\n`);
  if (!complete)
    terminal.say(`${missing ?? ''}\nEarlier revisions are not known, so copies of them look changed.\n`.trimStart());
}

async function open(flags: Flags) {
  const { publishedIn, publishedOn } = await import('../../verify/published.ts');
  if (flags.site !== undefined) return { published: await publishedOn(flags.site), missing: null };
  const { cwd, settings, today } = await openCatalog(flags);
  return publishedIn(cwd, settings, today);
}

const sentences: Record<Verdict['status'], string> = {
  unchanged: 'Unchanged.',
  'line-ends': 'Unchanged except for line endings and blank lines at its ends.',
  'filled-in': 'Unchanged except for the input that was filled in.',
  contained: 'Contains the unchanged prompt. The text around it was not compared.',
  changed: 'Changed:',
  withdrawn: 'An agent of this name was withdrawn. Stop using the copy.',
  unknown: 'No published agent has this text.',
};

function shown({ path, kind, status, agent, revision, version, newer }: Verdict): string {
  const facts = [
    ...(agent === null ? [] : [`${kind} of ${agent.slug} (No. ${agent.issue})`]),
    ...(version === null ? [] : [`version ${version}`]),
    ...(revision === null
      ? []
      : [`${kind === 'prompt' ? '' : 'prompt '}revision ${revision.number} of ${revision.of} (${revision.date})`]),
  ];
  const update = newer === null ? '' : ` A newer one exists (${newer}): ${agent?.url}`;
  return `${path}: ${facts.join(', ') || kind}\n  ${sentences[status]}${update}\n`;
}
