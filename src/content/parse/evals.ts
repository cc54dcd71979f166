import { sha256Of } from '../../lib/files.ts';
import { type Location, locationAt, type Report, type Wording } from '../../schema/diagnostics/diagnostic.ts';
import { nearest } from '../../schema/diagnostics/suggestions.ts';
import { locationsInYaml } from '../../schema/diagnostics/yaml-location.ts';
import {
  type Case,
  type Check,
  type Counterexample,
  checksSource,
  type EvalCase,
  type Evals,
  type GradedAnswer,
  type Result,
  recordingSource,
  roundsOf,
} from '../../schema/evals.ts';
import { evalMessages } from '../../schema/messages/evals.ts';
import { fileMessages } from '../../schema/messages/files.ts';
import { explain } from '../../schema/messages/values.ts';
import { grade, gradeEach, tooSlow } from '../evals/grade.ts';
import { type TextFinding, valueFindings } from '../text-checks.ts';
import { readJson } from './json-errors.ts';
import { parseYaml, recoverYaml } from './yaml.ts';

/** A recorded answer, not yet graded. */
interface RecordedAnswer extends Omit<GradedAnswer, 'stale' | 'results' | 'withoutPrompt'> {
  withoutPrompt: string | null;
}

const root = 'evals/recordings/';

/**
 * The folder in evals/recordings/ for a model: its name in lowercase, with a hyphen for everything except letters,
 * digits and dots, such as `meta-llama-3.1-8b` for `meta/llama-3.1:8b`.
 */
export function modelFolder(model: string): string {
  const name = model
    .toLowerCase()
    .replace(/[^a-z0-9.]+/g, '-')
    .replace(/\.(?=[.-]|$)|(?<=^|-)\./g, '-')
    .replace(/-+/g, '-')
    .slice(0, 64)
    .replace(/^[.-]+|[.-]+$/g, '');
  return modelFolderPattern.test(name) ? name : 'model';
}

const folderName = '[a-z0-9]+(?:[.-][a-z0-9]+)*';

/** The form of the name of a model's folder. */
const modelFolderForm = new RegExp(`^${folderName}$`);

/** The names that a model's folder can have: names of this form that Windows does not reserve. */
export const modelFolderPattern = new RegExp(`^(?!(?:con|prn|aux|nul|com[0-9]|lpt[0-9])(?:\\.|$))${folderName}$`);

/**
 * Reads the recorded answers to the cases of an agent, by folder, then in the order of the cases. Reports answers without
 * their case or their entry in recording.json, and the other way around.
 */
function readRecordings(cases: readonly Case[], source: EvalsSource): RecordedAnswer[] {
  const inside = source.names.filter((name) => name.startsWith(root)).map((name) => name.slice(root.length));
  const folders = [...new Set(inside.filter((name) => name.includes('/')).map((name) => name.split('/', 1)[0] ?? ''))];
  for (const name of inside.filter((name) => !name.includes('/')))
    source.report(`${root}${name}`, 'evals/recording', evalMessages.outsideModelFolder(name));
  return folders.flatMap((folder) => readFolder(folder, cases, source));
}

