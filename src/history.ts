import { firstLine } from './git/repository.ts';
import { GitError, git } from './git/run.ts';

/** One change of a prompt. */
export interface Change {
  /** The first ten digits of the commit. */
  commit: string;
  /** The author's day, YYYY-MM-DD. */
  date: string;
  /** The first line of the commit's message. */
  subject: string;
}

export interface PromptHistory {
  /** Slug → changes of its prompt.txt, newest first. */
  changes: ReadonlyMap<string, readonly Change[]>;
  /** Why there is no history, in a sentence for the person at the terminal, or null. */
  missing: string | null;
}

/**
 * Reads from git when the prompts below `catalog`/agents changed: one process for all of them.
 *
 * The answer depends on the commit and the depth of the clone alone: git's own settings are overruled. Without git,
 * outside a repository and in a shallow clone, where the oldest commit seems to have made every file, it is empty.
 */
export function readHistory(catalog: string): PromptHistory {
  try {
    if (git(catalog, ['rev-parse', '--is-shallow-repository']).trim() === 'true') {
      return without('this clone is shallow (fetch the whole history with `git fetch --unshallow`)');
    }
  } catch (error) {
    if (!(error instanceof GitError)) throw error;
    return without(error.missing ? 'git is not installed' : 'this folder is in no git repository');
  }
  try {
    return { changes: parse(git(catalog, log)), missing: null };
  } catch (error) {
    if (!(error instanceof GitError)) throw error;
    return without(
      /does not have any commits/.test(error.message) ? 'nothing is committed yet' : firstLine(error.message),
    );
  }
}

const log = [
  ...['-c', 'core.quotePath=false', '-c', 'log.showSignature=false', 'log'],
  ...['--format=%x00%H%x09%as%x09%s', '--encoding=UTF-8', '--name-only', '--no-renames', '--relative'],
  ...['--', ':(glob)agents/*/prompt.txt'],
];

function parse(log: string): Map<string, Change[]> {
  const changes = new Map<string, Change[]>();
  for (const entry of log.split('\0').slice(1)) {
    const [head = '', ...paths] = entry.split('\n');
    const [hash = '', date = '', subject = ''] = head.split('\t');
    for (const path of paths) {
      const slug = /^agents\/([^/]+)\/prompt\.txt$/.exec(path)?.[1];
      if (slug === undefined) continue;
      const change = { commit: hash.slice(0, 10), date, subject };
      const earlier = changes.get(slug);
      if (earlier === undefined) changes.set(slug, [change]);
      else earlier.push(change);
    }
  }
  return changes;
}

function without(reason: string): PromptHistory {
  return { changes: new Map(), missing: `The pages show no history of the prompts: ${reason}.` };
}
