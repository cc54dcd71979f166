import { existsSync, mkdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { OperationError } from '../../lib/errors.ts';
import { replaceFile, sha256Of } from '../../lib/files.ts';
import type { OnProgress } from '../../lib/lazy.ts';
import { prettyReport } from '../../schema/diagnostics/report.ts';
import { type Recorded, recordingSource } from '../../schema/evals.ts';
import { nothingStored } from '../../schema/messages/evals.ts';
import { checkContent } from '../load.ts';
import { pathOf } from '../parse/files.ts';
import type { ParsedFolder } from '../parse/parse.ts';
import { maxFileBytes, type SourceFolder } from '../read.ts';
import type { Settings } from '../settings.ts';
import { messageOf, modelFolder } from './promptfoo.ts';

/** Something that answers messages: an API, a command, or a person who pastes answers. */
export interface Model {
  /** Its name, as the provider names it. */
  name: string;
  made: Recorded['made'];
  /** Throws NoAnswer if there is no answer. */
  ask(message: string): Promise<Reply>;
}

/** An answer, and what recording.json says about it. */
export interface Reply extends Pick<Recorded, 'tokens' | 'note'> {
  text: string;
}

/** There is no answer, or none that can be stored. */
export class NoAnswer extends Error {
  override readonly name = 'NoAnswer';
  /** Whether no other message would get an answer either, as with a wrong key. */
  readonly isFinal: boolean;

  constructor(message: string, isFinal = false) {
    super(message);
    this.isFinal = isFinal;
  }
}

/** Returns the entries of a recording.json by case; none if it does not exist. Throws OperationError if it has errors. */
export function entriesOf(cwd: string, path: string): Record<string, Recorded> {
  if (!existsSync(join(cwd, path))) return {};
  try {
    return recordingSource.parse(JSON.parse(readFileSync(join(cwd, path), 'utf8'))).cases;
  } catch (cause) {
    throw new OperationError(`${path} has errors. Run catalog validate.`, { cause });
  }
}

/** Checks an answer as `catalog validate` does, and writes it to a file of an agent. Throws NoAnswer if it has errors. */
export function storeAnswer(
  { cwd, agent, file, text }: { cwd: string; agent: SourceFolder; file: string; text: string },
  settings: Settings,
  today: string,
): void {
  const bytes = Buffer.from(text.replace(/\r\n?/g, '\n'));
  if (text.trim() === '') throw new NoAnswer('The answer is empty, so it is not stored.');
  if (bytes.length > maxFileBytes)
    throw new NoAnswer(`The answer has ${bytes.length} bytes; at most ${maxFileBytes} can be stored.`);
  const path = pathOf(agent.slug, file);
  const files = [...agent.files.filter(({ name }) => name !== file), { name: file, bytes, problem: null }];
  const { folders } = checkContent([{ slug: agent.slug, files, problem: null }], settings, today);
  const errors = folders
    .flatMap(({ diagnostics }) => diagnostics)
    .filter(
      ({ file, severity, code }) => file === path && severity === 'error' && !/^(?:editorial|evals)\//.test(code),
    );
  const refused = errors.map((error) => ({ ...error, hint: nothingStored }));
  if (refused.length > 0)
    throw new NoAnswer(`The answer is not stored:\n\n${prettyReport(refused, { color: false })}\n`);
  mkdirSync(dirname(join(cwd, path)), { recursive: true });
  replaceFile(join(cwd, path), bytes);
}

/** Says in recording.json how the answer to a case was made. */
export function storeEntry(cwd: string, path: string, name: string, recorded: Recorded): void {
  const entries = Object.entries({ ...entriesOf(cwd, path), [name]: recorded }).sort(([a], [b]) => (a < b ? -1 : 1));
  replaceFile(join(cwd, path), `${JSON.stringify({ cases: Object.fromEntries(entries) }, null, 2)}\n`);
}

/** An agent as it was read. */
export interface ReadAgent {
  source: SourceFolder;
  parsed: ParsedFolder;
}

export interface RecordOptions {
  cwd: string;
  settings: Settings;
  today: string;
  /** Whether to record the answers to the inputs alone too. */
  withoutPrompt: boolean;
  /** Which existing answers to record again. */
  replace: 'none' | 'stale' | 'all';
  /** How many questions are asked at a time. */
  concurrency: number;
  /** How many answers to record at most. */
  most: number;
  /** What recording.json says about all answers. */
  about: Pick<Recorded, 'note' | 'settings'>;
  onProgress: OnProgress;
}

export interface Outcome {
  recorded: number;
  /** Answers that exist already. Of these, `stale` are out of date. */
  kept: number;
  stale: number;
  /** Answers that were not asked for, because of a failure or of `most`. */
  left: number;
  /** `case` is null if no answer of the agent can be recorded. */
  failures: { slug: string; case: string | null; message: string }[];
  tokens: { input: number; output: number };
}

/** The answers to a case that are recorded, in this order. */
interface Task {
  agent: SourceFolder;
  name: string;
  digests: Pick<Recorded, 'promptSha256' | 'inputSha256'>;
  parts: { file: string; message: string; isMain: boolean }[];
}

/** Asks a model for answers, and stores each as soon as it is complete. Existing answers stay, unless `replace` says otherwise. */
export async function record(agents: readonly ReadAgent[], model: Model, options: RecordOptions): Promise<Outcome> {
  const outcome: Outcome = { recorded: 0, kept: 0, stale: 0, left: 0, failures: [], tokens: { input: 0, output: 0 } };
  const fail = (slug: string, name: string | null, error: unknown) => {
    if (!(error instanceof NoAnswer || error instanceof OperationError)) throw error;
    outcome.failures.push({ slug, case: name, message: error.message });
  };
  const tasks = agents.flatMap((agent) => {
    try {
      return tasksOf(agent, model, options, outcome);
    } catch (error) {
      fail(agent.source.slug, null, error);
      return [];
    }
  });
  outcome.left = tasks.reduce((sum, { parts }) => sum + parts.length, 0);
  const total = Math.min(outcome.left, options.most);
  let asked = 0;
  let isStopped = false;
  options.onProgress('Recording', 0, total);
  const queue = tasks.values();
  const work = async () => {
    for (const task of queue) {
      for (const part of task.parts) {
        if (isStopped || asked >= options.most) return;
        asked += 1;
        outcome.left -= 1;
        try {
          await recordPart(task, part, model, options, outcome);
        } catch (error) {
          fail(task.agent.slug, task.name, error);
          isStopped ||= error instanceof NoAnswer && error.isFinal;
          break;
        }
        options.onProgress('Recording', outcome.recorded + outcome.failures.length, total);
      }
    }
  };
  await Promise.all(Array.from({ length: options.concurrency }, work));
  return outcome;
}

/** Returns what to record of an agent, and counts the other answers. Throws OperationError if nothing can be recorded. */
function tasksOf({ source, parsed }: ReadAgent, model: Model, options: RecordOptions, outcome: Outcome): Task[] {
  const { slug, files } = source;
  const { prompt, evals } = parsed.written?.texts() ?? {};
  const names = files.map(({ name }) => name);
  if (!names.includes('evals/checks.yaml')) throw new OperationError('It has no evals/checks.yaml, so no cases.');
  // A symbolic link could lead out of the folder.
  const isUnsafe = files.some(({ name, problem }) => name.startsWith('evals') && problem !== null);
  if (prompt === undefined || evals == null || isUnsafe)
    throw new OperationError(`Its files have errors. Run catalog validate ${slug}.`);
  const folder = `evals/recordings/${modelFolder(model.name)}`;
  const entries = entriesOf(options.cwd, pathOf(slug, `${folder}/recording.json`));
  const other = Object.values(entries).find((entry) => entry.model !== model.name);
  if (other !== undefined)
    throw new OperationError(`${folder} has answers of ${other.model}. Use that name, or rename the folder.`);
  return evals.cases.map(({ name, input }): Task => {
    const digests = { promptSha256: sha256Of(prompt), inputSha256: sha256Of(input) };
    const entry = entries[name];
    const hasOtherInput = entry?.inputSha256 !== digests.inputSha256;
    const hasOtherPrompt = entry?.promptSha256 !== digests.promptSha256;
    const main = { file: `${folder}/${name}.txt`, message: messageOf(prompt, input), isMain: true };
    const bare = { file: `${folder}/${name}.without-prompt.txt`, message: input, isMain: false };
    const hasBare = names.includes(bare.file);
    // An existing answer without the prompt comes first: once the entry is new, the old answer would count as new too.
    const parts = hasBare ? [bare, main] : options.withoutPrompt && input.trim() !== '' ? [main, bare] : [main];
    const wanted = parts.filter(({ file, isMain }) => {
      if (!names.includes(file)) return true;
      const isStale = hasOtherInput || (isMain && hasOtherPrompt);
      if (options.replace === 'all' || (options.replace === 'stale' && isStale)) return true;
      outcome.kept += 1;
      outcome.stale += isStale ? 1 : 0;
      return false;
    });
    return { agent: source, name, digests, parts: wanted };
  });
}

async function recordPart(
  { agent, name, digests }: Task,
  { file, message, isMain }: Task['parts'][number],
  model: Model,
  { cwd, settings, today, about }: RecordOptions,
  outcome: Outcome,
): Promise<void> {
  const { text, ...facts } = await model.ask(message);
  outcome.tokens.input += facts.tokens?.input ?? 0;
  outcome.tokens.output += facts.tokens?.output ?? 0;
  storeAnswer({ cwd, agent, file, text }, settings, today);
  const path = pathOf(agent.slug, file.replace(/[^/]+$/, 'recording.json'));
  const note = noteOf(facts.note, about.note);
  const entry = { model: model.name, date: today, made: model.made, ...digests, ...facts, ...about, ...note };
  if (isMain) storeEntry(cwd, path, name, entry);
  outcome.recorded += 1;
}

/** Joins what the service and the editor say about an answer. If that is too long for a note, the editor decides. */
function noteOf(service: string | undefined, editor: string | undefined): Pick<Recorded, 'note'> {
  const note = [service, editor].filter((text) => text !== undefined).join(' ');
  if (note === '') return {};
  return { note: note.length > 500 && editor !== undefined ? editor : note };
}
