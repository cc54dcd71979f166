import { relative, resolve } from 'node:path';
import type { Command } from 'commander';
import { ContentError } from '../../diagnostics/diagnostic.ts';
import type { ReportFormat } from '../../diagnostics/report.ts';
import { visible } from '../../text-safety/printable.ts';
import type { Console } from '../console.ts';
import {
  baseUrlOption,
  type CommonFlags,
  cwdOption,
  draftsOption,
  formatOf,
  formatOption,
  futureOption,
  jsonOption,
  openCatalog,
  outFolder,
  outOption,
  printForMachines,
  runtimeUrlOption,
  todayOption,
} from '../options.ts';

interface Flags extends CommonFlags {
  holdBack?: boolean;
  format?: ReportFormat;
}

export function addBuild(program: Command, terminal: Console): void {
  program
    .command('build')
    .description('check, number and render what is due into a folder')
    .addOption(cwdOption())
    .addOption(outOption())
    .addOption(todayOption())
    .addOption(baseUrlOption())
    .addOption(runtimeUrlOption())
    .addOption(futureOption())
    .addOption(draftsOption())
    .option('--hold-back', 'leave out due agents without a number that have an error, in place of failing')
    .addOption(formatOption('how to print what was built'))
    .addOption(jsonOption())
    .addHelpText(
      'after',
      '\nExamples:\n  $ catalog build\n  $ catalog build --out preview --future --drafts\n  $ catalog build --base-url https://example.github.io/agents\n',
    )
    .action((flags: Flags) => runBuild(flags, terminal).catch((error) => explain(error, flags, terminal)));
}

/** Where a machine reads it, a build that cannot be made is told on stdout too; then the error goes its usual way. */
async function explain(error: unknown, flags: Flags, terminal: Console): Promise<never> {
  if (error instanceof ContentError) {
    await printForMachines(error, { format: formatOf(flags), cwd: resolve(flags.cwd), terminal });
  }
  throw error;
}

async function runBuild(flags: Flags, terminal: Console): Promise<void> {
  const { build } = await import('../../build/build.ts');
  const { cacheFolder } = await import('../../social-image/cache.ts');
  const { plural, prettyReport } = await import('../../diagnostics/report.ts');
  const { cwd, settings, today } = await openCatalog(flags);
  const out = outFolder(flags);
  const { future = false, drafts = false, holdBack = false } = flags;
  const begun = performance.now();
  const result = build({
    cwd,
    out,
    settings,
    cache: cacheFolder(process.env),
    today,
    future,
    drafts,
    holdBack,
  });
  const { info, written, warnings, heldBack, historyMissing } = result;

  if (warnings.length > 0) {
    terminal.say(`${prettyReport(warnings, { color: terminal.color })}\nThese errors did not stop the build.\n\n`);
  }
  for (const slug of heldBack) terminal.say(`Held back: ${visible(slug)} has errors. Fix them to have it published.\n`);
  if (historyMissing !== null) terminal.say(`${historyMissing}\n`);
  const format = formatOf(flags);
  if (format === 'github') {
    const { writeOutputs } = await import('../../github/step-files.ts');
    writeOutputs(process.env, { id: info.id });
  }
  if (format === 'json') {
    terminal.printJson({ today, ...info, written, heldBack, warnings });
    return;
  }
  const seconds = ((performance.now() - begun) / 1000).toFixed(2);
  terminal.say(
    `Built ${plural(info.counts.agents, 'agent')} for ${today} into ${flags.out ?? relative(flags.cwd, out)}: ${plural(info.counts.files, 'file')}, ` +
      `${written.changed} changed, ${written.removed} removed (build ${info.id.slice(0, 12)}, ${seconds} s).\n`,
  );
}
