import { z } from 'zod';
import { slug, text } from '../schema/fields.ts';

/** A vote as it is kept: the one shape of a line of the log, of a row in a database and of what the report reads. */
export const voteRecord = z.object({
  id: z.string().min(1).max(64).describe('Names the vote; ids made later sort after earlier ones'),
  time: z.iso.datetime().describe('When it was stored, RFC 3339 in UTC'),
  slug,
  vote: z.enum(['yes', 'no']),
  note: text(500, 0).optional().describe('What the reader said; empty where it was blanked'),
  voter: z
    .string()
    .regex(/^[0-9a-f]{32}$/)
    .describe('A pseudonym of the client that holds for one UTC day'),
});

export type VoteRecord = z.infer<typeof voteRecord>;

/** A vote as it comes in, checked already. The address is turned into the record's `voter` and stored nowhere. */
export interface NewVote {
  slug: string;
  vote: 'yes' | 'no';
  note?: string | undefined;
  /** The client's IP address, as text. */
  address: string;
}

/** Where votes are kept. */
export interface VoteStore {
  /**
   * Keeps a vote, and resolves only once it is durable. Votes of concurrent calls are kept in the order of the calls.
   *
   * Rejects with VotesUnavailable; the vote is then not kept, and does not come back later.
   */
  append(vote: NewVote): Promise<VoteRecord>;
  /** Resolves if a vote could be stored now, and rejects with the reason if not. */
  check(): Promise<void>;
  /** Gives every vote kept so far, in order. What is no whole record is passed over. */
  read(): AsyncIterable<VoteRecord>;
  /** Begins a new log where the old one was renamed away. A store without files does nothing. */
  reopen(): Promise<void>;
  /** Waits for the votes under way, then lets go of the store. Votes that come later are refused. */
  close(): Promise<void>;
}

/** A vote was not kept, since the disk or the database behind the store fails: `cause` says how. */
export class VotesUnavailable extends Error {
  override readonly name = 'VotesUnavailable';

  constructor(cause: unknown) {
    super('Votes cannot be stored at the moment.', { cause });
  }
}
