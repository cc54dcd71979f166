import { sha256Of } from '../../lib/files.ts';
import type { Finding, Wording } from '../../schema/diagnostics/diagnostic.ts';
import { type Location, locationAt } from '../../schema/diagnostics/location.ts';
import { nearest } from '../../schema/diagnostics/suggestions.ts';
import { explain } from '../../schema/diagnostics/values.ts';
import { locationsInYaml } from '../../schema/diagnostics/yaml-location.ts';
import {
  type Case,
  type Check,
  type Counterexample,
  checksSource,
  type EvalCase,
  type Evals,
  type GradedAnswer,
  type Recorded,
  type Result,
  recordingSource,
} from '../../schema/evals.ts';
import { evalMessages } from '../../schema/messages/evals.ts';
import { inFile } from '../../schema/messages/formats.ts';
import { grade, tooSlow } from '../evals/grade.ts';
import { readJson } from './json-errors.ts';
import { type TextFinding, valueFindings } from './text-checks.ts';
import { parseYaml, recoverYaml } from './yaml.ts';

/** A recorded answer, not yet graded. */
interface RecordedAnswer {
  folder: string;
  case: string;
  recorded: Recorded;
  answer: string;
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

/** The names that a model's folder can have: those of this form that Windows does not reserve. */
export const modelFolderPattern = new RegExp(`^(?!(?:con|prn|aux|nul|com[0-9]|lpt[0-9])(?:\\.|$))${folderName}$`);

/**
 * Reads the recorded answers to the cases of an agent, by folder, then in the order of the cases. Reports answers without
 * their case or their entry in recording.json, and the other way around.
 */
function readRecordings(cases: readonly string[], source: EvalsSource): RecordedAnswer[] {
  const inside = source.names.filter((name) => name.startsWith(root)).map((name) => name.slice(root.length));
  const folders = [...new Set(inside.filter((name) => name.includes('/')).map((name) => name.split('/', 1)[0] ?? ''))];
  for (const name of inside.filter((name) => !name.includes('/')))
    source.report(`${root}${name}`, { code: 'evals/recording', ...evalMessages.outsideModelFolder(name) });
  return folders.flatMap((folder) => readFolder(folder, cases, source));
}

function readFolder(folder: string, cases: readonly string[], source: EvalsSource): RecordedAnswer[] {
  const { names, texts, report } = source;
  const path = `${root}${folder}/`;
  const refuse = (name: string, wording: Wording, location?: Location) =>
    report(name, { code: 'evals/recording', ...wording, ...(location && { location }) });
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
    const [, of = ''] = /^([^.]*)(?:\.without-prompt)?\.txt$/.exec(name.slice(path.length)) ?? [];
    if (Object.hasOwn(entries, of)) continue;
    refuse(name, evalMessages.answerWithoutEntry(name, cases.includes(of)));
  }
  const answers = Object.entries(entries).flatMap(([name, recorded]): RecordedAnswer[] => {
    const at = () => locationOf(['cases', name], { key: true });
    if (!cases.includes(name)) {
      refuse(file, evalMessages.unknownCase(name, nearest(name, cases)), at());
      return [];
    }
    const answer = texts.get(`${path}${name}.txt`);
    if (!names.includes(`${path}${name}.txt`)) refuse(file, evalMessages.answerMissing(name), at());
    if (answer === undefined) return [];
    return [
      { folder, case: name, recorded, answer, withoutPrompt: texts.get(`${path}${name}.without-prompt.txt`) ?? null },
    ];
  });
  return answers.sort((a, b) => cases.indexOf(a.case) - cases.indexOf(b.case));
}

function readEntries(text: string, file: string, { report, reportText }: EvalsSource) {
  const refuse = (location: Location, wording: Wording) =>
    report(file, { code: 'evals/recording', ...wording, location });
  const { value, faults } = readJson(text);
  for (const { offset, length, ...wording } of faults) refuse(locationAt(text, offset, length), wording);
  if (faults.length > 0) return null;
  const locationOf = locationsInYaml(text);
  reportText(file, valueFindings(value, locationOf));
  const parsed = recordingSource.safeParse(value);
  if (parsed.success) return parsed.data.cases;
  for (const { kind, path, ...wording } of explain(recordingSource, value, { json: true }))
    refuse(locationOf(path, { key: kind.endsWith('-key') }), wording);
  return null;
}

type Cases = Readonly<Record<string, EvalCase>>;

