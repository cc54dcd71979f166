import { randomBytes } from 'node:crypto';
import type { Mail } from '../../outputs/mail/mail.ts';
import type { Claim } from '../journal.ts';

/** A mail whose link to unsubscribe still has to be filled in: wherever `mark` is. */
export interface OutgoingMail extends Mail {
  /** An address that no text contains. */
  mark: string;
}

/** What an announcement is about, for services that ask. */
export interface Subject {
  /** The same for the same announcement, always. */
  key: string;
  /** The day of its newest agent, YYYY-MM-DD. */
  day: string;
  kind: 'issue' | 'digest';
  list: string;
  agent: { date: string; slug: string; title: string; url: string };
  mail: OutgoingMail;
}

/** The result of sending: everything was sent, by this run or an earlier one; or some mails were not, or may not have been. */
export interface Sent {
  outcome: 'sent' | 'announced-already' | 'incomplete' | 'uncertain';
  /** What happened, in sentences. */
  message: string;
  /** How many mails have which outcome, if the program sends them itself. */
  deliveries?: Record<string, number>;
}

/** Sends announcements to a list. Errors that a person can fix are thrown as OperationError. */
export interface Sender {
  readonly name: string;
  /** Says who would get the mail. Changes nothing. Throws if the list does not exist. */
  audience(): Promise<string>;
  /** Whether the service itself knows that the announcement was sent. Changes nothing. */
  isSent(subject: Subject): Promise<boolean>;
  /** Sends it, unless it was sent before. */
  send(subject: Subject, claim: Claim): Promise<Sent>;
  /** Sends it to one address, without any record. Returns what was done. */
  test(subject: Subject, address: string): Promise<string>;
}

/** Returns an address that no text contains, for `mark`. */
export function newMark(): string {
  return `https://unsubscribe.invalid/${randomBytes(16).toString('hex')}`;
}

/** Puts what a link to unsubscribe opens into a mail: an address, or what the service replaces with one. */
export function withUnsubscribe({ mark, ...mail }: OutgoingMail, link: string): Mail {
  const inHtml = link.replaceAll('&', '&amp;');
  return { ...mail, html: mail.html.replaceAll(mark, () => inHtml), text: mail.text.replaceAll(mark, () => link) };
}
