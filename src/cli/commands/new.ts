import { join, relative } from 'node:path';
import type { Calendar } from '../../content/check/calendar.ts';
import type { Answer, Answers, ChecksOf, Surroundings } from '../../content/new/agent.ts';
import { UsageError } from '../../lib/errors.ts';
import { compareText } from '../../lib/text.ts';
import { type Console, shellWord } from '../console.ts';
import type { Questions } from '../dialog.ts';
import {
  type CatalogCommand,
  type CommonFlags,
  catalogAround,
  changingAgents,
  openContent,
  slugOf,
} from '../options.ts';

/** Asks for missing answers, one question at a time. Throws Cancelled when the person cancels. */
async function askForAnswers(
  fromFlags: Partial<Answers>,
  surroundings: Surroundings,
  checks: ChecksOf<Answers>,
  ask: Questions,
): Promise<Answers> {
  const { defaults } = await import('../../content/new/agent.ts');
  const { categories, difficulties, runtimes } = surroundings.vocabulary;
  const answers: Partial<Answers> = { ...fromFlags };
  const proposed = () => defaults(answers, surroundings);
  const line = (key: 'title' | 'slug' | 'date', question: string) =>
    ask.line(question, proposed()[key], (answer) => {
      if (answer === '') throw new UsageError('This question needs an answer.');
      return checks[key](key, answer);
    });
  const named = (names: readonly string[]) => names.map((value) => ({ value }));

  ask.begin('Start a new agent. Enter accepts the proposed answer, Ctrl-C cancels.');
  answers.title ??= await line('title', 'Title, such as Release Note Translator');
  answers.slug ??= await line('slug', 'Slug: the name of its folder and the end of its address');
  answers.category ??= await ask.one(
    'Category',
    Object.entries(categories).map(([value, { label, description }]) => ({ value, label, hint: description })),
    proposed().category,
  );
  answers.difficulty ??= await ask.one('Difficulty: how hard it is to use', named(difficulties), proposed().difficulty);
  answers.runtimes ??= await ask.some('Assistants it works with', named(runtimes), proposed().runtimes, true);
  answers.tags ??= await askForTags(answers.slug, proposed().tags, surroundings, checks, ask);
  answers.date ??= await line(
    'date',
    `Publication date. Today is ${surroundings.today}; one agent is published per day`,
  );
  return { ...proposed(), ...answers };
}

/** Offers the tags of other agents, then asks for further ones. */
async function askForTags(
  slug: string,
  proposed: readonly string[],
  { calendar }: Surroundings,
  checks: ChecksOf<Answers>,
  ask: Questions,
): Promise<string[]> {
  const tags = tagsInUse(calendar, slug);
  let chosen: string[] = [];
  if (tags.length > 0) {
    chosen = await ask.some('Tags of other agents: choose any that fit', tags, [], false);
    while (chosen.length > 6) chosen = await ask.some('At most six tags: choose again', tags, chosen, false);
  }
  const [question, fallback] =
    chosen.length === 0
      ? ['Tags: two to six, separated by commas', proposed.join(', ')]
      : ['More tags, separated by commas, if you need any', ''];
  return ask.line(question, fallback, (answer) => {
    const typed = answer.split(',').map((tag) => tag.trim());
    return checks.tags('tags', [...new Set([...chosen, ...typed.filter((tag) => tag !== '')])]);
  });
}

/** The tags of all valid agents: first those that contain a word of the slug, then by how many agents have them. */
function tagsInUse({ folders }: Calendar, slug: string) {
  const counts = new Map<string, number>();
  for (const tag of folders.flatMap(({ agent }) => agent?.tags ?? [])) counts.set(tag, (counts.get(tag) ?? 0) + 1);
  const words = new Set(slug.split('-'));
  const fits = (tag: string) => Number(tag.split('-').some((word) => words.has(word)));
  return [...counts]
    .sort(([a, uses], [b, others]) => fits(b) - fits(a) || others - uses || compareText(a, b))
    .map(([value, count]) => ({ value, hint: count === 1 ? '1 agent' : `${count} agents` }));
}

interface Flags
  extends Pick<CommonFlags, 'cwd' | 'today' | 'format'>,
    Partial<Record<'title' | 'category' | 'difficulty' | 'date' | 'excerpt' | 'problem' | 'config', string>>,
    Partial<Record<'runtime' | 'tag' | 'keyword', string[]>> {}

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
  const { answerChecks, complete, agentFiles, checkFlags, writeAgent } = await import('../../content/new/agent.ts');
  const { firstFreeDate } = await import('../../content/check/calendar.ts');
  const { canAsk, conversation } = await import('../dialog.ts');

  const { cwd, settings, today, content: calendar } = await openContent(flags);
  const surroundings: Surroundings = { vocabulary: settings, calendar, today };
  const checks = answerChecks(surroundings);
  const fromFlags = checkFlags<Answers>(flagged(slug === undefined ? slug : slugOf(slug, flags.cwd), flags), checks);

  const made = await conversation(terminal, async (ask) => {
    const answers =
      canAsk() && flags.format === 'pretty'
        ? await askForAnswers(fromFlags, surroundings, checks, ask)
        : complete(fromFlags, surroundings, checks);
    // Nothing is locked while a person answers; writing checks the slug again.
    return changingAgents(flags, terminal, async () => {
      const { date } = answers;
      const calendar = (await openContent(flags)).content;
      if (flags.date === undefined) answers.date = firstFreeDate(calendar, date);
      if (answers.date !== date)
        terminal.say(`Another agent took ${date} meanwhile, so this one has ${answers.date}.\n`);
      const files = agentFiles(answers);
      writeAgent(cwd, answers.slug, files, { ...surroundings, calendar });
      return { answers, files };
    });
  });
  if (made === null) return;
  const { answers, files } = made;

  const folder = `agents/${answers.slug}`;
  if (flags.format === 'json') {
    const paths = [...files.keys()].map((name) => `${folder}/${name}`);
    return terminal.printJson({ slug: answers.slug, date: answers.date, folder, files: paths, draft: true });
  }
  terminal.say(nextSteps(answers, today, flags.cwd));
  terminal.print(`${relative(process.cwd(), join(cwd, 'agents', answers.slug))}\n`);
}

function flagged(slug: string | undefined, flags: Flags): [keyof Answers, string, Answer | undefined][] {
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

function nextSteps({ slug, title, date, category, difficulty, runtimes, config }: Answers, today: string, cwd: string) {
  const there = cwd === '.' || cwd === catalogAround(process.cwd()) ? '' : ` --cwd ${shellWord(cwd)}`;
  const late = date < today ? ' That date has passed: it is published as soon as it is no longer a draft.' : '';
  const rest = ['prompt.txt', ...(config === null ? [] : [`config.${config}`]), 'sample-output.txt', 'agent.md'];
  return `Created "${title}" for ${date} (${category}, ${difficulty}, ${runtimes.join(', ')}).${late}
It is a draft, so builds skip it. Most of its texts are placeholders.

Next:
  1. Write sample-input.txt first: a real case with changed names. The prompt and the ideal answer follow from it.
  2. Then replace the texts in ${rest.join(', ')}. Text in [brackets] tells you what to write.
  3. npx --no daily-agent-catalog dev${there}    (shows it at http://localhost:3000/agents/${slug} while you write)
  4. npx --no daily-agent-catalog validate ${slug}${there}
  5. Remove \`draft: true\` from agent.md. The agent is published on its date.

`;
}
