import { randomBytes } from 'node:crypto';
import { OperationError, systemReason } from '../errors.ts';
import { type Disk, reasonOf } from '../journal/disk.ts';
import { openLastingJournal } from '../journal/lasting-journal.ts';
import { SignupFailed } from './failure.ts';
import type { Signup, SignupLog, SignupProvider } from './provider.ts';
import { causeCode, safeCause, secretsOf } from './safe-errors.ts';

export interface FileSignupTools {
  file: string;
  log: SignupLog;
  /** Milliseconds since 1970. @default Date.now */
  now?: () => number;
  /** @default node:fs/promises */
  disk?: Disk;
}

/**
 * Stores sign-ups in a file of JSON lines `{id, time, email, list, note}`, which only its owner can read.
 *
 * An address that signs up again is written again, and shown once by readSignups: so no list of addresses is held in
 * memory, a known address takes as long as a new one, and what it says in a new note is kept.
 *
 * While the disk fails, sign-ups are refused and the file is opened again and again. Throws OperationError where another
 * process has the file already, or its path can be no file.
 */
export async function openFileSignups({ file, log, now = Date.now, disk }: FileSignupTools): Promise<SignupProvider> {
  const provider = 'file';
  const journal = await openLastingJournal<Signup, Signup>({
    file,
    prepare: (signups) => signups.map(stored),
    now: () => new Date(now()),
    random: randomBytes,
    warn: (message) => log.warn({ provider, file }, message),
    ownerOnly: true,
    ...(disk && { disk }),
  }).catch((cause: unknown) => {
    if (cause instanceof OperationError) throw cause;
    throw new OperationError(`The file of sign-ups, ${file}, cannot be used: ${systemReason(reasonOf(cause))}.`, {
      cause,
    });
  });
  return {
    name: provider,
    async add(signup) {
      try {
        await journal.append(signup);
        return 'accepted';
      } catch (error) {
        const secrets = secretsOf(signup.email, signup.note);
        const facts = { code: causeCode(error, secrets), cause: safeCause(error, secrets) };
        throw new SignupFailed({ provider, reason: 'storage', ...facts });
      }
    },
    check: () => journal.check(),
    reopen: () => journal.reopen(),
    close: () => journal.close(),
  };
}

/** What is stored of a sign-up: nothing that a later caller may hang on it. */
function stored({ id, time, email, list, note }: Signup): Signup {
  return { id, time, email, list, ...(note === undefined ? {} : { note }) };
}
