import { resolve } from 'node:path';
import { setFlagsFromString } from 'node:v8';
import { Option } from 'commander';
import { variables, variablesText } from '../../mail/variables.ts';
import type { RunningServer } from '../../server/app.ts';
import { type ServerFlags, serverOptions } from '../../server/options.ts';
import type { Console } from '../console.ts';
import type { CatalogBuilder } from '../nightly-build.ts';
import type { CatalogCommand, CommonFlags } from '../options.ts';

interface Flags extends ServerFlags, Pick<CommonFlags, 'cwd' | 'baseUrl' | 'runtimeUrl'> {
  build?: boolean;
}

export function addServe(program: CatalogCommand, terminal: Console): void {
  const command = program
    .command('serve')
    .description('serve a build, and accept votes and subscriptions')
    .share('cwd')
    .option('--build', 'build first, and again at midnight in the time zone of the catalog')
    .share('baseUrl', 'runtimeUrl');
  for (const { flag, variable, fallback, about } of Object.values(serverOptions)) {
    command.addOption(new Option(flag, `${about} (or ${variable}${fallback === '' ? '' : `; default: ${fallback}`})`));
  }
  command
    .explain(
      '\nWith --build, the base URL is --base-url, then CATALOG_BASE_URL, else http://localhost:<port>.\n' +
        'Without --build, the build contains the addresses, and the flags have no effect.\n' +
        '\nDATABASE_URL is the PostgreSQL database for votes, subscribers and rate limits. Without it, they stay on this machine.\n' +
        '\nEnvironment variables for subscriptions and emails:\n' +
        variablesText({ ...variables.subscribers, ...variables.mail }) +
        '\n\nSIGHUP reopens the log files after a rotation; SIGTERM finishes open requests and exits.\n' +
        'The log goes to stdout: as text in a terminal, as JSON elsewhere.\n' +
        '\nExamples:\n  $ catalog serve --build\n  $ catalog serve --out dist --data /var/lib/catalog --port 8080\n' +
        '  $ catalog serve --host 0.0.0.0 --trust-proxy 1 --vote-rate 10/60\n',
    )
    .action((flags: Flags) => serve(flags, terminal));
}

async function serve(flags: Flags, terminal: Console): Promise<void> {
  // V8 allocates everything in the young space. Otherwise it may begin to allocate some objects of each request in the old
  // space, depending on the first thousands of requests. Once such an object is unused, it keeps its whole request in memory
  // until the next full collection. Votes then take twice the processor time, with pauses of 20 ms.
  setFlagsFromString('--no-allocation-site-pretenuring');
  const { requireBuild } = await import('../../storage/build-folder.ts');
  const { siteRules } = await import('../../site/hosting/site-rules.ts');
  const { serverSettings } = await import('../../server/settings.ts');
  const { isLoopback } = await import('../../server/forms.ts');
  const { startServer } = await import('../../server/app.ts');
  const { serverLog, terminalDestination } = await import('../../server/log.ts');
  const cwd = resolve(flags.cwd);
  const settings = serverSettings(flags, process.env, cwd);
  const log = serverLog(
    settings.logLevel,
    process.stdout.isTTY === true ? terminalDestination({ color: terminal.colorData }) : undefined,
  );
  let builder: CatalogBuilder | null = null;
  if (flags.build === true) {
    const { CatalogBuilder } = await import('../nightly-build.ts');
    builder = new CatalogBuilder({ cwd, dist: settings.dist, flags, environment: process.env, terminal, log: log.log });
  } else {
    requireBuild(settings.dist);
    if (flags.baseUrl !== undefined || flags.runtimeUrl !== undefined)
      terminal.say('--base-url and --runtime-url have no effect without --build: a build contains its addresses.\n');
  }

  let running: RunningServer | undefined;
  const stopped = new Promise<NodeJS.Signals>((received) => {
    for (const name of ['SIGTERM', 'SIGINT'] as const) process.once(name, received);
  });
  process.on('SIGHUP', () => {
    running?.reopen().catch((error) => log.log.error({ err: error }, 'cannot reopen the log files'));
  });
  process.on('uncaughtException', (error) => {
    log.log.fatal({ err: error }, 'the server stops because of a bug');
    log.flush();
    process.exit(1);
  });
  running = await startServer(settings, { log, rules: siteRules, prepare: (port) => builder?.start(port) });
  if (!isLoopback(settings.host) && running.isPreview) {
    log.log.warn('other machines can open this preview, which may show drafts and agents that are not due yet');
  }
  terminal.say(`Serving the catalog at ${running.address}\n`);
  log.log.info({ signal: await stopped }, 'stopping');
  builder?.stop();
  await running.close();
}
