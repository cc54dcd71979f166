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

/** The longest email address that mail servers accept (RFC 5321, sections 4.5.3.1.1 and 4.5.3.1.3), in characters. */
export const maxEmail = 254;

/** An email address that can exist (C8.26). Its characters are ASCII, so their number is that of its octets. */
const email = emailAddress
  .max(maxEmail, { error: `at most ${maxEmail} characters long` })
  .regex(/^[^@]{1,64}@/, { error: 'an address with at most 64 characters before the @' })
  .regex(/@(?:[^.]{1,63}(?:\.|$))+$/, { error: 'an address with at most 63 characters between dots after the @' })
  .meta({ format: 'email' });

/** The body of subscribe (C2.3). Unknown fields are ignored. */
export const subscribeRequest = z
  .object({
    email: email.describe('Where mail goes'),
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
