import { resolve } from 'node:path';
import { styleText } from 'node:util';
import { type Console, paintedDiff } from '../console.ts';
import type { CatalogCommand, CommonFlags } from '../options.ts';

interface Flags extends Pick<CommonFlags, 'cwd' | 'format'> {
  check?: true;
  keep?: true;
}

export function addUpgrade(program: CatalogCommand, terminal: Console): void {
  program
    .command('upgrade')
    .description('bring the files that init copied to the installed version; yours stay')
    .option('--check', 'write nothing, and exit with 1 if a file is older than the program')
    .option('--keep', 'keep your versions of the files that are shown, and do not show them again')
    .share('cwd')
    .formats('pretty', 'json')
    .explain(
      '\nWorkflows, forms and deployment files are replaced if you never changed them. Of the others, it shows what the\n' +
        'program changed. Agents, settings and README.md are never touched. Install the new version first.\n' +
        '\nExamples:\n  $ catalog upgrade\n  $ catalog upgrade --check\n  $ catalog upgrade --keep\n',
    )
    .action((flags: Flags) => upgradeCatalog(flags, terminal));
}

async function upgradeCatalog(flags: Flags, terminal: Console): Promise<void> {
  const { loadSettings } = await import('../../content/settings.ts');
  const { upgrade } = await import('../../content/new/upgrade.ts');
  const folder = resolve(flags.cwd);
  const { baseUrl } = loadSettings(folder, {}, {});
  const options = { writes: flags.check !== true, keeps: flags.keep === true };
  const result = upgrade(folder, baseUrl, options);
  const open = options.keeps ? [] : result.changed;
  if (flags.check === true && (result.replaced.length > 0 || open.length > 0)) terminal.exitCode = 1;
  if (flags.format === 'json') return terminal.printJson(result);

  const paint = (style: 'bold' | 'red', text: string) => (terminal.colorData ? styleText(style, text) : text);
  const verb = options.writes ? 'Replaced' : 'Older than the program';
  if (result.replaced.length > 0) terminal.print(`${verb}:\n${result.replaced.map((path) => `  ${path}\n`).join('')}`);
  for (const { path, diff } of open)
    terminal.print(`\n${path} has changes of yours. The program's version differs:\n${paintedDiff(diff, paint)}`);
  const end =
    open.length > 0
      ? 'Copy what you want from the lines with `+`, then run npx --no daily-agent-catalog upgrade --keep.'
      : result.replaced.length > 0
        ? options.writes
          ? 'Review the changes with git diff, and commit them.'
          : 'Run npx --no daily-agent-catalog upgrade.'
        : `Every file is of version ${result.to}.`;
  terminal.say(`${end}\n`);
}
