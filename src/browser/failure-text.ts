import type { Outcome } from './send.ts';

/** What a form calls the thing that it sends. */
export type Subject = 'vote' | 'sign-up';

/** What a reader is told when a vote or a sign-up was not taken: what happened, and what to do. */
export function failureText(
  subject: Subject,
  { status, message, retryAfter }: Exclude<Outcome, { sent: true }>,
): string {
  const later = retryAfter === null ? 'in a while' : `in ${retryAfter} ${retryAfter === 1 ? 'second' : 'seconds'}`;
  const not = subject === 'vote' ? 'Your vote is not counted.' : 'Your address is not stored.';
  switch (status) {
    case null:
      return `${not} No answer came. What you entered is still here: check the connection and send it again.`;
    case 400:
      return `${not} ${message.replaceAll('`', '') || 'Something in the form is not right.'}`;
    case 403:
      return `${not} Only the publication’s own pages may send it. Open this page at its own address.`;
    case 404:
      return `${not} The service does not know this agent. If it came out just now, send it again in a minute.`;
    case 413:
      return `${not} The note is too long. Shorten it and send it again.`;
    case 429:
      return `${not} Too much was sent from your network. Send it again ${later}.`;
    case 502:
      return `${not} The service that keeps addresses did not take it. Send it again ${later}.`;
    case 503:
      return `${not} Nothing can be stored at the moment. Send it again ${later}.`;
    default:
      return `${not} The service answered with an error (${status}). Send it again ${later}.`;
  }
}
