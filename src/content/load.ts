import { OperationError } from '../lib/errors.ts';
import type { Stamps } from '../lib/files.ts';
import { once } from '../lib/lazy.ts';
import { yamlList } from '../lib/text.ts';
import { type Agent, type AgentHead, type FrontMatterSchema, frontMatterSchema } from '../schema/agent.ts';
import { ContentError } from '../schema/diagnostics/content-error.ts';
import type { Diagnostic } from '../schema/diagnostics/diagnostic.ts';
import { type RuleSettings, withRules } from '../schema/rules.ts';
import type { KnownVocabulary } from '../schema/settings.ts';
import { type Calendar, checkTogether } from './check/calendar.ts';
import { settle } from './check/published.ts';
import { type GitMemory, type NumberHistory, type PublishedState, readRecord } from './history.ts';
import { guessSchedule, readSchedule, type Schedule } from './parse/front-matter.ts';
import { type ParsedFolder, parseFolder } from './parse/parse.ts';
import { decodeFolder, readAgents, type SourceFolder, unprocessable } from './read.ts';

/** Whether an agent is due on the day `today` and has no number yet. An agent with an unreadable date counts as due. */
export function isDue({ issue, draft, date }: Pick<Schedule, 'issue' | 'draft' | 'date'>, today: string): boolean {
  return issue === null && !draft && (date === null || date <= today);
}

/** All folders of a catalog and their structural errors, including conflicts between folders. */
export interface Content extends Calendar {
  /** Published agents have the number and the date on the default branch, even if their files differ. */
  folders: readonly ParsedFolder[];
  diagnostics: Diagnostic[];
  /** Sentences for the publisher about the numbers of deleted agents. */
  notices: string[];
}

interface LoadOptions {
  /** Called after each folder, with how many folders are done. */
  onFolder?: (done: number, total: number) => void;
  /**
   * When to read the Git history of numbers, which takes longer than everything else: if an agent due today has no number,
   * if any agent has none, or always, to list deleted agents. @default 'due'
   */
  numbers?: 'due' | 'expected' | 'all';
  /** The results of an earlier build. */
  memory?: ContentMemory;
  /** The stamps of everything in agents/, if they are known. */
  sources?: Stamps;
}

/** The results of an earlier build, so that unchanged folders and git need not be read again. */
export interface ContentMemory extends GitMemory {
  /** The agent in a folder without errors, if the folder still has that stamp. */
  recall(slug: string, stamp: string): AgentHead | undefined;
  remember(stamp: string, head: AgentHead): void;
}

/** Remembers nothing. */
export const noMemory: ContentMemory = { recall: () => undefined, remember: () => {}, ofGit: (_name, read) => read() };

/**
 * Reads and checks every folder below `cwd`/agents. `today` decides which agents are published and which dates are
 * suggested.
 */
export function loadContent(
  cwd: string,
  vocabulary: KnownVocabulary,
  today: string,
  { onFolder, numbers, memory = noMemory, sources: stamps }: LoadOptions = {},
): Content {
  let sources: SourceFolder[];
  try {
    sources = readAgents(cwd, stamps);
  } catch (error) {
    if (!(error instanceof ContentError)) throw error;
    return { folders: [], reserved: [], diagnostics: [...error.diagnostics], notices: [] };
  }
  const folders = parseAll(sources, vocabulary, onFolder, memory);
  return settleContent(cwd, folders, { today, rules: vocabulary.rules, numbers, memory });
}

interface SettleOptions {
  today: string;
  rules: RuleSettings | undefined;
  numbers: LoadOptions['numbers'] | undefined;
  memory: GitMemory;
}

/** Checks parsed folders against the default branch and against each other. */
export function settleContent(
  cwd: string,
  folders: readonly ParsedFolder[],
  { today, rules, numbers = 'due', memory }: SettleOptions,
): Content {
  const { state, history } = readRecord(cwd, folders, memory);
  const content = combine(folders, state, noHistory, { today, rules });
  const isWaiting = content.folders.some(({ schedule }) =>
    numbers === 'due' ? isDue(schedule, today) : schedule.issue === null,
  );
  if (!isWaiting && numbers !== 'all') return content;
  return combine(folders, state, history(), { today, rules });
}

/** Checks folders that were already read, without git. */
export function checkContent(sources: readonly SourceFolder[], vocabulary: KnownVocabulary, today: string): Content {
  return checkFolders(parseAll(sources, vocabulary), vocabulary, today);
}

/** Checks folders that were already parsed, without git. */
export function checkFolders(folders: readonly ParsedFolder[], { rules }: KnownVocabulary, today: string): Content {
  return combine(folders, null, noHistory, { today, rules });
}

const noHistory: NumberHistory = { lost: [], incomplete: null };

