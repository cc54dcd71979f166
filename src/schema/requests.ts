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

/**
 * A note as it is stored: U+FFFD replaces NUL and unpaired surrogates. Undefined if there is none. White space is none, since it
 * would replace an earlier note in reports.
 *
 * The contract limits only the length of a note (C8.1), so they are accepted. But databases, CSV readers and providers
 * cannot store them, and some refuse the whole request.
 */
export function storedNote(note: string | undefined): string | undefined {
  return note?.trim() ? note.replace(/[\0\p{Surrogate}]/gu, '\uFFFD') : undefined;
}

/** The Error object (C2.5, its codes C7.21). */
export const errorObject = z
  .object({
    error: z.string().min(1).describe('A stable code'),
    message: z.string().optional().describe('A sentence for people'),
  })
  .meta({ title: 'Error', description: 'What went wrong' });

/** Every code that `error` can have, with its status and its meaning. */
export const errorCodes = {
  bad_request: { status: 400, meaning: 'The request is not well-formed HTTP' },
  invalid_body: { status: 400, meaning: 'The body cannot be read, or a field breaks a rule' },
  forbidden_origin: { status: 403, meaning: 'The request comes from a page of another site' },
  unknown_agent: { status: 404, meaning: 'No agent has this slug' },
  not_found: { status: 404, meaning: 'Nothing is at this address' },
  method_not_allowed: {
    status: 405,
    meaning: 'The address does not support this method; Allow lists the methods that it supports',
  },
  request_timeout: { status: 408, meaning: 'The request did not arrive in time' },
  payload_too_large: { status: 413, meaning: 'The body is larger than allowed' },
  unsupported_media_type: { status: 415, meaning: 'The address does not accept this content type' },
  range_not_satisfiable: { status: 416, meaning: 'The file has no bytes in this range' },
  rate_limited: { status: 429, meaning: 'Too many requests; Retry-After says how many seconds to wait' },
  headers_too_large: { status: 431, meaning: 'The headers are larger than allowed' },
  internal: { status: 500, meaning: 'The server failed' },
  upstream_failed: { status: 502, meaning: 'The provider that stores subscriptions failed' },
  unavailable: { status: 503, meaning: 'The server cannot accept this at the moment' },
} as const satisfies Record<string, { status: number; meaning: string }>;

export type ErrorCode = keyof typeof errorCodes;
