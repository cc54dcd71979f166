import { setTimeout as pause } from 'node:timers/promises';
import { type Command, InvalidArgumentError, Option } from 'commander';
import { cacheFolder } from '../../cache-folder.ts';
import type { LiveSite } from '../../deploy/live-site.ts';
import { OperationError } from '../../errors.ts';
import type { Console } from '../console.ts';
import { baseUrlOption, type CommonFlags, cwdOption, openCatalog, runtimeUrlOption, todayOption } from '../options.ts';

interface Flags extends Pick<CommonFlags, 'cwd' | 'today' | 'baseUrl' | 'runtimeUrl'> {
  expect?: string;
  wait: number;
}

export function addCiVerify(ci: Command, terminal: Console): void {
  ci.command('verify')
    .description("check that the live site serves today's build")
    .addOption(cwdOption())
    .addOption(todayOption())
    .addOption(baseUrlOption())
    .addOption(runtimeUrlOption())
    .option('--expect <id>', 'build id to check for; default: the id that a build would have now')
    .addOption(
      new Option('--wait <seconds>', 'keep checking for up to this many seconds')
        .argParser(parseSeconds)
        .default(0, 'check once'),
    )
    .addHelpText(
      'after',
      '\nExit codes: 0 the live site serves that build, 1 it serves another one or does not answer.\n' +
        '\nExamples:\n  $ catalog ci verify\n  $ catalog ci verify --expect 0f3c… --wait 300\n',
    )
    .action((flags: Flags) => verify(flags, terminal));
}

const pauseMs = 5_000;

async function verify(flags: Flags, terminal: Console): Promise<void> {
  const { renderCatalog } = await import('../../build/build.ts');
  const { readLiveSite } = await import('../../deploy/live-site.ts');
  const { cwd, settings, today } = await openCatalog(flags);
  const wanted =
    flags.expect ??
    renderCatalog({ cwd, settings, today, skipInvalid: true, cache: cacheFolder(process.env) }).rendered.info.id;
  const end = Date.now() + flags.wait * 1000;
  for (;;) {
    const problem = await readLiveSite(settings.baseUrl).then(
      (site) => problemOf(site, wanted, settings.baseUrl),
      (error) => {
        if (error instanceof OperationError) return error.message;
        throw error;
      },
    );
    if (problem === null) {
      terminal.say(`${settings.baseUrl} serves build ${wanted.slice(0, 12)}.\n`);
      return;
    }
    if (Date.now() + pauseMs > end) throw new OperationError(problem);
    await pause(pauseMs);
  }
}

function problemOf({ id, problems }: LiveSite, wanted: string, baseUrl: string): string | null {
  if (problems.length > 0) return problems.join(' ');
  if (id === wanted) return null;
  return `${baseUrl} serves build ${id?.slice(0, 12)}, not ${wanted.slice(0, 12)}.`;
}

function parseSeconds(text: string): number {
  if (!/^\d{1,4}$/.test(text)) throw new InvalidArgumentError('It must be a number of seconds.');
  return Number(text);
}
