import type { Calendar } from '../../content/check/calendar.ts';
import { type Answers, type Checks, defaults, type Surroundings } from '../../content/new/agent.ts';
import { UsageError } from '../../lib/errors.ts';
import { compareText } from '../../lib/text.ts';
import type { Choice, Questions } from './dialog.ts';

/** Asks for missing answers, one question at a time. Throws Cancelled when the person cancels. */
export async function askForAnswers(
  given: Partial<Answers>,
  surroundings: Surroundings,
  checks: Checks,
  ask: Questions,
): Promise<Answers> {
  const { categories, difficulties, runtimes } = surroundings.vocabulary;
  const answers: Partial<Answers> = { ...given };
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
  checks: Checks,
  ask: Questions,
): Promise<string[]> {
  const known = tagsInUse(calendar, slug);
  let chosen: string[] = [];
  if (known.length > 0) {
    chosen = await ask.some('Tags of other agents: choose any that fit', known, [], false);
    while (chosen.length > 6) chosen = await ask.some('At most six tags: choose again', known, chosen, false);
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
function tagsInUse({ folders }: Calendar, slug: string): Choice[] {
  const counts = new Map<string, number>();
  for (const tag of folders.flatMap(({ agent }) => agent?.tags ?? [])) counts.set(tag, (counts.get(tag) ?? 0) + 1);
  const words = new Set(slug.split('-'));
  const fits = (tag: string) => Number(tag.split('-').some((word) => words.has(word)));
  return [...counts]
    .sort(([a, uses], [b, others]) => fits(b) - fits(a) || others - uses || compareText(a, b))
    .map(([value, count]) => ({ value, hint: count === 1 ? '1 agent' : `${count} agents` }));
}
