import { resolve } from 'node:path';
import { plural } from '../../lib/text.ts';
import { programPage } from '../../program.ts';
import type { Console } from '../console.ts';
import {
  type CatalogCommand,
  type CommonFlags,
  namedAgents,
  noticeOldCopies,
  printForMachines,
  slugOf,
} from '../options.ts';

type Flags = Pick<CommonFlags, 'cwd' | 'today' | 'format'>;

export function addValidate(program: CatalogCommand, terminal: Console): void {
  program
    .command('validate')
    .description('list every problem of all agents or the named ones, and how to fix it')
    .argument('[slug...]', 'agents to report on, by slug or path; default: all')
    .share('cwd', 'today')
    .formats('pretty', 'json', 'github')
    .explain(
      '\nExamples:\n  $ catalog validate\n  $ catalog validate release-notes\n  $ catalog validate agents/release-notes/agent.md\n  $ catalog validate --format json\n',
    )
    .action((slugs: string[], flags: Flags) => validate(slugs, flags, terminal));
}

async function validate(named: string[], flags: Flags, terminal: Console): Promise<void> {
  const { hasErrors, prettyReport } = await import('../../schema/diagnostics/report.ts');
  const { checkCatalog } = await import('../../build/validate.ts');
  noticeOldCopies(resolve(flags.cwd), terminal);
  const only = named.length === 0 ? undefined : new Set(named.map((argument) => slugOf(argument, flags.cwd)));
  const { folders, drafts, diagnostics, countFixable } = await checkCatalog(
    resolve(flags.cwd),
    { ...flags, named: only },
    process.env,
    (task, done, total) => {
      if (flags.format !== 'json') terminal.progress(task, done, total);
    },
  );
  // A published agent that was deleted has no folder but has an error.
  const allowed = new Set([...folders, ...diagnostics.map(({ slug }) => slug)]);
  const slugs = await namedAgents(named, flags.cwd, folders, allowed);
  const reported = diagnostics.filter(({ slug }) => slugs.length === 0 || slug === null || slugs.includes(slug));

  const { format } = flags;
  if (format !== 'pretty') {
    await printForMachines({ diagnostics: reported }, { format, cwd: resolve(flags.cwd), terminal });
  } else if (reported.length > 0) {
    terminal.print(`${prettyReport(reported, { color: terminal.colorData })}\n`);
    terminal.say(`Every rule is explained at ${programPage('docs/rules.md')}\n`);
    const fixable = countFixable(reported);
    const [fix, problems] = [['fix', ...slugs, '--write'].join(' '), plural(reported.length, 'problem')];
    if (fixable > 0) terminal.say(`npx --no daily-agent-catalog ${fix} solves ${fixable} of ${problems}.\n`);
  }
  const count = slugs.length === 0 ? folders.length : slugs.length;
  if (format === 'github') {
    const { writeSummary, validationSummary } = await import('../../publish/github.ts');
    writeSummary(process.env, validationSummary(reported, count));
  }
  if (hasErrors(reported)) terminal.exitCode = 1;
  else if (format === 'pretty') {
    terminal.say(`${plural(count, 'agent')} checked, no errors.\n`);
    for (const slug of slugs) {
      const left = drafts.get(slug);
      if (left !== undefined) {
        const rest = left === 0 ? '' : `replace the ${plural(left, 'placeholder')} that it still has, then `;
        terminal.say(`${slug} is a draft. To publish it on its date, ${rest}remove \`draft: true\` from agent.md.\n`);
      }
    }
  }
}
