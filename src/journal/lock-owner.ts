import * as z from 'zod';
import { OperationError } from '../errors.ts';
import { parseRecord } from '../text-safety/bounded-input.ts';

/** A lock file: one JSON object, always of the same length for the same owner. */
const shape = z.object({
  /** New for every lock, so that no two are equal. */
  token: z.string().min(1),
  /** The owned file. A copy of the lock next to another file does not own that one. */
  file: z.string().default(''),
  host: z.string(),
  boot: z.string(),
  namespace: z.string().default(''),
  pid: z.int().min(1),
  started: z.string(),
  since: z.iso.datetime(),
  heartbeat: z.iso.datetime(),
});

export type LockOwner = z.infer<typeof shape>;

/** Parses the text of a lock file; undefined if it is invalid. */
export function parseOwner(text: string): LockOwner | undefined {
  try {
    return shape.safeParse(parseRecord(text)).data;
  } catch {
    return undefined;
  }
}

/** Returns the text of a lock file. */
export function ownerText(owner: LockOwner): Buffer {
  return Buffer.from(`${JSON.stringify(owner)}\n`);
}

/** The error for a second owner: who has the file, and what to do. */
export class FileInUse extends OperationError {
  /** The owner, for messages. */
  readonly who: string;

  constructor(file: string, owner: LockOwner | undefined) {
    const who = owner === undefined ? 'another process' : `process ${owner.pid} on ${owner.host}, since ${owner.since}`;
    super(`${file} is in use by ${who}. Stop that process first, or use another file for this one.`);
    this.who = who;
  }
}
