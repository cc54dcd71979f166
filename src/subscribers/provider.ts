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
}

/**
 * What a reader learns: `accepted` for an address that was added, was already there, or is blocked; `invalid` for one
 * that the provider calls invalid. Any other failure is thrown as SubscriptionFailed.
 */
export type Outcome = 'accepted' | 'invalid';

/** A place where subscribers are stored. */
export interface SubscriberProvider {
  readonly name: string;
  /** Stores one subscription; `signal` ends all of its calls. Throws only SubscriptionFailed. */
  add(subscription: Subscription, signal: AbortSignal): Promise<Outcome>;
  /** Resolves if a subscription could be stored now. Absent if the provider cannot tell without storing one. */
  check?(): Promise<void>;
  /** Continues in a new file after the old one was renamed. Absent if the provider has no file. */
  reopen?(): Promise<void>;
  /** Closes open files once nothing is being added. Absent if the provider has none. */
  close?(): Promise<void>;
}

/** Where the server stores subscribers: any provider, with a time limit for each subscription. */
export interface SubscriberStore {
  readonly provider: string;
  /** Throws only SubscriptionFailed. */
  add(subscription: Subscription): Promise<Outcome>;
  /** Resolves if a subscription could be stored now, as far as the provider can tell without storing one. */
  check(): Promise<void>;
  reopen(): Promise<void>;
  /** Waits for the subscriptions under way and refuses later ones. */
  close(): Promise<void>;
}

/** The log for warnings, such as pino's. The facts never contain an address, a note or a key. */
export interface SubscriberLog {
  warn(facts: Record<string, unknown>, message: string): void;
}
