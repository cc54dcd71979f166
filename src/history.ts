import { execFileSync } from 'node:child_process';

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
  const shallow = git(catalog, ['rev-parse', '--is-shallow-repository']);
  if (shallow.failed === 'ENOENT') return without('git is not installed');
  if (shallow.failed !== null) return without('this folder is in no git repository');
  if (shallow.output.trim() === 'true') {
    return without('this clone is shallow (fetch the whole history with `git fetch --unshallow`)');
  }
  const log = git(catalog, [
    '-c',
    'core.quotePath=false',
    '-c',
    'log.showSignature=false',
    'log',
    '--format=%x00%H%x09%as%x09%s',
    '--encoding=UTF-8',
    '--name-only',
    '--no-renames',
    '--relative',
    '--',
    ':(glob)agents/*/prompt.txt',
  ]);
  if (log.failed !== null) return without('the repository has no commit yet');
  return { changes: parse(log.output), missing: null };
}

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

function git(cwd: string, args: string[]): { output: string; failed: string | null } {
  try {
    const output = execFileSync('git', args, {
      cwd,
      encoding: 'utf8',
      maxBuffer: 2 ** 30,
      stdio: ['ignore', 'pipe', 'ignore'],
    });
    return { output, failed: null };
  } catch (error) {
    return { output: '', failed: (error as NodeJS.ErrnoException).code ?? 'failed' };
  }
}
