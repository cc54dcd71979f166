import { head, mergeBase } from './repository.ts';
import { git, gitBytes, gitOrNull } from './run.ts';

/** The branch that says which agents are published, and how the checked-out commit relates to it. */
export interface RecordBranch {
  /** The short name: `origin/main`, or `main`. */
  name: string;
  commit: string;
  committed: Date;
  /**
   * The newest common commit of HEAD and the branch; null if there is none or the clone is too shallow to contain it.
   */
  base: string | null;
}

/**
 * Finds the default branch as of the last fetch: that of `origin`, or else of another remote, or else the local `main`
 * or `master`, or else HEAD. Returns null without git, outside a repository, and before the first commit. Fetches
 * nothing.
 */
export function findRecord(cwd: string): RecordBranch | null {
  const format = '%(refname)%09%(symref)%09%(objectname)%09%(committerdate:unix)';
  const patterns = ['HEAD', 'main', 'master'].map((name) => `refs/remotes/*/${name}`);
  const listed = gitOrNull(cwd, ['for-each-ref', `--format=${format}`, ...patterns, ...localBranches]);
  if (listed === null) return null;
  const refs = listed
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => {
      const [ref = '', target = '', commit = '', seconds = ''] = line.split('\t');
      return { ref, target, commit, seconds };
    })
    .sort((a, b) => preference(a.ref) - preference(b.ref));
  const chosen = refs[0] ?? checkedOut(cwd);
  if (chosen === null) return null;
  const own = head(cwd);
  const base = own === null || own === chosen.commit ? own : mergeBase(cwd, own, chosen.commit);
  return {
    name: (chosen.target || chosen.ref).replace(/^refs\/(?:remotes|heads)\//, ''),
    commit: chosen.commit,
    committed: new Date(Number(chosen.seconds) * 1000),
    base,
  };
}

const localBranches = ['refs/heads/main', 'refs/heads/master'];

/** Ranks a branch: the lowest number is the best candidate. */
function preference(ref: string): number {
  if (localBranches.includes(ref)) return 10 + localBranches.indexOf(ref);
  const [, , remote, name = ''] = ref.split('/');
  return (remote === 'origin' ? 0 : 5) + ['HEAD', 'main', 'master'].indexOf(name);
}

function checkedOut(cwd: string) {
  const [commit, seconds] = gitOrNull(cwd, ['log', '-1', '--format=%H %ct', 'HEAD'])?.trim().split(' ') ?? [];
  if (commit === undefined || seconds === undefined) return null;
  const ref = gitOrNull(cwd, ['symbolic-ref', '--quiet', 'HEAD'])?.trim() ?? 'HEAD';
  return { ref, target: '', commit, seconds };
}

/** Returns the blob ids of every agents/<slug>/agent.md below `cwd` at a commit, by slug. Throws GitError. */
export function agentBlobsAt(cwd: string, commit: string): Map<string, string> {
  const entries = git(cwd, ['ls-tree', '-r', '-z', commit, '--', 'agents/']).split('\0');
  return new Map(
    entries.flatMap((entry) => {
      const match = /^\d+ blob (\w+)\tagents\/([^/]+)\/agent\.md$/s.exec(entry);
      return match === null ? [] : [[match[2] as string, match[1] as string] as const];
    }),
  );
}

/** Reads the files below some paths at a commit, by their paths, which are all relative to `cwd`. Throws GitError. */
export function textsAt(cwd: string, commit: string, paths: readonly string[]): Map<string, string> {
  const entries = git(cwd, ['ls-tree', '-r', '-z', commit, '--', ...paths]).split('\0');
  const files = entries.flatMap((entry) => {
    const [, blob = '', path] = /^\d+ blob (\w+)\t(.*)$/s.exec(entry) ?? [];
    return path === undefined ? [] : [{ blob, path }];
  });
  const texts = readBlobs(
    cwd,
    files.map(({ blob }) => blob),
  );
  return new Map(files.map(({ blob, path }) => [path, texts.get(blob) ?? '']));
}

/** Reads the texts of blobs, by id, with one process. Blobs that do not exist are left out. Throws GitError. */
export function readBlobs(cwd: string, ids: Iterable<string>): Map<string, string> {
  const wanted = [...new Set(ids)];
  const texts = new Map<string, string>();
  if (wanted.length === 0) return texts;
  const output = gitBytes(cwd, ['cat-file', '--batch'], `${wanted.join('\n')}\n`);
  let at = 0;
  while (at < output.length) {
    const end = output.indexOf('\n', at);
    const [id = '', type, size] = output.toString('utf8', at, end).split(' ');
    at = end + 1;
    if (type === 'missing') continue;
    texts.set(id, output.toString('utf8', at, at + Number(size)));
    at += Number(size) + 1;
  }
  return texts;
}

/** A version of an agent.md that a commit deleted, or replaced with a version in which one line differs. */
export interface ReplacedVersion {
  slug: string;
  blob: string;
  /** The commit that replaced or deleted it. */
  commit: string;
  committed: Date;
}

/**
 * Finds earlier versions of agents in which the line `key` differs from the next version, newest first. It follows the
 * first parents of `tips`, so it finds versions that were on the branch, not those on branches that were merged later.
 * `slug` can be a pattern.
 *
 * Throws GitError, for example if git takes longer than a minute.
 */
export function replacedVersions(
  cwd: string,
  tips: readonly string[],
  key: 'issue' | 'date',
  slug = '*',
): ReplacedVersion[] {
  const log = git(cwd, [
    ...['-c', 'core.quotePath=false', '-c', 'log.showSignature=false', 'log', '--first-parent', '-m'],
    ...['--raw', '--no-abbrev', '--no-renames', '--diff-filter=DM', `-G^${key}:`, '--relative'],
    ...['--format=%x00%H %ct', ...tips, '--', `:(glob)agents/${slug}/agent.md`],
  ]);
  return log
    .split('\0')
    .slice(1)
    .flatMap((entry) => {
      const [first = '', ...lines] = entry.split('\n');
      const [commit = '', seconds] = first.split(' ');
      return lines.flatMap((line) => {
        const match = /^:\d+ \d+ (\w+) \w+ [DM]\tagents\/([^/]+)\/agent\.md$/.exec(line);
        if (match === null) return [];
        const [, blob = '', slug = ''] = match;
        return [{ slug, blob, commit, committed: new Date(Number(seconds) * 1000) }];
      });
    });
}

/**
 * Returns which of some agents got an `issue` line first, according to the history of `tip`; null if that is unclear.
 */
export function firstNumbered(cwd: string, tip: string, slugs: readonly string[]): string | null {
  const files = slugs.map((slug) => `agents/${slug}/agent.md`);
  const log = gitOrNull(cwd, [
    ...['-c', 'core.quotePath=false', 'log', '--first-parent', '-m', '--name-only', '--no-renames', '--relative'],
    ...['--diff-filter=AM', '-G^issue:', '--format=%x00', tip, '--', ...files],
  ]);
  const oldest = (log ?? '').split('\0').at(-1)?.trim().split('\n') ?? [];
  const [only] = oldest;
  return oldest.length === 1 && only !== undefined ? (slugs[files.indexOf(only)] ?? null) : null;
}

/** Whether the clone lacks the oldest commits. */
export function isShallow(cwd: string): boolean {
  return gitOrNull(cwd, ['rev-parse', '--is-shallow-repository'])?.trim() === 'true';
}
