import * as z from 'zod';
import { parseRecord } from '../text-safety/bounded-input.ts';
import { listNames } from './provider.ts';

const time = z.string().refine((text) => !Number.isNaN(Date.parse(text)));

const subscription = z.object({
  id: z.string(),
  time,
  email: z.string().min(1),
  list: z.enum(listNames),
  note: z.string().optional(),
  form: z.string().optional(),
  pending: z.literal(true).optional(),
});

/** What became of the subscription with this id. */
const event = z.object({ id: z.string(), time, event: z.enum(['confirmed', 'unsubscribed']) });

const storedLine = z.union([event, subscription]);

/** A line of a file of subscribers. */
export type StoredLine = z.infer<typeof storedLine>;

/** Parses one line of a file of subscribers; undefined if the line is torn or malformed. */
export function parseLine(line: Buffer): StoredLine | undefined {
  try {
    return storedLine.safeParse(parseRecord(line.toString('utf8'))).data;
  } catch {
    return undefined;
  }
}
