import { z } from 'zod';
import { text } from './fields.ts';

/** A remark of at most `max` code points. NUL and halves of surrogate pairs are no text that every store can hold. */
const note = (max: number) =>
  text(max, 0).refine((value) => !/[\0\p{Surrogate}]/u.test(value), {
    error: 'text without the character NUL and without broken ones',
  });

/** The body of sendFeedback. Unknown fields are ignored. */
export const feedbackRequest = z
  .object({
    slug: z.string().describe('Slug of an existing agent'),
    vote: z.enum(['yes', 'no']).describe('Whether the agent was useful'),
    note: note(500).optional().describe('What the reader wants to say'),
  })
  .meta({ title: 'FeedbackRequest', description: 'A vote on an agent' });

/** The body of subscribe. Unknown fields are ignored. */
export const subscribeRequest = z
  .object({
    email: z.email({ error: 'an e-mail address' }).describe('Where mail goes'),
    list: z
      .enum(['daily', 'pro', 'custom'])
      .describe('daily joins the daily list, pro the Pro waitlist, custom asks for a custom agent'),
    note: note(2000).optional().describe('What the reader wants to say'),
  })
  .meta({ title: 'SubscribeRequest', description: 'An e-mail address for one of three lists' });

export type FeedbackRequest = z.infer<typeof feedbackRequest>;
export type SubscribeRequest = z.infer<typeof subscribeRequest>;
