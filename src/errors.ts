/** Why the system refuses, by its code: what is outside of this program and a person can change. */
const reasons: Record<string, string> = {
  EACCES: 'permission is denied',
  EAGAIN: 'no further process can be started',
  EBUSY: 'it is in use',
  EDQUOT: 'the disk quota is used up',
  EFBIG: 'the file would be too large for the file system',
  EIO: 'the disk cannot read or write it',
  EMFILE: 'this program has too many files open',
  ENFILE: 'the system has too many files open',
  ENOMEM: 'no memory is left',
  ENOSPC: 'the disk is full',
  EPERM: 'the system does not permit it',
  EROFS: 'the file system is read-only',
  ESTALE: 'the network file system no longer has it',
  ETXTBSY: 'it is a program that is running',
  EXDEV: 'it would have to be moved to another file system',
};

/** What the system says in English for some of these codes, as programs such as git repeat it. */
const phrases: [RegExp, code: string][] = [
  [/no space left on device/i, 'ENOSPC'],
  [/disk quota exceeded/i, 'EDQUOT'],
  [/read-only file system/i, 'EROFS'],
  [/permission denied/i, 'EACCES'],
  [/too many open files in system/i, 'ENFILE'],
  [/too many open files/i, 'EMFILE'],
  [/input\/output error/i, 'EIO'],
  [/cannot allocate memory/i, 'ENOMEM'],
];

/** What a code of the system means, with the code; the code alone where it is not known. */
export function systemReason(code: string): string {
  const reason = reasons[code];
  return reason === undefined ? code : `${reason} (${code})`;
}

/** A sentence for an error that came from the system, such as a full disk; null for any other. */
export function explainSystemError(error: unknown): string | null {
  if (!(error instanceof Error)) return null;
  const { code = '', path, dest } = error as NodeJS.ErrnoException & { dest?: string };
  if (!Object.hasOwn(reasons, code)) return null;
  const place = [path, dest].filter((each) => each !== undefined).join(' → ');
  const reason = systemReason(code);
  return `${place === '' ? `A file cannot be used: ${reason}` : `${place} cannot be used: ${reason}`}.`;
}

/** The same reason in what another program said, with the line that says it; null where it gives none. */
export function explainSaid(said: string): string | null {
  for (const [phrase, code] of phrases) {
    const line = said.split('\n').find((each) => phrase.test(each));
    if (line !== undefined) return `${systemReason(code)}: ${line.trim()}`;
  }
  return null;
}
