import { OperationError } from '../diagnostics.ts';
import { openAppendLog } from './append-log.ts';
import { SignupFailed } from './failure.ts';
import type { LogFiles } from './log-files.ts';
import type { SignupLog, SignupProvider } from './port.ts';
import { causeCode, safeCause, secretsOf } from './safe.ts';

/**
 * Stores sign-ups in a file of JSON lines `{id, time, email, list, note}`, which only its owner can read.
 *
 * An address that signs up again is written again, and shown once by readSignups: so no list of addresses is held in
 * memory, a known address takes as long as a new one, and what it says in a new note is kept.
 *
 * The caller sees to it that no other process writes to the file. Throws OperationError where it cannot be opened.
 */
export async function openFileSignups(path: string, log: SignupLog, files?: LogFiles): Promise<SignupProvider> {
  const provider = 'file';
  const warn: SignupLog['warn'] = (facts, message) => log.warn({ provider, ...facts }, message);
  const lines = await openAppendLog(path, { warn, ...(files && { files }) }).catch((error: NodeJS.ErrnoException) => {
    const why = error.code ?? error.message;
    throw new OperationError(`The file of sign-ups, ${path}, cannot be opened for writing (${why}).`, { cause: error });
  });
  return {
    name: provider,
    async add({ id, time, email, list, note }) {
      try {
        await lines.append(JSON.stringify({ id, time, email, list, ...(note === undefined ? {} : { note }) }));
        return 'accepted';
      } catch (error) {
        const secrets = secretsOf(email, note);
        const facts = { code: causeCode(error, secrets), cause: safeCause(error, secrets) };
        throw new SignupFailed({ provider, reason: 'storage', ...facts });
      }
    },
    reopen: () => lines.reopen(),
    close: () => lines.close(),
  };
}
