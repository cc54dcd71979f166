/** The lists that a reader can join, as the interface names them. */
export const listNames = ['daily', 'pro', 'custom'] as const;

export type ListName = (typeof listNames)[number];

/** One sign-up, already checked against the interface. */
export interface Signup {
  /** Unique; a receiver that sees it twice has seen a repeated call, not a second sign-up. */
  id: string;
  /** RFC 3339, UTC. */
  time: string;
  email: string;
  list: ListName;
  note?: string;
}

/**
 * What a reader may learn: `accepted` for an address that was added, was there already, or is blocked; `invalid` for
 * one that the provider says is no address. Whatever else keeps it from being stored is thrown as SignupFailed.
 */
export type Outcome = 'accepted' | 'invalid';

/** One place where sign-ups are stored. */
export interface SignupProvider {
  readonly name: string;
  /** Stores one sign-up; `signal` ends it, with all calls that belong to it. Throws nothing but SignupFailed. */
  add(signup: Signup, signal: AbortSignal): Promise<Outcome>;
  /** Resolves if a sign-up could be stored now. Left out by providers that cannot tell without storing one. */
  check?(): Promise<void>;
  /** Goes on in a new file where the old one was renamed. Left out by providers that keep no file. */
  reopen?(): Promise<void>;
  /** Gives back what is held open, once nothing is being added any more. Left out by providers that hold nothing. */
  close?(): Promise<void>;
}

/** Sign-ups as the server uses them: any provider, each sign-up within its time limit. */
export interface Signups {
  readonly provider: string;
  /** Throws nothing but SignupFailed. */
  add(signup: Signup): Promise<Outcome>;
  /** Resolves if a sign-up could be stored now, as far as the provider can tell without storing one. */
  check(): Promise<void>;
  reopen(): Promise<void>;
  /** Waits for what is under way; later sign-ups are refused. */
  close(): Promise<void>;
}

/** Where warnings go: a pino logger fits. The facts never hold an address, a note or a key. */
export interface SignupLog {
  warn(facts: Record<string, unknown>, message: string): void;
}
