import { UsageError } from '../errors.ts';

/** Where a build is deployed: a folder on a host that ssh reaches. */
export interface Target {
  /** `host` or `user@host`, as ssh expects it. */
  host: string;
  /** The port; null to let ssh choose. */
  port: string | null;
  /** Absolute. */
  folder: string;
}

/**
 * Parses `user@host:/folder` or `ssh://user@host:port/folder`, the forms of git and rsync.
 *
 * Throws UsageError for any other form, and for a host with a leading hyphen, which ssh would read as an option.
 */
export function parseTarget(text: string): Target {
  const match =
    /^ssh:\/\/(?<host>(?:[\w.-]+@)?[\w.-]+|(?:[\w.-]+@)?\[[\da-f:]+\])(?::(?<port>\d+))?(?<folder>\/[^\0\n]+)$/i.exec(
      text,
    ) ?? /^(?<host>(?:[\w.-]+@)?[\w.-]+):(?<folder>\/(?!\/)[^\0\n]+)$/.exec(text);
  const { host, port, folder } = match?.groups ?? {};
  if (host === undefined || folder === undefined || host.startsWith('-')) {
    throw new UsageError(
      `The target is ${JSON.stringify(text)}; it has to be user@host:/folder, or ssh://user@host:port/folder.`,
    );
  }
  return { host: host.replace(/[[\]]/g, ''), port: port ?? null, folder: folder.replace(/(?<=.)\/+$/, '') };
}
