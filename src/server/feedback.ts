import type { z } from 'zod';
import { explain } from '../diagnostics/zod-messages.ts';
import { feedbackRequest, storedNote } from '../schema/requests.ts';
import { type VoteStore, VotesUnavailable } from '../votes/vote.ts';
import type { Fields } from './body.ts';
import { Refusal } from './errors.ts';
import type { Limit } from './limits.ts';
import type { BuildFollower } from './live-build.ts';

/** The name of the field that people leave empty and bots fill (C2.26). */
export const honeypot = 'website';

/** Whether a body fills the honeypot. */
export function isTrapped(fields: Fields): boolean {
  const value = fields[honeypot];
  return value !== undefined && value !== null && value !== '';
}

/** Parses fields with `schema`. Throws Refusal `invalid_body` with all problems, without repeating what was sent (C7.21). */
export function parseBody<Schema extends z.ZodType>(schema: Schema, fields: Fields): z.infer<Schema> {
  const given = { ...fields };
  const parsed = schema.safeParse(given);
  if (parsed.success) return parsed.data;
  const wrong = explain(schema, given, { echo: false });
  throw new Refusal('invalid_body', wrong.map(({ message }) => message).join(' '));
}

export interface VoteParts {
  votes: VoteStore;
  follower: BuildFollower;
  limit: Limit;
}

/**
 * Stores a vote (sendFeedback, C4.3 to C4.6). Resolves with the headers of the limit once the vote is on disk. A request
 * that fills the honeypot is ignored before its other fields are checked.
 *
 * Throws Refusal: `invalid_body`, `unknown_agent`, `rate_limited`, `unavailable`.
 */
export async function takeVote(fields: Fields, address: string, { votes, follower, limit }: VoteParts) {
  if (isTrapped(fields)) return {};
  const { slug, vote, note } = parseBody(feedbackRequest, fields);
  if (!(await isAgent(slug, follower)))
    throw new Refusal('unknown_agent', 'No agent has this `slug`; /api/agents.json lists them all.');
  const headers = await limit.take(address);
  try {
    await votes.append({ slug, vote, note: storedNote(note), address });
  } catch (error) {
    if (!(error instanceof VotesUnavailable)) throw error;
    throw new Refusal(
      'unavailable',
      'Votes cannot be stored at the moment. Try again later.',
      { 'retry-after': '30' },
      unlessLogged(error),
    );
  }
  return headers;
}

/** The error to log for a refused request; undefined if the outage itself was logged. */
export function unlessLogged<Failure extends { isLogged: boolean }>(error: Failure): Failure | undefined {
  return error.isLogged ? undefined : error;
}

/** Whether an agent has the slug. An unknown slug makes the server look for a new build first. */
async function isAgent(slug: string, follower: BuildFollower): Promise<boolean> {
  if (follower.current().slugs.has(slug)) return true;
  await follower.refresh();
  return follower.current().slugs.has(slug);
}