function parseAll(
  sources: readonly SourceFolder[],
  vocabulary: KnownVocabulary,
  onFolder: LoadOptions['onFolder'] = () => {},
  memory = noMemory,
): ParsedFolder[] {
  const schema = frontMatterSchema(vocabulary);
  const parse = (source: SourceFolder) => parseSafely(source, schema, vocabulary.rules);
  return sources.map((source, index) => {
    const folder = recallOrParse(source, parse, memory);
    onFolder(index + 1, sources.length);
    return folder;
  });
}

/** Returns the remembered agent of a folder that did not change, and parses any other folder. */
function recallOrParse(
  source: SourceFolder,
  parse: (source: SourceFolder) => ParsedFolder,
  memory: ContentMemory,
): ParsedFolder {
  const stamp = memory === noMemory ? null : (source.stamp ?? null);
  if (stamp === null) return parse(source);
  const remembered = memory.recall(source.slug, stamp);
  if (remembered === undefined) {
    const folder = parse(source);
    // A folder with warnings is parsed again, so that every build reports them.
    if (folder.agent === null || folder.diagnostics.length > 0) return folder;
    const head: AgentHead = detached(folder.agent);
    const texts = detached(folder.agent.texts());
    memory.remember(stamp, head);
    return checkedFolder(source, head, () => texts);
  }
  memory.remember(stamp, remembered);
  const texts = once(() => {
    const agent = parse(source).agent;
    if (agent?.digest === remembered.digest) return agent.texts();
    throw new OperationError(`agents/${source.slug} changed during the build. Build again.`);
  });
  return checkedFolder(source, remembered, texts);
}

/** Returns a copy of plain data. Its texts are not slices, which would keep the whole files of an agent in memory. */
function detached<Value>(value: Value): Value {
  return JSON.parse(JSON.stringify(value)) as Value;
}

/** A folder without diagnostics, whose files are read again if their texts are needed. JSON of `head` stays the same. */
function checkedFolder(source: SourceFolder, head: AgentHead, texts: Agent['texts']): ParsedFolder {
  // A copy of so many fields would take 1.6 KB: V8 makes it a dictionary.
  const agent = Object.assign(head, { texts });
  const { slug } = source;
  const files = () => decodeFolder(source).texts;
  return { slug, texts: files, agent, written: agent, schedule: readSchedule(head), diagnostics: [] };
}

/**
 * Parses a folder. If the program itself fails on it, the folder gets an error, so that the other folders are still
 * read.
 */
export function parseSafely(source: SourceFolder, schema: FrontMatterSchema, rules?: RuleSettings): ParsedFolder {
  try {
    return parseFolder(source, schema, rules);
  } catch (error) {
    const text = source.files.find(({ name }) => name === 'agent.md')?.bytes?.toString('utf8') ?? '';
    const { slug } = source;
    const diagnostics = [unprocessable(slug, 'read', error)];
    return { slug, texts: () => new Map(), agent: null, written: null, schedule: guessSchedule(text), diagnostics };
  }
}

function combine(
  parsed: readonly ParsedFolder[],
  state: PublishedState | null,
  history: NumberHistory,
  { today, rules }: { today: string; rules: RuleSettings | undefined },
): Content {
  const settled = settle(parsed, state, history.lost, today);
  const { folders, reserved } = settled;
  const blamed = new Set(settled.diagnostics.map(({ slug }) => slug));
  const onBranch = new Set(state?.agents.keys());
  return {
    folders,
    reserved,
    diagnostics: [
      ...parsed.flatMap(({ diagnostics }) => diagnostics),
      ...settled.diagnostics,
      ...withRules(checkTogether({ folders, reserved }, today, { blamed, onBranch }), rules),
    ],
    notices: [...freedNumbers(settled, history), ...(history.incomplete === null ? [] : [history.incomplete])],
  };
}

/**
 * Describes the numbers of deleted agents, which the next agents would get if the history were not read, and renames that
 * were merged after the agent was published at its old address: the check of their branch did not know that address yet.
 */
function freedNumbers({ folders, reserved }: ReturnType<typeof settle>, { lost }: NumberHistory): string[] {
  const highest = folders.reduce((most, { schedule }) => Math.max(most, schedule.issue ?? 0), 0);
  return lost.flatMap(({ slug, issue, commit }) => {
    const agent = folders.find(({ schedule }) => schedule.issue === issue)?.agent ?? null;
    const isMoved = agent !== null && !agent.withdrawn && folders.every((folder) => folder.slug !== slug);
    if (isMoved && !agent.formerSlugs?.includes(slug)) {
      return `No. ${issue} was published as ${slug}, and that address no longer works. Add the line \`formerSlugs: ${yamlList([slug])}\` to agents/${agent.slug}/agent.md.`;
    }
    if (issue <= highest || !reserved.some((number) => number.issue === issue)) return [];
    return `No. ${issue} was published as ${slug} and removed by commit ${commit.slice(0, 12)}; no other agent gets this number. Restore the agent with git checkout ${commit.slice(0, 12)}^ -- agents/${slug}.`;
  });
}
