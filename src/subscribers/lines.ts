import { z } from 'zod';
import { readLines } from '../journal/lines.ts';
import { listNames } from './provider.ts';

const storedSignup = z.object({
  id: z.string(),
  time: z.string().refine((time) => !Number.isNaN(Date.parse(time))),
  email: z.string().min(1),
  list: z.enum(listNames),
  note: z.string().optional(),
});

export type StoredSignup = z.infer<typeof storedSignup>;

/** One line of a file of sign-ups. */
export interface Line {
  /** From 1. */
  number: number;
  /** As it stands in the file, with its newline, which the last line may lack. */
  bytes: Buffer;
  /** Undefined where the line is torn or none of ours. */
  signup: StoredSignup | undefined;
}

/** The lines of the file, in order, read piece by piece; none where the file does not exist. */
export async function* readSignupLines(path: string): AsyncGenerator<Line> {
  let number = 0;
  for await (const bytes of readLines(path)) {
    number += 1;
    yield { number, bytes, signup: parseSignup(bytes) };
  }
}

/** Undefined where the line is torn or none of ours. */
export function parseSignup(bytes: Buffer): StoredSignup | undefined {
  try {
    return storedSignup.safeParse(JSON.parse(bytes.toString('utf8'))).data;
  } catch {
    return undefined;
  }
}
