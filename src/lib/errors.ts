import { lstatSync, readlinkSync, type Stats, statSync } from 'node:fs';
import { dirname, resolve } from 'node:path';

/**
 * Says what in a path keeps it from being a folder, or from being made: a file, or a symbolic link that leads nowhere. Null
 * if nothing does, or if it cannot be known.
 */
export function obstacleIn(path: string): string | null {
  const whole = resolve(path);
  const above = dirname(whole) === whole ? null : obstacleIn(dirname(whole));
  if (above !== null) return above;
  return orElse(() => {
    const stats = lstatSync(whole);
    return stats.isSymbolicLink() ? linkObstacle(whole) : wrongKind(whole, stats);
  }, null);
}

function linkObstacle(link: string): string | null {
  const start = `${link} is a symbolic link`;
  const target = readlinkSync(link);
  try {
    return wrongKind(`${start} to ${target}, which`, statSync(link));
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'ENOENT' || code === 'ENOTDIR') return `${start} to ${target}, which does not exist`;
    return code === 'ELOOP' ? `${start} that leads back to itself` : null;
  }
}

function wrongKind(subject: string, stats: Stats): string | null {
  if (stats.isDirectory()) return null;
  return `${subject} is ${stats.isFile() ? 'a file' : 'not a folder'}`;
}

/** Returns the result of `work`, or `fallback` if it throws anything. */
export function orElse<Value, Fallback>(work: () => Value, fallback: Fallback): Value | Fallback {
  try {
    return work();
  } catch {
    return fallback;
  }
}

/** Whether `work` throws nothing. */
export function succeeds(work: () => unknown): boolean {
  return orElse(() => [work()], null) !== null;
}

/** A wrong flag or environment variable stops a command. The CLI prints the message and exits with 2. */
export class UsageError extends Error {
  override readonly name = 'UsageError';
}

/** Something outside the program, such as a folder or a port, stops a command. The CLI prints the message and exits with 1. */
export class OperationError extends Error {
  override readonly name = 'OperationError';
}

/** The meaning of system error codes. Only errors that the user can fix are listed. */
const reasons: Record<string, string> = {
  EACCES: 'permission is denied',
  EAGAIN: 'no further process can be started',
  EBUSY: 'it is in use',
  EDQUOT: 'the disk quota is used up',
  EFBIG: 'the file would be too large for the file system',
  EIO: 'the disk cannot read or write it',
  ELOOP: 'its symbolic links lead in a circle',
  EMFILE: 'this program has too many files open',
  ENAMETOOLONG: 'its name is too long',
  ENFILE: 'the system has too many files open',
  ENOMEM: 'no memory is left',
  ENOSPC: 'the disk is full',
  EPERM: 'the system does not permit it',
  EROFS: 'the file system is read-only',
  ESTALE: 'it is gone from the network file system',
  ETXTBSY: 'it is a running program',
  EXDEV: 'it would have to be moved to another file system',
};

/** The same for codes that are the user's concern only if a path is to blame, and otherwise ours. */
const pathReasons: Record<string, string> = {
  EEXIST: 'it already exists, or a file is where its folder should be',
  EISDIR: 'it is a folder, not a file',
  ENOENT: 'there is no such file or folder',
  ENOTDIR: 'a part of its path is a file, not a folder',
};

/** The meaning of a system error code, followed by the code; only the code if it is unknown. */
export function systemReason(code: string): string {
  const reason = reasons[code] ?? pathReasons[code];
  return reason === undefined ? code : `${reason} (${code})`;
}

/** The reason for an error: the code of a system error, whose message may contain anything; otherwise the message. */
export function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  return (error as NodeJS.ErrnoException).code ?? error.message;
}

/** The error for something that a system error prevents. `what` is the start of its sentence, as in `x cannot be read`. */
export function prevented(what: string, cause: unknown): OperationError {
  return new OperationError(`${what}: ${systemReason(reasonOf(cause)).replace(/\.$/, '')}.`, { cause });
}

/** Returns the result of `work`. Throws an error as `prevented` explains it, except an OperationError, which already says why. */
export function explaining<Result>(what: string, work: () => Result): Result {
  try {
    return work();
  } catch (error) {
    throw error instanceof OperationError ? error : prevented(what, error);
  }
}

/** A sentence for a system error, such as a full disk or a file where a folder is needed; null for any other error. */
export function explainSystemError(error: unknown): string | null {
  if (!(error instanceof Error)) return null;
  const { code = '', path, dest } = error as NodeJS.ErrnoException & { dest?: string };
  const paths = [path, dest].filter((each) => each !== undefined);
  if (!Object.hasOwn(reasons, code)) return explainPaths(error, paths);
  const advice = code === 'EACCES' ? ' Change its permissions, or name another path.' : '';
  return `${paths.length === 0 ? 'A file' : paths.join(' → ')} cannot be used: ${systemReason(code)}.${advice}`;
}

/** A sentence for an error that one of these paths explains: it is a folder, or not one, or leads nowhere. */
function explainPaths({ code, syscall }: NodeJS.ErrnoException, paths: readonly string[]): string | null {
  if (code === 'EISDIR') {
    const folder = paths.find((path) => statSync(path, { throwIfNoEntry: false })?.isDirectory());
    return folder === undefined ? null : `${folder} is a folder, not a file. Name another path, or move it away.`;
  }
  if (!['EEXIST', 'ENOENT', 'ENOTDIR'].includes(code ?? '')) return null;
  for (const path of paths) {
    const obstacle = obstacleIn(path);
    if (obstacle === null) continue;
    const named = obstacle.startsWith(`${path} `) ? '' : `${path} cannot be used: `;
    return `${named}${obstacle}. Name another path, or move it away.`;
  }
  if (syscall === 'uv_cwd')
    return 'The current folder no longer exists. Change to another one, and run the command again.';
  const [path = ''] = paths;
  if (syscall === 'mkdir') return `${path} cannot be made: ${dirname(path)} takes no folders. Name another path.`;
  return syscall === 'mkdtemp' ? `${dirname(path)} does not exist. Name an existing folder in TMPDIR.` : null;
}
