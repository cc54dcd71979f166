import { resolve } from 'node:path';
import type { Changes } from '../../build/dev/watched-catalog.ts';
import { visible } from '../../lib/text.ts';
import type { Diagnostic } from '../../schema/diagnostics/diagnostic.ts';
import type { Console } from '../console.ts';
import { type CatalogCommand, type CommonFlags, cacheFolder } from '../options.ts';

interface Flags extends Pick<CommonFlags, 'cwd' | 'today'> {
  port?: string;
  poll?: boolean;
}

export function addDev(program: CatalogCommand, terminal: Console): void {
  program
    .command('dev')
    .description('preview the site with drafts and scheduled agents, and update it when a file changes')
    .share('cwd', 'today')
    .option('--port <port>', 'port to listen on; 0: any free one (or PORT; default: 3000)')
    .option('--poll', 'check all files every second, for file systems that report no changes')
    .explain(
      '\nOnly this machine can open the preview. Nothing is written to the build folder, and votes and subscriptions are\n' +
        'deleted when the command ends.\n' +
        '\nExamples:\n  $ catalog dev\n  $ catalog dev --port 4000 --today 2026-12-24\n',
    )
    .action((flags: Flags) => dev(flags, terminal));
}

const signals = ['SIGTERM', 'SIGINT', 'SIGHUP'] as const;

/** Runs a preview until a signal comes. `npm run dev` repeats the signal of Ctrl-C, so further ones are ignored. */
async function dev(flags: Flags, terminal: Console): Promise<void> {
  let stop = () => {};
  const stopped = new Promise<void>((received) => {
    stop = received;
  });
  for (const name of signals) process.on(name, stop);
  try {
    const running = await start(flags, terminal);
    await stopped;
    await running.close();
  } finally {
    for (const name of signals) process.off(name, stop);
  }
}

async function start(flags: Flags, terminal: Console) {
  const { startDev } = await import('../../build/dev/preview.ts');
  const { serverLog, prettyLine } = await import('../../server/log.ts');
  const { prettyReport } = await import('../../schema/diagnostics/report.ts');
  const write = (line: string) => terminal.say(prettyLine(line, { color: terminal.color }));
  let reported = '[]';
  const report = (errors: readonly Diagnostic[], isComplete: boolean) => {
    if (errors.length === 0 && !isComplete) return;
    const before = reported;
    reported = JSON.stringify(errors);
    if (reported === before) return;
    if (errors.length === 0) terminal.say('All errors are fixed.\n');
    else terminal.say(`\n${prettyReport(errors, { color: terminal.color })}\n\n`);
  };
  const running = await startDev({
    ...flags,
    cwd: resolve(flags.cwd),
    cache: cacheFolder(process.env),
    environment: process.env,
    poll: flags.poll === true,
    log: serverLog('warn', { write, flushSync() {} }),
    onUpdate({ changes, errors, isComplete, ms }) {
      const what = changes === null ? '' : nameOf(changes);
      if (what !== '')
        terminal.say(`${new Date().toTimeString().slice(0, 8)}  ${what}: updated in ${ms.toFixed(0)} ms\n`);
      report(errors, isComplete);
    },
    onFallback: (code) => terminal.say(`${fallbackText(code)}\n`),
  });
  terminal.say(
    `Preview at ${running.address} with drafts and scheduled agents. It updates when you save a file. Press Ctrl-C to stop.\n`,
  );
  return running;
}

/** Names what changed; empty if everything was only checked again. */
function nameOf({ agents, settings, templates }: Changes): string {
  const slugs = agents === 'all' ? [] : [...agents].map((slug) => `agents/${visible(slug)}`);
  const shown = slugs.length > 3 ? [`${slugs.length} agents`] : slugs;
  return [...shown, ...(settings ? ['settings'] : []), ...(templates ? ['templates'] : [])].join(', ');
}

function fallbackText(code: string): string {
  return code === 'ENOSPC'
    ? 'The system can watch no more files (ENOSPC), so all files are checked every second instead. On Linux, raise the limit with: sudo sysctl fs.inotify.max_user_watches=524288'
    : `The system can open no more files (${code}), so all files are checked every second instead. Raise the limit with: ulimit -n 65536`;
}
