/** A version of a plugin that was published. */
export interface PluginRelease {
  version: string;
  /** Its files, by path, with the ids of their bytes in Git. */
  files: readonly (readonly [path: string, blob: string])[];
  /** The SHA-256 of its SKILL.md, in hexadecimal; null if it has none. */
  skill: string | null;
}

/** The plugins that the branch `install` has or had. It is the record of their versions. */
export interface PublishedPlugins {
  /** The releases by the name of their plugin, each with the oldest first. No two of a plugin have the same version. */
  releases: ReadonlyMap<string, readonly PluginRelease[]>;
  /** Whether a release consists of exactly these files. */
  isRelease(release: PluginRelease, files: ReadonlyMap<string, string>): boolean;
  /** Returns the texts of files by the ids of their bytes. Those that this clone lacks are left out. */
  read(blobs: Iterable<string>): ReadonlyMap<string, string>;
}

export const noPlugins: PublishedPlugins = {
  releases: new Map(),
  isRelease: () => false,
  read: () => new Map(),
};

/** The version of a plugin that was changed this many times. */
export function versionOf(revision: number): string {
  return `1.${revision}.0`;
}

/** How many times a plugin was changed, from its version; null if it is not such a version. */
export function revisionOf(version: unknown): number | null {
  const [, revision] = (typeof version === 'string' && /^1\.(0|[1-9]\d{0,8})\.0$/.exec(version)) || [];
  return revision === undefined ? null : Number(revision);
}
