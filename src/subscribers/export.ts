import { readSignupLines } from './lines.ts';
import type { ListName, SignupLog } from './provider.ts';

/** One address on one list, however often it signed up. */
export interface SignupEntry {
  /** When it first did, among the sign-ups asked for: RFC 3339, UTC. */
  time: string;
  email: string;
  list: ListName;
  /** What it said, each note once, the oldest first. */
  notes: string[];
}

export interface ExportFilter {
  list?: ListName | undefined;
  /** Only sign-ups at this time or later; who signed up before and again since is among them. */
  since?: Date | undefined;
}

/**
 * Reads the file of sign-ups: each address once per list, whatever its case, in the order of the first sign-ups.
 *
 * A line that cannot be read is left out, with a warning that gives its number. Works beside a running server. A file
 * that does not exist holds none.
 */
export async function readSignups(path: string, filter: ExportFilter, log: SignupLog): Promise<SignupEntry[]> {
  const entries = new Map<string, SignupEntry>();
  for await (const { number, signup } of readSignupLines(path)) {
    if (signup === undefined) {
      log.warn({ file: path, line: number }, 'A line of the file of sign-ups cannot be read and was left out.');
      continue;
    }
    const { time, email, list, note } = signup;
    if (filter.list !== undefined && filter.list !== list) continue;
    if (filter.since !== undefined && Date.parse(time) < filter.since.getTime()) continue;
    const key = `${list} ${email.toLowerCase()}`;
    const entry = entries.get(key) ?? { time, email, list, notes: [] };
    if (note && !entry.notes.includes(note)) entry.notes.push(note);
    entries.set(key, entry);
  }
  return [...entries.values()];
}
