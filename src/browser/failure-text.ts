import { readerMessage } from '../schema/reader-message.ts';
import type { Failure } from './send.ts';

/** What a form sends. */
export type Subject = 'vote' | 'subscription';

/** The message for a reader whose vote or subscription failed: what happened, and what to do. */
export function failureText(subject: Subject, { status, message, retryAfter }: Failure): string {
  const later = retryAfter === null ? 'later' : `in ${retryAfter} ${retryAfter === 1 ? 'second' : 'seconds'}`;
  const not = subject === 'vote' ? 'Your vote was not recorded.' : 'You are not subscribed.';
  // Proxies answer with these, too, and they ask the same of the reader.
  const isCommon = status === null || status === 413 || status === 429 || status === 503;
  if (message === null && !isCommon) {
    return `${not} Something other than the server answered (status ${status}), such as a proxy or the login page of a network. Check your connection and try again ${later}.`;
  }
  switch (status) {
    case null:
      return `${not} The server did not respond. Check your connection and try again. Your entries are still in the form.`;
    case 400:
      return `${not} ${readerMessage(message ?? '') || 'Something in the form is invalid.'}`;
    case 403:
      return `${not} Only pages of this site may send it. Open this page at its original address.`;
    case 404:
      return `${not} The server does not know this agent. If it was just published, try again in a minute.`;
    case 413:
      return `${not} The note is too long. Shorten it and try again.`;
    case 429:
      return `${not} There were too many requests from your network. Try again ${later}.`;
    case 502:
      return `${not} The mailing service did not accept your address. Try again ${later}.`;
    case 503:
      return `${not} The server cannot store anything right now. Try again ${later}.`;
    default:
      return `${not} The server returned an error (${status}). Try again ${later}.`;
  }
}
