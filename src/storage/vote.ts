import { createHmac } from 'node:crypto';
import { isIP, isIPv4 } from 'node:net';
import * as z from 'zod';
import { onceForEach } from '../lib/lazy.ts';
import { slug, text } from '../schema/fields.ts';

/** A stored vote: a line of the log, and the input of the report. */
export const storedVote = z.object({
  /** Later ids sort after earlier ones. */
  id: z.string().regex(/^\P{Cc}{1,64}$/u),
  /** When it was stored, RFC 3339 in UTC. PostgreSQL has no year 0. */
  time: z.iso.datetime().regex(/^(?!0000)/),
  slug,
  vote: z.enum(['yes', 'no']),
  /** Empty if it was deleted. */
  note: text(500, 0).optional(),
  /** A pseudonym of the client for one UTC day. */
  voter: z.string().regex(/^[0-9a-f]{32}$/),
});

export type StoredVote = z.infer<typeof storedVote>;

/** A valid vote before it is stored. Its address becomes the `voter` of the stored vote and is not stored itself. */
export interface NewVote extends Pick<StoredVote, 'slug' | 'vote' | 'note'> {
  /** The IP address of the client. */
  address: string;
}

/** The votes of one agent: each reader's last one of each UTC day. */
export interface VoteTotal {
  slug: string;
  yes: number;
  no: number;
}

/** Where votes are stored. */
export interface VoteStore {
  /**
   * Stores a vote and resolves once it is durable. Concurrent calls are stored in the order of the calls.
   *
   * Rejects with VotesUnavailable; the vote is then not stored, now or later. Only if a connection to a database breaks
   * during the commit, and it stays away, nobody knows.
   */
  append(vote: NewVote): Promise<StoredVote>;
  /** Returns the totals of all agents, by the slugs that the votes have. */
  totals(): Promise<VoteTotal[]>;
  /** Resolves if a vote could be stored now; rejects with the reason if not. */
  check(): Promise<void>;
  /** Starts a new log after the old one was renamed. A store without files does nothing. */
  reopen(): Promise<void>;
  /** Waits for the votes in progress, refuses later ones and closes the store. */
  close(): Promise<void>;
}

/** A vote was not stored because the disk or the database of the store failed; `cause` says how. */
export class VotesUnavailable extends Error {
  override readonly name = 'VotesUnavailable';
  /** Whether the reason was logged already. */
  readonly isLogged: boolean;

  constructor(cause: unknown, isLogged = false) {
    super('Votes cannot be stored at the moment.', { cause });
    this.isLogged = isLogged;
  }
}

/**
 * Returns the pseudonym of a client: the HMAC-SHA-256 (RFC 2104) of the network of its address, cut to 128 bits, in
 * hexadecimal.
 *
 * Without the secret, nobody can find the address by trying all of them. Once the secret is overwritten, nobody can.
 */
export function pseudonym(secret: Buffer, address: string): string {
  return createHmac('sha256', secret).update(networkOf(address)).digest('hex').slice(0, 32);
}

/**
 * Returns the network that counts as one client (C8.24): an IPv4 address itself, and the /64 of an IPv6 address, since a
 * household or a phone has a whole /64. An IPv4 address written as IPv6 (`::ffff:192.0.2.1`) counts as IPv4. Anything
 * that is not an address is returned unchanged.
 */
export function networkOf(address: string): string {
  if (isIPv4(address)) return address;
  const plain = address.split('%', 1)[0] as string;
  if (isIP(plain) !== 6) return address;
  // The URL parser writes each address in one form: groups in lower case without leading zeros, and zeros as `::`.
  const [head = '', tail = ''] = new URL(`http://[${plain}]`).hostname.slice(1, -1).split('::');
  const [before = [], after = []] = [head, tail].map((part) => part.split(':').filter((group) => group !== ''));
  const groups = [...before, ...Array<string>(8 - before.length - after.length).fill('0'), ...after];
  if (groups.slice(0, 6).join(':') !== '0:0:0:0:0:ffff') return `${groups.slice(0, 4).join(':')}::/64`;
  const pairs = groups.slice(6).map((group) => Number.parseInt(group, 16));
  return pairs.flatMap((pair) => [pair >> 8, pair & 0xff]).join('.');
}

/** The parts of a stored vote that do not come from the reader. */
interface Stamp {
  at: Date;
  /** The secret of the UTC day of `at`. */
  secret: Buffer;
  random(bytes: number): Buffer;
}

/** Gives each vote its id, time and voter, in order. Addresses become pseudonyms and are dropped. */
export function stamp(votes: readonly NewVote[], { at, secret, random }: Stamp): StoredVote[] {
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
