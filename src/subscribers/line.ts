import * as z from 'zod';
import { listNames } from './provider.ts';

const storedSubscription = z.object({
  id: z.string(),
  time: z.string().refine((time) => !Number.isNaN(Date.parse(time))),
  email: z.string().min(1),
  list: z.enum(listNames),
  note: z.string().optional(),
});

/** Parses one line of a file of subscribers; undefined if the line is torn or malformed. */
export function parseSubscription(line: Buffer): z.infer<typeof storedSubscription> | undefined {
  try {
    return storedSubscription.safeParse(JSON.parse(line.toString('utf8'))).data;
  } catch {
    return undefined;
  }
}
