import { onceForEach } from '../once.ts';
import type { NewVote, VoteRecord } from './vote.ts';
import { pseudonym } from './voter.ts';

/** The parts of a vote record that do not come from the reader. */
export interface Stamp {
  at: Date;
  /** The secret of the UTC day of `at`. */
  secret: Buffer;
  random(bytes: number): Buffer;
}

/** Gives each vote its id, time and voter, in order. Addresses become pseudonyms and are dropped. */
export function stamp(votes: readonly NewVote[], { at, secret, random }: Stamp): VoteRecord[] {
  const time = at.toISOString();
  const entropy = random(16 * votes.length);
  const voterOf = onceForEach((address: string) => pseudonym(secret, address));
  return votes.map(({ slug, vote, note, address }, index) => ({
    id: sortableId(at.getTime(), entropy.subarray(16 * index, 16 * index + 16)),
    time,
    slug,
    vote,
    ...(note === undefined || note === '' ? {} : { note }),
    voter: voterOf(address),
  }));
}

/** The UTC day of a time, as YYYY-MM-DD. */
export function utcDay(at: Date): string {
  return at.toISOString().slice(0, 10);
}

/** A UUID of version 7 (RFC 9562). It starts with the milliseconds, so ids sort by time, and has 74 random bits. */
function sortableId(ms: number, random: Buffer): string {
  const bytes = Buffer.from(random);
  bytes.writeUIntBE(ms, 0, 6);
  bytes.writeUInt8((bytes.readUInt8(6) & 0x0f) | 0x70, 6);
  bytes.writeUInt8((bytes.readUInt8(8) & 0x3f) | 0x80, 8);
  const hex = bytes.toString('hex');
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20)}`;
}
