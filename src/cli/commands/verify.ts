import { plural } from '../../lib/text.ts';
import type { Copy, Unreadable } from '../../publish/copies.ts';
import type { Verdict } from '../../publish/verify.ts';
import { type Console, paintedDiff } from '../console.ts';
import { type CatalogCommand, type CommonFlags, openCatalog } from '../options.ts';

interface Flags extends Pick<CommonFlags, 'cwd' | 'today' | 'format'> {
  site?: string;
}

export function addVerify(program: CatalogCommand, terminal: Console): void {
  program
    .command('verify')
    .description('identify copies of prompts, skills and plugins, and show how they were changed')
    .argument('<path...>', 'files, folders and zip archives; folders are searched for copies')
    .option('--site <url>', 'compare with the catalog at this address instead of the one in --cwd')
    .share('cwd', 'today')
    .formats('pretty', 'json')
    .explain(
      '\nExit codes: 0 every copy is an unchanged current or earlier revision; 1 a copy is changed, withdrawn or unknown,\n' +
        'or a path has no copy. Other texts in a folder are not counted as unknown.\n' +
        '\nExamples:\n  $ catalog verify prompt.txt --site https://agents.example.com\n' +
        '  $ catalog verify ~/.claude/skills --site https://agents.example.com\n  $ catalog verify old-prompt.txt\n',
    )
    .action((paths: string[], flags: Flags) => verify(paths, flags, terminal));
}

async function verify(paths: string[], flags: Flags, terminal: Console): Promise<void> {
  const { painter } = await import('../../schema/diagnostics/report.ts');
  const { readCopies } = await import('../../publish/copies.ts');
  const verifier = await openVerifier(flags);
  const { published } = verifier;
  const copies: Verdict[] = [];
  const unreadable: Unreadable[] = [];
  let others = 0;
  const compare = async (candidates: Iterable<Copy | Unreadable>) => {
    for (const copy of candidates) {
      if ('problem' in copy) {
        unreadable.push(copy);
        continue;
      }
      const verdict = await verifier.verdict(copy);
      if (verdict.status === 'unknown' && !copy.named) others += 1;
      else copies.push(verdict);
      await compare(copy.nested?.(verdict.agent !== null) ?? []);
    }
  };
  for (const path of paths) {
    const before = copies.length;
    await compare(readCopies(path));
    if (copies.length === before) {
      terminal.exitCode = 1;
      terminal.say(`${path} has no copy of an agent of ${published.name}\n`);
    }
  }
  if (copies.some(({ status }) => /^(?:changed|withdrawn|unknown)$/.test(status))) terminal.exitCode = 1;
  const { complete } = published.revisions;
  if (flags.format === 'json')
    return terminal.printJson({ comparedWith: published.name, complete, copies, others, unreadable });
  const paint = painter(terminal.colorData);
  for (const verdict of copies) terminal.print(`${shown(verdict)}${paintedDiff(verdict.diff, paint)}`);
  for (const { problem } of unreadable) terminal.say(`Not compared: ${problem}\n`);
  if (others > 0) terminal.say(`Left out ${plural(others, 'text')} that no agent has.\n`);
  if (!complete)
    terminal.say(
      `${published.missing ?? ''}\nEarlier revisions are not known, so copies of them look changed.\n`.trimStart(),
    );
}

async function openVerifier(flags: Flags) {
  const { Verifier } = await import('../../publish/verify.ts');
  if (flags.site !== undefined) return Verifier.ofSite(flags.site);
  const { cwd, settings, today } = await openCatalog(flags);
  return Verifier.ofCatalog(cwd, settings, today);
}

const sentences: Record<Verdict['status'], string> = {
  unchanged: 'Unchanged',
  'line-ends': 'Unchanged except for line endings and blank lines at its ends',
  'filled-in': 'Unchanged except for the input that was filled in',
  contained: 'Contains the unchanged prompt',
  changed: 'Changed as shown below',
  withdrawn: 'An agent of this name was withdrawn',
  unknown: 'No published agent has this text',
};

/** The verdict on a copy, and how to fix it. */
function shown({ path, kind, agent, revision, ...details }: Verdict): string {
  const { verdict, status, version, newer, formerSlug } = details;
  const facts = [
    ...(agent === null ? [] : [`${kind} of ${agent.slug} (No. ${agent.issue})`]),
    ...(version === null ? [] : [`version ${version}`]),
    ...(revision === null
      ? []
      : [`${kind === 'prompt' ? '' : 'prompt '}revision ${revision.number} of ${revision.of} (${revision.date})`]),
  ];
  const renamed = `, and its agent was renamed from ${formerSlug} to ${agent?.slug}`;
  const earlier = status === 'changed' ? ', compared with an earlier one' : ', but not the current one';
  const what = `${sentences[status]}${formerSlug !== null ? renamed : newer !== null ? earlier : ''}.`;
  const current = newer === null ? 'a new copy' : kind === 'prompt' ? `the one of ${newer}` : `version ${newer}`;
  const replace = `Replace it with ${current}: ${agent?.url}`;
  const fixes: Record<Verdict['verdict'], string> = {
    same: status === 'contained' ? 'Check the text around it, which was not compared.' : 'There is nothing to do.',
    older: replace,
    renamed: `Remove it, and install ${agent?.slug}: ${agent?.url}`,
    changed: formerSlug === null ? replace : `Remove it, and install ${agent?.slug}: ${agent?.url}`,
    withdrawn: 'Stop using the copy.',
    unknown: 'Find out where it comes from before you use it.',
  };
  return `${path}: ${facts.join(', ') || kind}\n  ${what} ${fixes[verdict]}\n`;
}
