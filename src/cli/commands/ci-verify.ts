import { setTimeout as pause } from 'node:timers/promises';
import { type Command, InvalidArgumentError, Option } from 'commander';
import type { LiveSite } from '../../deploy/live-site.ts';
import { OperationError } from '../../diagnostics/diagnostic.ts';
import type { Console } from '../console.ts';
import { baseUrlOption, type CommonFlags, cwdOption, openCatalog, runtimeUrlOption, todayOption } from '../options.ts';

interface Flags extends Pick<CommonFlags, 'cwd' | 'today' | 'baseUrl' | 'runtimeUrl'> {
  expect?: string;
  wait: number;
}

export function addLive(program: Command, terminal: Console): void {
  program
    .command('live')
    .description('tell whether the live site is what this catalog gives today')
    .addOption(cwdOption())
    .addOption(todayOption())
    .addOption(baseUrlOption())
    .addOption(runtimeUrlOption())
    .option('--expect <id>', 'the id of the build that has to be live, in place of the one that is rendered now')
    .addOption(
      new Option('--wait <seconds>', 'ask again until it is, for so long')
        .argParser(parseSeconds)
        .default(0, 'ask once'),
    )
    .addHelpText(
      'after',
      '\nExit codes: 0 the live site is that build, 1 it is not, or does not answer.\n' +
        '\nExamples:\n  $ catalog live\n  $ catalog live --expect 0f3c… --wait 300\n',
    )
    .action((flags: Flags) => runLive(flags, terminal));
}

const pauseMs = 5_000;

async function runLive(flags: Flags, terminal: Console): Promise<void> {
  const { renderCatalog } = await import('../../build/build.ts');
  const { cacheFolder } = await import('../../social-image/cache.ts');
  const { readLiveSite } = await import('../../deploy/live-site.ts');
  const { cwd, settings, today } = await openCatalog(flags);
  const wanted =
    flags.expect ??
    renderCatalog({ cwd, settings, today, holdBack: true, cache: cacheFolder(process.env) }).rendered.info.id;
  const end = Date.now() + flags.wait * 1000;
  for (;;) {
    const trouble = await readLiveSite(settings.baseUrl).then(
      (site) => troubleOf(site, wanted, settings.baseUrl),
      (error) => {
        if (error instanceof OperationError) return error.message;
        throw error;
      },
    );
    if (trouble === null) {
      terminal.say(`${settings.baseUrl} serves build ${wanted.slice(0, 12)}.\n`);
      return;
    }
    if (Date.now() + pauseMs > end) throw new OperationError(trouble);
    await pause(pauseMs);
  }
}

function troubleOf({ id, faults }: LiveSite, wanted: string, baseUrl: string): string | null {
  if (faults.length > 0) return faults.join(' ');
  if (id === wanted) return null;
  return `${baseUrl} serves build ${id?.slice(0, 12)}, not ${wanted.slice(0, 12)}.`;
}

function parseSeconds(text: string): number {
  if (!/^\d{1,4}$/.test(text)) throw new InvalidArgumentError('It has to be a number of seconds.');
  return Number(text);
}
