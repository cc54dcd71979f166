import { resolve } from 'node:path';
import { type Console, paintedDiff } from '../console.ts';
import { launcher, withCurrentNames } from '../former-names.ts';
import { type CatalogCommand, type CommonFlags, changingAgents } from '../options.ts';

interface Flags extends Pick<CommonFlags, 'cwd' | 'format'> {
  check?: true;
  keep?: true;
}

export function addUpgrade(program: CatalogCommand, terminal: Console): void {
  program
    .command('upgrade')
    .description('bring files that init copied, and commands in scripts, to the installed version')
    .option('--check', 'write nothing, and exit with 1 if a file is older than the program')
    .option('--keep', 'keep your versions of the files that are shown, and do not show them again')
    .share('cwd')
    .formats('pretty', 'json')
    .explain(
      '\nWorkflows, forms and deployment files are replaced if you never changed them, and otherwise get the changes of\n' +
        'the program. Lines that you both changed stay yours, and are shown. In package.json, README.md and workflows,\n' +
        'renamed commands and flags get their new names. Install the new version first, and commit your changes.\n' +
        '\nExamples:\n  $ catalog upgrade\n  $ catalog upgrade --check\n  $ catalog upgrade --keep\n',
    )
    .action((flags: Flags) => upgradeCatalog(flags, terminal));
}

async function upgradeCatalog(flags: Flags, terminal: Console): Promise<void> {
  const { loadSettings } = await import('../../content/settings.ts');
  const { upgrade } = await import('../../content/new/upgrade.ts');
  const { painter } = await import('../../schema/diagnostics/report.ts');
  const folder = resolve(flags.cwd);
  const { baseUrl } = loadSettings(folder, {}, {});
  const [writes, keeps] = [flags.check !== true, flags.keep === true];
  const result = await changingAgents(flags, terminal, () =>
    upgrade(folder, baseUrl, { writes, keeps, withCurrentNames }),
  );
  const lists = [
    ['Replaced, or new', result.replaced],
    ['Changed by you, now with the changes of the program', result.merged],
    ['With the current names of commands and flags', result.renamed],
  ] as const;
  const written = lists.some(([, paths]) => paths.length > 0);
  const open = keeps ? [] : result.changed;
  if (!writes && (written || open.length > 0)) terminal.exitCode = 1;
  if (flags.format === 'json') return terminal.printJson(result);

  const paint = painter(terminal.colorData);
  for (const [heading, paths] of lists) {
    if (paths.length > 0) terminal.print(`${heading}:\n${paths.map((path) => `  ${path}\n`).join('')}\n`);
  }
  for (const { path, diff } of open)
    terminal.print(
      `You and the program changed ${path}. These lines stay as you wrote them:\n${paintedDiff(diff, paint)}\n`,
    );
  const done = written
    ? writes
      ? 'Review the changes with git add --all && git diff --staged, and commit them.\n'
      : `These files would change. Run ${launcher} upgrade.\n`
    : '';
  const rest =
    open.length > 0 ? `Copy what you want of version ${result.to}, then run ${launcher} upgrade --keep.\n` : '';
  // The list of the files, which this changes too, says of which version they are.
  const isListChanged = result.from !== result.to || (keeps && result.changed.length > 0);
  const how = writes ? 'Commit .catalog/files.json, which says so.' : `To note that, run ${launcher} upgrade.`;
  terminal.say(done + rest || `Every file is of version ${result.to}.${isListChanged ? ` ${how}` : ''}\n`);
}
