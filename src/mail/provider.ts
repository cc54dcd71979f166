/** The lists of C2.3. */
export const listNames = ['daily', 'pro', 'custom'] as const;

export type ListName = (typeof listNames)[number];

/** One valid request to subscribe. */
export interface Subscription {
  /** Unique. A receiver that sees an id twice sees a repeated call, not a second subscription. */
  id: string;
  /** RFC 3339, UTC. */
  time: string;
  email: string;
  list: ListName;
  note?: string;
  /** The version of the form's text that the reader saw: the start of its digest. */
  form?: string;
  /** Whether it takes effect only once the reader confirms it. */
  pending?: true;
}

/** A reader's use of a link in an email. */
type ConsentEvent = 'confirmed' | 'unsubscribed';

/** A subscription as it is stored, with the times at which it was confirmed and ended: RFC 3339, UTC. */
export type StoredSubscription = Subscription & { [Event in ConsentEvent]?: string };

/** Which subscriptions to find. `mailbox` is any address of it. */
export type Criterion = { id: string } | { email: string } | { mailbox: string } | { list: ListName };

/** Domains whose addresses reach the mailboxes of another domain. */
const sameMailboxes = [
  ['gmail.com', 'googlemail.com'],
  ['proton.me', 'protonmail.com', 'pm.me'],
  ['icloud.com', 'me.com', 'mac.com'],
];

/**
 * The mailbox that an address reaches, for limits only: two addresses that differ in their case, in what follows a plus, in the
 * dots of Gmail, or in a domain of the same provider reach the same one. `domains` are all of the mailbox's.
 */
export function mailboxOf(address: string): { mailbox: string; domains: readonly string[] } {
  const [, name = '', domain = ''] = /^(.*)@(.*)$/s.exec(address.toLowerCase()) ?? [];
  const domains = sameMailboxes.find((names) => names.includes(domain)) ?? [domain];
  const untagged = name.replace(/(?<=.)\+.*$/s, '');
  return { mailbox: `${domains[0] === 'gmail.com' ? untagged.replaceAll('.', '') : untagged}@${domains[0]}`, domains };
}

/**
 * Subscriptions that the program keeps itself, with the record of consent. Other processes may change them meanwhile, so
 * every call reads what is stored now. Addresses are compared without regard to case.
 */
export interface SubscriptionStore {
  /** The subscriptions with an id, of an address, of a mailbox, or on a list, in the order in which they were stored. */
  find(criterion: Criterion): Promise<StoredSubscription[]>;
  /**
   * Stores durably that a subscription was confirmed, or that its reader left its list, which ends all subscriptions so far
   * of the address to this list. The first time of each counts. An ended subscription is never confirmed. `unsent` says that
   * the email which asks to confirm it was certainly not sent: it is then no longer pending.
   */
  mark(id: string, event: ConsentEvent | 'unsent', time: string): Promise<void>;
  /** Address hash (`addressHash`) → the last time of `suppress`. */
  suppressions(): Promise<ReadonlyMap<string, string>>;
  /** Stores durably that no subscription of an address that was confirmed before `time` gets email, even if it is erased. */
  suppress(hash: string, time: string): Promise<void>;
}

/**
 * The answer to a reader: `accepted` for an address that was added, was already there, or is blocked; `invalid` for one
 * that the provider calls invalid. Any other failure is thrown as ProviderFailed.
 */
export type Outcome = 'accepted' | 'invalid';

/** A place where subscribers are stored. */
export interface SubscriberProvider {
  readonly name: string;
  /** Absent if the provider keeps subscriptions and consent at its own place. */
  readonly subscriptions?: SubscriptionStore;
  /** Stores one subscription; `signal` ends all of its calls. Throws only ProviderFailed. */
  add(subscription: Subscription, signal: AbortSignal): Promise<Outcome>;
  /** Resolves if a subscription could be stored now. Absent if the provider cannot tell without storing one. */
  check?(): Promise<void>;
  /** Continues in a new file after the old one was renamed. Absent if the provider has no file. */
  reopen?(): Promise<void>;
  /** Closes open files once nothing is being added. Absent if the provider has none. */
  close?(): Promise<void>;
}

/** Where the server stores subscribers: any provider, with a time limit for each subscription. */
export interface SubscriberStore extends Omit<SubscriberProvider, 'add'> {
  /** Throws only ProviderFailed. */
  add(subscription: Subscription): Promise<Outcome>;
  /** Waits for the subscriptions in progress and refuses later ones. */
  close(): Promise<void>;
}

/** The log for warnings, such as pino's. The facts never contain an address, a note or a key. */
export interface SubscriberLog {
  warn(facts: Record<string, unknown>, message: string): void;
}
