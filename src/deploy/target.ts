import { UsageError } from '../errors.ts';

/** Where a build is delivered to: a folder on a host that is reached by ssh. */
export interface Target {
  /** As ssh takes it: `host` or `user@host`. */
  host: string;
  /** The port, where it is not ssh's own choice. */
  port: string | null;
  /** Absolute. */
  folder: string;
}

/**
 * Reads `user@host:/folder` or `ssh://user@host:port/folder`, as git and rsync take them.
 *
 * Throws UsageError when it is neither. What starts with a hyphen is refused, as ssh would take it for an option.
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
