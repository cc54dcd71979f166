import { orElse } from '../lib/errors.ts';
import { sha256Of } from '../lib/files.ts';
import {
  blobId,
  type Commit,
  commitsIn,
  GitError,
  gitOrNull,
  isInRepository,
  isShallow,
  readBlobs,
} from '../lib/git.ts';
import { entry } from '../lib/groups.ts';
import { type PluginRelease, type PublishedPlugins, revisionOf } from '../schema/documents.ts';

/** The releases on the branch `install`, as the cache keeps them. */
interface Releases {
  plugins: [name: string, releases: PluginRelease[]][];
  /** A sentence for the user that says what is missing or wrong, or null. */
  note: string | null;
}

/**
 * Reads every release of every plugin from the history of the branch `install`: the branch of `origin` as of the last fetch, or
 * else of another remote, or else the local one. Fetches nothing.
 *
 * A commit releases a plugin if it changes its plugin.json, which has the version. The first commit with a version
 * decides its bytes. Without the branch or without git, there are no releases.
 */
export function readReleases(cwd: string): Releases {
  const branch = findBranch(cwd);
  if (branch === null) return { plugins: [], note: null };
  try {
    const log = commitsIn(cwd, ['--raw', '--no-abbrev', branch, '--', ':(top,glob)plugins/*/**']);
    const versions = snapshots(log.reverse());
    const blobs = versions.flatMap(({ manifest, skill }) => (skill === undefined ? [manifest] : [manifest, skill]));
    const texts = readBlobs(cwd, blobs);
    const { plugins, twice } = group(versions, texts);
    const others = `The branch install has more than one archive of ${twice.join(', ')}. The first one stays published: a version never changes.`;
    const shallow = 'This clone is shallow, so the build may lack earlier archives of plugins.';
    const notes = [...(twice.length > 0 ? [others] : []), ...(isShallow(cwd) ? [shallow] : [])];
    return { plugins: [...plugins], note: notes.join(' ') || null };
  } catch (error) {
    if (!(error instanceof GitError)) throw error;
    return {
      plugins: [],
      note: `The branch install cannot be read, so plugins may get wrong versions: ${error.message}`,
    };
  }
}

/** Gives access to releases that were read from the repository of `cwd`. */
export function publishedPlugins(cwd: string, { plugins }: Releases): PublishedPlugins {
  return {
    releases: new Map(plugins),
    isRelease: (release, files) =>
      release.files.length === files.size &&
      release.files.every(([path, blob]) => {
        const text = files.get(path);
        return text !== undefined && blobId(Buffer.from(text), blob) === blob;
      }),
    read: (blobs) => readBlobs(cwd, blobs),
  };
}

function findBranch(cwd: string): string | null {
  if (!isInRepository(cwd)) return null;
  const patterns = ['refs/remotes/*/install', 'refs/heads/install'];
  const listed = gitOrNull(cwd, ['for-each-ref', '--format=%(refname)', ...patterns]) ?? '';
  const refs = listed.trim().split('\n');
  const remote = refs.filter((ref) => ref.startsWith('refs/remotes/'));
  return remote.find((ref) => ref === 'refs/remotes/origin/install') ?? remote[0] ?? (refs[0] || null);
}

/** The files of a plugin right after a commit that changed its plugin.json. */
interface Snapshot {
  name: string;
  /** The id of its plugin.json. */
  manifest: string;
  /** The id of its SKILL.md. */
  skill: string | undefined;
  files: [path: string, blob: string][];
}

/** `commits` are in order, oldest first. */
function snapshots(commits: readonly Commit[]): Snapshot[] {
  const versions: Snapshot[] = [];
  const plugins = new Map<string, Map<string, string>>();
  for (const { lines } of commits) {
    const released = new Set<string>();
    for (const line of lines) {
      const [, blob = '', status, name = '', path = ''] =
        /^:\d+ \d+ \w+ (\w+) ([A-Z])\tplugins\/([a-z0-9-]+)\/(.+)$/.exec(line) ?? [];
      if (status === undefined) continue;
      const files = entry(plugins, name, () => new Map<string, string>());
      if (status === 'D') files.delete(path);
      else files.set(path, blob);
      if (path === 'plugin.json') released.add(name);
    }
    for (const name of released) {
      const files = plugins.get(name) ?? new Map<string, string>();
      const manifest = files.get('plugin.json');
      const skill = files.get(`skills/${name}/SKILL.md`);
      if (manifest !== undefined) versions.push({ name, manifest, skill, files: [...files].sort() });
    }
  }
  return versions;
}

/** Groups snapshots by plugin. `twice` lists the versions whose files on the branch are not those that they had first. */
function group(versions: readonly Snapshot[], texts: ReadonlyMap<string, string>) {
  const plugins = new Map<string, PluginRelease[]>();
  const twice = new Map<string, string>();
  for (const { name, manifest, skill, files } of versions) {
    const version = versionIn(texts.get(manifest), name);
    if (version === null) continue;
    const releases = entry(plugins, name, () => []);
    const same = releases.find((release) => release.version === version);
    const skillText = skill === undefined ? undefined : texts.get(skill);
    const skillDigest = skillText === undefined ? null : sha256Of(skillText);
    if (same === undefined) releases.push({ version, files, skill: skillDigest });
    twice.delete(name);
    if (same !== undefined && JSON.stringify(same.files) !== JSON.stringify(files))
      twice.set(name, `${name} ${version}`);
  }
  return { plugins, twice: [...twice.values()] };
}

/** The version in a plugin.json; null if the catalog did not write the file. */
function versionIn(manifest: string | undefined, name: string): string | null {
  const value = orElse(() => JSON.parse(manifest ?? ''), null);
  return value?.name === name && revisionOf(value.version) !== null ? value.version : null;
}
