import { join, relative } from 'node:path';
import type { Command } from 'commander';
import { ContentError } from '../../diagnostics/diagnostic.ts';
import type { Answers, Surroundings } from '../../scaffold/agent/answers.ts';
import type { Given } from '../../scaffold/answer-checks.ts';
import { type Console, shellWord } from '../console.ts';
import {
  type CommonFlags,
  catalogAround,
  cwdOption,
  jsonOption,
  openCatalog,
  slugOf,
  todayOption,
} from '../options.ts';

interface Flags extends Pick<CommonFlags, 'cwd' | 'today' | 'json'> {
  title?: string;
  category?: string;
  difficulty?: string;
  runtime?: string[];
  tag?: string[];
  keyword?: string[];
  date?: string;
  excerpt?: string;
  problem?: string;
  config?: string;
}

export function addNew(program: Command, terminal: Console): void {
  program
    .command('new')
    .description('start a new agent: a folder that validates, with placeholders to replace')
    .argument('[slug]', "the name of its folder; default: made from the title's words")
    .option('--title <text>', "its title; default: the slug's words")
    .option('--category <key>', 'one of those in the settings; default: the first')
    .option('--difficulty <name>', 'one of those in the settings; default: the first')
    .option('--runtime <name...>', 'what it runs in, of those in the settings; default: the first')
    .option('--tag <tag...>', "its tags; default: the slug's words")
    .option('--keyword <text...>', 'words that readers may search by and the text lacks; never shown')
    .option('--date <YYYY-MM-DD>', 'the day on which it comes out; default: the next free one')
    .option('--excerpt <text>', 'one sentence that says what the reader gets')
    .option('--problem <text>', 'whose pain it is, and when')
    .option('--config <ext>', 'also a config file with this extension, such as json, yaml or md')
    .addOption(cwdOption())
    .addOption(todayOption())
    .addOption(jsonOption())
    .addHelpText(
      'after',
      '\nOn a terminal it asks for what is not given; elsewhere, and with --json, the defaults are taken.\n' +
        'The agent is made as a draft, which no build takes in: remove its line `draft: true` when it is written.\n' +
        '\nExamples:\n  $ catalog new\n  $ catalog new release-notes --category writing --runtime Claude ChatGPT\n' +
        '  $ catalog new --title "Release Note Translator" --date 2026-12-01 --json\n',
    )
    .action((slug: string | undefined, flags: Flags) => makeNew(slug, flags, terminal));
}

async function makeNew(slug: string | undefined, flags: Flags, terminal: Console): Promise<void> {
  const { loadContent } = await import('../../catalog/load.ts');
  const { answerChecks, complete } = await import('../../scaffold/agent/answers.ts');
  const { agentFiles } = await import('../../scaffold/agent/files.ts');
  const { writeAgent } = await import('../../scaffold/agent/write.ts');
  const { askForAnswers } = await import('../dialog/new-agent.ts');
  const { checkFlags } = await import('../../scaffold/answer-checks.ts');
  const { canAsk, unlessCancelled } = await import('../dialog/dialog.ts');

  const { cwd, settings, today } = await openCatalog(flags);
  const calendar = loadContent(cwd, settings, today);
  const unreadable = calendar.diagnostics.filter((diagnostic) => diagnostic.slug === null);
  if (unreadable.length > 0) throw new ContentError(unreadable);
  const surroundings: Surroundings = { vocabulary: settings, calendar, today };
  const checks = answerChecks(surroundings);
  const given = checkFlags<Answers>(flagged(slug === undefined ? slug : slugOf(slug, flags.cwd), flags), checks);

  const answers = await unlessCancelled(terminal, async () =>
    canAsk() && !flags.json
      ? askForAnswers(given, surroundings, checks, terminal)
      : complete(given, surroundings, checks),
  );
  if (answers === null) return;
  const files = agentFiles(answers);
  writeAgent(cwd, answers.slug, files, surroundings);

  const folder = `agents/${answers.slug}`;
  if (flags.json) {
    const paths = [...files.keys()].map((name) => `${folder}/${name}`);
    terminal.printJson({ slug: answers.slug, date: answers.date, folder, files: paths, draft: true });
    return;
  }
  terminal.say(nextSteps(answers, [...files.keys()], today, flags.cwd));
  terminal.print(`${relative(process.cwd(), join(cwd, 'agents', answers.slug))}\n`);
}

function flagged(slug: string | undefined, flags: Flags): [keyof Answers, string, Given | undefined][] {
  return [
    ['slug', 'slug', slug],
    ['title', '--title', flags.title],
    ['category', '--category', flags.category],
    ['difficulty', '--difficulty', flags.difficulty],
    ['runtimes', '--runtime', flags.runtime],
    ['tags', '--tag', flags.tag],
    ['keywords', '--keyword', flags.keyword],
    ['date', '--date', flags.date],
    ['excerpt', '--excerpt', flags.excerpt],
    ['problem', '--problem', flags.problem],
    ['config', '--config', flags.config],
  ];
}

function nextSteps(
  { slug, title, date, category, difficulty, runtimes }: Answers,
  files: readonly string[],
  today: string,
  cwd: string,
): string {
  const there = cwd === '.' || cwd === catalogAround(process.cwd()) ? '' : ` --cwd ${shellWord(cwd)}`;
  const late = date < today ? ' That day has passed: it comes out as soon as it is no draft.' : '';
  return `Made "${title}" for ${date}, ${category}, ${difficulty}, ${runtimes.join(', ')}.${late}
It is a draft, which no build takes in: most of its texts are placeholders.

Next:
  1. Replace the texts in ${files.join(', ')}; [brackets] hold guidance.
  2. catalog validate ${slug}${there}
  3. catalog build --drafts --out preview${there}    (to see it as readers will)
  4. Remove \`draft: true\` from agent.md: the agent comes out on its day.

`;
}
