import { z } from 'zod';
import { readLines } from '../journal/lines.ts';
import { listNames } from './provider.ts';

const storedSubscription = z.object({
  id: z.string(),
  time: z.string().refine((time) => !Number.isNaN(Date.parse(time))),
  email: z.string().min(1),
  list: z.enum(listNames),
  note: z.string().optional(),
});

export type StoredSubscription = z.infer<typeof storedSubscription>;

/** One line of a file of subscribers. */
export interface Line {
  /** From 1. */
  number: number;
  /** The bytes in the file, with the newline, which the last line may lack. */
  bytes: Buffer;
  /** Undefined if the line is torn or malformed. */
  subscription: StoredSubscription | undefined;
}

/** The lines of the file in order, read in pieces; none if the file does not exist. */
export async function* readSubscriptionLines(path: string): AsyncGenerator<Line> {
  let number = 0;
  for await (const bytes of readLines(path)) {
    number += 1;
    yield { number, bytes, subscription: parseSubscription(bytes) };
  }
}

/** Undefined if the line is torn or malformed. */
export function parseSubscription(bytes: Buffer): StoredSubscription | undefined {
  try {
    return storedSubscription.safeParse(JSON.parse(bytes.toString('utf8'))).data;
  } catch {
    return undefined;
  }
}
