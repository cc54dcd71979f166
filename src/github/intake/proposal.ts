import type { Calendar } from '../../catalog/consistency/calendar-rules.ts';
import { editorialFindings } from '../../catalog/rules/index.ts';
import type { Diagnostic } from '../../diagnostics/diagnostic.ts';
import { ContentError, OperationError, UsageError } from '../../errors.ts';
import { type Answers, answerChecks, complete } from '../../scaffold/agent/answers.ts';
import { agentFiles } from '../../scaffold/agent/files.ts';
import { checkFiles, writeAgent } from '../../scaffold/agent/write.ts';
import { checkAnswers } from '../../scaffold/answer-checks.ts';
import { withRules } from '../../schema/rules.ts';
import type { Settings } from '../../schema/settings.ts';
import { validateCatalog } from '../../validate.ts';
import { type FormField, readAnswers } from './form.ts';

/** What became of a filled-in form. */
export interface Intake {
  /** The draft that was written; null if the problems prevent it. */
  draft: { slug: string; title: string } | null;
  /** What its author has to fix before it can be a draft, as sentences. */
  problems: string[];
  /** What its author can improve, as sentences. */
  advice: string[];
  /** What the author wrote for the editors. */
  notes: string;
}

/** The most bytes of a form. The workflow passes the draft on in an environment variable, which holds twice as much. */
export const maxFormBytes = 60_000;

/** The files that are made from answers, and the ids of these. */
const textFields: Record<string, string> = {
  'prompt.txt': 'prompt',
  'sample-input.txt': 'sample-input',
  'sample-output.txt': 'sample-output',
};
/** The keys of the front matter that are made from answers, and the ids of these. */
const frontMatterFields: Record<string, string> = {
  title: 'agent-title',
  category: 'category',
  problem: 'problem',
  excerpt: 'excerpt',
  runtimes: 'runtimes',
  difficulty: 'difficulty',
};

/**
 * Writes the answers in the text of a GitHub issue as a draft into the catalog `cwd`, and checks it. All answers are
 * data: they become texts of the agent, and its slug consists of letters, digits and hyphens of the title.
 *
 * Throws OperationError if a file cannot be written.
 */
export async function takeIn(
  body: string,
  fields: readonly FormField[],
  { cwd, settings, today, calendar }: { cwd: string; settings: Settings; today: string; calendar: Calendar },
): Promise<Intake> {
  const refused = (problems: string[]): Intake => ({ draft: null, problems, advice: [], notes: '' });
  if (Buffer.byteLength(body) > maxFormBytes) {
    return refused([`The form has more than ${maxFormBytes} bytes. Shorten the longest answers.`]);
  }
  const form = readAnswers(body, fields);
  if (form.problems.length > 0) return refused(form.problems);

  const surroundings = { vocabulary: settings, calendar, today };
  const checks = answerChecks(surroundings);
  const labels = new Map(fields.map(({ id, label }) => [id, label]));
  const given = (key: keyof Answers) => form.answers.get(frontMatterFields[key] ?? '');
  const flagged = (key: keyof Answers, value: string | string[] | undefined) =>
    [key, labels.get(frontMatterFields[key] ?? '') ?? key, value] as const;
  const line = (key: keyof Answers) => flagged(key, given(key)?.replace(/\s+/g, ' '));
  const { answers, faults } = checkAnswers<Answers>(
    [
      line('title'),
      flagged('category', categoryKey(given('category'), settings)),
      line('difficulty'),
      flagged(
        'runtimes',
        given('runtimes')
          ?.split(/[,\n]/)
          .map((name) => name.trim())
          .filter((name) => name !== ''),
      ),
      line('excerpt'),
      line('problem'),
    ],
    checks,
  );
  const problems = faults.map(({ message }) => message);
  const whole = completed(answers, () => complete(answers, surroundings, checks), problems);
  if (whole === null) return refused(problems);

  const files = agentFiles(whole);
  for (const [name, id] of Object.entries(textFields)) files.set(name, `${form.answers.get(id)}\n`);
  const inForm = (diagnostics: readonly Diagnostic[]) => diagnostics.map((each) => sentence(each, files, labels));
  if (problems.length > 0) {
    // Valid values stand in for the invalid answers, so that the author reads everything about the others at once.
    const { errors, folder } = checkFiles(cwd, whole.slug, files, surroundings);
    const remarks = folder === undefined ? [] : editorialFindings(folder, settings.language);
    return { ...refused([...problems, ...inForm(errors)]), advice: inForm(withRules(remarks, settings.rules)) };
  }
  try {
    writeAgent(cwd, whole.slug, files, surroundings);
  } catch (error) {
    if (error instanceof ContentError) return refused(inForm(error.diagnostics));
    throw error;
  }
  const { diagnostics } = await validateCatalog(cwd, settings, today);
  return {
    draft: { slug: whole.slug, title: whole.title },
    problems: [],
    advice: inForm(diagnostics.filter(({ slug }) => slug === whole.slug)),
    notes: form.answers.get('notes') ?? '',
  };
}

/** The key of a category that is given by its label, in any case; or else what was given. */
function categoryKey(given: string | undefined, { categories }: Settings): string | undefined {
  const name = given?.trim().toLowerCase();
  const known = Object.entries(categories).find(([, { label }]) => name === label.toLowerCase());
  return known?.[0] ?? given?.trim();
}

/** Fills in what the form does not ask for. Adds a problem if the title is valid and no slug can be made from it. */
function completed(answers: Partial<Answers>, fill: () => Answers, problems: string[]): Answers | null {
  if (answers.title === undefined) return null;
  try {
    return fill();
  } catch (error) {
    if (!(error instanceof OperationError || error instanceof UsageError)) throw error;
    const reason = error.message.replace('; choose another slug.', '.').replace(/ Give the slug too\.$/, '');
    problems.push(`${reason} The address of an agent is made from its title, so change the title.`);
    return null;
  }
}

/** A diagnostic in the words of the form: the label of the answer and the line in it instead of a file and its line. */
function sentence(
  { file, line, message, hint }: Diagnostic,
  files: ReadonlyMap<string, string>,
  labels: ReadonlyMap<string, string>,
): string {
  const name = file.slice(file.lastIndexOf('/') + 1);
  const text = labels.get(textFields[name] ?? '');
  const key = keyAt(files.get(name) ?? '', line);
  const located =
    text !== undefined
      ? `\`${text}\`, line ${line}: ${message}`
      : message.replace(`\`${key}\``, `\`${labels.get(frontMatterFields[key] ?? '') ?? key}\``);
  return hint === '' ? located : `${located} ${hint}`;
}

/** The key of the front matter that a line belongs to. */
function keyAt(text: string, line: number): string {
  const above = text.split('\n').slice(0, line).reverse();
  return above.map((one) => /^(\w+):/.exec(one)?.[1]).find((key) => key !== undefined) ?? '';
}
