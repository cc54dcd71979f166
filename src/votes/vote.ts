import * as z from 'zod';
import { slug, text } from '../schema/fields.ts';

/** A stored vote: a line of the log, and the input of the report. */
export const voteRecord = z.object({
  /** Later ids sort after earlier ones. */
  id: z.string().min(1).max(64),
  /** When it was stored, RFC 3339 in UTC. */
  time: z.iso.datetime(),
  slug,
  vote: z.enum(['yes', 'no']),
  /** Empty if it was deleted. */
  note: text(500, 0).optional(),
  /** A pseudonym of the client for one UTC day. */
  voter: z.string().regex(/^[0-9a-f]{32}$/),
});

export type VoteRecord = z.infer<typeof voteRecord>;

/** A valid vote before it is stored. Its address becomes the `voter` of the record and is not stored itself. */
export interface NewVote {
  slug: string;
  vote: 'yes' | 'no';
  note?: string | undefined;
  /** The IP address of the client. */
  address: string;
}

/** Where votes are stored. */
export interface VoteStore {
  /**
   * Stores a vote and resolves once it is durable. Concurrent calls are stored in the order of the calls.
   *
   * Rejects with VotesUnavailable; the vote is then not stored, now or later. Only if a connection to a database breaks
   * during the commit, and it stays away, nobody knows.
   */
  append(vote: NewVote): Promise<VoteRecord>;
  /** Resolves if a vote could be stored now; rejects with the reason if not. */
  check(): Promise<void>;
  /** Starts a new log after the old one was renamed. A store without files does nothing. */
  reopen(): Promise<void>;
  /** Waits for the votes under way, refuses later ones and closes the store. */
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
