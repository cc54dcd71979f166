import { resolve } from 'node:path';
import { sha256Of } from '../lib/files.ts';
import { firstLine, GitError, isShallow } from '../lib/git.ts';
import type { Change } from '../schema/agent.ts';
import { servedText } from '../text/served-text.ts';
import { type Commit, commitsIn, readBlobs } from './check/default-branch.ts';

export interface History {
  /** The changes of each agent, newest first. */
  changes: [slug: string, changes: Change[]][];
  /** A sentence for the user that says why there is no history, or null. */
  missing: string | null;
}

/**
 * Reads from git when the agents in the folder `catalog` changed, with three processes for all agents: two for the changes,
 * one for the texts of prompts.
 *
 * The result depends only on the commit and the depth of the clone, since git's settings are overridden. A merge counts
 * as one change, at the time of the merge. The history is empty without git, outside a repository, and in a shallow
 * clone, whose oldest commit seems to have added every file.
 */
export function readHistory(catalog: string): History {
  try {
    if (isShallow(catalog)) {
      return without('this clone is shallow (fetch the whole history with `git fetch --unshallow`)');
    }
    const numbered = commitsIn(catalog, numberLog).flatMap(({ commit, lines }) =>
      lines.map((path) => `${commit} ${path.split('/')[1]}`),
    );
    const log = commitsIn(catalog, changeLog);
    const blobs = log.flatMap(({ lines }) => lines.flatMap((line) => promptBlob.exec(line)?.[1] ?? []));
    const digests = new Map(
      [...readBlobs(catalog, blobs)].map(([blob, text]) => [blob, sha256Of(servedText(text))] as const),
    );
    return { changes: [...changesBySlug(log, new Set(numbered), digests)], missing: null };
  } catch (error) {
    if (!(error instanceof GitError)) throw error;
    return without(error.missing ? 'git is not installed' : reasonOf(error.message, catalog));
  }
}

/** Reads every version of the prompts of some agents in the history, also those before a revert, newest first. */
export function promptTexts(catalog: string, slugs: readonly string[]): string[] {
  const files = slugs.map((slug) => `agents/${slug}/prompt.txt`);
  const blobs = commitsIn(catalog, ['--raw', '--no-abbrev', '--', ...files]).flatMap(({ lines }) =>
    lines.flatMap((line) => promptBlob.exec(line)?.[1] ?? []),
  );
  return [...readBlobs(catalog, blobs).values()].map(servedText);
}

/** Lists every file of an agent that a commit changed, with its status and its numbers of changed lines. */
const changeLog = ['--raw', '--no-abbrev', '--numstat', '--', ':(glob)agents/*/*'];

/** Lists every agent.md in which a commit added or removed a line with a number. */
const numberLog = ['-G^issue: [0-9]+$', '--diff-filter=M', '--name-only', '--', ':(glob)agents/*/agent.md'];

/** Matches a line of `--raw`, `:<modes> <blobs> <status>\t<path>`, or of `--numstat`, `<added>\t<removed>\t<path>`. */
const listed = /^(?::.* ([A-Z])|(\d+|-)\t(\d+|-))\tagents\/([^/]+)\/([^/]+)$/;

/** Matches the line of `--raw` for a prompt that a commit left. */
const promptBlob = /^:\d+ \d+ \w+ (?!0+ )(\w+) [A-Z]\tagents\/([^/]+)\/prompt\.txt$/;

/**
 * Groups changes by slug. `numbered` contains `<commit> <slug>` for each commit that added a number, and `digests` the
 * digests of prompts by the ids of their bytes.
 */
function changesBySlug(
  log: readonly Commit[],
  numbered: ReadonlySet<string>,
  digests: ReadonlyMap<string, string>,
): Map<string, Change[]> {
  const changes = new Map<string, Change[]>();
  for (const { commit, time, lines } of log) {
    const ofCommit = new Map<string, Change>();
    const whole = new Set<string>();
    const prompts = new Map<string, string | null>();
    for (const line of lines) {
      const [, blob = '', prompted = ''] = promptBlob.exec(line) ?? [];
      if (blob !== '') prompts.set(prompted, digests.get(blob) ?? null);
      const [, status, added = '', removed = '', slug = '', file = ''] = listed.exec(line) ?? [];
      if (file === 'agent.md' && (status === 'A' || status === 'D')) whole.add(slug);
      const isNumber = file === 'agent.md' && `${added} ${removed}` === '1 0' && numbered.has(`${commit} ${slug}`);
      if (slug === '' || status !== undefined || isNumber || `${added} ${removed}` === '0 0') continue;
      const change = ofCommit.get(slug) ?? { commit, time, whole: whole.has(slug), prompt: null };
      if (file === 'prompt.txt') {
        const sha256 = prompts.get(slug) ?? null;
        change.prompt = { added: Number(added) || 0, removed: Number(removed) || 0, sha256 };
      }
      ofCommit.set(slug, change);
    }
    for (const [slug, change] of ofCommit) {
      const earlier = changes.get(slug);
      if (earlier === undefined) changes.set(slug, [change]);
      else earlier.push(change);
    }
  }
  return changes;
}

/** Says why git has no history. It refuses repositories of other users, such as one of root that the server opens. */
function reasonOf(said: string, catalog: string): string {
  if (/does not have any commits/.test(said)) return 'nothing is committed yet';
  if (/not a git repository/.test(said)) return 'this folder is not in a git repository';
  if (!/dubious ownership|unsafe repository/.test(said)) return firstLine(said);
  return `the repository belongs to another user (allow it with \`git config --system --add safe.directory ${resolve(catalog)}\`)`;
}

function without(reason: string): History {
  return {
    changes: [],
    missing: `The pages cannot show how prompts changed: ${reason}. Publication dates are used as modification dates.`,
  };
}
