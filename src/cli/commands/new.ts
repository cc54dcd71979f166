import { join, relative } from 'node:path';
import type { Answers, Given, Surroundings } from '../../content/new/agent.ts';
import { type Console, shellWord } from '../console.ts';
import {
  type CatalogCommand,
  type CommonFlags,
  catalogAround,
  changingAgents,
  openContent,
  slugOf,
} from '../options.ts';

interface Flags extends Pick<CommonFlags, 'cwd' | 'today' | 'format'> {
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

export function addNew(program: CatalogCommand, terminal: Console): void {
  program
    .command('new')
    .description('start an agent: a valid draft, with placeholders to replace')
    .argument('[slug]', 'name of its folder; default: from the title')
    .option('--title <text>', 'title; default: from the slug')
    .option('--category <key>', 'category, as in the settings; default: the first')
    .option('--difficulty <name>', 'difficulty, as in the settings; default: the first')
    .option('--runtime <name...>', 'assistants it works with, as in the settings; default: the first')
    .option('--tag <tag...>', 'tags; default: from the slug')
    .option('--date <YYYY-MM-DD>', 'date on which it is published; default: the next free date')
    .option('--keyword <text...>', 'search terms that the text does not contain; never shown')
    .option('--excerpt <text>', 'one sentence: what the reader gets')
    .option('--problem <text>', 'who is stuck, with what, and when')
    .option('--config <ext>', 'add a config file with this extension, such as json, yaml or md')
    .share('cwd', 'today')
    .formats('pretty', 'json')
    .explain(
      '\nIn a terminal it asks for a missing slug and for missing options from --title to --date. Ctrl-C cancels without writing\n' +
        'a file. Elsewhere, and with --format json, it uses the defaults.\n' +
        'The agent is a draft, so builds skip it. Remove its line `draft: true` when it is ready.\n' +
        '\nExamples:\n  $ catalog new\n  $ catalog new release-notes --category writing --runtime Claude ChatGPT\n' +
        '  $ catalog new --title "Release Note Translator" --date 2026-12-01\n',
    )
    .action((slug: string | undefined, flags: Flags) => makeNew(slug, flags, terminal));
}

async function makeNew(slug: string | undefined, flags: Flags, terminal: Console): Promise<void> {
  const { answerChecks, complete } = await import('../../content/new/agent.ts');
  const { agentFiles } = await import('../../content/new/agent.ts');
  const { writeAgent } = await import('../../content/new/agent.ts');
  const { askForAnswers } = await import('../dialog/new-agent.ts');
  const { checkFlags } = await import('../../content/new/agent.ts');
  const { canAsk, conversation } = await import('../dialog/dialog.ts');

  const { cwd, settings, today, content: calendar } = await openContent(flags);
  const surroundings: Surroundings = { vocabulary: settings, calendar, today };
  const checks = answerChecks(surroundings);
  const given = checkFlags<Answers>(flagged(slug === undefined ? slug : slugOf(slug, flags.cwd), flags), checks);

  const made = await conversation(terminal, async (ask) => {
    const answers =
      canAsk() && flags.format === 'pretty'
        ? await askForAnswers(given, surroundings, checks, ask)
        : complete(given, surroundings, checks);
    const files = agentFiles(answers);
    // The terminal is not locked while a person answers; writing checks the date and the slug again.
    await changingAgents(flags, terminal, async () => writeAgent(cwd, answers.slug, files, surroundings));
    return { answers, files };
  });
  if (made === null) return;
  const { answers, files } = made;

  const folder = `agents/${answers.slug}`;
  if (flags.format === 'json') {
    const paths = [...files.keys()].map((name) => `${folder}/${name}`);
    terminal.printJson({ slug: answers.slug, date: answers.date, folder, files: paths, draft: true });
    return;
  }
  terminal.say(nextSteps(answers, today, flags.cwd));
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
  { slug, title, date, category, difficulty, runtimes, config }: Answers,
  today: string,
  cwd: string,
): string {
  const there = cwd === '.' || cwd === catalogAround(process.cwd()) ? '' : ` --cwd ${shellWord(cwd)}`;
  const late = date < today ? ' That date has passed: it is published as soon as it is no longer a draft.' : '';
  const rest = ['prompt.txt', ...(config === null ? [] : [`config.${config}`]), 'sample-output.txt', 'agent.md'];
  return `Created "${title}" for ${date} (${category}, ${difficulty}, ${runtimes.join(', ')}).${late}
It is a draft, so builds skip it. Most of its texts are placeholders.

Next:
  1. Write sample-input.txt first: a real case with changed names. The prompt and the ideal answer follow from it.
  2. Then replace the texts in ${rest.join(', ')}. Text in [brackets] tells you what to write.
  3. npx catalog dev${there}    (shows it at http://localhost:3000/agents/${slug} while you write)
  4. npx catalog validate ${slug}${there}
  5. Remove \`draft: true\` from agent.md. The agent is published on its date.

`;
}