function readFolder(folder: string, cases: readonly Case[], source: EvalsSource): RecordedAnswer[] {
  const caseNames = cases.map(({ name }) => name);
  const { names, texts, report } = source;
  const path = `${root}${folder}/`;
  const refuse = (name: string, wording: Wording, location?: Location) =>
    report(name, 'evals/recording', wording, location);
  if (!modelFolderPattern.test(folder)) {
    const isReserved = modelFolderForm.test(folder);
    refuse(path.slice(0, -1), evalMessages.modelFolderName(folder, modelFolder(folder), isReserved));
    return [];
  }
  const file = `${path}recording.json`;
  if (!names.includes(file)) {
    refuse(path.slice(0, -1), evalMessages.recordingFileMissing(file));
    return [];
  }
  const text = texts.get(file);
  const entries = text === undefined ? null : readEntries(text, file, source);
  if (text === undefined || entries === null) return [];
  const locationOf = locationsInYaml(text);
  for (const name of names.filter((name) => name.startsWith(path) && name !== file)) {
    const [, of = '', turn = '1'] =
      /^([^.]*)(?:\.without-prompt|\.turn-(\d+))?\.txt$/.exec(name.slice(path.length)) ?? [];
    const hasEntry = Object.hasOwn(entries, of);
    const turns = cases.find((evalCase) => evalCase.name === of)?.turns.length ?? Number.POSITIVE_INFINITY;
    // The later answers of a conversation belong to turns of the case.
    if (hasEntry && Number(turn) <= turns + 1) continue;
    refuse(name, evalMessages.answerWithoutEntry(name, caseNames.includes(of), hasEntry));
  }
  const answers = Object.entries(entries).flatMap(([name, recorded]): RecordedAnswer[] => {
    const at = () => locationOf(['cases', name], { key: true });
    const evalCase = cases.find((other) => other.name === name);
    if (evalCase === undefined) {
      refuse(file, evalMessages.unknownCase(name, nearest(name, caseNames)), at());
      return [];
    }
    const turns = evalCase.turns.map((_, index) => `${name}.turn-${index + 2}.txt`);
    const plain = `${name}.without-prompt.txt`;
    const { withoutPrompt } = recorded;
    for (const needed of [`${name}.txt`, ...turns, ...(withoutPrompt === undefined ? [] : [plain])])
      if (!names.includes(path + needed)) refuse(file, evalMessages.answerMissing(needed, turns.length > 0), at());
    if (withoutPrompt !== undefined && withoutPrompt.model !== recorded.model) {
      const location = locationOf(['cases', name, 'withoutPrompt', 'model']);
      refuse(file, evalMessages.controlOfOtherModel(withoutPrompt.model, recorded.model), location);
    }
    const answer = texts.get(`${path}${name}.txt`);
    if (answer === undefined) return [];
    const later = turns.map((turn) => texts.get(path + turn) ?? '');
    return [{ folder, case: name, recorded, answer, turns: later, withoutPrompt: texts.get(path + plain) ?? null }];
  });
  return answers.sort((a, b) => caseNames.indexOf(a.case) - caseNames.indexOf(b.case));
}

function readEntries(text: string, file: string, { report, reportText }: EvalsSource) {
  const { value, problems } = readJson(text);
  for (const problem of problems) report(file, 'evals/recording', problem, problem.location);
  if (problems.length > 0) return null;
  const locationOf = locationsInYaml(text);
  reportText(file, valueFindings(value, locationOf));
  const parsed = recordingSource.safeParse(value);
  if (parsed.success) return parsed.data.cases;
  for (const { key, path, ...wording } of explain(recordingSource, value, { json: true }))
    report(file, 'evals/recording', wording, locationOf(path, { key }));
  return null;
}

type Cases = Readonly<Record<string, EvalCase>>;

/** The files of an agent. */
interface EvalsSource {
  /** The names of all files, also of unreadable ones. */
  names: readonly string[];
  /** The readable texts, by name. */
  texts: ReadonlyMap<string, string>;
  report: Report;
  /** Reports what escapes hide in the values of a file. */
  reportText: (name: string, findings: readonly TextFinding[]) => void;
}

const checksFile = 'evals/checks.yaml';

/**
 * Reads the cases and the recorded answers of an agent, and grades the answers. Returns null if there are no cases or they
 * have errors.
 */