/** The files of an agent. */
interface EvalsSource {
  /** The names of all files, also of unreadable ones. */
  names: readonly string[];
  /** The readable texts, by name. */
  texts: ReadonlyMap<string, string>;
  report: (name: string, finding: Omit<Finding, 'slug' | 'file' | 'text'>) => void;
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
    report('evals', { code: 'evals/checks', ...evalMessages.checksFileMissing(checksFile) });
  }
  const text = texts.get(checksFile);
  const cases = text === undefined ? null : readCases(text, source);
  if (text === undefined || cases === null) return null;
  checkInputs(cases, text, source);
  checkCounterexamples(cases, text, source);
  const whole = Object.entries(cases).map(([name, { about, checks, input }]): Case => {
    const inputText = texts.get(input === undefined ? 'sample-input.txt' : `evals/${input}`) ?? '';
    const counterexamples = readCounterexamples(checks, inputText, texts);
    return { name, about: about ?? null, input: inputText, checks, counterexamples };
  });
  const locationOf = locationsInYaml(text);
  const slow = (name: string, index: number) =>
    report(checksFile, {
      code: 'evals/checks',
      location: locationOf([name, 'checks', index]),
      ...evalMessages.slowPattern,
    });
  for (const { name, counterexamples } of whole) {
    const index = counterexamples.flatMap(({ results }) => slowIn(results) ?? [])[0];
    if (index === undefined) continue;
    slow(name, index);
    return { cases: whole, answers: [] };
  }
  const answers = readRecordings(Object.keys(cases), source);
  return { cases: whole, answers: gradeAll(answers, whole, sha256Of(texts.get('prompt.txt') ?? ''), slow) };
}

/** Grades answers. After a regular expression that takes too long, those that follow are not graded: one is enough. */
function gradeAll(
  answers: readonly RecordedAnswer[],
  cases: readonly Case[],
  promptSha256: string,
  slow: (name: string, index: number) => void,
): GradedAnswer[] {
  const graded: GradedAnswer[] = [];
  for (const { withoutPrompt, ...answer } of answers) {
    const { name, checks, input } = cases.find(({ name }) => name === answer.case) as Case;
    const results = (text: string) => grade(checks, text, input);
    const { recorded } = answer;
    const stale =
      recorded.promptSha256 !== promptSha256 ? 'prompt' : recorded.inputSha256 !== sha256Of(input) ? 'input' : null;
    const entry: GradedAnswer = {
      ...answer,
      stale,
      results: results(answer.answer),
      withoutPrompt: withoutPrompt === null ? null : { answer: withoutPrompt, results: results(withoutPrompt) },
    };
    graded.push(entry);
    const late = slowIn(entry.results) ?? slowIn(entry.withoutPrompt?.results ?? []);
    if (late === undefined) continue;
    slow(name, late);
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
  return checks.flatMap(({ catches = {} }, index) =>
    Object.entries(catches).flatMap(([name, wrong]): Counterexample[] => {
      const answer = texts.get(counterexampleFile(name));
      return answer === undefined ? [] : [{ name, wrong, check: index, answer, results: grade(checks, answer, input) }];
    }),
  );
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
  for (const [caseName, { checks }] of Object.entries(cases)) {
    for (const [index, { catches = {} }] of checks.entries()) {
      for (const name of Object.keys(catches)) {
        const file = counterexampleFile(name);
        const refuse = (wording: Wording) =>
          report(checksFile, {
            code: 'evals/counterexample',
            location: locationOf([caseName, 'checks', index, 'catches', name], { key: true }),
            ...wording,
          });
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
    report(name, { code: 'evals/counterexample', ...evalMessages.counterexampleUnnamed(name, checksFile) });
}

function readCases(text: string, { report, reportText }: EvalsSource): Cases | null {
  let data: unknown;
  try {
    data = parseYaml(text);
  } catch {
    for (const fault of recoverYaml(text).faults) {
      const location = locationAt(text, fault.offset, fault.length);
      report(checksFile, { code: 'evals/checks', location, ...inFile(fault) });
    }
    return null;
  }
  const locationOf = locationsInYaml(text);
  reportText(checksFile, valueFindings(data, locationOf));
  const parsed = checksSource.safeParse(data);
  if (parsed.success) return parsed.data;
  for (const { kind, path, message, hint } of explain(checksSource, data)) {
    const location = locationOf(path, { key: kind.endsWith('-key') });
    report(checksFile, { code: 'evals/checks', location, message, hint });
  }
  return null;
}

/** Reports cases without their input, and files that are neither an input nor a recording. */
function checkInputs(cases: Cases, text: string, { names, report }: EvalsSource): void {
  const inputs = Object.values(cases).flatMap(({ input }) => (input === undefined ? [] : [`evals/${input}`]));
  const known = [...inputs, checksFile, 'evals/decisions.md'];
  const others = names.filter((name) => /^evals\/[^/]+$/.test(name) && !known.includes(name));
  const locationOf = locationsInYaml(text);
  for (const [name, { input }] of Object.entries(cases)) {
    if (input === undefined || names.includes(`evals/${input}`)) continue;
    const slip = nearest(`evals/${input}`, others)?.slice('evals/'.length);
    report(checksFile, {
      code: 'evals/input',
      location: locationOf([name, 'input']),
      ...evalMessages.inputMissing(input, name, slip),
    });
  }
  for (const name of others)
    report(name, { code: 'folder/unknown-file', ...evalMessages.notAnInput(name, checksFile) });
}
