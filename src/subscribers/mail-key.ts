import { createHmac } from 'node:crypto';
import * as fs from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { OperationError, systemReason, UsageError } from '../errors.ts';
import { createFile, type Disk, hasCode, makeFolder, reasonOf, syncFolder } from '../journal/disk.ts';

export interface MailKeyOptions {
  environment: NodeJS.ProcessEnv;
  /** The data folder. */
  folder: string;
  /** Returns this many cryptographically random bytes. */
  random(bytes: number): Buffer;
  /** @default node:fs/promises */
  disk?: Disk;
}

/** Throws UsageError if the key is not in the environment: programs that share a database must have the same one. */
export function requireMailKey({ CATALOG_MAIL_KEY }: NodeJS.ProcessEnv): void {
  if (CATALOG_MAIL_KEY?.trim()) return;
  throw new UsageError(
    'CATALOG_MAIL_KEY is missing. Programs that share a database have to sign the links in emails with the same key.',
  );
}

/** The file of the key in the data folder. */
const fileName = 'mail.key';

/**
 * The key that signs the links in mails: CATALOG_MAIL_KEY, or else the file `mail.key` in the data folder, which is made
 * if it does not exist and which only its owner can read.
 *
 * Throws UsageError if the variable is too short, and OperationError if the file cannot be used.
 */
export async function openMailKey(options: MailKeyOptions): Promise<Buffer> {
  const { folder, random, disk = fs } = options;
  const known = await readMailKey(options);
  if (known !== null) return known;
  const path = join(folder, fileName);
  const draft = `${path}.${random(6).toString('hex')}`;
  try {
    await makeFolder(disk, dirname(path));
    await createFile(disk, draft, Buffer.from(`${random(32).toString('hex')}\n`));
    // Unlike a rename, a link never replaces the key that another process made meanwhile.
    await disk.link(draft, path).catch((error) => hasCode(error, 'EEXIST') || Promise.reject(error));
    await disk.unlink(draft);
    await syncFolder(disk, folder);
  } catch (error) {
    throw new OperationError(`The key ${path} cannot be made: ${systemReason(reasonOf(error))}.`, { cause: error });
  }
  return openMailKey(options);
}

/** The same key, or null if none was made yet. */
export async function readMailKey(options: Omit<MailKeyOptions, 'random'>): Promise<Buffer | null> {
  const { environment, folder, disk = fs } = options;
  const given = environment.CATALOG_MAIL_KEY?.trim();
  if (given) {
    if (given.length >= 32) return Buffer.from(given);
    throw new UsageError(
      'CATALOG_MAIL_KEY is too short; it has to have at least 32 characters (openssl rand -hex 32).',
    );
  }
  const path = join(folder, fileName);
  let text: string;
  try {
    text = await disk.readFile(path, 'utf8');
  } catch (error) {
    if (hasCode(error, 'ENOENT')) return null;
    throw new OperationError(`The key ${path} cannot be read: ${systemReason(reasonOf(error))}.`, { cause: error });
  }
  if (/^[0-9a-f]{64}\n?$/.test(text)) return Buffer.from(text.trim(), 'hex');
  throw new OperationError(
    `The key ${path} is damaged. Restore it from a backup. If you delete it, links in emails that were sent stop working.`,
  );
}

/** The pseudonym of an address, in any case: without the key, nobody can tell which address it is. */
export function addressHash(address: string, key: Buffer): string {
  return createHmac('sha256', key).update(`address:${address.toLowerCase()}`).digest('base64url');
}
