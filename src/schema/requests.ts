import * as z from 'zod';
import { emailAddress, text } from './fields.ts';

/** The longest note of a vote, in Unicode code points. */
export const maxVoteNote = 500;

/** The body of sendFeedback (C2.4). Unknown fields are ignored. */
export const feedbackRequest = z
  .object({
    slug: z.string().describe('Slug of an existing agent'),
    vote: z.enum(['yes', 'no']).describe('Whether the agent was useful'),
    note: text(maxVoteNote, 0).optional().describe('What the reader wants to say'),
  })
  .meta({ title: 'FeedbackRequest', description: 'A vote on an agent' });

/** The body of subscribe (C2.3). Unknown fields are ignored. */
export const subscribeRequest = z
  .object({
    email: emailAddress.describe('Where mail goes'),
    list: z
      .enum(['daily', 'pro', 'custom'])
      .describe('daily joins the daily list, pro the Pro waitlist, custom asks for a custom agent'),
    note: text(2000, 0).optional().describe('What the reader wants to say'),
  })
  .meta({ title: 'SubscribeRequest', description: 'An email address for one of three lists' });

export type FeedbackRequest = z.infer<typeof feedbackRequest>;
export type SubscribeRequest = z.infer<typeof subscribeRequest>;

/**
 * A note as it is stored, or undefined if there is none: U+FFFD replaces NUL and unpaired surrogates.
 *
 * The contract limits only the length of a note (C8.1), so they are accepted. But databases, CSV readers and providers
 * cannot store them, and some refuse the whole request.
 */
export function storedNote(note: string | undefined): string | undefined {
  return note === undefined || note === '' ? undefined : note.replace(/[\0\p{Surrogate}]/gu, '\uFFFD');
}
