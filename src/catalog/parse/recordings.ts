import type { Wording } from '../../diagnostics/diagnostic.ts';
import {
  answerMissing,
  answerWithoutEntry,
  modelFolderName,
  outsideModelFolder,
  recordingFileMissing,
  unknownCase,
} from '../../diagnostics/messages/evals.ts';
import { type Location, locationAt } from '../../diagnostics/source-location.ts';
import { nearest } from '../../diagnostics/suggestions.ts';
import { locationsInYaml } from '../../diagnostics/yaml-location.ts';
import { explain } from '../../diagnostics/zod-messages.ts';
import { modelFolder, modelFolderForm, modelFolderPattern } from '../../evals/message.ts';
import { type Recorded, recordingSource } from '../../schema/evals.ts';
import type { EvalsSource } from './evals.ts';
import { readJson } from './json-errors.ts';
import { type TextFinding, valueFindings } from './text-checks.ts';

/** A recorded answer, not yet graded. */
export interface RecordedAnswer {
  folder: string;
  case: string;
  recorded: Recorded;
  answer: string;
  withoutPrompt: string | null;
}

const root = 'evals/recordings/';

/**
 * Reads the recorded answers to the cases of an agent, by folder, then in the order of the cases. Reports answers without their case or their entry in recording.json,
 * and the other way around.
 */
export function readRecordings(cases: readonly string[], source: EvalsSource): RecordedAnswer[] {
  const inside = source.names.filter((name) => name.startsWith(root)).map((name) => name.slice(root.length));
  const folders = [...new Set(inside.filter((name) => name.includes('/')).map((name) => name.split('/', 1)[0] ?? ''))];
  for (const name of inside.filter((name) => !name.includes('/')))
    source.report(`${root}${name}`, { code: 'evals/recording', ...outsideModelFolder(name) });
  return folders.flatMap((folder) => readFolder(folder, cases, source));
}

function readFolder(folder: string, cases: readonly string[], source: EvalsSource): RecordedAnswer[] {
  const { names, texts, report, reportText } = source;
  const path = `${root}${folder}/`;
  const refuse = (name: string, wording: Wording, location?: Location) =>
    report(name, { code: 'evals/recording', ...wording, ...(location && { location }) });
  if (!modelFolderPattern.test(folder)) {
    const isReserved = modelFolderForm.test(folder);
    refuse(path.slice(0, -1), modelFolderName(folder, modelFolder(folder), isReserved));
    return [];
  }
  const file = `${path}recording.json`;
  if (!names.includes(file)) {
    refuse(path.slice(0, -1), recordingFileMissing(file));
    return [];
  }
  const text = texts.get(file);
  const entries =
    text === undefined
      ? null
      : readEntries(
          text,
          (location, wording) => refuse(file, wording, location),
          (findings) => reportText(file, findings),
        );
  if (text === undefined || entries === null) return [];
  const locationOf = locationsInYaml(text);
  for (const name of names.filter((name) => name.startsWith(path) && name !== file)) {
    const [, of = ''] = /^([^.]*)(?:\.without-prompt)?\.txt$/.exec(name.slice(path.length)) ?? [];
    if (Object.hasOwn(entries, of)) continue;
    refuse(name, answerWithoutEntry(name, cases.includes(of)));
  }
  const answers = Object.entries(entries).flatMap(([name, recorded]): RecordedAnswer[] => {
    const at = () => locationOf(['cases', name], { key: true });
    if (!cases.includes(name)) {
      refuse(file, unknownCase(name, nearest(name, cases)), at());
      return [];
    }
    const answer = texts.get(`${path}${name}.txt`);
    if (!names.includes(`${path}${name}.txt`)) refuse(file, answerMissing(name), at());
    if (answer === undefined) return [];
    return [
      { folder, case: name, recorded, answer, withoutPrompt: texts.get(`${path}${name}.without-prompt.txt`) ?? null },
    ];
  });
  return answers.sort((a, b) => cases.indexOf(a.case) - cases.indexOf(b.case));
}

function readEntries(
  text: string,
  refuse: (location: Location, wording: Wording) => void,
  reportText: (findings: readonly TextFinding[]) => void,
) {
  const { value, faults } = readJson(text);
  for (const { offset, length, ...wording } of faults) refuse(locationAt(text, offset, length), wording);
  if (faults.length > 0) return null;
  const locationOf = locationsInYaml(text);
  reportText(valueFindings(value, locationOf));
  const parsed = recordingSource.safeParse(value);
  if (parsed.success) return parsed.data.cases;
  for (const { kind, path, ...wording } of explain(recordingSource, value, { json: true }))
    refuse(locationOf(path, { key: kind.endsWith('-key') }), wording);
  return null;
}
