import { Option } from 'commander';
import { fileFormats } from '../../content/import/formats.ts';
import { plural, visible } from '../../lib/text.ts';
import type { Console } from '../console.ts';
import { type CatalogCommand, type CommonFlags, changingAgents, openContent, wholeNumber } from '../options.ts';

interface Flags extends Pick<CommonFlags, 'cwd' | 'today' | 'format'> {
  from?: string;
  license?: string;
  source?: string;
  category?: string;
  limit: number;
  dryRun?: boolean;
}

export function addImport(program: CatalogCommand, terminal: Console): void {
  program
    .command('import')
    .description('make drafts from prompts in another format')
    .argument('<path|url>', 'file, folder, or https address of a file')
    .addOption(
      new Option('--from <format>', 'format of the prompts; default: found by the names of the files').choices([
        'prompts-chat',
        ...Object.keys(fileFormats),
      ]),
    )
    .option('--license <id>', 'license of prompts that name none, as an SPDX identifier such as CC0-1.0')
    .option('--source <url>', 'address that the prompts come from; default: the address that is imported')
    .option('--category <key>', 'category of the drafts, as in the settings; default: the first')
    .option('--limit <count>', 'write at most this many drafts', wholeNumber(1, 9_999_999), 100)
    .option('--dry-run', 'show what would be imported, and write nothing')
    .share('cwd', 'today')
    .formats('pretty', 'json')
    .explain(
      '\nEvery prompt becomes a draft on the next free date. Text under headings such as INPUT, RULES and OUTPUT goes into\n' +
        'those sections; you write the missing ones. Run the command again to continue: it skips imported prompts.\n' +
        'docs/editing.md describes the formats and the licenses.\n' +
        '\nExit codes: 0 success, 1 a prompt was not imported because of an error. Skipping a row whose type is not TEXT is\n' +
        'not an error.\n' +
        '\nExamples:\n  $ catalog import prompts.csv --from prompts-chat --license CC0-1.0 --dry-run\n' +
        '  $ catalog import skills/ --source https://github.com/example/skills\n' +
        '  $ catalog import https://example.com/review.prompt.md\n',
    )
    .action((from: string, flags: Flags) =>
      flags.dryRun === true
        ? runImport(from, flags, terminal)
        : changingAgents(flags, terminal, () => runImport(from, flags, terminal)),
    );
}

async function runImport(from: string, flags: Flags, terminal: Console): Promise<void> {
  const { importPrompts } = await import('../../content/import/import.ts');
  const { isAddress, readPrompts } = await import('../../content/import/sources.ts');
  const { demand } = await import('../../content/new/agent.ts');
  const { frontMatterSchema } = await import('../../schema/agent.ts');
  const { cwd, settings, content, today } = await openContent(flags);
  const { limit, dryRun = false, format } = flags;
  const { category, source } = frontMatterSchema(settings).shape;
  const { address, license } = source.unwrap().unwrap().shape;
  const origin = flags.source ?? (isAddress(from) ? from : undefined);
  const checked = {
    category: demand(category, '--category', flags.category ?? Object.keys(settings.categories)[0]),
    address: demand(address, flags.source === undefined ? 'path|url' : '--source', origin) ?? null,
    license: flags.license === undefined ? null : demand(license, '--license', flags.license),
  };
  const options = { cwd, settings, content, today, limit, dryRun, ...checked };
  const { drafts, known, skipped, problems, more } = await importPrompts(
    readPrompts(flags.from, from),
    options,
    (count) => {
      if (format === 'pretty') terminal.progress('Imported', count, null);
    },
  );
  if (problems.length > 0) terminal.exitCode = 1;
  if (format === 'json') return terminal.printJson({ dryRun, drafts, known, skipped, problems, more });
  for (const { slug, title, date, notes } of drafts) {
    const lines = notes.map((note) => `  ${visible(note)}\n`).join('');
    terminal.print(`agents/${slug}  ${date}  ${visible(title)}\n${lines}`);
  }
  for (const { where, reason } of skipped) terminal.say(`Skipped: ${visible(where)}. ${visible(reason)}\n`);
  for (const { where, problem } of problems) terminal.say(`Not imported: ${visible(where)}. ${visible(problem)}\n`);
  if (known.length > 0) terminal.say(`${plural(known.length, 'prompt')} imported earlier.\n`);
  terminal.say(
    `${dryRun ? 'Would write' : 'Wrote'} ${plural(drafts.length, 'draft')}.${drafts.length === 0 || dryRun ? '' : ' Complete them, and run npx --no daily-agent-catalog validate.'}\n`,
  );
  const advice = dryRun ? 'raise it to see them' : 'run the command again to continue';
  if (more) terminal.say(`There are more prompts than --limit ${limit}: ${advice}.\n`);
}