export function readEvals(source: EvalsSource): Evals | null {
  const { names, texts, report } = source;
  const own = names.filter((name) => name.startsWith('evals/'));
  if (own.length > 0 && !own.includes(checksFile)) {
    const misnamed = own.find((name) => name.startsWith('evals/checks.'));
    if (misnamed === undefined) report('evals', 'evals/checks', evalMessages.checksFileMissing(checksFile));
    else report(misnamed, 'evals/checks', fileMessages.misnamedFile(misnamed, checksFile));
  }
  const text = texts.get(checksFile);
  const cases = text === undefined ? null : readCases(text, source);
  if (text === undefined || cases === null) return null;
  checkInputs(cases, text, source);
  checkCounterexamples(cases, text, source);
  const textOf = (input: string) => texts.get(`evals/${input}`) ?? '';
  const whole = Object.entries(cases).map(([name, { about, checks, input, turns = [] }]): Case => {
    const first = input === undefined ? (texts.get('sample-input.txt') ?? '') : textOf(input);
    const said = turns.map((turn) => turn.says ?? textOf(turn.input ?? ''));
    const challenge = (checks: readonly Check[], index: number) => ({
      checks: [...checks],
      counterexamples: readCounterexamples(checks, heardBy(first, said, index), texts),
    });
    const later = turns.map(({ checks }, index) => ({ says: said[index] ?? '', ...challenge(checks, index + 1) }));
    return { name, about: about ?? null, input: first, ...challenge(checks, 0), turns: later };
  });
  const locationOf = locationsInYaml(text);
  const slow = (path: readonly (string | number)[]) =>
    report(checksFile, 'evals/checks', evalMessages.slowPattern, locationOf(path));
  for (const { counterexamples, path } of whole.flatMap(roundsOf)) {
    const index = counterexamples.flatMap(({ results }) => slowIn(results) ?? [])[0];
    if (index === undefined) continue;
    slow([...path, index]);
    return { cases: whole, answers: [] };
  }
  const answers = readRecordings(whole, source);
  return { cases: whole, answers: gradeAll(answers, whole, sha256Of(texts.get('prompt.txt') ?? ''), slow) };
}

/** The messages before an answer of a conversation: the input, and the person's replies since. */
function heardBy(input: string, said: readonly string[], index: number): string {
  return [input, ...said.slice(0, index)].join('\n');
}

/** Grades answers. After a regular expression that takes too long, those that follow are not graded: one is enough. */
function gradeAll(
  answers: readonly RecordedAnswer[],
  cases: readonly Case[],
  promptSha256: string,
  slow: (path: readonly (string | number)[]) => void,
): GradedAnswer[] {
  const graded: GradedAnswer[] = [];
  for (const { withoutPrompt, ...answer } of answers) {
    const evalCase = cases.find(({ name }) => name === answer.case) as Case;
    const { input } = evalCase;
    const rounds = roundsOf(evalCase);
    const said = evalCase.turns.map(({ says }) => says);
    const byRound = [answer.answer, ...answer.turns].map((text, index) => {
      const results = grade(rounds[index]?.checks ?? [], text, heardBy(input, said, index));
      return index === 0 ? results : results.map((result) => ({ ...result, turn: index + 1 }));
    });
    const { recorded } = answer;
    const stale =
      recorded.promptSha256 !== promptSha256 ? 'prompt' : recorded.inputSha256 !== sha256Of(input) ? 'input' : null;
    const plain = withoutPrompt === null ? [] : grade(evalCase.checks, withoutPrompt, input);
    const control = withoutPrompt === null ? null : { answer: withoutPrompt, results: plain };
    graded.push({ ...answer, stale, results: byRound.flat(), withoutPrompt: control });
    const late = [...byRound, plain].map(slowIn);
    const round = late.findIndex((index) => index !== undefined);
    if (round === -1) continue;
    slow([...((rounds[round] ?? rounds[0])?.path ?? []), late[round] ?? 0]);
    break;
  }
  return graded;
}

/** The index of a check that takes too long; undefined if none does. */
function slowIn(results: readonly Result[]): number | undefined {
  const index = results.findIndex(({ failure }) => failure === tooSlow);
  return index === -1 ? undefined : index;
}

