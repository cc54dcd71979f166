import * as z from 'zod';
import { type Disk, hasCode, replaceFile } from '../journal/disk.ts';
import { parseRecord } from '../text-safety/bounded-input.ts';

/** The secret of the pseudonyms of one UTC day. It survives a restart; that of the next day overwrites it (C5.22). */
export interface DailySecret {
  /** Returns the 32 bytes of the secret of `day` (YYYY-MM-DD). The first call of a day makes and stores a new one. */
  of(day: string): Promise<Buffer>;
}

export interface DailySecretOptions {
  /** The file of the secret, which only its owner can read. */
  path: string;
  disk: Disk;
  random(bytes: number): Buffer;
  warn(message: string): void;
}

const shape = z.object({ day: z.iso.date(), secret: z.string().regex(/^[0-9a-f]{64}$/) });

/** Keeps the daily secret in a file. */
export function dailySecret({ path, disk, random, warn }: DailySecretOptions): DailySecret {
  let current: { day: string; secret: Promise<Buffer> } | null = null;

  async function load(day: string): Promise<Buffer> {
    const kept = await read();
    if (kept?.day === day) return Buffer.from(kept.secret, 'hex');
    const secret = random(32);
    const draft = `${path}.${random(6).toString('hex')}`;
    await replaceFile(disk, path, draft, Buffer.from(`${JSON.stringify({ day, secret: secret.toString('hex') })}\n`));
    return secret;
  }

  async function read(): Promise<z.infer<typeof shape> | undefined> {
    let text: string;
    try {
      text = await disk.readFile(path, 'utf8');
    } catch (error) {
      if (hasCode(error, 'ENOENT')) return undefined;
      throw error;
    }
    try {
      return shape.parse(parseRecord(text));
    } catch {
      warn(
        `${path} is damaged, so a new secret is made. Readers who voted earlier today count as new voters from now on.`,
      );
      return undefined;
    }
  }

  return {
    of(day) {
      if (current?.day === day) return current.secret;
      // Two loads at the same time would each make a secret, so the second waits until the first succeeds or fails.
      const before = current?.secret.catch(() => {});
      const secret = Promise.resolve(before).then(() => load(day));
      const mine = { day, secret };
      current = mine;
      secret.catch(() => {
        if (current === mine) current = null;
      });
      return secret;
    },
  };
}
