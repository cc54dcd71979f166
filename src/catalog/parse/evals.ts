import type { Finding } from '../../diagnostics/diagnostic.ts';
import { checksFileMissing, inputMissing, notAnInput, slowPattern } from '../../diagnostics/messages/evals.ts';
import { inFile } from '../../diagnostics/messages/yaml.ts';
import { locationAt } from '../../diagnostics/source-location.ts';
import { nearest } from '../../diagnostics/suggestions.ts';
import { locationsInYaml } from '../../diagnostics/yaml-location.ts';
import { explain } from '../../diagnostics/zod-messages.ts';
import { sha256Of } from '../../digest.ts';
import { grade, tooSlow } from '../../evals/grade.ts';
import { checksSource, type EvalCase } from '../../schema/evals.ts';
import type { Case, Evals, GradedAnswer } from '../../schema/graded.ts';
import { type RecordedAnswer, readRecordings } from './recordings.ts';
import { recoverYaml } from './recover-yaml.ts';
import { type TextFinding, valueFindings } from './text-checks.ts';
import { parseYaml } from './yaml.ts';

type Cases = Readonly<Record<string, EvalCase>>;

/** The files of an agent. */
export interface EvalsSource {
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
    report('evals', { code: 'evals/checks', ...checksFileMissing(checksFile) });
  }
  const text = texts.get(checksFile);
  const cases = text === undefined ? null : readCases(text, source);
  if (text === undefined || cases === null) return null;
  checkInputs(cases, text, source);
  const whole = Object.entries(cases).map(([name, { about, checks, input }]): Case => {
    const inputText = texts.get(input === undefined ? 'sample-input.txt' : `evals/${input}`) ?? '';
    return { name, about: about ?? null, input: inputText, checks };
  });
  const locationOf = locationsInYaml(text);
  const slow = (name: string, index: number) =>
    report(checksFile, { code: 'evals/checks', location: locationOf([name, 'checks', index]), ...slowPattern });
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
    const late = [entry.results, entry.withoutPrompt?.results ?? []]
      .flat()
      .findIndex(({ failure }) => failure === tooSlow);
    if (late === -1) continue;
    slow(name, late % checks.length);
    break;
  }
  return graded;
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
  const others = names.filter((name) => /^evals\/[^/]+$/.test(name) && name !== checksFile && !inputs.includes(name));
  const locationOf = locationsInYaml(text);
  for (const [name, { input }] of Object.entries(cases)) {
    if (input === undefined || names.includes(`evals/${input}`)) continue;
    const slip = nearest(`evals/${input}`, others)?.slice('evals/'.length);
    report(checksFile, {
      code: 'evals/input',
      location: locationOf([name, 'input']),
      ...inputMissing(input, name, slip),
    });
  }
  for (const name of others) report(name, { code: 'folder/unknown-file', ...notAnInput(name, checksFile) });
}
