import { createReadStream } from 'node:fs';
import { z } from 'zod';
import { listNames } from './port.ts';

const storedSignup = z.object({
  id: z.string(),
  time: z.string().refine((time) => !Number.isNaN(Date.parse(time))),
  email: z.string().min(1),
  list: z.enum(listNames),
  note: z.string().optional(),
});

export type StoredSignup = z.infer<typeof storedSignup>;

/** One line of a file of sign-ups; `signup` is undefined where it is torn or none of ours. */
export interface Line {
  /** From 1. */
  number: number;
  /** As it stands in the file, with its newline, which the last line may lack. */
  bytes: Buffer;
  signup: StoredSignup | undefined;
}

/** The lines of the file, in order, read piece by piece; none where the file does not exist. */
export async function* readLines(path: string): AsyncGenerator<Line> {
  let number = 0;
  let rest: Buffer[] = [];
  const line = (bytes: Buffer): Line => ({ number: ++number, bytes, signup: parse(bytes) });
  try {
    for await (const chunk of createReadStream(path) as AsyncIterable<Buffer>) {
      let from = 0;
      // Bytes, not node:readline: it would also break lines at U+2028, which JSON text may hold.
      for (let at = chunk.indexOf(0x0a); at !== -1; at = chunk.indexOf(0x0a, from)) {
        yield line(Buffer.concat([...rest, chunk.subarray(from, at + 1)]));
        rest = [];
        from = at + 1;
      }
      if (from < chunk.length) rest.push(chunk.subarray(from));
    }
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
  }
  if (rest.length > 0) yield line(Buffer.concat(rest));
}

function parse(bytes: Buffer): StoredSignup | undefined {
  try {
    return storedSignup.safeParse(JSON.parse(bytes.toString('utf8'))).data;
  } catch {
    return undefined;
  }
}