/** Reads and grades the wrong answers to a case. One that cannot be read is left out. */
function readCounterexamples(
  checks: readonly Check[],
  input: string,
  texts: ReadonlyMap<string, string>,
): Counterexample[] {
  const readable = checks.flatMap(({ catches = {} }, check) =>
    Object.entries(catches).flatMap(([name, wrong]) => {
      const answer = texts.get(counterexampleFile(name));
      return answer === undefined ? [] : [{ name, wrong, check, answer }];
    }),
  );
  const answers = readable.map(({ answer }) => answer);
  const graded = gradeEach(checks, answers, input);
  return readable.map((counterexample, index) => ({ ...counterexample, results: graded[index] ?? [] }));
}

/** The file of a counterexample in the folder of its agent. */
export function counterexampleFile(name: string): string {
  return `evals/counterexamples/${name}.txt`;
}

/** Reports counterexamples without their file, those that two checks name, and files that no check names. */
function checkCounterexamples(cases: Cases, text: string, { names, report }: EvalsSource): void {
  const locationOf = locationsInYaml(text);
  const files = names.filter((name) => name.startsWith(counterexampleFile('').replace('.txt', '')));
  const seen = new Set<string>();
  const lists = Object.entries(cases).flatMap(([name, { checks, turns = [] }]) => [
    { path: [name, 'checks'], checks },
    ...turns.map(({ checks }, index) => ({ path: [name, 'turns', index, 'checks'], checks })),
  ]);
  for (const { path, checks } of lists) {
    for (const [index, { catches = {} }] of checks.entries()) {
      for (const name of Object.keys(catches)) {
        const file = counterexampleFile(name);
        const location = () => locationOf([...path, index, 'catches', name], { key: true });
        const refuse = (wording: Wording) => report(checksFile, 'evals/counterexample', wording, location());
        if (seen.has(file)) refuse(evalMessages.counterexampleTwice(file));
        else if (!names.includes(file)) {
          const slip = nearest(file, files);
          refuse(evalMessages.counterexampleMissing(file, slip));
          // The file with the wrong name is reported once.
          if (slip !== undefined) seen.add(slip);
        }
        seen.add(file);
      }
    }
  }
  for (const name of files.filter((name) => !seen.has(name)))
    report(name, 'evals/counterexample', evalMessages.counterexampleUnnamed(name, checksFile));
}

function readCases(text: string, { report, reportText }: EvalsSource): Cases | null {
  let data: unknown;
  try {
    data = parseYaml(text);
  } catch {
    for (const { offset, length, ...wording } of recoverYaml(text).problems)
      report(checksFile, 'evals/checks', evalMessages.notYaml(wording), locationAt(text, offset, length));
    return null;
  }
  const locationOf = locationsInYaml(text);
  reportText(checksFile, valueFindings(data, locationOf));
  const parsed = checksSource.safeParse(data);
  if (parsed.success) return parsed.data;
  for (const { key, path, ...wording } of explain(checksSource, data))
    report(checksFile, 'evals/checks', wording, locationOf(path, { key }));
  return null;
}

/** Reports cases without their input, and files that are neither an input nor a recording. */
function checkInputs(cases: Cases, text: string, { names, report }: EvalsSource): void {
  const inputs = Object.entries(cases).flatMap(([name, { input, turns = [] }]) =>
    [{ input, path: [name, 'input'] }, ...turns.map(({ input }, at) => ({ input, path: [name, 'turns', at, 'input'] }))]
      .filter(({ input }) => input !== undefined)
      .map(({ input, path }) => ({ caseName: name, file: `evals/${input}`, path })),
  );
  const expected = [...inputs.map(({ file }) => file), checksFile, 'evals/decisions.md'];
  const others = names.filter((name) => /^evals\/[^/]+$/.test(name) && !expected.includes(name));
  const locationOf = locationsInYaml(text);
  for (const { caseName, file, path } of inputs) {
    if (names.includes(file)) continue;
    const slip = nearest(file, others)?.slice('evals/'.length);
    const wording = evalMessages.inputMissing(file, caseName, slip);
    report(checksFile, 'evals/input', wording, locationOf(path));
  }
  for (const name of others) report(name, 'folder/unknown-file', evalMessages.notAnInput(name, checksFile));
}
