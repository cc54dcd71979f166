import { relative, resolve } from 'node:path';
import type { Command } from 'commander';
import { ContentError } from '../../errors.ts';
import { visible } from '../../text-safety/printable.ts';
import type { Console } from '../console.ts';
import {
  baseUrlOption,
  type CommonFlags,
  cwdOption,
  formatOption,
  openCatalog,
  outFolder,
  outOption,
  printForMachines,
  runtimeUrlOption,
  todayOption,
} from '../options.ts';

interface Flags extends CommonFlags {
  future?: boolean;
  drafts?: boolean;
  skipInvalid?: boolean;
}

export function addBuild(program: Command, terminal: Console): void {
  program
    .command('build')
    .description('check, number and render all published agents and those due today')
    .addOption(cwdOption())
    .addOption(outOption())
    .addOption(todayOption())
    .addOption(baseUrlOption())
    .addOption(runtimeUrlOption())
    .option('--future', 'include agents that are not due yet (a preview)')
    .option('--drafts', 'include drafts (a preview)')
    .option('--skip-invalid', 'skip new agents that have errors instead of failing')
    .addOption(formatOption(['pretty', 'json', 'github']))
    .addHelpText(
      'after',
      '\nExamples:\n  $ catalog build\n  $ catalog build --out preview --future --drafts\n  $ catalog build --base-url https://example.github.io/agents\n',
    )
    .action((flags: Flags) => runBuild(flags, terminal).catch((error) => printErrors(error, flags, terminal)));
}

/** Prints the errors of a failed build to stdout too if a program reads it, and throws the error again. */
async function printErrors(error: unknown, flags: Flags, terminal: Console): Promise<never> {
  if (error instanceof ContentError) {
    await printForMachines(error, { format: flags.format, cwd: resolve(flags.cwd), terminal });
  }
  throw error;
}

async function runBuild(flags: Flags, terminal: Console): Promise<void> {
  const { build } = await import('../../build/build.ts');
  const { cacheFolder } = await import('../../social-image/cache.ts');
  const { plural, prettyReport } = await import('../../diagnostics/report.ts');
  const { cwd, settings, today } = await openCatalog(flags);
  const out = outFolder(flags);
  const { future = false, drafts = false, skipInvalid = false } = flags;
  const begun = performance.now();
  const result = build({
    cwd,
    out,
    settings,
    cache: cacheFolder(process.env),
    today,
    future,
    drafts,
    skipInvalid,
  });
  const { info, written, warnings, skipped, historyMissing } = result;

  if (warnings.length > 0) {
    terminal.say(
      `${prettyReport(warnings, { color: terminal.color })}\nThe build ignores these errors: they are in agents that it does not publish.\n\n`,
    );
  }
  for (const slug of skipped) terminal.say(`Skipped: ${visible(slug)} has errors. Fix them to publish it.\n`);
  if (historyMissing !== null) terminal.say(`${historyMissing}\n`);
  if (flags.format === 'github') {
    const { writeOutputs } = await import('../../github/step-files.ts');
    writeOutputs(process.env, { id: info.id });
  }
  if (flags.format === 'json') {
    terminal.printJson({ today, ...info, written, skipped, warnings });
    return;
  }
  const seconds = ((performance.now() - begun) / 1000).toFixed(2);
  terminal.say(
    `Built ${plural(info.counts.agents, 'agent')} for ${today} into ${flags.out ?? relative(flags.cwd, out)}: ${plural(info.counts.files, 'file')}, ` +
      `${written.changed} changed, ${written.removed} removed (build ${info.id.slice(0, 12)}, ${seconds} s).\n`,
  );
}
